// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive hooks: a function has at most one direct call (DIRECT), and at most
 * one hook that may change where it continues (IPMODIFY).
 *
 * Both can be on one function if the code behind the direct call calls the
 * original function through the address on the stack, which the IPMODIFY hook
 * can change, and not by the function's own address. So the owner of the direct
 * call is asked before the two meet, and told when they part. In the callback
 * it may change its direct call. It may also return an error such as -EAGAIN,
 * which is passed to the caller, with nothing changed.
 *
 * direct_mutex is held from asking until the change is made: no exclusive hook
 * is added or removed in between.
 */
#include <linux/export.h>
#include <linux/ftrace.h>

#include "direct.h"
#include "ops.h"
#include "tramp.h"

DEFINE_MUTEX(direct_mutex);	/* see lock.h for its place in the lock order */

static struct ftrace_filter *filter_of(const struct ftrace_hook *hook)
{
	return rcu_dereference_protected(hook->filter, lockdep_is_held(&ftrace_lock));
}

static bool is_ipmodified(u32 nr)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list)
		if ((hook->need & FTRACE_NEED_IPMODIFY) && ftrace_filter_has(filter_of(hook), nr))
			return true;
	return false;
}

/* True if @peer is on a site in @here that is not in @there and has no IPMODIFY hook. */
static bool is_concerned(const struct ftrace_hook *peer, const struct ftrace_filter *here,
			 const struct ftrace_filter *there)
{
	const struct ftrace_filter *filter = filter_of(peer);
	u32 nr;

	if (!filter)
		return false;
	ftrace_siteset_for_each(filter->only, nr)
		if (ftrace_filter_has(here, nr) && !ftrace_filter_has(there, nr) &&
		    !is_ipmodified(nr))
			return true;
	return false;
}

/* The owner of the latest direct call before @order that is concerned; see is_concerned(). */
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
 * @to: its filter to be
 *
 * Asks about the functions in @to that are not in @from.
 *
 * Context: Process context. May sleep. direct_mutex held, ftrace_lock not.
 * Return: 0 on success, -EBUSY if the owner of a direct call cannot share, or
 * its error. On error those that had agreed have been told that sharing is off.
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

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

static int ask_oneself(struct ftrace_ops *ops)
{
	return ftrace_share_self(ops, ftrace_home_filter(ftrace_ops_home(ops)));
}

static bool is_direct(const struct ftrace_ops *ops)
{
	return (ops->flags & FTRACE_OPS_FL_DIRECT) && (ops->flags & FTRACE_OPS_FL_ENABLED);
}

/**
 * register_ftrace_direct() - make functions call @addr directly
 * @ops: ops whose filter names the functions, without a callback
 * @addr: address of code that is entered as if called by the function's first
 *	instruction
 *
 * Other hooks of these functions are called first.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for one pair of grace periods, with neither lock held, if it fails
 * after text was written.
 * Return: 0 on success; -EINVAL if @ops has a callback, names no function or is
 * registered, or if @addr is 0; -EBUSY if a function has a direct call, or an
 * IPMODIFY hook that cannot share, or a debugger's breakpoint; -ENOMEM if
 * memory is short; -ENODEV after ftrace_kill(), or if a function cannot be
 * patched; or the error of @ops->ops_func(). On error nothing changed.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	unsigned long flags = ops->flags;
	bool reverted = false;
	int err;

	if (ops->func || !addr || (flags & FTRACE_OPS_FL_ENABLED))
		return -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	ops->flags = FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_REGS;
	ops->direct_call = addr;
	err = ask_oneself(ops) ?: ftrace_register_locked(ops);
	if (err) {
		reverted = ops->flags & FTRACE_OPS_FL_REVERTED;
		ops->flags = flags;
		ops->direct_call = 0;
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	if (reverted)
		ftrace_retire_wait();
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

/**
 * unregister_ftrace_direct() - stop functions from calling @addr directly
 * @ops: ops
 * @addr: address that it was registered with
 * @free_filters: also reset its filter
 *
 * On return no task is on its way to @addr, unless @ops is the kernel's own
 * static data. Whether a task is still in the code at @addr is for its owner to
 * know.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for at most one pair of grace periods, with neither lock held.
 * Return: 0 on success, -EINVAL if it was not registered by
 * register_ftrace_direct(), -ENODEV after ftrace_kill(), but unhooked.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int err;

	if (!is_direct(ops))
		return -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	WARN_ON_ONCE(addr != ops->direct_call);
	err = ftrace_unregister_locked(ops);
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);

	ftrace_ops_wait(ops);
	ops->flags &= ~(FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_REGS);
	ops->direct_call = 0;
	if (free_filters)
		ftrace_free_filter(ops);
	return err;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

/**
 * modify_ftrace_direct_nolock() - change the address of a direct call
 * @ops: ops
 * @addr: the new address
 *
 * On return no new call goes to the old address. At no time does a function go
 * without its direct call.
 *
 * Context: Process context. May sleep. direct_mutex held. Takes ftrace_lock.
 * Return: 0 on success; -EINVAL if it is not registered by
 * register_ftrace_direct() or @addr is 0; -ENOMEM if memory is short; -ENODEV
 * after ftrace_kill(), or if a function cannot be patched; or the error of
 * @ops->ops_func(). On error nothing changed.
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	int err;

	if (WARN_ON_ONCE(!mutex_is_locked(&direct_mutex)))
		return -EINVAL;
	if (!is_direct(ops) || !addr)
		return -EINVAL;

	mutex_lock(&ftrace_lock);
	err = ftrace_dead() ?: ask_oneself(ops) ?: ftrace_redirect_locked(ops, addr);
	mutex_unlock(&ftrace_lock);
	return err;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

/**
 * modify_ftrace_direct() - change the address of a direct call
 * @ops: ops
 * @addr: the new address
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Return: as modify_ftrace_direct_nolock(). On error nothing changed.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int err;

	mutex_lock(&direct_mutex);
	err = modify_ftrace_direct_nolock(ops, addr);
	mutex_unlock(&direct_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
