/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of an ops: made for its filter, replaced by others, retired.
 */
#ifndef _FTRACE_SWAP_H
#define _FTRACE_SWAP_H

#include "change.h"

/* An ops whose hooks are to be replaced, and the filter that the new ones are for. */
struct ftrace_rehook {
	struct ftrace_ops	*ops;
	struct ftrace_filter	*filter;
};

int ftrace_hooks_make(struct ftrace_ops *ops, u64 order, struct ftrace_filter *filter,
		      struct list_head *after, struct ftrace_change *changes);
int ftrace_hooks_replace(const struct ftrace_rehook *rehooks, unsigned int nr);
void ftrace_hook_retire(struct ftrace_hook *hook);

#endif /* _FTRACE_SWAP_H */
