// SPDX-License-Identifier: GPL-2.0
/*
 * From the old bytes to the new ones, all places at once.
 *
 *	o0 o1 o2 o3 o4	old
 *	CC o1 o2 o3 o4	1. a breakpoint over the first byte
 *	   sync		   every CPU traps at every place; does what it was
 *	   flip		   ...and from this store on what it will be
 *	CC n1 n2 n3 n4	2. the rest of the new bytes
 *	   sync		   no CPU holds any byte of the old rest
 *	n0 n1 n2 n3 n4	3. the first new byte
 *	   sync		   no CPU holds the breakpoint
 *
 * One sync per step, however many places. A CPU that runs through many places
 * sees them change in one moment, the flip: as long as any place still has its
 * old bytes every breakpoint acts as the old instruction, and when the first
 * place gets new bytes every breakpoint acts as the new one. (Except for places
 * whose old bytes cannot be emulated. Those change when they get the
 * breakpoint.)
 *
 * With the stop_machine method the breakpoints and the first sync stay, and
 * the other two steps happen while no other CPU runs anything but, at most, an
 * NMI handler; that one meets old, new or the breakpoint like everybody else.
 *
 * The rest of the bytes is written even where it does not change. Emulators
 * drop translations of what is written to, and a CPU of theirs that translated
 * the old instruction just when the breakpoint came must not keep it.
 *
 * Between the first and the last step nothing may be called that could be
 * patched; check-calls.py in tools/testing/text_patch holds that against the
 * linked kernel. The syncs are the exception: three times a constant number of
 * functions, whatever the number of places. So are perf's events, if somebody
 * has asked perf for them.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/stop_machine.h>
#include <linux/sync_core.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "text_patch.h"

struct text_commit_stat text_commit_stat;

#ifdef CONFIG_PERF_EVENTS
extern atomic_t nr_text_poke_events;

static bool perf_listens(void)
{
	return atomic_read(&nr_text_poke_events);
}
#else
static bool perf_listens(void)
{
	return false;
}
#endif

/* One commit's plan: which changes, through which windows. */
struct commit {
	struct text_patch *vec;
	u32 nr;
	unsigned long base;
	const struct text_window *window;
	u32 nr_windows;
	const pte_t *ptes;
	/* The stop_machine method's; see commit_stopped(). */
	atomic_t arrived;
	atomic_t forgot;
	int others;
	int round;
};

/* For the commits of one or two places, and for when there is no memory. */
static pte_t spare_ptes[TEXT_WINDOW_PAGES];
static struct text_window spare_window;
static unsigned long window_pages[TEXT_WINDOW_PAGES];

enum step { STEP_TRAP, STEP_TAIL, STEP_HEAD };

/* Where the place of @p can be written while its window is open. */
static __always_inline u8 *window_byte(const struct text_patch *p,
				       unsigned long addr)
{
	return (u8 *)(poking_addr + p->slot * PAGE_SIZE +
		      (addr & (PAGE_SIZE - 1)));
}

static __always_inline void write_tail(const struct text_patch *p, u8 *to)
{
	u32 i;

	/* Calls, jumps and nops are nearly everything. */
	if (likely(p->len == 5)) {
		put_unaligned(get_unaligned((const u32 *)(p->new + 1)),
			      (u32 *)(to + 1));
		return;
	}
	for (i = 1; i < p->len; i++)
		WRITE_ONCE(to[i], p->new[i]);
}

/*
 * One step for the places of one window. Looks through the kernel's own mapping
 * whether the first byte has arrived, since bytes that went elsewhere have
 * destroyed something.
 */
static __always_inline
bool write_places(const struct commit *c, const struct text_window *w,
		  enum step step)
{
	const struct text_patch *p = c->vec + w->first;
	const struct text_patch *end = p + w->nr;
	u8 missed = 0;

	for (; p < end; p++) {
		const unsigned long addr = text_patch_addr(p, c->base);
		u8 *to = window_byte(p, addr);
		const u8 first = step == STEP_HEAD ? p->new[0] :
						     INT3_INSN_OPCODE;

		if (step == STEP_TAIL)
			write_tail(p, to);
		else
			WRITE_ONCE(*to, first);
		missed |= READ_ONCE(*(const u8 *)addr) ^ first;
	}
	return !missed;
}

/* One step for all places. */
static __always_inline
void write_all(const struct commit *c, enum step step)
{
	const pte_t *ptes = c->ptes;
	struct text_hold hold;
	u32 i;
	bool ok;

	for (i = 0; i < c->nr_windows; i++) {
		const struct text_window *w = c->window + i;

		text_window_open(&hold, ptes, w->pages);
		ok = write_places(c, w, step);
		text_window_close(&hold, w->pages);
		/* Some other memory has been overwritten instead. */
		if (!ok)
			panic("text_patch: what was written did not arrive\n");
		ptes += w->pages;
	}
}

static void sync_all(void)
{
	text_commit_stat.syncs++;
	text_poke_sync();
}

/*
 * Tell perf, which tells whoever decodes a trace of the instructions that were
 * run. At this time every CPU traps at every place, and a trap is visible in
 * such a trace: whatever is recorded before an event, the decoder sees the old
 * bytes or the trap, and whatever after it, the new bytes or the trap. So the
 * events come after the first sync and before any place has its new first byte.
 */
static void tell_perf(const struct commit *c)
{
	u32 i;

	if (!perf_listens())
		return;
	for (i = 0; i < c->nr; i++) {
		const struct text_patch *p = &c->vec[i];

		perf_event_text_poke((void *)text_patch_addr(p, c->base),
				     p->old, p->len, p->new, p->len);
	}
}

static __always_inline void wait_for_round(struct commit *c, int round)
{
	/* Pairs with the releases of the writer in commit_stopped(). */
	while (smp_load_acquire(&c->round) < round)
		cpu_relax();
}

/*
 * On every CPU at once, interrupts off. The first to arrive writes, the others
 * serialise when it says so; none leaves without having serialised.
 *
 * The round between tails and heads is for NMIs: one that comes in while the
 * heads are written must find that its CPU has forgotten the old tails.
 */
static int commit_stopped(void *data)
{
	struct commit *c = data;

	if (atomic_inc_return(&c->arrived) == 1) {
		text_live_flip();
		write_all(c, STEP_TAIL);
		/* Pairs with the acquire of those who wait: tails are there. */
		smp_store_release(&c->round, 1);
		while (atomic_read_acquire(&c->forgot) < c->others)
			cpu_relax();
		write_all(c, STEP_HEAD);
		text_live_withdraw();
		/* The same for the heads. */
		smp_store_release(&c->round, 2);
	} else {
		wait_for_round(c, 1);
		sync_core();
		/* Pairs with the acquire of the writer: this CPU has forgotten. */
		atomic_inc_return_release(&c->forgot);
		wait_for_round(c, 2);
	}
	sync_core();
	return 0;
}

/*
 * The second half by stop_machine. It needs the CPU hotplug lock, which comes
 * before text_mutex, so it can only be tried.
 *
 * Return: false if it could not be done and nothing was.
 */
static bool commit_by_stop_machine(struct commit *c)
{
	if (!text_method_is_stop_machine() || !cpus_read_trylock())
		return false;

	tell_perf(c);
	atomic_set(&c->arrived, 0);
	atomic_set(&c->forgot, 0);
	c->round = 0;
	c->others = num_online_cpus() - 1;
	stop_machine_cpuslocked(commit_stopped, c, cpu_online_mask);
	cpus_read_unlock();
	return true;
}

/*
 * A CPU that only takes its translations for text may have translated a
 * breakpoint just when it was written over, and will trap there for ever: that
 * resolves, but every time costs a trap. Where that has been seen at all, write
 * the first bytes once more, now that all translations are made, and they will
 * be dropped. On real CPUs this never runs.
 */
static __always_inline void settle(const struct commit *c)
{
	if (text_trap_any_late())
		write_all(c, STEP_HEAD);
}

/*
 * The walk. noinline: check-calls.py starts here.
 *
 * The changes are withdrawn before the last sync, so that it doubles as the
 * grace period for handlers that look at them. A trap that comes in between
 * finds the text complete, which is all it needs.
 */
static noinline void commit_places(struct commit *c)
{
	text_live_publish(c->vec, c->nr, c->base);
	write_all(c, STEP_TRAP);
	sync_all();

	if (!commit_by_stop_machine(c)) {
		text_live_flip();
		write_all(c, STEP_TAIL);
		tell_perf(c);
		sync_all();
		write_all(c, STEP_HEAD);
		text_live_withdraw();
		sync_all();
	}
	text_trap_quiesce();
	settle(c);
}

/*
 * The walk, timed. The clock's functions can be patched, so they are called
 * before the first breakpoint and after the last one.
 */
static void commit_timed(struct commit *c)
{
	const u64 begin = local_clock();
	u64 ns;

	commit_places(c);
	ns = local_clock() - begin;
	text_commit_stat.walk_ns += ns;
	text_commit_stat.walk_ns_max = max(text_commit_stat.walk_ns_max, ns);
}

/**
 * struct text_walk - what is known while places are looked at in address order
 * @taken: one past the last place that is not left out
 * @page:  the last page that has been found to be there
 * @pages: how many pages there were; no fewer than the places lie in
 */
struct text_walk {
	unsigned long taken;
	unsigned long page;
	u32 pages;
};

/* Of the kernel's own text this is known without a call of two traced functions. */
static bool is_core_text(unsigned long addr)
{
	return addr >= (unsigned long)_stext && addr < (unsigned long)_etext;
}

static noinline bool page_is_there(struct text_walk *walk, unsigned long addr)
{
	u8 unused;

	if (!is_core_text(addr) &&
	    copy_from_kernel_nofault(&unused, (void *)addr, 1))
		return false;
	walk->page = addr & PAGE_MASK;
	walk->pages++;
	return true;
}

/*
 * Text may be anything that a caller says it is: do not believe it, but ask
 * once for each page only. What is there stays, its owner sees to that.
 */
static __always_inline
bool is_there(struct text_walk *walk, unsigned long addr, u32 len)
{
	const unsigned long last = addr + len - 1;

	if (unlikely((addr & PAGE_MASK) != walk->page) &&
	    !page_is_there(walk, addr))
		return false;
	return likely((last & PAGE_MASK) == walk->page) ||
	       page_is_there(walk, last);
}

/* Calls, jumps and nops are nearly everything: no call for their five bytes. */
static __always_inline void read_text(u8 *to, const u8 *from, u32 len)
{
	if (likely(len == 5)) {
		put_unaligned(get_unaligned((const u32 *)from), (u32 *)to);
		to[4] = from[4];
	} else {
		memcpy(to, from, len);
	}
}

static __always_inline bool same_text(const u8 *a, const u8 *b, u32 len)
{
	if (likely(len == 5))
		return get_unaligned((const u32 *)a) ==
		       get_unaligned((const u32 *)b) && a[4] == b[4];
	return !memcmp(a, b, len);
}

static void report(struct text_patch *p, unsigned long base, int err,
		   const u8 *found)
{
	struct text_patch_fault fault = {
		.addr = (void *)text_patch_addr(p, base),
		.len = p->len,
		.err = err,
	};
	struct text_patch_tx *tx = p->tx;

	text_commit_stat.faults++;
	p->drop = true;
	memcpy(fault.expected, p->old, p->len);
	memcpy(fault.found, found, p->len);
	if (!tx) {
		WARN_ONCE(1, "text at %pS cannot be patched: error %d, %*ph\n",
			  fault.addr, err, p->len, found);
		return;
	}
	if (!tx->nr_faults++)
		tx->first = fault;
	if (tx->strict)
		tx->refused = true;
	if (tx->fault)
		tx->fault(tx, &fault);
}

/* Nearly all are five bytes that the caller has said, and has said right. */
static __always_inline
bool is_as_said(const struct text_patch *p, unsigned long base,
		struct text_walk *walk)
{
	const unsigned long addr = text_patch_addr(p, base);

	if (!p->whole || p->len != 5 || addr < walk->taken ||
	    !is_there(walk, addr, 5) || !same_text((const u8 *)addr, p->old, 5))
		return false;
	walk->taken = addr + 5;
	return true;
}

/* Is the place as it should be? Fills in what it is, if nobody has said. */
static void verify_place(struct text_patch *p, unsigned long base,
			 struct text_walk *walk)
{
	const unsigned long addr = text_patch_addr(p, base);
	u8 found[TEXT_PATCH_MAX] = {};

	if (unlikely(!is_there(walk, addr, p->len))) {
		report(p, base, -EFAULT, found);
		return;
	}
	read_text(found, (const u8 *)addr, p->len);
	if (unlikely(addr < walk->taken)) {
		report(p, base, -EBUSY, found);
		return;
	}
	if (unlikely(p->expect && !same_text(found, p->old, p->len))) {
		report(p, base, -EINVAL, found);
		return;
	}
	memcpy(p->old, found, TEXT_PATCH_MAX);
	p->whole = text_insn_fits(p->old, p->len);
	walk->taken = addr + p->len;
}

/*
 * Compare every place with what it should be, before the first byte is written.
 * What is wrong is left out, and with it what was added to its transaction if
 * that is strict.
 *
 * Return: how many pages the places lie in, or somewhat more; 0 if no place is
 * left.
 */
static u32 verify(struct text_queue *q)
{
	const unsigned long before = text_commit_stat.faults;
	/* No address of a page. */
	struct text_walk walk = { .page = 1 };
	u32 i;

	for (i = 0; i < q->nr; i++)
		if (unlikely(!is_as_said(&q->vec[i], q->base, &walk)))
			verify_place(&q->vec[i], q->base, &walk);
	if (likely(text_commit_stat.faults == before))
		return walk.pages;

	for (i = 0; i < q->nr; i++)
		if (q->vec[i].own && q->vec[i].tx && q->vec[i].tx->refused)
			q->vec[i].drop = true;
	text_queue_squeeze(q);
	return q->nr ? walk.pages : 0;
}

static void pages_to_ptes(pte_t *ptes, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		ptes[i] = text_page_pte(window_pages[i]);
		/* It was readable a moment ago. */
		if (pte_none(ptes[i]))
			panic("text_patch: no page at %lx\n", window_pages[i]);
	}
}

/* No memory: one window after the other, each a small commit of its own. */
static void commit_in_chunks(struct text_queue *q)
{
	u32 next = 0;

	while (next < q->nr) {
		struct commit c = {
			.base = q->base,
			.window = &spare_window,
			.nr_windows = 1,
			.ptes = spare_ptes,
		};
		const u32 first = next;

		next = text_window_plan(q, first, &spare_window, window_pages);
		pages_to_ptes(spare_ptes, spare_window.pages);
		spare_window.first = 0;
		c.vec = q->vec + first;
		c.nr = next - first;
		text_commit_stat.chunks++;
		text_commit_stat.windows++;
		commit_timed(&c);
	}
}

/*
 * All windows at once; the places lie in @pages pages at most.
 *
 * Return: false if there is no memory for the plan and nothing was done, or if
 * one window will do, which needs none.
 */
static bool commit_at_once(struct text_queue *q, u32 pages)
{
	const u32 most = text_window_most(pages);
	struct commit c = { .vec = q->vec, .nr = q->nr, .base = q->base };
	struct text_window *window;
	pte_t *ptes;
	void *memory;
	u32 next;

	if (pages <= TEXT_WINDOW_PAGES)
		return false;
	memory = text_patch_alloc((pages + most) * sizeof(*ptes) +
				  most * sizeof(*window));
	if (!memory)
		return false;

	ptes = memory;
	window = memory + (pages + most) * sizeof(*ptes);
	c.ptes = ptes;
	c.window = window;
	for (next = 0; next < q->nr; window++) {
		next = text_window_plan(q, next, window, window_pages);
		pages_to_ptes(ptes, window->pages);
		ptes += window->pages;
		c.nr_windows++;
	}

	text_commit_stat.chunks++;
	text_commit_stat.windows += c.nr_windows;
	commit_timed(&c);
	kvfree(memory);
	return true;
}

/**
 * text_commit - make everything that is queued live
 * @q: the queue; empty on return
 *
 * Everything that can fail happens before the first byte is written, and lack
 * of memory only makes it slower.
 *
 * Context: process, text_mutex held.
 */
void text_commit(struct text_queue *q)
{
	u32 pages;

	lockdep_assert_held(&text_mutex);

	if (!q->nr)
		return;

	text_queue_sort(q);
	pages = verify(q);
	if (pages) {
		text_commit_stat.transactions++;
		text_commit_stat.places += q->nr;
		if (!commit_at_once(q, pages))
			commit_in_chunks(q);
	}
	text_queue_clear(q);
}
