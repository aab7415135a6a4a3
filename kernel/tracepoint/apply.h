/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of tracepoints' probes, and the function that applies them. */
#ifndef _KERNEL_TRACEPOINT_APPLY_H
#define _KERNEL_TRACEPOINT_APPLY_H

#include <linux/list.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

/**
 * struct tracepoint_change - the next array of a tracepoint's probes
 * @node:	in tp_changes
 * @tp:		the tracepoint; its @pending points back
 * @funcs:	its next array, not published yet; NULL for none
 * @from:	what the text called before this step; NULL if the step does not
 *		change it
 * @lasting:	allocated by kmalloc(), to be freed
 * @stuck:	the text could not be changed
 * @refused:	@stuck in the detour step, so the new probes are not published
 *
 * Guarded by tracepoints_mutex.
 */
struct tracepoint_change {
	struct list_head node;
	struct tracepoint *tp;
	struct tracepoint_func *funcs;
	void *from;
	bool lasting;
	bool stuck;
	bool refused;
};

void tp_apply_list(struct list_head *changes);
bool tp_could_be_direct(struct tracepoint *tp);
void tp_discard(struct tracepoint *tp, struct tracepoint_func *funcs);

#endif /* _KERNEL_TRACEPOINT_APPLY_H */
