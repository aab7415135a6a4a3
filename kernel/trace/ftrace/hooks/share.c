// SPDX-License-Identifier: GPL-2.0
/*
 * Sharing: a direct call on a function that has an IPMODIFY hook.
 *
 * Both can be on one function if the code behind the direct call calls the
 * original function through the address on the stack, which the IPMODIFY hook
 * can change, and not by the function's own address. So the owner of the direct
 * call is asked before a function has both, and told when one of them is gone.
 * In the callback the owner may change the direct call, or return an error such
 * as -EAGAIN, which is passed to the caller, with nothing changed.
 *
 * direct_mutex is held from asking until the change is made: no exclusive hook
 * is added or removed in between.
 */
#include "hook.h"
#include "share.h"

DEFINE_MUTEX(direct_mutex);	/* see lock.h for its place in the lock order */

static bool is_ipmodified(u32 nr)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list)
		if ((hook->need & FTRACE_NEED_IPMODIFY) &&
		    ftrace_filter_has(ftrace_hook_filter(hook), nr))
			return true;
	return false;
}

/* True if @peer is on a site in @here that is not in @there and has no IPMODIFY hook. */
static bool is_concerned(const struct ftrace_hook *peer, const struct ftrace_filter *here,
			 const struct ftrace_filter *there)
{
	const struct ftrace_filter *filter = ftrace_hook_filter(peer);
	u32 nr;

	if (!filter)
		return false;
	ftrace_siteset_for_each(filter->only, nr)
		if (ftrace_filter_has(here, nr) && !ftrace_filter_has(there, nr) &&
		    !is_ipmodified(nr))
			return true;
	return false;
}

/* The ops of the latest direct call before @order for which is_concerned() is true. */
static struct ftrace_ops *next_peer(const struct ftrace_filter *here,
				    const struct ftrace_filter *there, u64 *order)
{
	struct ftrace_ops *found = NULL;
	struct ftrace_hook *hook;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!(hook->need & FTRACE_NEED_DIRECT) || hook->order >= *order)
			continue;
		if (!is_concerned(hook, here, there))
			continue;
		*order = hook->order;
		found = hook->ops;
		break;
	}
	mutex_unlock(&ftrace_lock);
	return found;
}

/* Tell the owners of direct calls registered after @last (0: all) that sharing is over. */
static void tell(const struct ftrace_filter *here, const struct ftrace_filter *there, u64 last)
{
	u64 order = U64_MAX;
	struct ftrace_ops *peer;

	for (peer = next_peer(here, there, &order); peer && order > last;
	     peer = next_peer(here, there, &order))
		if (peer->ops_func)
			peer->ops_func(peer, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
}

/**
 * ftrace_share_begin() - ask direct calls' owners to share with IPMODIFY
 * @from: filter of the IPMODIFY hook now; NULL: no function
 * @to: its future filter
 *
 * Asks about the functions in @to that are not in @from.
 *
 * Context: Process context. May sleep. direct_mutex held, ftrace_lock not.
 * Return: 0 on success, -EBUSY if the owner of a direct call cannot share, or
 * the owner's error. On error, owners that agreed were told that sharing is
 * over.
 */
int ftrace_share_begin(struct ftrace_filter *from, struct ftrace_filter *to)
{
	u64 order = U64_MAX;
	struct ftrace_ops *peer;
	int err;

	lockdep_assert_held(&direct_mutex);

	for (peer = next_peer(to, from, &order); peer; peer = next_peer(to, from, &order)) {
		err = -EBUSY;
		if (peer->ops_func)
			err = peer->ops_func(peer, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER);
		if (err) {
			tell(to, from, order);
			return err;
		}
	}
	return 0;
}

/**
 * ftrace_share_end() - tell direct calls' owners that IPMODIFY has left
 * @from: filter of the IPMODIFY hook before
 * @to: its filter now; NULL: no function
 *
 * Tells about the functions in @from that are not in @to.
 *
 * Context: Process context. May sleep. direct_mutex held, ftrace_lock not.
 */
void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to)
{
	lockdep_assert_held(&direct_mutex);

	tell(from, to, 0);
}

/**
 * ftrace_share_self() - ask a direct call's owner to share with IPMODIFY
 * @ops: ops of the direct call
 * @filter: the functions that it is added to
 *
 * Context: Process context. May sleep. direct_mutex and ftrace_lock held.
 * Return: 0 on success, -EBUSY if an IPMODIFY hook is on one of them and @ops
 * cannot share, or the owner's error.
 */
int ftrace_share_self(struct ftrace_ops *ops, const struct ftrace_filter *filter)
{
	u32 nr;

	lockdep_assert_held(&direct_mutex);

	ftrace_siteset_for_each(filter->only, nr) {
		if (!is_ipmodified(nr))
			continue;
		if (!ops->ops_func)
			return -EBUSY;
		return ops->ops_func(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF);
	}
	return 0;
}
