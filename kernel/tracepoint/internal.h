/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of tracepoints. By file:
 *
 *   funcs.c	arrays of probes (no locks, no state)
 *   core.c	changes of probes, keys and calls, and their order
 *   module.c	loading and unloading of modules with tracepoints or probes
 *   iter.c	walks over all tracepoints
 *   syscalls.c	the two events that every system call passes
 */
#ifndef _KERNEL_TRACEPOINT_INTERNAL_H
#define _KERNEL_TRACEPOINT_INTERNAL_H

#include <linux/mutex.h>
#include <linux/tracepoint.h>

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
 * Regfuncs run under tracepoints_mutex, so no probe may be registered with a
 * lock held that a regfunc takes.
 */
extern struct mutex tracepoints_mutex;
extern struct mutex tracepoint_module_list_mutex;

/* core.c */
void tracepoint_apply_pending(void);
void tracepoint_orphan(struct tracepoint *tp);
unsigned int tracepoint_evict(struct tracepoint *tp,
			      bool (*goes)(const void *func, void *arg),
			      void *arg);

/* module.c */
#ifdef CONFIG_MODULES
extern struct list_head tracepoint_module_list;
#endif

/* iter.c */
extern tracepoint_ptr_t __start___tracepoints_ptrs[];
extern tracepoint_ptr_t __stop___tracepoints_ptrs[];

#endif /* _KERNEL_TRACEPOINT_INTERNAL_H */
