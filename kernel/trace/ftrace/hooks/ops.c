// SPDX-License-Identifier: GPL-2.0
/*
 * Registrations: which ops are hooked, on which functions, and how both change.
 *
 * Each API call makes one plan, however many hooks it moves. So no function is
 * ever traced for a hook whose filter had it neither before nor after the call.
 * Everything that can fail is done before text is written, except that an
 * exclusive hook may lose a site (see commit.c). The hooks that a plan does not
 * touch cost no time.
 *
 * Owners may free an ops as soon as unregistering returns, and may call the API
 * after ftrace_kill() and free the ops all the same.
 *
 * A hook is our registration of one ops. A filter slot, struct
 * ftrace_filter_home, holds the filter of one ops or of several that share it.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "direct.h"
#include "../sites/edit.h"
#include "../graph/slots.h"
#include "ops.h"
#include "tramp.h"

int ftrace_enabled = 1;
bool ftrace_disabled;
/* Hooks are on text. Differs from ftrace_enabled, which may be written without a lock. */
bool ftrace_text_on = true;

/* The ops of the top trace array, for ftrace=, set_ftrace_filter and current_tracer. */
struct ftrace_ops global_ops = {
	.func	= ftrace_stub,
	.flags	= FTRACE_OPS_FL_PID,
};

LIST_HEAD(ftrace_hooks);

static HLIST_HEAD(homes);	/* [L] filter slots whose filter has site numbers */
static u64 last_order;		/* [L] */

/* ---- filter slots ---- */

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
static void home_replace(struct ftrace_filter_home *home, struct ftrace_filter *filter)
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

static struct ftrace_filter *hook_filter(const struct ftrace_hook *hook)
{
	return rcu_dereference_protected(hook->filter, lockdep_is_held(&ftrace_lock));
}

static void hook_replace(struct ftrace_hook *hook, struct ftrace_filter *filter)
{
	struct ftrace_filter *old = hook_filter(hook);

	rcu_assign_pointer(hook->filter, ftrace_filter_get(filter));
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
			.hook = ops->hook, .from = hook_filter(ops->hook), .to = to,
		};
	return changes;
}

/* The mixed dispatcher reads the hooks' filters: change them with the text, not before. */
static void change_filters(const struct ftrace_change *changes, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		hook_replace(changes[i].hook, changes[i].to);
}

/*
 * Put the filters of @changes and their @plan into force, or neither. Returns 0
 * or the error of ftrace_plan_write().
 *
 * If @changes has two hooks of the same ops (see replace_hooks()), the new one
 * must be the later: it gets its filter before the old one loses its own.
 */
static int commit_changes(const struct ftrace_change *changes, unsigned int nr,
			  struct ftrace_plan *plan)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		ftrace_filter_get(changes[i].from);
	for (i = nr; i--; ) {
		hook_replace(changes[i].hook, changes[i].to);
		/*
		 * Pairs with ftrace_dispatch_mixed(): this hook's filter is
		 * visible before the hook in front of it loses its own.
		 */
		smp_wmb();
	}

	err = ftrace_plan_write(plan);
	if (err) {
		for (i = 0; i < nr; i++)
			hook_replace(changes[i].hook, changes[i].from);
		ftrace_plan_revert(plan);
	}

	ftrace_plan_drop(plan);
	for (i = 0; i < nr; i++)
		ftrace_filter_put(changes[i].from);
	return err;
}

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

/*
 * Check whether @ops may have this filter. The plan rejects hooks that exclude
 * each other at a site, but not while ftrace_enabled is 0, when no hook is on
 * any site.
 */
static int check_exclusive(const struct ftrace_ops *ops, const struct ftrace_filter *filter)
{
	struct ftrace_hook *hook;
	u16 kind = 0;

	if (ops->flags & FTRACE_OPS_FL_DIRECT)
		kind |= FTRACE_NEED_DIRECT;
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
		kind |= FTRACE_NEED_IPMODIFY;
	if (!kind)
		return 0;
	if (filter->all || filter->except)
		return -EINVAL;

	list_for_each_entry(hook, &ftrace_hooks, list)
		if (hook->ops != ops && (hook->need & kind) && meet(filter, hook_filter(hook)))
			return -EBUSY;
	return 0;
}

static int home_check(struct ftrace_filter_home *home, const struct ftrace_filter *filter)
{
	struct ftrace_ops *ops;
	int err = 0;

	hlist_for_each_entry(ops, &home->users, user)
		err = err ?: check_exclusive(ops, filter);
	return err;
}

static int home_plan(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	struct ftrace_change *changes;
	struct ftrace_plan plan;
	unsigned int nr;
	int err;

	changes = home_changes(home, filter, &nr);
	if (!changes)
		return nr ? -ENOMEM : 0;

	err = ftrace_plan_make(&plan, changes, nr) ?: commit_changes(changes, nr, &plan);
	kfree(changes);
	return err;
}

/* Works after ftrace_kill(), too. */
static int home_set(struct ftrace_filter_home *home, struct ftrace_filter *filter)
{
	int err = home_check(home, filter);

	if (!err)
		err = home_plan(home, filter);
	if (err)
		ftrace_filter_put(filter);
	else
		home_replace(home, filter);
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
	return home_set(home, filter);
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
			hook_replace(ops->hook, less);
		home_replace(home, less);
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
			home_replace(home, &ftrace_filter_all);
}

/* ---- register and unregister ---- */

static bool is_core_data(const void *p)
{
	unsigned long addr = (unsigned long)p;

	return (addr >= (unsigned long)_sdata && addr < (unsigned long)_edata) ||
	       (addr >= (unsigned long)__bss_start && addr < (unsigned long)__bss_stop);
}

static struct ftrace_hook *hook_make(struct ftrace_ops *ops, u64 order)
{
	struct ftrace_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL);

	if (!hook)
		return NULL;

	hook->ops = ops;
	hook->order = order;
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
		hook->need |= FTRACE_NEED_REGS;
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
		hook->need |= FTRACE_NEED_IPMODIFY;
	if (ops->flags & FTRACE_OPS_FL_DIRECT) {
		hook->need |= FTRACE_NEED_DIRECT;
		hook->direct = ops->direct_call;
	} else {
		hook->call = ftrace_ops_call(ops);
	}
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (ops->flags & FTRACE_OPS_FL_GRAPH) {
		hook->need |= FTRACE_NEED_GRAPH;
		hook->graph_slot = container_of(ops, struct fgraph_ops, ops)->idx;
	}
#endif
	return hook;
}

static void hook_free(void *arg)
{
	struct ftrace_hook *hook = arg;

	ftrace_filter_put(rcu_dereference_protected(hook->filter, true));
	kfree(hook);
}

/* No combo has it any more. Trampolines and the mixed dispatcher may still use it. */
static void hook_retire(struct ftrace_hook *hook)
{
	list_del_rcu(&hook->list);
	WARN_ON_ONCE(hook->nr_combos);
	ftrace_retire(hook_free, hook);
}

static int check_flags(struct ftrace_ops *ops)
{
	if (WARN_ON_ONCE(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EBUSY;
	if (ops->flags & FTRACE_OPS_FL_DELETED)
		return -EINVAL;
	if (!ops->func && !(ops->flags & FTRACE_OPS_FL_DIRECT))
		return -EINVAL;
	if ((ops->flags & FTRACE_OPS_FL_PERMANENT) && !ftrace_enabled)
		return -EBUSY;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	    (ops->flags & FTRACE_OPS_FL_SAVE_REGS) &&
	    !(ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
		return -EINVAL;
	return check_exclusive(ops, ftrace_home_filter(ftrace_ops_home(ops)));
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
 * ftrace_register_locked() - hook functions
 * @ops: ops
 *
 * Context: Process context. May sleep. ftrace_lock held, and direct_mutex for
 * an exclusive ops.
 * Return: as register_ftrace_function(). On error nothing changed.
 */
int ftrace_register_locked(struct ftrace_ops *ops)
{
	struct ftrace_filter_home *home = ftrace_ops_home(ops);
	struct ftrace_change change = { .to = ftrace_home_filter(home) };
	struct ftrace_plan plan;
	int err;

	lockdep_assert_held(&ftrace_lock);

	err = ftrace_dead() ?: check_flags(ops);
	if (err)
		return err;

	set_flags(ops);
	change.hook = hook_make(ops, ++last_order);
	if (!change.hook)
		return -ENOMEM;
	list_add_rcu(&change.hook->list, &ftrace_hooks);

	err = ftrace_plan_make(&plan, &change, 1);
	if (err) {
		hook_retire(change.hook);
		return err;
	}

	ops->saved_func = ops->func;
	ops->hook = change.hook;
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	hlist_add_head(&ops->user, &home->users);
	err = commit_changes(&change, 1, &plan);
	if (err) {
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		ops->flags |= FTRACE_OPS_FL_REVERTED;
		hlist_del_init(&ops->user);
		ops->hook = NULL;
		hook_retire(change.hook);
	}
	return err;
}

/**
 * ftrace_ops_wait_reverted() - wait for callbacks after a failed registration
 * @ops: ops whose registration has just failed
 *
 * If registering failed after text was written, some functions may have called
 * the callback: then waits as ftrace_ops_wait(), else not at all.
 *
 * Context: Process context. May sleep. No lock of the tracer held.
 */
void ftrace_ops_wait_reverted(struct ftrace_ops *ops)
{
	if (!(ops->flags & FTRACE_OPS_FL_REVERTED))
		return;
	ops->flags &= ~FTRACE_OPS_FL_REVERTED;
	ftrace_ops_wait(ops);
}

/*
 * Fill in the changes that remove these ops. Reports in *err those that are not
 * registered, and skips them. Returns the number of changes.
 */
static unsigned int going(struct ftrace_ops **ops, unsigned int nr, struct ftrace_change *changes,
			  int *err)
{
	unsigned int i, k = 0;

	for (i = 0; i < nr; i++) {
		struct ftrace_hook *hook = ops[i]->hook;

		if (WARN_ON_ONCE(!(ops[i]->flags & FTRACE_OPS_FL_ENABLED))) {
			*err = -EBUSY;
			continue;
		}
		/* An ops that is listed twice counts as not registered the second time. */
		ops[i]->flags &= ~FTRACE_OPS_FL_ENABLED;
		changes[k++] = (struct ftrace_change){ .hook = hook, .from = hook_filter(hook) };
	}
	return k;
}

/* Remove the hooks from all sites without the memory of a plan. */
static void evict(const struct ftrace_change *changes, unsigned int nr)
{
	unsigned int i;

	change_filters(changes, nr);
	for (i = 0; i < nr; i++) {
		struct ftrace_hook *hook = changes[i].hook;

		ftrace_plan_evict(&hook, 1);
	}
}

static void detach(const struct ftrace_change *changes, unsigned int nr)
{
	struct ftrace_plan plan;
	unsigned int i;

	/* No hook is added to a site, so commit cannot fail. */
	if (ftrace_plan_make(&plan, changes, nr))
		evict(changes, nr);
	else
		commit_changes(changes, nr, &plan);

	for (i = 0; i < nr; i++) {
		struct ftrace_ops *ops = changes[i].hook->ops;

		hlist_del_init(&ops->user);
		ops->hook = NULL;
		hook_retire(changes[i].hook);
	}
}

static int unregister_many_locked(struct ftrace_ops **ops, unsigned int nr)
{
	struct ftrace_change one, *changes = &one;
	unsigned int step = nr, i;
	int err = 0;

	if (nr > 1)
		changes = kvmalloc_array(nr, sizeof(*changes), GFP_KERNEL);
	if (!changes) {
		changes = &one;
		step = 1;
	}

	for (i = 0; i < nr; i += step)
		detach(changes, going(ops + i, step, changes, &err));

	if (changes != &one)
		kvfree(changes);
	/* All were detached, but report errors still. */
	return ftrace_dead() ?: err;
}

/**
 * ftrace_unregister_locked() - unhook functions
 * @ops: ops
 *
 * The owner of @ops must call ftrace_ops_wait() before freeing it.
 *
 * Context: Process context. May sleep, but not for a grace period. ftrace_lock
 * held, and direct_mutex for an exclusive ops.
 * Return: 0 on success, -EBUSY if it was not registered, -ENODEV after
 * ftrace_kill(), but unhooked.
 */
int ftrace_unregister_locked(struct ftrace_ops *ops)
{
	lockdep_assert_held(&ftrace_lock);

	return unregister_many_locked(&ops, 1);
}

/**
 * ftrace_ops_wait() - wait for the callbacks of an unregistered ops
 * @ops: ops
 *
 * When this returns, no CPU and no preempted task is in the callback or about
 * to enter it. Does not wait if @ops is the kernel's own static data, or is
 * FTRACE_OPS_FL_KEPT.
 *
 * Context: Process context. May sleep. No lock of the tracer held.
 */
void ftrace_ops_wait(struct ftrace_ops *ops)
{
	if (ftrace_ops_owed_wait(ops))
		ftrace_retire_wait();
}

/**
 * ftrace_ops_registered() - test whether an ops is registered
 * @ops: ops
 *
 * Context: Any context. The answer may be out of date unless the caller keeps
 * the owner from changing it.
 * Return: true if it is.
 */
bool ftrace_ops_registered(struct ftrace_ops *ops)
{
	return READ_ONCE(ops->flags) & FTRACE_OPS_FL_ENABLED;
}

/*
 * Before an IPMODIFY hook is added, the owners of direct calls on its functions
 * are asked, without ftrace_lock. direct_mutex keeps this ops unchanged
 * meanwhile; but it may share its filter slot, and modules may be loaded or
 * unloaded. If the filter has changed, try again.
 */
static int register_ipmodify(struct ftrace_ops *ops)
{
	struct ftrace_filter *filter;
	bool same;
	int err;

	lockdep_assert_held(&direct_mutex);

	do {
		filter = ftrace_home_filter_get(ftrace_ops_home(ops));
		err = ftrace_share_begin(NULL, filter);
		if (err) {
			ftrace_filter_put(filter);
			return err;
		}

		mutex_lock(&ftrace_lock);
		same = filter == ftrace_home_filter(ftrace_ops_home(ops));
		if (same)
			err = ftrace_register_locked(ops);
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
 * and ftrace_lock.
 * Return: 0 on success; -EBUSY if it is registered, or is PERMANENT while the
 * sysctl kernel.ftrace_enabled is 0, or another hook excludes it from one of
 * its functions, or it is IPMODIFY and one of them has a debugger's breakpoint;
 * -EINVAL if it has no callback, or is IPMODIFY without naming its functions,
 * or wants registers that the architecture does not save, or its owner is being
 * deleted; -ENOMEM if memory is short; -ENODEV after ftrace_kill(), or if it is
 * IPMODIFY and one of its functions cannot be patched; or the error of a direct
 * call's owner. On error nothing changed.
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	int err;

	if (ops->flags & FTRACE_OPS_FL_IPMODIFY) {
		mutex_lock(&direct_mutex);
		err = register_ipmodify(ops);
		mutex_unlock(&direct_mutex);
		ftrace_ops_wait_reverted(ops);
		return err;
	}

	mutex_lock(&ftrace_lock);
	err = ftrace_register_locked(ops);
	mutex_unlock(&ftrace_lock);
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/* Tell the owners of direct calls on the functions that IPMODIFY hooks have left. */
static void tell_others(struct ftrace_ops **ops, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct ftrace_filter *filter;

		if (!(ops[i]->flags & FTRACE_OPS_FL_IPMODIFY))
			continue;
		filter = ftrace_home_filter_get(ftrace_ops_home(ops[i]));
		if (!filter->all)
			ftrace_share_end(filter, NULL);
		ftrace_filter_put(filter);
	}
}

/**
 * unregister_ftrace_function() - unhook functions
 * @ops: ops; its filter stays
 *
 * When this returns, no CPU and no preempted task is in the callback, and the
 * owner may free @ops. This does not hold for the kernel's own static data and
 * for FTRACE_OPS_FL_KEPT.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an IPMODIFY ops,
 * and ftrace_lock. Waits for at most one pair of grace periods, with neither
 * lock held.
 * Return: 0 on success, -EBUSY if it was not registered, -ENODEV after
 * ftrace_kill(), but unhooked.
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	return unregister_ftrace_functions(&ops, 1);
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

/**
 * unregister_ftrace_functions() - unhook functions of several ops at once
 * @ops: array of ops; their filters stay
 * @nr: number of elements in @ops
 *
 * As unregister_ftrace_function() for each, with one plan and one wait.
 *
 * Context: Process context. May sleep. Takes direct_mutex if one is IPMODIFY,
 * and ftrace_lock. Waits for at most one pair of grace periods, with neither
 * lock held.
 * Return: 0 on success, -EBUSY if one was not registered, -ENODEV after
 * ftrace_kill(). All that were registered are unhooked in any case.
 */
int unregister_ftrace_functions(struct ftrace_ops **ops, unsigned int nr)
{
	bool ipmodify = false, wait = false;
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		ipmodify |= ops[i]->flags & FTRACE_OPS_FL_IPMODIFY;

	if (ipmodify)
		mutex_lock(&direct_mutex);
	mutex_lock(&ftrace_lock);
	err = unregister_many_locked(ops, nr);
	mutex_unlock(&ftrace_lock);
	for (i = 0; i < nr; i++)
		wait |= ftrace_ops_owed_wait(ops[i]);
	if (ipmodify) {
		tell_others(ops, nr);
		mutex_unlock(&direct_mutex);
	}

	if (wait)
		ftrace_retire_wait();
	return err;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_functions);

/* ---- replacing the hook of a registered ops ---- */

/*
 * @new replaces @old, with the same place among the callbacks of a site. On
 * error @old is as before, and @new is retired.
 *
 * @new follows @old in the list, with nothing but hooks of the same ops in
 * between. So the mixed dispatcher, which meets them one after the other, can
 * treat them as one: it calls @old if that still has its filter, else @new.
 */
struct swap {
	struct ftrace_hook	*old, *new;
};

static int replace_hooks(const struct swap *swaps, unsigned int nr)
{
	struct ftrace_change *changes;
	struct ftrace_plan plan;
	unsigned int i;
	int err = -ENOMEM;

	changes = kmalloc_array(2 * nr, sizeof(*changes), GFP_KERNEL);
	for (i = 0; i < nr; i++) {
		struct ftrace_filter *filter = hook_filter(swaps[i].old);

		list_add_rcu(&swaps[i].new->list, &swaps[i].old->list);
		if (!changes)
			continue;
		changes[2 * i] = (struct ftrace_change){ .hook = swaps[i].old, .from = filter };
		changes[2 * i + 1] = (struct ftrace_change){ .hook = swaps[i].new, .to = filter };
	}

	if (changes)
		err = ftrace_plan_make(&plan, changes, 2 * nr) ?:
		      commit_changes(changes, 2 * nr, &plan);
	for (i = 0; i < nr; i++) {
		if (!err)
			swaps[i].old->ops->hook = swaps[i].new;
		hook_retire(err ? swaps[i].new : swaps[i].old);
	}
	kfree(changes);
	return err;
}

/**
 * ftrace_redirect_locked() - change the target of a direct call
 * @ops: registered ops; gets a new hook
 * @direct: address of the new target
 *
 * Context: Process context. May sleep. direct_mutex and ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short, -ENODEV if one of its
 * functions cannot be patched. On error nothing changed.
 */
int ftrace_redirect_locked(struct ftrace_ops *ops, unsigned long direct)
{
	unsigned long before = ops->direct_call;
	struct swap swap = { .old = ops->hook };
	int err;

	lockdep_assert_held(&ftrace_lock);

	ops->direct_call = direct;
	swap.new = hook_make(ops, ops->hook->order);
	err = swap.new ? replace_hooks(&swap, 1) : -ENOMEM;
	if (err)
		ops->direct_call = before;
	return err;
}

static bool wants_other_call(const struct ftrace_hook *hook)
{
	return (hook->ops->flags & FTRACE_OPS_FL_PID) && !(hook->need & FTRACE_NEED_GRAPH) &&
	       hook->call != ftrace_ops_call(hook->ops);
}

/**
 * ftrace_update_pid_hooks() - add or remove the PID test before callbacks
 *
 * Called after PID filtering was switched on or off. Each registered ops with
 * FTRACE_OPS_FL_PID gets a new hook if it needs one.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_update_pid_hooks(void)
{
	struct ftrace_hook *hook;
	struct swap *swaps;
	unsigned int nr = 0, room = 0;
	int err = 0;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list)
		room += wants_other_call(hook);
	swaps = kcalloc(room, sizeof(*swaps), GFP_KERNEL);
	if (!swaps)
		return -ENOMEM;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!wants_other_call(hook))
			continue;
		swaps[nr].old = hook;
		swaps[nr].new = hook_make(hook->ops, hook->order);
		if (!swaps[nr].new) {
			err = -ENOMEM;
			break;
		}
		nr++;
	}

	if (!err && nr)
		err = replace_hooks(swaps, nr);
	else
		while (nr--)
			kfree(swaps[nr].new);
	kfree(swaps);
	if (!err)
		fgraph_update_pid();
	return err;
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
	struct ftrace_plan plan;
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (ops->hook) {
		change.from = hook_filter(ops->hook);
		err = ftrace_plan_make(&plan, &change, 1) ?: commit_changes(&change, 1, &plan);
		if (err)
			return err;
		hlist_del_init(&ops->user);
		hlist_add_head(&ops->user, &home->users);
	}
	ops->home = home;
	return 0;
}

/* ---- filters as set through the API ---- */

/* The arguments of an API call. */
struct wish {
	const char		*word;		/* a pattern, or */
	const unsigned long	*ips;		/* addresses */
	unsigned int		len;
	bool			except;
	bool			remove;
	bool			reset;
};

static int find_sites(const struct wish *wish, struct ftrace_siteset **set)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_site_block *b;
	unsigned int k;
	u32 i;
	int err = 0;

	for (k = 0; k < wish->len && !err; k++) {
		unsigned long ip = ftrace_location(wish->ips[k]);

		b = ip ? ftrace_site_find_exact(ip, &i) : NULL;
		err = b ? ftrace_siteset_add(&found, ftrace_site_nr(b, i)) : -EINVAL;
	}
	if (err) {
		ftrace_siteset_drop(&found);
		return err;
	}
	*set = ftrace_siteset_build(&found);
	return PTR_ERR_OR_ZERO(*set);
}

/* True if all of @less is in @more. */
static bool is_subset(struct ftrace_siteset *less, struct ftrace_siteset *more)
{
	u32 nr;

	ftrace_siteset_for_each(less, nr)
		if (!ftrace_siteset_has(more, nr))
			return false;
	return true;
}

/*
 * True if @wish removes the one site in @set. Owners do that just before they
 * free the ops, and rely on it: so it must not need memory.
 */
static bool is_last(struct ftrace_siteset *set, const struct wish *wish)
{
	struct ftrace_site_block *b;
	unsigned long ip;
	u32 i;

	if (ftrace_siteset_count(set) != 1 || wish->len != 1)
		return false;
	ip = ftrace_location(wish->ips[0]);
	b = ip ? ftrace_site_find_exact(ip, &i) : NULL;
	return b && ftrace_siteset_has(set, ftrace_site_nr(b, i));
}

/* After ftrace_kill() functions can be removed but not added. True if @wish adds none. */
static bool only_leaves(struct ftrace_ops *ops, const struct wish *wish)
{
	if (wish->remove)
		return true;
	/* Naming no function means all functions: fine only if no ops uses the slot. */
	return wish->reset && !wish->ips && !(wish->word && wish->len) &&
	       hlist_empty(&ftrace_ops_home(ops)->users);
}

static struct ftrace_filter *edit_by_ips(struct ftrace_filter *old, const struct wish *wish,
					 bool none)
{
	struct ftrace_siteset *base = wish->reset ? NULL : old->only;
	struct ftrace_siteset *given, *set;
	int err;

	if (wish->remove && is_last(base, wish))
		return ftrace_edit_filter(old, NULL, false, none);

	err = find_sites(wish, &given);
	if (err)
		return ERR_PTR(err);

	if (!wish->remove)
		set = ftrace_siteset_or(base, given);
	else if (is_subset(given, base))
		set = ftrace_siteset_minus(base, given);
	else
		set = ERR_PTR(-ENOENT);
	ftrace_siteset_put(given);

	return IS_ERR(set) ? ERR_CAST(set) : ftrace_edit_filter(old, set, false, none);
}

static struct ftrace_filter *edit(struct ftrace_ops *ops, const struct wish *wish)
{
	struct ftrace_filter *old = ftrace_home_filter(ftrace_ops_home(ops));
	/* An exclusive ops must name its functions: without its last one it has none. */
	bool none = ops->hook && ftrace_ops_exclusive(ops);

	if (wish->ips)
		return edit_by_ips(old, wish, none);
	return ftrace_filter_edit(old, wish->word, wish->len, wish->except, wish->reset);
}

static int set_filter_locked(struct ftrace_ops *ops, const struct wish *wish)
{
	struct ftrace_filter *filter;
	int err = 0;

	if (ftrace_dead() && !only_leaves(ops, wish))
		return -ENODEV;
	filter = edit(ops, wish);
	if (IS_ERR(filter))
		return PTR_ERR(filter);

	if (ops->hook && (ops->flags & FTRACE_OPS_FL_DIRECT))
		err = ftrace_share_self(ops, filter);
	if (err) {
		ftrace_filter_put(filter);
		return err;
	}
	return home_set(ftrace_ops_home(ops), filter);
}

/*
 * For a registered IPMODIFY ops: the owners of direct calls on functions that
 * it gets are asked before, without ftrace_lock; those on functions that it
 * leaves are told after.
 */
static int set_filter_ipmodify(struct ftrace_ops *ops, const struct wish *wish)
{
	struct ftrace_filter_home *home = ftrace_ops_home(ops);
	struct ftrace_filter *old, *new;
	u64 generation;
	bool same;
	int err;

	lockdep_assert_held(&direct_mutex);

	do {
		mutex_lock(&ftrace_lock);
		generation = ftrace_site_generation;
		old = ftrace_filter_get(ftrace_home_filter(home));
		new = ftrace_dead() && !only_leaves(ops, wish) ? ERR_PTR(-ENODEV) :
		      edit(ops, wish);
		mutex_unlock(&ftrace_lock);

		err = PTR_ERR_OR_ZERO(new) ?: ftrace_share_begin(old, new);
		if (err) {
			if (!IS_ERR(new))
				ftrace_filter_put(new);
			ftrace_filter_put(old);
			return err;
		}

		mutex_lock(&ftrace_lock);
		same = generation == ftrace_site_generation && old == ftrace_home_filter(home);
		if (same)
			err = home_set(home, ftrace_filter_get(new));
		mutex_unlock(&ftrace_lock);

		if (same && !err)
			ftrace_share_end(old, new);
		else
			ftrace_share_end(new, old);
		ftrace_filter_put(new);
		ftrace_filter_put(old);
	} while (!same);

	return err;
}

static int set_filter(struct ftrace_ops *ops, const struct wish *wish)
{
	const bool exclusive = ftrace_ops_exclusive(ops);
	int err;

	if (wish->except && exclusive)
		return -EINVAL;

	if (exclusive)
		mutex_lock(&direct_mutex);
	if ((ops->flags & FTRACE_OPS_FL_IPMODIFY) && ftrace_ops_registered(ops)) {
		err = set_filter_ipmodify(ops, wish);
	} else {
		mutex_lock(&ftrace_lock);
		err = set_filter_locked(ops, wish);
		mutex_unlock(&ftrace_lock);
	}
	if (exclusive)
		mutex_unlock(&direct_mutex);
	return err;
}

/**
 * ftrace_set_filter_ip() - add or remove a function by address
 * @ops: ops, registered or not
 * @ip: address of the function, or of the call in it
 * @remove: not 0: remove it
 * @reset: not 0: start from an empty filter
 *
 * Without its last function an ops is for all functions, but a registered
 * exclusive one for none. Removing the last one from an ops that is not
 * registered cannot fail for lack of memory or after ftrace_kill(); the ops can
 * be freed then.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: 0 on success; -EINVAL if there is no function that can be traced;
 * -ENOENT if it is to be removed but not in the filter; -ENOMEM if memory is
 * short; -EBUSY if another hook excludes it, or @ops is exclusive and
 * registered and the function has a debugger's breakpoint; -ENODEV after
 * ftrace_kill() unless it only removes functions, or if @ops is exclusive and
 * registered and the function cannot be patched; or the error of a direct
 * call's owner. On error nothing changed.
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/**
 * ftrace_set_filter_ips() - add or remove functions by address
 * @ops: ops, registered or not
 * @ips: addresses of the functions, or of the calls in them
 * @cnt: number of elements in @ips
 * @remove: not 0: remove them
 * @reset: not 0: start from an empty filter
 *
 * Applies to all of them or to none.
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: as ftrace_set_filter_ip(). On error nothing changed.
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset)
{
	const struct wish wish = { .ips = ips, .len = cnt, .remove = remove, .reset = reset };

	return set_filter(ops, &wish);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter() - add or remove functions by name
 * @ops: ops, registered or not
 * @buf: a name or a pattern, with '!' in front to remove its functions; a
 *	number is a line of available_filter_functions. NULL: none
 * @len: length of @buf in bytes
 * @reset: not 0: start from an empty filter
 *
 * Context: Process context. May sleep. Takes direct_mutex for an exclusive ops,
 * and ftrace_lock.
 * Return: 0 on success; -EINVAL if nothing matches; else as
 * ftrace_set_filter_ip(). An ops that is not registered and has no exceptions
 * can be reset to all functions without memory, and after ftrace_kill(). On
 * error nothing changed.
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	const struct wish wish = { .word = buf, .len = len, .reset = reset };

	return set_filter(ops, &wish);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace() - add functions to a filter's exceptions, or remove them
 * @ops: ops, registered or not; not an exclusive one
 * @buf: a name or a pattern, as for ftrace_set_filter(). NULL: none
 * @len: length of @buf in bytes
 * @reset: not 0: start without exceptions
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 * Return: 0 on success; -EINVAL if nothing matches or @ops is exclusive;
 * -ENOMEM if memory is short; -ENODEV after ftrace_kill(). On error nothing
 * changed.
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	const struct wish wish = { .word = buf, .len = len, .except = true, .reset = reset };

	return set_filter(ops, &wish);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/**
 * ftrace_set_global_filter() - change the filter of the top trace array
 * @buf: a name or a pattern, as for ftrace_set_filter()
 * @len: length of @buf in bytes
 * @reset: not 0: start from an empty filter
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	ftrace_set_filter(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

/**
 * ftrace_set_global_notrace() - change the exceptions of the top trace array
 * @buf: a name or a pattern, as for ftrace_set_filter()
 * @len: length of @buf in bytes
 * @reset: not 0: start without exceptions
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	ftrace_set_notrace(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_ops_set_global_filter() - share the filter slot of the top trace array
 * @ops: ops that has no filter yet and is not registered
 *
 * Context: Process context.
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (WARN_ON_ONCE(ftrace_ops_registered(ops)))
		return;
	ops->home = &global_ops.own;
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);

/**
 * ftrace_free_filter() - reset an ops's own filter to all functions
 * @ops: ops that is not registered; it may be freed afterwards
 *
 * A filter that it shares with others stays.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	mutex_lock(&ftrace_lock);
	if (!WARN_ON_ONCE(ops->hook))
		home_replace(&ops->own, &ftrace_filter_all);
	mutex_unlock(&ftrace_lock);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);

/**
 * ftrace_ops_filter_count() - get the number of functions that a filter names
 * @ops: ops
 *
 * Context: Process context. Takes no lock.
 * Return: the number; 0 also for all functions.
 */
unsigned int ftrace_ops_filter_count(struct ftrace_ops *ops)
{
	struct ftrace_filter *filter = ftrace_home_filter_get(ftrace_ops_home(ops));
	unsigned int nr = ftrace_siteset_count(filter->only);

	ftrace_filter_put(filter);
	return nr;
}
