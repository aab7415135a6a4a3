// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: the API to make functions call an address without a callback.
 *
 * An ops either has one address for all its functions, by register_ftrace_direct(),
 * or one for each of them, by update_ftrace_direct_add(); ->direct_call is 0 then.
 */
#include <linux/export.h>
#include <linux/ftrace.h>

#include "change.h"
#include "ops.h"
#include "retire.h"
#include "share.h"
#include "slot.h"
#include "target_sets.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

static int share_self(struct ftrace_ops *ops)
{
	return ftrace_share_self(ops, ftrace_slot_filter(ftrace_ops_slot(ops))->only);
}

/*
 * Flags that direct calls need in addition to their owner's. Where trampolines can save
 * all registers, the target's place is among these.
 */
#define DIRECT_FLAGS	(FTRACE_OPS_FL_DIRECT | (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) ? \
						 FTRACE_OPS_FL_SAVE_REGS : 0))

/* True if @ops is registered for direct calls, with a target @each or with one for all. */
static bool is_direct(const struct ftrace_ops *ops, bool each)
{
	return (ops->flags & FTRACE_OPS_FL_DIRECT) && (ops->flags & FTRACE_OPS_FL_ENABLED) &&
	       !ops->direct_call == each;
}

/**
 * register_ftrace_direct() - make functions call @addr directly
 * @ops: ops whose filter names the functions, without a callback
 * @addr: address of code that is entered as if called by the function's first
 *	instruction; after ftrace_jmp_set(), as if that was a jump
 *
 * Other hooks of these functions are called first.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for up to two tasks grace periods, with neither lock held, if it fails
 * after text was written.
 * Return: 0 on success; -EINVAL if @ops has a callback, is registered, or does not
 * name its functions, or if @addr is 0; -EBUSY if a function has a direct call, or
 * an IPMODIFY hook and @ops cannot share, or is off under a debugger's breakpoint;
 * -ENOMEM if memory is short; -ENODEV after ftrace_kill(), or if a function cannot
 * be patched; or the error of @ops->ops_func(). On error nothing changed.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	bool reverted = false;
	unsigned long flags;
	int err = -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	flags = ops->flags;
	if (!ops->func && ftrace_jmp_get(addr) && !(flags & FTRACE_OPS_FL_ENABLED)) {
		ops->flags |= DIRECT_FLAGS;
		ops->direct_call = addr;
		err = ftrace_dead() ?: share_self(ops) ?:
		      ftrace_register_targets(ops, NULL, &reverted);
		if (err) {
			ops->flags = flags;
			ops->direct_call = 0;
		}
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	if (reverted)
		ftrace_readers_wait();
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

/**
 * unregister_ftrace_direct() - stop functions from calling @addr directly
 * @ops: ops
 * @addr: address that @ops was registered with, or modified to; with or without
 *	ftrace_jmp_set()
 * @free_filters: also reset its filter
 *
 * On return no task is on its way to @addr, unless @ops is the kernel's own
 * static data. Whether a task is still in the code at @addr is for its owner to
 * know.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for at most one tasks grace period, with neither lock held.
 * Return: 0 on success, -EINVAL if @ops was not registered by
 * register_ftrace_direct(), -ENODEV after ftrace_kill(), with @ops unregistered, too.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int err;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	if (!is_direct(ops, false)) {
		mutex_unlock(&ftrace_lock);
		mutex_unlock(&direct_mutex);
		return -EINVAL;
	}
	WARN_ON_ONCE(ftrace_jmp_get(addr) != ftrace_jmp_get(ops->direct_call));
	err = ftrace_unregister_locked(ops);
	ops->flags &= ~DIRECT_FLAGS;
	ops->direct_call = 0;
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);

	ftrace_ops_wait(ops);
	if (free_filters)
		ftrace_free_filter(ops);
	return err;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

/*
 * Put a change into force. On error nothing changed. *reverted is set on an error after
 * text was written: functions may have called new targets, so the caller has to call
 * ftrace_readers_wait() once it has released ftrace_lock.
 */
static int apply(const struct ftrace_change *change, bool *reverted)
{
	struct ftrace_plan plan;
	int err = ftrace_plan_make(&plan, change, 1);

	if (err)
		return err;
	err = ftrace_changes_commit(change, 1, &plan);
	*reverted |= err;
	return err;
}

/* Give all functions of @ops the target @addr. */
static int redirect(struct ftrace_ops *ops, unsigned long addr, bool *reverted)
{
	struct ftrace_filter *filter = ftrace_hook_filter(ops->hook);
	const struct ftrace_change change = { .hook = ops->hook, .from = filter, .to = filter };
	const unsigned long before = ops->direct_call;
	int err;

	ops->direct_call = addr;
	err = apply(&change, reverted);
	if (err)
		ops->direct_call = before;
	return err;
}

static int modify(struct ftrace_ops *ops, unsigned long addr, bool *reverted)
{
	int err;

	if (!is_direct(ops, false) || !ftrace_jmp_get(addr))
		return -EINVAL;

	mutex_lock(&ftrace_lock);
	err = ftrace_dead() ?: share_self(ops) ?: redirect(ops, addr, reverted);
	mutex_unlock(&ftrace_lock);
	return err;
}

/**
 * modify_ftrace_direct_nolock() - change the address of a direct call
 * @ops: ops
 * @addr: the new address, as for register_ftrace_direct(); a call may become a
 *	jump, and a jump a call
 *
 * On return no new call goes to the old address. At no time does a function go
 * without its direct call.
 *
 * Context: Process context. May sleep. direct_mutex held. Takes ftrace_lock.
 * Waits for up to two tasks grace periods, without ftrace_lock, if it fails after
 * text was written.
 * Return: 0 on success; -EINVAL if @ops was not registered by
 * register_ftrace_direct(), if @addr is 0 or direct_mutex not held; -EBUSY if a
 * function has an IPMODIFY hook and @ops cannot share, or is off, or jumps, under a
 * debugger's breakpoint; -ENOMEM if memory is short; -ENODEV after ftrace_kill(), or
 * if a function cannot be patched, except one that was found faulty before; or the
 * error of @ops->ops_func(). On error nothing changed.
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	bool reverted = false;
	int err;

	if (WARN_ON_ONCE(!mutex_is_locked(&direct_mutex)))
		return -EINVAL;
	err = modify(ops, addr, &reverted);
	if (reverted)
		ftrace_readers_wait();
	return err;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

/**
 * modify_ftrace_direct() - change the address of a direct call
 * @ops: ops
 * @addr: the new address, as for modify_ftrace_direct_nolock()
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for up to two tasks grace periods, with neither lock held, if it fails
 * after text was written.
 * Return: As modify_ftrace_direct_nolock(). On error nothing changed.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	bool reverted = false;
	int err;

	mutex_lock(&direct_mutex);
	err = modify(ops, addr, &reverted);
	mutex_unlock(&direct_mutex);
	if (reverted)
		ftrace_readers_wait();
	return err;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

/* Register @ops for the functions in @targets. On error nothing changed. */
static int add_first(struct ftrace_ops *ops, const struct ftrace_targets *targets,
		     bool *reverted)
{
	struct ftrace_filter_slot *slot = &ops->own;
	const unsigned long flags = ops->flags;
	struct ftrace_filter *filter;
	int err;

	if (ops->func || ops->slot || !ftrace_slot_filter(slot)->all)
		return -EINVAL;
	filter = ftrace_filter_make(false, ftrace_siteset_get(targets->sites), NULL);
	if (IS_ERR(filter))
		return PTR_ERR(filter);

	ops->flags |= DIRECT_FLAGS;
	ftrace_slot_replace(slot, filter);
	err = ftrace_exclusive_check(ops, slot, filter);
	if (err == -EBUSY)
		err = -EINVAL;
	err = err ?: ftrace_share_self(ops, targets->sites) ?:
	      ftrace_register_targets(ops, targets, reverted);
	if (err) {
		ops->flags = flags;
		ftrace_slot_replace(slot, &ftrace_filter_all);
	}
	return err;
}

/* Put @filter into force; consumes the reference. On error nothing changed. */
static int change_filter(struct ftrace_ops *ops, struct ftrace_filter *filter,
			 const struct ftrace_targets *targets, bool *reverted)
{
	const struct ftrace_change change = {
		.hook = ops->hook,
		.from = ftrace_hook_filter(ops->hook),
		.to = filter,
		.targets = targets,
	};
	int err = apply(&change, reverted);

	if (err)
		ftrace_filter_put(filter);
	else
		ftrace_slot_replace(&ops->own, filter);
	return err;
}

/* Add the functions in @targets to those of @ops. On error nothing changed. */
static int add_more(struct ftrace_ops *ops, const struct ftrace_targets *targets,
		    bool *reverted)
{
	struct ftrace_siteset *only = ftrace_hook_filter(ops->hook)->only, *sum;
	struct ftrace_filter *filter;
	u32 nr;
	int err;

	ftrace_siteset_for_each(targets->sites, nr)
		if (ftrace_siteset_has(only, nr))
			return -EINVAL;

	sum = ftrace_siteset_or(only, targets->sites);
	if (IS_ERR(sum))
		return PTR_ERR(sum);
	filter = ftrace_filter_make(false, sum, NULL);
	if (IS_ERR(filter))
		return PTR_ERR(filter);

	err = ftrace_exclusive_check(ops, &ops->own, filter);
	if (err == -EBUSY)
		err = -EINVAL;
	err = err ?: ftrace_share_self(ops, targets->sites);
	if (err) {
		ftrace_filter_put(filter);
		return err;
	}
	return change_filter(ops, filter, targets, reverted);
}

/**
 * update_ftrace_direct_add() - make each function call an address of its own
 * @ops: ops without a callback, registered by this function, or not registered
 *	and without a filter; registered afterwards
 * @hash: call sites of the functions, and the addresses, as for
 *	register_ftrace_direct()
 *
 * Other functions of @ops keep their addresses.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for up to two tasks grace periods, with neither lock held, if it fails
 * after text was written.
 * Return: 0 on success; -EINVAL if @hash is empty, has an address that is no call
 * site's, or one twice, or a target that is 0, or if one of its functions has a
 * direct call, or @ops has a callback, a filter or one address for all its
 * functions; -EBUSY if a function has an IPMODIFY hook and @ops cannot share, or is
 * off under a debugger's breakpoint; -ENOMEM if memory is short; -ENODEV after
 * ftrace_kill(), or if a function cannot be patched; or the error of
 * @ops->ops_func(). On error nothing changed.
 */
int update_ftrace_direct_add(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	struct ftrace_targets targets;
	bool reverted = false;
	int err;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	err = ftrace_dead() ?: ftrace_targets_of(&targets, hash);
	if (!err) {
		if (is_direct(ops, true))
			err = add_more(ops, &targets, &reverted);
		else if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
			err = add_first(ops, &targets, &reverted);
		else
			err = -EINVAL;
		ftrace_targets_drop(&targets);
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	if (reverted)
		ftrace_readers_wait();
	return err;
}

/* True if @ops makes all functions in @targets call their targets there. */
static bool has_targets(struct ftrace_ops *ops, const struct ftrace_targets *targets)
{
	struct ftrace_siteset *only = ftrace_hook_filter(ops->hook)->only;
	struct ftrace_site_walk walk = {};
	u32 nr, k = 0;

	ftrace_siteset_for_each(targets->sites, nr) {
		if (!ftrace_siteset_has(only, nr) || !ftrace_site_walk(&walk, nr))
			return false;
		if (ftrace_target(walk.block, nr - walk.block->first) != targets->addr[k++])
			return false;
	}
	return true;
}

/* Remove the functions in @targets from @ops. Without functions, it is unregistered and reset. */
static int del_locked(struct ftrace_ops *ops, const struct ftrace_targets *targets)
{
	struct ftrace_filter *filter;
	struct ftrace_siteset *rest;
	bool reverted = false;	/* stays false: functions are only removed */
	int err;

	if (!has_targets(ops, targets))
		return -EINVAL;

	rest = ftrace_siteset_minus(ftrace_hook_filter(ops->hook)->only, targets->sites);
	if (IS_ERR(rest))
		return PTR_ERR(rest);
	if (rest) {
		filter = ftrace_filter_make(false, rest, NULL);
		if (IS_ERR(filter))
			return PTR_ERR(filter);
		return change_filter(ops, filter, NULL, &reverted);
	}

	err = ftrace_unregister_locked(ops);
	ops->flags &= ~DIRECT_FLAGS;
	ftrace_slot_replace(&ops->own, &ftrace_filter_all);
	return err;
}

/**
 * update_ftrace_direct_del() - stop functions from calling their addresses
 * @ops: ops, registered by update_ftrace_direct_add()
 * @hash: call sites of the functions, and the addresses that they call or, after
 *	ftrace_jmp_set(), jump to
 *
 * Without its last function, @ops is unregistered and has no filter. On return no
 * task is on its way to the addresses, unless @ops is the kernel's own static
 * data. Whether a task is still in the code there is for its owner to know.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for up to two tasks grace periods, with neither lock held.
 * Return: 0 on success; -EINVAL if @ops was not registered by
 * update_ftrace_direct_add(), or @hash is empty or has a function that does not
 * call this address for @ops; -ENOMEM if memory is short. On these errors nothing
 * changed. -ENODEV if the last function was removed after ftrace_kill().
 */
int update_ftrace_direct_del(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	struct ftrace_targets targets;
	bool stays;
	int err;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	err = is_direct(ops, true) ? ftrace_targets_of(&targets, hash) : -EINVAL;
	if (!err) {
		err = del_locked(ops, &targets);
		ftrace_targets_drop(&targets);
	}
	stays = ops->flags & FTRACE_OPS_FL_ENABLED;
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	if (!err && stays && (ops->flags & FTRACE_OPS_FL_DYNAMIC))
		ftrace_readers_wait();
	else if (!err || err == -ENODEV)
		ftrace_ops_wait(ops);
	return err;
}

static int mod_locked(struct ftrace_ops *ops, struct ftrace_targets *targets, bool *reverted)
{
	struct ftrace_filter *filter = ftrace_hook_filter(ops->hook);
	const struct ftrace_change change = {
		.hook = ops->hook, .from = filter, .to = filter, .targets = targets,
	};
	int err;

	err = ftrace_targets_keep(targets, filter->only);
	if (err || !targets->sites)
		return err;
	return ftrace_share_self(ops, targets->sites) ?: apply(&change, reverted);
}

/**
 * update_ftrace_direct_mod() - change the addresses that functions call
 * @ops: ops, registered by update_ftrace_direct_add()
 * @hash: call sites of functions, and new addresses; functions that @ops does not
 *	have are skipped
 * @do_direct_lock: false: the caller holds direct_mutex, as in @ops->ops_func()
 *
 * On return no new call goes to the old addresses. At no time does a function go
 * without its direct call.
 *
 * Context: Process context. May sleep. Takes direct_mutex unless the caller holds
 * it, and ftrace_lock. Waits for up to two tasks grace periods, without the locks
 * that it took, if it fails after text was written.
 * Return: 0 on success; -EINVAL if @ops was not registered by
 * update_ftrace_direct_add(), or @hash is empty, or has an address that is no call
 * site's, or one twice, or a target that is 0; -EBUSY if a function has an IPMODIFY
 * hook and @ops cannot share, or is off, or jumps, under a debugger's breakpoint;
 * -ENOMEM if memory is short; -ENODEV after ftrace_kill(), or if a function cannot
 * be patched, except one that was found faulty before; or the error of
 * @ops->ops_func(). On error nothing changed.
 */
int update_ftrace_direct_mod(struct ftrace_ops *ops, struct ftrace_hash *hash,
			     bool do_direct_lock)
{
	struct ftrace_targets targets;
	bool reverted = false;
	int err;

	if (do_direct_lock)
		mutex_lock(&direct_mutex);
	else if (WARN_ON_ONCE(!mutex_is_locked(&direct_mutex)))
		return -EINVAL;

	mutex_lock(&ftrace_lock);
	err = ftrace_dead();
	if (!err)
		err = is_direct(ops, true) ? ftrace_targets_of(&targets, hash) : -EINVAL;
	if (!err) {
		err = mod_locked(ops, &targets, &reverted);
		ftrace_targets_drop(&targets);
	}
	mutex_unlock(&ftrace_lock);
	if (do_direct_lock)
		mutex_unlock(&direct_mutex);
	if (reverted)
		ftrace_readers_wait();
	return err;
}

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */
