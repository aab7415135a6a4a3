/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of tracepoints. By file:
 *
 *   funcs.c	arrays of probes (no locks, no state)
 *   orphan.c	probes that were removed without a call by their owner
 *   apply.c	changes of arrays, keys and calls, and their order
 *   direct.c	calls that become direct after a grace period
 *   core.c	registration of probes, batches
 *   module.c	loading and unloading of modules with tracepoints or probes
 *   iter.c	walks over all tracepoints
 *   syscalls.c	flags all tasks while sys_enter or sys_exit is on
 */
#ifndef _KERNEL_TRACEPOINT_INTERNAL_H
#define _KERNEL_TRACEPOINT_INTERNAL_H

#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "funcs.h"

/*
 * Locks, outer before inner:
 *
 *   tracepoint_module_list_mutex	modules with tracepoints, notifiers
 *   tracepoints_mutex			probes, pending changes, open batches
 *   cpu hotplug (for reading), jump_label, static_call, text_mutex
 *
 * So no CPU hotplug callback may call a function that takes one of the mutexes.
 *
 * Regfuncs run under tracepoints_mutex, so a caller that registers a probe must not
 * hold a lock that a regfunc takes.
 */
extern struct mutex tracepoints_mutex;
extern struct mutex tracepoint_module_list_mutex;

static inline struct tracepoint_func *tp_published(struct tracepoint *tp)
{
	return rcu_dereference_protected(tp->funcs,
					 lockdep_is_held(&tracepoints_mutex));
}

/* The SRCU domain that a hit of the tracepoint read-locks. */
static inline struct srcu_struct *tp_readers(struct tracepoint *tp)
{
	return tracepoint_is_faultable(tp) ? &rcu_tasks_trace_srcu_struct : &tracepoint_srcu;
}

/* The grace period after which all current readers have finished. */
static inline unsigned long tp_gp_now(struct tracepoint *tp)
{
	return get_state_synchronize_srcu(tp_readers(tp));
}

static inline bool tp_gp_passed(struct tracepoint *tp, unsigned long gp)
{
	return poll_state_synchronize_srcu(tp_readers(tp), gp);
}

/* Wait for @gp, unless it has passed. */
static inline void tp_gp_wait(struct tracepoint *tp, unsigned long gp)
{
	if (!tp_gp_passed(tp, gp))
		synchronize_srcu(tp_readers(tp));
}

static inline int tp_regfunc(const struct tracepoint *tp)
{
	int ret = 0;

	if (tp->ext && tp->ext->regfunc)
		ret = tp->ext->regfunc();
	return min(ret, 0);
}

static inline void tp_unregfunc(const struct tracepoint *tp)
{
	if (tp->ext && tp->ext->unregfunc)
		tp->ext->unregfunc();
}

/* orphan.c */
void tp_orphan_note(const struct tracepoint *tp,
		    const struct tracepoint_func *func);
bool tp_orphan_take(const struct tracepoint *tp, const void *func,
		    const void *data);

/* direct.c */
extern struct work_struct tp_direct_work;

/* core.c */
void tracepoint_apply_pending(void);
void tracepoint_orphan(struct tracepoint *tp);
unsigned int tracepoint_evict(struct tracepoint *tp,
			      bool (*goes)(const void *func, void *arg),
			      void *arg);

/* iter.c */
extern struct list_head tracepoint_module_list;
extern tracepoint_ptr_t __start___tracepoints_ptrs[];
extern tracepoint_ptr_t __stop___tracepoints_ptrs[];
void tp_for_each(void (*fct)(struct tracepoint *tp, void *priv), void *priv);

#endif /* _KERNEL_TRACEPOINT_INTERNAL_H */
