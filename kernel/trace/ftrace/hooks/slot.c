// SPDX-License-Identifier: GPL-2.0
/*
 * Filters in force.
 *
 * A filter slot holds the filter of one ops or of several that share it. Putting
 * a filter into force makes one plan, however many hooks it moves. So no
 * function is ever traced for a hook whose filter had it neither before nor
 * after the call.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "change.h"
#include "share.h"
#include "slot.h"

static HLIST_HEAD(homes);	/* [L] filter slots whose filter has site numbers */

/**
 * ftrace_ops_home() - get the filter slot of an ops
 * @ops: ops
 *
 * Context: Any context.
 * Return: its own slot, or the one it shares (ftrace_ops_set_global_filter(),
 * fgraph_init_ops()).
 */
struct ftrace_filter_home *ftrace_ops_home(struct ftrace_ops *ops)
{
	return ops->home ?: &ops->own;
}

/**
 * ftrace_home_filter() - get the filter in force
 * @home: filter slot
 *
 * Context: Process context. ftrace_lock held.
 * Return: the filter, never NULL; valid as long as the lock is held.
 */
struct ftrace_filter *ftrace_home_filter(struct ftrace_filter_home *home)
{
	return rcu_dereference_protected(home->filter, lockdep_is_held(&ftrace_lock)) ?:
	       &ftrace_filter_all;
}

/**
 * ftrace_home_filter_get() - get a reference to the filter in force
 * @home: filter slot
 *
 * Context: Any context but NMI.
 * Return: a reference, never NULL, for ftrace_filter_put().
 */
struct ftrace_filter *ftrace_home_filter_get(struct ftrace_filter_home *home)
{
	struct ftrace_filter *filter;

	rcu_read_lock();
	do {
		filter = rcu_dereference(home->filter) ?: &ftrace_filter_all;
	} while (!ftrace_filter_is_static(filter) && !refcount_inc_not_zero(&filter->refs));
	rcu_read_unlock();

	return filter;
}

static bool means_all(const struct ftrace_filter *filter)
{
	return filter->all && !filter->except;
}

/*
 * Consumes the reference. A match-all filter is stored as NULL. A slot is
 * listed only while its filter has site numbers, which may have to be purged:
 * its owner may free it once all functions have been taken out.
 */
void ftrace_home_replace(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	struct ftrace_filter *old = ftrace_home_filter(home);

	if (means_all(filter)) {
		ftrace_filter_put(filter);
		filter = NULL;
	}
	if (!filter || (!filter->only && !filter->except))
		hlist_del_init(&home->listed);
	else if (hlist_unhashed(&home->listed))
		hlist_add_head(&home->listed, &homes);
	rcu_assign_pointer(home->filter, filter);
	ftrace_filter_put(old);
}

/* One change for each registered ops of @home. NULL: there are none, or no memory. */
static struct ftrace_change *home_changes(struct ftrace_filter_home *home,
					  struct ftrace_filter *to, unsigned int *nr)
{
	struct ftrace_change *changes;
	struct ftrace_ops *ops;
	unsigned int n = 0;

	hlist_for_each_entry(ops, &home->users, user)
		n++;
	*nr = n;
	if (!n)
		return NULL;

	changes = kmalloc_array(n, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return NULL;

	n = 0;
	hlist_for_each_entry(ops, &home->users, user)
		changes[n++] = (struct ftrace_change){
			.hook = ops->hook, .from = ftrace_hook_filter(ops->hook), .to = to,
		};
	return changes;
}

static int home_check(struct ftrace_filter_home *home, const struct ftrace_filter *filter)
{
	struct ftrace_ops *ops;
	int err = 0;

	hlist_for_each_entry(ops, &home->users, user)
		err = err ?: ftrace_share_check(ops, filter);
	return err;
}

static int home_plan(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	struct ftrace_change *changes;
	unsigned int nr;
	int err;

	changes = home_changes(home, filter, &nr);
	if (!changes)
		return nr ? -ENOMEM : 0;

	err = ftrace_changes_apply(changes, nr);
	kfree(changes);
	return err;
}

/* As ftrace_home_set_locked(), also after ftrace_kill(). */
int ftrace_home_set_always(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	int err = home_check(home, filter);

	if (!err)
		err = home_plan(home, filter);
	if (err)
		ftrace_filter_put(filter);
	else
		ftrace_home_replace(home, filter);
	return err;
}

/**
 * ftrace_home_set_locked() - put a filter into force
 * @home: filter slot
 * @filter: the filter; a reference, consumed also on error
 *
 * Applies to every ops of the slot, registered or not, in one plan: no function
 * that neither the old nor the new filter has is ever called.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short; -EBUSY if exclusive hooks
 * would meet, or one would get a site that is off and has a foreign breakpoint;
 * -EINVAL if an exclusive hook would get all functions or exceptions; -ENODEV
 * after ftrace_kill(), or if an exclusive hook would get a site that cannot be
 * patched. On error nothing changed.
 */
int ftrace_home_set_locked(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	int err = ftrace_dead();

	lockdep_assert_held(&ftrace_lock);

	if (err) {
		ftrace_filter_put(filter);
		return err;
	}
	return ftrace_home_set_always(home, filter);
}

/**
 * ftrace_home_set() - put a filter into force
 * @home: filter slot
 * @filter: the filter; a reference, consumed also on error
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 * Return: as ftrace_home_set_locked(). On error nothing changed.
 */
int ftrace_home_set(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	int err;

	mutex_lock(&ftrace_lock);
	err = ftrace_home_set_locked(home, filter);
	mutex_unlock(&ftrace_lock);
	return err;
}

/**
 * ftrace_homes_purge() - remove sites that are unloaded from all filters
 * @first: number of the first site
 * @end: one past the number of the last site
 *
 * The sites call no hook any more. A filter that had no other sites has none
 * from now on; it does not become "all".
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_homes_purge(u32 first, u32 end)
{
	struct ftrace_filter_home *home;
	struct hlist_node *next;
	struct ftrace_ops *ops;

	lockdep_assert_held(&ftrace_lock);

	hlist_for_each_entry_safe(home, next, &homes, listed) {
		struct ftrace_filter *less;

		less = ftrace_filter_without(ftrace_home_filter(home), first, end);
		hlist_for_each_entry(ops, &home->users, user)
			ftrace_hook_set_filter(ops->hook, less);
		ftrace_home_replace(home, less);
	}
}

/**
 * ftrace_homes_forget() - empty the filter slots in a module's data
 * @mod: module that is unloaded
 *
 * Their owner should have called ftrace_free_filter(). Nothing may point to the
 * slots after this.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_homes_forget(struct module *mod)
{
	struct ftrace_filter_home *home;
	struct hlist_node *next;

	lockdep_assert_held(&ftrace_lock);

	hlist_for_each_entry_safe(home, next, &homes, listed)
		if (within_module((unsigned long)home, mod))
			ftrace_home_replace(home, &ftrace_filter_all);
}

/**
 * ftrace_ops_rehome_locked() - move an ops to another filter slot
 * @ops: ops, registered or not
 * @home: filter slot
 *
 * Moves its sites in one plan.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short; -EBUSY if exclusive hooks
 * would meet; for an exclusive ops as ftrace_home_set_locked(). On error
 * nothing changed.
 */
int ftrace_ops_rehome_locked(struct ftrace_ops *ops, struct ftrace_filter_home *home)
{
	struct ftrace_change change = { .hook = ops->hook, .to = ftrace_home_filter(home) };
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (ops->hook) {
		change.from = ftrace_hook_filter(ops->hook);
		err = ftrace_changes_apply(&change, 1);
		if (err)
			return err;
		hlist_del_init(&ops->user);
		hlist_add_head(&ops->user, &home->users);
	}
	ops->home = home;
	return 0;
}
