// SPDX-License-Identifier: GPL-2.0
/*
 * Put changes of hooks' filters into force: the filters together with the plan
 * that is made from them.
 *
 * The mixed dispatcher reads the filters. So they are changed after the plan is
 * made, just before text is written, and changed back if writing fails: a site of
 * an exclusive hook may turn out to be unpatchable (see commit.c). Nothing else can
 * fail by then. Hooks without a change are not visited. Targets of direct calls
 * change before the filters, so that a dispatcher that finds a direct hook's site in
 * its filter finds the site's target, too.
 */
#include "change.h"
#include "hooked.h"
#include "target_sets.h"

/*
 * Publish a filter for the mixed dispatcher. Takes a reference. ftrace_lock held.
 *
 * A CPU that reads the filter must also see the targets of direct calls that it needs,
 * and the filters that were published before it. The release in rcu_assign_pointer()
 * pairs with smp_rmb() in go_direct(), ftrace_dispatch_mixed() and mixed_graph().
 */
void ftrace_hook_set_filter(struct ftrace_hook *hook, struct ftrace_filter *filter)
{
	struct ftrace_filter *old = ftrace_hook_filter(hook);

	rcu_assign_pointer(hook->filter, ftrace_filter_get(filter));
	ftrace_filter_put(old);
}

/**
 * ftrace_changes_commit() - put changes and their plan into force, or neither
 * @changes: the changes
 * @nr: number of changes
 * @plan: as made by ftrace_plan_make() from @changes; empty afterwards
 *
 * If @changes has several hooks of the same ops (see swap.c), the new ones must come
 * after the old ones: filters are published from the last to the first, so that new
 * hooks get theirs before old hooks lose theirs.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, or the error of ftrace_plan_write(). On error nothing
 * changed.
 */
int ftrace_changes_commit(const struct ftrace_change *changes, unsigned int nr,
			  struct ftrace_plan *plan)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		ftrace_filter_get(changes[i].from);
	ftrace_targets_swap(plan->staged);
	for (i = nr; i--; )
		ftrace_hook_set_filter(changes[i].hook, changes[i].to);

	err = ftrace_plan_write(plan);
	if (err) {
		for (i = 0; i < nr; i++)
			ftrace_hook_set_filter(changes[i].hook, changes[i].from);
		ftrace_targets_revert(plan->staged, plan->had);
		ftrace_plan_revert(plan);
	}

	ftrace_plan_drop(plan);
	for (i = 0; i < nr; i++)
		ftrace_filter_put(changes[i].from);
	if (!err)
		ftrace_tell_hooked(changes, nr);
	return err;
}

/**
 * ftrace_changes_apply() - plan changes and put them into force
 * @changes: the changes, at most one for each hook
 * @nr: number of changes
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, or the error of ftrace_plan_make() or
 * ftrace_plan_write(). On error nothing changed.
 */
int ftrace_changes_apply(const struct ftrace_change *changes, unsigned int nr)
{
	struct ftrace_plan plan;

	return ftrace_plan_make(&plan, changes, nr) ?:
	       ftrace_changes_commit(changes, nr, &plan);
}

/**
 * ftrace_hook_evict() - remove a hook from all sites, even if memory is short
 * @hook: the hook
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_hook_evict(struct ftrace_hook *hook)
{
	struct ftrace_site_block *b;

	ftrace_hook_set_filter(hook, NULL);
	list_for_each_entry(b, &ftrace_site_blocks, list)
		ftrace_commit_block(b, true);
	ftrace_tell_hooked(&(struct ftrace_change){ .hook = hook }, 1);
}
