// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of an ops: made for its filter, replaced by others, retired.
 *
 * What is compiled into trampolines changes by replacing hooks: when PIDs are
 * filtered from now on, and when a filter with conditions changes.
 */
#include <linux/slab.h>

#include "change.h"
#include "dispatch.h"
#include "swap.h"

static struct ftrace_hook *hook_make(struct ftrace_ops *ops, u64 order, struct ftrace_cond *cond)
{
	struct ftrace_hook *hook = kzalloc_obj(*hook);

	if (!hook)
		return NULL;

	hook->ops = ops;
	hook->order = order;
	if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
		hook->need |= FTRACE_NEED_REGS;
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY)
		hook->need |= FTRACE_NEED_IPMODIFY;
	if (ops->flags & FTRACE_OPS_FL_DIRECT)
		hook->need |= FTRACE_NEED_DIRECT;
	else
		hook->then = ftrace_ops_call(ops);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (ops->flags & FTRACE_OPS_FL_GRAPH) {
		hook->need |= FTRACE_NEED_GRAPH;
		hook->graph_slot = container_of(ops, struct fgraph_ops, ops)->idx;
	}
#endif
	hook->cond = ftrace_cond_get(cond);
	hook->call = cond ? ftrace_if_hook : hook->then;
	return hook;
}

static void hook_free(struct ftrace_retired *retired)
{
	struct ftrace_hook *hook = container_of(retired, struct ftrace_hook, retired);

	ftrace_filter_put(rcu_dereference_protected(hook->filter, true));
	ftrace_cond_put(hook->cond);
	kfree(hook);
}

/* Retire a hook that is in no combo. Trampolines and the mixed dispatcher may still use it. */
void ftrace_hook_retire(struct ftrace_hook *hook)
{
	list_del_rcu(&hook->list);
	WARN_ON_ONCE(hook->nr_combos);
	ftrace_retire(&hook->retired, hook_free);
}

/**
 * ftrace_hooks_make() - make the hooks of an ops, which are on no site yet
 * @ops: the ops
 * @order: of its registration
 * @filter: what they are for: the first for its functions without a condition, then
 *	one for each condition
 * @after: the entry of the list of hooks that they come after
 * @changes: what gives them their sites, for ftrace_filter_parts() hooks; ->to is a
 *	reference
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: How many, at least 1, or -ENOMEM. On error nothing changed.
 */
int ftrace_hooks_make(struct ftrace_ops *ops, u64 order, struct ftrace_filter *filter,
		      struct list_head *after, struct ftrace_change *changes)
{
	const unsigned int nr = ftrace_filter_parts(filter);
	unsigned int n = 0;

	while (n < nr) {
		struct ftrace_filter *part = ftrace_filter_part(filter, n);
		struct ftrace_hook *hook;

		if (IS_ERR(part))
			goto undo;
		hook = hook_make(ops, order, ftrace_filter_cond(filter, n));
		if (!hook) {
			ftrace_filter_put(part);
			goto undo;
		}
		changes[n++] = (struct ftrace_change){ .hook = hook, .to = part };
	}
	while (n--)
		list_add_rcu(&changes[n].hook->list, after);
	return nr;
undo:
	while (n--) {
		ftrace_filter_put(changes[n].to);
		hook_free(&changes[n].hook->retired);
	}
	return -ENOMEM;
}

static unsigned int hooks_of(const struct ftrace_ops *ops)
{
	struct ftrace_hook *hook;
	unsigned int n = 0;

	list_for_each_entry(hook, &ftrace_hooks, list)
		n += hook->ops == ops;
	return n;
}

/* The changes that replace the hooks of @r, the old ones first. Returns how many, or -ENOMEM. */
static int rehook(const struct ftrace_rehook *r, struct ftrace_change *changes)
{
	struct ftrace_hook *hook, *last = NULL;
	int n = 0, made;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (hook->ops != r->ops)
			continue;
		changes[n++] = (struct ftrace_change){
			.hook = hook, .from = ftrace_hook_filter(hook),
		};
		last = hook;
	}
	made = ftrace_hooks_make(r->ops, last->order, r->filter, &last->list, &changes[n]);
	return made < 0 ? made : n + made;
}

/**
 * ftrace_hooks_replace() - replace the hooks of registered ops by others, in one plan
 * @rehooks: the ops, and the filter that each has afterwards
 * @nr: how many
 *
 * The new hooks are made as ops->flags and PID filters are now. They have the same
 * place among the callbacks of a site.
 *
 * New ones follow old ones in the list, with nothing but hooks of the same ops in
 * between. So the mixed dispatcher, which meets one after the other, can treat them
 * as one: it calls an old one if that still has its filter, else a new one.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, or an error of ftrace_changes_apply(). On error nothing
 * changed.
 */
int ftrace_hooks_replace(const struct ftrace_rehook *rehooks, unsigned int nr)
{
	struct ftrace_change *changes;
	unsigned int room = 0, n = 0, i;
	int err = 0, more;

	lockdep_assert_held(&ftrace_lock);

	for (i = 0; i < nr; i++)
		room += hooks_of(rehooks[i].ops) + ftrace_filter_parts(rehooks[i].filter);
	changes = kcalloc(room, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;

	for (i = 0; i < nr && !err; i++) {
		more = rehook(&rehooks[i], &changes[n]);
		if (more < 0)
			err = more;
		else
			n += more;
	}
	if (!err)
		err = ftrace_changes_apply(changes, n);

	/* The first of the new ones is met last. */
	while (n--) {
		const bool new = changes[n].to;
		struct ftrace_hook *hook = changes[n].hook;

		ftrace_filter_put(changes[n].to);
		if (new && !err)
			hook->ops->hook = hook;
		if (new == !!err)
			ftrace_hook_retire(hook);
	}
	kfree(changes);
	return err;
}
