// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that were removed without their owner.
 *
 * Their tracepoint's module was unloaded, or the text of its calls could not be
 * changed. The owner's later unregistration finds a note here and succeeds.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * struct tp_orphan - a probe that was removed without its owner
 * @node:	in tp_orphans
 * @tp:		address of the tracepoint, which may be freed; never
 *		dereferenced
 * @func:	the probe
 * @data:	its first argument
 *
 * Guarded by tracepoints_mutex.
 */
struct tp_orphan {
	struct list_head node;
	const struct tracepoint *tp;
	const void *func;
	const void *data;
};

static LIST_HEAD(tp_orphans);

/**
 * tp_orphan_note() - let the owner unregister a probe that is not attached
 * @tp:		tracepoint
 * @func:	the probe
 *
 * If there is no memory for the note, the owner's unregistration fails and warns.
 *
 * Context: Process context. May sleep. The caller holds tracepoints_mutex.
 */
void tp_orphan_note(const struct tracepoint *tp,
		    const struct tracepoint_func *func)
{
	struct tp_orphan *o = kmalloc_obj(*o);

	lockdep_assert_held(&tracepoints_mutex);

	if (!o)
		return;
	o->tp = tp;
	o->func = func->func;
	o->data = func->data;
	list_add(&o->node, &tp_orphans);
}

/**
 * tp_orphan_take() - drop the note of a probe
 * @tp:		tracepoint
 * @func:	the probe
 * @data:	its first argument
 *
 * Context: Process context. The caller holds tracepoints_mutex.
 * Return: True if there was a note.
 */
bool tp_orphan_take(const struct tracepoint *tp, const void *func,
		    const void *data)
{
	struct tp_orphan *o;

	lockdep_assert_held(&tracepoints_mutex);

	list_for_each_entry(o, &tp_orphans, node) {
		if (o->tp == tp && o->func == func && o->data == data) {
			list_del(&o->node);
			kfree(o);
			return true;
		}
	}
	return false;
}
