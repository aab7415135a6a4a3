// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: the API to make functions call an address without a callback.
 */
#include <linux/export.h>
#include <linux/ftrace.h>

#include "change.h"
#include "ops.h"
#include "share.h"
#include "slot.h"

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

static int share_self(struct ftrace_ops *ops)
{
	return ftrace_share_self(ops, ftrace_slot_filter(ftrace_ops_slot(ops)));
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
 * registered, or if @addr is 0; -EBUSY if a function has a direct call or a
 * debugger's breakpoint, or an IPMODIFY hook and @ops cannot share; -ENOMEM if
 * memory is short; -ENODEV after ftrace_kill(), or if a function cannot be
 * patched; or the error of @ops->ops_func(). On error nothing changed.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	unsigned long flags = ops->flags;
	int err;

	if (ops->func || !addr || (flags & FTRACE_OPS_FL_ENABLED))
		return -EINVAL;

	mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	ops->flags |= FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_REGS;
	ops->direct_call = addr;
	err = ftrace_dead() ?: share_self(ops) ?: ftrace_register_locked(ops);
	if (err) {
		ops->flags = flags | (ops->flags & FTRACE_OPS_FL_REVERTED);
		ops->direct_call = 0;
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&direct_mutex);
	ftrace_ops_wait_reverted(ops);
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

/**
 * unregister_ftrace_direct() - stop functions from calling @addr directly
 * @ops: ops
 * @addr: address that @ops was registered with
 * @free_filters: also reset its filter
 *
 * On return no task is on its way to @addr, unless @ops is the kernel's own
 * static data. The owner of the code at @addr must know whether a task is still
 * in it.
 *
 * Context: Process context. May sleep. Takes direct_mutex and ftrace_lock.
 * Waits for at most one pair of grace periods, with neither lock held.
 * Return: 0 on success, -EINVAL if @ops was not registered by
 * register_ftrace_direct(), -ENODEV after ftrace_kill(), unhooked all the same.
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

/* Give all functions of @ops the target @addr. On error nothing changed. */
static int redirect(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_filter *filter = ftrace_hook_filter(ops->hook);
	const struct ftrace_change change = { .hook = ops->hook, .from = filter, .to = filter };
	const unsigned long before = ops->direct_call;
	int err;

	ops->direct_call = addr;
	err = ftrace_changes_apply(&change, 1);
	if (err)
		ops->direct_call = before;
	return err;
}

/**
 * modify_ftrace_direct_nolock() - change the address of a direct call
 * @ops: ops
 * @addr: the new address
 *
 * On return no new call goes to the old address. At no time does a function go
 * without its direct call.
 *
 * Context: Process context. May sleep. direct_mutex held. Takes ftrace_lock.
 * Return: 0 on success; -EINVAL if @ops is not registered by
 * register_ftrace_direct() or @addr is 0; -EBUSY if a function has an IPMODIFY
 * hook and @ops cannot share, or is off under a debugger's breakpoint; -ENOMEM
 * if memory is short; -ENODEV after ftrace_kill(), or if a function cannot be
 * patched; or the error of @ops->ops_func(). On error nothing changed.
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	int err;

	if (WARN_ON_ONCE(!mutex_is_locked(&direct_mutex)))
		return -EINVAL;
	if (!is_direct(ops) || !addr)
		return -EINVAL;

	mutex_lock(&ftrace_lock);
	err = ftrace_dead() ?: share_self(ops) ?: redirect(ops, addr);
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
