// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of tracepoints: attach, detach, and batches.
 *
 * A registration makes a new array of probes and a struct tracepoint_change
 * with it, which apply.c makes live: at once, or at the commit of a batch.
 *
 * A batch delays the registrations of its task. All tasks share one list of
 * changes, and each commit applies the whole list: a change may always be applied early.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "apply.h"
#include "internal.h"

/* Guards probes, pending changes, open batches. Lock order: see internal.h. */
DEFINE_MUTEX(tracepoints_mutex);

DEFINE_SRCU_FAST(tracepoint_srcu);
EXPORT_SYMBOL_GPL(tracepoint_srcu);

static LIST_HEAD(tp_changes);
static LIST_HEAD(tp_batches);

/* The array that the next registration starts from. */
static struct tracepoint_func *tp_latest(struct tracepoint *tp)
{
	return tp->pending ? tp->pending->funcs : tp_published(tp);
}

/*
 * Was the tracepoint made at run time? Such a tracepoint has no text to change, and
 * its owner reads @funcs as soon as a probe is registered: so it is never batched.
 */
static bool tp_is_handmade(const struct tracepoint *tp)
{
	return !tp->static_call_key;
}

static void tp_apply(void)
{
	tp_apply_list(&tp_changes);
}

/* Changes */

static bool tp_batched(void)
{
	struct tracepoint_batch *batch;

	list_for_each_entry(batch, &tp_batches, node)
		if (batch->task == current)
			return true;
	return false;
}

/* Make @funcs the array of @tp: at once, or with this task's batch. */
static void tp_change(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	struct tracepoint_change now, *c = tp->pending;
	bool batched = tp_batched();
	LIST_HEAD(alone);

	if (tp_is_handmade(tp)) {
		now = (struct tracepoint_change){ .tp = tp, .funcs = funcs };
		list_add(&now.node, &alone);
		tp_apply_list(&alone);
		return;
	}

	if (c) {
		if (c->funcs != funcs)
			tp_discard(tp, c->funcs);
	} else {
		c = batched ? kmalloc_obj(*c) : NULL;
		if (!c) {
			/* Not batched, or no memory to delay the change: apply it now. */
			c = &now;
			batched = false;
		}
		*c = (struct tracepoint_change){ .tp = tp, .lasting = c != &now };
		tp->pending = c;
		list_add_tail(&c->node, &tp_changes);
	}
	c->funcs = funcs;
	if (!batched)
		tp_apply();
}

static int tp_add(struct tracepoint *tp, const struct tracepoint_func *probe)
{
	struct tracepoint_func *old = tp_latest(tp), *new;
	int ret;

	if (tp_funcs_has(old, probe->func, probe->data))
		return -EEXIST;

	ret = old ? 0 : tp_regfunc(tp);
	if (ret)
		return ret;

	new = tp_funcs_add(old, probe);
	if (!new) {
		if (!old)
			tp_unregfunc(tp);
		return -ENOMEM;
	}
	tp_change(tp, new);
	if (tp_funcs_has(tp_latest(tp), probe->func, probe->data))
		return 0;
	/* Refused: the owner gets the error, so drop the note of tp_refuse(). */
	tp_orphan_take(tp, probe->func, probe->data);
	return -EIO;
}

/*
 * Get an empty array for all probes of @old but one. Never fails: without memory it
 * waits until no CPU reads the other half of @old's block, and returns that.
 */
static struct tracepoint_func *tp_room_for_less(struct tracepoint *tp,
						struct tracepoint_func *old)
{
	struct tracepoint_func *new = tp_funcs_alloc_less(old);

	if (!new) {
		tp_gp_wait(tp, tp_funcs_block(old)->idle);
		new = tp_funcs_other_half(old);
	}
	return new;
}

static int tp_remove(struct tracepoint *tp, const void *func, const void *data)
{
	struct tracepoint_func *old = tp_latest(tp), *new = NULL;

	if (!tp_funcs_has(old, func, data))
		return -ENOENT;

	if (old[1].func) {
		new = tp->pending ? old : tp_room_for_less(tp, old);
		tp_funcs_copy_without(new, old, func, data);
	}
	tp_change(tp, new);
	if (!new)
		tp_unregfunc(tp);
	return 0;
}

/**
 * tracepoint_probe_register_prio_may_exist() - attach a probe unless it exists
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 * @prio:	probes of higher priority are called first
 *
 * Like tracepoint_probe_register_prio(), but does not warn about -EEXIST.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex, and under it
 *	    the locks of the tracepoint's regfunc.
 * Return: As tracepoint_probe_register_prio().
 */
int tracepoint_probe_register_prio_may_exist(struct tracepoint *tp, void *probe,
					     void *data, int prio)
{
	const struct tracepoint_func func = {
		.func = probe, .data = data, .prio = prio,
	};
	int ret;

	if (WARN_ON_ONCE(!probe))
		return -EINVAL;

	mutex_lock(&tracepoints_mutex);
	ret = tp_add(tp, &func);
	if (!ret)
		tp_orphan_take(tp, probe, data);
	mutex_unlock(&tracepoints_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio_may_exist);

/**
 * tracepoint_probe_register_prio() - attach a probe with a priority
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 * @prio:	probes of higher priority are called first; equal ones in the
 *		order of registration
 *
 * register_trace_prio_NAME() does the same and checks the types. After return
 * the probe is called at each hit; in a batch of this task, after the commit or
 * earlier. If the tracepoint lies in a module, the caller must unregister the
 * probe before the module is unloaded: see
 * register_tracepoint_module_notifier().
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex, and under it
 *	    the locks of the tracepoint's regfunc.
 * Return: 0 on success; -EEXIST, with a warning, if @probe is already attached
 *	   with this @data; -EINVAL, with a warning, if @probe is NULL; -ENOMEM
 *	   if there is no memory for the array; -EIO, with a warning, if the text
 *	   of the tracepoint's calls cannot be changed; the regfunc's error. On
 *	   error the probes of the tracepoint are as before; other tasks' pending
 *	   changes may have taken effect.
 */
int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe,
				   void *data, int prio)
{
	int ret = tracepoint_probe_register_prio_may_exist(tp, probe, data,
							   prio);

	WARN_ON_ONCE(ret == -EEXIST);
	return ret;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio);

/**
 * tracepoint_probe_register() - attach a probe with the default priority
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 *
 * register_trace_NAME() does the same and checks the types.
 *
 * Context: as tracepoint_probe_register_prio().
 * Return: As tracepoint_probe_register_prio().
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return tracepoint_probe_register_prio(tp, probe, data,
					      TRACEPOINT_DEFAULT_PRIO);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

/**
 * tracepoint_probe_unregister() - detach a probe
 * @tp:		tracepoint
 * @probe:	function that was registered
 * @data:	first argument that it was registered with
 *
 * unregister_trace_NAME() does the same and checks the types. New hits do not
 * call the probe any more (in a batch: after its commit). Hits in progress may
 * call it until tracepoint_synchronize_unregister() returns.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex, and under it
 *	    the locks of the tracepoint's unregfunc. Needs no memory.
 * Return: 0 on success; -ENOENT, with a warning, if there is no such probe.
 */
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int ret = 0;

	mutex_lock(&tracepoints_mutex);
	if (!tp_orphan_take(tp, probe, data))
		ret = tp_remove(tp, probe, data);
	mutex_unlock(&tracepoints_mutex);
	WARN_ON_ONCE(ret);
	return ret;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_unregister);

/**
 * tracepoint_batch_begin() - delay this task's registrations until a commit
 * @batch: to be passed to tracepoint_batch_commit()
 *
 * From here to the commit this task's registrations and unregistrations of
 * probes are checked and answered at once, but take effect together. With text
 * transactions, hundreds of tracepoints then take two cross-CPU syncs. If the
 * batch adds a probe to tracepoints whose text calls another one directly, since it
 * is their only probe or was the last one, these calls change in an earlier
 * transaction, which takes two more syncs for all of them.
 *
 * Some or all changes take effect earlier if another task registers a probe or
 * memory is short. A batch inside a batch joins it. Tracepoints made at run
 * time are not batched.
 *
 * A tracepoint must not be freed before the commit of its changes.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex.
 */
void tracepoint_batch_begin(struct tracepoint_batch *batch)
{
	batch->task = current;
	mutex_lock(&tracepoints_mutex);
	list_add(&batch->node, &tp_batches);
	mutex_unlock(&tracepoints_mutex);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_begin);

/**
 * tracepoint_batch_commit() - apply a batch
 * @batch: passed to tracepoint_batch_begin() by the same task
 *
 * Errors were returned by the registrations. The exception is kernel text that
 * does not have the expected bytes: then the log names the tracepoint, and the
 * probes to be added to it are not added.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex.
 */
void tracepoint_batch_commit(struct tracepoint_batch *batch)
{
	mutex_lock(&tracepoints_mutex);
	list_del(&batch->node);
	if (!tp_batched())
		tp_apply();
	mutex_unlock(&tracepoints_mutex);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_commit);

/**
 * tracepoint_batch_leave() - close a batch without applying it
 * @batch: passed to tracepoint_batch_begin() by the same task
 *
 * For callers that need the changes only in a later system call: perf opens its
 * events one by one and enables them together. The collected changes take
 * effect with the next tracepoint_flush(), commit, registration outside of a
 * batch or tracepoint_synchronize_unregister().
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex.
 */
void tracepoint_batch_leave(struct tracepoint_batch *batch)
{
	mutex_lock(&tracepoints_mutex);
	list_del(&batch->node);
	mutex_unlock(&tracepoints_mutex);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_leave);

/**
 * tracepoint_flush() - apply all pending changes, of any task
 *
 * Only one test if there are none.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex if changes are
 *	    pending.
 */
void tracepoint_flush(void)
{
	if (!list_empty(&tp_changes))
		tracepoint_apply_pending();
}
EXPORT_SYMBOL_GPL(tracepoint_flush);

/**
 * tracepoint_apply_pending() - apply all pending changes, and wait for others
 *
 * As tracepoint_flush(), but also waits for a task that is applying changes.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex.
 */
void tracepoint_apply_pending(void)
{
	mutex_lock(&tracepoints_mutex);
	tp_apply();
	mutex_unlock(&tracepoints_mutex);
}

/**
 * tracepoint_synchronize_unregister() - wait for unregistered probes to finish
 *
 * After return no CPU is in a probe that was unregistered before the call, and
 * none will call it. Call this after the last unregistration and before freeing
 * what the probes need: their data, their module. One call is enough for any number
 * of probes. It applies pending changes first, those of open batches included.
 *
 * Context: Process context. May sleep; waits for a grace period of each kind of
 *	    readers. Takes tracepoints_mutex if changes are pending.
 */
void tracepoint_synchronize_unregister(void)
{
	tracepoint_flush();
	synchronize_rcu_tasks_trace();
	synchronize_srcu(&tracepoint_srcu);
}
EXPORT_SYMBOL_GPL(tracepoint_synchronize_unregister);

/* Unloaded modules */

/**
 * tracepoint_orphan() - detach all probes of a tracepoint that is unloaded
 * @tp:		tracepoint of a module that is being unloaded
 *
 * Reports the probes. Does not call the tracepoint's unregfunc: the module's
 * exit function has run already.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex.
 */
void tracepoint_orphan(struct tracepoint *tp)
{
	const struct tracepoint_func *p;

	mutex_lock(&tracepoints_mutex);
	tp_apply();
	p = tp_published(tp);
	if (p) {
		for (; p->func; p++) {
			pr_warn("tracepoint %s goes with its module, but has a probe: %ps\n",
				tp->name, p->func);
			tp_orphan_note(tp, p);
		}
		tp_change(tp, NULL);
		/* Do not leave this to a batch: the text is freed next. */
		tp_apply();
	}
	mutex_unlock(&tracepoints_mutex);
}

static const struct tracepoint_func *
tp_find_going(struct tracepoint *tp, bool (*goes)(const void *func, void *arg),
	      void *arg)
{
	const struct tracepoint_func *p = tp_latest(tp);

	for (; p && p->func; p++)
		if (goes(p->func, arg))
			return p;
	return NULL;
}

/**
 * tracepoint_evict() - detach the probes that an unloaded module leaves behind
 * @tp:		tracepoint
 * @goes:	returns true for functions to be detached
 * @arg:	last argument of @goes
 *
 * Reports the probes. The caller must wait for calls in progress.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex, and under it
 *	    the locks of the tracepoint's unregfunc.
 * Return: The number of probes detached.
 */
unsigned int tracepoint_evict(struct tracepoint *tp,
			      bool (*goes)(const void *func, void *arg),
			      void *arg)
{
	const struct tracepoint_func *p;
	unsigned int nr = 0;

	if (!rcu_access_pointer(tp->funcs) && list_empty(&tp_changes))
		return 0;

	mutex_lock(&tracepoints_mutex);
	while ((p = tp_find_going(tp, goes, arg))) {
		pr_warn("probe %ps of tracepoint %s is left by its module\n",
			p->func, tp->name);
		tp_remove(tp, p->func, p->data);
		nr++;
	}
	mutex_unlock(&tracepoints_mutex);
	return nr;
}
