// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions of the text engine, in the kernel that uses it: what a commit
 * changes, what it refuses and what it costs, on functions of the test.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/static_call.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/paravirt.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>

#include "place_changes.h"

static unsigned long count_new(void)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		n += place_call(i);
	return n;
}

/* The statistics while nobody is in the middle of a commit. */
static struct text_commit_stat stats(void)
{
	guard(mutex)(&text_mutex);

	return text_commit_stat;
}

/*
 * Syncs since @before, without those that only an emulator needs after a late
 * trap.
 */
static unsigned long syncs_between(const struct text_commit_stat *before,
				   const struct text_commit_stat *after)
{
	return after->syncs - before->syncs - (after->settled - before->settled);
}

/* True if other tasks have committed meanwhile, too: the counts are not ours alone. */
static bool others_committed(const struct text_commit_stat *before,
			     const struct text_commit_stat *after)
{
	return after->transactions - before->transactions > 1;
}

/* Change all places, by walks of @most places and @syncs syncs each. */
static void all_places_in_walks(struct kunit *test, u32 most, unsigned long syncs)
{
	const unsigned long walks = DIV_ROUND_UP(PLACES, most);
	struct text_commit_stat before, after;

again:
	before = stats();
	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_EXPECT_EQ(test, set_all(true), 0);
	after = stats();
	if (others_committed(&before, &after)) {
		KUNIT_EXPECT_EQ(test, set_all(false), 0);
		goto again;
	}
	KUNIT_EXPECT_EQ(test, after.transactions, before.transactions + 1);
	KUNIT_EXPECT_EQ(test, after.chunks, before.chunks + walks);
	KUNIT_EXPECT_EQ(test, syncs_between(&before, &after), syncs * walks);
	KUNIT_EXPECT_GT(test, after.walk_ns, before.walk_ns);
	KUNIT_EXPECT_EQ(test, count_new(), PLACES);
	KUNIT_EXPECT_EQ(test, set_all(false), 0);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
}

static void a_walk_takes_two_syncs(struct kunit *test)
{
	all_places_in_walks(test, text_walk_places, 2);
}

static void stop_machine_takes_none(struct kunit *test)
{
	text_method_set(true);
	all_places_in_walks(test, text_walk_places, 0);
	text_method_set(false);
}

/* Walks that end at the end of a window, and at every place in a page. */
static void places_are_shared_out_over_walks(struct kunit *test)
{
	static const u32 sizes[] = { 2047, 2048, 500, 33 };
	const u32 most = text_walk_places;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* A walk has windows for no more than it has by default, few with PREEMPT_RT. */
		const u32 size = min(sizes[i], most);

		text_walk_places = size;
		all_places_in_walks(test, size, 2);
		text_method_set(true);
		all_places_in_walks(test, size, 0);
		text_method_set(false);
	}
	text_walk_places = most;
}

static void nothing_is_live_before_the_commit(struct kunit *test)
{
	struct text_patch_tx tx = {};
	u8 insn[5], seen[5];

	place_make_call(3, insn);
	text_patch_begin(&tx);
	KUNIT_EXPECT_EQ(test, queue_place(3, true), 0);
	KUNIT_EXPECT_EQ(test, place_call(3), 0);
	mutex_lock(&text_mutex);
	KUNIT_EXPECT_MEMEQ(test, text_patch_peek(place_insn(3), seen, 5), insn,
			   5);
	mutex_unlock(&text_mutex);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	KUNIT_EXPECT_EQ(test, place_call(3), 1);
}

static void mismatch_leaves_one_out_and_shows_both(struct kunit *test)
{
	struct text_patch_tx tx = {};
	u8 insn[5];

	place_make_call(5, insn);
	text_patch_begin(&tx);
	queue_place(4, true);
	queue_place(5, false);		/* expects a call that is not there */
	queue_place(6, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, 1);
	KUNIT_EXPECT_PTR_EQ(test, tx.first.addr, place_insn(5));
	KUNIT_EXPECT_EQ(test, tx.first.err, -EINVAL);
	KUNIT_EXPECT_MEMEQ(test, tx.first.expected, insn, 5);
	KUNIT_EXPECT_MEMEQ(test, tx.first.found, place_nop, 5);
	KUNIT_EXPECT_EQ(test, place_call(4), 1);
	KUNIT_EXPECT_EQ(test, place_call(5), 0);
	KUNIT_EXPECT_EQ(test, place_call(6), 1);
}

static int poke_place_9(void *done)
{
	u8 insn[5];

	place_make_call(9, insn);
	mutex_lock(&text_mutex);
	smp_text_poke_single(place_insn(9), insn, 5, NULL);
	mutex_unlock(&text_mutex);
	complete(done);
	return 0;
}

/* Have another task change place 9 and commit. */
static void another_task_commits(void)
{
	DECLARE_COMPLETION_ONSTACK(done);

	kthread_run(poke_place_9, &done, "text_patch_test");
	wait_for_completion(&done);
}

static void overlap_is_ebusy(struct kunit *test)
{
	const u8 nop2[] = { BYTES_NOP2 };
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	queue_place(4, true);
	text_patch_add(place_insn(4) + 3, NULL, nop2, 2);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EBUSY);
	KUNIT_EXPECT_EQ(test, place_call(4), 1);
}

static void no_text_is_efault(struct kunit *test)
{
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	/* Below the kernel's start: within 2 GiB of it and never mapped. */
	text_patch_add((void *)_stext - SZ_1G, NULL, place_nop, 5);
	queue_place(4, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EFAULT);
	KUNIT_EXPECT_EQ(test, place_call(4), 1);
}

static void unknown_instruction_is_einval(struct kunit *test)
{
	const u8 push[] = { 0x55 };
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	KUNIT_EXPECT_EQ(test, text_patch_add(place_insn(0), NULL, push, 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
}

static void there_and_back_is_nothing(struct kunit *test)
{
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	KUNIT_EXPECT_EQ(test, queue_place(1, true), 0);
	KUNIT_EXPECT_EQ(test, queue_place(1, false), 0);
	/* The queued change makes it a nop, so expecting a call is wrong. */
	KUNIT_EXPECT_EQ(test, queue_place(1, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, 1);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
}

static void inner_transaction_joins_the_outer(struct kunit *test)
{
	const struct text_commit_stat before = stats();
	struct text_patch_tx outer = {}, inner = {};
	struct text_commit_stat after;

	text_patch_begin(&outer);
	queue_place(1, true);
	text_patch_begin(&inner);
	queue_place(2, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&inner), 0);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&outer), 0);
	KUNIT_EXPECT_EQ(test, count_new(), 2);
	after = stats();
	if (!others_committed(&before, &after))
		KUNIT_EXPECT_EQ(test, syncs_between(&before, &after), 2);
}

static DEFINE_STATIC_KEY_FALSE(test_key);
static int returns_two(void) { return 2; }
static int returns_three(void) { return 3; }
DEFINE_STATIC_CALL(test_call, returns_two);

static noinline int key_and_call(void)
{
	const int key = static_branch_unlikely(&test_key) ? 10 : 0;

	return key + static_call(test_call)();
}

static void call_becomes(void *func)
{
	__static_call_update_cpuslocked(&STATIC_CALL_KEY(test_call),
					STATIC_CALL_TRAMP_ADDR(test_call), func);
}

static void key_and_call_flip_in_one(struct kunit *test)
{
	const struct text_commit_stat before = stats();
	struct text_commit_stat after;
	struct text_patch_tx tx = {};

	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
	cpus_read_lock();
	text_patch_begin(&tx);
	call_becomes(&returns_three);
	static_branch_enable_cpuslocked(&test_key);
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	KUNIT_EXPECT_EQ(test, key_and_call(), 13);
	after = stats();
	if (!others_committed(&before, &after))
		KUNIT_EXPECT_EQ(test, syncs_between(&before, &after), 2);

	/* There and back in one transaction: callers must look at queued changes. */
	text_patch_begin(&tx);
	static_branch_disable_cpuslocked(&test_key);
	static_branch_enable_cpuslocked(&test_key);
	static_branch_disable_cpuslocked(&test_key);
	call_becomes(&returns_two);
	call_becomes(&returns_three);
	call_becomes(&returns_two);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
}

static void who_cannot_wait_takes_all_with_him(struct kunit *test)
{
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	queue_place(8, true);
	another_task_commits();
	KUNIT_EXPECT_EQ(test, place_call(9), 1);
	KUNIT_EXPECT_EQ(test, place_call(8), 1);
	queue_place(7, true);
	KUNIT_EXPECT_EQ(test, place_call(7), 0);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	KUNIT_EXPECT_EQ(test, place_call(7), 1);
}

static void every_allocation_may_fail(struct kunit *test)
{
	int nth;

	for (nth = 0; nth < 6; nth++) {
		text_patch_test_alloc_left = nth;
		KUNIT_EXPECT_EQ(test, set_all(true), 0);
		KUNIT_EXPECT_EQ(test, count_new(), PLACES);
		text_patch_test_alloc_left = nth;
		KUNIT_EXPECT_EQ(test, set_all(false), 0);
		KUNIT_EXPECT_EQ(test, count_new(), 0);
	}
	text_patch_test_alloc_left = -1;
}

/* Every allocation fails. */
static void no_memory_at_all_is_only_slower(struct kunit *test)
{
	struct text_patch_tx tx = {};
	unsigned int i;

	text_patch_begin(&tx);
	for (i = 0; i < PLACES; i++) {
		text_patch_test_alloc_left = 0;
		KUNIT_EXPECT_EQ(test, queue_place(i, true), 0);
	}
	text_patch_test_alloc_left = 0;
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	text_patch_test_alloc_left = -1;
	KUNIT_EXPECT_EQ(test, count_new(), PLACES);
}

/*
 * Open a window at place 0, which is in the kernel image. The caller turns
 * interrupts off so that lockdep knows.
 */
static void open_window(struct text_hold *hold)
{
	const pte_t pte = text_page_pte((unsigned long)place_insn(0));

	text_window_open(hold, &pte, 1);
}

/*
 * If an NMI that comes in while a window is open panics, EFI may store the log
 * and switches to its own mm for that. Here that mm is init_mm.
 */
static void mm_can_be_switched_in_a_window(struct kunit *test)
{
	struct mm_struct *loaded;
	struct text_hold hold;
	unsigned long flags;

	if (IS_ENABLED(CONFIG_DEBUG_VM))
		kunit_skip(test, "the switch would warn that cr3 is not as ever");

	mutex_lock(&text_mutex);
	local_irq_save(flags);
	loaded = this_cpu_read(cpu_tlbstate.loaded_mm);
	open_window(&hold);
	switch_mm_irqs_off(NULL, &init_mm, NULL);
	switch_mm_irqs_off(NULL, loaded, NULL);
	/* The mm may have got another ASID. */
	hold.cr3 = __read_cr3();
	text_window_close(&hold, 1);
	local_irq_restore(flags);
	mutex_unlock(&text_mutex);
	KUNIT_EXPECT_EQ(test, set_all(true), 0);
	KUNIT_EXPECT_EQ(test, count_new(), PLACES);
}

struct shootdown {
	struct mm_struct *mm;
	struct completion done;
	bool go;
	bool returned;
};

/* On another CPU: flush a page of an mm from all TLBs. */
static int shoot_down(void *data)
{
	struct shootdown *s = data;

	while (!READ_ONCE(s->go))
		cpu_relax();
	flush_tlb_mm_range(s->mm, PAGE_SIZE, 2 * PAGE_SIZE, PAGE_SHIFT, false);
	WRITE_ONCE(s->returned, true);
	complete(&s->done);
	return 0;
}

/* With interrupts off: true if another CPU wants this one to run a function. */
static bool function_call_is_pending(void)
{
	return lapic_vector_set_in_irr(CALL_FUNCTION_VECTOR) ||
	       lapic_vector_set_in_irr(CALL_FUNCTION_SINGLE_VECTOR);
}

/* True if this CPU has done all flushes that are due for @mm, the mm that is loaded. */
static bool tlb_is_up_to_date(struct mm_struct *mm)
{
	const u16 asid = this_cpu_read(cpu_tlbstate.loaded_mm_asid);

	return this_cpu_read(cpu_tlbstate.ctxs[asid].tlb_gen) ==
	       atomic64_read(&mm->context.tlb_gen);
}

/*
 * The CPU keeps the TLB entries of its task's mm while a window is open. So a
 * shootdown by another CPU must wait until the window is closed and this CPU
 * has flushed them: its caller frees the pages when it returns.
 */
static void shootdown_waits_for_the_window(struct kunit *test)
{
	bool returned_early, uaccess_before, uaccess_inside, uaccess_after;
	struct shootdown s = {};
	struct task_struct *other;
	struct text_hold hold;
	unsigned long flags;
	u64 gen;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs a second CPU");
#ifdef CONFIG_PARAVIRT
	if (pv_ops.mmu.flush_tlb_multi != native_flush_tlb_multi)
		kunit_skip(test, "the hypervisor flushes TLBs in its own way");
#endif

	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	init_completion(&s.done);
	s.mm = mm_alloc();
	KUNIT_ASSERT_NOT_NULL(test, s.mm);
	other = kthread_run_on_cpu(shoot_down, &s,
				   cpumask_any_but(cpu_online_mask, raw_smp_processor_id()),
				   "text_patch_test/%u");
	if (IS_ERR(other)) {
		mmput(s.mm);
		KUNIT_FAIL(test, "no thread: %ld", PTR_ERR(other));
		return;
	}

	kthread_use_mm(s.mm);
	mutex_lock(&text_mutex);
	local_irq_save(flags);
	gen = atomic64_read(&s.mm->context.tlb_gen);
	uaccess_before = nmi_uaccess_okay();
	open_window(&hold);
	uaccess_inside = nmi_uaccess_okay();
	WRITE_ONCE(s.go, true);
	while (atomic64_read(&s.mm->context.tlb_gen) == gen)
		cpu_relax();
	while (!READ_ONCE(s.returned) && !function_call_is_pending())
		cpu_relax();
	returned_early = s.returned;
	text_window_close(&hold, 1);
	uaccess_after = nmi_uaccess_okay();
	local_irq_restore(flags);
	mutex_unlock(&text_mutex);
	wait_for_completion(&s.done);

	KUNIT_EXPECT_FALSE(test, returned_early);
	KUNIT_EXPECT_TRUE(test, tlb_is_up_to_date(s.mm));
	KUNIT_EXPECT_TRUE(test, uaccess_before);
	KUNIT_EXPECT_FALSE(test, uaccess_inside);
	KUNIT_EXPECT_TRUE(test, uaccess_after);
	kthread_unuse_mm(s.mm);
	mmput(s.mm);
}

static struct kunit_case engine_tests[] = {
	KUNIT_CASE(a_walk_takes_two_syncs),
	KUNIT_CASE(stop_machine_takes_none),
	KUNIT_CASE(places_are_shared_out_over_walks),
	KUNIT_CASE(nothing_is_live_before_the_commit),
	KUNIT_CASE(mismatch_leaves_one_out_and_shows_both),
	KUNIT_CASE(overlap_is_ebusy),
	KUNIT_CASE(no_text_is_efault),
	KUNIT_CASE(unknown_instruction_is_einval),
	KUNIT_CASE(there_and_back_is_nothing),
	KUNIT_CASE(inner_transaction_joins_the_outer),
	KUNIT_CASE(key_and_call_flip_in_one),
	KUNIT_CASE(who_cannot_wait_takes_all_with_him),
	KUNIT_CASE(every_allocation_may_fail),
	KUNIT_CASE(no_memory_at_all_is_only_slower),
	KUNIT_CASE(mm_can_be_switched_in_a_window),
	KUNIT_CASE(shootdown_waits_for_the_window),
	{}
};

static struct kunit_suite engine_suite = {
	.name = "x86_text_patch",
	.init = engine_init,
	.test_cases = engine_tests,
};

kunit_test_suite(engine_suite);
