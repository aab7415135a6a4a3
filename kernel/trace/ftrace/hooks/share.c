// SPDX-License-Identifier: GPL-2.0
/*
 * Sharing: a direct call on a function that has an IPMODIFY hook.
 *
 * Both can be on one function if the direct call's target calls the original
 * function through the address on the stack, which the IPMODIFY hook can change, and
 * not by the function's own address. So ->ops_func() asks the owner of the direct call
 * before a function gets both, and tells it when the IPMODIFY hook was removed, each
 * time with the site's address: an owner may have one ops for many functions.
 * In the callback the owner may change the direct call, or return an error such
 * as -EAGAIN, which is passed to the caller, with nothing changed.
 *
 * direct_mutex is held from asking until the change is made, so that no exclusive
 * hook is added or removed in between.
 */
#include "../sites/site.h"
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

/* A site about which a direct call's owner is asked or told. */
struct share_site {
	struct ftrace_ops	*ops;
	unsigned long		ip;
	u64			order;	/* of the direct call's hook */
	u32			nr;
};

/* Where next_site() starts: the latest direct call comes first. */
static const struct share_site share_start = { .order = U64_MAX, .nr = FTRACE_NO_SITE };

/*
 * The first site of @peer from number @nr on that is in @here, is not in @there, and
 * has no IPMODIFY hook.
 */
static u32 concerned_site(const struct ftrace_hook *peer, const struct ftrace_filter *here,
			  const struct ftrace_filter *there, u32 nr)
{
	const struct ftrace_filter *filter = ftrace_hook_filter(peer);

	if (!filter)
		return FTRACE_NO_SITE;
	for (nr = ftrace_siteset_next(filter->only, nr); nr != FTRACE_NO_SITE;
	     nr = ftrace_siteset_next(filter->only, nr + 1))
		if (ftrace_filter_has(here, nr) && !ftrace_filter_has(there, nr) &&
		    !is_ipmodified(nr))
			break;
	return nr;
}

/* Advance @at to the next site, of the same direct call or of an older one. False: none. */
static bool next_site(const struct ftrace_filter *here, const struct ftrace_filter *there,
		      struct share_site *at)
{
	struct ftrace_site_block *b;
	struct ftrace_hook *hook;
	u32 nr, i;

	guard(mutex)(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!(hook->need & FTRACE_NEED_DIRECT) || hook->order > at->order)
			continue;
		nr = concerned_site(hook, here, there, hook->order == at->order ? at->nr + 1 : 0);
		if (nr == FTRACE_NO_SITE)
			continue;
		b = ftrace_site_by_nr(nr, &i);
		if (WARN_ON_ONCE(!b))
			continue;
		*at = (struct share_site){
			.ops = hook->ops, .ip = ftrace_site_ip(b, i),
			.order = hook->order, .nr = nr,
		};
		return true;
	}
	return false;
}

/* Tell the owners of direct calls that sharing is over; only sites before @end, if given. */
static void tell(const struct ftrace_filter *here, const struct ftrace_filter *there,
		 const struct share_site *end)
{
	struct share_site at = share_start;

	while (next_site(here, there, &at)) {
		if (end && at.order == end->order && at.nr == end->nr)
			break;
		if (at.ops->ops_func)
			at.ops->ops_func(at.ops, at.ip,
					 FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
	}
}

/**
 * ftrace_share_begin() - ask direct calls' owners to share with IPMODIFY
 * @from: current filter of the IPMODIFY hook; NULL: no function
 * @to: its future filter
 *
 * Asks about the functions in @to that are not in @from.
 *
 * Context: Process context. May sleep. direct_mutex held, ftrace_lock not.
 * Return: 0 on success; -EINVAL if @to does not name its functions: then no owner was
 * asked; -EBUSY if the owner of a direct call cannot share, or the owner's error. On
 * error, owners that had agreed were told that sharing is over.
 */
int ftrace_share_begin(struct ftrace_filter *from, struct ftrace_filter *to)
{
	struct share_site at = share_start;
	int err;

	lockdep_assert_held(&direct_mutex);

	if (!ftrace_filter_names(to))
		return -EINVAL;
	while (next_site(to, from, &at)) {
		err = -EBUSY;
		if (at.ops->ops_func)
			err = at.ops->ops_func(at.ops, at.ip,
					       FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER);
		if (err) {
			tell(to, from, &at);
			return err;
		}
	}
	return 0;
}

/**
 * ftrace_share_end() - tell direct calls' owners that an IPMODIFY hook was removed
 * @from: previous filter of the IPMODIFY hook
 * @to: its current filter; NULL: no function
 *
 * Tells about the functions in @from that are not in @to.
 *
 * Context: Process context. May sleep. direct_mutex held, ftrace_lock not.
 */
void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to)
{
	lockdep_assert_held(&direct_mutex);

	tell(from, to, NULL);
}

/**
 * ftrace_share_self() - ask a direct call's owner to share with IPMODIFY
 * @ops: ops of the direct call
 * @sites: the functions that get it, or another target
 *
 * Context: Process context. May sleep. direct_mutex and ftrace_lock held.
 * Return: 0 on success, -EBUSY if an IPMODIFY hook is on one of them and @ops
 * cannot share, or the owner's error.
 */
int ftrace_share_self(struct ftrace_ops *ops, const struct ftrace_siteset *sites)
{
	struct ftrace_site_block *b;
	u32 nr, i;
	int err;

	lockdep_assert_held(&direct_mutex);

	ftrace_siteset_for_each(sites, nr) {
		if (!is_ipmodified(nr))
			continue;
		b = ftrace_site_by_nr(nr, &i);
		if (!ops->ops_func || WARN_ON_ONCE(!b))
			return -EBUSY;
		err = ops->ops_func(ops, ftrace_site_ip(b, i),
				    FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF);
		if (err)
			return err;
	}
	return 0;
}
