// SPDX-License-Identifier: GPL-2.0
/* Patterns: what each kind matches, and what is no pattern. */
#include <kunit/test.h>
#include <linux/string.h>
#include "../sites/match.h"

struct pattern {
	const char *text;
	enum ftrace_match_kind kind;
	const char *yes[3], *no[3];
};

static const struct pattern patterns[] = {
	{ "schedule", FTRACE_MATCH_FULL, { "schedule" }, { "schedul", "schedule_", "" } },
	{ "sched*", FTRACE_MATCH_FRONT, { "sched", "schedule" }, { "sche", "asched" } },
	{ "*lock", FTRACE_MATCH_END, { "lock", "spin_lock" }, { "lock_", "ock" } },
	{ "*lock*", FTRACE_MATCH_MIDDLE, { "lock", "a_lock_b", "llock" }, { "loc", "ock", "" } },
	{ "*aab*", FTRACE_MATCH_MIDDLE, { "aaab", "xaabx" }, { &"aabaab"[4], "abab" } },
	{ "", FTRACE_MATCH_ALL, { "x", "" } },
	{ "*", FTRACE_MATCH_ALL, { "x", "" } },
	{ "**", FTRACE_MATCH_MIDDLE, { "x", "" } },
	{ "a*b", FTRACE_MATCH_GLOB, { "ab", "axxb" }, { "abc", "xab" } },
	{ "*a*b", FTRACE_MATCH_GLOB, { "ab", "xaxb" }, { "abc" } },
	{ "a*b*", FTRACE_MATCH_GLOB, { "ab", "axbx" }, { "xab" } },
	{ "a?c", FTRACE_MATCH_GLOB, { "abc" }, { "ac", "abbc" } },
	{ "a[bc]d", FTRACE_MATCH_GLOB, { "abd", "acd" }, { "aed", "ad" } },
	{ "a[!b]d", FTRACE_MATCH_GLOB, { "acd" }, { "abd" } },
	{ "*[ab]", FTRACE_MATCH_GLOB, { "xa", "b" }, { "c", "ax" } },
	{ "a\\*", FTRACE_MATCH_GLOB, { "a*" }, { "ab", "a" } },
	{ "_1abc", FTRACE_MATCH_FULL, { "_1abc" }, { "1abc" } },
};

static void kinds_mean_what_they_say(struct kunit *test)
{
	for (u32 i = 0; i < ARRAY_SIZE(patterns); i++) {
		const struct pattern *p = &patterns[i];
		struct ftrace_match m;

		KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, p->text, strlen(p->text)), 0);
		KUNIT_EXPECT_EQ_MSG(test, m.kind, p->kind, "%s", p->text);
		KUNIT_EXPECT_FALSE(test, m.not);
		for (u32 k = 0; k < ARRAY_SIZE(p->yes); k++) {
			if (p->yes[k])
				KUNIT_EXPECT_TRUE_MSG(test, ftrace_match(&m, p->yes[k]),
						      "%s: %s", p->text, p->yes[k]);
			if (p->no[k])
				KUNIT_EXPECT_FALSE_MSG(test, ftrace_match(&m, p->no[k]),
						       "%s: %s", p->text, p->no[k]);
		}
	}
}

static void a_file_is_behind_a_name_or_stars_at_its_ends(struct kunit *test)
{
	static const struct {
		const char *text, *in;
		enum ftrace_where where;
		enum ftrace_match_kind kind;
		const char *yes, *no;
	} words[] = {
		{ "vfs_*:file:fs/*", "fs/*", FTRACE_IN_FILE, FTRACE_MATCH_FRONT, "vfs_x", "fs" },
		{ "a:dir:mm/", "mm/", FTRACE_IN_DIR, FTRACE_MATCH_FULL, "a", "a:dir:mm/" },
		{ "*a:dir:mm", "mm", FTRACE_IN_DIR, FTRACE_MATCH_END, "ba", "ab" },
		{ "*:file:", "", FTRACE_IN_FILE, FTRACE_MATCH_ALL, "a", NULL },
		{ "*a*:file:b:c", "b:c", FTRACE_IN_FILE, FTRACE_MATCH_MIDDLE, "bac", "b" },
		{ "*64_a:file:b", "b", FTRACE_IN_FILE, FTRACE_MATCH_END, "x64_a", "64_a_" },
	};
	static const char *const wrong[] = { "a*b:file:c", "a?:dir:c", "12:file:c" };
	struct ftrace_match m;

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		const char *text = words[i].text;

		KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, text, strlen(text)), 0);
		KUNIT_EXPECT_STREQ(test, m.in, words[i].in);
		KUNIT_EXPECT_EQ(test, m.where, words[i].where);
		KUNIT_EXPECT_EQ_MSG(test, m.kind, words[i].kind, "%s", text);
		KUNIT_EXPECT_TRUE(test, ftrace_match(&m, words[i].yes));
		if (words[i].no)
			KUNIT_EXPECT_FALSE(test, ftrace_match(&m, words[i].no));
	}
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		KUNIT_EXPECT_EQ_MSG(test, ftrace_match_parse(&m, wrong[i], strlen(wrong[i])),
				    -EINVAL, "%s", wrong[i]);
	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "a*b", 3), 0);
	KUNIT_EXPECT_NULL(test, m.in);
}

static void bang_is_told_and_left_to_the_caller(struct kunit *test)
{
	struct ftrace_match m;

	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "!a*", 3), 0);
	KUNIT_EXPECT_TRUE(test, m.not);
	KUNIT_EXPECT_EQ(test, m.kind, FTRACE_MATCH_FRONT);
	KUNIT_EXPECT_TRUE(test, ftrace_match(&m, "ab"));

	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "!", 1), 0);
	KUNIT_EXPECT_TRUE(test, m.not);
	KUNIT_EXPECT_EQ(test, m.kind, FTRACE_MATCH_ALL);
}

static void digits_are_a_line(struct kunit *test)
{
	struct ftrace_match m;

	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "123", 3), 0);
	KUNIT_EXPECT_EQ(test, m.kind, FTRACE_MATCH_INDEX);
	KUNIT_EXPECT_EQ(test, m.index, 123);
	KUNIT_EXPECT_FALSE(test, ftrace_match(&m, "123"));

	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "!0x7b", 5), 0);
	KUNIT_EXPECT_EQ(test, m.kind, FTRACE_MATCH_INDEX);
	KUNIT_EXPECT_EQ(test, m.index, 123);
	KUNIT_EXPECT_TRUE(test, m.not);
}

static void einval_not_a_line(struct kunit *test)
{
	static const char * const bad[] = {
		"0", "0x0", "1abc", "1*", "0x", "12 3", "99999999999999999999999", "1.5",
	};
	struct ftrace_match m;

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, ftrace_match_parse(&m, bad[i], strlen(bad[i])),
				    -EINVAL, "%s", bad[i]);
}

static void names_may_begin_with_a_digit(struct kunit *test)
{
	struct ftrace_match m;

	ftrace_match_parse_name(&m, "9p", 2);
	KUNIT_EXPECT_EQ(test, m.kind, FTRACE_MATCH_FULL);
	KUNIT_EXPECT_TRUE(test, ftrace_match(&m, "9p"));
	ftrace_match_parse_name(&m, "!8250*", 6);
	KUNIT_EXPECT_TRUE(test, m.not);
	KUNIT_EXPECT_TRUE(test, ftrace_match(&m, "8250_pci"));
	KUNIT_EXPECT_FALSE(test, ftrace_match(&m, "825"));
}

static void names_may_have_a_place(struct kunit *test)
{
	static const char * const bad[] = {
		":at:1", "!:at:1", "a*:at:1", "*a:at:1", "*a*:at:1", "a?b:at:1", "a [b]:at:1",
	};
	struct ftrace_match m;

	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "!ab:at:x+1", 10), 0);
	KUNIT_EXPECT_TRUE(test, m.not);
	KUNIT_EXPECT_STREQ(test, m.at, "x+1");
	KUNIT_EXPECT_TRUE(test, ftrace_match(&m, "ab"));
	KUNIT_EXPECT_FALSE(test, ftrace_match(&m, "a"));
	KUNIT_EXPECT_FALSE(test, ftrace_match(&m, "abc"));
	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "*:at:", 5), 0);
	KUNIT_EXPECT_STREQ(test, m.at, "");
	KUNIT_EXPECT_TRUE(test, ftrace_match(&m, "abc"));
	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, "ab:a", 4), 0);
	KUNIT_EXPECT_NULL(test, m.at);

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, ftrace_match_parse(&m, bad[i], strlen(bad[i])),
				    -EINVAL, "%s", bad[i]);
}

/* The caller's text may be a literal. */
static void text_is_not_written_to(struct kunit *test)
{
	static const char text[] = "!*lock*";
	char copy[sizeof(text)];
	struct ftrace_match m;

	memcpy(copy, text, sizeof(text));
	KUNIT_ASSERT_EQ(test, ftrace_match_parse(&m, copy, strlen(copy)), 0);
	ftrace_match(&m, "spin_lock");
	KUNIT_EXPECT_EQ(test, memcmp(copy, text, sizeof(text)), 0);
	KUNIT_EXPECT_TRUE(test, m.text >= copy && m.text + m.len <= copy + strlen(text));
}

static struct kunit_case match_cases[] = {
	KUNIT_CASE(kinds_mean_what_they_say),
	KUNIT_CASE(a_file_is_behind_a_name_or_stars_at_its_ends),
	KUNIT_CASE(bang_is_told_and_left_to_the_caller),
	KUNIT_CASE(digits_are_a_line),
	KUNIT_CASE(einval_not_a_line),
	KUNIT_CASE(names_may_begin_with_a_digit),
	KUNIT_CASE(names_may_have_a_place),
	KUNIT_CASE(text_is_not_written_to),
	{}
};

static struct kunit_suite match_suite = {
	.name = "ftrace_match",
	.test_cases = match_cases,
};

kunit_test_suite(match_suite);
