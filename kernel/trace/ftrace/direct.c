// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive hooks: a function has one direct call, and one that changes where
 * it goes on.
 *
 * The two can share a function if the owner of the direct call goes on through
 * the stack, where the other has its say, instead of calling the function by
 * its address. So it is asked before they meet, and told when they part. It may
 * answer by changing its direct call from within the question, or with an
 * error, -EAGAIN say, that goes back to who asked, with nothing changed.
 *
 * direct_mutex is held from the question to the answer: no exclusive hook comes
 * or goes meanwhile.
 */
#include <linux/export.h>
#include <linux/ftrace.h>

#include "direct.h"
#include "ops.h"
#include "tramp.h"

DEFINE_MUTEX(direct_mutex);	/* exclusive hooks: see lock.h */

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

/* @peer is at a site that is in @here, not in @there, and has no IPMODIFY hook. */
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

/* The latest concerned owner of a direct call that registered before @order. */
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

/* Those after @last, all of them for 0, hear that it is over. */
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
 * ftrace_share_begin() - an IPMODIFY hook is about to come to functions
 * @from: where it is now; NULL: nowhere
 * @to: where it will be
 *
 * Context: direct_mutex held, ftrace_lock not. Sleeps.
 * Return: 0; -EBUSY the owner of a direct call cannot share; what it says. On
 * error those who had agreed were told that it is off.
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
 * ftrace_share_end() - an IPMODIFY hook has left functions
 * @from: where it was
 * @to: where it is now; NULL: nowhere
 *
 * Context: direct_mutex held, ftrace_lock not. Sleeps.
 */
void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to)
{
	lockdep_assert_held(&direct_mutex);

	tell(from, to, 0);
}

/**
 * ftrace_share_self() - the other way round: a direct call comes to functions
 * @ops: direct hook
 * @filter: the functions
 *
 * Context: direct_mutex and ftrace_lock held. Sleeps.
 * Return: 0; -EBUSY an IPMODIFY hook is at one of them, and @ops cannot share;
 * what its owner says.
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
 * register_ftrace_direct() - functions call @addr first of all
 * @ops: hook that names the functions, without a callback
 * @addr: code that is entered as by a call in the function's first instruction
 *
 * Other hooks of these functions are called before.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Return: 0; -EINVAL there is a callback, or no address, or no function is
 * named, or the hook is registered; -EBUSY a function has a direct call, or an
 * IPMODIFY hook that cannot share, or a debugger's breakpoint; -ENOMEM; -ENODEV
 * after ftrace_kill(), or the text of a function cannot be changed; what
 * @ops->ops_func() says. On error nothing changed.
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
 * unregister_ftrace_direct() - functions call @addr no more
 * @ops: hook
 * @addr: what it was registered with
 * @free_filters: forget the functions, too
 *
 * If @ops is not the kernel's own static data, no task is on the way to @addr
 * when this returns; whether one is in it is for its owner to know.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock. Waits for
 * one pair of grace periods at most, with neither lock.
 * Return: 0; -EINVAL it was not registered by register_ftrace_direct(); -ENODEV
 * after ftrace_kill(), but it is unhooked.
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
 * modify_ftrace_direct_nolock() - functions call @addr instead
 * @ops: hook
 * @addr: new code
 *
 * When this returns, no call goes to the old code that has not begun to. A
 * function never goes without.
 *
 * Context: Process context. May sleep. direct_mutex is held; takes ftrace_lock.
 * Return: 0; -EINVAL it is not registered by register_ftrace_direct(); -ENOMEM;
 * -ENODEV after ftrace_kill(), or the text of a function cannot be changed; what
 * @ops->ops_func() says. On error nothing changed.
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
 * modify_ftrace_direct() - functions call @addr instead
 * @ops: hook
 * @addr: new code
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Return: As modify_ftrace_direct_nolock(). On error nothing changed.
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
