// SPDX-License-Identifier: GPL-2.0
/*
 * The event ftrace_hooked: how many functions call a callback from now on.
 */
#include "../sites/site.h"
#include "hooked.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ftrace_hooks.h>

/* True if site @i calls @hook, by its combo: a site that could not be changed may not. */
static bool calls(const struct ftrace_site_block *b, u32 i, const struct ftrace_hook *hook)
{
	const struct ftrace_combo *combo = ftrace_combo(b->sites[i].state & FTRACE_SITE_COMBO);

	return combo->mixed ? ftrace_filter_has(ftrace_hook_filter(hook), ftrace_site_nr(b, i)) :
			      ftrace_combo_has(combo, hook);
}

static unsigned int calling(const struct ftrace_ops *ops)
{
	const struct ftrace_site_block *b;
	const struct ftrace_hook *hook;
	unsigned int n = 0;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (hook->ops != ops)
			continue;
		list_for_each_entry(b, &ftrace_site_blocks, list)
			for (u32 i = 0; i < b->nr; i++)
				n += calls(b, i, hook);
	}
	return n;
}

/**
 * ftrace_tell_hooked() - trace changes that are in force
 * @changes: the changes
 * @nr: number of changes
 *
 * Counts sites only if the event is enabled.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_tell_hooked(const struct ftrace_change *changes, unsigned int nr)
{
	if (!trace_ftrace_hooked_enabled())
		return;

	for (; nr--; changes++) {
		/* Of several hooks of an ops, which are in a row, trace the last only. */
		if (nr && changes[1].hook->ops == changes->hook->ops)
			continue;
		trace_ftrace_hooked(ftrace_hook_callback(changes->hook) ?:
				    (void *)changes->hook->ops->direct_call,
				    calling(changes->hook->ops));
	}
}
