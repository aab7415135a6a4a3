/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a filter file.
 */
#ifndef _FTRACE_FILTER_READ_H
#define _FTRACE_FILTER_READ_H

#include <linux/seq_file.h>

extern const struct seq_operations ftrace_filter_seq_ops;

#endif /* _FTRACE_FILTER_READ_H */
