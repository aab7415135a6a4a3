// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose text runs after the tracer has forgotten it: the module loader
 * waits for async functions last. The async function here waits until the
 * trampolines that its functions called have been freed, then calls a function.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/async.h>
#include <linux/delay.h>
#include <linux/module.h>

#include "cases.h"

static ulong lookup_at;
module_param_named(lookup, lookup_at, ulong, 0);
unsigned long (*lookup)(const char *name);

static bool ran;

static noinline void late_called(void)
{
	WRITE_ONCE(ran, true);
}

static unsigned long (*location)(unsigned long ip);
static void (*retire_wait)(void);

static void late(void *unused, async_cookie_t cookie)
{
	/* Poll: there is no notification when the tracer has forgotten it. */
	while (location((unsigned long)late_called))
		usleep_range(1000, 2000);
	retire_wait();
	late_called();
	if (READ_ONCE(ran))
		pr_info("late_called ran\n");
}

static int __init late_init(void)
{
	if (!lookup_at)
		return -EINVAL;
	lookup = (void *)lookup_at;
	location = kernel_function(unsigned long (*)(unsigned long), "ftrace_location");
	retire_wait = kernel_function(void (*)(void), "ftrace_retire_wait");
	return location && retire_wait ? 0 : -ENOENT;
}
module_init(late_init);

static void __exit late_exit(void)
{
	async_schedule(late, NULL);
}
module_exit(late_exit);

MODULE_DESCRIPTION("Text that runs while it is freed");
MODULE_LICENSE("GPL");
