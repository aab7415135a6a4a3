// SPDX-License-Identifier: GPL-2.0
/*
 * Entry sites: what becomes of a function's first nine bytes.
 *
 * Which functions lose their ENDBR depends on the CPU and on the command line.
 * The tests check that a site's address, kind and bytes agree in any case.
 *
 * proves: arch/x86/kernel/ftrace/entry_sites.c arch/x86/kernel/ftrace/site.c
 * proves: kernel/trace/ftrace/sites/address.c
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ftrace/text.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/text-transaction.h>

#include "../entry_sites.h"
#include "tests/tramp_targets.h"

#define HEAD	ENDBR_INSN_SIZE
#define CODE	(HEAD + MCOUNT_INSN_SIZE)

static const u8 nop4[] = { BYTES_NOP4 };
static const u8 nop5[] = { BYTES_NOP5 };

/* The beginning of a function, as compiled or sealed; __fentry__ is in reach. */
static u8 text[64];

static void compile(u32 head)
{
	memset(text, 0xcc, sizeof(text));
	put_unaligned(head, (u32 *)text);
	text_call_or_nop(text + HEAD, (unsigned long)text + HEAD, MCOUNT_ADDR);
}

static unsigned long place(unsigned long ip)
{
	unsigned long ips[] = { 0, ip, ip + sizeof(text) };

	arch_ftrace_sites_place(ips, ARRAY_SIZE(ips), (unsigned long)text,
				(unsigned long)text + sizeof(text));
	return ips[0] || ips[2] != ip + sizeof(text) ? 0 : ips[1];
}

/* One nop of nine bytes, of which the last four are a nop, too. */
static void expect_one_nop(struct kunit *test, const u8 *at)
{
	const u8 first[MCOUNT_INSN_SIZE] = TEXT_NOP_LONG_BYTES;

	KUNIT_EXPECT_MEMEQ(test, at, first, MCOUNT_INSN_SIZE);
	KUNIT_EXPECT_MEMEQ(test, at + MCOUNT_INSN_SIZE, nop4, HEAD);
}

static void becomes_a_nop(struct kunit *test, u32 head)
{
	const unsigned long call = (unsigned long)text + HEAD;
	u8 expected[MCOUNT_INSN_SIZE], found[MCOUNT_INSN_SIZE];
	unsigned long ip;
	int kind;

	compile(head);
	ip = place(call);
	kind = arch_ftrace_site_init(ip, expected, found);
	KUNIT_EXPECT_EQ(test, ip, kind == 1 ? call - HEAD : call);
	if (kind == 1) {
		expect_one_nop(test, text);
	} else {
		KUNIT_EXPECT_EQ(test, 0, kind);
		KUNIT_EXPECT_EQ(test, head, get_unaligned((u32 *)text));
		KUNIT_EXPECT_MEMEQ(test, text + HEAD, nop5, MCOUNT_INSN_SIZE);
	}
	KUNIT_EXPECT_EQ(test, 0xcc, text[CODE]);
	KUNIT_EXPECT_EQ(test, ip, place(ip));
}

static void compiled_entry_becomes_a_nop(struct kunit *test)
{
	becomes_a_nop(test, gen_endbr());
}

static void sealed_entry_becomes_a_nop(struct kunit *test)
{
	becomes_a_nop(test, gen_endbr_poison());
}

/* For all CPUs and command lines: a CPU that checks an ENDBR finds it where it was. */
static void no_checked_endbr_is_taken(struct kunit *test)
{
	enum ftrace_take asked, take;
	unsigned int i;

	for (i = 0; i < 12; i++) {
		const bool ibt = i & 1, cfi = i & 2;

		asked = i / 4;
		take = ftrace_take_of(asked, ibt, cfi);
		KUNIT_EXPECT_LE(test, take, asked);
		KUNIT_EXPECT_EQ(test, ftrace_may_take(take, true, true),
				!cfi && asked != TAKE_NONE);
		KUNIT_EXPECT_EQ(test, ftrace_may_take(take, true, false),
				!cfi && !ibt && asked == TAKE_ALL);
		KUNIT_EXPECT_FALSE(test, ftrace_may_take(take, false, false));
	}
}

/* A function that nobody can call indirectly begins with the call. */
static void site_without_endbr_stays(struct kunit *test)
{
	const unsigned long ip = (unsigned long)text + HEAD;
	u8 expected[MCOUNT_INSN_SIZE], found[MCOUNT_INSN_SIZE];

	compile(0x90909090);
	KUNIT_EXPECT_EQ(test, ip, place(ip));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_init(ip, expected, found));
	KUNIT_EXPECT_MEMEQ(test, text + HEAD, nop5, MCOUNT_INSN_SIZE);
	KUNIT_EXPECT_EQ(test, 0x90909090, get_unaligned((u32 *)text));
}

static void unexpected_bytes_stay(struct kunit *test)
{
	u8 expected[MCOUNT_INSN_SIZE], found[MCOUNT_INSN_SIZE], before[sizeof(text)];

	compile(gen_endbr());
	text[HEAD + 1] ^= 1;
	memcpy(before, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			arch_ftrace_site_init(place((unsigned long)text + HEAD), expected, found));
	KUNIT_EXPECT_MEMEQ(test, text, before, sizeof(text));
	KUNIT_EXPECT_MEMEQ(test, found, before + HEAD, MCOUNT_INSN_SIZE);
}

static unsigned long hooked_ip;

static void note_ip(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		    struct ftrace_regs *fregs)
{
	hooked_ip = ip;
}

/* On: a call, and the last four bytes of the nop. Off: the whole nop again. */
static void live_entry_site(struct kunit *test)
{
	static struct ftrace_ops ops = { .func = note_ip };
	unsigned long func = (unsigned long)tramp_target;
	const unsigned long ip = ftrace_location(func);
	const u8 *at = (u8 *)ip;

	/* Or objtool would see the address of an instruction without ENDBR. */
	OPTIMIZER_HIDE_VAR(func);
	KUNIT_ASSERT_EQ(test, ftrace_is_entry_site(ip), ip == func);
	KUNIT_EXPECT_FALSE(test, ftrace_is_entry_site(ip + HEAD));
	KUNIT_EXPECT_EQ(test, ip, ftrace_location(func + HEAD));
	if (ip != func)
		kunit_skip(test, "ENDBR stays on this CPU, or by the command line");

	expect_one_nop(test, at);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&ops, func, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&ops));
	KUNIT_EXPECT_EQ(test, CALL_INSN_OPCODE, at[0]);
	KUNIT_EXPECT_MEMEQ(test, at + MCOUNT_INSN_SIZE, nop4, HEAD);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	KUNIT_EXPECT_EQ(test, func, hooked_ip);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&ops));
	ftrace_free_filter(&ops);
	expect_one_nop(test, at);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(compiled_entry_becomes_a_nop),
	KUNIT_CASE(sealed_entry_becomes_a_nop),
	KUNIT_CASE(no_checked_endbr_is_taken),
	KUNIT_CASE(site_without_endbr_stays),
	KUNIT_CASE(unexpected_bytes_stay),
	KUNIT_CASE(live_entry_site),
	{}
};

static struct kunit_suite suite = {
	.name = "ftrace_entry",
	.test_cases = cases,
};

kunit_test_suite(suite);
