// SPDX-License-Identifier: GPL-2.0
/*
 * From the old bytes to the new ones, many places at once.
 *
 *	o0 o1 o2 o3 o4	old
 *	CC o1 o2 o3 o4	1. a breakpoint over the first byte
 *	   sync		   every CPU traps at every place; does what it was
 *	   flip		   ...and from this store on what it will be
 *	CC n1 n2 n3 n4	2. the rest of the new bytes
 *	   sync		   no CPU holds any byte of the old rest
 *	n0 n1 n2 n3 n4	3. the first new byte
 *
 * These steps for up to WALK_PLACES places are a walk. A commit of more makes
 * one walk after the other, in address order.
 *
 * While places hold breakpoints, other CPUs trap at them. So a walk is short,
 * and no task can preempt it: preemption is off from the first breakpoint to
 * the last first byte. Interrupts stay on, since syncs are interrupts. Between
 * walks no place holds a breakpoint, and the writer may be preempted for any time.
 *
 * No sync follows the third step. A CPU that still holds the breakpoint traps,
 * finds in the text what it should do, and does that (trap.c), however late.
 *
 * One sync for each of the first two steps. A CPU that runs through many places of a walk sees them
 * change in one moment, the flip: as long as any place still has its old bytes
 * every breakpoint acts as the old instruction, and when the first place gets
 * new bytes every breakpoint acts as the new one. (Except for places whose old
 * bytes cannot be emulated. Those change when they get the breakpoint.) Nothing
 * holds across walks: a CPU may run places of the first walk new and places of
 * the next one old. The engine's users do not need more: each of their places
 * may be old or new whatever the others are.
 *
 * With the stop_machine method all steps of a walk happen while no other CPU
 * runs anything but, at most, an NMI handler; that one meets old, new or the
 * breakpoint like everybody else.
 *
 * The rest of the bytes is written even where it does not change. Emulators
 * drop translations of what is written to, and a CPU of theirs that translated
 * the old instruction just when the breakpoint came must not keep it.
 *
 * Between the first and the last step nothing may be called that could be
 * patched; check-calls.py in tools/testing/text_patch holds that against the
 * linked kernel. The syncs are the exception: twice a constant number of
 * functions, whatever the number of places. So are perf's events, if somebody
 * has asked perf for them. Neither sleeps, on PREEMPT_RT either: the syncs spin
 * with preemption off by themselves, and perf writes its events under RCU and
 * with preemption off, and wakes the reader by irq_work.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/stop_machine.h>
#include <linux/sync_core.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
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

/*
 * The most places of a walk. A place costs some 50 instructions in the walk.
 * What limits their number is the time for which they hold breakpoints, which
 * is to be less than a millisecond, and a tenth of that with PREEMPT_RT; fewer
 * would mean more syncs. With perf's events a place costs many times that.
 */
#define WALK_PLACES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 512 : 6144)
#define WALK_PLACES_PERF	(WALK_PLACES / 16)

/* The most windows: enough where four places share a page, as functions do. */
#define WALK_WINDOWS		(WALK_PLACES / (4 * TEXT_WINDOW_PAGES))

/* Tests make it smaller. */
u32 text_walk_places = WALK_PLACES;

/* A walk's plan: which changes, through which windows. */
struct walk {
	const struct text_patch *vec;
	u32 nr;
	unsigned long base;
	const struct text_window *window;
	u32 nr_windows;
	const pte_t *ptes;
	bool translated;	/* see translates_text() */
	/* The stop_machine method's; see commit_stopped(). */
	atomic_t arrived;
	atomic_t forgot;
	int others;
	int round;
};

/* Of the walk that is made or planned; guarded by text_mutex. */
static struct text_window windows[WALK_WINDOWS];
static pte_t window_ptes[WALK_WINDOWS * TEXT_WINDOW_PAGES];
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
bool write_places(const struct walk *walk, const struct text_window *w,
		  enum step step)
{
	const struct text_patch *p = walk->vec + w->first;
	const struct text_patch *end = p + w->nr;
	u8 missed = 0;

	for (; p < end; p++) {
		const unsigned long addr = text_patch_addr(p, walk->base);
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
void write_all(const struct walk *walk, enum step step)
{
	const pte_t *ptes = walk->ptes;
	struct text_hold hold;
	u32 i;
	bool ok;

	for (i = 0; i < walk->nr_windows; i++) {
		const struct text_window *w = walk->window + i;

		text_window_open(&hold, ptes, w->pages);
		ok = write_places(walk, w, step);
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
static void tell_perf(const struct walk *walk)
{
	u32 i;

	if (!perf_listens())
		return;
	for (i = 0; i < walk->nr; i++) {
		const struct text_patch *p = &walk->vec[i];

		perf_event_text_poke((void *)text_patch_addr(p, walk->base),
				     p->old, p->len, p->new, p->len);
	}
}

static void note_time(u64 begin)
{
	const u64 ns = local_clock() - begin;

	text_commit_stat.walk_ns += ns;
	text_commit_stat.walk_ns_max = max(text_commit_stat.walk_ns_max, ns);
}

/*
 * The steps of a walk. noinline: check-calls.py starts here.
 *
 * A handler may still look at the changes when this returns: text_trap_quiesce()
 * comes before they are freed. A trap that comes after the changes have been
 * withdrawn finds the text complete, which is all it needs.
 */
static noinline void commit_places(const struct walk *walk)
{
	text_live_publish(walk->vec, walk->nr, walk->base);
	write_all(walk, STEP_TRAP);
	sync_all();
	if (walk->translated)
		write_all(walk, STEP_TRAP);
	text_live_flip();
	write_all(walk, STEP_TAIL);
	tell_perf(walk);
	sync_all();
	write_all(walk, STEP_HEAD);
	text_live_withdraw();
}

/*
 * A walk by breakpoints. The clock's functions can be patched, so they are
 * called before the first breakpoint and after the last one.
 */
static void walk_by_breakpoints(const struct walk *walk)
{
	u64 begin;

	preempt_disable();
	begin = local_clock();
	commit_places(walk);
	note_time(begin);
	preempt_enable();
}

/* Rounds in which the other CPUs of a stopped machine serialise. */
enum { ROUND_NONE, ROUND_TRAPS, ROUND_TAILS, ROUND_HEADS };

static __always_inline void stopped_sync(struct walk *walk, int round)
{
	/* Pairs with the acquire of stopped_other(): the bytes are there. */
	smp_store_release(&walk->round, round);
	/* Pairs with the release of stopped_other(): it has serialised. */
	while (atomic_read_acquire(&walk->forgot) < round * walk->others)
		cpu_relax();
	sync_core();
}

/*
 * The steps of a walk while no other CPU runs anything but stopped_other(), or
 * what leads to it, or an NMI handler. The NMIs are the reason for breakpoints
 * and rounds: each must find that its CPU has forgotten what was there one step
 * before. noinline: check-calls.py starts here.
 */
static noinline void stopped_writer(struct walk *walk)
{
	text_live_publish(walk->vec, walk->nr, walk->base);
	write_all(walk, STEP_TRAP);
	stopped_sync(walk, ROUND_TRAPS);
	text_live_flip();
	write_all(walk, STEP_TAIL);
	stopped_sync(walk, ROUND_TAILS);
	write_all(walk, STEP_HEAD);
	text_live_withdraw();
	stopped_sync(walk, ROUND_HEADS);
}

/* The other CPUs meanwhile. noinline: check-calls.py starts here, too. */
static noinline void stopped_other(struct walk *walk)
{
	int round;

	for (round = ROUND_TRAPS; round <= ROUND_HEADS; round++) {
		/* Pairs with the release of stopped_sync(). */
		while (smp_load_acquire(&walk->round) < round)
			cpu_relax();
		sync_core();
		/* Pairs with the acquire of stopped_sync(). */
		atomic_inc_return_release(&walk->forgot);
	}
}

/* On every CPU at once, interrupts off. The first to arrive writes. */
static int commit_stopped(void *data)
{
	struct walk *walk = data;
	u64 begin;

	if (atomic_inc_return(&walk->arrived) == 1) {
		begin = local_clock();
		stopped_writer(walk);
		note_time(begin);
	} else {
		stopped_other(walk);
	}
	return 0;
}

/*
 * A walk by stop_machine. It needs the CPU hotplug lock, which comes before
 * text_mutex, so it can only be tried. Perf's events cannot be written with it:
 * they belong between two steps and to the task that commits.
 *
 * Return: false if it could not be done and nothing was.
 */
static bool walk_by_stop_machine(struct walk *walk)
{
	bool done;

	if (!text_method_is_stop_machine() || perf_listens() ||
	    !cpus_read_trylock())
		return false;

	atomic_set(&walk->arrived, 0);
	atomic_set(&walk->forgot, 0);
	walk->round = ROUND_NONE;
	walk->others = num_online_cpus() - 1;
	/* An error is that of no CPU having been stopped. */
	done = !stop_machine_cpuslocked(commit_stopped, walk, cpu_online_mask);
	cpus_read_unlock();
	return done;
}

/*
 * A CPU that only takes its translations for text may have translated an
 * instruction just when its first byte was written over, and keeps that for as
 * long as nobody writes there. Where this has been seen at all, bytes are written
 * once more when a sync has seen to it that all translations are made, and those
 * are dropped: breakpoints, or such a CPU would run the old instruction after the
 * flip; and new first bytes, or it would trap there for ever, which resolves but
 * costs. Real CPUs come late, too, while a commit goes on, but not again: neither
 * they nor those of a hypervisor that is known by name do this.
 */
static bool translates_text(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	       hypervisor_is_type(X86_HYPER_NATIVE) && text_trap_any_late();
}

static void settle(const struct walk *walk)
{
	if (!walk->translated)
		return;
	text_commit_stat.settled++;
	sync_all();
	write_all(walk, STEP_HEAD);
}

static void commit_walk(struct walk *walk)
{
	text_commit_stat.chunks++;
	text_commit_stat.windows += walk->nr_windows;
	walk->translated = translates_text();
	if (!walk_by_stop_machine(walk))
		walk_by_breakpoints(walk);
	text_trap_quiesce();
	settle(walk);
}

/**
 * struct text_check - what is known while places are looked at in address order
 * @taken: one past the last place that is not left out
 * @page:  the last page that has been found to be there
 */
struct text_check {
	unsigned long taken;
	unsigned long page;
};

/* Of the kernel's own text this is known without a call of two traced functions. */
static bool is_core_text(unsigned long addr)
{
	return addr >= (unsigned long)_stext && addr < (unsigned long)_etext;
}

static noinline bool page_is_there(struct text_check *check, unsigned long addr)
{
	u8 unused;

	if (!is_core_text(addr) &&
	    copy_from_kernel_nofault(&unused, (void *)addr, 1))
		return false;
	check->page = addr & PAGE_MASK;
	return true;
}

/*
 * Text may be anything that a caller says it is: do not believe it, but ask
 * once for each page only. What is there stays, its owner sees to that.
 */
static __always_inline
bool is_there(struct text_check *check, unsigned long addr, u32 len)
{
	const unsigned long last = addr + len - 1;

	if (unlikely((addr & PAGE_MASK) != check->page) &&
	    !page_is_there(check, addr))
		return false;
	return likely((last & PAGE_MASK) == check->page) ||
	       page_is_there(check, last);
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
		struct text_check *check)
{
	const unsigned long addr = text_patch_addr(p, base);

	if (!p->whole || p->len != 5 || addr < check->taken ||
	    !is_there(check, addr, 5) || !same_text((const u8 *)addr, p->old, 5))
		return false;
	check->taken = addr + 5;
	return true;
}

/* Is the place as it should be? Fills in what it is, if nobody has said. */
static void verify_place(struct text_patch *p, unsigned long base,
			 struct text_check *check)
{
	const unsigned long addr = text_patch_addr(p, base);
	u8 found[TEXT_PATCH_MAX] = {};

	if (unlikely(!is_there(check, addr, p->len))) {
		report(p, base, -EFAULT, found);
		return;
	}
	read_text(found, (const u8 *)addr, p->len);
	if (unlikely(addr < check->taken)) {
		report(p, base, -EBUSY, found);
		return;
	}
	if (unlikely(p->expect && !same_text(found, p->old, p->len))) {
		report(p, base, -EINVAL, found);
		return;
	}
	memcpy(p->old, found, TEXT_PATCH_MAX);
	p->whole = text_insn_fits(p->old, p->len);
	check->taken = addr + p->len;
}

/*
 * Compare every place with what it should be, before the first byte is written.
 * What is wrong is left out, and with it what was added to its transaction if
 * that is strict.
 */
static void verify(struct text_queue *q)
{
	const unsigned long before = text_commit_stat.faults;
	/* No address of a page. */
	struct text_check check = { .page = 1 };
	u32 i;

	for (i = 0; i < q->nr; i++)
		if (unlikely(!is_as_said(&q->vec[i], q->base, &check)))
			verify_place(&q->vec[i], q->base, &check);
	if (likely(text_commit_stat.faults == before))
		return;

	for (i = 0; i < q->nr; i++)
		if (q->vec[i].own && q->vec[i].tx && q->vec[i].tx->refused)
			q->vec[i].drop = true;
	text_queue_squeeze(q);
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

/*
 * Plan a walk of the changes from @first on.
 *
 * Return: index of the first change that is left for the next walk.
 */
static u32 plan_walk(const struct text_queue *q, u32 first, struct walk *walk)
{
	const u32 most = perf_listens() ? WALK_PLACES_PERF : text_walk_places;
	const u32 end = min(q->nr, first + most);
	pte_t *ptes = window_ptes;
	struct text_window *w = windows;
	u32 next = first;

	while (next < end && w < windows + WALK_WINDOWS) {
		next = text_window_plan(q, next, end, w, window_pages);
		pages_to_ptes(ptes, w->pages);
		ptes += w->pages;
		w->first -= first;
		w++;
	}

	*walk = (struct walk) {
		.vec = q->vec + first,
		.nr = next - first,
		.base = q->base,
		.window = windows,
		.nr_windows = w - windows,
		.ptes = window_ptes,
	};
	return next;
}

/**
 * text_commit - make everything that is queued live
 * @q: the queue; empty on return
 *
 * Everything that can fail happens before the first byte is written.
 *
 * Context: process, text_mutex held. May sleep if @q has more changes than one
 *	    walk takes.
 */
void text_commit(struct text_queue *q)
{
	struct walk walk;
	u32 next = 0;

	lockdep_assert_held(&text_mutex);

	text_queue_sort(q);
	verify(q);
	if (q->nr) {
		text_commit_stat.transactions++;
		text_commit_stat.places += q->nr;
	}
	while (next < q->nr) {
		next = plan_walk(q, next, &walk);
		commit_walk(&walk);
		if (next < q->nr)
			cond_resched();
	}
	text_queue_clear(q);
}
