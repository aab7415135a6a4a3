// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions: queue changes, commit them, report faults.
 *
 * All tasks share one queue of changes. A task without a transaction queues its
 * change and commits. A task that has opened a transaction only queues, and so
 * does everything that it calls, static keys and static calls included, until
 * the task commits the transaction.
 *
 * A commit always takes the whole queue. So if another task commits, or if
 * there is no memory to queue more, what an open transaction has queued so far
 * becomes live: early, but never out of order. In exchange there is no lock
 * around transactions: text_mutex is held for each call only. That leaves the
 * lock order as it is (jump labels and static calls take their locks before
 * text_mutex), and two tasks with open transactions share their syncs.
 *
 * The exports are for the test modules. No other module may patch kernel text.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "text_patch.h"

#define TEST_MODULES	"text_patch_torture,text_patch_bench,text_patch_clients"

/* Number of changes that fit without an allocation. */
#define SPARE_CHANGES	64
/*
 * Size of the first allocated vector, and the most that one may have, in changes. A
 * queue that would need more is committed.
 */
#define FIRST_CHANGES	1024
#define MOST_CHANGES	1048576

static struct text_patch spare[SPARE_CHANGES];

#if IS_ENABLED(CONFIG_X86_TEXT_PATCH_KUNIT_TEST)
int text_patch_test_alloc_left = -1;
#endif

/* Guarded by text_mutex. */
static struct text_queue queue;
static LIST_HEAD(open_tx);

static struct text_queue *the_queue(void)
{
	lockdep_assert_held(&text_mutex);

	if (unlikely(!queue.vec))
		text_queue_init(&queue, text_queue_base((unsigned long)_stext), spare,
				SPARE_CHANGES);
	return &queue;
}

/* The outermost transaction of the current task, or NULL. */
static struct text_patch_tx *current_tx(void)
{
	struct text_patch_tx *tx;

	list_for_each_entry(tx, &open_tx, node)
		if (tx->task == current)
			return tx;
	return NULL;
}

/* Does the current task have a transaction open, so that it must not commit? */
bool text_batch_deferred(void)
{
	lockdep_assert_held(&text_mutex);
	return current_tx();
}

/* Make all queued changes live, those of other tasks included. */
void text_batch_commit(void)
{
	struct text_queue *q = the_queue();

	text_commit(q);
	if (q->vec != spare) {
		kvfree(q->vec);
		q->vec = spare;
		q->cap = SPARE_CHANGES;
	}
}

/*
 * Make room for @cap changes. Must not invoke the OOM killer, because text_mutex is
 * held. All callers can do without the memory.
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

/* Make room for one more change; by a commit, if no larger vector can be had. */
static void make_room(struct text_queue *q)
{
	if (grow(q, max_t(u32, FIRST_CHANGES, q->cap * 2)))
		return;
	text_commit_stat.early++;
	text_batch_commit();
}

static struct text_patch *pending(struct text_queue *q, unsigned long addr)
{
	/* An address above all queued ones is not in the queue. */
	if (q->sorted && (!q->nr ||
			  text_patch_addr(&q->vec[q->nr - 1], q->base) < addr))
		return NULL;
	return text_queue_find(q, addr);
}

static int early_fault(struct text_patch_tx *tx, void *addr, size_t len,
		       const void *expect, const void *found)
{
	struct text_patch_fault fault = {
		.addr = addr, .err = -EINVAL,
	};

	text_commit_stat.faults++;
	memcpy(fault.expected, expect, len);
	memcpy(fault.found, found, len);
	if (tx && !tx->nr_faults++)
		tx->first = fault;
	if (tx && tx->fault)
		tx->fault(tx, &fault);
	return fault.err;
}

/*
 * Queue one change. If @insn cannot be emulated, a CPU at the breakpoint emulates
 * @emulate instead.
 *
 * Return: 0 on success, -EINVAL if neither can be emulated, if @addr is too far from
 * the kernel's text, or if @expect differs from the bytes that an already queued
 * change of the place will write.
 */
int text_batch_add(void *addr, const void *expect, const void *insn, size_t len,
		   const void *emulate)
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
	if (p && (p->len != len || p->tx != tx)) {
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

/**
 * text_patch_begin() - open a transaction
 * @tx:		the transaction; see &struct text_patch_tx for what to set
 *		before
 *
 * Until text_patch_commit(), all changes that this task makes by
 * text_patch_add(), smp_text_poke_single(), smp_text_poke_batch_add(), static keys and
 * static calls are deferred. They become live with few cross-CPU syncs, but not at
 * the same moment: until the commit is done, a CPU may find some of the places
 * changed and others not. Code that tests a static key or runs a site before that
 * may see the old state although, say, static_key_enable() has returned. If
 * another task commits, everything queued so far becomes live early.
 *
 * A transaction that is opened inside another one of the same task joins it:
 * its commit does nothing, and faults are reported to the outer one.
 *
 * Context: Process context. May sleep. Takes text_mutex. The same task must
 *	    close the transaction. It may hold and take other locks as usual.
 */
void text_patch_begin(struct text_patch_tx *tx)
{
	mutex_lock(&text_mutex);
	tx->nr_faults = 0;
	tx->task = current;
	tx->outer = current_tx();
	if (!tx->outer)
		list_add(&tx->node, &open_tx);
	mutex_unlock(&text_mutex);
}
EXPORT_SYMBOL_FOR_MODULES(text_patch_begin, TEST_MODULES);

/**
 * text_patch_commit() - make the changes of a transaction live and close it
 * @tx:		the transaction that text_patch_begin() opened
 *
 * Context: Process context. May sleep. Takes text_mutex.
 * Return: 0 if all changes are live, or if the transaction has joined an outer
 *	   one. Otherwise the error of the first place that was left out,
 *	   described in @tx->first: -EINVAL if it does not hold the expected
 *	   bytes, -EFAULT if there is no text, -EBUSY if it overlaps another
 *	   change. All other places are live.
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
EXPORT_SYMBOL_FOR_MODULES(text_patch_commit, TEST_MODULES);

/**
 * text_patch_flush() - make all queued changes live, keep the transaction open
 *
 * Call this before freeing text that contains the place of a queued change, or that
 * a place still calls because its change is only queued.
 *
 * Context: Process context. May sleep. Takes text_mutex.
 */
void text_patch_flush(void)
{
	mutex_lock(&text_mutex);
	text_batch_commit();
	mutex_unlock(&text_mutex);
}

/**
 * text_patch_add() - change one instruction as part of a transaction
 * @addr:	address of the instruction
 * @expect:	bytes that must be there; NULL to accept any
 * @insn:	new bytes: a call, jump, conditional jump, return, breakpoint, nop
 *		of 2 or 5 bytes, ENDBR or TEXT_COVER_BYTES; see insn.h
 * @len:	number of bytes, at most TEXT_PATCH_MAX
 *
 * The bytes at @addr are compared with @expect, and a mismatch is reported,
 * when the transaction is committed. If a change of the same place is queued
 * already, its new bytes are replaced, and @expect is compared with them.
 *
 * Context: Process context. May sleep. Takes text_mutex. The text at @addr must
 *	    not be freed before the commit. If there is no memory, the changes in
 *	    the queue become live to make room.
 * Return: 0 on success, -EINVAL if @insn is none of these instructions or has
 *	   another length, if @addr is more than 2 GiB from the kernel's text, or
 *	   if @expect differs from the new bytes of the queued change (which
 *	   stays as it is).
 */
int text_patch_add(void *addr, const void *expect, const void *insn, size_t len)
{
	int err;

	mutex_lock(&text_mutex);
	err = text_batch_add(addr, expect, insn, len, NULL);
	mutex_unlock(&text_mutex);
	return err;
}
EXPORT_SYMBOL_FOR_MODULES(text_patch_add, TEST_MODULES);

static __always_inline
const struct text_call *nth(const struct text_call *call, size_t stride, size_t n)
{
	return (const void *)call + n * stride;
}

/*
 * Queue calls as long as each has a higher address than all queued changes, and there
 * is room.
 *
 * Return: How many were queued.
 */
static size_t append_calls(struct text_patch_tx *tx, const struct text_call *c,
			   size_t stride, size_t nr)
{
	struct text_queue *q = the_queue();
	const unsigned long base = q->base;
	struct text_patch *const begin = q->vec + q->nr, *p = begin;
	const size_t room = q->sorted ? min_t(size_t, q->cap - q->nr, nr) : 0;
	long last = q->nr ? begin[-1].rel : S32_MIN;

	for (; p < begin + room; p++, c = nth(c, stride, 1)) {
		/* Loaded first: to the compiler, writing to @p might change @c. */
		const unsigned long addr = c->addr, from = c->from, to = c->to;
		const long rel = addr - base;

		if (unlikely(rel <= last || rel > S32_MAX))
			break;
		last = rel;
		p->rel = rel;
		p->len = CALL_INSN_SIZE;
		p->expect = true;
		p->drop = false;
		p->whole = true;
		p->tx = tx;
		text_call_or_nop(p->old, addr, from);
		text_call_or_nop(p->new, addr, to);
		memcpy(p->act, p->new, CALL_INSN_SIZE);
	}
	q->nr += p - begin;
	return p - begin;
}

/**
 * text_patch_add_calls() - change what five-byte places call or jump to
 * @tx:		the open transaction of this task
 * @call:	the first place
 * @stride:	bytes from one place to the next
 * @nr:		number of places
 *
 * As text_patch_add(), for callers with tens of thousands of places. Those in
 * ascending order need no lookup and no decoding.
 *
 * Context: Process context. May sleep. Caller holds text_mutex. If there is no
 *	    memory, the changes in the queue become live to make room.
 * Return: The number of places that are queued. If that is not @nr, the next place
 *	   cannot be queued, for one of the reasons of text_patch_add().
 */
size_t text_patch_add_calls(struct text_patch_tx *tx, const struct text_call *call,
			    size_t stride, size_t nr)
{
	size_t n = 0;

	for (;;) {
		u8 old[CALL_INSN_SIZE], new[CALL_INSN_SIZE];
		const struct text_call *c;

		n += append_calls(tx->outer ?: tx, nth(call, stride, n), stride, nr - n);
		if (n == nr)
			return n;
		c = nth(call, stride, n);
		text_call_or_nop(old, c->addr, c->from);
		text_call_or_nop(new, c->addr, c->to);
		if (text_batch_add((void *)c->addr, old, new, CALL_INSN_SIZE, NULL))
			return n;
		n++;
	}
}

/**
 * text_patch_reserve() - allocate memory for many changes at once
 * @nr:		number of changes that will be added
 *
 * If there is no memory, changes can still be added, with more commits.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void text_patch_reserve(size_t nr)
{
	struct text_queue *q = the_queue();

	if (q->nr + nr > q->cap)
		grow(q, q->nr + nr);
}

/**
 * text_patch_peek() - read the bytes that a place will have
 * @addr:	start of an instruction that is patched
 * @buf:	gets @len bytes
 * @len:	number of bytes, at most TEXT_PATCH_MAX and at most the length of
 *		the instruction: text may end after it
 *
 * For callers that check the bytes of a place before they change it. If a
 * change of the place is queued, the bytes to check are the new ones of that
 * change.
 *
 * Context: Process context. Caller holds text_mutex.
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
