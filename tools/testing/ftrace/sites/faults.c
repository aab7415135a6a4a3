// SPDX-License-Identifier: GPL-2.0
/*
 * How sites become nops, on a machine whose text is read-only by then: it maps a page
 * for writing, for all sites in it. And what becomes of those with other bytes.
 */
#include <kunit/test.h>
#include <linux/ftrace/arch.h>

static unsigned int lines;	/* in the log */

static void pr_warn(const char *fmt, ...)
{
	lines++;
}

#define pr_notice(...)		((void)0)
#define WARN_ONCE(c, ...)	((void)(c))
#include "sites/fault.c"

#define SITES	200
#define APART	100		/* bytes from one to the next */
#define BASE	0x10000UL
#define ENTRY(i) (!((i) % 7))

struct mutex ftrace_lock;	/* held where the kernel asserts that */

static bool foreign[SITES];
static unsigned int inits[SITES];
static unsigned int mappings;
static unsigned long mapped;	/* page that is mapped; 0: none */

int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found)
{
	const u32 i = (ip - BASE) / APART;

	if (mapped != (ip & PAGE_MASK)) {
		mapped = ip & PAGE_MASK;
		mappings++;
	}
	inits[i]++;
	memset(expected, 1, MCOUNT_INSN_SIZE);
	memset(found, foreign[i] ? 2 : 1, MCOUNT_INSN_SIZE);
	return foreign[i] ? -EINVAL : ENTRY(i);
}

void arch_ftrace_sites_ready(void)
{
	mapped = 0;
}

static struct ftrace_site_block *block(struct kunit *test)
{
	struct ftrace_site_block *b = kunit_kzalloc(test, struct_size(b, sites, SITES), GFP_KERNEL);

	b->base = BASE;
	b->nr = SITES;
	for (u32 i = 0; i < SITES; i++)
		b->sites[i].offset = APART * i;
	memset(foreign, 0, sizeof(foreign));
	memset(inits, 0, sizeof(inits));
	mappings = 0;
	lines = 0;
	ftrace_faults = 0;
	return b;
}

static void a_page_is_mapped_once(struct kunit *test)
{
	struct ftrace_site_block *b = block(test);

	ftrace_make_nops(b);
	KUNIT_EXPECT_EQ(test, mappings, DIV_ROUND_UP(SITES * APART, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, mapped, 0);
	for (u32 i = 0; i < SITES; i++) {
		KUNIT_EXPECT_EQ(test, inits[i], 1);
		KUNIT_EXPECT_EQ(test, b->sites[i].state, ENTRY(i) ? FTRACE_SITE_ENTRY : 0);
	}
	KUNIT_EXPECT_EQ(test, ftrace_faults, 0);
}

static void sites_with_other_bytes_are_given_up(struct kunit *test)
{
	struct ftrace_site_block *b = block(test);
	const u8 bytes[MCOUNT_INSN_SIZE] = {};

	for (u32 i = 0; i < SITES; i += 10)
		foreign[i] = true;
	ftrace_make_nops(b);
	KUNIT_EXPECT_EQ(test, ftrace_faults, SITES / 10);
	for (u32 i = 0; i < SITES; i++)
		KUNIT_EXPECT_EQ(test, b->sites[i].state, foreign[i] ? FTRACE_SITE_FAULT :
				ENTRY(i) ? FTRACE_SITE_ENTRY : 0);
	/* No more than 16, of two lines each, and one that says so. */
	KUNIT_EXPECT_EQ(test, lines, 2 * 16 + 1);
	ftrace_fault_site(b, 10, -EINVAL, bytes, bytes);
	KUNIT_EXPECT_EQ(test, ftrace_faults, SITES / 10);
}

static void held_sites_are_counted(struct kunit *test)
{
	struct ftrace_site_block *b = block(test);
	const u8 bytes[MCOUNT_INSN_SIZE] = {};

	mutex_lock(&ftrace_lock);
	for (int twice = 0; twice < 2; twice++) {
		ftrace_hold_site(b, 3);
		ftrace_hold_site(b, 5);
	}
	KUNIT_EXPECT_EQ(test, ftrace_held_sites, 2);
	for (int twice = 0; twice < 2; twice++)
		ftrace_release_site(b, 3);
	KUNIT_EXPECT_EQ(test, ftrace_held_sites, 1);
	ftrace_fault_site(b, 5, -EFAULT, bytes, bytes);
	KUNIT_EXPECT_EQ(test, ftrace_held_sites, 0);
	KUNIT_EXPECT_EQ(test, b->sites[3].state, 0);
	KUNIT_EXPECT_EQ(test, b->sites[5].state, FTRACE_SITE_FAULT);
	mutex_unlock(&ftrace_lock);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(a_page_is_mapped_once),
	KUNIT_CASE(sites_with_other_bytes_are_given_up),
	KUNIT_CASE(held_sites_are_counted),
	{}
};

static struct kunit_suite fault_suite = {
	.name		= "ftrace_fault",
	.test_cases	= fault_cases,
};

kunit_test_suite(fault_suite);
