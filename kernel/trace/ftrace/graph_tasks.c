// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks have a shadow stack, and the time they sleep.
 *
 * When the first one begins to watch functions, every task is given a stack.
 * While someone watches, a new task is born with one. A stack stays with its
 * task until that is freed: functions that were entered long ago return
 * through it. A task without a stack, because there was no memory when it was
 * forked, is not watched, and nobody is told.
 */
#include "graph.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include <trace/events/sched.h>

#include "../trace.h"

static unsigned int fgraph_watchers;	/* [L], read by fork and CPU hotplug */

/* Sleep is part of a function's time, unless that is switched off. */
static bool fgraph_sleep_counts = true;		/* [L] */
static bool fgraph_sleep_probed;		/* [L] */
static u64 fgraph_sleep_since;			/* when the probe was registered */

static struct fgraph_shadow *fgraph_shadow_alloc(gfp_t gfp)
{
	struct fgraph_shadow *s = kzalloc(FGRAPH_SHADOW_SIZE, gfp);

	if (s)
		fgraph_shadow_init(s);

	return s;
}

/*
 * Stacks that wait for their tasks, chained by their first word. A task cannot
 * be given one from the allocator where it is found, under RCU.
 */
struct fgraph_spares {
	unsigned long	*first;
	unsigned int	lacking;	/* tasks that found none */
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

/* The task cannot be freed meanwhile, but may run. */
static void fgraph_task_ready(struct task_struct *t, int slot, struct fgraph_spares *spares)
{
	struct fgraph_shadow *s = fgraph_shadow(t);

	if (!s) {
		s = fgraph_spares_take(spares);
		if (!s) {
			spares->lacking++;
			return;
		}
		/* Initialised before it is used, by the task's next watched call. */
		smp_store_release(&t->ret_stack, s->vars);
	}

	/* Nobody uses the word now: the slot is new, see fgraph_slot_take(). */
	WRITE_ONCE(s->vars[slot], 0);
}

static void fgraph_tasks_pass(int slot, struct fgraph_spares *spares)
{
	struct task_struct *p, *t;
	int cpu;

	spares->lacking = 0;

	/* A task that is found is freed a grace period after it is gone. */
	rcu_read_lock();
	for_each_process_thread(p, t)
		fgraph_task_ready(t, slot, spares);
	rcu_read_unlock();

	/* These are on no list, and never freed. */
	for_each_online_cpu(cpu)
		fgraph_task_ready(idle_task(cpu), slot, spares);
}

/*
 * A task that slept did so on no function's account: what a frame keeps as its
 * time of entry is less what the task had slept until then, and so, with what
 * it has slept until now added, it is as if the function had been entered
 * later. Nothing has to look at the frames when tasks switch.
 */
static void fgraph_sched_switch(void *data, bool preempt, struct task_struct *prev,
				struct task_struct *next, unsigned int prev_state)
{
	struct fgraph_shadow *s = fgraph_shadow(next);
	u64 now = trace_clock_local();
	u64 since;

	prev->ftrace_timestamp = now;

	/*
	 * What it slept before this probe was there counted. Nor is the time
	 * to be trusted when it went without a probe to see it.
	 */
	since = max(next->ftrace_timestamp, fgraph_sleep_since);

	/* Clocks of two CPUs may differ a little. */
	if (s && now > since)
		s->slept += now - since;
}

/* Task switches are watched only while that matters: by default never. */
static int fgraph_sleep_update(void)
{
	bool probe = fgraph_watchers && !fgraph_sleep_counts;
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
 * ftrace_graph_sleep_time_control - is sleep part of a function's time?
 * @enable: it is
 *
 * Also for functions that are under way: sleep counts or does not from now on.
 *
 * Context: Process, may sleep. Takes ftrace_lock.
 */
void ftrace_graph_sleep_time_control(bool enable)
{
	guard(mutex)(&ftrace_lock);

	fgraph_sleep_counts = enable;
	if (fgraph_sleep_update())
		pr_warn_once("ftrace: cannot watch task switches, sleep is counted\n");
}

int fgraph_tasks_get(int slot)
{
	struct fgraph_spares spares = { };
	int ret = 0;

	lockdep_assert_held(&ftrace_lock);

	/*
	 * First: tasks forked from now on, and CPUs that come after the
	 * unlocking below, care for themselves. One that is being forked right
	 * now, and not on the list yet, may be missed by both.
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

void fgraph_tasks_put(void)
{
	lockdep_assert_held(&ftrace_lock);

	WRITE_ONCE(fgraph_watchers, fgraph_watchers - 1);
	fgraph_sleep_update();
}

/**
 * ftrace_graph_init_task - a task is being forked
 * @t: a copy of current that does not run yet
 *
 * What it inherited is its parent's. Where no stack can be had it is just not
 * watched.
 *
 * Context: Process, may sleep.
 */
void ftrace_graph_init_task(struct task_struct *t)
{
	struct fgraph_shadow *s = NULL;

	t->ftrace_timestamp = 0;
	atomic_set(&t->tracing_graph_pause, 0);
	atomic_set(&t->trace_overrun, 0);

	if (READ_ONCE(fgraph_watchers))
		s = fgraph_shadow_alloc(GFP_KERNEL);

	t->ret_stack = s ? s->vars : NULL;
}

/**
 * ftrace_graph_exit_task - a task is being freed
 * @t: does not run any more
 *
 * Context: Any but NMI.
 */
void ftrace_graph_exit_task(struct task_struct *t)
{
	kfree(t->ret_stack);
	t->ret_stack = NULL;
}

/**
 * ftrace_graph_init_idle_task - a CPU's idle task is ready
 * @idle: it, which does not run yet, and keeps what it has
 * @cpu: whose
 *
 * Context: Any but NMI, early boot included.
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
 * A CPU is about to come. Its idle task may be older than those who watch; and
 * it begins anew, so that what it was in when the CPU went never returns.
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

/* The image must not be written by a task in the middle of watched functions. */
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
 * Once and for all: with no one watching they cost nothing, and to begin to
 * watch shall not take a round over all CPUs.
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
