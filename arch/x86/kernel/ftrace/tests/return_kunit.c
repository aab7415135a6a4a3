// SPDX-License-Identifier: GPL-2.0
/*
 * How trampolines return: the way that this CPU's mitigations ask for.
 *
 * The first trampolines are made before that is decided. To test these, boot
 * with ftrace=function on a CPU that wants return thunks.
 */
#include <kunit/test.h>
#include <linux/ftrace/arch.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

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

static struct kunit_case return_cases[] = {
	KUNIT_CASE(boot_trampolines_return_by_the_thunk),
	{}
};

static struct kunit_suite return_suite = {
	.name = "ftrace_return",
	.test_cases = return_cases,
};

kunit_test_suite(return_suite);
