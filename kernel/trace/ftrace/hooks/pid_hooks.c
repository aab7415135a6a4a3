// SPDX-License-Identifier: GPL-2.0
/*
 * The PID test before callbacks: there if PIDs are filtered, else not.
 */
#include <linux/slab.h>

#include "dispatch.h"
#include "ops.h"
#include "slot.h"
#include "swap.h"

static bool wants_other_call(const struct ftrace_hook *hook)
{
	/* Look at one hook of each ops only. */
	return hook == hook->ops->hook && (hook->ops->flags & FTRACE_OPS_FL_PID) &&
	       !(hook->need & (FTRACE_NEED_GRAPH | FTRACE_NEED_DIRECT)) &&
	       hook->then != ftrace_ops_call(hook->ops);
}

/**
 * ftrace_update_pid_hooks() - add or remove the PID test before callbacks
 *
 * Called after PID filtering was switched on or off. Each registered ops with
 * FTRACE_OPS_FL_PID gets new hooks if it needs them.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_update_pid_hooks(void)
{
	struct ftrace_rehook *rehooks;
	struct ftrace_hook *hook;
	unsigned int nr = 0;
	int err;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list)
		nr += wants_other_call(hook);
	if (!nr)
		return 0;
	rehooks = kcalloc(nr, sizeof(*rehooks), GFP_KERNEL);
	if (!rehooks)
		return -ENOMEM;

	nr = 0;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (!wants_other_call(hook))
			continue;
		rehooks[nr++] = (struct ftrace_rehook){
			.ops = hook->ops,
			.filter = ftrace_slot_filter(ftrace_ops_slot(hook->ops)),
		};
	}
	err = ftrace_hooks_replace(rehooks, nr);
	kfree(rehooks);
	return err;
}
