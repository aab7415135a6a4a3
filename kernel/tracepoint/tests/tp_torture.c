// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of tracepoints.
 *
 * Every CPU hits four tracepoints as fast as it can, from a task, a timer's
 * interrupt, an irq_work and, on x86, from each NMI. Meanwhile writers attach
 * and detach probes: one by one, several in a batch, the same function with
 * other data, other functions, other priorities. Each probe checks that the
 * data is its own, that the arguments are its tracepoint's, and that it is not
 * called after it was unregistered and waited for. Writers check that each
 * attached probe is called once for each hit of their own; the order of two
 * probes is checked at load.
 *
 * A faultable tracepoint has probes that sleep. Their data, and that of some probes
 * of the others, is freed by a callback, as nobody waits.
 *
 * The tracepoint of the guest module, if that is loaded, gets a probe, too.
 *
 * The test begins when the module is loaded and ends when it is removed, which
 * prints "tp_torture: N hits, N changes, ... N faults".
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

#include "tp_torture.h"

DEFINE_TRACE(tp_torture_0_tp, TP_PROTO(int magic), TP_ARGS(magic));
DEFINE_TRACE(tp_torture_1_tp, TP_PROTO(int magic), TP_ARGS(magic));
DEFINE_TRACE(tp_torture_2_tp, TP_PROTO(int magic), TP_ARGS(magic));
DEFINE_TRACE(tp_torture_3_tp, TP_PROTO(int magic), TP_ARGS(magic));
DEFINE_TRACE_SYSCALL(tp_torture_faultable_tp, NULL, NULL, TP_PROTO(int magic), TP_ARGS(magic));

static int writers = 2;
module_param(writers, int, 0444);
MODULE_PARM_DESC(writers, "tasks that change probes");

#define NR_TP 4
#define FAULTABLE 4
#define NR_FUNCS 3
#define NR_SLOTS 4

/**
 * struct slot - one probe's data
 * @func:  index of the probe's function
 * @magic: number of its tracepoint; -1 if it is detached and must not be called
 * @owner: the task that attaches it
 * @hits:  number of calls for the owner's own hits
 */
struct slot {
	int func;
	int magic;
	struct task_struct *owner;
	unsigned long hits;
};

static atomic_long_t nr_hits, nr_changes, nr_faults;
static atomic_long_t nr_timers, nr_nmis, nr_slept, nr_freed;

static void fault(const char *what, int a, int b)
{
	if (atomic_long_inc_return(&nr_faults) <= 10)
		pr_err("tp_torture: FAULT: %s (%d, %d)\n", what, a, b);
}

static void judge(struct slot *s, int func, int magic)
{
	const int now = READ_ONCE(s->magic);

	if (s->func != func)
		fault("data of another probe", s->func, func);
	if (now != magic)
		fault(now < 0 ? "called after the end" : "other tracepoint",
		      now, magic);
	if (in_task() && s->owner == current)
		s->hits++;
}

/* The code differs, so that identical functions are not merged. */
static noinline void probe_0(void *data, int magic)
{
	judge(data, 0, magic);
}

static noinline void probe_1(void *data, int magic)
{
	judge(data, 1, magic);
	barrier();
}

static noinline void probe_2(void *data, int magic)
{
	cpu_relax();
	judge(data, 2, magic);
}

static void (*const probes[NR_FUNCS])(void *, int) = {
	probe_0, probe_1, probe_2,
};

static struct tracepoint *const points[NR_TP] = {
	&__tracepoint_tp_torture_0_tp, &__tracepoint_tp_torture_1_tp,
	&__tracepoint_tp_torture_2_tp, &__tracepoint_tp_torture_3_tp,
};

static void hit_all(void)
{
	trace_tp_torture_0_tp(0);
	trace_tp_torture_1_tp(1);
	trace_tp_torture_2_tp(2);
	trace_tp_torture_3_tp(3);
}

/**
 * struct interrupts - what interrupts a CPU's hitter
 * @timer:	hits the tracepoints in its interrupt, and queues @work
 * @work:	hits them in the interrupt of an irq_work
 */
struct interrupts {
	struct hrtimer timer;
	struct irq_work work;
};

static DEFINE_PER_CPU(struct interrupts, interrupts);

static void hit_in_work(struct irq_work *unused)
{
	hit_all();
}

static enum hrtimer_restart hit_in_timer(struct hrtimer *timer)
{
	hit_all();
	atomic_long_inc(&nr_timers);
	irq_work_queue(&this_cpu_ptr(&interrupts)->work);
	hrtimer_forward_now(timer, ms_to_ktime(5));
	return HRTIMER_RESTART;
}

#ifdef CONFIG_X86
static int hit_in_nmi(unsigned int type, struct pt_regs *regs)
{
	hit_all();
	atomic_long_inc(&nr_nmis);
	return NMI_DONE;
}

static int begin_nmis(void)
{
	return register_nmi_handler(NMI_LOCAL, hit_in_nmi, 0, "tp_torture");
}

static void end_nmis(void)
{
	unregister_nmi_handler(NMI_LOCAL, "tp_torture");
}
#else
static int begin_nmis(void)
{
	return 0;
}

static void end_nmis(void)
{
}
#endif

static int hitter(void *unused)
{
	struct interrupts *in = this_cpu_ptr(&interrupts);

	/* This task is bound to its CPU. */
	init_irq_work(&in->work, hit_in_work);
	hrtimer_setup(&in->timer, hit_in_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&in->timer, ms_to_ktime(5), HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		hit_all();
		atomic_long_inc(&nr_hits);
		cond_resched();
	}
	hrtimer_cancel(&in->timer);
	irq_work_sync(&in->work);
	return 0;
}

/**
 * struct writer - probes of one writer task
 * @slots: data of the probes that it may have on each tracepoint
 */
struct writer {
	struct slot slots[NR_TP][NR_SLOTS];
};

static void put_on(struct slot *s, int tp)
{
	const int func = get_random_u32_below(NR_FUNCS);
	int err;

	s->func = func;
	WRITE_ONCE(s->magic, tp);
	s->owner = current;
	err = tracepoint_probe_register_prio(points[tp], probes[func], s,
					     get_random_u32_below(3));
	if (err) {
		WRITE_ONCE(s->magic, -1);
		fault("register", tp, err);
	}
	atomic_long_inc(&nr_changes);
}

static void take_off(struct slot *s, int tp)
{
	int err = tracepoint_probe_unregister(points[tp], probes[s->func], s);

	if (err)
		fault("unregister", tp, err);
	atomic_long_inc(&nr_changes);
}

/* Hit all tracepoints: each attached probe of this task must be called once. */
static void check_called(struct writer *w)
{
	unsigned long before[NR_TP][NR_SLOTS];
	int tp, i;

	for (tp = 0; tp < NR_TP; tp++)
		for (i = 0; i < NR_SLOTS; i++)
			before[tp][i] = w->slots[tp][i].hits;
	hit_all();
	for (tp = 0; tp < NR_TP; tp++)
		for (i = 0; i < NR_SLOTS; i++)
			if (w->slots[tp][i].magic >= 0 &&
			    w->slots[tp][i].hits != before[tp][i] + 1)
				fault("registered, not called once", tp, i);
}

/*
 * Attach or detach some probes, in a batch or one by one. Wait once for all
 * detached ones; after that none of them may be called.
 */
static void change_some(struct writer *w)
{
	const bool batched = get_random_u32_below(2);
	unsigned int n = 1 + get_random_u32_below(6);
	struct tracepoint_batch batch;
	struct slot *gone[6];
	unsigned int nr_gone = 0;

	if (batched)
		tracepoint_batch_begin(&batch);
	while (n--) {
		const int tp = get_random_u32_below(NR_TP);
		struct slot *s = &w->slots[tp][get_random_u32_below(NR_SLOTS)];
		unsigned int i;

		/* Do not attach one again that was detached before the wait. */
		for (i = 0; i < nr_gone; i++)
			if (gone[i] == s)
				break;
		if (i < nr_gone)
			continue;
		if (s->magic < 0) {
			put_on(s, tp);
		} else {
			take_off(s, tp);
			gone[nr_gone++] = s;
		}
	}
	if (batched)
		tracepoint_batch_commit(&batch);
	if (!nr_gone)
		return;
	tracepoint_synchronize_unregister();
	while (nr_gone)
		WRITE_ONCE(gone[--nr_gone]->magic, -1);
}

static void take_all_off(struct writer *w)
{
	struct tracepoint_batch batch;
	int tp, i;

	tracepoint_batch_begin(&batch);
	for (tp = 0; tp < NR_TP; tp++)
		for (i = 0; i < NR_SLOTS; i++)
			if (w->slots[tp][i].magic >= 0)
				take_off(&w->slots[tp][i], tp);
	tracepoint_batch_commit(&batch);
	tracepoint_synchronize_unregister();
}

static int writer(void *arg)
{
	struct writer *w = arg;
	int tp, i;

	for (tp = 0; tp < NR_TP; tp++)
		for (i = 0; i < NR_SLOTS; i++)
			w->slots[tp][i].magic = -1;
	while (!kthread_should_stop()) {
		change_some(w);
		check_called(w);
		cond_resched();
	}
	take_all_off(w);
	return 0;
}

/* A probe's data that a callback frees */
struct mortal {
	struct slot slot;
	struct rcu_head rcu;
};

static void bury(struct rcu_head *rcu)
{
	struct mortal *m = container_of(rcu, struct mortal, rcu);

	WRITE_ONCE(m->slot.magic, -1);
	kfree(m);
	atomic_long_inc(&nr_freed);
}

static void probe_that_sleeps(void *data, int magic)
{
	judge(data, 0, magic);
	usleep_range(1000, 2000);
	judge(data, 0, magic);
	atomic_long_inc(&nr_slept);
}

/* Attach and detach a probe whose data is freed without a wait. */
static int mortals(void *unused)
{
	while (!kthread_should_stop()) {
		const int tp = get_random_u32_below(NR_TP + 1);
		struct tracepoint *point = tp == FAULTABLE ?
			&__tracepoint_tp_torture_faultable_tp : points[tp];
		void *probe = tp == FAULTABLE ? probe_that_sleeps : probe_0;
		struct mortal *m = kzalloc_obj(*m);

		if (!m)
			continue;
		m->slot.magic = tp;
		if (tracepoint_probe_register(point, probe, &m->slot)) {
			fault("register a mortal", tp, 0);
			kfree(m);
			continue;
		}
		usleep_range(2000, 4000);
		tracepoint_probe_unregister(point, probe, &m->slot);
		if (tp == FAULTABLE)
			call_tracepoint_unregister_syscall(&m->rcu, bury);
		else
			call_tracepoint_unregister_atomic(&m->rcu, bury);
	}
	return 0;
}

static int faulter(void *unused)
{
	while (!kthread_should_stop()) {
		trace_tp_torture_faultable_tp(FAULTABLE);
		cond_resched();
	}
	return 0;
}

/* Two probes that record the order of their calls */
static int order_log[2];
static unsigned int order_nr;
static struct task_struct *order_task;

static void note_order(void *data, int magic)
{
	if (current == order_task && order_nr < 2)
		order_log[order_nr++] = (long)data;
}

static void check_order(int first_prio, int second_prio, int expected)
{
	order_nr = 0;
	tracepoint_probe_register_prio(points[0], note_order, (void *)1L,
				       first_prio);
	tracepoint_probe_register_prio(points[0], note_order, (void *)2L,
				       second_prio);
	trace_tp_torture_0_tp(0);
	if (order_nr != 2 || order_log[0] != expected)
		fault("order", order_nr, order_log[0]);
	if (tracepoint_probe_register_may_exist(points[0], note_order,
						(void *)1L) != -EEXIST)
		fault("registered twice", 0, 0);
	tracepoint_probe_unregister(points[0], note_order, (void *)1L);
	tracepoint_probe_unregister(points[0], note_order, (void *)2L);
	tracepoint_synchronize_unregister();
}

/* The guest's tracepoint, found by notifier */
static struct slot guest_slot = { .magic = 99 };

static void guest_probe(void *data, int magic)
{
	judge(data, 0, magic);
}

static void guest_meets(struct tracepoint *tp, struct module *mod, void *state)
{
	if (strcmp(tp->name, "tp_torture_guest_tp"))
		return;
	if (*(unsigned long *)state == MODULE_STATE_COMING)
		tracepoint_probe_register(tp, guest_probe, &guest_slot);
	else
		tracepoint_probe_unregister(tp, guest_probe, &guest_slot);
	atomic_long_inc(&nr_changes);
}

static int guest_notify(struct notifier_block *nb, unsigned long state,
			void *data)
{
	struct tp_module *m = data;

	for_each_tracepoint_in_module(m->mod, guest_meets, &state);
	return NOTIFY_OK;
}

static struct notifier_block guest_nb = {
	.notifier_call = guest_notify,
};

static void meet(struct tracepoint *tp, struct module *mod, void *met)
{
	if (tp == points[0])
		++*(unsigned int *)met;
}

/* A walk over module tracepoints meets one of ours once. */
static void check_iteration(void)
{
	unsigned int met = 0;

	for_each_module_tracepoint(meet, &met);
	if (met != 1)
		fault("iteration", met, 1);
}

static struct task_struct **tasks;
static unsigned int nr_tasks;
/* One for each writer; a task that is stopped before it ran frees nothing. */
static struct writer *states;

static int start(int (*func)(void *), void *arg, int cpu)
{
	struct task_struct *t = kthread_create(func, arg, "tp_torture/%u",
					       nr_tasks);

	if (IS_ERR(t))
		return PTR_ERR(t);
	if (cpu >= 0)
		kthread_bind(t, cpu);
	get_task_struct(t);
	tasks[nr_tasks++] = t;
	wake_up_process(t);
	return 0;
}

static void stop_all(void)
{
	while (nr_tasks) {
		kthread_stop(tasks[--nr_tasks]);
		put_task_struct(tasks[nr_tasks]);
	}
	kfree(tasks);
	kvfree(states);
}

/* No probe, and no callback, of this module is left. */
static void wait_for_all(void)
{
	tracepoint_synchronize_unregister();
	srcu_barrier(&tracepoint_srcu);
	rcu_barrier_tasks_trace();
}

static int __init torture_init(void)
{
	int err = 0, cpu, i;

	tasks = kcalloc(num_possible_cpus() + writers + 2, sizeof(*tasks),
			GFP_KERNEL);
	states = kvcalloc(writers, sizeof(*states), GFP_KERNEL);
	if (!tasks || !states) {
		stop_all();
		return -ENOMEM;
	}

	order_task = current;
	check_order(1, 2, 2);
	check_order(2, 1, 1);
	check_order(1, 1, 1);
	check_iteration();

	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ?: start(hitter, NULL, cpu);
	cpus_read_unlock();
	for (i = 0; i < writers; i++)
		err = err ?: start(writer, &states[i], -1);
	err = err ?: start(faulter, NULL, -1);
	err = err ?: start(mortals, NULL, -1);
	if (err)
		goto stop;
	err = begin_nmis();
	if (err)
		goto stop;
	err = register_tracepoint_module_notifier(&guest_nb);
	if (!err)
		return 0;
	end_nmis();
stop:
	stop_all();
	wait_for_all();
	return err;
}

static void __exit torture_exit(void)
{
	unregister_tracepoint_module_notifier(&guest_nb);
	end_nmis();
	stop_all();
	wait_for_all();
	pr_info("tp_torture: %ld hits, %ld changes, %ld by timers, %ld by NMIs, %ld slept, %ld freed, %ld faults\n",
		atomic_long_read(&nr_hits), atomic_long_read(&nr_changes),
		atomic_long_read(&nr_timers), atomic_long_read(&nr_nmis),
		atomic_long_read(&nr_slept), atomic_long_read(&nr_freed),
		atomic_long_read(&nr_faults));
}

module_init(torture_init);
module_exit(torture_exit);
MODULE_DESCRIPTION("Torture test of tracepoints");
MODULE_LICENSE("GPL");
