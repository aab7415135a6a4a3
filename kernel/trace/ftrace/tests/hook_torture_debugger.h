/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of hook_torture.c: a debugger that sets breakpoints on call sites.
 */
#ifndef _FTRACE_HOOK_TORTURE_DEBUGGER_H
#define _FTRACE_HOOK_TORTURE_DEBUGGER_H

/* ---- a debugger ---- */

#ifdef CONFIG_X86
#include <asm/text-patching.h>

/*
 * Set and clear breakpoints as kgdb does: one byte, while no other task holds
 * text_mutex.
 * When a CPU meets a breakpoint, the handler emulates the instruction under it:
 * a call or a nop.
 */
static struct mutex *text_lock;
static void *(*poke)(void *addr, const void *bytes, size_t len);
static void (*sync_text)(void);
static unsigned long mixed_trampoline;

/* Written under text_mutex; no handler uses old values after sync_text(). */
static u8 under[HOOK_TARGETS];
static unsigned long callee[HOOK_TARGETS];	/* if the byte under it is a call's */
static bool held[HOOK_TARGETS];

static unsigned long site_of(int func)
{
	int i;

	for (i = 0; places[i].func != func; i++)
		;
	return places[i].ip;
}

static unsigned long called_from(unsigned long ip)
{
	return ip + CALL_INSN_SIZE + get_unaligned((s32 *)(ip + 1));
}

/*
 * The tracer may be writing these four bytes now: byte by byte, they can lead into
 * the middle of another trampoline. It changes them once, to the mixed trampoline,
 * and what was called before stays until all CPUs have left their handlers.
 */
static unsigned long call_under(int func, unsigned long ip)
{
	return called_from(ip) == mixed_trampoline ? mixed_trampoline : callee[func];
}

static int meet_breakpoint(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	const unsigned long ip = regs->ip - INT3_INSN_SIZE;
	int func;

	if (event != DIE_INT3 || user_mode(regs))
		return NOTIFY_DONE;
	func = place_of(ip);
	if (func < 0 || func >= HOOK_TARGETS || !READ_ONCE(held[func]))
		return NOTIFY_DONE;

	atomic_long_inc(&traps);
	if (under[func] == CALL_INSN_OPCODE)
		int3_emulate_call(regs, ip + CALL_INSN_SIZE, call_under(func, ip));
	else
		regs->ip = ip + CALL_INSN_SIZE;
	return NOTIFY_STOP;
}

static struct notifier_block breakpoint_nb = {
	.notifier_call = meet_breakpoint, .priority = INT_MAX,
};

static void set_breakpoints(const unsigned long *funcs)
{
	static const u8 int3 = INT3_INSN_OPCODE;
	int f;

	for_each_set_bit(f, funcs, HOOK_TARGETS)
		WRITE_ONCE(debugged[f], debugged[f] + !lies(LIE_DEBUGGER));
	/* Orders debugged[] before the breakpoints; pairs as in change_begins(). */
	smp_mb();
	mutex_lock(text_lock);
	for_each_set_bit(f, funcs, HOOK_TARGETS) {
		void *ip = (void *)site_of(f);

		under[f] = *(u8 *)ip;
		callee[f] = called_from((unsigned long)ip);
		WRITE_ONCE(held[f], true);
		poke(ip, &int3, 1);
		atomic_long_inc(&holds);
	}
	sync_text();
	mutex_unlock(text_lock);
}

static void clear_breakpoints(const unsigned long *funcs)
{
	int f;

	mutex_lock(text_lock);
	for_each_set_bit(f, funcs, HOOK_TARGETS)
		poke((void *)site_of(f), &under[f], 1);
	sync_text();
	for_each_set_bit(f, funcs, HOOK_TARGETS)
		WRITE_ONCE(held[f], false);
	mutex_unlock(text_lock);
}

static void count_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
}

/* Change a hook on none of the targets. */
static void change_elsewhere(void)
{
	static struct ftrace_ops ops = { .func = count_nothing };
	int err;

	err = ftrace_set_filter_ip(&ops, (unsigned long)elsewhere[0], 0, 1);
	err = err ?: register_ftrace_function(&ops);
	if (err)
		fault("a change elsewhere", -1, -1, err, 0);
	else
		unregister_ftrace_function(&ops);
}

static void debug_some(struct changer *me)
{
	DECLARE_BITMAP(funcs, HOOK_TARGETS);
	int f;

	bitmap_zero(funcs, HOOK_TARGETS);
	for (f = 0; f < HOOK_TARGETS; f++)
		if (!roll(me, 6))
			__set_bit(f, funcs);

	set_breakpoints(funcs);
	schedule_timeout_uninterruptible(1 + roll(me, HZ / 10));
	clear_breakpoints(funcs);
	/* Give changers time to make the change first. */
	if (roll(me, 2))
		schedule_timeout_uninterruptible(1 + roll(me, HZ / 50));
	change_elsewhere();

	/* Orders the change before debugged[]; pairs as in change_ends(). */
	smp_mb();
	for_each_set_bit(f, funcs, HOOK_TARGETS)
		WRITE_ONCE(debugged[f], debugged[f] + !lies(LIE_DEBUGGER));
}

static int debugger_loop(void *data)
{
	while (!kthread_should_stop())
		debug_some(data);
	return 0;
}

/* Look up a function or variable that is not exported. */
static void *__init find_function(unsigned long (*lookup)(const char *name), const char *name)
{
	return (void *)lookup(name);
}

static int __init start_debugger(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	int err = register_kprobe(&probe);

	if (err)
		return err;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT))
		lookup = (void *)((unsigned long)lookup & ~15UL);

	text_lock = find_function(lookup, "text_mutex");
	poke = find_function(lookup, "text_poke_kgdb");
	sync_text = find_function(lookup, "smp_text_poke_sync_each_cpu");
	mixed_trampoline = (unsigned long)find_function(lookup, "ftrace_mixed_caller");
	if (!text_lock || !poke || !sync_text || !mixed_trampoline)
		return -ENOENT;
	return register_die_notifier(&breakpoint_nb);
}

static void __init stop_debugger(void)
{
	unregister_die_notifier(&breakpoint_nb);
}

#else /* !CONFIG_X86: nothing here knows the breakpoint or what is under it */

static int debugger_loop(void *data)
{
	return 0;
}

static int __init start_debugger(void)
{
	return -EOPNOTSUPP;
}

static void __init stop_debugger(void)
{
}

#endif /* CONFIG_X86 */

#endif /* _FTRACE_HOOK_TORTURE_DEBUGGER_H */
