// SPDX-License-Identifier: GPL-2.0
/*
 * Many hooks, each on a function of its own, to count what they take.
 *
 * The functions are many_0_0, many_0_1, ... of a module that is made beside this
 * one. Writing 1 to the parameter "on" registers the hooks, 0 unregisters them.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

#define HOOKS 64

static struct ftrace_ops ops[HOOKS];
static unsigned int registered;

static void callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		     struct ftrace_regs *fregs)
{
}

static void hooks_off(void)
{
	while (registered) {
		struct ftrace_ops *op = &ops[--registered];

		WARN_ON_ONCE(unregister_ftrace_function(op));
		ftrace_free_filter(op);
	}
}

static int hook(struct ftrace_ops *op, unsigned int n)
{
	char name[16];
	int len = scnprintf(name, sizeof(name), "many_0_%u", n);
	int err;

	op->func = callback;
	err = ftrace_set_filter(op, name, len, 1) ?: register_ftrace_function(op);
	if (err)
		ftrace_free_filter(op);
	return err;
}

static int hooks_on(void)
{
	int err = 0;

	while (!err && registered < HOOKS) {
		err = hook(&ops[registered], registered);
		registered += !err;
	}
	if (err)
		hooks_off();
	return err;
}

static int set_on(const char *text, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(text, &on);

	if (err)
		return err;
	if (on)
		return hooks_on();
	hooks_off();
	return 0;
}

static const struct kernel_param_ops on_ops = { .set = set_on };
module_param_cb(on, &on_ops, NULL, 0200);

static int __init hooks_init(void)
{
	return 0;
}
module_init(hooks_init);

static void __exit hooks_exit(void)
{
	hooks_off();
}
module_exit(hooks_exit);

MODULE_DESCRIPTION("Many hooks, each on a function of its own");
MODULE_LICENSE("GPL");
