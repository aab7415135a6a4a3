// SPDX-License-Identifier: GPL-2.0
/*
 * How trampolines return: the way that this CPU's mitigations ask for.
 *
 * The first trampolines are made before that is decided. To test these, boot
 * with ftrace=function on a CPU that wants return thunks.
 *
 * proves: arch/x86/kernel/ftrace/tramp.c arch/x86/kernel/ftrace/encode.c
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "../encode.h"
#include "hooks/tramp.h"

static void boot_trampolines_return_by_the_thunk(struct kunit *test)
{
	unsigned long ip, tail, target;
	unsigned int n;
	const u8 *code;
	u32 size;

	if (!cpu_feature_enabled(X86_FEATURE_RETHUNK))
		kunit_skip(test, "this CPU returns by RET");
	if (ftrace_tramp_nth(0, &ip, &size))
		kunit_skip(test, "no trampoline was made at boot");

	for (n = 0; !ftrace_tramp_nth(n, &ip, &size); n++) {
		tail = ip + size - JMP32_INSN_SIZE;
		if (!cpu_wants_rethunk_at((void *)tail))
			continue;
		code = (const u8 *)tail;
		target = ip + size + get_unaligned((const s32 *)(code + 1));
		KUNIT_EXPECT_EQ_MSG(test, code[0], JMP32_INSN_OPCODE,
				    "trampoline %u ends with %5ph", n, code);
		KUNIT_EXPECT_EQ_MSG(test, target, (unsigned long)x86_return_thunk,
				    "trampoline %u ends with %5ph", n, code);
	}
}

/* Mitigations to try: accounting for calls; return thunks nowhere, everywhere, or in places. */
static const u8 counts[] = { 0x65, 0x48, 0xc1, 0x3c, 0x25, 0, 0, 0, 0, 5 };	/* sarq $5, %gs:0 */

static unsigned int no_account(u8 *insn, unsigned long ip)
{
	return 0;
}

static unsigned int account_by_counts(u8 *insn, unsigned long ip)
{
	memcpy(insn, counts, sizeof(counts));
	return sizeof(counts);
}

static unsigned long no_thunk(unsigned long ip)
{
	return 0;
}

static unsigned long thunk(unsigned long ip)
{
	return (unsigned long)x86_return_thunk;
}

static unsigned long thunk_in_lower_halves(unsigned long ip)
{
	return ip & 0x20 ? 0 : thunk(ip);
}

/* Count the parts of a trampoline, instruction by instruction. */
static void expect_parts(struct kunit *test, const u8 *code, u32 size, u32 accounts, u32 calls)
{
	const u8 *at = code, *tail = code + size - FTRACE_TAIL_SIZE;
	u32 n_accounts = 0, n_calls = 0;
	struct insn insn;

	while (at < tail && !insn_decode_kernel(&insn, at)) {
		n_accounts += !memcmp(at, counts, sizeof(counts));
		/* Leave out calls that only add an entry to the return stack. */
		n_calls += *at == CALL_INSN_OPCODE && insn.immediate.value != 1;
		at += insn.length;
	}
	KUNIT_EXPECT_PTR_EQ(test, at, tail);
	KUNIT_EXPECT_EQ(test, n_accounts, accounts);
	KUNIT_EXPECT_EQ(test, n_calls, calls);
}

static void expect_tramp(struct kunit *test, const struct ftrace_tramp_spec *spec,
			 const struct ftrace_tramp_cpu *cpu, unsigned long ip)
{
	struct ftrace_code count = {}, code = {}, tail = {};
	u8 end[FTRACE_TAIL_SIZE], insn[FTRACE_ACCOUNT_MAX];
	u8 *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	ftrace_put_tramp(&count, spec, cpu);
	code = (struct ftrace_code){ .at = buf, .end = buf + count.ip, .ip = ip };
	ftrace_put_tramp(&code, spec, cpu);
	KUNIT_ASSERT_EQ(test, code.err, 0);
	KUNIT_ASSERT_EQ(test, code.ip - ip, count.ip);
	expect_parts(test, buf, count.ip, cpu->account(insn, ip) ? 1 + spec->nr : 0, spec->nr);

	tail = (struct ftrace_code){ .at = end, .end = end + sizeof(end),
				     .ip = code.ip - FTRACE_TAIL_SIZE };
	ftrace_put_return(&tail, cpu->return_thunk(tail.ip));
	KUNIT_EXPECT_MEMEQ(test, code.at - FTRACE_TAIL_SIZE, end, FTRACE_TAIL_SIZE);
	kunit_kfree(test, buf);
}

static void trampolines_for_every_cpu(struct kunit *test)
{
	static const struct ftrace_tramp_cpu cpus[] = {
		{ no_account, no_thunk }, { account_by_counts, no_thunk },
		{ no_account, thunk }, { account_by_counts, thunk },
		{ no_account, thunk_in_lower_halves },
		{ account_by_counts, thunk_in_lower_halves },
	};
	const struct ftrace_tramp_call calls[] = {
		{ .func = (void *)ftrace_stub, .arg = test },
		{ .func = (void *)ftrace_stub, .arg = NULL },
	};
	unsigned long ip = ALIGN((unsigned long)x86_return_thunk, 64);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus) * 16; i++) {
		const struct ftrace_tramp_spec spec = {
			.calls = calls,
			.nr = 1 + (i & 1),
			.regs = i & 6,
			.direct = i & 4,
		};

		expect_tramp(test, &spec, &cpus[i / 16], ip + (i & 8 ? 0x20 : 0));
	}
}

static struct kunit_case return_cases[] = {
	KUNIT_CASE(trampolines_for_every_cpu),
	KUNIT_CASE(boot_trampolines_return_by_the_thunk),
	{}
};

static struct kunit_suite return_suite = {
	.name = "ftrace_return",
	.test_cases = return_cases,
};

kunit_test_suite(return_suite);
