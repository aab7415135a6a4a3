// SPDX-License-Identifier: GPL-2.0
/*
 * Traps of the text engine: which breakpoints its handler knows, what it does
 * at them, and what that costs.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/memory.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
#include <asm/insn.h>
#include <asm/nops.h>
#include <asm/text-patching.h>

/* A few places will do. */
#define PLACES	64
#include "place_changes.h"

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
	known = smp_text_poke_int3_handler(regs);
	local_irq_restore(flags);
	return known;
}

/* The same while the @nr changes at @vec are published. */
static int trap_during(const struct text_patch *vec, u32 nr, unsigned long base,
		       struct pt_regs *regs, unsigned long ip)
{
	int known;

	mutex_lock(&text_mutex);
	text_live_publish(vec, nr, base);
	known = trap_at(regs, ip);
	text_live_withdraw();
	text_trap_quiesce();
	mutex_unlock(&text_mutex);
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
	KUNIT_EXPECT_EQ(test, smp_text_poke_int3_handler(&regs), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)test_mark);
	KUNIT_EXPECT_EQ(test, stack[0], ip + 5);
}

/* A foreign breakpoint over a nop is removed before the handler looks: run or skip the nop. */
static void late_trap_at_a_nop_skips_all_or_nothing(struct kunit *test)
{
	static const u8 gas_nop9[9] = { 0x66, 0x0f, 0x1f, 0x84 };
	struct pt_regs regs;
	unsigned int len;

	for (len = 1; len <= ASM_NOP_MAX; len++) {
		const unsigned long ip = (unsigned long)x86_nops[len];

		KUNIT_EXPECT_EQ(test, trap_at(&regs, ip), 1);
		KUNIT_EXPECT_TRUE_MSG(test, regs.ip == ip || regs.ip == ip + len,
				      "continues at +%lu of %u", regs.ip - ip, len);
	}
	KUNIT_EXPECT_EQ(test, trap_at(&regs, (unsigned long)gas_nop9), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)gas_nop9);
}

/* Bytes that begin instructions that the handler knows, and similar ones. */
static void random_instruction(u8 *b, struct rnd_state *dice)
{
	static const u8 usual[] = {
		0x0f, 0x1f, 0x1e, 0x26, 0x2e, 0x31, 0x36, 0x3e, 0x40, 0x44, 0x66, 0x74, 0x84,
		0x90, 0x94, 0xc0, 0xc3, 0xcc, 0xd6, 0xe8, 0xe9, 0xeb, 0xf3, 0xfa, 0x00,
	};
	unsigned int i;

	prandom_bytes_state(dice, b, MAX_INSN_SIZE);
	for (i = 0; i < TEXT_PATCH_MAX; i++)
		if (b[i] < 0xf8)
			b[i] = usual[b[i] % ARRAY_SIZE(usual)];
}

/*
 * What the handler takes for an instruction at an arbitrary address is a whole one,
 * as the kernel's decoder has it. Exceptions are the beginnings of three nops of nine
 * bytes that only the function tracer writes.
 */
static void late_trap_decodes_whole_instructions(struct kunit *test)
{
	static const u8 ours[][TEXT_PATCH_MAX] = {
		TEXT_NOP_LONG_BYTES, TEXT_COVER_BYTES, TEXT_COVER_SEALED_BYTES,
	};
	struct rnd_state dice;
	u8 b[MAX_INSN_SIZE];
	unsigned int i, k, known = 0;
	struct text_effect e;
	struct insn insn;

	prandom_seed_state(&dice, 42);
	for (i = 0; i < 300000; i++) {
		random_instruction(b, &dice);
		e = text_effect_of(b, TEXT_PATCH_MAX);
		if (e.kind == TEXT_UNKNOWN)
			continue;
		for (k = 0; k < ARRAY_SIZE(ours); k++)
			if (!memcmp(b, ours[k], e.len))
				break;
		if (k < ARRAY_SIZE(ours))
			continue;
		known++;
		if (insn_decode_kernel(&insn, b) || insn.length != e.len) {
			KUNIT_FAIL(test, "%*ph has %d bytes, not %u", MAX_INSN_SIZE, b,
				   insn.length, e.len);
			return;
		}
	}
	KUNIT_EXPECT_GT(test, known, 15000);
}

/* With the byte after them, these four would be an instruction. */
static void a_change_ends_at_its_length(struct kunit *test)
{
	static const u8 longer[TEXT_PATCH_MAX] = TEXT_NOP_LONG_BYTES;
	const unsigned long ip = (unsigned long)place_insn(2);
	struct text_patch change = { .len = 4 };
	struct pt_regs regs;

	memcpy(change.act, longer, sizeof(longer));
	KUNIT_EXPECT_EQ(test, trap_during(&change, 1, ip, &regs, ip), 0);
	KUNIT_EXPECT_EQ(test, regs.ip, ip + 1);
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

static DEFINE_STATIC_KEY_FALSE(trap_test_key);
static int returns_two(void) { return 2; }
static int returns_three(void) { return 3; }
DEFINE_STATIC_CALL(trap_test_call, returns_two);

static noinline int key_and_call(void)
{
	/* In this order, or the compiler makes two calls of it. */
	const int two = static_call(trap_test_call)();

	return two + (static_branch_unlikely(&trap_test_key) ? 10 : 0);
}

/* The places of the key and the call in key_and_call(). */
static unsigned long label_of_key(void)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;

	for (entry = __start___jump_table; entry < __stop___jump_table; entry++)
		if (jump_entry_key(entry) == &trap_test_key.key)
			return jump_entry_code(entry);
#endif
	return 0;
}

static unsigned long site_of_call(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	const unsigned long key = (unsigned long)&STATIC_CALL_KEY(trap_test_call);
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
	const unsigned long ips[] = { label_of_key(), site_of_call() };
	const u8 int3 = INT3_INSN_OPCODE;
	struct pt_regs regs;
	unsigned int i;
	u8 was;
	int known;

	KUNIT_EXPECT_EQ(test, !ips[0], !IS_ENABLED(CONFIG_JUMP_LABEL));
	KUNIT_EXPECT_EQ(test, !ips[1], !IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE));
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
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
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

static void key_and_call_become(bool on)
{
	if (on)
		static_branch_enable_cpuslocked(&trap_test_key);
	else
		static_branch_disable_cpuslocked(&trap_test_key);
	__static_call_update_cpuslocked(&STATIC_CALL_KEY(trap_test_call),
					STATIC_CALL_TRAMP_ADDR(trap_test_call),
					on ? returns_three : returns_two);
}

/*
 * A key and a call, under breakpoints that come while their changes are queued: they can
 * be changed there, and afterwards, though the key has another state than its place.
 */
static void keys_and_calls_outlive_breakpoints(struct kunit *test)
{
	const unsigned long ips[] = { label_of_key(), site_of_call() };
	const u8 int3 = INT3_INSN_OPCODE;
	struct text_patch_tx tx = {};
	u8 was[ARRAY_SIZE(ips)];
	unsigned int i;

	cpus_read_lock();
	text_patch_begin(&tx);
	key_and_call_become(true);
	for (i = 0; i < ARRAY_SIZE(ips); i++) {
		if (!ips[i])
			continue;
		was[i] = *(u8 *)ips[i];
		write_text(ips[i], &int3, 1);
	}
	text_patch_commit(&tx);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, !!ips[0] + !!ips[1]);
	text_patch_begin(&tx);
	key_and_call_become(false);
	key_and_call_become(true);
	text_patch_commit(&tx);
	KUNIT_EXPECT_EQ(test, tx.nr_faults, !!ips[0] + !!ips[1]);
	for (i = 0; i < ARRAY_SIZE(ips); i++) {
		if (ips[i])
			write_text(ips[i], &was[i], 1);
	}
	key_and_call_become(false);
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
	key_and_call_become(true);
	KUNIT_EXPECT_EQ(test, key_and_call(), 13);
	key_and_call_become(false);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, key_and_call(), 2);
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
		smp_text_poke_int3_handler(&regs);
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
 * Whether the handler does as change @i of @nr says, though all those that no
 * halving meets say that they are it, and jump: who reads one of them takes it.
 */
static bool reads_a_logarithm(struct text_patch *vec, u32 nr, u32 i)
{
	const unsigned long base = (unsigned long)test_places, ip = base + 16 * i;
	u32 begin = 0, left = nr, steps = 0, mid;
	struct pt_regs regs;

	for (mid = 0; mid < nr; mid++) {
		vec[mid].rel = 16 * i;
		vec[mid].act[0] = JMP32_INSN_OPCODE;
	}
	do {
		mid = begin + left / 2;
		vec[mid].rel = 16 * mid;
		left = mid < i ? left - left / 2 - 1 : left / 2;
		begin = mid < i ? mid + 1 : begin;
		steps++;
	} while (mid != i);
	vec[i].act[0] = place_nop[0];
	return steps <= ilog2(nr) + 1 && trap_during(vec, nr, base, &regs, ip) &&
	       regs.ip == ip + 5;
}

/* What it costs is said, and not judged: time is the machine's. */
static void handler_cost_grows_by_the_logarithm(struct kunit *test)
{
	const u32 most = 32768;
	struct text_patch *vec = kvmalloc_array(most, sizeof(*vec), GFP_KERNEL);
	u32 nr, i;
	u64 cost;

	KUNIT_ASSERT_NOT_NULL(test, vec);
	for (nr = 1; nr <= most; nr *= 8) {
		cost = least_handler_cost(vec, nr);	/* kunit_info() expands it twice */
		kunit_info(test, "%u changes: %llu ns for each trap\n", nr, cost);
		for (i = 0; i < nr; i += nr / 31 + 1)
			KUNIT_EXPECT_TRUE(test, reads_a_logarithm(vec, nr, i));
	}
	kvfree(vec);
}

static struct kunit_case trap_tests[] = {
	KUNIT_CASE(late_trap_does_as_the_text_says),
	KUNIT_CASE(late_trap_at_a_nop_skips_all_or_nothing),
	KUNIT_CASE(late_trap_decodes_whole_instructions),
	KUNIT_CASE(a_change_ends_at_its_length),
	KUNIT_CASE(unknown_breakpoint_is_not_ours),
	KUNIT_CASE(breakpoint_over_a_place_is_not_ours),
	KUNIT_CASE(breakpoint_over_a_place_is_left_out),
	KUNIT_CASE(keys_and_calls_outlive_breakpoints),
	KUNIT_CASE(only_an_emulator_writes_first_bytes_twice),
	KUNIT_CASE(handler_cost_grows_by_the_logarithm),
	{}
};

static struct kunit_suite trap_suite = {
	.name = "x86_text_patch_trap",
	.init = engine_init,
	.test_cases = trap_tests,
};

kunit_test_suite(trap_suite);
