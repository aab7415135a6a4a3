// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on tracepoints: who gets on, who gets off, and in which order three
 * things change that a CPU reads one after the other.
 *
 * A hit of a tracepoint is
 *
 *	K:  key off? done			text, patched
 *	    preemption off			from here on an RCU reader
 *	F:  funcs = tp->funcs; NULL? done	pointer, published
 *	D:  data = funcs[0].data
 *	C:  call target(data, arguments)	text, patched
 *
 * The target is one of two: the *iterator*, which reads tp->funcs again and
 * calls every probe in it (it may find NULL); or, if there is one probe only,
 * that probe itself, *direct*. Between K and the next line a CPU may be held up
 * for as long as it likes: it can get to F long after the key was turned off,
 * or off and on again. So the key protects nothing. It is there for speed.
 *
 * The one rule
 * ============
 * While the text may call probe f directly, each array that a CPU can still
 * have got at F, or will get there, begins with f, or there is none (NULL).
 *
 * So a probe never sees another one's data. It follows that
 *
 *  (1) tp->funcs may become anything while the target is the iterator;
 *  (2) the target may leave f for the iterator at any time;
 *  (3) the target may become f when tp->funcs begins with f, and all arrays
 *	that began with something else are past their grace period.
 *
 * And nobody shall miss a hit that he is registered for:
 *
 *  (4) the target is the iterator before a second probe is published;
 *  (5) in (3), take "begins with f" as "with f and the same data": otherwise a
 *	CPU that still has the array {f, a}, {f, b} would call f(a) directly, and
 *	(f, b), the one that stays, would not be called.
 *
 * For (3) and (5) each tracepoint has @stale, the grace period of the latest
 * array that was followed by one with another beginning (or by none).
 *
 * A change, or thousands
 * ======================
 * A registration makes a new array and leaves a struct tracepoint_change, which
 * says what tp->funcs shall be. From there it is the same for one or thousands:
 *
 *  1. detour:	targets that the rule forbids after step 2 become the iterator;
 *		those text changes are made live, (2), (4)
 *  2. publish:	all arrays, (1)
 *  3. wait:	for the grace periods of (3), if a target is to become direct
 *		and its have not passed: once for all
 *  4. flip:	targets become direct, (3), keys turn on or off; made live
 *
 * 0->1 and 1->0 need 2 and 4, 1->2 needs 1 and 2, 2->1 needs 2, 4 and, if the
 * first probe went, 3; 2->3 only 2. Within step 4 no order is needed: after a
 * key is on and before the call is direct the iterator finds the same probe.
 * All that 1 and 4 do is safe before and after, so it does not matter at which
 * moment of a text transaction which CPU sees it.
 *
 * Steps 1 and 4 are a transaction each, of two syncs; one that has nothing to
 * change costs none. So two is what any change of one tracepoint takes, and
 * any batch in which all of them go the same way; a batch that has both 1->2
 * and others that need step 4 takes six.
 *
 * The lock of CPU hotplug
 * =======================
 * It is held for reading from the first key or call of a step that is queued
 * until the step is live. A CPU that comes up is not online yet: no sync waits
 * for it, so it may run a mixture of an instruction's old and new bytes. Keys
 * and calls are on its way, the tracepoint of MSR writes among them. Without a
 * transaction the same lock is taken for each key and each call. It is not held
 * in between, where step 3 waits.
 *
 * Text that cannot be changed
 * ===========================
 * A place whose bytes are not what they should be is left out by the engine. If
 * it is one of a tracepoint's calls then the text calls f, whatever has been
 * asked for. So the step is undone for that tracepoint, in text and on record,
 * and after a detour its change is refused: it keeps {f} if f shall stay, or
 * gets no probes. Either is within the rule. Probes that have been accepted
 * for a batch and are refused now are noted, so that their owners can
 * unregister them.
 *
 * When the last probe goes its direct call stays: by the rule it does no harm
 * while there is no array, and if the same function comes back, as the one of
 * an event does, then neither the call must be patched nor a grace period
 * awaited. Unless the function could go away, as a module's can.
 *
 * Old arrays are freed by RCU. Nobody waits for that, unregistering included;
 * tracepoint_synchronize_unregister() is there for those who must know.
 *
 * A batch is a task's wish not to be served at once. There is one list of
 * changes for all: who comes along and cannot wait takes everybody's with him,
 * which is early for some and wrong for none.
 *
 * tools/testing/tracepoint/model.c walks through all interleavings of a hit
 * with these steps; the torture module does it with a real kernel.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <asm/sections.h>

#include "internal.h"
#include "text.h"

/**
 * struct tracepoint_change - what a tracepoint shall have for probes
 * @node:	in tp_changes
 * @tp:		the tracepoint; its @pending points back
 * @funcs:	its next array, which nobody else reads yet; NULL for none
 * @from:	what the text called before this step, if the step changes that
 * @lasting:	memory of its own, to be freed
 * @stuck:	the text does not take it
 * @refused:	so its probes were taken off again
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

/**
 * struct tp_orphan - a probe whose tracepoint's module is gone
 * @node:	in tp_orphans
 * @tp:		where the tracepoint was; not to be followed
 * @func:	the probe
 * @data:	its first argument
 *
 * Lets its owner unregister it in the belief that it is still there. Guarded
 * by tracepoints_mutex.
 */
struct tp_orphan {
	struct list_head node;
	const struct tracepoint *tp;
	const void *func;
	const void *data;
};

/* Probes, pending changes, open batches; for its order see internal.h. */
DEFINE_MUTEX(tracepoints_mutex);

static LIST_HEAD(tp_changes);
static LIST_HEAD(tp_batches);
static LIST_HEAD(tp_orphans);

static struct tracepoint_func *tp_published(struct tracepoint *tp)
{
	return rcu_dereference_protected(tp->funcs,
					 lockdep_is_held(&tracepoints_mutex));
}

/* The array that counts for who registers next. */
static struct tracepoint_func *tp_latest(struct tracepoint *tp)
{
	return tp->pending ? tp->pending->funcs : tp_published(tp);
}

/*
 * One that other code made at run time, which has no text that would change and
 * whose owner looks at it as soon as a probe is registered: no batch for these.
 */
static bool tp_is_handmade(const struct tracepoint *tp)
{
	return !tp->static_call_key;
}

/* Targets of calls. */

static bool tp_has_call(const struct tracepoint *tp)
{
	return IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && tp->static_call_key;
}

static void *tp_target(const struct tracepoint *tp)
{
	return READ_ONCE(tp->static_call_key->func);
}

static void tp_set_target(struct tracepoint *tp, void *target)
{
	if (tp_target(tp) != target)
		__static_call_update_cpuslocked(tp->static_call_key,
						tp->static_call_tramp, target);
}

static bool tp_func_stays(const void *func)
{
	const unsigned long addr = (unsigned long)func;

	return core_kernel_text(addr) && !is_kernel_inittext(addr);
}

/* What the text shall call when @funcs is what is published. */
static void *tp_best_target(const struct tracepoint *tp,
			    const struct tracepoint_func *funcs)
{
	if (funcs)
		return funcs[1].func ? tp->iterator : funcs[0].func;
	return tp_func_stays(tp_target(tp)) ? tp_target(tp) : tp->iterator;
}

/* Would publishing the change break the one rule, or let a hit get lost? */
static bool tp_needs_detour(const struct tracepoint_change *c)
{
	if (!tp_has_call(c->tp) || !c->funcs)
		return false;
	return tp_target(c->tp) != c->tp->iterator &&
	       tp_target(c->tp) != tp_best_target(c->tp, c->funcs);
}

static bool tp_becomes_direct(const struct tracepoint_change *c)
{
	return tp_has_call(c->tp) && c->funcs && !c->funcs[1].func &&
	       tp_target(c->tp) != c->funcs[0].func;
}

/* Changes of text. */

/* Keys and calls from here to tp_text_end() are live after it. */
static void tp_text_begin(struct text_patch_tx *tx)
{
	*tx = (struct text_patch_tx){ };
	cpus_read_lock();
	text_patch_begin(tx);
}

/*
 * How many places were left as they are. Where the task has a transaction open
 * around this one, which nobody has, that one is told.
 */
static unsigned int tp_text_end(struct text_patch_tx *tx)
{
	/* Not left to the commit, which an outer transaction would delay. */
	text_patch_flush();
	text_patch_commit(tx);
	cpus_read_unlock();
	return tp_text_faults(tx);
}

static unsigned int tp_text_retarget(struct tracepoint *tp, void *target)
{
	struct text_patch_tx tx;

	tp_text_begin(&tx);
	tp_set_target(tp, target);
	return tp_text_end(&tx);
}

/*
 * Some place was left as it is. If one of a tracepoint's calls is not where
 * this step was to take it, then bring all of them back to where they were: so
 * each is tried again by itself, from there.
 */
static void tp_text_mend(const struct list_head *changes)
{
	struct tracepoint_change *c;

	list_for_each_entry(c, changes, node) {
		void *to;

		if (!c->from)
			continue;
		to = tp_target(c->tp);
		tp_text_retarget(c->tp, c->from);
		if (!tp_text_retarget(c->tp, to))
			continue;
		tp_text_retarget(c->tp, c->from);
		if (!c->stuck)
			pr_err("tracepoint %s: its calls cannot be changed from %ps to %ps\n",
			       c->tp->name, c->from, to);
		c->stuck = true;
	}
}

static void tp_text_finish(struct text_patch_tx *tx,
			   const struct list_head *changes)
{
	if (likely(!tp_text_end(tx)))
		return;
	WARN_ONCE(1, "tracepoints: text at %pS is not what it should be: error %d\n",
		  tp_text_fault_addr(tx), tp_text_fault_error(tx));
	tp_text_mend(changes);
}

static void tp_change_target(struct tracepoint_change *c, void *target)
{
	c->from = tp_target(c->tp) != target ? tp_target(c->tp) : NULL;
	tp_set_target(c->tp, target);
}

/* A probe that its owner may unregister although it is not there. */
static void tp_orphan_note(const struct tracepoint *tp,
			   const struct tracepoint_func *func)
{
	struct tp_orphan *o = kmalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return;
	o->tp = tp;
	o->func = func->func;
	o->data = func->data;
	list_add(&o->node, &tp_orphans);
}

static bool tp_orphan_take(const struct tracepoint *tp, const void *func,
			   const void *data)
{
	struct tp_orphan *o;

	list_for_each_entry(o, &tp_orphans, node) {
		if (o->tp == tp && o->func == func && o->data == data) {
			list_del(&o->node);
			kfree(o);
			return true;
		}
	}
	return false;
}

/* Free an array that was never published. */
static void tp_discard(struct tracepoint *tp, struct tracepoint_func *funcs)
{
	struct tracepoint_func *live = tp_published(tp);
	struct tp_block *block;

	if (!funcs)
		return;
	block = tp_funcs_block(funcs);
	if (!live || tp_funcs_block(live) != block)
		kfree(block);
}

/*
 * The text keeps calling one probe. If that is what is published and it shall
 * stay, it stays alone; otherwise nobody is called.
 */
static void tp_refuse(struct tracepoint_change *c)
{
	struct tracepoint_func *old = tp_published(c->tp);
	const struct tracepoint_func *p;

	if (old && !tp_funcs_has(c->funcs, old->func, old->data))
		old = NULL;
	for (p = c->funcs; p->func; p++)
		if (!old || p->func != old->func || p->data != old->data)
			tp_orphan_note(c->tp, p);
	tp_discard(c->tp, c->funcs);
	c->funcs = old;
	c->refused = true;
}

/* The four steps. */

static void tp_detour(const struct list_head *changes)
{
	struct tracepoint_change *c;
	struct text_patch_tx tx;
	unsigned int nr = 0;

	list_for_each_entry(c, changes, node)
		nr += tp_needs_detour(c);
	if (!nr)
		return;

	tp_text_begin(&tx);
	list_for_each_entry(c, changes, node)
		if (tp_needs_detour(c))
			tp_change_target(c, c->tp->iterator);
	tp_text_finish(&tx, changes);

	list_for_each_entry(c, changes, node)
		if (c->stuck)
			tp_refuse(c);
}

/* Free @old when nobody reads it any more, but not what lies beside it. */
static void tp_retire(const struct tracepoint_func *old,
		      const struct tracepoint_func *new, unsigned long gp)
{
	struct tp_block *block = tp_funcs_block(old);

	if (new && tp_funcs_block(new) == block)
		block->idle = gp;
	else
		kfree_rcu(block, rcu);
}

static void tp_publish(const struct list_head *changes)
{
	struct tracepoint_change *c;
	struct tracepoint_func *old;
	unsigned long gp;

	/* Afterwards c->funcs is the array that was replaced. */
	list_for_each_entry(c, changes, node) {
		old = tp_published(c->tp);
		/*
		 * Pairs with the dependency from F to D in trace_NAME() and in
		 * the iterator: who gets the pointer gets what it points to.
		 */
		rcu_assign_pointer(c->tp->funcs, c->funcs);
		c->funcs = old;
	}

	gp = get_state_synchronize_rcu();
	list_for_each_entry(c, changes, node) {
		old = c->funcs;
		c->funcs = tp_published(c->tp);
		if (!old || old == c->funcs)
			continue;
		if (!tp_funcs_same_first(old, c->funcs))
			c->tp->stale = gp;
		tp_retire(old, c->funcs, gp);
	}
}

static void tp_wait(const struct list_head *changes)
{
	struct tracepoint_change *c;

	list_for_each_entry(c, changes, node)
		if (tp_becomes_direct(c))
			cond_synchronize_rcu(c->tp->stale);
}

static void tp_flip(const struct list_head *changes)
{
	struct tracepoint_change *c;
	struct text_patch_tx tx;

	tp_text_begin(&tx);
	list_for_each_entry(c, changes, node) {
		struct tracepoint *tp = c->tp;

		c->from = NULL;
		if (tp_has_call(tp))
			tp_change_target(c, tp_best_target(tp, c->funcs));
		if (c->funcs)
			static_key_enable_cpuslocked(&tp->key);
		else
			static_key_disable_cpuslocked(&tp->key);
	}
	tp_text_finish(&tx, changes);
}

static int tp_regfunc(const struct tracepoint *tp)
{
	int ret = 0;

	if (tp->ext && tp->ext->regfunc)
		ret = tp->ext->regfunc();
	return min(ret, 0);
}

static void tp_unregfunc(const struct tracepoint *tp)
{
	if (tp->ext && tp->ext->unregfunc)
		tp->ext->unregfunc();
}

static void tp_done(struct tracepoint_change *c)
{
	bool refused = c->refused && !c->funcs;

	c->tp->pending = NULL;
	list_del(&c->node);
	/* The regfunc was called for a first probe, which now is none. */
	if (refused)
		tp_unregfunc(c->tp);
	if (c->lasting)
		kfree(c);
}

static void tp_apply_list(struct list_head *changes)
{
	struct tracepoint_change *c, *next;

	lockdep_assert_held(&tracepoints_mutex);

	if (list_empty(changes))
		return;

	tp_detour(changes);
	tp_publish(changes);
	tp_wait(changes);
	tp_flip(changes);
	list_for_each_entry_safe(c, next, changes, node)
		tp_done(c);
}

static void tp_apply(void)
{
	tp_apply_list(&tp_changes);
}

/* Changes. */

static bool tp_batched(void)
{
	struct tracepoint_batch *batch;

	list_for_each_entry(batch, &tp_batches, node)
		if (batch->task == current)
			return true;
	return false;
}

/* Make @funcs the array of @tp: now, or with the batch. */
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
		c = batched ? kmalloc(sizeof(*c), GFP_KERNEL) : NULL;
		if (!c) {
			/* No memory is no reason to fail, only to hurry. */
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
	/* Refused, and noted: but its owner is told at once. */
	tp_orphan_take(tp, probe->func, probe->data);
	return -EIO;
}

/* Room for what is left of @old, which CPUs may be reading. Never fails. */
static struct tracepoint_func *tp_room_for_less(struct tracepoint_func *old)
{
	struct tracepoint_func *new = tp_funcs_alloc_less(old);

	if (!new) {
		cond_synchronize_rcu(tp_funcs_block(old)->idle);
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
		new = tp->pending ? old : tp_room_for_less(old);
		tp_funcs_copy_without(new, old, func, data);
	}
	tp_change(tp, new);
	if (!new)
		tp_unregfunc(tp);
	return 0;
}

/**
 * tracepoint_probe_register_prio_may_exist - attach a probe that may be there
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 * @prio:	probes of higher priority are called first
 *
 * Context: Process, may sleep. Takes tracepoints_mutex.
 * Return: as tracepoint_probe_register_prio(), with a silent -EEXIST.
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
	tp_orphan_take(tp, probe, data);
	ret = tp_add(tp, &func);
	mutex_unlock(&tracepoints_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio_may_exist);

/**
 * tracepoint_probe_register_prio - attach a probe at its place in the order
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 * @prio:	probes of higher priority are called first, among equal ones
 *		the one that is registered first
 *
 * register_trace_prio_NAME() does this with a check of the types. On return
 * the probe is called at each hit; inside of a batch of this task, after its
 * commit, or earlier. The owner of a tracepoint that lies in a module
 * unregisters the probe before the module goes: see
 * register_tracepoint_module_notifier().
 *
 * Context: Process, may sleep. Takes tracepoints_mutex, and under it what the
 *	    tracepoint's regfunc takes.
 * Return: 0; -EEXIST, with a warning, if the tracepoint has this probe with
 *	   this @data; -EINVAL if @probe is NULL; -ENOMEM; -EIO, with a warning,
 *	   if the text of the tracepoint's calls cannot be changed; the
 *	   regfunc's error. On error nothing changed.
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
 * tracepoint_probe_register - attach a probe
 * @tp:		tracepoint
 * @probe:	function of the tracepoint's type
 * @data:	its first argument
 *
 * register_trace_NAME() does this with a check of the types.
 *
 * Context: as tracepoint_probe_register_prio().
 * Return: as tracepoint_probe_register_prio().
 */
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	return tracepoint_probe_register_prio(tp, probe, data,
					      TRACEPOINT_DEFAULT_PRIO);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

/**
 * tracepoint_probe_unregister - detach a probe
 * @tp:		tracepoint
 * @probe:	what was registered
 * @data:	with which first argument
 *
 * unregister_trace_NAME() does this with a check of the types. New hits do not
 * call the probe any more (inside of a batch: after its commit). Those that are
 * under way may, until tracepoint_synchronize_unregister().
 *
 * Context: Process, may sleep. Takes tracepoints_mutex, and under it what the
 *	    tracepoint's unregfunc takes. Needs no memory.
 * Return: 0; -ENOENT, with a warning, if there is no such probe.
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
 * tracepoint_batch_begin - put off what this task registers
 * @batch: to be given to tracepoint_batch_commit()
 *
 * From here to the commit this task's registrations and unregistrations of
 * probes are checked and answered at once, but take effect together: all keys
 * and calls of thousands of tracepoints are flipped in one text transaction,
 * with two cross-CPU syncs, where the architecture has such transactions. If
 * one of the tracepoints has exactly one probe, or had until the last one went,
 * and gets another, then its calls change in a transaction of their own before,
 * with two more, which all such tracepoints share.
 * They may take effect earlier, all or some: when another task registers
 * something, or when memory is short. A batch inside a batch joins it. A
 * tracepoint that was made at run time is no part of it: it has no text.
 *
 * Tracepoints that are part of a batch must not be freed before its commit.
 *
 * Context: Process, may sleep. Takes tracepoints_mutex.
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
 * tracepoint_batch_commit - let a batch take effect
 * @batch: what was given to tracepoint_batch_begin(), by the same task
 *
 * Nothing can fail here: it did when it was registered, or it does not. Unless
 * the kernel's text is not what it should be: then the tracepoint that it is
 * about is named in the log, and what was to be added to it is not.
 *
 * Context: Process, may sleep. Takes tracepoints_mutex.
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
 * tracepoint_batch_leave - close a batch and leave it to others to commit it
 * @batch: what was given to tracepoint_batch_begin(), by the same task
 *
 * For somebody who will say in another call from user space that he is ready:
 * perf opens its events one by one and turns them on together. What the batch
 * has collected takes effect with the next tracepoint_flush(), commit,
 * registration outside of a batch or tracepoint_synchronize_unregister().
 *
 * Context: Process, may sleep. Takes tracepoints_mutex.
 */
void tracepoint_batch_leave(struct tracepoint_batch *batch)
{
	mutex_lock(&tracepoints_mutex);
	list_del(&batch->node);
	mutex_unlock(&tracepoints_mutex);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_leave);

/**
 * tracepoint_flush - let take effect what was left behind, whoever left it
 *
 * Costs one test if there is nothing.
 *
 * Context: Process, may sleep. Takes tracepoints_mutex if there is something.
 */
void tracepoint_flush(void)
{
	if (!list_empty(&tp_changes))
		tracepoint_apply_pending();
}
EXPORT_SYMBOL_GPL(tracepoint_flush);

/* The same, and waits for who is at it. */
void tracepoint_apply_pending(void)
{
	mutex_lock(&tracepoints_mutex);
	tp_apply();
	mutex_unlock(&tracepoints_mutex);
}

/**
 * tracepoint_synchronize_unregister - wait for probes that are gone
 *
 * When it returns no CPU is in a probe that was unregistered before, and none
 * will call it. To be called between the last unregistration and the end of
 * whatever the probe needs: its data, its module. One call does for any number
 * of probes. It lets an open batch take effect.
 *
 * Context: Process, may sleep; waits for an RCU grace period. Takes
 *	    tracepoints_mutex if a batch is open.
 */
void tracepoint_synchronize_unregister(void)
{
	tracepoint_flush();
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(tracepoint_synchronize_unregister);

/* Modules that go. */

/*
 * The tracepoint is about to disappear with its module: let go of its probes.
 * Its unregfunc is not called, because the module's exit function was.
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
		/* No batch of this task may keep it: the text goes now. */
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

/*
 * Take the probes for which @goes() says so off @tp, and say how many they
 * were. The caller waits for those that are running.
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
