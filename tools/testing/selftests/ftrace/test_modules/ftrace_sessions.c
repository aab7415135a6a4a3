// SPDX-License-Identifier: GPL-2.0
/*
 * What can happen while a file of filters is open, brought about at will.
 *
 * "hold" blocks the loading or unloading of the module that "module" names: "coming"
 * while its functions cannot be found yet, "going" while they still can be; "none"
 * lets it continue. "held" says whether the module is blocked.
 *
 * "hook": "first" registers a hook of that name, "second" unregisters it and
 * registers another one in the same memory, "none" unregisters the current one.
 * Each traces do_nanosleep.
 *
 * "take_out" is a case like those of ftrace_defects: reading it runs the case and
 * returns "ok" or what was wrong.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/wait.h>

/* ---- modules being loaded or unloaded ---- */

static char *module_name_held = "trace_printk";
module_param_named(module, module_name_held, charp, 0600);

static enum { HOLD_NONE, HOLD_COMING, HOLD_GOING } hold;
static const char *const holds[] = { "none", "coming", "going" };
static DECLARE_WAIT_QUEUE_HEAD(hold_changed);

static bool held;
module_param(held, bool, 0400);

static int hold_set(const char *text, const struct kernel_param *kp)
{
	int now = sysfs_match_string(holds, text);

	if (now < 0)
		return now;
	WRITE_ONCE(hold, now);
	wake_up_all(&hold_changed);
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);

/*
 * Runs at the start of ftrace_module_enable(), which takes the tracer's lock next.
 * A kprobe cannot sleep; ten seconds are too short for an RCU stall.
 */
static int hold_coming(struct kprobe *kp, struct pt_regs *regs)
{
	const struct module *mod = (void *)regs_get_kernel_argument(regs, 0);
	unsigned int ms = 10 * 1000;

	if (READ_ONCE(hold) != HOLD_COMING || strcmp(mod->name, module_name_held))
		return 0;
	WRITE_ONCE(held, true);
	while (READ_ONCE(hold) == HOLD_COMING && ms--)
		mdelay(1);
	WRITE_ONCE(held, false);
	return 0;
}

static struct kprobe coming = {
	.symbol_name	= "ftrace_module_enable",
	.pre_handler	= hold_coming,
};

static int hold_going(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;

	if (state != MODULE_STATE_GOING || READ_ONCE(hold) != HOLD_GOING ||
	    strcmp(mod->name, module_name_held))
		return NOTIFY_DONE;
	WRITE_ONCE(held, true);
	wait_event(hold_changed, READ_ONCE(hold) != HOLD_GOING);
	WRITE_ONCE(held, false);
	return NOTIFY_DONE;
}

static struct notifier_block going = { .notifier_call = hold_going };

/* ---- two hooks in the same memory, one after the other ---- */

static void hook_called(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
}

static struct ftrace_ops hook;
static bool hooked;

static int hook_set(const char *text, const struct kernel_param *kp)
{
	char wanted[] = "do_nanosleep";
	int ret;

	if (hooked) {
		unregister_ftrace_function(&hook);
		ftrace_free_filter(&hook);
	}
	hooked = false;
	if (sysfs_streq(text, "none"))
		return 0;

	memset(&hook, 0, sizeof(hook));
	hook.func = hook_called;
#ifdef CONFIG_FTRACE_COMBO
	hook.name = sysfs_streq(text, "first") ? "first" : "second";
#endif
	ret = ftrace_set_filter(&hook, wanted, strlen(wanted), 1);
	if (!ret)
		ret = register_ftrace_function(&hook);
	hooked = !ret;
	return ret;
}

static const struct kernel_param_ops hook_ops = { .set = hook_set };
module_param_cb(hook, &hook_ops, NULL, 0200);

/* ---- in-kernel callers ---- */

static struct ftrace_ops taking = { .func = hook_called };

static int change(const char *text, bool except, bool reset)
{
	char word[32];

	strscpy(word, text);
	return except ? ftrace_set_notrace(&taking, word, strlen(word), reset) :
			ftrace_set_filter(&taking, word, strlen(word), reset);
}

static const char *try_take_out(bool except)
{
	if (change("do_nanosleep", except, true))
		return "a name was refused";
	if (change("!schedule", except, false) || change("!schedul*", except, false) ||
	    change("!*chedule", except, false) || change("!schedul?", except, false))
		return "a name that was not in was refused";
	if (change("!no_such_function", except, false) != -EINVAL)
		return "a name of no function was not refused";
	if (change("!do_nanosleep", except, false) || change("!do_nanosleep", except, false))
		return "a name was refused when it was in, or had just gone";
	return NULL;
}

static int take_out_get(char *buffer, const struct kernel_param *kp)
{
	const char *why = try_take_out(false) ?: try_take_out(true);

	ftrace_free_filter(&taking);
	return sysfs_emit(buffer, "%s\n", why ?: "ok");
}

static const struct kernel_param_ops take_out_ops = { .get = take_out_get };
module_param_cb(take_out, &take_out_ops, NULL, 0400);

static int __init sessions_init(void)
{
	int ret = register_kprobe(&coming);

	if (ret)
		return ret;
	ret = register_module_notifier(&going);
	if (ret)
		unregister_kprobe(&coming);
	return ret;
}

static void __exit sessions_exit(void)
{
	hook_set("none", NULL);
	unregister_module_notifier(&going);
	unregister_kprobe(&coming);
}

module_init(sessions_init);
module_exit(sessions_exit);
MODULE_DESCRIPTION("Brings about what can happen to an open file of filters");
MODULE_LICENSE("GPL");
