// SPDX-License-Identifier: GPL-2.0
/*
 * Change hooks while every CPU calls the hooked functions, and judge each call.
 *
 *   insmod hook_torture.ko seconds=10 changers=4 seed=1
 *
 * The module owns HOOK_TARGETS functions and SLOTS hooks on them, of all kinds.
 * A caller on each CPU, and a timer that interrupts it, call the functions in
 * random order. Changers, each of which owns every n-th hook, register hooks,
 * unregister them, and change the filters of registered and unregistered hooks,
 * by address, by name and by pattern, of functions to trace and to leave out.
 * Hooks are also put on functions of the kernel, sometimes on all of them, and
 * are freed after unregistering.
 *
 * The test judges what the API promises:
 *
 *   - A change affects only pairs of hook and function that differ before and
 *     after it. During a call of the function, the hook of an unaffected pair is
 *     called once if it wants the function, else never. That holds for pairs in
 *     both the old and the new filter of a changing hook, or in neither, and for
 *     hooks that stay while others of the same function are added and removed.
 *   - A pair is changing from the call of the API to its return. A call of the
 *     function that begins after the return meets the new state, although no
 *     callback has been waited for. A call that overlaps with the change may
 *     meet the old or the new state, and calls the hook at most once.
 *   - Hooks of a function are called in order, the latest registered first.
 *   - A callback gets its own hook, the function, the function's return address
 *     and registers; all registers if the hook asked for them.
 *   - When unregistering returns, no CPU or task is in the callback or on the way
 *     to it. Changing a filter does not promise that: a callback may go on.
 *   - A change that is refused changes nothing.
 *   - A function with a debugger's breakpoint may miss hooks; it never calls a
 *     hook that does not want it or is unregistered. After the breakpoint is
 *     removed and any hook has been changed once, it misses none.
 *
 * The model is one word for each pair, which the changer writes before and
 * after each change and the caller reads before and after each call: if both
 * reads are equal and stable, the call must agree with the word. A callback runs
 * in the task, or in the interrupt, that calls the function, so its notes need
 * no protection, and are complete when the function returns.
 *
 * Loading succeeds if every call was right, and prints the number of calls;
 * otherwise it fails with EIO and prints what went wrong, or with ETIMEDOUT if
 * next to nothing happened. With lie=N, the model is wrong on purpose, and
 * loading has to fail.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poison.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/unaligned.h>
#include <linux/wait.h>

#include "hook_targets.h"

#define SLOTS		12
#define MAX_CHANGERS	4

/* Functions of the kernel that hooks are put on, too; changes call them. */
static void *const elsewhere[] = {
	schedule_timeout, wake_up_process, kthread_should_stop, mutex_unlock,
	complete, __wake_up, kfree, synchronize_rcu,
};

/* What a filter can name: the targets, then the functions elsewhere. */
#define FUNCS		(HOOK_TARGETS + (int)ARRAY_SIZE(elsewhere))

/* A run with less than this proves nothing. */
#define ENOUGH_CALLBACKS	1000
#define ENOUGH_CHANGES		40
#define ENOUGH_GOINGS		5
#define ENOUGH_HOLDS		50

static uint seconds = 5;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "how long to go on");

static uint changers = 4;
module_param(changers, uint, 0444);
MODULE_PARM_DESC(changers, "how many change hooks at the same time, at most 4");

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "what the changes are drawn from; 0: another each time");

enum lie {
	LIE_NONE,
	LIE_CHANGE,	/* the model inverts what hooks want after a change */
	LIE_ORDER,	/* the model wants the latest hook last */
	LIE_WAIT,	/* the model wants callbacks finished before unregistering */
	LIE_PARENT,	/* the model has functions return somewhere else */
	LIE_ANSWER,	/* the model has functions answer something else */
	LIE_DEBUGGER,	/* the model ignores breakpoints */
};

static uint lie;
module_param(lie, uint, 0444);
MODULE_PARM_DESC(lie, "1 to 6: tell the model what is not true, to see it fail");

static bool lies(enum lie which)
{
	return lie == which;
}

static bool debugger;
module_param(debugger, bool, 0444);
MODULE_PARM_DESC(debugger, "set and clear breakpoints on the functions (x86 only, needs ibt=off)");

static bool enomem;
module_param(enomem, bool, 0444);
MODULE_PARM_DESC(enomem, "changes may find no memory (see failslab's task-filter)");

/* ---- what went wrong ---- */

struct fault {
	const char	*what;
	int		slot, func;	/* -1: none */
	unsigned long	a, b;
};

/* The first faults. Callbacks cannot print: printk() may itself be hooked. */
static struct fault faults[16];
static atomic_t nr_faults;

static void fault(const char *what, int slot, int func, unsigned long a, unsigned long b)
{
	const int i = atomic_inc_return(&nr_faults) - 1;

	if (i < ARRAY_SIZE(faults))
		faults[i] = (struct fault){ what, slot, func, a, b };
}

static void show_faults(void)
{
	const int nr = min_t(int, atomic_read(&nr_faults), ARRAY_SIZE(faults));
	int i;

	for (i = 0; i < nr; i++)
		pr_err("hook_torture: FAULT: %s: hook %d, function %d, %lx, %lx\n",
		       faults[i].what, faults[i].slot, faults[i].func,
		       faults[i].a, faults[i].b);
}

/* ---- hooks, and what is known of them ---- */

/* Values of ->life, unlike what freed memory holds. */
#define ALIVE	0x600d1f35UL
#define DEAD	0x0badf00dUL

/* One hook of a slot; lives from one allocation to the next. */
struct hook {
	struct ftrace_ops	ops;
	unsigned long		life;		/* DEAD: the callback must not run */
	int			slot;
	bool			ever_all;	/* wanted all, since registered */
	DECLARE_BITMAP(ever, FUNCS);
};

/* What a hook wants: all functions if ->only is empty. */
struct setting {
	bool	on;
	DECLARE_BITMAP(only, FUNCS);
	DECLARE_BITMAP(except, FUNCS);
};

/* A place in the pool. Its changer owns all of it; callers read the times. */
struct slot {
	struct hook	*hook;
	struct setting	now;
	u64		begun, done;	/* registering, in ticks of clock */
};

/* Ticks before and after each registration of a hook. */
static atomic64_t clock;

static struct slot slots[SLOTS];

/*
 * The model: what callers may expect of a hook and a function. A completed
 * change adds VERSION, so that two equal words mean that there was no change in
 * between.
 */
#define WANTED		1
#define CHANGING	2
#define VERSION		4
static u32 pairs[HOOK_TARGETS][SLOTS];

/*
 * The function may miss hooks while its count is odd: there is a breakpoint, or
 * no hook has been changed since it was removed.
 */
static u32 debugged[HOOK_TARGETS];

static bool wants(const struct setting *w, int func)
{
	return w->on && (bitmap_empty(w->only, FUNCS) || test_bit(func, w->only)) &&
	       !test_bit(func, w->except);
}

/* Counts of what happened, which are printed at the end. */
static atomic_long_t comings, goings, edits, alls, refusals, holds, traps;

static long changes(void)
{
	return atomic_long_read(&comings) + atomic_long_read(&goings) +
	       atomic_long_read(&edits);
}

#include "hook_torture_calls.h"
#include "hook_torture_changes.h"
#include "hook_torture_debugger.h"

/* ---- before and after ---- */

static void __init learn_func(unsigned long ip, unsigned long parent,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct place *learned = ops->private;

	learned->ip = ip;
	targets_return_to = parent;
}

static int __init compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->ip < q->ip ? -1 : p->ip > q->ip;
}

/* Learn the addresses of the sites, and the targets' return address. */
static int __init learn_places(void)
{
	struct hook_call nobody = { .func = -1 };
	struct place learned = {};
	struct ftrace_ops ops = { .func = learn_func, .private = &learned };
	unsigned long offset;
	int err = 0, f;

	for (f = 0; f < HOOK_TARGETS && !err; f++)
		err = ftrace_set_filter_ip(&ops, (unsigned long)hook_targets[f].fn, 0, 0);
	err = err ?: register_ftrace_function(&ops);
	if (err)
		goto out;
	for (f = 0; f < HOOK_TARGETS; f++) {
		learned.ip = 0;
		call_target(&nobody, f);
		places[f] = (struct place){ learned.ip, f };
		err = learned.ip ? err : -ENODEV;
	}
	unregister_ftrace_function(&ops);

	offset = places[0].ip - (unsigned long)hook_targets[0].fn;
	for (f = HOOK_TARGETS; f < FUNCS; f++) {
		places[f].ip = (unsigned long)elsewhere[f - HOOK_TARGETS] + offset;
		places[f].func = f;
		err = err ?: ftrace_set_filter_ip(&ops, places[f].ip, 0, 0);
	}
	sort(places, FUNCS, sizeof(*places), compare_places, NULL);
out:
	ftrace_free_filter(&ops);
	return err;
}

static struct task_struct *start(int (*what)(void *), void *data, const char *name,
				 unsigned int nr)
{
	struct task_struct *t = kthread_create(what, data, "%s/%u", name, nr);

	return IS_ERR(t) ? NULL : t;
}

static void __init start_callers(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct caller *c = &callers[cpu];
		struct task_struct *t = start(caller_loop, c, "hook_call", cpu);

		if (!t)
			continue;
		hrtimer_setup(&c->timer, call_from_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
		prandom_seed_state(&c->by_task.dice, seed + 1000 + 2 * cpu);
		prandom_seed_state(&c->by_timer.dice, seed + 1001 + 2 * cpu);
		WRITE_ONCE(c->task, t);
		kthread_bind(t, cpu);
		wake_up_process(t);
	}
	cpus_read_unlock();
}

/* Add up the counts of all callers. */
static void add_up(struct hook_call *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct caller *c = &callers[cpu];

		sum->calls += READ_ONCE(c->by_task.calls) + READ_ONCE(c->by_timer.calls);
		sum->called += READ_ONCE(c->by_task.called) + READ_ONCE(c->by_timer.called);
		sum->met += READ_ONCE(c->by_task.met) + READ_ONCE(c->by_timer.met);
	}
}

static bool enough(void)
{
	struct hook_call sum;

	add_up(&sum);
	if (debugger && (atomic_long_read(&holds) < ENOUGH_HOLDS ||
			 atomic_long_read(&traps) < ENOUGH_HOLDS))
		return false;
	return sum.called >= ENOUGH_CALLBACKS && sum.met &&
	       changes() >= ENOUGH_CHANGES && atomic_long_read(&goings) >= ENOUGH_GOINGS;
}

/*
 * Wait for the given time, or until something went wrong; up to twenty times
 * as long on a machine that is too busy to get enough done.
 */
static void __init wait_for_work(void)
{
	const unsigned long begun = jiffies;
	const unsigned long end = begun + seconds * HZ;
	const unsigned long last = begun + 20UL * seconds * HZ;

	while (!atomic_read(&nr_faults) && time_before(jiffies, last) &&
	       (time_before(jiffies, end) || !enough()))
		msleep(100);
}

static int __init report(void)
{
	struct hook_call sum;

	add_up(&sum);
	show_faults();
	pr_info("hook_torture: seed %u: %lu calls, %lu callbacks, %lu calls met a change; %ld registered, %ld unregistered, %ld filters, %ld times all functions, %ld refused; %ld breakpoints, met %ld times; %d faults\n",
		seed, sum.calls, sum.called, sum.met, atomic_long_read(&comings),
		atomic_long_read(&goings), atomic_long_read(&edits),
		atomic_long_read(&alls), atomic_long_read(&refusals),
		atomic_long_read(&holds), atomic_long_read(&traps),
		atomic_read(&nr_faults));
	if (atomic_read(&nr_faults))
		return -EIO;
	return enough() ? 0 : -ETIMEDOUT;
}

static int __init torture_init(void)
{
	struct task_struct *changing[MAX_CHANGERS] = {}, *debugging = NULL;
	struct changer who[MAX_CHANGERS], me = {};
	int err, cpu, i;

	changers = clamp(changers, 1U, (uint)MAX_CHANGERS);
	seed = seed ?: get_random_u32() / 2;
	callers = kcalloc(nr_cpu_ids, sizeof(*callers), GFP_KERNEL);
	if (!callers)
		return -ENOMEM;
	err = learn_places();
	if (!err && debugger)
		err = start_debugger();
	if (err)
		goto out;

	start_callers();
	prandom_seed_state(&me.dice, seed + 500);
	if (debugger)
		debugging = start(debugger_loop, &me, "hook_debug", 0);
	if (debugging)
		wake_up_process(debugging);
	for (i = 0; i < changers; i++) {
		who[i].who = i;
		prandom_seed_state(&who[i].dice, seed + i);
		changing[i] = start(changer_loop, &who[i], "hook_change", i);
		if (changing[i])
			wake_up_process(changing[i]);
	}

	wait_for_work();

	/* Stop the debugger first: calls after its last breakpoint are judged, too. */
	if (debugging)
		kthread_stop(debugging);
	for (i = 0; i < changers; i++)
		if (changing[i])
			kthread_stop(changing[i]);
	for_each_possible_cpu(cpu)
		if (callers[cpu].task)
			kthread_stop(callers[cpu].task);
	for (i = 0; i < SLOTS; i++)
		free_hook(&slots[i]);
	if (debugger)
		stop_debugger();
	err = report();
out:
	kfree(callers);
	return err;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Changes hooks while every CPU calls what they are on");
MODULE_LICENSE("GPL");
