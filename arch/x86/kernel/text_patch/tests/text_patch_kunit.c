// SPDX-License-Identifier: GPL-2.0
/*
 * Test the text engine in the kernel that uses it: its pure parts by the cases
 * that also run in user space, and the whole engine on functions of the test.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>

#include "../text_patch.h"
#include "places.h"

/* The shared cases. */

struct text_case_ctx {
	struct kunit *test;
	struct rnd_state dice;
};

static void *tc_alloc(struct text_case_ctx *ctx, size_t size)
{
	void *memory = kunit_kzalloc(ctx->test, size ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(ctx->test, memory);
	return memory;
}

static u32 tc_rand(struct text_case_ctx *ctx)
{
	return prandom_u32_state(&ctx->dice);
}

#define TC_TRUE(ctx, cond) KUNIT_EXPECT_TRUE((ctx)->test, !!(cond))

#include "cases.h"

static void case_name(const struct text_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(text, text_cases, case_name);

static void pure(struct kunit *test)
{
	const struct text_case *c = test->param_value;
	struct text_case_ctx ctx = { .test = test };

	prandom_seed_state(&ctx.dice, 42);
	c->run(&ctx);
}

/* The engine. */

static unsigned long count_new(void)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		n += place_call(i);
	return n;
}

/* Queue a change of place @i to a call, or back to the nop. */
static int queue_place(unsigned int i, bool call)
{
	u8 insn[5];

	place_make_call(i, insn);
	return call ? text_patch_add(place_insn(i), place_nop, insn, 5) :
		      text_patch_add(place_insn(i), insn, place_nop, 5);
}

/* Change all places at once, in an order that no sorted table has. */
static int set_all(bool call)
{
	struct text_patch_tx tx = {};
	unsigned int i;

	text_patch_begin(&tx);
	for (i = 0; i < PLACES; i++)
		queue_place(i * 7 % PLACES, call);
	return text_patch_commit(&tx);
}

static void put_back(void *unused)
{
	struct text_patch_tx tx = {};
	unsigned int i;

	text_patch_test_alloc_left = -1;
	text_patch_begin(&tx);
	for (i = 0; i < PLACES; i++)
		text_patch_add(place_insn(i), NULL, place_nop, 5);
	text_patch_commit(&tx);
}

static int engine_init(struct kunit *test)
{
	return kunit_add_action_or_reset(test, put_back, NULL);
}

/*
 * Syncs since @before, without those that only an emulator needs after a late
 * trap.
 */
static unsigned long syncs_since(const struct text_commit_stat *before)
{
	return text_commit_stat.syncs - before->syncs -
	       (text_commit_stat.settled - before->settled);
}

/* Change all places, by walks of @most places and @syncs syncs each. */
static void all_places_in_walks(struct kunit *test, u32 most, unsigned long syncs)
{
	const unsigned long walks = DIV_ROUND_UP(PLACES, most);
	const struct text_commit_stat before = text_commit_stat;

	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_EXPECT_EQ(test, set_all(true), 0);
	KUNIT_EXPECT_EQ(test, text_commit_stat.transactions,
			before.transactions + 1);
	KUNIT_EXPECT_EQ(test, text_commit_stat.chunks, before.chunks + walks);
	KUNIT_EXPECT_EQ(test, syncs_since(&before), syncs * walks);
	KUNIT_EXPECT_GT(test, text_commit_stat.walk_ns, before.walk_ns);
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

/* Walks that end at the end of a window, and at every place of a page. */
static void places_are_shared_out_over_walks(struct kunit *test)
{
	static const u32 sizes[] = { 2047, 2048, 500, 33 };
	const u32 most = text_walk_places;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		text_walk_places = sizes[i];
		all_places_in_walks(test, sizes[i], 2);
		text_method_set(true);
		all_places_in_walks(test, sizes[i], 0);
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

static void mismatch_refuses_a_strict_transaction(struct kunit *test)
{
	struct text_patch_tx tx = { .strict = true };

	text_patch_begin(&tx);
	queue_place(4, true);
	queue_place(5, false);
	queue_place(6, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
}

static int poke_place_9(void *done)
{
	u8 insn[5];

	place_make_call(9, insn);
	mutex_lock(&text_mutex);
	text_poke_bp(place_insn(9), insn, 5, NULL);
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

/* Refused before its commit, with a commit of another task in between. */
static void refused_stays_refused_when_another_task_commits(struct kunit *test)
{
	struct text_patch_tx tx = { .strict = true };

	text_patch_begin(&tx);
	KUNIT_EXPECT_EQ(test, queue_place(4, true), 0);
	/* The queued change makes it a call, so expecting a nop is wrong. */
	KUNIT_EXPECT_EQ(test, queue_place(4, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, queue_place(5, true), 0);
	another_task_commits();
	KUNIT_EXPECT_EQ(test, place_call(9), 1);
	KUNIT_EXPECT_EQ(test, count_new(), 1);
	KUNIT_EXPECT_EQ(test, queue_place(6, true), 0);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, count_new(), 1);
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

static void cancel_changes_nothing(struct kunit *test)
{
	struct text_patch_tx tx = {};

	text_patch_begin(&tx);
	queue_place(1, true);
	queue_place(2, true);
	text_patch_cancel(&tx);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
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
	struct text_patch_tx outer = {}, inner = {};
	const struct text_commit_stat before = text_commit_stat;

	text_patch_begin(&outer);
	queue_place(1, true);
	text_patch_begin(&inner);
	queue_place(2, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&inner), 0);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&outer), 0);
	KUNIT_EXPECT_EQ(test, count_new(), 2);
	KUNIT_EXPECT_EQ(test, syncs_since(&before), 2);
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

static void key_and_call_flip_in_one(struct kunit *test)
{
	struct text_patch_tx tx = {};
	const struct text_commit_stat before = text_commit_stat;

	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
	text_patch_begin(&tx);
	static_call_update(test_call, &returns_three);
	static_branch_enable(&test_key);
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	KUNIT_EXPECT_EQ(test, key_and_call(), 13);
	KUNIT_EXPECT_EQ(test, syncs_since(&before), 2);

	/* There and back in one transaction: callers must look ahead. */
	text_patch_begin(&tx);
	static_branch_disable(&test_key);
	static_branch_enable(&test_key);
	static_branch_disable(&test_key);
	static_call_update(test_call, &returns_two);
	static_call_update(test_call, &returns_three);
	static_call_update(test_call, &returns_two);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), 0);
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
}

/*
 * A key and a call in a transaction that is cancelled or refused: their owners
 * have recorded the new state, so the text must follow. They are separate from
 * test_key and test_call because a failing test leaves them in between.
 */
static DEFINE_STATIC_KEY_FALSE(kept_key);
DEFINE_STATIC_CALL(kept_call, returns_two);

static noinline int kept_key_and_call(void)
{
	const int key = static_branch_unlikely(&kept_key) ? 10 : 0;

	return key + static_call(kept_call)();
}

static void cancelled_transaction_keeps_keys_and_calls(struct kunit *test)
{
	struct text_patch_tx tx = {};

	KUNIT_ASSERT_EQ(test, kept_key_and_call(), 2);
	text_patch_begin(&tx);
	queue_place(1, true);
	static_branch_enable(&kept_key);
	static_call_update(kept_call, &returns_three);
	queue_place(2, true);
	text_patch_cancel(&tx);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_ASSERT_EQ(test, kept_key_and_call(), 13);

	static_branch_disable(&kept_key);
	static_call_update(kept_call, &returns_two);
	KUNIT_EXPECT_EQ(test, kept_key_and_call(), 2);
}

static void refused_transaction_keeps_keys_and_calls(struct kunit *test)
{
	struct text_patch_tx tx = { .strict = true };

	KUNIT_ASSERT_EQ(test, kept_key_and_call(), 2);
	text_patch_begin(&tx);
	static_branch_enable(&kept_key);
	queue_place(1, true);
	queue_place(5, false);		/* expects a call that is not there */
	static_call_update(kept_call, &returns_three);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, 1);
	KUNIT_EXPECT_EQ(test, count_new(), 0);
	KUNIT_ASSERT_EQ(test, kept_key_and_call(), 13);

	static_branch_disable(&kept_key);
	static_call_update(kept_call, &returns_two);
	KUNIT_EXPECT_EQ(test, kept_key_and_call(), 2);
}

/* The owner changes a place that text_poke_queue() has changed before. */
static void cancel_takes_back_no_change_of_others(struct kunit *test)
{
	struct text_patch_tx tx = {};
	u8 insn[5];

	place_make_call(3, insn);
	text_patch_begin(&tx);
	mutex_lock(&text_mutex);
	text_poke_queue(place_insn(3), insn, 5, NULL);
	mutex_unlock(&text_mutex);
	KUNIT_EXPECT_EQ(test, queue_place(3, false), 0);
	text_patch_cancel(&tx);
	KUNIT_EXPECT_EQ(test, place_call(3), 1);
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
 * If an NMI that comes in while a window is open panics, EFI may store the log
 * and switches to its own mm for that. Here that mm is init_mm.
 */
static void mm_can_be_switched_in_a_window(struct kunit *test)
{
	const pte_t pte = text_page_pte((unsigned long)place_insn(0));
	struct text_hold hold;
	unsigned long flags;

	if (IS_ENABLED(CONFIG_DEBUG_VM))
		kunit_skip(test, "the switch would warn that cr3 is not as ever");

	mutex_lock(&text_mutex);
	/* For lockdep, which text_window_open() does not tell about it. */
	local_irq_save(flags);
	text_window_open(&hold, &pte, 1);
	switch_mm_irqs_off(NULL, &init_mm, NULL);
	switch_mm_irqs_off(NULL, hold.mm, NULL);
	/* The address space may have got another number. */
	hold.cr3 = __read_cr3();
	text_window_close(&hold, 1);
	local_irq_restore(flags);
	mutex_unlock(&text_mutex);
	KUNIT_EXPECT_EQ(test, set_all(true), 0);
	KUNIT_EXPECT_EQ(test, count_new(), PLACES);
}

/*
 * Run the handler as for a trap at @ip.
 *
 * Return: 1 if it knows the breakpoint, else 0.
 */
static int trap_at(struct pt_regs *regs, unsigned long ip)
{
	unsigned long flags;
	int known;

	memset(regs, 0, sizeof(*regs));
	regs->cs = __KERNEL_CS;
	regs->ip = ip + INT3_INSN_SIZE;
	local_irq_save(flags);
	known = poke_int3_handler(regs);
	local_irq_restore(flags);
	return known;
}

static void late_trap_does_as_the_text_says(struct kunit *test)
{
	const unsigned long ip = (unsigned long)place_insn(2);
	unsigned long stack[2] = {};
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(&regs, ip), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, ip + 5);

	set_all(true);
	memset(&regs, 0, sizeof(regs));
	regs.cs = __KERNEL_CS;
	regs.ip = ip + 1;
	regs.sp = (unsigned long)&stack[1];
	KUNIT_EXPECT_EQ(test, poke_int3_handler(&regs), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)test_mark);
	KUNIT_EXPECT_EQ(test, stack[0], ip + 5);
}

static void unknown_breakpoint_is_not_ours(struct kunit *test)
{
	/* The last byte of the padding between two functions, a breakpoint. */
	const unsigned long pad = (unsigned long)place_insn(1) - PLACE_AT - 1;
	struct pt_regs regs;

	KUNIT_ASSERT_EQ(test, *(u8 *)pad, INT3_INSN_OPCODE);
	KUNIT_EXPECT_EQ(test, trap_at(&regs, pad), 0);
	KUNIT_EXPECT_EQ(test, regs.ip, pad + 1);
}

/* The places of the key and the call in key_and_call(). */
static unsigned long label_of_test_key(void)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;

	for (entry = __start___jump_table; entry < __stop___jump_table; entry++)
		if (jump_entry_key(entry) == &test_key.key)
			return jump_entry_code(entry);
#endif
	return 0;
}

static unsigned long site_of_test_call(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	const unsigned long key = (unsigned long)&STATIC_CALL_KEY(test_call);
	struct static_call_site *site;

	for (site = __start_static_call_sites; site < __stop_static_call_sites;
	     site++)
		if ((((long)&site->key + site->key) & ~STATIC_CALL_SITE_FLAGS) ==
		    key)
			return (long)&site->addr + site->addr;
#endif
	return 0;
}

static void write_text(unsigned long ip, const void *bytes, size_t len)
{
	mutex_lock(&text_mutex);
	text_poke((void *)ip, bytes, len);
	mutex_unlock(&text_mutex);
}

/*
 * Set a breakpoint without telling the engine, as a debugger does if text is
 * writable. No other code runs these two places.
 */
static void breakpoint_over_a_place_is_not_ours(struct kunit *test)
{
	const unsigned long ips[] = {
		label_of_test_key(), site_of_test_call(),
	};
	const u8 int3 = INT3_INSN_OPCODE;
	struct pt_regs regs;
	unsigned int i;
	u8 was;
	int known;

	for (i = 0; i < ARRAY_SIZE(ips); i++) {
		if (!ips[i])
			continue;
		was = *(u8 *)ips[i];
		write_text(ips[i], &int3, 1);
		known = trap_at(&regs, ips[i]);
		write_text(ips[i], &was, 1);
		KUNIT_EXPECT_EQ_MSG(test, known, 0, "place %u", i);
		KUNIT_EXPECT_EQ(test, regs.ip, ips[i] + 1);
	}
}

/* The same during a commit, which leaves the place out. */
static void breakpoint_over_a_place_is_left_out(struct kunit *test)
{
	const unsigned long ip = (unsigned long)place_insn(5);
	const u8 int3 = INT3_INSN_OPCODE;
	struct text_patch_tx tx = {};

	write_text(ip, &int3, 1);
	text_patch_begin(&tx);
	queue_place(4, true);
	queue_place(5, true);
	KUNIT_EXPECT_EQ(test, text_patch_commit(&tx), -EINVAL);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, 1);
	KUNIT_EXPECT_PTR_EQ(test, tx.first.addr, (void *)ip);
	KUNIT_EXPECT_EQ(test, *(u8 *)ip, INT3_INSN_OPCODE);
	write_text(ip, place_nop, 1);
	KUNIT_EXPECT_EQ(test, place_call(4), 1);
	KUNIT_EXPECT_EQ(test, place_call(5), 0);
}

/* Does a commit after a late trap write first bytes twice? */
static bool settles_after_late_trap(void)
{
	const unsigned long before = text_commit_stat.settled;
	struct pt_regs regs;

	trap_at(&regs, (unsigned long)place_insn(2));
	set_all(true);
	set_all(false);
	return text_commit_stat.settled != before;
}

static void only_an_emulator_writes_first_bytes_twice(struct kunit *test)
{
	unsigned long *caps = (unsigned long *)boot_cpu_data.x86_capability;
	const bool guest = boot_cpu_has(X86_FEATURE_HYPERVISOR);

	set_bit(X86_FEATURE_HYPERVISOR, caps);
	KUNIT_EXPECT_EQ(test, settles_after_late_trap(),
			hypervisor_is_type(X86_HYPER_NATIVE));
	clear_bit(X86_FEATURE_HYPERVISOR, caps);
	KUNIT_EXPECT_FALSE(test, settles_after_late_trap());
	if (guest)
		set_bit(X86_FEATURE_HYPERVISOR, caps);
}

/*
 * Measure what a trap costs in the handler while @nr changes are published, as
 * the mean over places in the whole vector, in nanoseconds.
 */
static u64 handler_cost(struct text_patch *vec, u32 nr)
{
	const unsigned long base = (unsigned long)test_places;
	const unsigned int rounds = 1000;
	unsigned long flags;
	struct pt_regs regs = { .cs = __KERNEL_CS };
	unsigned int i;
	u64 begin, end;

	for (i = 0; i < nr; i++) {
		vec[i] = (struct text_patch){ .rel = 16 * i, .len = 5 };
		memcpy(vec[i].act, place_nop, 5);
	}
	mutex_lock(&text_mutex);
	text_live_publish(vec, nr, base);
	local_irq_save(flags);
	begin = ktime_get_ns();
	for (i = 0; i < rounds; i++) {
		regs.ip = base + 16 * (i * 7919 % nr) + 1;
		poke_int3_handler(&regs);
	}
	end = ktime_get_ns();
	local_irq_restore(flags);
	text_live_withdraw();
	text_trap_quiesce();
	mutex_unlock(&text_mutex);
	return div_u64(end - begin, rounds);
}

/* The least of a few measurements: the others were interrupted. */
static u64 least_handler_cost(struct text_patch *vec, u32 nr)
{
	u64 least = U64_MAX;
	int round;

	for (round = 0; round < 5; round++)
		least = min(least, handler_cost(vec, nr));
	return least;
}

/*
 * A step of the search costs some ten instructions, the rest of the handler
 * more than a hundred. So fifteen steps cost two or three times as much as
 * none; a linear search would cost a thousand times as much.
 */
static void handler_cost_grows_by_the_logarithm(struct kunit *test)
{
	const u32 most = 32768;
	struct text_patch *vec = kvmalloc_array(most, sizeof(*vec), GFP_KERNEL);
	u64 cost, one = 0;
	u32 nr;

	KUNIT_ASSERT_NOT_NULL(test, vec);
	for (nr = 1; nr <= most; nr *= 8) {
		cost = least_handler_cost(vec, nr);
		if (nr == 1)
			one = max_t(u64, cost, 50);
		KUNIT_EXPECT_LE(test, cost, 10 * one);
		kunit_info(test, "%u changes: %llu ns for each trap\n", nr,
			   cost);
	}
	kvfree(vec);
}

static struct kunit_case pure_tests[] = {
	KUNIT_CASE_PARAM(pure, text_gen_params),
	{}
};

static struct kunit_case engine_tests[] = {
	KUNIT_CASE(a_walk_takes_two_syncs),
	KUNIT_CASE(stop_machine_takes_none),
	KUNIT_CASE(places_are_shared_out_over_walks),
	KUNIT_CASE(nothing_is_live_before_the_commit),
	KUNIT_CASE(mismatch_leaves_one_out_and_shows_both),
	KUNIT_CASE(mismatch_refuses_a_strict_transaction),
	KUNIT_CASE(refused_stays_refused_when_another_task_commits),
	KUNIT_CASE(overlap_is_ebusy),
	KUNIT_CASE(no_text_is_efault),
	KUNIT_CASE(unknown_instruction_is_einval),
	KUNIT_CASE(cancel_changes_nothing),
	KUNIT_CASE(there_and_back_is_nothing),
	KUNIT_CASE(inner_transaction_joins_the_outer),
	KUNIT_CASE(key_and_call_flip_in_one),
	KUNIT_CASE(cancelled_transaction_keeps_keys_and_calls),
	KUNIT_CASE(refused_transaction_keeps_keys_and_calls),
	KUNIT_CASE(cancel_takes_back_no_change_of_others),
	KUNIT_CASE(who_cannot_wait_takes_all_with_him),
	KUNIT_CASE(every_allocation_may_fail),
	KUNIT_CASE(no_memory_at_all_is_only_slower),
	KUNIT_CASE(mm_can_be_switched_in_a_window),
	KUNIT_CASE(late_trap_does_as_the_text_says),
	KUNIT_CASE(unknown_breakpoint_is_not_ours),
	KUNIT_CASE(breakpoint_over_a_place_is_not_ours),
	KUNIT_CASE(breakpoint_over_a_place_is_left_out),
	KUNIT_CASE(only_an_emulator_writes_first_bytes_twice),
	KUNIT_CASE(handler_cost_grows_by_the_logarithm),
	{}
};

static struct kunit_suite pure_suite = {
	.name = "x86_text_patch_pure",
	.test_cases = pure_tests,
};

static struct kunit_suite engine_suite = {
	.name = "x86_text_patch",
	.init = engine_init,
	.test_cases = engine_tests,
};

kunit_test_suites(&pure_suite, &engine_suite);

MODULE_DESCRIPTION("Tests of the x86 text patching engine");
MODULE_LICENSE("GPL");
