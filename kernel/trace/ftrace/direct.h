/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exclusive hooks: direct calls and those who change where a function goes on.
 */
#ifndef _FTRACE_DIRECT_H
#define _FTRACE_DIRECT_H

#include <linux/mutex.h>
#include "filter.h"

struct ftrace_ops;

/* Held while exclusive hooks come, go or change; see lock.h. */
extern struct mutex direct_mutex;

/*
 * An IPMODIFY hook comes to the sites in @to that are not in @from: asks the
 * owners of direct calls there to go on through the stack.
 * Context: direct_mutex held, ftrace_lock not.
 * Return: 0; -EBUSY one of them cannot; what one of them says. On error all of
 * them were told that it is off.
 */
int ftrace_share_begin(struct ftrace_filter *from, struct ftrace_filter *to);

/*
 * A direct call comes to the sites in @filter: asks its owner, @ops, to share
 * where IPMODIFY hooks are. direct_mutex and ftrace_lock held. Return: as above.
 */
int ftrace_share_self(struct ftrace_ops *ops, const struct ftrace_filter *filter);

/* It left the sites in @from that are not in @to. Same context. */
void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to);

#endif /* _FTRACE_DIRECT_H */
