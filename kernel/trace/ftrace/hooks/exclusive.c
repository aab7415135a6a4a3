// SPDX-License-Identifier: GPL-2.0
/*
 * Whether exclusive hooks would meet: a function has at most one direct call
 * (DIRECT), and at most one hook that may change where it continues (IPMODIFY).
 *
 * This is checked before a filter comes into force, and nowhere else. An
 * exclusive ops names its functions one by one. So the filters in force of two
 * hooks that exclude each other never have a function in common, and plans need
 * not check for that.
 */
#include <linux/minmax.h>

#include "hook.h"

static bool meet(const struct ftrace_filter *a, const struct ftrace_filter *b)
{
	u32 nr;

	if (!a || !b)
		return false;
	if (ftrace_siteset_count(a->only) > ftrace_siteset_count(b->only))
		swap(a, b);
	ftrace_siteset_for_each(a->only, nr)
		if (ftrace_siteset_has(b->only, nr))
			return true;
	return false;
}

/**
 * ftrace_exclusive_check() - check whether an ops may have a filter
 * @ops: ops, registered or not
 * @slot: the filter slot that @filter is for; its other users get @filter, too
 * @filter: filter
 *
 * Context: Process context. ftrace_lock held.
 * Return: 0 on success; -EBUSY if another exclusive hook of its kind has, or
 * would get, one of the functions; -EINVAL if @ops is exclusive and the filter
 * does not name its functions, or has conditions.
 */
int ftrace_exclusive_check(struct ftrace_ops *ops, struct ftrace_filter_slot *slot,
			   const struct ftrace_filter *filter)
{
	struct ftrace_hook *hook;
	u16 kind = 0;

	lockdep_assert_held(&ftrace_lock);

	if (ops->flags & FTRACE_OPS_FL_DIRECT)
		kind |= FTRACE_NEED_DIRECT;
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
		kind |= FTRACE_NEED_IPMODIFY;
	if (!kind)
		return 0;
	if (!ftrace_filter_names(filter))
		return -EINVAL;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		const struct ftrace_filter *theirs = ftrace_hook_filter(hook);

		if (hook->ops == ops || !(hook->need & kind))
			continue;
		if (ftrace_ops_slot(hook->ops) == slot)
			theirs = filter;
		if (meet(filter, theirs))
			return -EBUSY;
	}
	return 0;
}
