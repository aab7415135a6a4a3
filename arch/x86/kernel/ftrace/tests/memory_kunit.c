// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of trampolines: never writable where it is run.
 *
 * Pages that are made early at boot count most, as nothing protects writable
 * ones there until the kernel seals its own text. To test these, boot with
 * ftrace=function.
 * proves: arch/x86/kernel/ftrace/tramp.c
 */
#include <kunit/test.h>
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "hooks/tramp.h"
#include "tests/tramp_targets.h"

static void need_rox(struct kunit *test)
{
	if (!execmem_is_rox(EXECMEM_FTRACE))
		kunit_skip(test, "executable memory is made writable here");
}

static void expect_sealed(struct kunit *test, unsigned long addr)
{
	unsigned int level;
	pte_t *pte = lookup_address(addr, &level);

	KUNIT_ASSERT_NOT_NULL(test, pte);
	KUNIT_EXPECT_FALSE_MSG(test, pte_write(*pte), "%lx is writable", addr);
	KUNIT_EXPECT_TRUE_MSG(test, pte_exec(*pte), "%lx is not executable", addr);
}

static void written_and_never_writable(struct kunit *test)
{
	static const u8 code[] = { 0x90, 0x90, 0xc3 };
	u8 *page;

	need_rox(test);
	page = arch_ftrace_page_alloc();
	KUNIT_ASSERT_NOT_NULL(test, page);
	expect_sealed(test, (unsigned long)page);
	KUNIT_EXPECT_NULL(test, memchr_inv(page, INT3_INSN_OPCODE, PAGE_SIZE));

	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_page_write(page + 16, code, sizeof(code)));
	KUNIT_EXPECT_MEMEQ(test, page + 16, code, sizeof(code));
	expect_sealed(test, (unsigned long)page);

	arch_ftrace_page_trap(page + 16, sizeof(code));
	KUNIT_EXPECT_NULL(test, memchr_inv(page, INT3_INSN_OPCODE, PAGE_SIZE));
	expect_sealed(test, (unsigned long)page);
	arch_ftrace_page_free(page);
}

static void nothing(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
}

static void boot_trampolines_are_sealed(struct kunit *test)
{
	static struct ftrace_ops later = { .func = nothing };
	unsigned long ip;
	unsigned int n;
	u32 size;

	need_rox(test);
	if (strstr(saved_command_line, "ftrace=function"))
		KUNIT_EXPECT_EQ_MSG(test, 0, ftrace_tramp_nth(0, &ip, &size),
				    "no trampoline was made at boot");
	/* There is at least this one. */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&later, (unsigned long)tramp_target, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&later));
	for (n = 0; !ftrace_tramp_nth(n, &ip, &size); n++)
		expect_sealed(test, ip);
	KUNIT_EXPECT_GT(test, n, 0);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&later));
	ftrace_free_filter(&later);
}

static struct kunit_case memory_cases[] = {
	KUNIT_CASE(written_and_never_writable),
	KUNIT_CASE(boot_trampolines_are_sealed),
	{}
};

static struct kunit_suite memory_suite = {
	.name = "ftrace_memory",
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
