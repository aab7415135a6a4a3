/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words written to a filter file.
 */
#ifndef _FTRACE_FILTER_WRITE_H
#define _FTRACE_FILTER_WRITE_H

struct ftrace_draft;

int ftrace_session_word(struct ftrace_draft *draft);

#endif /* _FTRACE_FILTER_WRITE_H */
