// SPDX-License-Identifier: GPL-2.0
/*
 * The shadow stacks of tasks, and the time that tasks slept.
 *
 * When the first client registers, every task gets a shadow stack. While there
 * are clients, new tasks get one when they are forked. A task keeps its stack
 * until it is freed, as functions that were entered long ago return through it.
 * A task without a stack, for lack of memory when it was forked, is not watched;
 * this is not reported.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include <trace/events/sched.h>

#include "../../trace.h"
#include "../sites/lock.h"
#include "tasks.h"

static unsigned int fgraph_watchers;	/* [L], read by fork and CPU hotplug */

static bool fgraph_sleep_probed;		/* [L] */
static u64 fgraph_sleep_since;			/* time in ns when the probe was registered */

static struct fgraph_shadow *fgraph_shadow_alloc(gfp_t gfp)
{
	struct fgraph_shadow *s = kzalloc(FGRAPH_SHADOW_SIZE, gfp);

	if (s)
		fgraph_shadow_init(s);

	return s;
}

/*
 * Stacks for tasks, allocated beforehand and linked by their first word: tasks
 * are found under RCU, where the allocator must not sleep.
 */
struct fgraph_spares {
	unsigned long	*first;
	unsigned int	lacking;	/* tasks that got none */
};

static int fgraph_spares_add(struct fgraph_spares *spares, unsigned int nr)
{
	while (nr--) {
		struct fgraph_shadow *s = fgraph_shadow_alloc(GFP_KERNEL);

		if (!s)
			return -ENOMEM;

		s->vars[0] = (unsigned long)spares->first;
		spares->first = s->vars;
		cond_resched();
	}

	return 0;
}

static struct fgraph_shadow *fgraph_spares_take(struct fgraph_spares *spares)
{
	struct fgraph_shadow *s = (struct fgraph_shadow *)spares->first;

	if (s) {
		spares->first = (unsigned long *)s->vars[0];
		s->vars[0] = 0;
	}

	return s;
}

static void fgraph_spares_free(struct fgraph_spares *spares)
{
	struct fgraph_shadow *s;

	while ((s = fgraph_spares_take(spares)))
		kfree(s);
}

/* Give @t a stack, and clear its word of @slot. @t may run, but is not freed meanwhile. */
static void fgraph_task_ready(struct task_struct *t, int slot, struct fgraph_spares *spares)
{
	struct fgraph_shadow *s = fgraph_shadow(t);

	if (!s) {
		s = fgraph_spares_take(spares);
		if (!s) {
			spares->lacking++;
			return;
		}
		/* Pairs with the address dependency of fgraph_shadow(): @s is initialized. */
		smp_store_release(&t->ret_stack, s->vars);
	}

	/*
	 * Before fgraph_slot_take(). One callback may still set a bit: that of the same ops, on
	 * a CPU that has been in an interrupt since the ops was last unregistered.
	 */
	WRITE_ONCE(s->vars[slot], 0);
}

static void fgraph_tasks_pass(int slot, struct fgraph_spares *spares)
{
	struct task_struct *p, *t;
	int cpu;

	spares->lacking = 0;

	/* A task is freed a grace period after it leaves the list. */
	rcu_read_lock();
	for_each_process_thread(p, t)
		fgraph_task_ready(t, slot, spares);
	rcu_read_unlock();

	/* Idle tasks are on no list, and never freed. */
	for_each_online_cpu(cpu)
		fgraph_task_ready(idle_task(cpu), slot, spares);
}

/*
 * Count the time that a task sleeps, for clients that leave it out of a
 * function's time: they compare ->ftrace_sleeptime at entry and return. So no
 * frame has to be updated when tasks switch.
 */
static void fgraph_sched_switch(void *data, bool preempt, struct task_struct *prev,
				struct task_struct *next, unsigned int prev_state)
{
	const u64 now = trace_clock_local();
	u64 since;

	/* Even if no client leaves out sleep now: one may when @prev wakes up. */
	prev->ftrace_timestamp = now;
	if (!READ_ONCE(fgraph_no_sleep_time))
		return;

	/*
	 * Sleep before the probe was registered counts as the function's time.
	 * Besides, the timestamp is stale if the task went to sleep without the
	 * probe.
	 */
	since = max(next->ftrace_timestamp, fgraph_sleep_since);

	/* Clocks of two CPUs may differ a little. */
	if (now > since)
		next->ftrace_sleeptime += now - since;
}

/* Probe task switches while there are clients: any of them may leave out sleep. */
static int fgraph_sleep_update(void)
{
	bool probe = fgraph_watchers;
	int ret = 0;

	if (probe == fgraph_sleep_probed)
		return 0;

	if (probe) {
		fgraph_sleep_since = trace_clock_local();
		ret = register_trace_sched_switch(fgraph_sched_switch, NULL);
	} else {
		unregister_trace_sched_switch(fgraph_sched_switch, NULL);
	}

	if (!ret)
		fgraph_sleep_probed = probe;

	return ret;
}

/**
 * fgraph_tasks_get() - give every task a shadow stack, for one more client
 * @slot: the client's slot; its word becomes 0 in each stack
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM, or why task switches cannot be probed. On
 * error the number of clients is unchanged.
 */
int fgraph_tasks_get(int slot)
{
	struct fgraph_spares spares = { };
	int ret = 0;

	lockdep_assert_held(&ftrace_lock);

	/*
	 * First, so that tasks forked from now on, and idle tasks of CPUs that
	 * come up after the unlock below, get their stack on their own. A task
	 * that is being forked right now, and is not on the list yet, may get a
	 * stack from neither its fork nor the passes below.
	 */
	WRITE_ONCE(fgraph_watchers, fgraph_watchers + 1);

	cpus_read_lock();
	for (;;) {
		fgraph_tasks_pass(slot, &spares);
		if (!spares.lacking)
			break;

		ret = fgraph_spares_add(&spares, spares.lacking);
		if (ret)
			break;
	}
	cpus_read_unlock();

	fgraph_spares_free(&spares);

	if (!ret)
		ret = fgraph_sleep_update();
	if (ret)
		WRITE_ONCE(fgraph_watchers, fgraph_watchers - 1);

	return ret;
}

/**
 * fgraph_tasks_put() - note that a client has unregistered
 *
 * Without clients, new tasks get no shadow stack.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void fgraph_tasks_put(void)
{
	lockdep_assert_held(&ftrace_lock);

	WRITE_ONCE(fgraph_watchers, fgraph_watchers - 1);
	fgraph_sleep_update();
}

/**
 * ftrace_graph_init_task() - initialize a task that is being forked
 * @t: a copy of current that does not run yet
 *
 * Replaces the copied pointer to the parent's stack. For lack of memory, the task
 * gets no stack and is not watched.
 *
 * Context: Process context. May sleep.
 */
void ftrace_graph_init_task(struct task_struct *t)
{
	struct fgraph_shadow *s = NULL;

	t->ftrace_timestamp = 0;
	t->ftrace_sleeptime = 0;
	atomic_set(&t->tracing_graph_pause, 0);
	atomic_set(&t->trace_overrun, 0);

	if (READ_ONCE(fgraph_watchers))
		s = fgraph_shadow_alloc(GFP_KERNEL);

	t->ret_stack = s ? s->vars : NULL;
}

/**
 * ftrace_graph_exit_task() - free a task's shadow stack
 * @t: the task, which does not run any more
 *
 * Context: Any context but NMI.
 */
void ftrace_graph_exit_task(struct task_struct *t)
{
	kfree(t->ret_stack);
	t->ret_stack = NULL;
}

/**
 * ftrace_graph_init_idle_task() - give an idle task a shadow stack
 * @idle: the task, which does not run yet; if it has a stack, it keeps it
 * @cpu: its CPU; unused
 *
 * Context: Any context but NMI, early boot included.
 */
void ftrace_graph_init_idle_task(struct task_struct *idle, int cpu)
{
	struct fgraph_shadow *s;

	if (!READ_ONCE(fgraph_watchers) || idle->ret_stack)
		return;

	s = fgraph_shadow_alloc(GFP_ATOMIC);
	if (s)
		idle->ret_stack = s->vars;
}

/*
 * A CPU is about to come up. Its idle task may be older than the first client.
 * The task also starts from the beginning: functions that it was in when the CPU
 * went down never return.
 */
static int fgraph_cpu_prepare(unsigned int cpu)
{
	struct task_struct *idle = idle_task(cpu);

	if (idle->ret_stack)
		fgraph_shadow_reset(fgraph_shadow(idle));
	else
		ftrace_graph_init_idle_task(idle, cpu);

	return 0;
}

/* The task that writes the hibernation image must not be in watched functions. */
static int fgraph_suspend(struct notifier_block *nb, unsigned long event, void *unused)
{
	switch (event) {
	case PM_HIBERNATION_PREPARE:
		pause_graph_tracing();
		break;
	case PM_POST_HIBERNATION:
		unpause_graph_tracing();
		break;
	}

	return NOTIFY_DONE;
}

static struct notifier_block fgraph_suspend_notifier = {
	.notifier_call = fgraph_suspend,
};

/*
 * Register once, at boot: without clients the callbacks cost nothing, and the
 * first registration need not set up a state for all CPUs.
 */
static int __init fgraph_tasks_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "fgraph:prepare",
					fgraph_cpu_prepare, NULL);
	if (ret < 0)
		pr_warn("ftrace: idle tasks of new CPUs will not be watched (%d)\n", ret);

	return register_pm_notifier(&fgraph_suspend_notifier);
}
core_initcall(fgraph_tasks_init);
