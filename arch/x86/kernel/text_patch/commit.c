// SPDX-License-Identifier: GPL-2.0
/*
 * Commit: replace the old bytes by the new ones, at many places at once.
 *
 *	o0 o1 o2 o3 o4	old
 *	CC o1 o2 o3 o4	1. a breakpoint over the first byte
 *	   sync		   every CPU traps at every place, acts as old
 *	   flip		   ...and from this store on as new
 *	CC n1 n2 n3 n4	2. the rest of the new bytes
 *	   sync		   no CPU holds any byte of the old rest
 *	n0 n1 n2 n3 n4	3. the first new byte
 *
 * These steps, for up to WALK_PLACES places, are a walk. A commit of more
 * places makes one walk after the other, in address order.
 *
 * While places hold breakpoints, other CPUs trap at them. So a walk is short
 * and cannot be preempted: preemption is off from the first breakpoint to
 * the last first byte. Interrupts stay on, since syncs are interrupts. Between
 * walks no place holds a breakpoint, and the writer may be preempted for any
 * time.
 *
 * No sync follows the third step. A CPU that still holds the breakpoint traps,
 * however late, and the handler reads from the text what to do (trap.c).
 *
 * A CPU that runs through many places of a walk sees them all change at the same
 * moment, the flip: while any place still has its old bytes, every breakpoint
 * acts as the old instruction, and when the first place gets new bytes, every
 * breakpoint acts as the new one. Places whose old bytes cannot be emulated are
 * the exception: they act as the new instruction as soon as they have the
 * breakpoint. Across walks there is no such moment: a CPU may run places of the
 * first walk new and places of the next one old. The engine's users do not need
 * it: each of their places may be old or new whatever the others are.
 *
 * With the stop_machine method all steps of a walk happen while the other CPUs
 * run nothing but NMI handlers. These find the old instruction, the new one or
 * the breakpoint, as with the other method.
 *
 * The rest of the bytes is written even where it does not change. Emulators
 * drop the translation of bytes that are written to, and an emulated CPU that
 * translated the old instruction just when the breakpoint was written must not
 * keep that translation.
 *
 * From the first step to the last nothing may be called that could be patched;
 * check-calls.py in tools/testing/text_patch checks that in the linked kernel.
 * There are two exceptions: the syncs, which call a constant number of
 * functions twice, whatever the number of places, and perf's events, if
 * somebody records them. Neither sleeps, on PREEMPT_RT either: the syncs spin
 * with preemption off, and perf writes its events under RCU with preemption off
 * and wakes the reader by irq_work.
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
#include <asm/smap.h>

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
 * Maximum number of places in a walk. It limits the time for which places hold
 * breakpoints: apart from the syncs, each place takes 50 instructions and three
 * stores, so a walk takes a millisecond at most, and a tenth of that with PREEMPT_RT.
 * A smaller maximum would cost more syncs. With perf's events a place costs many
 * times that.
 */
#define WALK_PLACES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 512 : 6144)
#define WALK_PLACES_PERF	(WALK_PLACES / 16)

/* Maximum number of windows: enough for two places, or functions, per page. */
#define WALK_WINDOWS		(WALK_PLACES / (2 * TEXT_WINDOW_PAGES))

/* Tests reduce this. */
u32 text_walk_places = WALK_PLACES;

/* One walk: its changes, and how many windows they are written through. */
struct walk {
	const struct text_patch *vec;
	u32 nr;
	unsigned long base;
	u32 nr_windows;
	bool everywhere;	/* CPUs that RCU does not watch run some of it */
	bool translated;	/* see translates_text() */
	/* For the stop_machine method, see commit_stopped(). */
	atomic_t arrived;
	atomic_t forgot;
	int others;
	int round;
};

/* Buffers of the current walk, guarded by text_mutex. */
static struct text_window windows[WALK_WINDOWS];
static pte_t window_ptes[WALK_WINDOWS * TEXT_WINDOW_PAGES];
static unsigned long window_pages[TEXT_WINDOW_PAGES];

enum step { STEP_TRAP, STEP_TAIL, STEP_HEAD };

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
 * Do one step for the places of one window. Check through the kernel's own
 * mapping that each first byte has arrived: bytes that went elsewhere have
 * overwritten other memory. The other bytes need no check: they are written through
 * the same mapping as the breakpoint.
 *
 * Return: False if a byte has not arrived.
 */
static __always_inline
bool write_places(const struct walk *walk, const struct text_window *w,
		  enum step step)
{
	const struct text_patch *p = walk->vec + w->first;
	const struct text_patch *end = p + w->nr;
	/* Loaded once: to the compiler, the bytes written might be these fields. */
	const unsigned long base = walk->base;
	u8 *const window = (u8 *)text_poke_mm_addr;
	u8 missed = 0;

	for (; p < end; p++) {
		const unsigned long addr = text_patch_addr(p, base);
		const u8 first = step == STEP_HEAD ? p->new[0] :
						     INT3_INSN_OPCODE;
		u8 *to = window + p->at;

		if (step == STEP_TAIL) {
			write_tail(p, to);
			continue;
		}
		WRITE_ONCE(*to, first);
		missed |= READ_ONCE(*(const u8 *)addr) ^ first;
	}
	return !missed;
}

/* Do one step for all places of a walk. */
static __always_inline
void write_all(const struct walk *walk, enum step step)
{
	const pte_t *ptes = window_ptes;
	struct text_hold hold;
	u32 i;
	bool ok;

	for (i = 0; i < walk->nr_windows; i++) {
		const struct text_window *w = windows + i;

		text_window_open(&hold, ptes, w->pages);
		lass_stac();
		ok = write_places(walk, w, step);
		lass_clac();
		text_window_close(&hold, w->pages);
		/* Other memory has been overwritten instead. */
		if (!ok)
			panic("text_patch: what was written did not arrive\n");
		ptes += w->pages;
	}
}

static void sync(const struct walk *walk)
{
	text_commit_stat.syncs++;
	text_sync(walk->everywhere);
}

/*
 * Report the changes to perf, for decoders of instruction traces. At this time
 * every CPU traps at every place, and the trap is visible in an instruction
 * trace. So a decoder finds the old bytes or the trap in what was recorded
 * before an event, and the new bytes or the trap in what was recorded after it.
 * For that the events must come after the first sync and before any place has
 * its new first byte.
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
 * When this returns, a handler may still read the changes: call
 * text_trap_quiesce() before freeing them. A handler that runs after the changes have
 * been withdrawn finds the new instruction in the text.
 */
static noinline void commit_places(const struct walk *walk)
{
	text_live_publish(walk->vec, walk->nr, walk->base);
	write_all(walk, STEP_TRAP);
	sync(walk);
	if (walk->translated)
		write_all(walk, STEP_TRAP);
	text_live_flip();
	write_all(walk, STEP_TAIL);
	tell_perf(walk);
	sync(walk);
	write_all(walk, STEP_HEAD);
	text_live_withdraw();
}

/*
 * Make a walk by breakpoints. The clock's functions can be patched, so they are
 * called only before the first breakpoint and after the last first byte.
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

/* Rounds in which the other CPUs serialise while the machine is stopped. */
enum { ROUND_NONE, ROUND_TRAPS, ROUND_TAILS, ROUND_HEADS };

static __always_inline void stopped_sync(struct walk *walk, int round)
{
	/* Pairs with the acquire in stopped_other(): the bytes are there. */
	smp_store_release(&walk->round, round);
	/* Pairs with the release in stopped_other(): it has serialised. */
	while (atomic_read_acquire(&walk->forgot) < round * walk->others)
		cpu_relax();
	sync_core();
}

/*
 * The steps of a walk while the other CPUs run nothing but stopped_other(), the
 * code that leads to it, and NMI handlers. The NMI handlers make breakpoints
 * and rounds necessary: after each step every CPU must serialise, to drop what it
 * fetched before that step. noinline: check-calls.py starts here.
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

/*
 * What the other CPUs run during stopped_writer(). noinline: check-calls.py starts
 * here, too.
 */
static noinline void stopped_other(struct walk *walk)
{
	int round;

	for (round = ROUND_TRAPS; round <= ROUND_HEADS; round++) {
		/* Pairs with the release in stopped_sync(). */
		while (smp_load_acquire(&walk->round) < round)
			cpu_relax();
		sync_core();
		/* Pairs with the acquire in stopped_sync(). */
		atomic_inc_return_release(&walk->forgot);
	}
}

/* Runs on all CPUs with interrupts off. The first to arrive writes. */
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
 * Make a walk by stop_machine. The CPU hotplug lock is taken before text_mutex, so
 * here only a trylock is possible. Perf's events cannot be written under stop_machine:
 * they must come between two steps, from the task that commits.
 *
 * Return: False if nothing was done.
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
	/* On error no CPU was stopped and nothing was done. */
	done = !stop_machine_cpuslocked(commit_stopped, walk, cpu_online_mask);
	cpus_read_unlock();
	return done;
}

/*
 * Are CPUs emulated by translation, so that some bytes must be written twice?
 *
 * An emulator may have translated an instruction just when its first byte was
 * written, and then keeps that translation until the byte is written again. It
 * would run the old instruction after the flip, or keep trapping at a new first byte,
 * which is correct but slow. So if any late trap has been seen since boot,
 * breakpoints and new first bytes are written a second time: the sync before that
 * completes all translations, and the second write drops them.
 *
 * Real CPUs trap late, too, but only during a commit and only once. Neither
 * they nor CPUs of a hypervisor that the kernel knows by name need this.
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
	sync(walk);
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
 * struct text_check - state of verification, in address order
 * @taken:	one past the last place that is not left out
 * @page:	the last page that is known to be mapped
 */
struct text_check {
	unsigned long taken;
	unsigned long page;
};

/* The kernel's own text is always mapped; this saves calls of two traced functions. */
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
 * Is the text at @addr mapped? Any address may have been given, so this is
 * checked once for each page. The text's owner must keep it mapped until the commit
 * is done.
 */
static __always_inline
bool is_there(struct text_check *check, unsigned long addr, u32 len)
{
	if (likely(addr - check->page <= PAGE_SIZE - len))
		return true;
	return ((addr & PAGE_MASK) == check->page || page_is_there(check, addr)) &&
	       ((addr & ~PAGE_MASK) <= PAGE_SIZE - len ||
		page_is_there(check, addr + len - 1));
}

/* Nearly all instructions have five bytes: do not call memcpy() for them. */
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
	if (tx->fault)
		tx->fault(tx, &fault);
}

/*
 * Quick check: @old was given, is one instruction of five bytes, and is at @addr,
 * which no earlier change overlaps (@taken). Nearly all places pass it.
 */
static __always_inline
bool is_as_said(const struct text_patch *p, unsigned long addr,
		unsigned long taken)
{
	return p->whole && p->len == 5 && addr >= taken &&
	       same_text((const u8 *)addr, p->old, 5);
}

/*
 * Compare a place with what the caller expects, and report a fault if it
 * differs. Fills in the old bytes if the caller expects none.
 */
static noinline void verify_place(struct text_patch *p, unsigned long base,
				  struct text_check *check)
{
	const unsigned long addr = text_patch_addr(p, base);
	u8 found[TEXT_PATCH_MAX] = {};

	if (unlikely(!is_there(check, addr, p->len))) {
		report(p, base, -EFAULT, found);
		return;
	}
	if (is_as_said(p, addr, check->taken)) {
		check->taken = addr + p->len;
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

/* Verify all places before the first byte is written. Faulty places are left out. */
static void verify(struct text_queue *q)
{
	/* 1 is not the address of any page. */
	struct text_check check = { .page = 1 };
	/* Copies of the fields of @check, in registers. */
	unsigned long taken = 0, page = 1;
	const unsigned long before = text_commit_stat.faults;
	const unsigned long base = q->base;
	struct text_patch *p = q->vec;
	const struct text_patch *end = p + q->nr;

	for (; p < end; p++) {
		const unsigned long addr = text_patch_addr(p, base);

		if (likely(addr - page <= PAGE_SIZE - 5) &&
		    likely(is_as_said(p, addr, taken))) {
			taken = addr + 5;
			continue;
		}
		check.taken = taken;
		verify_place(p, base, &check);
		taken = check.taken;
		page = check.page;
	}
	if (unlikely(text_commit_stat.faults != before))
		text_queue_squeeze(q);
}

static void pages_to_ptes(pte_t *ptes, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		ptes[i] = text_page_pte(window_pages[i]);
		/* verify() has read this page. */
		if (pte_none(ptes[i]))
			panic("text_patch: no page at %lx\n", window_pages[i]);
	}
}

/*
 * Plan a walk that starts with change @first.
 *
 * Return: Index of the first change that is left for the next walk.
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
		.everywhere = text_sync_is_for_all(q->vec + first, next - first,
						   q->base),
		.nr_windows = w - windows,
	};
	return next;
}

/**
 * text_commit() - make all queued changes live
 * @q:		the queue; empty on return
 *
 * Everything that can fail happens before the first byte is written.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
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
