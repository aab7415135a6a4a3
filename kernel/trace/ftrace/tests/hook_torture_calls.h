/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of hook_torture.c: the callers of the functions, and the callbacks.
 */
#ifndef _FTRACE_HOOK_TORTURE_CALLS_H
#define _FTRACE_HOOK_TORTURE_CALLS_H

/* ---- the callers ---- */

#define MOST_NOTES	(2 * SLOTS)

/* Calls of one task, or of one timer, one at a time. */
struct hook_call {
	struct rnd_state	dice;
	int			func;		/* being called; -1: none */
	unsigned int		nr;		/* callbacks during the call */
	u8			order[MOST_NOTES];	/* the hooks called, in order */
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

/* The calls that this CPU's timer interrupt is making; NULL: none. */
static DEFINE_PER_CPU(struct hook_call *, timer_calls);

/* The targets' return address: only call_target() calls them. */
static unsigned long targets_return_to;

static noinline __noclone unsigned long
call_target(struct hook_call *c, int func)
{
	const unsigned long answer = hook_targets[func].fn(c, 1, 2, 3, 4, 5);

	/* No tail call, or the targets would return elsewhere. */
	barrier();
	return answer;
}

/* When hooks were registered; valid for pairs that are stable and wanted. */
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

/* The latest first: a hook was not registered after one that is called before it. */
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
	 * Orders the call and the reads of times before the second read of the
	 * pairs; pairs with the barrier of change_begins().
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
	 * Orders the first read of the pairs before the call; pairs with the
	 * barrier of change_ends().
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

/* Pinned to its CPU; on another CPU if that one goes offline. */
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

/* The calls of the current task or timer; NULL: it is not one of the callers. */
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

/* Call sites of all functions in FUNCS, in ascending order. */
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

/* Where the function's return address is: on the stack, or where a register is saved. */
static __always_inline const unsigned long *return_slot(struct ftrace_regs *fregs)
{
#ifdef arch_ftrace_graph_place
	return arch_ftrace_graph_place(fregs);
#else
	return (void *)ftrace_regs_get_stack_pointer(fregs);
#endif
}

/* Check the registers that a callback gets. */
static __always_inline void check_regs(const struct hook *h, int func, unsigned long ip,
				       unsigned long parent, const struct hook_call *c,
				       struct ftrace_regs *fregs)
{
	const unsigned long *slot = return_slot(fregs);
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (ftrace_regs_get_argument(fregs, 0) != (unsigned long)c ||
	    ftrace_regs_get_argument(fregs, 5) != 5)
		fault("argument registers", h->slot, func,
		      ftrace_regs_get_argument(fregs, 0), (unsigned long)c);
	if (*slot != parent)
		fault("return address", h->slot, func, *slot, parent);
	if (!(h->ops.flags & FTRACE_OPS_FL_SAVE_REGS))
		return;
	if (!regs)
		fault("wants all registers", h->slot, func, 0, 0);
	else if (instruction_pointer(regs) != ip + MCOUNT_INSN_SIZE)
		fault("instruction pointer", h->slot, func, instruction_pointer(regs), ip);
}

/* A callback of a target: check it, and note it for the caller. */
static __always_inline void note(const struct hook *h, int func, unsigned long ip,
				 unsigned long parent, struct ftrace_regs *fregs)
{
	struct hook_call *c = current_call();

	if (!c || c->func != func) {
		fault("on a function that nobody calls", h->slot, func,
		      (unsigned long)c, c ? c->func : 0);
		return;
	}
	if (parent != targets_return_to + lies(LIE_PARENT))
		fault("return address", h->slot, func, parent, targets_return_to);
	check_regs(h, func, ip, parent, c, fregs);

	if (c->nr < MOST_NOTES)
		c->order[c->nr] = h->slot;
	c->nr++;
	c->count[h->slot]++;
}

/* Most callbacks are quick; every 64th one takes long. */
static __always_inline void linger(void)
{
	static unsigned int n;
	unsigned int turns = READ_ONCE(n) + 1;

	WRITE_ONCE(n, turns);
	turns = turns % 64 ? 0 : 500;
	while (turns--)
		cpu_relax();
}

/* Calls nothing that could be hooked: some hooks are on every function. */
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

/* Without trampolines for them, hooks that must have all registers are refused. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define ALL_REGS	FTRACE_OPS_FL_SAVE_REGS
#else
#define ALL_REGS	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED
#endif

static const struct kind {
	ftrace_func_t	func;
	unsigned long	flags;
} kinds[] = {
	{ plain_func },
	{ plain_func,	ALL_REGS },
	{ plain_func,	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION },
	{ guarded_func,	FTRACE_OPS_FL_RCU },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU },
	{ guarded_func,	FTRACE_OPS_FL_RECURSION | ALL_REGS },
};

#endif /* _FTRACE_HOOK_TORTURE_CALLS_H */
