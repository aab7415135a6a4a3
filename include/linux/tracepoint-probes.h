/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What code does with tracepoints that are there: attach probes, one by one or in
 * batches, and walk over all tracepoints or those of modules.
 *
 * Part of <linux/tracepoint.h>; include that.
 */
#ifndef _LINUX_TRACEPOINT_PROBES_H
#define _LINUX_TRACEPOINT_PROBES_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/srcu.h>
#include <linux/rcupdate_trace.h>	/* needs srcu.h, and does not include it */
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

struct module;
struct notifier_block;
struct task_struct;

/* Probes and batches: kernel/tracepoint/core.c */

#define TRACEPOINT_DEFAULT_PRIO	10

int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe,
					     void *data, int prio);
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe,
				   void *data, int prio);
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);

/**
 * tracepoint_probe_register_may_exist() - attach a probe unless it exists
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 *
 * Like tracepoint_probe_register(), but does not warn about -EEXIST.
 *
 * Context: as tracepoint_probe_register().
 * Return: As tracepoint_probe_register().
 */
static inline int tracepoint_probe_register_may_exist(struct tracepoint *tp,
						      void *probe, void *data)
{
	const int prio = TRACEPOINT_DEFAULT_PRIO;

	return tracepoint_probe_register_prio_may_exist(tp, probe, data, prio);
}

/**
 * struct tracepoint_batch - registrations that take effect together
 * @node:	[P] in the list of open batches
 * @task:	[P] the task whose registrations are batched
 *
 * [P]: guarded by tracepoints_mutex. A batch is usually on the stack.
 */
struct tracepoint_batch {
	struct list_head node;
	struct task_struct *task;
};

#ifndef CONFIG_TRACEPOINTS
static inline void tracepoint_batch_begin(struct tracepoint_batch *batch)
{
}

static inline void tracepoint_batch_commit(struct tracepoint_batch *batch)
{
}

static inline void tracepoint_batch_leave(struct tracepoint_batch *batch)
{
}

static inline void tracepoint_flush(void)
{
}

static inline void tracepoint_synchronize_unregister(void)
{
}

static inline bool tracepoint_is_faultable(struct tracepoint *tp)
{
	return false;
}

static inline void call_tracepoint_unregister_atomic(struct rcu_head *rcu, rcu_callback_t func)
{
}

static inline void call_tracepoint_unregister_syscall(struct rcu_head *rcu, rcu_callback_t func)
{
}
#else
void tracepoint_batch_begin(struct tracepoint_batch *batch);
void tracepoint_batch_commit(struct tracepoint_batch *batch);
void tracepoint_batch_leave(struct tracepoint_batch *batch);
void tracepoint_flush(void);
void tracepoint_synchronize_unregister(void);

/* SRCU domain that hits read-lock, except those of faultable tracepoints. */
extern struct srcu_struct tracepoint_srcu;

/* May the probes of @tp fault and sleep? */
static inline bool tracepoint_is_faultable(struct tracepoint *tp)
{
	return tp->ext && tp->ext->faultable;
}

/*
 * Call @func once no hit is in a probe that was unregistered before: _syscall for
 * faultable tracepoints, _atomic for all others. For callers that cannot wait in
 * tracepoint_synchronize_unregister(). Unlike that, this does not apply pending
 * changes: a batch must have been committed.
 */
static inline void call_tracepoint_unregister_syscall(struct rcu_head *rcu, rcu_callback_t func)
{
	call_rcu_tasks_trace(rcu, func);
}

static inline void call_tracepoint_unregister_atomic(struct rcu_head *rcu, rcu_callback_t func)
{
	call_srcu(&tracepoint_srcu, rcu, func);
}
#endif

/* Walks over all tracepoints: kernel/tracepoint/iter.c */

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv),
				void *priv);

#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
static inline struct tracepoint *tracepoint_ptr_deref(tracepoint_ptr_t *p)
{
	return offset_to_ptr(p);
}
#else
static inline struct tracepoint *tracepoint_ptr_deref(tracepoint_ptr_t *p)
{
	return *p;
}
#endif

/* Modules that have tracepoints: kernel/tracepoint/module.c */

/**
 * struct tp_module - a module with tracepoints, as passed to notifiers
 * @list:	[M] entry in the list of such modules, in the order of loading
 * @mod:	the module
 *
 * [M]: guarded by tracepoint_module_list_mutex, which is held while notifiers run.
 */
struct tp_module {
	struct list_head list;
	struct module *mod;
};

#ifndef CONFIG_MODULES
static inline int register_tracepoint_module_notifier(struct notifier_block *nb)
{
	return 0;
}

static inline int
unregister_tracepoint_module_notifier(struct notifier_block *nb)
{
	return 0;
}

static inline bool trace_module_has_bad_taint(struct module *mod)
{
	return false;
}

static inline void
for_each_tracepoint_in_module(struct module *mod,
			      void (*fct)(struct tracepoint *tp,
					  struct module *mod, void *priv),
			      void *priv)
{
}

static inline void
for_each_module_tracepoint(void (*fct)(struct tracepoint *tp,
				       struct module *mod, void *priv),
			   void *priv)
{
}
#else
int register_tracepoint_module_notifier(struct notifier_block *nb);
int unregister_tracepoint_module_notifier(struct notifier_block *nb);
bool trace_module_has_bad_taint(struct module *mod);
void for_each_tracepoint_in_module(struct module *mod,
				   void (*fct)(struct tracepoint *tp,
					       struct module *mod, void *priv),
				   void *priv);
void for_each_module_tracepoint(void (*fct)(struct tracepoint *tp,
					    struct module *mod, void *priv),
				void *priv);
#endif

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
/* kernel/tracepoint/syscalls.c */
int syscall_regfunc(void);
void syscall_unregfunc(void);
#endif

#endif /* _LINUX_TRACEPOINT_PROBES_H */
