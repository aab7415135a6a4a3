// SPDX-License-Identifier: GPL-2.0
/*
 * Two hooks that share a function.
 *
 * "early" wants left() and middle(), "late" wants middle() and right():
 *
 *	left()		early
 *	middle()	late, then early
 *	right()		late
 *
 * That makes three combos, each with a trampoline that calls just these hooks,
 * the latest registered first. "late" does not make left() slower. See for
 * yourself:
 *
 *	modprobe hook-two
 *	grep hook_two /sys/kernel/tracing/enabled_functions
 *	rmmod hook-two
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>

/* Functions to hook. They differ, or the compiler could merge them. */
static int here;

static noinline void left(void)
{
	WRITE_ONCE(here, 1);
}

static noinline void middle(void)
{
	WRITE_ONCE(here, 2);
}

static noinline void right(void)
{
	WRITE_ONCE(here, 3);
}

/* Which hooks were called, by their initials. */
static char story[16];
static unsigned int told;

/* Runs in hook_two_init() only and calls nothing traced: needs no recursion guard. */
static void notrace tell(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	const char *name = op->private;

	if (told < sizeof(story) - 1)
		story[told++] = *name;
}

static struct ftrace_ops early = { .func = tell, .private = "early" };
static struct ftrace_ops late = { .func = tell, .private = "late" };

static int __init set_filters(void)
{
	unsigned long of_early[] = { (unsigned long)left, (unsigned long)middle };
	unsigned long of_late[] = { (unsigned long)middle, (unsigned long)right };

	return ftrace_set_filter_ips(&early, of_early, ARRAY_SIZE(of_early), 0, 1) ?:
	       ftrace_set_filter_ips(&late, of_late, ARRAY_SIZE(of_late), 0, 1);
}

static void free_filters(void)
{
	ftrace_free_filter(&early);
	ftrace_free_filter(&late);
}

static int __init hook_two_init(void)
{
	int ret;

	ret = set_filters();
	if (ret)
		goto out_filters;

	ret = register_ftrace_function(&early);
	if (ret)
		goto out_filters;

	ret = register_ftrace_function(&late);
	if (ret)
		goto out_early;

	left();
	middle();
	right();
	/* "e" from left, "le" from middle, "l" from right */
	pr_info("called: %s, and it should be elel\n", story);

	return 0;

out_early:
	unregister_ftrace_function(&early);
out_filters:
	free_filters();
	return ret;
}

static void __exit hook_two_exit(void)
{
	unregister_ftrace_function(&early);
	unregister_ftrace_function(&late);
	free_filters();
}

module_init(hook_two_init);
module_exit(hook_two_exit);

MODULE_DESCRIPTION("Two hooks that share a function");
MODULE_LICENSE("GPL");
