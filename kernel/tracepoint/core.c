// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of tracepoints: attach and detach them, and change the three things
 * that a CPU reads at a hit in a safe order.
 *
 * A hit of a tracepoint is
 *
 *	K:  key off? done			text, patched
 *	    preemption off			from here on an RCU reader
 *	F:  funcs = tp->funcs; NULL? done	pointer, published
 *	D:  data = funcs[0].data
 *	C:  call target(data, arguments)	text, patched
 *
 * The target is either the *iterator*, which reads tp->funcs again (and may
 * find NULL) and calls every probe in it; or *direct*, the function of the only
 * probe. A CPU may be delayed between K and the next line for any time: it can
 * reach F long after the key was turned off, or off and on again. So the key
 * protects nothing; it only saves time.
 *
 * The one rule
 * ============
 * While the text may call function f directly, each array that a CPU may still
 * have from F, or will get there, begins with f, or there is none (NULL).
 *
 * So a probe never gets another probe's data. It follows that
 *
 *  (1) tp->funcs may become anything while the target is the iterator;
 *  (2) the target may change from f to the iterator at any time;
 *  (3) the target may become f when tp->funcs begins with f, and a grace period
 *	has passed for all arrays that began with something else.
 *
 * And no registered probe may miss a hit:
 *
 *  (4) the target is the iterator before a second probe is published;
 *  (5) in (3), "begins with f" means "with f and the same data": otherwise a
 *	CPU that still has the array {f, a}, {f, b} would call f(a) directly, and
 *	(f, b), the probe that stays, would not be called.
 *
 * For (3) and (5) each tracepoint has @stale, the grace period of the latest
 * array that was replaced by one with another first probe (or by none).
 *
 * One change, or thousands
 * ========================
 * A registration makes a new array and a struct tracepoint_change, which holds
 * the next value of tp->funcs. One change or thousands are applied in four
 * steps:
 *
 *  1. detour:	set the targets that the rule forbids after step 2 to the
 *		iterator, and make that live: (2), (4)
 *  2. publish:	publish all arrays: (1)
 *  3. wait:	if targets are to become direct, wait for their tracepoints'
 *		@stale, once for all, unless it has passed: (3)
 *  4. flip:	make targets direct, turn keys on or off, and make that live: (3)
 *
 * 0->1 and 1->0 need 2 and 4 (0->1 also 1 and 3 if the last direct call, which
 * was kept, is to another function); 1->2 needs 1 and 2; 2->1 needs 2, 4 and, if
 * the first probe was removed, 3; 2->3 only 2. Step 4 needs no order: while a
 * key is on and the call is not yet direct, the iterator finds the same probe.
 * Each text change of steps 1 and 4 is safe both before and after it is live,
 * so CPUs may see the changes of a transaction at different moments.
 *
 * Steps 1 and 4 are one transaction each, of two syncs; without changes a step
 * costs none. So a change takes two syncs if it needs one of the two steps, and
 * four if it needs both: a batch with 1->2 and others that need step 4, or a
 * 0->1 with a detour.
 *
 * The lock of CPU hotplug
 * =======================
 * It is held for reading from the first key or call of a step that is queued
 * until the step is live. A CPU that is coming up is not online yet: no sync
 * waits for it, so it might run a mixture of an instruction's old and new
 * bytes. Its code has keys and calls, the tracepoint of MSR writes among them.
 * Without transactions the lock is taken for each key and each call. It is not
 * held between steps 1 and 4, where step 3 waits.
 *
 * Text that cannot be changed
 * ===========================
 * The patching engine leaves a place out if its bytes are not the expected
 * ones. If the place is one of a tracepoint's calls, the text still calls f,
 * whatever was asked for. So the step is undone for that tracepoint, in the
 * text and in its static call key, and after a detour the change is refused:
 * the tracepoint keeps {f} if f was to stay, or gets no probes. Both obey the
 * rule. Probes that were accepted for a batch and are refused now are noted,
 * so that their owners can unregister them.
 *
 * The direct call stays when the last probe is removed: the rule allows it
 * while there is no array. If the same function is attached again, as an
 * event's probe is, the call needs no patching and no grace period has to be
 * awaited. Only functions of the kernel's own text are kept this way: text of
 * modules and init text may be freed.
 *
 * RCU frees old arrays. Nothing waits for that, unregistering included; callers
 * that must wait use tracepoint_synchronize_unregister().
 *
 * A batch delays the registrations of its task. All tasks share one list of
 * changes, and each commit applies the whole list; early is safe.
 *
 * tools/testing/tracepoint/model.c checks all interleavings of a hit with these
 * steps; the torture module tests them in a running kernel.
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
 * struct tracepoint_change - the next array of a tracepoint's probes
 * @node:	in tp_changes
 * @tp:		the tracepoint; its @pending points back
 * @funcs:	its next array, not published yet; NULL for none
 * @from:	what the text called before this step; NULL if the step does not
 *		change it
 * @lasting:	allocated by kmalloc(), to be freed
 * @stuck:	the text could not be changed
 * @refused:	@stuck in a detour, so the new probes were removed again
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
 * struct tp_orphan - a probe that was removed without its owner
 * @node:	in tp_orphans
 * @tp:		address of the tracepoint, which may be freed; never
 *		dereferenced
 * @func:	the probe
 * @data:	its first argument
 *
 * The tracepoint's module was unloaded, or the text could not be changed. The
 * owner's later unregistration finds this entry and succeeds. Guarded by
 * tracepoints_mutex.
 */
struct tp_orphan {
	struct list_head node;
	const struct tracepoint *tp;
	const void *func;
	const void *data;
};

/* Guards probes, pending changes, open batches. Lock order: see internal.h. */
DEFINE_MUTEX(tracepoints_mutex);

static LIST_HEAD(tp_changes);
static LIST_HEAD(tp_batches);
static LIST_HEAD(tp_orphans);

static struct tracepoint_func *tp_published(struct tracepoint *tp)
{
	return rcu_dereference_protected(tp->funcs,
					 lockdep_is_held(&tracepoints_mutex));
}

/* The array that the next registration starts from. */
static struct tracepoint_func *tp_latest(struct tracepoint *tp)
{
	return tp->pending ? tp->pending->funcs : tp_published(tp);
}

/*
 * Was the tracepoint made at run time? It has no text to change, and its owner
 * reads @funcs as soon as a probe is registered: so it is never batched.
 */
static bool tp_is_handmade(const struct tracepoint *tp)
{
	return !tp->static_call_key;
}

/* Call targets */

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

/* What the text should call once @funcs is published. */
static void *tp_best_target(const struct tracepoint *tp,
			    const struct tracepoint_func *funcs)
{
	if (funcs)
		return funcs[1].func ? tp->iterator : funcs[0].func;
	return tp_func_stays(tp_target(tp)) ? tp_target(tp) : tp->iterator;
}

/* Would publishing the change break the one rule, or make a probe miss a hit? */
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

/* Text changes */

/* Changes of keys and calls from here on are live after tp_text_end(). */
static void tp_text_begin(struct text_patch_tx *tx)
{
	*tx = (struct text_patch_tx){ };
	cpus_read_lock();
	text_patch_begin(tx);
}

/*
 * Return how many places could not be changed. An outer transaction of the task
 * would get these faults instead, but no caller has one.
 */
static unsigned int tp_text_end(struct text_patch_tx *tx)
{
	/* In an outer transaction the commit alone would make nothing live. */
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
 * At least one place could not be changed. Set each target that this step has
 * changed back, and change it again alone. If that fails, it stays as it was
 * before the step, and the change is marked stuck.
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

/* Let the owner unregister a probe that is not attached any more. */
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

/* Free an unpublished array, unless it shares the published array's block. */
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
 * The text still calls one function. If its probe is published and was to stay,
 * make it the only one; otherwise leave the tracepoint without probes.
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

/* The four steps */

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

/* Free @old after grace period @gp, or mark it idle if @new shares its block. */
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

	/* In this loop c->funcs becomes the array that was replaced. */
	list_for_each_entry(c, changes, node) {
		old = tp_published(c->tp);
		/*
		 * Pairs with the address dependency from F to D in
		 * trace_NAME() and in the iterator: a CPU that sees the
		 * pointer sees the array's contents.
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
	/* No probe is left: undo the regfunc that ran for the first one. */
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
		c = batched ? kmalloc(sizeof(*c), GFP_KERNEL) : NULL;
		if (!c) {
			/* Without memory to delay the change, apply it now. */
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
	/* Refused: the error tells the owner, so drop the note. */
	tp_orphan_take(tp, probe->func, probe->data);
	return -EIO;
}

/*
 * An empty array for @old less one probe. Never fails: without memory it waits
 * until no CPU reads the other half of @old's block, and returns that.
 */
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
 * Return: as tracepoint_probe_register_prio().
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
 * Return: 0 on success; -EEXIST, with a warning, if @probe is attached with
 *	   this @data; -EINVAL if @probe is NULL; -ENOMEM if there is no memory
 *	   for the array; -EIO, with a warning, if the text of the tracepoint's
 *	   calls cannot be changed; the regfunc's error. On error nothing
 *	   changed.
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
 * Return: as tracepoint_probe_register_prio().
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
 * transactions, thousands of tracepoints then take two cross-CPU syncs. If the
 * batch adds a probe to tracepoints that have exactly one, or had until their
 * last one was removed, their calls change in an earlier transaction, which
 * takes two more syncs for all of them.
 *
 * Some or all changes take effect earlier if another task registers a probe or
 * memory is short. A batch inside a batch joins it. Tracepoints made at run
 * time are not batched: they have no text.
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
 * For callers that get the start signal in a later system call: perf opens its
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
 * Costs one test if there are none.
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
 * As tracepoint_flush(), but also waits for a task that applies changes now.
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
 * what the probes need: their data, their module. One call serves any number of
 * probes. It applies pending changes first, those of open batches included.
 *
 * Context: Process context. May sleep; waits for an RCU grace period. Takes
 *	    tracepoints_mutex if changes are pending.
 */
void tracepoint_synchronize_unregister(void)
{
	tracepoint_flush();
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(tracepoint_synchronize_unregister);

/* Unloaded modules */

/**
 * tracepoint_orphan() - detach all probes of a tracepoint that is unloaded
 * @tp:		tracepoint of a module that is unloaded
 *
 * Reports the probes. Does not call the tracepoint's unregfunc: the module's
 * exit function has run.
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
 * @arg:	its last argument
 *
 * Reports the probes. The caller waits for calls in progress.
 *
 * Context: Process context. May sleep. Takes tracepoints_mutex, and under it
 *	    the locks of the tracepoint's unregfunc.
 * Return: the number of probes detached.
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
