// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of a call site that somebody else writes to: a debugger's
 * breakpoint over its first byte, or other bytes altogether. Each case is a
 * file in /sys/module/ftrace_states/parameters: reading it runs the case, and
 * says "ok" or what was wrong.
 *
 * The breakpoints are set as kgdb sets them, one byte while nobody holds
 * text_mutex, and act as a debugger does that lets the program go on: the
 * instruction under the breakpoint is executed.
 *
 * "lookup" is the address of kallsyms_lookup_name().
 */
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace.h>
#include <linux/unaligned.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#define SITE_SIZE	5

static unsigned long (*lookup)(const char *name);
static ulong lookup_at;
module_param_named(lookup, lookup_at, ulong, 0);

/* Evaluates to the function of this name, of @type. */
#define kernel_function(type, name) ((type)lookup(name))

/* ---- text ---- */

static struct mutex *text_lock;
static void *(*poke)(void *addr, const void *bytes, size_t len);
static void (*sync_text)(void);

static void write_text(unsigned long addr, const void *bytes, size_t len)
{
	mutex_lock(text_lock);
	poke((void *)addr, bytes, len);
	sync_text();
	mutex_unlock(text_lock);
}

/* Where there is a breakpoint of ours, and the byte under it. */
static unsigned long held_ip;
static u8 held_byte;
static unsigned int nr_traps;

static void set_breakpoint(unsigned long ip)
{
	static const u8 int3 = INT3_INSN_OPCODE;

	held_byte = *(u8 *)ip;
	WRITE_ONCE(held_ip, ip);
	write_text(ip, &int3, 1);
}

static void clear_breakpoint(void)
{
	write_text(held_ip, &held_byte, 1);
	WRITE_ONCE(held_ip, 0);
}

/* The instruction under the breakpoint is a call, or else a nop. */
static int go_on(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	const unsigned long ip = regs->ip - INT3_INSN_SIZE;

	if (event != DIE_INT3 || user_mode(regs) || ip != READ_ONCE(held_ip))
		return NOTIFY_DONE;
	WRITE_ONCE(nr_traps, nr_traps + 1);
	if (held_byte == CALL_INSN_OPCODE)
		int3_emulate_call(regs, ip + SITE_SIZE + get_unaligned((s32 *)(ip + 1)));
	else
		regs->ip = ip + SITE_SIZE;
	return NOTIFY_STOP;
}

static struct notifier_block go_on_nb = { .notifier_call = go_on, .priority = INT_MAX };

/* One of five bytes, or the first five of one of nine. */
static bool is_nop(unsigned long ip)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const u8 entry_nop[] = { 0x66, 0x0f, 0x1f, 0x84, 0x90 };

	return !memcmp((void *)ip, nop, sizeof(nop)) ||
	       !memcmp((void *)ip, entry_nop, sizeof(entry_nop));
}

/* ---- functions and hooks ---- */

#define TARGET(name)					\
static noinline void name(void)				\
{							\
	/* As if somebody needed it. */			\
	barrier();					\
}

TARGET(states_target_left)
TARGET(states_target_on)
TARGET(states_target_off)
TARGET(states_target_direct)
TARGET(states_target_moved)
TARGET(states_target_exclusive)
TARGET(states_target_spare)
TARGET(states_target_faulty)
TARGET(states_target_report)
TARGET(states_target_mixed)
TARGET(states_target_filter)
TARGET(states_target_other)

static unsigned long site_of(void *func)
{
	return kernel_function(unsigned long (*)(unsigned long), "ftrace_location")
		((unsigned long)func);
}

static unsigned int nr_calls;

static void count_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	WRITE_ONCE(nr_calls, nr_calls + 1);
}

/* The compiler sees neither the hooks, nor the direct calls. */
static unsigned int calls_of(void (*func)(void))
{
	WRITE_ONCE(nr_calls, 0);
	func();
	return READ_ONCE(nr_calls);
}

static struct ftrace_ops *make_ops(void *func, ftrace_func_t call, unsigned long flags)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);

	if (!ops)
		return NULL;
	ops->func = call;
	ops->flags = flags;
	if (ftrace_set_filter_ip(ops, site_of(func), 0, 0)) {
		kfree(ops);
		return NULL;
	}
	return ops;
}

static struct ftrace_ops *hook(void *func)
{
	struct ftrace_ops *ops = make_ops(func, count_call, 0);

	if (ops && register_ftrace_function(ops)) {
		ftrace_free_filter(ops);
		kfree(ops);
		return NULL;
	}
	return ops;
}

/* What an owner may do the moment that unregistering returns. */
static void unhook(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
	ftrace_free_filter(ops);
	memset(ops, 0x6b, sizeof(*ops));
	kfree(ops);
}

/* A change of hooks that has nothing to do with the site. */
static bool change_elsewhere(void)
{
	struct ftrace_ops *ops = hook(states_target_other);

	if (ops)
		unhook(ops);
	return ops;
}

/* What the call under the breakpoint calls; 0: it is none. */
static unsigned long target_under(void)
{
	if (held_byte != CALL_INSN_OPCODE)
		return 0;
	return held_ip + SITE_SIZE + get_unaligned((s32 *)(held_ip + 1));
}

static bool is_alive(unsigned long addr)
{
	return kernel_function(bool (*)(unsigned long), "is_ftrace_trampoline")(addr) ||
	       kernel_function(int (*)(unsigned long), "core_kernel_text")(addr);
}

/* Not to be run into by anybody else. */
static void make_nop(unsigned long ip)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	write_text(ip, nop, sizeof(nop));
	WRITE_ONCE(held_ip, 0);
}

/* ---- a breakpoint over a call ---- */

/* It is on again, and off again. */
static const char *is_exact(void (*func)(void))
{
	struct ftrace_ops *ops;

	if (calls_of(func))
		return "a hook is called that nobody registered";
	if (!change_elsewhere())
		return "a hook cannot be registered elsewhere";
	if (!is_nop(site_of(func)))
		return "the site is not a nop again after the breakpoint went";
	ops = hook(func);
	if (!ops)
		return "a hook cannot be registered after the breakpoint went";
	if (calls_of(func) != 1) {
		unhook(ops);
		return "a hook is not called after the breakpoint went";
	}
	unhook(ops);
	return is_nop(site_of(func)) ? NULL : "the site is not a nop at the end";
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

static unsigned int nr_first, nr_second;

/* Direct calls: they go back to the function. */
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

/* ---- exclusive hooks are refused where they could not be called ---- */

static void change_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			   struct ftrace_regs *fregs)
{
	WRITE_ONCE(nr_calls, nr_calls + 1);
}

#define EXCLUSIVE	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS)

/* Both kinds of them are refused with @wanted, and nothing is left of it. */
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
	err = register_ftrace_direct(&direct, (unsigned long)call_first);
	if (err != wanted)
		why = err ? "a direct call got another error" :
			    "a direct call was told that it is registered";
	if (!err)
		unregister_ftrace_direct(&direct, (unsigned long)call_first, true);
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

/* Does no harm to who runs it, and is not what the tracer left there. */
static const u8 other_nop[] = { 0x66, 0x66, 0x66, 0x66, 0x90 };

/* The site of @func is given up, although its bytes are right again. */
static bool make_faulty(void *func)
{
	const unsigned long site = site_of(func);
	struct ftrace_ops *ops;
	u8 before[SITE_SIZE];

	memcpy(before, (void *)site, sizeof(before));
	write_text(site, other_nop, sizeof(other_nop));
	ops = hook(func);
	if (ops)
		unhook(ops);
	write_text(site, before, sizeof(before));
	return ops;
}

static const char *exclusive_hook_refused_on_faulty_site(void)
{
	if (!make_faulty(states_target_faulty))
		return "a hook cannot be registered";
	return both_refused(states_target_faulty, -ENODEV);
}

/* Before anybody has noticed. */
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

/* The job looks at the log, and at the lists. */
static const char *faulty_site_is_reported(void)
{
	return make_faulty(states_target_report) ? NULL : "a hook cannot be registered";
}

/* For the job: the site of this function is held while it is 1. */
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

/* ---- a module whose names found no memory ---- */

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

/* ---- faults that another task's commit finds ---- */

static DEFINE_STATIC_KEY_FALSE(toggled);
static struct task_struct *planner_task;
static unsigned int nr_faults, nr_foreign, nr_toggles;

static int see_fault(struct kprobe *p, struct pt_regs *regs)
{
	nr_faults++;
	if (current != planner_task)
		nr_foreign++;
	return 0;
}

static struct kprobe fault_probe = {
	.symbol_name	= "ftrace_fault_site",
	.pre_handler	= see_fault,
};

static int toggle(void *unused)
{
	while (!kthread_should_stop()) {
		static_branch_enable(&toggled);
		static_branch_disable(&toggled);
		WRITE_ONCE(nr_toggles, nr_toggles + 1);
		/* Unregistering waits until every task has slept, or says so. */
		cond_resched_tasks_rcu_qs();
	}
	return static_branch_unlikely(&toggled);
}

/* Functions of the kernel that come early in its text, and whom it hurts nothing. */
static char *const early_functions[] = {
	"do_one_initcall", "x86_init_noop", "profile_pc", "arch_show_interrupts",
	"show_opcodes", "show_cpuinfo", "check_tsc_unstable", "mark_tsc_unstable",
	"recalibrate_cpu_khz", "tsc_save_sched_clock_state",
};

/* So many without a foreign commit that found one. */
#define ENOUGH_FAULTS	3

static const char *hook_all_with_fault(unsigned long site)
{
	static struct ftrace_ops all;
	u8 before[SITE_SIZE];
	int err;

	memcpy(before, (void *)site, sizeof(before));
	write_text(site, other_nop, sizeof(other_nop));
	memset(&all, 0, sizeof(all));
	all.func = change_nothing;
	all.flags = FTRACE_OPS_FL_RECURSION;
	err = register_ftrace_function(&all);
	if (!err)
		unregister_ftrace_function(&all);
	write_text(site, before, sizeof(before));
	return err ? "a hook cannot be registered" : NULL;
}

static const char *fault_in_foreign_commit(void)
{
	struct task_struct *task;
	const char *why = NULL;
	unsigned int i, before;

	if (register_kprobe(&fault_probe))
		return "there is no probe";
	task = kthread_run(toggle, NULL, "states_toggle");
	if (IS_ERR(task)) {
		unregister_kprobe(&fault_probe);
		return "there is no thread";
	}
	planner_task = current;
	nr_faults = 0;
	nr_foreign = 0;
	before = nr_toggles;
	for (i = 0; i < ARRAY_SIZE(early_functions) && !why && !nr_foreign &&
	     nr_faults < ENOUGH_FAULTS; i++) {
		const unsigned long func = lookup(early_functions[i]);
		const unsigned long site = func ? site_of((void *)func) : 0;

		if (site && is_nop(site))
			why = hook_all_with_fault(site);
	}
	kthread_stop(task);
	unregister_kprobe(&fault_probe);
	if (why)
		return why;
	if (nr_faults < ENOUGH_FAULTS && !nr_foreign)
		return "there were too few faults";
	if (nr_toggles == before)
		return "nobody else committed";
	return nr_foreign ? "a fault was settled by the task that happened to commit" : NULL;
}

/* ---- filters that are removed when nothing else can be done ---- */

static struct task_struct *fail_task;
static bool failed;

static int fail_alloc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (READ_ONCE(fail_task) != current || !in_task())
		return 1;
	failed = true;
	return 0;
}

/* It was allocated, and is forgotten: some bytes for a test. */
static int lose_alloc(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, 0);
	return 0;
}

static struct kretprobe alloc_probes[] = {
	{ .kp.symbol_name = "__kmalloc_cache_noprof", },
	{ .kp.symbol_name = "__kmalloc_noprof", },
	{ .kp.symbol_name = "__kmalloc_node_track_caller_noprof", },
	{ .kp.symbol_name = "__kvmalloc_node_noprof", },
};

/* Who knows whether it is listed: only where there is such a list. */
static bool is_listed(const struct ftrace_ops *ops)
{
	return !hlist_unhashed(&ops->own.listed);
}

static const char *filter_is_removed_without_memory(void)
{
	struct ftrace_ops *ops = make_ops(states_target_filter, count_call, 0);
	const char *why = NULL;
	unsigned int i;
	int err;

	if (!ops || !is_listed(ops))
		return "there is no filter";
	for (i = 0; i < ARRAY_SIZE(alloc_probes); i++) {
		alloc_probes[i].entry_handler = fail_alloc;
		alloc_probes[i].handler = lose_alloc;
		alloc_probes[i].maxactive = 64;
		if (register_kretprobe(&alloc_probes[i]))
			return "there is no probe";
	}
	failed = false;
	WRITE_ONCE(fail_task, current);
	err = ftrace_set_filter_ip(ops, site_of(states_target_filter), 1, 0);
	WRITE_ONCE(fail_task, NULL);
	for (i = 0; i < ARRAY_SIZE(alloc_probes); i++)
		unregister_kretprobe(&alloc_probes[i]);
	if (err)
		why = "a filter cannot be removed without memory";
	else if (failed)
		why = "an allocation was made";
	else if (is_listed(ops))
		why = "a filter that was removed is still listed";
	ftrace_free_filter(ops);
	kfree(ops);
	return why;
}

/* The last case of a machine's life. */
static const char *filter_is_removed_after_kill(void)
{
	struct ftrace_ops *ops = hook(states_target_filter);
	struct ftrace_ops *reset = make_ops(states_target_filter, count_call, 0);
	const char *why = NULL;

	if (!ops || !reset)
		return "a hook cannot be registered";
	kernel_function(void (*)(void), "ftrace_kill")();
	if (unregister_ftrace_function(ops) != -ENODEV)
		why = "it was not told that the tracer is dead";
	else if (ftrace_set_filter_ip(ops, site_of(states_target_filter), 1, 0))
		why = "a filter cannot be removed after ftrace_kill()";
	else if (is_listed(ops))
		why = "a filter that was removed is still listed";
	else if (ftrace_set_filter(reset, NULL, 0, 1))
		why = "a filter cannot be reset after ftrace_kill()";
	else if (is_listed(reset))
		why = "a filter that was reset is still listed";
	else if (ftrace_set_filter_ip(reset, site_of(states_target_filter), 0, 0) != -ENODEV)
		why = "a filter was set after ftrace_kill()";
	ftrace_free_filter(ops);
	ftrace_free_filter(reset);
	kfree(ops);
	kfree(reset);
	return why;
}

/* ---- a hook with a filter of tasks is exchanged while it is called ---- */

/* More than a combo takes: their function is mixed. */
#define MANY	140

static struct trace_array *mixed_tr;
static struct ftrace_ops *many[MANY];
static unsigned int many_calls[MANY];
static struct task_struct *mixed_caller;
static bool wait_for_exchange;

/* The first one called waits until the hooks have been exchanged. */
static void count_mixed(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
	const struct ftrace_hook *before = READ_ONCE(op->hook);
	const unsigned long late = jiffies + 2 * HZ;
	unsigned int i;

	if (current != mixed_caller)
		return;
	for (i = 0; many[i] != op; i++)
		;
	many_calls[i]++;
	if (!xchg(&wait_for_exchange, false))
		return;
	while (READ_ONCE(op->hook) == before && time_before(jiffies, late))
		cpu_relax();
}

static int call_mixed(void *unused)
{
	while (!kthread_should_stop()) {
		unsigned int i;

		memset(many_calls, 0, sizeof(many_calls));
		states_target_mixed();
		for (i = 0; i < MANY; i++)
			nr_calls += many_calls[i] > 1;
		schedule_timeout_uninterruptible(1);
	}
	return 0;
}

static const char *mixed_begin(void)
{
	unsigned int i;

	mixed_tr = trace_array_get_by_name("states", NULL);
	if (!mixed_tr)
		return "there is no instance";
	for (i = 0; i < MANY; i++) {
		many[i] = make_ops(states_target_mixed, count_mixed, FTRACE_OPS_FL_PID);
		if (!many[i])
			return "a filter cannot be set";
		many[i]->private = mixed_tr;
		if (register_ftrace_function(many[i]))
			return "a hook cannot be registered";
	}
	nr_calls = 0;
	mixed_caller = kthread_create(call_mixed, NULL, "states_mixed");
	if (IS_ERR(mixed_caller))
		return "there is no thread";
	wake_up_process(mixed_caller);
	return NULL;
}

static const char *mixed_end(void)
{
	unsigned int i;

	kthread_stop(mixed_caller);
	unregister_ftrace_functions(many, MANY);
	for (i = 0; i < MANY; i++) {
		ftrace_free_filter(many[i]);
		kfree(many[i]);
	}
	trace_array_put(mixed_tr);
	return nr_calls ? "a hook was called twice in one call of its function" : NULL;
}

/* "1": begin, "w": the next one waits; reading ends it. */
static int mixed_set(const char *text, const struct kernel_param *kp)
{
	const char *why;

	if (*text == 'w') {
		WRITE_ONCE(wait_for_exchange, true);
		while (READ_ONCE(wait_for_exchange))
			schedule_timeout_uninterruptible(1);
		return 0;
	}
	why = mixed_begin();
	if (why)
		pr_err("ftrace_states: %s\n", why);
	return why ? -EINVAL : 0;
}

static int mixed_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", mixed_end() ?: "ok");
}

static int mixed_pid_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", mixed_caller->pid);
}

static const struct kernel_param_ops mixed_ops = { .set = mixed_set, .get = mixed_get };
static const struct kernel_param_ops mixed_pid_ops = { .get = mixed_pid_get };
module_param_cb(mixed_exchange, &mixed_ops, NULL, 0600);
module_param_cb(mixed_pid, &mixed_pid_ops, NULL, 0400);

/* ---- the cases' files ---- */

static int case_get(char *buf, const struct kernel_param *kp)
{
	const char *(*run)(void) = kp->arg;
	const char *why = run();

	if (held_ip)
		clear_breakpoint();
	return sysfs_emit(buf, "%s\n", why ?: "ok");
}

static const struct kernel_param_ops case_ops = { .get = case_get };

#define CASE(name)	module_param_cb(name, &case_ops, name, 0400)

CASE(breakpoint_on_hooked_site);
CASE(hooks_change_under_breakpoint);
CASE(breakpoint_on_site_that_is_off);
CASE(direct_call_under_breakpoint);
CASE(exclusive_hook_refused_under_breakpoint);
CASE(exclusive_hook_refused_on_other_bytes);
CASE(exclusive_hook_refused_on_faulty_site);
CASE(exclusive_hook_refused_on_module_without_names);
CASE(faulty_site_is_reported);
CASE(fault_in_foreign_commit);
CASE(filter_is_removed_without_memory);
CASE(filter_is_removed_after_kill);

static int __init states_init(void)
{
	if (!lookup_at)
		return -EINVAL;
	lookup = (void *)lookup_at;
	text_lock = (void *)lookup("text_mutex");
	poke = (void *)lookup("text_poke_kgdb");
	sync_text = (void *)lookup("text_poke_sync");
	if (!text_lock || !poke || !sync_text)
		return -ENOENT;
	return register_die_notifier(&go_on_nb);
}
module_init(states_init);

MODULE_DESCRIPTION("Call sites that somebody else writes to");
MODULE_LICENSE("GPL");
