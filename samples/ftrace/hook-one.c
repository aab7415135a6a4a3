// SPDX-License-Identifier: GPL-2.0
/*
 * One hook on one function: who calls it, and how often?
 *
 *	modprobe hook-one func=do_nanosleep
 *	sleep 1
 *	cat /sys/kernel/tracing/enabled_functions
 *	rmmod hook-one
 *	dmesg | tail -n 1
 *
 * While the module is loaded, the function begins with a call to a trampoline
 * made for this hook. No other function runs one instruction more.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/string.h>

static char *func = "do_nanosleep";
module_param(func, charp, 0444);
MODULE_PARM_DESC(func, "the function, or a pattern such as 'hrtimer_*'");

struct calls {
	atomic_long_t	nr;
	unsigned long	last;	/* where the last call came from */
};

static struct calls calls;

/*
 * Called at the start of the function, in any context, NMI included: must not
 * sleep or take locks. FTRACE_OPS_FL_RECURSION makes the tracer guard
 * against recursion, in case a function called here is hooked, too.
 */
static void notrace on_call(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct calls *c = op->private;

	atomic_long_inc(&c->nr);
	WRITE_ONCE(c->last, parent_ip);
}

static struct ftrace_ops hook = {
	.func		= on_call,
	.flags		= FTRACE_OPS_FL_RECURSION,
	.private	= &calls,
};

static int __init hook_one_init(void)
{
	int ret;

	/* Without a filter, every function would be hooked. */
	ret = ftrace_set_filter(&hook, (unsigned char *)func, strlen(func), 1);
	if (ret)
		return ret;

	ret = register_ftrace_function(&hook);
	if (ret)
		ftrace_free_filter(&hook);

	return ret;
}

static void __exit hook_one_exit(void)
{
	/* When this returns, on_call() is not running: its text can be freed. */
	unregister_ftrace_function(&hook);
	ftrace_free_filter(&hook);

	pr_info("%s: %ld calls, the last from %pS\n", func,
		atomic_long_read(&calls.nr), (void *)calls.last);
}

module_init(hook_one_init);
module_exit(hook_one_exit);

MODULE_DESCRIPTION("One hook on one function");
MODULE_LICENSE("GPL");
