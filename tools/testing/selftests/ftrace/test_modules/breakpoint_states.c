// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks come, change and go while a debugger's breakpoint lies over their site.
 */
#include <linux/kernel.h>
#include <linux/kstrtox.h>

#include "states.h"

TARGET(states_target_left)
TARGET(states_target_on)
TARGET(states_target_off)
TARGET(states_target_direct)
TARGET(states_target_jump)
TARGET(states_target_other)

static bool is_alive(unsigned long addr)
{
	return kernel_function(bool (*)(unsigned long), "is_ftrace_trampoline")(addr) ||
	       kernel_function(int (*)(unsigned long), "core_kernel_text")(addr);
}

/* A case has failed: leave a nop, or the next caller would crash. */
static void make_nop(unsigned long ip)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	write_text(ip, nop, sizeof(nop));
	WRITE_ONCE(held_ip, 0);
}

static const char freed[] = "when the breakpoint goes, the site will call what was freed";

static const char *breakpoint_on_hooked_site(void)
{
	struct ftrace_ops *ops = hook(states_target_left);

	if (!ops)
		return "a hook cannot be registered";
	set_breakpoint(site_of(states_target_left));
	unhook(ops);
	if (!is_alive(target_under())) {
		make_nop(held_ip);
		return freed;
	}
	if (calls_of(states_target_left))
		return "a hook that went is called under a breakpoint";
	clear_breakpoint();
	return is_exact(states_target_left);
}

CASE(breakpoint_on_hooked_site);

static const char *hooks_change_under_breakpoint(void)
{
	struct ftrace_ops *ops = hook(states_target_on), *more;

	if (!ops)
		return "a hook cannot be registered";
	if (calls_of(states_target_on) != 1)
		return "a hook is not called";
	set_breakpoint(site_of(states_target_on));
	if (calls_of(states_target_on) != 1 || !READ_ONCE(nr_traps))
		return "the breakpoint changes what is called";

	more = hook(states_target_on);
	if (!more)
		return "a second hook cannot be registered";
	if (!is_alive(target_under()))
		goto dead;
	if (calls_of(states_target_on) != 2)
		return "a hook that comes to a function with a breakpoint is not called";
	unhook(ops);
	if (!is_alive(target_under()))
		goto dead;
	if (calls_of(states_target_on) != 1)
		return "not just the hook that stays is called under a breakpoint";
	unhook(more);
	if (!is_alive(target_under()))
		goto dead;
	if (calls_of(states_target_on))
		return "a hook that went is called under a breakpoint";
	clear_breakpoint();
	return is_exact(states_target_on);
dead:
	make_nop(held_ip);
	return freed;
}

CASE(hooks_change_under_breakpoint);

static const char *breakpoint_on_site_that_is_off(void)
{
	struct ftrace_ops *ops;
	unsigned int calls;

	set_breakpoint(site_of(states_target_off));
	ops = hook(states_target_off);
	if (!ops)
		return "a hook cannot be registered";
	if (calls_of(states_target_off))
		return "a hook is called whose site cannot be written";
	clear_breakpoint();
	if (!change_elsewhere())
		return "a hook cannot be registered elsewhere";
	calls = calls_of(states_target_off);
	unhook(ops);
	if (calls != 1)
		return "the hook is not called after the breakpoint went";
	return is_exact(states_target_off);
}

CASE(breakpoint_on_site_that_is_off);

static unsigned int nr_first, nr_second;

/* Targets of direct calls: they return to the function. */
static notrace void call_first(void)
{
	WRITE_ONCE(nr_first, nr_first + 1);
}

static notrace void call_second(void)
{
	WRITE_ONCE(nr_second, nr_second + 1);
}

static const char *direct_call_under_breakpoint(void)
{
	static struct ftrace_ops direct;
	const unsigned long first = (unsigned long)call_first, second = (unsigned long)call_second;

	if (ftrace_set_filter_ip(&direct, site_of(states_target_direct), 0, 0) ||
	    register_ftrace_direct(&direct, first))
		return "there is no direct call";
	set_breakpoint(site_of(states_target_direct));
	if (modify_ftrace_direct(&direct, second))
		return "the direct call cannot be changed";
	if (target_under() == first) {
		make_nop(held_ip);
		return "when the breakpoint goes, the function calls what was replaced";
	}
	WRITE_ONCE(nr_first, 0);
	WRITE_ONCE(nr_second, 0);
	states_target_direct();
	if (READ_ONCE(nr_first) || READ_ONCE(nr_second) != 1)
		return "the function does not call what its direct call was changed to";
	unregister_ftrace_direct(&direct, second, true);
	if (target_under() == first || target_under() == second) {
		make_nop(held_ip);
		return "when the breakpoint goes, the function calls what was unregistered";
	}
	states_target_direct();
	if (READ_ONCE(nr_first) || READ_ONCE(nr_second) != 1)
		return "the function calls what was unregistered";
	clear_breakpoint();
	return is_exact(states_target_direct);
}

CASE(direct_call_under_breakpoint);

static bool jumps_to_first(void)
{
	WRITE_ONCE(nr_first, 0);
	WRITE_ONCE(nr_second, 0);
	states_target_jump();
	return READ_ONCE(nr_first) == 1 && !READ_ONCE(nr_second);
}

/*
 * A jump cannot become a call, since the debugger will restore the opcode of a
 * jump. call_first() runs in place of the function and returns to its caller.
 */
static const char *jump_under_breakpoint(void)
{
	static struct ftrace_ops direct;
	const unsigned long first = ftrace_jmp_set((unsigned long)call_first);
	struct ftrace_ops *more;

	if (!ftrace_is_jmp(first))
		return NULL;	/* jumps are not supported */
	if (ftrace_set_filter_ip(&direct, site_of(states_target_jump), 0, 0) ||
	    register_ftrace_direct(&direct, first))
		return "a function cannot jump";
	set_breakpoint(site_of(states_target_jump));
	if (modify_ftrace_direct(&direct, (unsigned long)call_second) != -EBUSY)
		return "a jump can become a call under a breakpoint";
	more = hook(states_target_jump);
	if (!more)
		return "a hook cannot be registered";
	if (!jumps_to_first())
		return "the function does not jump once another hook waits";
	unhook(more);
	if (!jumps_to_first())
		return "the function does not jump when that has gone";

	unregister_ftrace_direct(&direct, first, true);
	if (target_under() == (unsigned long)call_first) {
		make_nop(held_ip);
		return "when the breakpoint goes, the function jumps to what was unregistered";
	}
	states_target_jump();
	if (READ_ONCE(nr_first) != 1)
		return "the function jumps to what was unregistered";
	clear_breakpoint();
	states_target_jump();
	return READ_ONCE(nr_first) == 1 ? is_exact(states_target_jump) :
		"the function jumps to what was unregistered, once the breakpoint is gone";
}

CASE(jump_under_breakpoint);

/* For scripts: a breakpoint is on states_target_other while this is 1. */
static int hold_set(const char *text, const struct kernel_param *kp)
{
	bool hold;

	if (kstrtobool(text, &hold))
		return -EINVAL;
	if (hold && !held_ip)
		set_breakpoint(site_of(states_target_other));
	else if (!hold && held_ip)
		clear_breakpoint();
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold_other, &hold_ops, NULL, 0200);
