// SPDX-License-Identifier: GPL-2.0
/*
 * Apply changes of probes: the three things that a CPU reads at a hit, in a
 * safe order.
 *
 * A hit of a tracepoint is
 *
 *	K:  key off? done			text, patched
 *	    read lock				from here on a reader, see Readers
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
 *	{f, b}, the probe that stays, would miss the hit.
 *
 * For (3) and (5) each tracepoint has @stale: the grace period that began when an
 * array was last replaced by one with another first probe (or by none).
 *
 * Readers
 * =======
 * Most hits are readers of tracepoint_srcu. Those of faultable tracepoints, which
 * may sleep in a page fault, are readers of RCU Tasks Trace. Both are SRCU
 * domains; tp_readers() returns that of a tracepoint. A grace period of either
 * includes one of RCU: code that reads the arrays of tracepoints made at run time
 * relies on that and only disables preemption.
 *
 * One change, or thousands
 * ========================
 * A registration makes a new array and a struct tracepoint_change, which holds
 * the next value of tp->funcs. One change or thousands are applied in three
 * steps:
 *
 *  1. detour:	set the targets that the rule forbids after step 2 to the
 *		iterator, and make that live: (2), (4)
 *  2. publish:	publish all arrays: (1)
 *  3. flip:	make targets direct where @stale has passed, turn keys on or
 *		off, and make that live: (3)
 *
 * A registration does not wait for @stale. Until it has passed, the iterator stays
 * the target; a work item (direct.c) then repeats the flip.
 *
 * By number of probes before and after: 0->1 and 1->0 need 2 and 3 (0->1 also 1
 * if the text still calls another function directly, see below); 1->2 needs 1 and
 * 2; 2->1 needs 2 and 3; 2->3 only 2. Step 3 needs no order: while a key is on and
 * the call is not yet direct, the iterator finds the same probe. Each text change of
 * steps 1 and 3 is safe both before and after it is live, so CPUs may see the changes
 * of a transaction at different moments.
 *
 * Steps 1 and 3 are one transaction each, of two syncs; without changes a step
 * costs none. So a change takes two syncs if it needs one of the two steps, and
 * four if it needs both: a batch with 1->2 and others that need step 3, or a
 * 0->1 with a detour.
 *
 * The lock of CPU hotplug
 * =======================
 * It is held for reading from the first key or call of a step that is queued
 * until the step is live. A CPU that is coming up is not online yet: no sync
 * waits for it, so it might run a mixture of an instruction's old and new
 * bytes. The code that it runs has keys and calls, the tracepoint of MSR writes
 * among them.
 *
 * Text that cannot be changed
 * ===========================
 * The patching engine leaves a place out if its bytes are not the expected
 * ones. If the place is one of a tracepoint's calls, the text still calls the old
 * function f. So the step is undone for that tracepoint, in the
 * text and in its static call key, and after a detour the change is refused:
 * the tracepoint keeps {f} if f was to stay, or gets no probes. Both obey the
 * rule. Probes that were accepted for a batch and are refused now are noted,
 * so that their owners can unregister them.
 *
 * The direct call stays when the last probe is removed: the rule allows it
 * while there is no array. If the same function is attached again, as an
 * event's probe is, the call is direct at once and needs no patching. Only
 * functions of the kernel's own text are kept this way: text of modules and init
 * text may be freed.
 *
 * Old arrays are freed by call_srcu(). Nothing here waits for that, unregistering
 * included; callers that must wait use tracepoint_synchronize_unregister().
 *
 * tools/testing/tracepoint/model.c checks all interleavings of a hit with these
 * steps; the torture module tests them in a running kernel.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/static_call.h>
#include <linux/static_key.h>
#include <linux/workqueue.h>
#include <asm/sections.h>

#include "apply.h"
#include "internal.h"
#include "text.h"

/* Call targets */

static bool tp_has_call(const struct tracepoint *tp)
{
	return IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && tp->static_call_key;
}

static void *tp_target(const struct tracepoint *tp)
{
	return READ_ONCE(tp->static_call_key->func);
}

/* Has a call left a probe since the last tp_text_settle()? tracepoints_mutex guards it. */
static bool tp_left;

static void tp_set_target(struct tracepoint *tp, void *target)
{
	if (tp_target(tp) == target)
		return;
	tp_left |= tp_target(tp) != tp->iterator;
	__static_call_update_cpuslocked(tp->static_call_key, tp->static_call_tramp, target);
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

/* May the text call @target, now that the change is published? See (3). */
static bool tp_may_call(struct tracepoint *tp, const void *target)
{
	return target == tp->iterator || target == tp_target(tp) ||
	       tp_gp_passed(tp, tp->stale);
}

/**
 * tp_could_be_direct() - does one probe get its hits through the iterator?
 * @tp: tracepoint
 *
 * Context: Process context. The caller holds tracepoints_mutex.
 * Return: True if the call may become direct after a grace period.
 */
bool tp_could_be_direct(struct tracepoint *tp)
{
	const struct tracepoint_func *funcs = tp_published(tp);

	return tp_has_call(tp) && funcs &&
	       tp_target(tp) != tp_best_target(tp, funcs);
}

/* Text changes */

/* Changes of keys and calls between this and tp_text_end() are live after the latter. */
static void tp_text_begin(struct text_patch_tx *tx)
{
	*tx = (struct text_patch_tx){ };
	cpus_read_lock();
	text_patch_begin(tx);
}

/*
 * Return: How many places could not be changed. An outer transaction of the task
 * would get these faults instead, but no caller has one.
 */
static unsigned int tp_text_end(struct text_patch_tx *tx)
{
	/* In an outer transaction the commit alone would make nothing live. */
	text_patch_flush();
	text_patch_commit(tx);
	/* A CPU may be late to leave the iterator: by (1), that does no harm. */
	if (tp_left)
		tp_text_settle();
	tp_left = false;
	cpus_read_unlock();
	return tx->nr_faults;
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
		  tx->first.addr, tx->first.err);
	tp_text_mend(changes);
}

static void tp_change_target(struct tracepoint_change *c, void *target)
{
	c->from = tp_target(c->tp) != target ? tp_target(c->tp) : NULL;
	tp_set_target(c->tp, target);
}

/**
 * tp_discard() - free an unpublished array
 * @tp:		its tracepoint
 * @funcs:	array that was never published, or NULL
 *
 * Does nothing if it shares the block of the published array.
 *
 * Context: Process context. The caller holds tracepoints_mutex.
 */
void tp_discard(struct tracepoint *tp, struct tracepoint_func *funcs)
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
 * The text could not be changed and still calls one function. If its probe is
 * published and was to stay, make it the only one; else leave no probes.
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

/* The three steps */

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

static void tp_free(struct rcu_head *rcu)
{
	struct tp_block *block = container_of(rcu, struct tp_block, rcu), *next;

	for (; block; block = next) {
		next = block->next;
		kfree(block);
	}
}

/* One callback frees all: each call_srcu() also checks whether to start a grace period. */
static void tp_free_later(struct srcu_struct *readers, struct tp_block *gone)
{
	if (gone)
		call_srcu(readers, &gone->rcu, tp_free);
}

/*
 * Add the block of @old, which has been replaced, to those to be freed; or, if @new
 * shares the block, note that @old is idle after grace period @gp.
 */
static void tp_retire(const struct tracepoint_func *old,
		      const struct tracepoint_func *new, unsigned long gp,
		      struct tp_block **gone)
{
	struct tp_block *block = tp_funcs_block(old);

	if (new && tp_funcs_block(new) == block) {
		block->idle = gp;
		return;
	}
	block->next = *gone;
	*gone = block;
}

static void tp_publish(const struct list_head *changes)
{
	struct tp_block *gone = NULL, *gone_faultable = NULL;
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

	/* Only after all are published, so that most have the same grace period. */
	list_for_each_entry(c, changes, node) {
		old = c->funcs;
		c->funcs = tp_published(c->tp);
		if (!old || old == c->funcs)
			continue;
		gp = tp_gp_now(c->tp);
		if (!tp_funcs_same_first(old, c->funcs))
			c->tp->stale = gp;
		tp_retire(old, c->funcs, gp,
			  tracepoint_is_faultable(c->tp) ? &gone_faultable : &gone);
	}
	tp_free_later(&tracepoint_srcu, gone);
	tp_free_later(&rcu_tasks_trace_srcu_struct, gone_faultable);
}

static void tp_flip(const struct list_head *changes)
{
	struct tracepoint_change *c;
	struct text_patch_tx tx;
	bool later = false;

	tp_text_begin(&tx);
	list_for_each_entry(c, changes, node) {
		struct tracepoint *tp = c->tp;
		void *best;

		c->from = NULL;
		if (tp_has_call(tp)) {
			best = tp_best_target(tp, c->funcs);
			if (tp_may_call(tp, best))
				tp_change_target(c, best);
			else
				later = true;
		}
		if (c->funcs)
			static_branch_enable_cpuslocked(&tp->key);
		else
			static_branch_disable_cpuslocked(&tp->key);
	}
	tp_text_finish(&tx, changes);
	if (later)
		queue_work(system_dfl_wq, &tp_direct_work);
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

/**
 * tp_apply_list() - apply changes to their tracepoints
 * @changes: list of struct tracepoint_change; empty on return
 *
 * A change is refused if its text cannot be changed, see above. Frees each change
 * that was allocated.
 *
 * Context: Process context. May sleep. The caller holds tracepoints_mutex.
 */
void tp_apply_list(struct list_head *changes)
{
	struct tracepoint_change *c, *next;

	lockdep_assert_held(&tracepoints_mutex);

	if (list_empty(changes))
		return;

	tp_detour(changes);
	tp_publish(changes);
	tp_flip(changes);
	list_for_each_entry_safe(c, next, changes, node)
		tp_done(c);
}
