// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that become direct after a grace period.
 *
 * While CPUs may use an array that begins with another probe, the one rule in
 * apply.c keeps the iterator as the target; it calls the same probe with a few
 * instructions more. The registration does not wait for the grace period: a work
 * item does, and then makes such calls direct.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/rcupdate_trace.h>	/* needs srcu.h, and does not include it */
#include <linux/workqueue.h>

#include "apply.h"
#include "internal.h"

/* A change that publishes the same array again; its flip makes the call direct. */
static void tp_collect(struct tracepoint *tp, void *changes)
{
	struct tracepoint_change *c;

	if (tp->pending || !tp_could_be_direct(tp))
		return;
	c = kmalloc_obj(*c);
	/* Without memory the iterator stays until the next change. */
	if (!c)
		return;
	*c = (struct tracepoint_change){
		.tp = tp, .funcs = tp_published(tp), .lasting = true,
	};
	list_add_tail(&c->node, changes);
}

/*
 * Make all such calls direct, in one transaction. If an array was replaced after
 * these grace periods began, the flip finds that @stale has not passed, and queues
 * the work again.
 */
static void tp_make_direct(struct work_struct *unused)
{
	LIST_HEAD(changes);

	synchronize_rcu_tasks_trace();
	synchronize_srcu(&tracepoint_srcu);

	/* No module is unloaded before the changes of its tracepoints are applied. */
	mutex_lock(&tracepoint_module_list_mutex);
	mutex_lock(&tracepoints_mutex);
	tp_for_each(tp_collect, &changes);
	tp_apply_list(&changes);
	mutex_unlock(&tracepoints_mutex);
	mutex_unlock(&tracepoint_module_list_mutex);
}

/* Queued by a flip that had to keep an iterator where a call could be direct. */
DECLARE_WORK(tp_direct_work, tp_make_direct);
