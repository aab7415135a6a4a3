// SPDX-License-Identifier: GPL-2.0
/*
 * Change hooks while every CPU calls what they are on, and judge each call.
 *
 *   insmod hook_torture.ko seconds=10 changers=4 seed=1
 *
 * The module owns HOOK_TARGETS functions and SLOTS hooks on them, of all kinds.
 * A caller on each CPU, and a timer that interrupts it, call the functions in
 * random order. Changers, each of which owns every n-th hook, register them,
 * unregister them one by one and several at once, and change the filters of
 * those that are registered and those that are not, by address, by name and by
 * pattern, wanted and not wanted. Hooks also go to functions of the kernel and
 * now and then to all of them, and are freed when they are off.
 *
 * What is judged is what is promised:
 *
 *   - A pair of hook and function that no change is about is as it was: during
 *     a call of the function, such a hook is called once if it wants the
 *     function, and never if it does not. That holds for pairs that both the
 *     old and the new filter of a changing hook have, or that neither has, and
 *     for hooks that stay while others come to the same function and go.
 *   - A change is about a pair from when the API is called to when it returns,
 *     and what it returns with holds: a call that begins later meets the new
 *     state, although nobody has waited for callbacks. A call that overlaps
 *     with the change may meet either, and the hook at most once.
 *   - Hooks of a function are called in order, the latest registered first.
 *   - A callback gets its own hook, the function, where the function returns
 *     to, and its registers; all of them if it asked for that.
 *   - When unregistering returns, nobody is in the callback or on the way to it.
 *     Changing a filter promises no such thing: a callback may go on.
 *   - A change that is refused changes nothing.
 *   - A function with a debugger's breakpoint may miss hooks; it never calls one
 *     that does not want it, nor one that is gone. When the breakpoint has gone
 *     and one change of any hook has been made, it misses none.
 *
 * The model is one word for each pair, which the changer writes before and
 * after each change and the caller reads before and after each call: if it is
 * the same and stable, the call has to be as it says. A callback runs in the
 * task, or in the interrupt, that calls the function, so its notes need no
 * protection, and are complete when the function returns.
 *
 * Loading ends with success if every call was as it had to be, and says how
 * many there were; otherwise it fails with EIO and says what went wrong, or
 * with ETIMEDOUT if next to nothing happened. With lie=N, the model is told
 * something that is not true, and it has to fail.
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
#include <asm/text-patching.h>

#include "hook_targets.h"

#define SLOTS		12
#define MAX_CHANGERS	4

/* Functions of the kernel that hooks go to, too; the changes call them. */
static void *const elsewhere[] = {
	schedule_timeout, wake_up_process, kthread_should_stop, mutex_unlock,
	complete, __wake_up, kfree, synchronize_rcu,
};

/* What a filter can name: the targets, then the functions elsewhere. */
#define FUNCS		(HOOK_TARGETS + (int)ARRAY_SIZE(elsewhere))

/* Less than that proves nothing. */
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
	LIE_CHANGE,	/* the model takes what changes for what does not */
	LIE_ORDER,	/* the model wants the latest last */
	LIE_WAIT,	/* the model wants nobody in the callback already before */
	LIE_PARENT,	/* the model has functions return somewhere else */
	LIE_ANSWER,	/* the model has functions answer something else */
	LIE_DEBUGGER,	/* the model knows of no breakpoints */
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
MODULE_PARM_DESC(debugger, "set and clear breakpoints on the functions (needs ibt=off)");

static bool enomem;
module_param(enomem, bool, 0444);
MODULE_PARM_DESC(enomem, "changes may find no memory (see failslab's task-filter)");

/* ---- what went wrong ---- */

struct fault {
	const char	*what;
	int		slot, func;	/* -1: none */
	unsigned long	a, b;
};

/* The first ones. Callbacks cannot print: they may be on printk() itself. */
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

/* On ->life: not a number that freed memory could hold. */
#define ALIVE	0x600d1f35UL
#define DEAD	0x0badf00dUL

/* One hook of a slot; lives from one allocation to the next. */
struct hook {
	struct ftrace_ops	ops;
	unsigned long		life;		/* DEAD: nobody may be in the callback */
	int			slot;
	bool			ever_all;	/* since it was registered */
	DECLARE_BITMAP(ever, FUNCS);
};

/* What a hook wants. Without a function that is named it wants all. */
struct setting {
	bool	on;
	DECLARE_BITMAP(only, FUNCS);
	DECLARE_BITMAP(except, FUNCS);
};

/* A place in the pool. All of it is its changer's; callers read the times. */
struct slot {
	struct hook	*hook;
	struct setting	now;
	u64		begun, done;	/* registering, on the clock */
};

/* Ticks when a hook begins to be registered, and when it is. */
static atomic64_t clock;

static struct slot slots[SLOTS];

/*
 * The model: what callers may believe of a hook and a function. A completed
 * change adds VERSION, so that two words that are the same mean that there was
 * none in between.
 */
#define WANTED		1
#define CHANGING	2
#define VERSION		4
static u32 pairs[HOOK_TARGETS][SLOTS];

/*
 * The function may miss hooks while this is odd: there is a breakpoint, or no
 * change has been made since it went.
 */
static u32 debugged[HOOK_TARGETS];

static bool wants(const struct setting *w, int func)
{
	return w->on && (bitmap_empty(w->only, FUNCS) || test_bit(func, w->only)) &&
	       !test_bit(func, w->except);
}

/* Some figures. */
static atomic_long_t comings, goings, edits, alls, refusals, holds, traps;

static long changes(void)
{
	return atomic_long_read(&comings) + atomic_long_read(&goings) +
	       atomic_long_read(&edits);
}

/* ---- the callers ---- */

#define MOST_NOTES	(2 * SLOTS)

/* Calls of one task, or of one timer, one at a time. */
struct hook_call {
	struct rnd_state	dice;
	int			func;		/* that is being called; -1: none */
	unsigned int		nr;		/* of callbacks during the call, */
	u8			order[MOST_NOTES];	/* and whose */
	u8			count[SLOTS];
	u32			before[SLOTS];
	u32			debugged;
	unsigned long		calls, called, met;
};

struct caller {
	struct task_struct	*task;
	struct hrtimer		timer;
	struct hook_call	by_task, by_timer;
};

static struct caller *callers;

/* Whose calls an interrupt of this CPU makes, while it does. */
static DEFINE_PER_CPU(struct hook_call *, timer_calls);

/* Where the targets return to: there is one place that calls them. */
static unsigned long return_address;

static noinline __noclone unsigned long
call_target(struct hook_call *c, int func)
{
	const unsigned long answer = hook_targets[func].fn(c, 1, 2, 3, 4, 5);

	/* Not its tail, or the targets would return elsewhere. */
	barrier();
	return answer;
}

/* When hooks were registered, as it is while their pairs are stable and wanted. */
struct times {
	u64	begun[SLOTS], done[SLOTS];
};

static void read_times(const struct hook_call *c, struct times *times)
{
	int s;

	for (s = 0; s < SLOTS; s++) {
		if (!c->count[s])
			continue;
		times->begun[s] = READ_ONCE(slots[s].begun);
		times->done[s] = READ_ONCE(slots[s].done);
		if (lies(LIE_ORDER)) {
			times->begun[s] = -times->begun[s];
			times->done[s] = times->begun[s];
		}
	}
}

/* The latest first: one that is called after another was not registered after it. */
static void judge_order(const struct hook_call *c, int func, unsigned long stable,
			const struct times *times)
{
	u64 earliest = U64_MAX;
	unsigned int i;

	for (i = 0; i < min(c->nr, MOST_NOTES); i++) {
		const int s = c->order[i];

		if (!(stable & BIT(s)))
			continue;
		if (earliest < times->begun[s])
			fault("order of callbacks", s, func, earliest, times->begun[s]);
		earliest = min(earliest, times->done[s]);
	}
}

static void judge(struct hook_call *c, int func)
{
	unsigned long stable = 0;
	struct times times;
	bool may_miss;
	int s;

	read_times(c, &times);
	/*
	 * Orders the call and the times against what is believed still; pairs
	 * with the barrier of change_begins().
	 */
	smp_mb();
	may_miss = (c->debugged & 1) || READ_ONCE(debugged[func]) != c->debugged;
	for (s = 0; s < SLOTS; s++) {
		const u32 was = c->before[s];
		const bool wanted = was & WANTED;

		if (c->count[s] > 1)
			fault("called more than once", s, func, c->count[s], was);
		if ((was & CHANGING) || READ_ONCE(pairs[func][s]) != was)
			continue;
		stable |= BIT(s);
		if (c->count[s] != wanted && !(wanted && may_miss))
			fault(wanted ? "not called" : "called, not wanted", s, func,
			      c->count[s], was);
	}
	judge_order(c, func, stable, &times);

	c->calls++;
	c->called += c->nr;
	c->met += stable != BIT(SLOTS) - 1;
}

static void call_one(struct hook_call *c)
{
	const int func = prandom_u32_state(&c->dice) % HOOK_TARGETS;
	unsigned long answer;
	int s;

	memset(c->count, 0, sizeof(c->count));
	c->nr = 0;
	c->func = func;
	for (s = 0; s < SLOTS; s++)
		c->before[s] = READ_ONCE(pairs[func][s]);
	c->debugged = READ_ONCE(debugged[func]);
	/*
	 * Orders what is believed against the call; pairs with the barrier of
	 * change_ends().
	 */
	smp_mb();
	answer = call_target(c, func);
	c->func = -1;

	if (answer != hook_target_answer(func, c, 1, 2, 3, 4, 5) + lies(LIE_ANSWER))
		fault("arguments or answer", -1, func, answer, 0);
	judge(c, func);
}

static enum hrtimer_restart call_from_timer(struct hrtimer *timer)
{
	struct caller *caller = container_of(timer, struct caller, timer);

	this_cpu_write(timer_calls, &caller->by_timer);
	call_one(&caller->by_timer);
	this_cpu_write(timer_calls, NULL);

	hrtimer_forward_now(timer, ms_to_ktime(1));
	return HRTIMER_RESTART;
}

/* Pinned to its CPU as long as that is there, and on some other if it goes. */
static int caller_loop(void *data)
{
	struct caller *caller = data;
	unsigned int n = 0;

	hrtimer_start(&caller->timer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		call_one(&caller->by_task);
		/* Unregistering waits until we have slept; changers need the CPU. */
		if (!(++n & 63))
			schedule_timeout_uninterruptible(1);
		else if (!(n & 15))
			cond_resched_tasks_rcu_qs();
	}
	hrtimer_cancel(&caller->timer);
	return 0;
}

/* ---- callbacks ---- */

/* What calls the function that we are in; NULL: nobody who should. */
static __always_inline struct hook_call *current_call(void)
{
	unsigned int i;

	if (in_nmi())
		return NULL;
	if (in_hardirq())
		return this_cpu_read(timer_calls);
	for (i = 0; i < nr_cpu_ids; i++)
		if (READ_ONCE(callers[i].task) == current)
			return &callers[i].by_task;
	return NULL;
}

/* Call sites of all functions in FUNCS, in order. */
static struct place {
	unsigned long	ip;
	int		func;
} places[FUNCS];

static __always_inline int place_of(unsigned long ip)
{
	int first = 0, end = FUNCS;

	while (first < end) {
		const int i = (first + end) / 2;

		if (places[i].ip == ip)
			return places[i].func;
		if (places[i].ip < ip)
			first = i + 1;
		else
			end = i;
	}
	return -1;
}

/* What a callback is given of the function's registers. */
static __always_inline void check_regs(const struct hook *h, int func, unsigned long ip,
				       unsigned long parent, const struct hook_call *c,
				       struct ftrace_regs *fregs)
{
	const unsigned long *stack = (void *)ftrace_regs_get_stack_pointer(fregs);
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (ftrace_regs_get_argument(fregs, 0) != (unsigned long)c ||
	    ftrace_regs_get_argument(fregs, 5) != 5)
		fault("argument registers", h->slot, func,
		      ftrace_regs_get_argument(fregs, 0), (unsigned long)c);
	if (*stack != parent)
		fault("stack pointer", h->slot, func, *stack, parent);
	if (!(h->ops.flags & FTRACE_OPS_FL_SAVE_REGS))
		return;
	if (!regs)
		fault("wants all registers", h->slot, func, 0, 0);
	else if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
		fault("instruction pointer", h->slot, func, instruction_pointer(regs), ip);
}

/* On a target: a note for the one who calls it. */
static __always_inline void note(const struct hook *h, int func, unsigned long ip,
				 unsigned long parent, struct ftrace_regs *fregs)
{
	struct hook_call *c = current_call();

	if (!c || c->func != func) {
		fault("on a function that nobody calls", h->slot, func,
		      (unsigned long)c, c ? c->func : 0);
		return;
	}
	if (parent != return_address + lies(LIE_PARENT))
		fault("return address", h->slot, func, parent, return_address);
	check_regs(h, func, ip, parent, c, fregs);

	if (c->nr < MOST_NOTES)
		c->order[c->nr] = h->slot;
	c->nr++;
	c->count[h->slot]++;
}

/* Most are quick; some are still here when much else has happened. */
static __always_inline void linger(void)
{
	static unsigned int n;
	unsigned int turns = READ_ONCE(n) + 1;

	WRITE_ONCE(n, turns);
	turns = turns % 64 ? 0 : 500;
	while (turns--)
		cpu_relax();
}

/* Calls nothing that could be hooked: some are on every function. */
static __always_inline void callback(unsigned long ip, unsigned long parent,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct hook *h = container_of(ops, struct hook, ops);
	const int func = place_of(ip);

	if (READ_ONCE(h->life) != ALIVE) {
		fault("called when unregistered", -1, func, READ_ONCE(h->life), ip);
		return;
	}
	if (func >= 0 && func < HOOK_TARGETS) {
		note(h, func, ip, parent, fregs);
		if (!in_hardirq())
			linger();
	} else if (!READ_ONCE(h->ever_all) && (func < 0 || !test_bit(func, h->ever))) {
		fault("on a function that it never wanted", h->slot, func, ip, parent);
	}
	if (READ_ONCE(h->life) != ALIVE)
		fault("unregistered while it was called", -1, func, READ_ONCE(h->life), ip);
}

static void plain_func(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
	if (ops->func != plain_func)
		fault("another hook's callback", -1, -1, (unsigned long)ops->func, ip);
	callback(ip, parent, ops, fregs);
}

static void guarded_func(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	if (ops->func != guarded_func)
		fault("another hook's callback", -1, -1, (unsigned long)ops->func, ip);
	callback(ip, parent, ops, fregs);
}

static const struct kind {
	ftrace_func_t	func;
	unsigned long	flags;
} kinds[] = {
	{ plain_func },
	{ plain_func,	FTRACE_OPS_FL_SAVE_REGS },
	{ plain_func,	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION },
	{ guarded_func,	FTRACE_OPS_FL_RCU },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_SAVE_REGS },
};

/* ---- changes ---- */

struct changer {
	unsigned int		who;
	struct rnd_state	dice;
};

static unsigned int roll(struct changer *me, unsigned int below)
{
	return prandom_u32_state(&me->dice) % below;
}

/* From here on, callers believe nothing of the pairs that @to is another for. */
static void announce(struct slot *s, const struct setting *to)
{
	const int nr = s - slots;
	int f;

	if (to->on && bitmap_empty(to->only, FUNCS))
		WRITE_ONCE(s->hook->ever_all, true);
	if (to->on)
		bitmap_or(s->hook->ever, s->hook->ever, to->only, FUNCS);
	for (f = 0; f < HOOK_TARGETS; f++)
		if (wants(&s->now, f) != wants(to, f))
			WRITE_ONCE(pairs[f][nr], pairs[f][nr] | CHANGING);
}

/* What was announced is so. */
static void conclude(struct slot *s, const struct setting *to)
{
	const int nr = s - slots;
	int f;

	for (f = 0; f < HOOK_TARGETS; f++) {
		u32 pair = pairs[f][nr];

		if (!(pair & CHANGING))
			continue;
		pair = (pair & ~(WANTED | CHANGING)) + VERSION;
		if (wants(to, f) != (lies(LIE_CHANGE) && changes() > 20))
			pair |= WANTED;
		WRITE_ONCE(pairs[f][nr], pair);
	}
	s->now = *to;
}

/* Allocations of this task are those that failslab may refuse, or not. */
#ifdef CONFIG_FAULT_INJECTION
static void may_fail(bool may)
{
	current->make_it_fail = may;
}
#else
static void may_fail(bool may)
{
}
#endif

/* What comes before the call of the API. */
static void change_begins(struct slot *s, const struct setting *to)
{
	announce(s, to);
	/*
	 * Orders what is believed no more against the change; pairs with the
	 * barrier of judge(): a call that has met the new state sees CHANGING,
	 * or a later VERSION, afterwards.
	 */
	smp_mb();
	may_fail(enomem);
}

/* What comes after. @wanted: what the API has to say. */
static bool change_ends(struct slot *s, const struct setting *to, int err, int wanted)
{
	const struct setting old = s->now;

	may_fail(false);
	/*
	 * Orders the change against what is believed from now on; pairs with
	 * the barrier of call_one(): who believes it meets the new state.
	 */
	smp_mb();
	conclude(s, err ? &old : to);
	if (err == -ENOMEM && enomem && to->on >= old.on) {
		atomic_long_inc(&refusals);
		return false;
	}
	if (err != wanted)
		fault("the API's answer", s - slots, -1, err, wanted);
	return !err;
}

static void come(struct slot *s)
{
	struct hook *h = s->hook;
	struct setting to = s->now;
	int err;

	to.on = true;
	WRITE_ONCE(h->ever_all, false);
	bitmap_zero(h->ever, FUNCS);
	WRITE_ONCE(h->life, ALIVE);
	change_begins(s, &to);
	WRITE_ONCE(s->begun, atomic64_inc_return(&clock));
	err = register_ftrace_function(&h->ops);
	WRITE_ONCE(s->done, atomic64_inc_return(&clock));
	if (change_ends(s, &to, err, 0))
		atomic_long_inc(&comings);
	else
		WRITE_ONCE(h->life, DEAD);
}

static void go(struct slot **going, unsigned int nr)
{
	struct ftrace_ops *ops[SLOTS];
	struct setting to[SLOTS];
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		ops[i] = &going[i]->hook->ops;
		to[i] = going[i]->now;
		to[i].on = false;
		if (lies(LIE_WAIT))
			WRITE_ONCE(going[i]->hook->life, DEAD);
	}
	for (i = 0; i < nr; i++)
		change_begins(going[i], &to[i]);
	err = nr == 1 ? unregister_ftrace_function(ops[0]) :
			unregister_ftrace_functions(ops, nr);
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(going[i]->hook->life, DEAD);
		change_ends(going[i], &to[i], err, 0);
		atomic_long_inc(&goings);
	}
}

/* The function's address, or that of its site. */
static unsigned long address_of(struct changer *me, int func)
{
	int i;

	if (func >= HOOK_TARGETS)
		return (unsigned long)elsewhere[func - HOOK_TARGETS];
	if (roll(me, 2))
		return (unsigned long)hook_targets[func].fn;
	for (i = 0; places[i].func != func; i++)
		;
	return places[i].ip;
}

/* Name functions by their addresses, or take them out. */
static void set_ips(struct changer *me, struct slot *s, const unsigned long *given,
		    bool remove, bool reset)
{
	struct ftrace_ops *ops = &s->hook->ops;
	struct setting to = s->now;
	unsigned long ips[FUNCS];
	unsigned int nr = 0, f;
	int err, wanted = 0;

	for_each_set_bit(f, given, FUNCS)
		ips[nr++] = address_of(me, f);

	if (remove && (reset || !bitmap_subset(given, to.only, FUNCS)))
		wanted = -ENOENT;
	else if (remove)
		bitmap_andnot(to.only, to.only, given, FUNCS);
	else if (reset)
		bitmap_copy(to.only, given, FUNCS);
	else
		bitmap_or(to.only, to.only, given, FUNCS);

	change_begins(s, &to);
	err = nr == 1 ? ftrace_set_filter_ip(ops, ips[0], remove, reset) :
			ftrace_set_filter_ips(ops, ips, nr, remove, reset);
	change_ends(s, &to, err, wanted);
	atomic_long_inc(&edits);
}

/* As @percent of them at random; one at least. */
static void draw(struct changer *me, unsigned long *set, unsigned int percent)
{
	int f;

	bitmap_zero(set, FUNCS);
	for (f = 0; f < FUNCS; f++)
		if (roll(me, 100) < percent)
			__set_bit(f, set);
	if (bitmap_empty(set, FUNCS))
		__set_bit(roll(me, HOOK_TARGETS), set);
}

static void add_ips(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(given, FUNCS);

	draw(me, given, roll(me, 2) ? 0 : roll(me, 40));
	set_ips(me, s, given, false, !roll(me, 4));
}

static void remove_ips(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(given, FUNCS);
	DECLARE_BITMAP(rest, FUNCS);

	draw(me, given, roll(me, 2) ? 0 : roll(me, 60));
	/* As it is, it will be refused as a whole. */
	if (roll(me, 8))
		bitmap_and(given, given, s->now.only, FUNCS);
	/* None left would mean all. */
	bitmap_andnot(rest, s->now.only, given, FUNCS);
	if (!bitmap_empty(given, FUNCS) && !bitmap_empty(rest, FUNCS))
		set_ips(me, s, given, true, false);
}

/* A pattern, with or without "!", and the targets whose names it has. */
static int draw_pattern(struct changer *me, char *buf, size_t size, unsigned long *set)
{
	const unsigned int a = roll(me, 5), b = roll(me, 10);
	const char *pattern;
	int f;

	switch (roll(me, 6)) {
	case 0:
		snprintf(buf, size, "!hook_target_%u*", a);
		break;
	case 1:
		snprintf(buf, size, "!hook_target_?%u", b);
		break;
	case 2:
		snprintf(buf, size, "!*ook_target_%u%u", a, b % 8);
		break;
	case 3:
		snprintf(buf, size, "!hook_target_[0-%u]%u", a, b);
		break;
	case 4:
		snprintf(buf, size, "!*ook_target_%u*", a);
		break;
	default:
		snprintf(buf, size, "!hook_target_%u%u", a, b % 8);
		break;
	}

	pattern = buf + 1;
	bitmap_zero(set, FUNCS);
	for (f = 0; f < HOOK_TARGETS; f++)
		if (glob_match(pattern, hook_targets[f].name))
			__set_bit(f, set);
	return roll(me, 2);	/* from the "!", or from what comes after */
}

static void set_by_name(struct changer *me, struct slot *s, bool except)
{
	struct ftrace_ops *ops = &s->hook->ops;
	struct setting to = s->now;
	unsigned long *words = except ? to.except : to.only;
	DECLARE_BITMAP(given, FUNCS);
	char buf[32], *word;
	bool reset = false;
	int err;

	if (draw_pattern(me, buf, sizeof(buf), given)) {
		word = buf;
		bitmap_andnot(words, words, given, FUNCS);
	} else {
		word = buf + 1;
		reset = !roll(me, 2);
		if (reset)
			bitmap_zero(words, FUNCS);
		bitmap_or(words, words, given, FUNCS);
	}
	/* None left would mean all. */
	if (!except && bitmap_empty(words, FUNCS))
		return;

	change_begins(s, &to);
	err = except ? ftrace_set_notrace(ops, word, strlen(word), reset) :
		       ftrace_set_filter(ops, word, strlen(word), reset);
	change_ends(s, &to, err, 0);
	atomic_long_inc(&edits);
}

/* Nothing is left out any more. */
static void except_nothing(struct slot *s)
{
	struct setting to = s->now;
	int err;

	bitmap_zero(to.except, FUNCS);
	change_begins(s, &to);
	err = ftrace_set_notrace(&s->hook->ops, NULL, 0, 1);
	change_ends(s, &to, err, 0);
	atomic_long_inc(&edits);
}

/* On every function of the kernel, for as long as that takes. */
static void want_all(struct changer *me, struct slot *s)
{
	DECLARE_BITMAP(few, FUNCS);
	struct setting to = s->now;
	int err;

	bitmap_zero(to.only, FUNCS);
	change_begins(s, &to);
	err = ftrace_set_filter(&s->hook->ops, NULL, 0, 1);
	if (change_ends(s, &to, err, 0))
		atomic_long_inc(&alls);

	/* Out of memory it may stay all a while longer. */
	draw(me, few, 20);
	set_ips(me, s, few, false, true);
}

/* What cannot be: it changes nothing. */
static void ask_nonsense(struct slot *s)
{
	struct ftrace_ops *ops = &s->hook->ops;
	const struct setting to = s->now;
	unsigned char name[] = "hook_target_99*";
	unsigned long ips[] = { (unsigned long)hook_targets[0].fn, (unsigned long)slots };

	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_filter(ops, name, sizeof(name) - 1, 1), -EINVAL);
	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_notrace(ops, name, sizeof(name) - 1, 1), -EINVAL);
	change_begins(s, &to);
	change_ends(s, &to, ftrace_set_filter_ips(ops, ips, 2, 0, 1), -EINVAL);
}

/* It may be freed the moment that unregistering has returned. */
static void free_hook(struct slot *s)
{
	struct hook *h = s->hook;

	if (!h)
		return;
	ftrace_free_filter(&h->ops);
	memset(h, POISON_FREE, sizeof(*h));
	kfree(h);
	s->hook = NULL;
}

static int make_hook(struct changer *me, struct slot *s)
{
	const struct kind *kind = &kinds[roll(me, ARRAY_SIZE(kinds))];
	DECLARE_BITMAP(few, FUNCS);
	struct hook *h;

	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	h->ops.func = kind->func;
	h->ops.flags = kind->flags;
	h->life = DEAD;
	h->slot = s - slots;
	s->hook = h;
	s->now = (struct setting){};

	draw(me, few, 20);
	set_ips(me, s, few, false, true);
	return 0;
}

static unsigned int own_slots(struct changer *me, struct slot **own)
{
	unsigned int i, nr = 0;

	for (i = me->who; i < SLOTS; i += changers)
		own[nr++] = &slots[i];
	return nr;
}

static void go_together(struct changer *me, unsigned int percent)
{
	struct slot *own[SLOTS];
	unsigned int i, nr = 0;

	for (i = me->who; i < SLOTS; i += changers)
		if (slots[i].now.on && roll(me, 100) < percent)
			own[nr++] = &slots[i];
	if (nr)
		go(own, nr);
}

static void change_slot(struct changer *me, struct slot *s)
{
	switch (roll(me, 48)) {
	case 0 ... 2:
		if (s->now.on)
			go(&s, 1);
		else
			come(s);
		break;
	case 3 ... 15:
		add_ips(me, s);
		break;
	case 16 ... 26:
		remove_ips(me, s);
		break;
	case 27 ... 35:
		set_by_name(me, s, false);
		break;
	case 36 ... 41:
		set_by_name(me, s, true);
		break;
	case 42 ... 43:
		except_nothing(s);
		break;
	case 44 ... 46:
		ask_nonsense(s);
		break;
	default:
		/* 30,000 sites there and back take a while. */
		if (!roll(me, 4))
			want_all(me, s);
		break;
	}
}

static int changer_loop(void *data)
{
	struct changer *me = data;
	struct slot *own[SLOTS];
	const unsigned int nr = own_slots(me, own);

	while (!kthread_should_stop()) {
		struct slot *s = own[roll(me, nr)];

		if (!s->hook || (!s->now.on && !roll(me, 4))) {
			free_hook(s);
			if (make_hook(me, s)) {
				fault("no memory", s - slots, -1, 0, 0);
				break;
			}
		}
		/* Out of luck in make_hook(): it has no filter. */
		if (bitmap_empty(s->now.only, FUNCS))
			add_ips(me, s);
		else if (!s->now.on && roll(me, 2))
			come(s);
		else
			change_slot(me, s);
		if (!roll(me, 80))
			go_together(me, 60);
		cond_resched();
	}
	go_together(me, 100);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	return 0;
}

/* ---- a debugger ---- */

/*
 * Breakpoints are set and cleared as kgdb does it, one byte with text_mutex in
 * nobody else's hands, and for the CPU that meets one the handler does what the
 * instruction under it does: a call, or a nop.
 */
static struct mutex *text_lock;
static void *(*poke)(void *addr, const void *bytes, size_t len);
static void (*sync_text)(void);
static bool (*is_trampoline)(unsigned long addr);
static unsigned long mixed_trampoline;

/* Guarded by text_mutex; the handler is over when sync_text() returns. */
static u8 under[HOOK_TARGETS];
static bool held[HOOK_TARGETS];

static unsigned long site_of(int func)
{
	int i;

	for (i = 0; places[i].func != func; i++)
		;
	return places[i].ip;
}

/* The tracer may be writing these four bytes now: wait for what makes sense. */
static unsigned long call_under(unsigned long ip)
{
	unsigned long target;

	do {
		target = ip + CALL_INSN_SIZE + get_unaligned((s32 *)(ip + 1));
	} while (target != mixed_trampoline && !is_trampoline(target));

	return target;
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
		int3_emulate_call(regs, call_under(ip));
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
	/* Orders what is believed no more against the breakpoints; as change_begins(). */
	smp_mb();
	mutex_lock(text_lock);
	for_each_set_bit(f, funcs, HOOK_TARGETS) {
		void *ip = (void *)site_of(f);

		under[f] = *(u8 *)ip;
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

/* A change that has nothing to do with the functions. */
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
	/* Others may make the change as well. */
	if (roll(me, 2))
		schedule_timeout_uninterruptible(1 + roll(me, HZ / 50));
	change_elsewhere();

	/* Orders the change against what is believed from now on; as change_ends(). */
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

/* What a module cannot link to. */
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
	sync_text = find_function(lookup, "text_poke_sync");
	is_trampoline = find_function(lookup, "is_ftrace_trampoline");
	mixed_trampoline = (unsigned long)find_function(lookup, "ftrace_mixed_caller");
	if (!text_lock || !poke || !sync_text || !is_trampoline || !mixed_trampoline)
		return -ENOENT;
	return register_die_notifier(&breakpoint_nb);
}

/* ---- before and after ---- */

static void __init learn_func(unsigned long ip, unsigned long parent,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct place *learned = ops->private;

	learned->ip = ip;
	return_address = parent;
}

static int __init compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->ip < q->ip ? -1 : p->ip > q->ip;
}

/* Where the sites are, and where the one who calls them is returned to. */
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
		hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		c->timer.function = call_from_timer;
		prandom_seed_state(&c->by_task.dice, seed + 1000 + 2 * cpu);
		prandom_seed_state(&c->by_timer.dice, seed + 1001 + 2 * cpu);
		WRITE_ONCE(c->task, t);
		kthread_bind(t, cpu);
		wake_up_process(t);
	}
	cpus_read_unlock();
}

/* What all callers have come to. */
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
 * The time that was asked for, or until something went wrong; up to twenty
 * times that on a machine that is too busy to get enough done.
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

	/* First: what it leaves behind is judged, too. */
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
		unregister_die_notifier(&breakpoint_nb);
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
