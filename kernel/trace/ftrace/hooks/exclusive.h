/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether exclusive hooks would meet.
 */
#ifndef _FTRACE_EXCLUSIVE_H
#define _FTRACE_EXCLUSIVE_H

#include "hook.h"

int ftrace_exclusive_check(struct ftrace_ops *ops, struct ftrace_filter_slot *slot,
			   const struct ftrace_filter *filter);

#endif /* _FTRACE_EXCLUSIVE_H */
