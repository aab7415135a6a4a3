// SPDX-License-Identifier: GPL-2.0
/*
 * Why a word names no function. A name "at_ADDRESS" is a symbol there.
 */
#include <assert.h>
#include "error_log.h"
#include "names.h"

/*
 * The kernel's text begins at 0x1000, with what is noinstr and entry code, as shim.h
 * has it; then data, two modules, and data again.
 */
#define INIT		0x3000
#define LISTED		0x4000	/* with a site that has another name */
#define REPLACED	0x5000	/* with a site in no function */
#define NOT_RUN		0x6000	/* with a call that is no site yet */
#define OTHER		0x7000
#define DATA		0x8000
#define MODULE		0x9000
#define UNRECORDED	0xa000
#define OVERWRITTEN	0xc000	/* a module's function */

enum system_states system_state;
struct mutex ftrace_lock;	/* as in sites/site.c */

static struct {
	struct ftrace_site_block b;
	struct ftrace_site site;
} block;

static unsigned long page(unsigned long addr)
{
	return addr & ~0xfffUL;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	return strncmp(name, "at_", 3) ? 0 : strtoul(name + 3, NULL, 16);
}

unsigned long ftrace_location(unsigned long ip)
{
	return (page(ip) >= LISTED && page(ip) <= NOT_RUN) || page(ip) == OVERWRITTEN ? ip + 4 : 0;
}

struct ftrace_site_block *ftrace_site_find_exact(unsigned long ip, u32 *i)
{
	*i = 0;
	block.b.sites[0].state = page(ip) == REPLACED ? FTRACE_SITE_DEAD :
				 page(ip) == OVERWRITTEN ? FTRACE_SITE_FAULT : 0;
	return page(ip) == LISTED || block.b.sites[0].state ? &block.b : NULL;
}

bool is_kernel_inittext(unsigned long addr)
{
	return page(addr) == INIT;
}

int core_kernel_text(unsigned long addr)
{
	return addr >= 0x1000 && addr < DATA;
}

struct module *__module_text_address(unsigned long addr)
{
	static struct module recorded = { .num_ftrace_callsites = 1 }, unrecorded;

	return page(addr) == MODULE ? &recorded : page(addr) == UNRECORDED ? &unrecorded : NULL;
}

void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd, const char **errs,
		     u8 type, u16 pos)
{
	/* Each reason has a text. */
	assert(errs[type] && !strcmp(loc, "trace: file") && !strcmp(cmd, "word") && pos == 3);
}

static enum ftrace_why why(const char *name, int err)
{
	enum ftrace_why why = ftrace_why_no_site(name, err);

	ftrace_complain(NULL, "trace", "file", "word", 3, why);
	return why;
}

static void symbols_have_a_reason(struct kunit *test)
{
	system_state = SYSTEM_RUNNING;
	KUNIT_EXPECT_EQ(test, why("at_1000", -EINVAL), FTRACE_WHY_NOINSTR);
	KUNIT_EXPECT_EQ(test, why("at_1fff", -EINVAL), FTRACE_WHY_NOINSTR);
	KUNIT_EXPECT_EQ(test, why("at_2000", -EINVAL), FTRACE_WHY_NOINSTR);
	KUNIT_EXPECT_EQ(test, why("at_2fff", -EINVAL), FTRACE_WHY_NOINSTR);
	KUNIT_EXPECT_EQ(test, why("at_3000", -EINVAL), FTRACE_WHY_FREED);
	KUNIT_EXPECT_EQ(test, why("at_4000", -EINVAL), FTRACE_WHY_OTHER_NAME);
	KUNIT_EXPECT_EQ(test, why("at_5000", -EINVAL), FTRACE_WHY_NO_CALL);
	KUNIT_EXPECT_EQ(test, why("at_6000", -EINVAL), FTRACE_WHY_NOT_RUN);
	KUNIT_EXPECT_EQ(test, why("at_7000", -EINVAL), FTRACE_WHY_NO_CALL);
	KUNIT_EXPECT_EQ(test, why("at_8000", -EINVAL), FTRACE_WHY_NO_TEXT);
	KUNIT_EXPECT_EQ(test, why("at_9000", -EINVAL), FTRACE_WHY_NO_CALL);
	KUNIT_EXPECT_EQ(test, why("at_a000", -EINVAL), FTRACE_WHY_NO_RECORDS);
	KUNIT_EXPECT_EQ(test, why("at_b000", -EINVAL), FTRACE_WHY_NO_TEXT);
	KUNIT_EXPECT_EQ(test, why("at_c000", -EINVAL), FTRACE_WHY_INVALID);
	/* While init text is there, the function just has no call. */
	system_state = SYSTEM_SCHEDULING;
	KUNIT_EXPECT_EQ(test, why("at_3000", -EINVAL), FTRACE_WHY_NO_CALL);
}

static void words_have_a_reason(struct kunit *test)
{
	char name[KSYM_NAME_LEN + 1];

	KUNIT_EXPECT_EQ(test, why("at_7000", -ENOMEM), FTRACE_WHY_NO_MEMORY);
	KUNIT_EXPECT_EQ(test, why("nobody", -EINVAL), FTRACE_WHY_NO_FUNCTION);
	KUNIT_EXPECT_EQ(test, why("no*", -EINVAL), FTRACE_WHY_NO_MATCH);
	KUNIT_EXPECT_EQ(test, why("17", -EINVAL), FTRACE_WHY_NO_LINE);
	KUNIT_EXPECT_EQ(test, why("17x", -EINVAL), FTRACE_WHY_BAD_LINE);
	KUNIT_EXPECT_EQ(test, why("at_7000:at:7000", -EINVAL), FTRACE_WHY_NOT_THERE);
	KUNIT_EXPECT_EQ(test, why("at_*:at:7000", -EINVAL), FTRACE_WHY_NOT_THERE);
	KUNIT_EXPECT_EQ(test, why("__ftrace_invalid_address___7", -EINVAL), FTRACE_WHY_INVALID);
	memset(name, 'x', KSYM_NAME_LEN);
	name[KSYM_NAME_LEN] = '\0';
	KUNIT_EXPECT_EQ(test, why(name, -EINVAL), FTRACE_WHY_TOO_LONG);
	name[KSYM_NAME_LEN - 1] = '\0';
	KUNIT_EXPECT_EQ(test, why(name, -EINVAL), FTRACE_WHY_NO_FUNCTION);
	for (int reason = FTRACE_WHY_FAILED; reason <= FTRACE_WHY_GONE; reason++)
		ftrace_complain(NULL, "trace", "file", "word", 3, reason);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(symbols_have_a_reason),
	KUNIT_CASE(words_have_a_reason),
	{ }
};

static struct kunit_suite suite = { .name = "reasons", .test_cases = cases };
kunit_test_suite(suite);
