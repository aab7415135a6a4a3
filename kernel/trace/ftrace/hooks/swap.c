// SPDX-License-Identifier: GPL-2.0
/*
 * Replacing the hook of a registered ops by another one, to change what is
 * compiled into trampolines.
 */
#include <linux/slab.h>

#include "change.h"
#include "dispatch.h"
#include "ops.h"

/*
 * ->new replaces ->old, with the same place among the callbacks of a site. On
 * error ->old is as before, and ->new is retired.
 *
 * ->new follows ->old in the list, with nothing but hooks of the same ops in
 * between. So the mixed dispatcher, which meets one after the other, can treat
 * both as one: it calls ->old if that still has its filter, else ->new.
 */
struct hook_pair {
	struct ftrace_hook	*old, *new;
};

static int replace_hooks(const struct hook_pair *pairs, unsigned int nr)
{
	struct ftrace_change *changes;
	unsigned int i;
	int err = -ENOMEM;

	changes = kmalloc_array(2 * nr, sizeof(*changes), GFP_KERNEL);
	for (i = 0; i < nr; i++) {
		struct ftrace_filter *filter = ftrace_hook_filter(pairs[i].old);

		list_add_rcu(&pairs[i].new->list, &pairs[i].old->list);
		if (!changes)
			continue;
		changes[2 * i] = (struct ftrace_change){ .hook = pairs[i].old, .from = filter };
		changes[2 * i + 1] = (struct ftrace_change){ .hook = pairs[i].new, .to = filter };
	}

	if (changes)
		err = ftrace_changes_apply(changes, 2 * nr);
	for (i = 0; i < nr; i++) {
		if (!err)
			pairs[i].old->ops->hook = pairs[i].new;
		ftrace_hook_retire(err ? pairs[i].new : pairs[i].old);
	}
	kfree(changes);
	return err;
}

static bool wants_other_call(const struct ftrace_hook *hook)
{
	return (hook->ops->flags & FTRACE_OPS_FL_PID) &&
	       !(hook->need & (FTRACE_NEED_GRAPH | FTRACE_NEED_DIRECT)) &&
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
	struct hook_pair *pairs;
	unsigned int nr = 0, room = 0;
	int err = 0;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list)
		room += wants_other_call(hook);
	pairs = kcalloc(room, sizeof(*pairs), GFP_KERNEL);
	if (!pairs)
		return -ENOMEM;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!wants_other_call(hook))
			continue;
		pairs[nr].old = hook;
		pairs[nr].new = ftrace_hook_make(hook->ops, hook->order);
		if (!pairs[nr].new) {
			err = -ENOMEM;
			break;
		}
		nr++;
	}

	if (!err && nr)
		err = replace_hooks(pairs, nr);
	else
		while (nr--)
			kfree(pairs[nr].new);
	kfree(pairs);
	return err;
}
