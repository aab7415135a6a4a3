// SPDX-License-Identifier: GPL-2.0
/* Which recorded calls become sites, in a text of bytes that a test chooses. */
#include "discover.h"
#include "discovered.h"

#define TEXT	0x10000UL
#define SIZE	0x1000UL

static struct ftrace_discovered text = { .start = TEXT, .end = TEXT + SIZE };
static LIST_HEAD(texts);
static struct ftrace_site_block *block;
static int bytes;			/* what arch_ftrace_site_check() returns */
static unsigned long read_at;

int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	BUG_ON(target != MCOUNT_ADDR);
	BUG_ON(ip < TEXT || ip + MCOUNT_INSN_SIZE > TEXT + SIZE);
	read_at = ip;
	return bytes;
}

/* How far behind the beginning of its function a call is; -1: it is in none. */
static long behind;

bool kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*size = 64;
	*offset = behind;
	return behind >= 0;
}

/* One site at TEXT + 0x100, if there is a block. */
struct ftrace_site_block *ftrace_site_find_range(unsigned long start, unsigned long end, u32 *i)
{
	*i = 0;
	if (!block || end < block->base || start >= block->base + MCOUNT_INSN_SIZE)
		return NULL;
	return block;
}

static bool is_new(unsigned long call)
{
	bool ret;

	INIT_LIST_HEAD(&texts);
	list_add_tail(&text.list, &texts);
	read_at = 0;
	mutex_lock(&ftrace_lock);
	ret = ftrace_call_is_new(&texts, call);
	mutex_unlock(&ftrace_lock);
	return ret;
}

static void call_in_a_known_text_is_new(struct kunit *test)
{
	text.ready = true;
	bytes = 0;
	KUNIT_EXPECT_TRUE(test, is_new(TEXT));
	KUNIT_EXPECT_EQ(test, read_at, TEXT);
	KUNIT_EXPECT_TRUE(test, is_new(TEXT + SIZE - MCOUNT_INSN_SIZE));
}

static void unknown_text_is_not_read(struct kunit *test)
{
	text.ready = true;
	bytes = 0;
	KUNIT_EXPECT_FALSE(test, is_new(TEXT - 1));
	KUNIT_EXPECT_FALSE(test, is_new(TEXT + SIZE - MCOUNT_INSN_SIZE + 1));
	KUNIT_EXPECT_FALSE(test, is_new(TEXT + SIZE));
	KUNIT_EXPECT_EQ(test, read_at, 0);
}

static void bytes_decide(struct kunit *test)
{
	text.ready = true;
	bytes = -EBUSY;
	KUNIT_EXPECT_FALSE(test, is_new(TEXT));
	bytes = -EINVAL;
	KUNIT_EXPECT_FALSE(test, is_new(TEXT));
	bytes = -EFAULT;
	KUNIT_EXPECT_FALSE(test, is_new(TEXT));
	bytes = 0;
	text.ready = false;
	KUNIT_EXPECT_FALSE(test, is_new(TEXT));
}

/* A call may be behind an ENDBR, but no further: else it is no function's. */
static void call_belongs_to_a_function(struct kunit *test)
{
	static const struct {
		long behind;
		bool is_new;
	} cases[] = {
		{ 0, true }, { FTRACE_MCOUNT_MAX_OFFSET, true },
		{ FTRACE_MCOUNT_MAX_OFFSET + 1, false }, { -1, false },
	};

	text.ready = true;
	bytes = 0;
	for (u32 k = 0; k < ARRAY_SIZE(cases); k++) {
		behind = cases[k].behind;
		KUNIT_EXPECT_EQ(test, is_new(TEXT + 0x40), cases[k].is_new);
	}
	behind = 0;
}

static void known_site_is_not_new(struct kunit *test)
{
	const unsigned long site = TEXT + 0x100;

	text.ready = true;
	bytes = 0;
	block = kunit_kzalloc(test, sizeof(*block) + sizeof(block->sites[0]), GFP_KERNEL);
	block->base = site;
	KUNIT_EXPECT_FALSE(test, is_new(site));
	KUNIT_EXPECT_FALSE(test, is_new(site - 1));
	KUNIT_EXPECT_FALSE(test, is_new(site + MCOUNT_INSN_SIZE - 1));
	KUNIT_EXPECT_EQ(test, read_at, 0);
	KUNIT_EXPECT_TRUE(test, is_new(site + MCOUNT_INSN_SIZE));
	block = NULL;
}

static struct kunit_case verify_cases[] = {
	KUNIT_CASE(call_in_a_known_text_is_new),
	KUNIT_CASE(unknown_text_is_not_read),
	KUNIT_CASE(bytes_decide),
	KUNIT_CASE(call_belongs_to_a_function),
	KUNIT_CASE(known_site_is_not_new),
	{}
};

static struct kunit_suite verify_suite = {
	.name = "verify",
	.test_cases = verify_cases,
};

kunit_test_suite(verify_suite);
