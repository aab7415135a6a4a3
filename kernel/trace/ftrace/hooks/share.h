/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sharing: a direct call on a function that has an IPMODIFY hook.
 */
#ifndef _FTRACE_SHARE_H
#define _FTRACE_SHARE_H

#include <linux/mutex.h>
#include "../sites/filter.h"

struct ftrace_ops;

/* Held while exclusive hooks are added, removed or changed; see lock.h. */
extern struct mutex direct_mutex;

int ftrace_share_begin(struct ftrace_filter *from, struct ftrace_filter *to);

int ftrace_share_self(struct ftrace_ops *ops, const struct ftrace_siteset *sites);

void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to);

#endif /* _FTRACE_SHARE_H */
