// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of an ops: made for its filter, replaced by others, retired.
 *
 * To change what is compiled into trampolines, hooks are replaced: when PID filtering
 * is switched on or off, and when a filter with conditions changes.
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
	hook->cond = ftrace_cond_get(cond);
	hook->call = cond ? ftrace_if_hook : hook->then;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (ops->flags & FTRACE_OPS_FL_GRAPH) {
		hook->need |= FTRACE_NEED_GRAPH;
		hook->graph_slot = container_of(ops, struct fgraph_ops, ops)->idx;
		/* The graph tracer tests PIDs itself. */
		hook->call = cond ? ftrace_graph_if_hook : ops->func;
	}
#endif
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
 * @order: the hooks' ->order
 * @filter: a filter: the first hook is for its functions without a condition, the
 *	others are for one condition each
 * @after: the entry of ftrace_hooks after which they are inserted
 * @changes: room for ftrace_filter_parts() changes; filled in with those that give the
 *	hooks their sites. The caller owns the references in ->to
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: The number of hooks, at least 1, or -ENOMEM. On error nothing changed.
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

/* Make the changes that replace @r's hooks, old ones first. Return: How many, or -ENOMEM. */
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
 * @nr: number of ops
 *
 * The new hooks follow the current ops->flags and PID filters. They keep the old
 * ones' place among the callbacks of a site.
 *
 * In ftrace_hooks, the new hooks follow the old ones, with only hooks of the same ops
 * in between. So the mixed dispatcher can treat them as one: it calls an old hook if
 * that still has its filter, else a new one.
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

	/* Backwards: the first new hook of an ops is the last to become ops->hook. */
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
