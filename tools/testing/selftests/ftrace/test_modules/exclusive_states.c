// SPDX-License-Identifier: GPL-2.0
/*
 * Exclusive hooks are refused where they could not be called: IPMODIFY hooks and
 * direct calls.
 */
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>

#include "states.h"

TARGET(states_target_moved)
TARGET(states_target_exclusive)
TARGET(states_target_spare)
TARGET(states_target_faulty)

/* The target of a direct call: it returns to the function. */
static notrace void call_nothing(void)
{
}

static void change_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			   struct ftrace_regs *fregs)
{
	WRITE_ONCE(nr_calls, nr_calls + 1);
}

#define EXCLUSIVE	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS)

/* Test that hooks of both kinds on @func are refused with @wanted and leave nothing behind. */
static const char *both_refused(void *func, int wanted)
{
	static struct ftrace_ops direct;
	struct ftrace_ops *mover = make_ops(states_target_spare, change_nothing, EXCLUSIVE);
	const unsigned long site = site_of(func);
	const char *why = NULL;
	int err;

	if (!mover)
		return "a filter cannot be set";
	if (register_ftrace_function(mover)) {
		why = "an IPMODIFY hook was not registered elsewhere";
		goto out;
	}
	err = ftrace_set_filter_ip(mover, site, 0, 0);
	if (err != wanted)
		why = err ? "a registered IPMODIFY hook got another error" :
			    "a registered IPMODIFY hook was told that it has come to the function";
	else if (calls_of(states_target_spare) != 1)
		why = "a registered IPMODIFY hook that was refused is not called elsewhere";
	unregister_ftrace_function(mover);
	if (why)
		goto out;

	if (ftrace_set_filter_ip(mover, site, 0, 1)) {
		why = "a filter cannot be set";
		goto out;
	}
	err = register_ftrace_function(mover);
	if (err != wanted)
		why = err ? "an IPMODIFY hook got another error" :
			    "an IPMODIFY hook was told that it is registered";
	if (!err)
		unregister_ftrace_function(mover);
	if (why)
		goto out;

	if (ftrace_set_filter_ip(&direct, site, 0, 1)) {
		why = "a filter cannot be set";
		goto out;
	}
	err = register_ftrace_direct(&direct, (unsigned long)call_nothing);
	if (err != wanted)
		why = err ? "a direct call got another error" :
			    "a direct call was told that it is registered";
	if (!err)
		unregister_ftrace_direct(&direct, (unsigned long)call_nothing, true);
	ftrace_free_filter(&direct);
out:
	ftrace_free_filter(mover);
	kfree(mover);
	return why;
}

static const char *exclusive_hook_refused_under_breakpoint(void)
{
	const char *why;

	set_breakpoint(site_of(states_target_exclusive));
	why = both_refused(states_target_exclusive, -EBUSY);
	clear_breakpoint();
	return why ?: is_exact(states_target_exclusive);
}

CASE(exclusive_hook_refused_under_breakpoint);

static const char *exclusive_hook_refused_on_faulty_site(void)
{
	if (!make_faulty(states_target_faulty))
		return "a hook cannot be registered";
	return both_refused(states_target_faulty, -ENODEV);
}

CASE(exclusive_hook_refused_on_faulty_site);

/* The tracer has not seen these bytes before the hooks are registered. */
static const char *exclusive_hook_refused_on_other_bytes(void)
{
	const unsigned long site = site_of(states_target_moved);
	u8 before[SITE_SIZE];
	const char *why;

	memcpy(before, (void *)site, sizeof(before));
	write_text(site, other_nop, sizeof(other_nop));
	why = both_refused(states_target_moved, -ENODEV);
	write_text(site, before, sizeof(before));
	return why;
}

CASE(exclusive_hook_refused_on_other_bytes);

/* While names_fail is 1, modules load without function names, as if out of memory. */
static int no_names(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, -ENOMEM);
	return 0;
}

static struct kretprobe names_probe = {
	.kp.symbol_name	= "ftrace_names_check_block",
	.handler	= no_names,
	.maxactive	= 4,
};

static int names_set(const char *text, const struct kernel_param *kp)
{
	bool fail;

	if (kstrtobool(text, &fail))
		return -EINVAL;
	if (fail)
		return register_kretprobe(&names_probe);
	unregister_kretprobe(&names_probe);
	return 0;
}

static const struct kernel_param_ops names_ops = { .set = names_set };
module_param_cb(names_fail, &names_ops, NULL, 0200);

static const char *exclusive_hook_refused_on_module_without_names(void)
{
	void *func = (void *)lookup("states_victim");

	return func ? both_refused(func, -ENODEV) : "there is no module with that function";
}

CASE(exclusive_hook_refused_on_module_without_names);
