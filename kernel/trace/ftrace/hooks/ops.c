// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of ops.
 *
 * Owners may free an ops that has no filter as soon as unregistering returns, also
 * after ftrace_kill(). An owner who has set a filter, or has given the ops a name, by
 * which users can set one, must call ftrace_free_filter() first.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "ops.h"
#include "retire.h"
#include "share.h"
#include "slot.h"
#include "swap.h"

static u64 last_order;		/* [L] */

static bool is_core_data(const void *p)
{
	unsigned long addr = (unsigned long)p;

	return (addr >= (unsigned long)_sdata && addr < (unsigned long)_edata) ||
	       (addr >= (unsigned long)__bss_start && addr < (unsigned long)__bss_stop);
}

static int check_flags(struct ftrace_ops *ops)
{
	if (WARN_ON_ONCE(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EBUSY;
	if (ops->flags & FTRACE_OPS_FL_DELETED)
		return -EINVAL;
	if (!ops->func && !(ops->flags & FTRACE_OPS_FL_DIRECT))
		return -EINVAL;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	    (ops->flags & FTRACE_OPS_FL_SAVE_REGS) &&
	    !(ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
		return -EINVAL;
	return ftrace_exclusive_check(ops, ftrace_ops_slot(ops),
				      ftrace_slot_filter(ftrace_ops_slot(ops)));
}

static void set_flags(struct ftrace_ops *ops)
{
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	    (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	if (!is_core_data(ops))
		ops->flags |= FTRACE_OPS_FL_DYNAMIC;
}

/**
 * ftrace_register_targets() - hook functions, with targets of direct calls
 * @ops: ops
 * @targets: a target for each function of its filter; NULL: @ops makes no direct
 *	calls, or has one target for all
 * @reverted: set to true if it fails after text was written: then functions may have
 *	called @ops, and the caller must call ftrace_readers_wait() without ftrace_lock.
 *	NULL for an ops that is not exclusive, which cannot fail so late
 *
 * Context: Process context. May sleep. ftrace_lock held, and direct_mutex for
 * an exclusive ops.
 * Return: As register_ftrace_function(). On error nothing changed.
 */
int ftrace_register_targets(struct ftrace_ops *ops, const struct ftrace_targets *targets,
			    bool *reverted)
{
	struct ftrace_filter_slot *slot = ftrace_ops_slot(ops);
	struct ftrace_filter *filter = ftrace_slot_filter(slot);
	const unsigned int nr = ftrace_filter_parts(filter);
	const unsigned long flags = ops->flags;
	struct ftrace_change *changes;
	struct ftrace_plan plan;
	unsigned int i;
	int err;

	lockdep_assert_held(&ftrace_lock);

	err = ftrace_dead() ?: check_flags(ops);
	if (err)
		return err;
	changes = kcalloc(nr, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;

	set_flags(ops);
	err = ftrace_hooks_make(ops, ++last_order, filter, &ftrace_hooks, changes);
	if (err < 0)
		goto out;
	changes[0].targets = targets;

	err = ftrace_plan_make(&plan, changes, nr);
	if (!err) {
		ops->hook = changes[0].hook;
		ops->flags |= FTRACE_OPS_FL_ENABLED;
		hlist_add_head(&ops->user, &slot->users);
		err = ftrace_changes_commit(changes, nr, &plan);
		if (err) {
			if (reverted)
				*reverted = true;
			hlist_del_init(&ops->user);
			ops->hook = NULL;
		}
	}
	for (i = 0; i < nr; i++) {
		ftrace_filter_put(changes[i].to);
		if (err)
			ftrace_hook_retire(changes[i].hook);
	}
out:
	if (err)
		ops->flags = flags;
	kfree(changes);
	return err;
}

/**
 * ftrace_register_locked() - hook functions
 * @ops: ops, not an exclusive one
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As register_ftrace_function(). On error nothing changed.
 */
int ftrace_register_locked(struct ftrace_ops *ops)
{
	return ftrace_register_targets(ops, NULL, NULL);
}

static void hook_leaves(struct ftrace_hook *hook)
{
	struct ftrace_change change = { .hook = hook, .from = ftrace_hook_filter(hook) };
	struct ftrace_plan plan;

	/* Commit cannot fail, because no hook is added to a site. */
	if (ftrace_plan_make(&plan, &change, 1))
		ftrace_hook_evict(hook);
	else
		ftrace_changes_commit(&change, 1, &plan);
	ftrace_hook_retire(hook);
}

/**
 * ftrace_unregister_locked() - unhook functions
 * @ops: ops
 *
 * The owner of @ops must call ftrace_ops_wait() before freeing it.
 *
 * Context: Process context. May sleep, but not for a grace period. ftrace_lock
 * held, and direct_mutex for an exclusive ops.
 * Return: 0 on success, -EBUSY if @ops was not registered, -ENODEV after
 * ftrace_kill(), with @ops unregistered, too.
 */
int ftrace_unregister_locked(struct ftrace_ops *ops)
{
	struct ftrace_hook *hook, *next;

	lockdep_assert_held(&ftrace_lock);

	if (WARN_ON_ONCE(!(ops->flags & FTRACE_OPS_FL_ENABLED)))
		return -EBUSY;
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	list_for_each_entry_safe(hook, next, &ftrace_hooks, list)
		if (hook->ops == ops)
			hook_leaves(hook);

	hlist_del_init(&ops->user);
	ops->hook = NULL;
	return ftrace_dead();
}

/**
 * ftrace_ops_wait() - wait for the callbacks of an unregistered ops
 * @ops: ops
 *
 * When this returns, no CPU and no preempted task is in the callback or about
 * to enter it. Does not wait if @ops is the kernel's own static data, or has
 * FTRACE_OPS_FL_KEPT.
 *
 * Context: Process context. May sleep. No lock of the tracer held.
 */
void ftrace_ops_wait(struct ftrace_ops *ops)
{
	if ((ops->flags & FTRACE_OPS_FL_DYNAMIC) && !(ops->flags & FTRACE_OPS_FL_KEPT))
		ftrace_retire_wait();
}

/*
 * Before an IPMODIFY hook is added, the owners of direct calls on its functions are
 * asked to share, without ftrace_lock. direct_mutex keeps @ops unchanged meanwhile;
 * but the filter may change through other users of its slot, or when a module
 * is loaded or unloaded. In that case try again.
 */
static int register_ipmodify(struct ftrace_ops *ops, bool *reverted)
{
	struct ftrace_filter *filter;
	bool same;
	int err;

	lockdep_assert_held(&direct_mutex);

	do {
		filter = ftrace_slot_filter_get(ftrace_ops_slot(ops));
		err = ftrace_share_begin(NULL, filter);
		if (err) {
			ftrace_filter_put(filter);
			return err;
		}

		mutex_lock(&ftrace_lock);
		same = filter == ftrace_slot_filter(ftrace_ops_slot(ops));
		if (same)
			err = ftrace_register_targets(ops, NULL, reverted);
		mutex_unlock(&ftrace_lock);

		if (err || !same)
			ftrace_share_end(filter, NULL);
		ftrace_filter_put(filter);
	} while (!same);

	return err;
}

/**
 * register_ftrace_function() - hook functions
 * @ops: ops; hooks the functions in its filter, or all if it has none
 *
 * Context: Process context. May sleep. Takes direct_mutex for an IPMODIFY ops,
 * and ftrace_lock. Waits for up to two tasks grace periods, with neither lock held,
 * if an IPMODIFY ops fails after text was written.
 * Return: 0 on success; -EBUSY if @ops is registered, or another hook excludes
 * it from one of its functions, or it is IPMODIFY and one of them is off, or jumps,
 * under a debugger's breakpoint; -EINVAL if it has no callback, or is IPMODIFY and
 * does not name its functions, or wants registers that the architecture does not
 * save, or has FTRACE_OPS_FL_DELETED; -ENOMEM if memory is short; -ENODEV after
 * ftrace_kill(), or if it is IPMODIFY and one of its functions cannot be patched; or
 * the error of a direct call's owner. On error nothing changed.
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	bool reverted = false;
	int err;

	if (ops->flags & FTRACE_OPS_FL_IPMODIFY) {
		mutex_lock(&direct_mutex);
		err = register_ipmodify(ops, &reverted);
		mutex_unlock(&direct_mutex);
		if (reverted)
			ftrace_readers_wait();
		return err;
	}

	mutex_lock(&ftrace_lock);
	err = ftrace_register_locked(ops);
	mutex_unlock(&ftrace_lock);
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/* Tell the owners of direct calls on its functions that an IPMODIFY hook was removed. */
static void tell_others(struct ftrace_ops *ops)
{
	struct ftrace_filter *filter = ftrace_slot_filter_get(ftrace_ops_slot(ops));

	if (!filter->all)
		ftrace_share_end(filter, NULL);
	ftrace_filter_put(filter);
}

/**
 * unregister_ftrace_function() - unhook functions
 * @ops: ops; its filter stays
 *
 * When this returns, no CPU and no preempted task is in the callback, and the
 * owner may free @ops, after ftrace_free_filter() if it can have a filter. This does
 * not hold for the kernel's own static data, and not with FTRACE_OPS_FL_KEPT.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an IPMODIFY ops,
 * and ftrace_lock. Waits with neither lock held, for a tasks grace period that
 * begins after the one that is under way, if any.
 * Return: 0 on success, -EBUSY if @ops was not registered, -ENODEV after
 * ftrace_kill(), with @ops unregistered, too.
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	const bool ipmodify = ops->flags & FTRACE_OPS_FL_IPMODIFY;
	int err;

	if (ipmodify)
		mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	err = ftrace_unregister_locked(ops);
	mutex_unlock(&ftrace_lock);
	if (ipmodify) {
		if (err != -EBUSY)
			tell_others(ops);
		mutex_unlock(&direct_mutex);
	}

	ftrace_ops_wait(ops);
	return err;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);
