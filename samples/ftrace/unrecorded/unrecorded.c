// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose call sites no tool has recorded. Its functions can be traced as
 * soon as each of them has run once:
 *
 *	modprobe unrecorded
 *	echo 1 >/sys/module/unrecorded/parameters/run
 *	sleep 2
 *	grep unrecorded /sys/kernel/tracing/available_filter_functions
 *
 * See Documentation/trace/ftrace/discovery.rst.
 */
#include <linux/compiler.h>
#include <linux/module.h>

static unsigned long sum;

static noinline void unrecorded_even(unsigned long n)
{
	WRITE_ONCE(sum, READ_ONCE(sum) + n);
}

static noinline void unrecorded_odd(unsigned long n)
{
	WRITE_ONCE(sum, READ_ONCE(sum) - n);
}

/* Runs only when 7 is written; until then it is not discovered. */
static noinline void unrecorded_seven(void)
{
	WRITE_ONCE(sum, 7);
}

/* Write a number: that many calls are made, alternating between the functions. */
static int unrecorded_run(const char *text, const struct kernel_param *kp)
{
	unsigned long n;
	int err;

	err = kstrtoul(text, 0, &n);
	if (err)
		return err;
	if (n == 7)
		unrecorded_seven();
	while (n--) {
		if (n % 2)
			unrecorded_odd(n);
		else
			unrecorded_even(n);
	}
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = unrecorded_run,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "how many times to call the functions");

static int __init unrecorded_init(void)
{
	return 0;
}

static void __exit unrecorded_exit(void)
{
}

module_init(unrecorded_init);
module_exit(unrecorded_exit);

MODULE_DESCRIPTION("Functions whose call sites are discovered at run time");
MODULE_LICENSE("GPL");
