/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel of one task, in which nothing happens by itself: grace periods end
 * when somebody waits for one, text changes when a transaction is flushed or
 * committed, and core_world.c looks at each step what a hit would call.
 */
#ifndef _TRACEPOINT_SHIM_H
#define _TRACEPOINT_SHIM_H

#include <stdbool.h>

void shim_check(bool good, const char *what);
void shim_settled(void);

#define CONFIG_TRACEPOINTS 1
#define CONFIG_X86_TEXT_PATCH 1
#define IS_ENABLED(option) 1
#define WARN_ON_ONCE(x) ({ const bool _c = (x); _c; })
#define shim_unlocked() shim_settled()

/* What has just happened: an array was published, text changed, a grace period ended. */
enum shim_step {
	SHIM_PUBLISHED = 'P',
	SHIM_TEXT = 'T',
	SHIM_GRACE_PERIOD = 'G',
};

void shim_step(enum shim_step what);
void shim_before_publishing(void);

#define rcu_dereference_protected(p, held) (shim_check(held, #held), (p))
#define rcu_assign_pointer(p, v)					\
do {									\
	shim_before_publishing();					\
	(p) = (v);							\
	shim_step(SHIM_PUBLISHED);					\
} while (0)

#include "kernel.h"

extern unsigned int shim_warnings;
#define pr_warn(...) ((void)shim_warnings++)

/* Reports of text that cannot be changed. */
extern unsigned int shim_complaints;
#define pr_err(...) ((void)shim_complaints++)
#define WARN_ONCE(x, ...) (shim_complaints += !!(x))

struct task_struct;
extern struct task_struct *current;

/* SRCU, which RCU Tasks Trace is a domain of here. */
struct srcu_struct {
	unsigned long done;		/* grace periods */
	struct rcu_head *callbacks;	/* run when the next one ends */
};

#define DEFINE_SRCU_FAST(name) struct srcu_struct name
extern struct srcu_struct tracepoint_srcu, rcu_tasks_trace_srcu_struct;

unsigned long get_state_synchronize_srcu(struct srcu_struct *ssp);
bool poll_state_synchronize_srcu(struct srcu_struct *ssp, unsigned long state);
void synchronize_srcu(struct srcu_struct *ssp);
void call_srcu(struct srcu_struct *ssp, struct rcu_head *rcu,
	       void (*func)(struct rcu_head *rcu));
#define synchronize_rcu_tasks_trace() synchronize_srcu(&rcu_tasks_trace_srcu_struct)

/* Work, which runs when somebody flushes it. */
struct work_struct {
	void (*func)(struct work_struct *work);
	bool queued;
};

#define DECLARE_WORK(name, func) struct work_struct name = { func, false }
#define queue_work(queue, work) ((void)((work)->queued = true))

static inline void flush_work(struct work_struct *work)
{
	const bool queued = work->queued;

	work->queued = false;
	if (queued)
		work->func(work);
}

/* Text: what the owner requested (enabled, func), and what is in effect (live). */
struct static_key {
	int enabled;
	int live;
	bool queued;
};

struct static_key_false {
	struct static_key key;
};

struct static_call_key {
	void *func;
	void *live;
	bool queued;
	/* Its text has unexpected bytes and cannot be changed. */
	bool stuck;
};

struct text_patch_tx {
	/* Unused here; core_world.c checks that it is not set. */
	void (*fault)(struct text_patch_tx *tx);
	struct {
		void *addr;
		int err;
	} first;
	unsigned int nr_faults;
};

void text_patch_begin(struct text_patch_tx *tx);
void text_patch_flush(void);
int text_patch_commit(struct text_patch_tx *tx);

extern bool shim_cpus_held;
void shim_cpus_unlock(void);
void shim_text_changed(void);

static inline void cpus_read_lock(void)
{
	shim_check(!shim_cpus_held, "who holds the hotplug lock does not wait for it");
	shim_cpus_held = true;
}

#define cpus_read_unlock() shim_cpus_unlock()

static inline void __static_call_update_cpuslocked(struct static_call_key *key,
						   void *tramp, void *func)
{
	(void)tramp;
	shim_check(shim_cpus_held, "calls change under the hotplug lock");
	shim_check(func, "a call leads somewhere");
	if (key->func == func)
		return;
	key->func = func;
	key->queued = true;
	shim_text_changed();
}

static inline void shim_key(struct static_key *key, int enabled)
{
	shim_check(shim_cpus_held, "keys change under the hotplug lock");
	if (key->enabled == enabled)
		return;
	key->enabled = enabled;
	key->queued = true;
	shim_text_changed();
}

#define static_branch_enable_cpuslocked(branch) shim_key(&(branch)->key, 1)
#define static_branch_disable_cpuslocked(branch) shim_key(&(branch)->key, 0)

bool core_kernel_text(unsigned long addr);
bool is_kernel_inittext(unsigned long addr);

/* The part of <linux/tracepoint.h> that is needed here. */
#define TRACEPOINT_DEFAULT_PRIO	10

struct tracepoint;

struct tracepoint_batch {
	struct list_head node;
	struct task_struct *task;
};

int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe,
					     void *data, int prio);
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe,
				   void *data, int prio);
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
void tracepoint_batch_begin(struct tracepoint_batch *batch);
void tracepoint_batch_commit(struct tracepoint_batch *batch);
void tracepoint_batch_leave(struct tracepoint_batch *batch);
void tracepoint_flush(void);
void tracepoint_synchronize_unregister(void);
bool tracepoint_is_faultable(struct tracepoint *tp);

#endif /* _TRACEPOINT_SHIM_H */
