// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of a call site that somebody else writes to, and of hooks that
 * are exchanged or leave when little can be done. The cases are in the files
 * whose names end in _states.c.
 */
#include <linux/module.h>

#include "states.h"

unsigned long (*lookup)(const char *name);
static ulong lookup_at;
module_param_named(lookup, lookup_at, ulong, 0);

static int case_get(char *buf, const struct kernel_param *kp)
{
	const char *(*run)(void) = kp->arg;
	const char *why = run();

	if (held_ip)
		clear_breakpoint();
	return sysfs_emit(buf, "%s\n", why ?: "ok");
}

const struct kernel_param_ops case_ops = { .get = case_get };

static int __init states_init(void)
{
	if (!lookup_at)
		return -EINVAL;
	lookup = (void *)lookup_at;
	return site_text_init();
}
module_init(states_init);

MODULE_DESCRIPTION("Call sites that somebody else writes to");
MODULE_LICENSE("GPL");
