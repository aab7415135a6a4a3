// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the running kernel's call sites: each site has the name that
 * kallsyms_lookup() gives, and is found by that name in either way of lookup.
 */
#include <kunit/test.h>
#include <linux/ftrace/text.h>
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/ftrace.h>

#include "../sites/names.h"

struct room {
	char name[KSYM_NAME_LEN], slow[KSYM_NAME_LEN];
};

static struct room *room(struct kunit *test)
{
	struct room *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	return r;
}

/* Counts, as an assertion would end the thread with ftrace_lock held. */
static u32 count_wrong_names(struct ftrace_site_block *b, struct room *r)
{
	struct ftrace_names_cursor c;
	u32 wrong = 0;

	ftrace_names_start(&c, b, 0);
	for (u32 i = 0; i < b->nr; i++) {
		unsigned long size, offset;
		char *mod;

		cond_resched();
		ftrace_names_at(&c, i, r->name);
		if (b->sites[i].state & FTRACE_SITE_DEAD) {
			wrong += !strstarts(r->name, "__ftrace_invalid_address__");
			continue;
		}
		if (!kallsyms_lookup(ftrace_site_ip(b, i), &size, &offset, &mod, r->slow) ||
		    strcmp(r->name, r->slow))
			wrong++;
	}
	return wrong;
}

static void every_site_has_its_symbols_name(struct kunit *test)
{
	struct room *r = room(test);
	struct ftrace_site_block *b;
	u32 wrong = 0, blocks = 0;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!ftrace_site_block_ready(b))
			continue;
		wrong += count_wrong_names(b, r);
		blocks++;
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, blocks, 0);
}

static void cursor_may_start_anywhere(struct kunit *test)
{
	struct room *r = room(test);
	struct ftrace_names_cursor all, one;
	struct ftrace_site_block *b;
	u32 wrong = 0;

	mutex_lock(&ftrace_lock);
	b = list_first_entry(&ftrace_site_blocks, struct ftrace_site_block, list);
	ftrace_names_start(&all, b, 0);
	for (u32 i = 0; i < b->nr; i += 97) {
		ftrace_names_start(&one, b, i);
		wrong += strcmp(ftrace_names_at(&one, i, r->name),
				ftrace_names_at(&all, i, r->slow)) != 0;
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* Test whether a search for @name finds site @i of @b. */
static bool is_found_by_name(struct ftrace_site_block *b, u32 i, const char *name)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_match m;
	bool has = false;

	if (ftrace_match_parse(&m, name, strlen(name)) || ftrace_names_find(&m, NULL, &found))
		return false;
	for (size_t k = 0; k < found.n; k++)
		has |= found.nrs[k] == ftrace_site_nr(b, i);
	ftrace_siteset_drop(&found);
	return has;
}

/* Enough names that lookups switch from one at a time to the hash table. */
static void exact_names_find_their_sites(struct kunit *test)
{
	struct room *r = room(test);
	struct ftrace_site_block *b;
	u32 wrong = 0, asked = 0;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!ftrace_site_block_ready(b))
			continue;
		for (u32 i = 0; i < b->nr; i += b->nr / 1500 + 1) {
			struct ftrace_names_cursor c;

			if (b->sites[i].state & FTRACE_SITE_DEAD)
				continue;
			ftrace_names_start(&c, b, i);
			wrong += !is_found_by_name(b, i, ftrace_names_at(&c, i, r->name));
			asked++;
			cond_resched();
		}
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, asked, 600);
}

static u32 count_found(const char *pattern, const char *mod, int *err)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_match m;
	u32 n;

	*err = ftrace_match_parse(&m, pattern, strlen(pattern));
	if (!*err)
		*err = ftrace_names_find(&m, mod, &found);
	n = found.n;
	ftrace_siteset_drop(&found);
	return n;
}

static void patterns_find_what_they_say(struct kunit *test)
{
	u32 all, kernel, modules, ends, middle, nothing, line, others;
	int err[9] = {};

	mutex_lock(&ftrace_lock);
	all = count_found("*", NULL, &err[0]);
	modules = count_found("*", "*", &err[1]);
	others = count_found("*", "!*", &err[2]);
	kernel = count_found("*", "!no_such_module", &err[3]);
	ends = count_found("*lock", NULL, &err[4]);
	middle = count_found("*lock*", NULL, &err[5]);
	nothing = count_found("no_function_has_this_name", NULL, &err[6]);
	line = count_found("1", NULL, &err[7]);
	count_found("4000000000", NULL, &err[8]);
	mutex_unlock(&ftrace_lock);

	for (u32 i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, err[i], 0);
	KUNIT_EXPECT_EQ(test, err[8], -EINVAL);
	KUNIT_EXPECT_GT(test, all, 0);
	KUNIT_EXPECT_EQ(test, kernel, all);
	KUNIT_EXPECT_EQ(test, all - modules, others);
	KUNIT_EXPECT_GT(test, ends, 0);
	KUNIT_EXPECT_GT(test, middle, ends);
	KUNIT_EXPECT_LT(test, middle, all);
	KUNIT_EXPECT_EQ(test, nothing, 0);
	KUNIT_EXPECT_LE(test, line, 1);
}

/* Few names and many are looked up in two ways, which must agree. */
static void lookup_of_many_agrees_with_lookup_of_one(struct kunit *test)
{
	const u32 nr = 700;
	const char **names = kunit_kcalloc(test, nr, sizeof(*names), GFP_KERNEL);
	unsigned long *addrs = kunit_kcalloc(test, nr, sizeof(*addrs), GFP_KERNEL);
	const char *one = "schedule", *missing[] = { "no_function_has_this_name", "schedule" };
	unsigned long addr = 0, two[2];
	u32 i, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_NOT_NULL(test, addrs);
	KUNIT_ASSERT_EQ(test, ftrace_lookup_symbols(&one, 1, &addr), 0);
	KUNIT_EXPECT_NE(test, ftrace_location(addr), 0UL);
	KUNIT_EXPECT_EQ(test, kallsyms_lookup_name("schedule"), addr);

	for (i = 0; i < nr; i++)
		names[i] = i < nr / 2 ? "kfree" : "schedule";
	KUNIT_ASSERT_EQ(test, ftrace_lookup_symbols(names, nr, addrs), 0);
	for (i = nr / 2; i < nr; i++)
		wrong += addrs[i] != addr;
	for (i = 0; i < nr / 2; i++)
		wrong += addrs[i] != kallsyms_lookup_name("kfree");
	KUNIT_EXPECT_EQ(test, wrong, 0);

	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(missing, 2, two), -ESRCH);
	KUNIT_EXPECT_EQ(test, two[0], 0UL);
	KUNIT_EXPECT_EQ(test, two[1], addr);
}

static void location_is_that_of_the_function(struct kunit *test)
{
	const unsigned long schedule_addr = (unsigned long)schedule;
	const unsigned long site = ftrace_location(schedule_addr);

	KUNIT_ASSERT_NE(test, site, 0UL);
	for (u32 i = 0; i < MCOUNT_INSN_SIZE; i++)
		KUNIT_EXPECT_EQ(test, ftrace_location(site + i), site);
	KUNIT_EXPECT_EQ(test, ftrace_location(site + MCOUNT_INSN_SIZE), 0UL);
	KUNIT_EXPECT_EQ(test, ftrace_location_range(site - 20, site + 20), site);
	KUNIT_EXPECT_TRUE(test, ftrace_text_reserved((void *)site, (void *)site + 1));
	KUNIT_EXPECT_FALSE(test, ftrace_text_reserved((void *)site + MCOUNT_INSN_SIZE,
						      (void *)site + MCOUNT_INSN_SIZE));
	KUNIT_EXPECT_EQ(test, ftrace_location(0), 0UL);
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(every_site_has_its_symbols_name),
	KUNIT_CASE(cursor_may_start_anywhere),
	KUNIT_CASE(exact_names_find_their_sites),
	KUNIT_CASE(patterns_find_what_they_say),
	KUNIT_CASE(lookup_of_many_agrees_with_lookup_of_one),
	KUNIT_CASE(location_is_that_of_the_function),
	{}
};

static struct kunit_suite names_suite = {
	.name = "ftrace_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
