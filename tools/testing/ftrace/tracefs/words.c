// SPDX-License-Identifier: GPL-2.0
/*
 * Words as they are written: in any pieces, and cut into name, module, place and
 * command.
 */
#include "words.h"

static void modules_are_cut_out(struct kunit *test)
{
	static const struct {
		const char *text, *rest, *module;
	} words[] = {
		{ "foo", "foo", NULL },
		{ "foo:at:bar+4", "foo:at:bar+4", NULL },
		{ "foo [mod", "foo [mod", NULL },
		{ "foo [mod]", "foo", "mod" },
		{ "!foo [mod]:at:mod+0x40", "!foo:at:mod+0x40", "mod" },
		{ "foo [mod]:at:", "foo:at:", "mod" },
		/* Too long by one letter. */
		{ "foo [abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123]", "foo", "" },
		{ "foo [abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012]", "foo",
		  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012" },
		{ "foo []", "foo", "" },
		{ "foo [mod]x", "foo", "" },
		{ "foo [mod]:traceoff", "foo", "" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		char text[FTRACE_WORD_MAX], *module;

		/* No NUL may be there by chance. */
		memset(text, 'x', sizeof(text));
		strcpy(text, words[i].text);
		module = ftrace_word_module(text);
		KUNIT_EXPECT_STREQ(test, text, words[i].rest);
		KUNIT_EXPECT_EQ(test, !module, !words[i].module);
		if (module && words[i].module)
			KUNIT_EXPECT_STREQ(test, module, words[i].module);
	}
}

static void places_are_no_commands(struct kunit *test)
{
	static const struct {
		const char *text, *command;
	} words[] = {
		{ "foo", NULL }, { "foo:at:bar+4", NULL }, { "foo [mod]:at:1", NULL },
		{ "foo:", ":" }, { "foo:traceoff:3", ":traceoff:3" }, { "foo:att:3", ":att:3" },
		{ "foo:at:bar+4:traceoff", ":traceoff" }, { "foo [mod]:at:1:mod:x", ":mod:x" },
		{ "foo:traceoff:at:3", ":traceoff:at:3" }, { "foo:at:", NULL }, { "foo:at", ":at" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		const char *command = ftrace_word_command((char *)words[i].text);

		KUNIT_EXPECT_EQ(test, !command, !words[i].command);
		if (command && words[i].command)
			KUNIT_EXPECT_STREQ(test, command, words[i].command);
	}
}

static void two_words_are_no_module(struct kunit *test)
{
	static const struct {
		const char *text, *second;
	} words[] = {
		{ "foo", NULL }, { "foo [mod]", NULL }, { "foo [mod]:at:1", NULL },
		{ "foo [mod]:traceoff", NULL }, { "foo [ab]c*", "[ab]c*" }, { "foo [a", "[a" },
		{ "!foo [ab]c*:traceoff", "[ab]c*:traceoff" },
	};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		char text[40];
		const char *second;

		strcpy(text, words[i].text);
		second = ftrace_word_second(text);
		KUNIT_EXPECT_EQ(test, !second, !words[i].second);
		if (second && words[i].second)
			KUNIT_EXPECT_STREQ(test, second, words[i].second);
		KUNIT_EXPECT_EQ(test, strlen(text),
				strlen(words[i].text) - (second ? strlen(second) + 1 : 0));
	}
}

static void words_come_in_any_pieces(struct kunit *test)
{
	static const char text[] = "foo  [mod]:at:mod+0x4:traceoff bar:at:1\n# a b\n!x [m] y\n";
	static const char * const words[] = {
		"foo [mod]:at:mod+0x4:traceoff", "bar:at:1", "# a b", "!x [m]", "y",
	};

	for (size_t size = 1; size <= sizeof(text); size++) {
		struct ftrace_word word = { };
		size_t done = 0, nr = 0;
		loff_t pos = 0;
		bool whole;

		/* A name and its blank at the end of a write are a word; it may go on. */
		while (text[done]) {
			const size_t left = min(size, strlen(text + done));
			ssize_t taken = ftrace_word_read(&word, text + done, left, &pos, &whole);

			KUNIT_EXPECT_GT(test, taken, 0);
			if (taken <= 0)
				break;
			done += taken;
			pos += taken;
			if (!whole)
				continue;
			if (word.cut) {
				/* As the draft does, if no module follows. */
				const size_t gap = strspn(text + done, " \t");

				if (text[done + gap] == '[')
					continue;
				word.cut = 0;
			}
			KUNIT_EXPECT_GT(test, ARRAY_SIZE(words), nr);
			if (nr < ARRAY_SIZE(words))
				KUNIT_EXPECT_STREQ(test, word.text, words[nr]);
			nr++;
			word.len = 0;
		}
		KUNIT_EXPECT_EQ(test, nr, ARRAY_SIZE(words));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(modules_are_cut_out),
	KUNIT_CASE(places_are_no_commands),
	KUNIT_CASE(two_words_are_no_module),
	KUNIT_CASE(words_come_in_any_pieces),
	{ }
};

static struct kunit_suite suite = { .name = "words", .test_cases = cases };
kunit_test_suite(suite);
