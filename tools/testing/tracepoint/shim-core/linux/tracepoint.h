/* SPDX-License-Identifier: GPL-2.0 */
/* What core.c needs of the kernel's header, which is made of macros. */
#ifndef _SHIM_TRACEPOINT_H
#define _SHIM_TRACEPOINT_H

#include <shim.h>
#include <linux/tracepoint-defs.h>

#define TRACEPOINT_DEFAULT_PRIO	10

struct tracepoint_batch {
	struct list_head node;
	struct task_struct *task;
};

void tracepoint_batch_begin(struct tracepoint_batch *batch);
void tracepoint_batch_commit(struct tracepoint_batch *batch);
void tracepoint_batch_leave(struct tracepoint_batch *batch);
void tracepoint_flush(void);
void tracepoint_synchronize_unregister(void);

#endif
