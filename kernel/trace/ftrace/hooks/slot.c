// SPDX-License-Identifier: GPL-2.0
/*
 * Filters in force.
 *
 * A filter slot holds the filter of one ops or of several that share it. Putting
 * a filter into force takes one plan, however many hooks it moves. So a hook is
 * never called for a function that neither the old nor the new filter has.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "slot.h"
#include "swap.h"

static HLIST_HEAD(slots);	/* [L] filter slots whose filter has site numbers */

/**
 * ftrace_slot_filter() - get the filter in force
 * @slot: filter slot
 *
 * Context: Process context. ftrace_lock held.
 * Return: The filter, never NULL; valid as long as the lock is held.
 */
struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot)
{
	return rcu_dereference_protected(slot->filter, lockdep_is_held(&ftrace_lock)) ?:
	       &ftrace_filter_all;
}

/**
 * ftrace_slot_filter_get() - get a reference to the filter in force
 * @slot: filter slot
 *
 * Context: Any context but NMI.
 * Return: A reference, never NULL, for ftrace_filter_put().
 */
struct ftrace_filter *ftrace_slot_filter_get(struct ftrace_filter_slot *slot)
{
	struct ftrace_filter *filter;

	rcu_read_lock();
	do {
		filter = rcu_dereference(slot->filter) ?: &ftrace_filter_all;
	} while (!ftrace_filter_is_static(filter) && !refcount_inc_not_zero(&filter->refs));
	rcu_read_unlock();

	return filter;
}

static bool means_all(const struct ftrace_filter *filter)
{
	return filter->all && !filter->except;
}

/*
 * Store a filter; consumes the reference. A filter for all functions is stored as NULL.
 * A slot is listed only while its filter has site numbers, which may have to be
 * purged. So its owner may free the slot once its filter has no site numbers.
 */
void ftrace_slot_replace(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	struct ftrace_filter *old = ftrace_slot_filter(slot);

	if (means_all(filter)) {
		ftrace_filter_put(filter);
		filter = NULL;
	}
	if (!filter || (!filter->only && !filter->except))
		hlist_del_init(&slot->listed);
	else if (hlist_unhashed(&slot->listed))
		hlist_add_head(&slot->listed, &slots);
	rcu_assign_pointer(slot->filter, filter);
	ftrace_filter_put(old);
}

static int slot_check(struct ftrace_filter_slot *slot, const struct ftrace_filter *filter)
{
	struct ftrace_ops *ops;
	int err = 0;

	hlist_for_each_entry(ops, &slot->users, user)
		err = err ?: ftrace_exclusive_check(ops, slot, filter);
	return err;
}

/*
 * Put a filter into force if the old or the new one has conditions: each of the @n
 * registered ops has a hook for each condition, so its hooks are replaced.
 */
static int slot_rehook(struct ftrace_filter_slot *slot, struct ftrace_filter *to, unsigned int n)
{
	struct ftrace_rehook *rehooks;
	struct ftrace_ops *ops;
	int err;

	rehooks = kmalloc_array(n, sizeof(*rehooks), GFP_KERNEL);
	if (!rehooks)
		return -ENOMEM;
	n = 0;
	hlist_for_each_entry(ops, &slot->users, user)
		rehooks[n++] = (struct ftrace_rehook){ .ops = ops, .filter = to };
	err = ftrace_hooks_replace(rehooks, n);
	kfree(rehooks);
	return err;
}

static int slot_plan(struct ftrace_filter_slot *slot, struct ftrace_filter *to)
{
	unsigned int n = hlist_count_nodes(&slot->users);
	struct ftrace_change *changes;
	struct ftrace_ops *ops;
	int err;

	if (!n)
		return 0;
	if (to->conds || ftrace_slot_filter(slot)->conds)
		return slot_rehook(slot, to, n);

	changes = kmalloc_array(n, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;
	n = 0;
	hlist_for_each_entry(ops, &slot->users, user)
		changes[n++] = (struct ftrace_change){
			.hook = ops->hook, .from = ftrace_hook_filter(ops->hook), .to = to,
		};
	err = ftrace_changes_apply(changes, n);
	kfree(changes);
	return err;
}

/* As ftrace_slot_set_locked(), but works also after ftrace_kill(). */
int ftrace_slot_set_always(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	int err = slot_check(slot, filter);

	if (!err)
		err = slot_plan(slot, filter);
	if (err)
		ftrace_filter_put(filter);
	else
		ftrace_slot_replace(slot, filter);
	return err;
}

/**
 * ftrace_slot_set_locked() - put a filter into force
 * @slot: filter slot
 * @filter: the filter; a reference, consumed also on error
 *
 * Applies to every ops that uses the slot, registered or not, in one plan: no hook is
 * ever called for a function that neither the old nor the new filter has.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short; -EBUSY if exclusive hooks of a
 * kind would have a function in common, or one would get a site that is off, or jumps,
 * under a foreign breakpoint; -EINVAL if an exclusive hook would get all functions,
 * exceptions or conditions, or a direct call a site without a target; -ENODEV after
 * ftrace_kill(), or if an exclusive hook would get a site that cannot be patched. On
 * error nothing changed.
 */
int ftrace_slot_set_locked(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	int err = ftrace_dead();

	lockdep_assert_held(&ftrace_lock);

	if (err) {
		ftrace_filter_put(filter);
		return err;
	}
	return ftrace_slot_set_always(slot, filter);
}

/**
 * ftrace_slot_foresee() - put a filter into force for sites that a later plan hooks
 * @slot: filter slot whose ops are not exclusive
 * @filter: the filter, without conditions; a reference, consumed. It differs from the
 *	one in force only in sites that are armed
 *
 * Writes no text. The round of ftraced that has found the sites makes a plan for them.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_slot_foresee(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	struct ftrace_ops *ops;

	lockdep_assert_held(&ftrace_lock);

	hlist_for_each_entry(ops, &slot->users, user)
		ftrace_hook_set_filter(ops->hook, filter);
	ftrace_slot_replace(slot, filter);
}

/* Remove sites from the hooks of @ops, which has a filter with conditions. */
static void purge_hooks(const struct ftrace_ops *ops, u32 first, u32 end)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		struct ftrace_filter *less;

		if (hook->ops != ops)
			continue;
		less = ftrace_filter_without(ftrace_hook_filter(hook), first, end);
		ftrace_hook_set_filter(hook, less);
		ftrace_filter_put(less);
	}
}

/**
 * ftrace_slots_purge() - remove unloaded sites from all filters in force
 * @first: number of the first site
 * @end: one past the number of the last site
 *
 * The sites call no hook any more. A filter that had no other sites becomes "no
 * function", not "all functions".
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_slots_purge(u32 first, u32 end)
{
	struct ftrace_filter_slot *slot;
	struct hlist_node *next;
	struct ftrace_ops *ops;

	lockdep_assert_held(&ftrace_lock);

	hlist_for_each_entry_safe(slot, next, &slots, listed) {
		struct ftrace_filter *less;

		less = ftrace_filter_without(ftrace_slot_filter(slot), first, end);
		hlist_for_each_entry(ops, &slot->users, user) {
			if (ftrace_slot_filter(slot)->conds)
				purge_hooks(ops, first, end);
			else
				ftrace_hook_set_filter(ops->hook, less);
		}
		ftrace_slot_replace(slot, less);
	}
}

/**
 * ftrace_slots_forget() - reset and unlist the filter slots in a module's data
 * @mod: module that is being unloaded
 *
 * For a module that has not called ftrace_free_filter(). Its slots are freed with
 * it, so none may stay listed.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_slots_forget(struct module *mod)
{
	struct ftrace_filter_slot *slot;
	struct hlist_node *next;

	lockdep_assert_held(&ftrace_lock);

	hlist_for_each_entry_safe(slot, next, &slots, listed)
		if (within_module((unsigned long)slot, mod))
			ftrace_slot_replace(slot, &ftrace_filter_all);
}

/**
 * ftrace_ops_move_locked() - move an ops to another filter slot
 * @ops: ops, registered or not
 * @slot: filter slot
 *
 * Moves its sites in one plan.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short; for an exclusive ops as
 * ftrace_slot_set_locked(), but also works after ftrace_kill(). On error nothing
 * changed.
 */
int ftrace_ops_move_locked(struct ftrace_ops *ops, struct ftrace_filter_slot *slot)
{
	struct ftrace_change change = { .hook = ops->hook, .to = ftrace_slot_filter(slot) };
	const struct ftrace_rehook rehook = { .ops = ops, .filter = change.to };
	const bool conds = change.to->conds || ftrace_slot_filter(ftrace_ops_slot(ops))->conds;
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (ops->hook) {
		change.from = ftrace_hook_filter(ops->hook);
		err = ftrace_exclusive_check(ops, slot, change.to) ?:
		      (conds ? ftrace_hooks_replace(&rehook, 1) : ftrace_changes_apply(&change, 1));
		if (err)
			return err;
		hlist_del_init(&ops->user);
		hlist_add_head(&ops->user, &slot->users);
	}
	ops->slot = slot;
	return 0;
}
