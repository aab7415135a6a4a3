// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions: who queues, who commits, and who is told what went wrong.
 *
 * There is one queue of changes for all. Somebody who changes one place queues
 * it and commits. A task that has opened a transaction queues and does not
 * commit, and neither does anything that it calls, static keys and static calls
 * among them, until it says so.
 *
 * A commit always takes the whole queue, in the order in which it was filled if
 * only a part of it can go at a time. So when somebody else must have his
 * change live now, what an open transaction has queued so far becomes live with
 * it, a little early and never out of order. That is the price for the absence
 * of a lock around transactions: text_mutex is held for each step only, which
 * leaves the order of locks as it is (jump labels and static calls take theirs
 * before text_mutex), and two tasks with open transactions share their syncs.
 *
 * Exports are for the torture test; no module has business with kernel text.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#include "text_patch.h"

/* Changes that fit without asking for memory. */
#define SPARE_CHANGES	64
/* What is asked for first, and at most: more commits what there is. */
#define FIRST_CHANGES	1024
#define MOST_CHANGES	1048576

static struct text_patch spare[SPARE_CHANGES];

#if IS_ENABLED(CONFIG_X86_TEXT_PATCH_KUNIT_TEST)
int text_patch_test_alloc_left = -1;
#endif

/* All guarded by text_mutex. */
static struct text_queue queue;
static LIST_HEAD(open_tx);

static struct text_queue *the_queue(void)
{
	lockdep_assert_held(&text_mutex);

	if (unlikely(!queue.vec))
		text_queue_init(&queue, (unsigned long)_stext, spare,
				SPARE_CHANGES);
	return &queue;
}

/* The outermost transaction of the task that runs, or NULL. */
static struct text_patch_tx *current_tx(void)
{
	struct text_patch_tx *tx;

	list_for_each_entry(tx, &open_tx, node)
		if (tx->task == current)
			return tx;
	return NULL;
}

/* Must the task that runs not commit? */
bool text_batch_deferred(void)
{
	lockdep_assert_held(&text_mutex);
	return current_tx();
}

/*
 * Forget what the owner of @tx has queued. What static keys, static calls and
 * text_poke_queue() have queued in his task stays: their callers have noted
 * down that it will be so.
 */
static void text_batch_drop(const struct text_patch_tx *tx)
{
	struct text_queue *q = the_queue();
	u32 i;

	for (i = 0; i < q->nr; i++)
		if (q->vec[i].tx == tx && q->vec[i].own)
			q->vec[i].drop = true;
	text_queue_squeeze(q);
}

/*
 * Make all that is queued live, whoever queued it; but nothing of transactions
 * that have been refused already.
 */
void text_batch_commit(void)
{
	struct text_queue *q = the_queue();
	const struct text_patch_tx *tx;

	list_for_each_entry(tx, &open_tx, node)
		if (tx->refused)
			text_batch_drop(tx);
	text_commit(q);
	if (q->vec != spare) {
		kvfree(q->vec);
		q->vec = spare;
		q->cap = SPARE_CHANGES;
	}
}

/*
 * Room for @cap changes. It is asked for with text_mutex held, so it must not
 * make somebody be killed for memory: there is always a way without.
 */
static bool grow(struct text_queue *q, size_t cap)
{
	struct text_patch *old = q->vec, *vec = NULL;

	if (cap <= MOST_CHANGES && !text_patch_test_alloc_fails())
		vec = kvmalloc_array(cap, sizeof(*vec), GFP_KERNEL |
				     __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!vec)
		return false;

	text_queue_move(q, vec, cap);
	if (old != spare)
		kvfree(old);
	return true;
}

/* Room for one more change; by a commit, if there is no memory for more. */
static void make_room(struct text_queue *q)
{
	if (grow(q, max_t(u32, FIRST_CHANGES, q->cap * 2)))
		return;
	text_commit_stat.early++;
	text_batch_commit();
}

static struct text_patch *pending(struct text_queue *q, unsigned long addr)
{
	/* What comes in ascending order cannot be there yet. */
	if (q->sorted && (!q->nr ||
			  text_patch_addr(&q->vec[q->nr - 1], q->base) < addr))
		return NULL;
	return text_queue_find(q, addr);
}

static int early_fault(struct text_patch_tx *tx, void *addr, size_t len,
		       const void *expect, const void *found)
{
	struct text_patch_fault fault = {
		.addr = addr, .len = len, .err = -EINVAL,
	};

	text_commit_stat.faults++;
	memcpy(fault.expected, expect, len);
	memcpy(fault.found, found, len);
	if (tx && !tx->nr_faults++)
		tx->first = fault;
	if (tx && tx->strict)
		tx->refused = true;
	if (tx && tx->fault)
		tx->fault(tx, &fault);
	return fault.err;
}

/*
 * Queue one change. @own: the transaction's owner wants it, so it goes where the
 * transaction is refused or cancelled.
 */
static int add_change(void *addr, const void *expect, const void *insn,
		      size_t len, const void *emulate, bool own)
{
	struct text_queue *q = the_queue();
	struct text_patch_tx *tx = current_tx();
	struct text_patch *p;

	if (!len || len > TEXT_PATCH_MAX ||
	    (s32)((unsigned long)addr - q->base) != addr - (void *)q->base)
		return -EINVAL;
	if (!emulate || text_insn_fits(insn, len))
		emulate = insn;
	if (!text_insn_fits(emulate, len))
		return -EINVAL;

	p = pending(q, (unsigned long)addr);
	if (p && (p->len != len || p->tx != tx || p->own != own)) {
		text_batch_commit();
		p = NULL;
	}
	if (p) {
		if (expect && memcmp(p->new, expect, len))
			return early_fault(tx, addr, len, expect, p->new);
	} else {
		if (q->nr == q->cap)
			make_room(q);
		p = text_queue_put(q, (unsigned long)addr);
		p->len = len;
		p->own = own;
		p->tx = tx;
		if (expect) {
			p->expect = true;
			memcpy(p->old, expect, len);
		}
	}
	memcpy(p->new, insn, len);
	memcpy(p->act, emulate, len);
	return 0;
}

/*
 * Queue one change for the calls that know of no transaction. @emulate is what a
 * CPU at the breakpoint should act out if @insn is not one of the instructions
 * that can be.
 *
 * Return: 0; -EINVAL if @insn cannot be put there or @expect is not what will
 * be there.
 */
int text_batch_add(void *addr, const void *expect, const void *insn, size_t len,
		   const void *emulate)
{
	return add_change(addr, expect, insn, len, emulate, false);
}

/**
 * text_patch_begin - open a transaction
 * @tx: its handle; see &struct text_patch_tx for what to set before
 *
 * From here to text_patch_commit() all that this task changes by
 * text_patch_add(), text_poke_bp(), text_poke_queue(), by static keys and by
 * static calls is put off, and then becomes live by few cross-CPU syncs. Not in
 * one moment: until it is done a CPU may find any of the places changed and any
 * others not. Code that asks a static key or runs a site meanwhile may see
 * the old state even though, say, static_key_enable() has returned; what has
 * been queued may also become live early, a prefix at a time, if another task
 * cannot wait.
 *
 * A transaction that is opened inside another one of the same task joins it:
 * its commit does nothing, and faults are told to the outer one.
 *
 * Context: process, may sleep. Takes text_mutex. Must be closed by the same
 *	    task. Other locks may be held or taken meanwhile as ever.
 */
void text_patch_begin(struct text_patch_tx *tx)
{
	mutex_lock(&text_mutex);
	tx->nr_faults = 0;
	tx->refused = false;
	tx->task = current;
	tx->outer = current_tx();
	if (!tx->outer)
		list_add(&tx->node, &open_tx);
	mutex_unlock(&text_mutex);
}
EXPORT_SYMBOL_NS_GPL(text_patch_begin, TEXT_PATCH);

/**
 * text_patch_commit - make a transaction live and close it
 * @tx: what was given to text_patch_begin()
 *
 * Context: process, may sleep. Takes text_mutex.
 * Return: 0 if everything is live, or if the transaction has joined an outer
 *	   one. Otherwise the error of the first place that was left out, with
 *	   particulars in @tx->first: -EINVAL, other bytes than the expected
 *	   ones; -EFAULT, no text; -EBUSY, it overlaps another change. All other
 *	   places are live, unless @tx->strict: then those that were added by
 *	   text_patch_add() and its kin are not.
 */
int text_patch_commit(struct text_patch_tx *tx)
{
	if (tx->outer)
		return 0;

	mutex_lock(&text_mutex);
	text_batch_commit();
	list_del(&tx->node);
	mutex_unlock(&text_mutex);

	return tx->nr_faults ? tx->first.err : 0;
}
EXPORT_SYMBOL_NS_GPL(text_patch_commit, TEXT_PATCH);

/**
 * text_patch_cancel - close a transaction and forget what was added to it
 * @tx: what was given to text_patch_begin(); not one that has joined another
 *
 * Forgets what text_patch_add() and its kin have queued. What static keys,
 * static calls and text_poke_queue() have changed in between becomes live, as
 * their callers believe, and what became live early stays.
 *
 * Context: process, may sleep. Takes text_mutex.
 */
void text_patch_cancel(struct text_patch_tx *tx)
{
	if (WARN_ON_ONCE(tx->outer))
		return;

	mutex_lock(&text_mutex);
	text_batch_drop(tx);
	text_batch_commit();
	list_del(&tx->node);
	mutex_unlock(&text_mutex);
}

/**
 * text_patch_flush - make what is queued live, and stay in the transaction
 *
 * For somebody who must free text that a queued change leads away from.
 *
 * Context: process, may sleep. Takes text_mutex.
 */
void text_patch_flush(void)
{
	mutex_lock(&text_mutex);
	text_batch_commit();
	mutex_unlock(&text_mutex);
}

/**
 * text_patch_add_locked - change one instruction, text_mutex being held
 * @addr:	where
 * @expect:	the bytes that must be there; NULL: whatever they are
 * @insn:	the new bytes: a call, jump, conditional jump, return, breakpoint
 *		or nop of 2 or 5 bytes
 * @len:	how many, at most TEXT_PATCH_MAX
 *
 * Outside of a transaction this waits in the queue for the next commit, see
 * text_poke_finish(). A place that is already in the queue takes the new bytes,
 * and @expect is compared with those that it was going to have.
 *
 * Context: process, text_mutex held. May allocate memory; if there is none,
 *	    what is in the queue becomes live to make room.
 * Return: 0; -EINVAL if @insn is none of those instructions, or if @expect is
 *	   not what will be there (that place's queued change stays).
 */
int text_patch_add_locked(void *addr, const void *expect, const void *insn,
			  size_t len)
{
	return add_change(addr, expect, insn, len, NULL, true);
}

/**
 * text_patch_add - change one instruction as part of a transaction
 * @addr:	where
 * @expect:	the bytes that must be there; NULL: whatever they are
 * @insn:	the new bytes, see text_patch_add_locked()
 * @len:	how many, at most TEXT_PATCH_MAX
 *
 * The bytes at @addr are compared when the transaction is committed, which is
 * also when a mismatch is reported.
 *
 * Context: process, may sleep. Takes text_mutex. The text's owner cannot go
 *	    away before the commit.
 * Return: as text_patch_add_locked().
 */
int text_patch_add(void *addr, const void *expect, const void *insn, size_t len)
{
	int err;

	mutex_lock(&text_mutex);
	err = add_change(addr, expect, insn, len, NULL, true);
	mutex_unlock(&text_mutex);
	return err;
}
EXPORT_SYMBOL_NS_GPL(text_patch_add, TEXT_PATCH);

/**
 * text_patch_add_call - change what a place of five bytes calls
 * @tx:		the open transaction, of this task
 * @addr:	the place
 * @from:	what it must be calling now; TEXT_NOP, TEXT_NOP_LONG: nothing
 * @to:		what it shall call; TEXT_NOP, TEXT_NOP_LONG: nothing
 *
 * As text_patch_add_locked(), for whoever has tens of thousands of them in
 * ascending order: there is nothing to look for and nothing to decode then.
 *
 * Context: process, text_mutex held. May allocate memory; if there is none,
 *	    what is in the queue becomes live to make room.
 * Return: as text_patch_add_locked().
 */
int text_patch_add_call(struct text_patch_tx *tx, void *addr,
			unsigned long from, unsigned long to)
{
	struct text_patch *p;
	u8 old[CALL_INSN_SIZE], new[CALL_INSN_SIZE];

	p = text_queue_append(&queue, (unsigned long)addr);
	if (unlikely(!p)) {
		text_call_or_nop(old, (unsigned long)addr, from);
		text_call_or_nop(new, (unsigned long)addr, to);
		return add_change(addr, old, new, CALL_INSN_SIZE, NULL, true);
	}

	p->len = CALL_INSN_SIZE;
	p->expect = true;
	p->whole = true;
	p->own = true;
	p->tx = tx->outer ?: tx;
	text_call_or_nop(p->old, (unsigned long)addr, from);
	text_call_or_nop(p->new, (unsigned long)addr, to);
	memcpy(p->act, p->new, CALL_INSN_SIZE);
	return 0;
}

/**
 * text_patch_reserve - get the memory for many changes at once
 * @nr: how many will be added
 *
 * Context: process, text_mutex held. Where there is no memory, nothing is lost.
 */
void text_patch_reserve(size_t nr)
{
	struct text_queue *q = the_queue();

	if (q->nr + nr > q->cap)
		grow(q, q->nr + nr);
}

/**
 * text_patch_peek - the bytes that a place will have
 * @addr:	the place: start of an instruction that is patched
 * @buf:	@len bytes for the answer
 * @len:	how many, at most TEXT_PATCH_MAX; all of them are read, and there
 *		may be nothing behind the instruction
 *
 * For whoever checks the bytes of a place before changing it: if a change of it
 * waits in the queue, then those are the bytes to build on.
 *
 * Context: process, text_mutex held.
 * Return: @buf.
 */
const void *text_patch_peek(const void *addr, void *buf, size_t len)
{
	const struct text_patch *p = pending(the_queue(), (unsigned long)addr);

	memcpy(buf, addr, len);
	if (p)
		memcpy(buf, p->new, min_t(size_t, len, p->len));
	return buf;
}
