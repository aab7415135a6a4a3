// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by file, over a table as recordmcount and the linker leave it.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#define CONFIG_FTRACE_FUNCTION_FILES	1

#include "sites/files.c"

#define TEXT	0x100000UL
#define APART	16		/* bytes from one site to the next */
#define SITES	40		/* of the kernel */
#define MORE	12		/* of a module, the last four in init text that is gone */
#define AT(n)	(TEXT + APART * (n))

/* Entries with strings of one word to three. */
struct entry_1 {
	unsigned long start, end;
	char s[8];
};

struct entry_2 {
	unsigned long start, end;
	char s[16];
};

struct entry_3 {
	unsigned long start, end;
	char s[24];
};

/*
 * In no order, and one without sites. The linker gives the section's begin and end the
 * names that they have in a kernel.
 */
static const struct {
	struct entry_2 open;
	struct entry_1 also_open;
	struct entry_3 inode, super;
	struct entry_2 tail;
	struct entry_1 a;
	struct entry_2 none;
} table __used __section("mcount_files") = {
	.open		= { AT(0), AT(4), "fs/open\0open" },
	.also_open	= { AT(20), AT(22), "" },
	.inode		= { AT(4), AT(8), "fs/ext4/inode\0ext4" },
	.super		= { AT(8), AT(12), "fs/ext4/super\0ext4" },
	.tail		= { AT(16), AT(17) - 1, "mm/tail\0tail" },
	.a		= { AT(12), AT(16), "fsx/a\0a" },
	.none		= { AT(18), AT(18), "mm/none\0none" },
};

static struct {
	struct entry_2 drv, lib;
	struct entry_1 init;
} module_table = {
	.drv		= { AT(SITES), AT(SITES + 4), "drv/mod/drv\0mod" },
	.lib		= { AT(SITES + 4), AT(SITES + 8), "fs/lib\0mod" },
	.init		= { AT(SITES + 8), AT(SITES + MORE), "" },
};

static struct module mod = {
	.ftrace_files		= (unsigned long *)&module_table,
	.num_ftrace_files	= sizeof(module_table) / sizeof(long),
};

struct range {
	u32 first, nr;
};

static const struct {
	enum ftrace_where where;
	const char *in;
	struct range wanted[3];
} words[] = {
	{ FTRACE_IN_FILE, "fs/open.c", { { 0, 4 }, { 20, 2 } } },
	{ FTRACE_IN_FILE, "fs/ext4/*.c", { { 4, 8 } } },
	{ FTRACE_IN_FILE, "*super*", { { 8, 4 } } },
	{ FTRACE_IN_FILE, "*", { { 0, 17 }, { 20, 2 }, { 40, 8 } } },
	{ FTRACE_IN_FILE, "drv/*", { { 40, 4 } } },
	{ FTRACE_IN_FILE, "*/lib.c", { { 44, 4 } } },
	{ FTRACE_IN_FILE, "mm/tail.c", { { 16, 1 } } },
	{ FTRACE_IN_FILE, "fs/open", { } },
	{ FTRACE_IN_FILE, "", { } },
	{ FTRACE_IN_DIR, "fs", { { 0, 12 }, { 20, 2 }, { 44, 4 } } },
	{ FTRACE_IN_DIR, "fs/", { { 0, 12 }, { 20, 2 }, { 44, 4 } } },
	{ FTRACE_IN_DIR, "drv/mod", { { 40, 4 } } },
	{ FTRACE_IN_DIR, "fs/ext4", { { 4, 8 } } },
	{ FTRACE_IN_DIR, "fs/e", { } },
	{ FTRACE_IN_DIR, "fs/open", { } },
	{ FTRACE_IN_DIR, "fs*", { } },
	{ FTRACE_IN_DIR, "", { } },
	{ FTRACE_IN_MODULE, "ext4", { { 4, 8 } } },
	{ FTRACE_IN_MODULE, "[ao]", { { 12, 4 } } },
	{ FTRACE_IN_MODULE, "o*", { { 0, 4 }, { 20, 2 } } },
	{ FTRACE_IN_MODULE, "ext", { } },
	{ FTRACE_IN_MODULE, "mod", { } },
};

static bool is_wanted(size_t word, u32 i)
{
	for (u32 k = 0; k < 3; k++)
		if (i - words[word].wanted[k].first < words[word].wanted[k].nr)
			return true;
	return false;
}

/*
 * Two blocks of the kernel, as its text has more than one place with call sites; the
 * module's; and another module's, where the init text of the first one was.
 */
static struct module other;
static struct ftrace_site_block *blocks[4];

static const struct {
	u32 first, end;
	struct module *mod;
} parts[4] = {
	{ 0, 10 }, { 10, SITES }, { SITES, SITES + 8, &mod }, { SITES + 8, SITES + MORE, &other },
};

static void setup(struct kunit *test)
{
	unsigned long ips[SITES + MORE];

	for (u32 i = 0; i < SITES + MORE; i++)
		ips[i] = AT(i);
	mutex_lock(&ftrace_lock);
	for (u32 k = 0; k < ARRAY_SIZE(parts); k++) {
		const u32 first = parts[k].first, end = parts[k].end;

		blocks[k] = ftrace_site_block_make(parts[k].mod, false, ips + first, end - first,
						   AT(first), AT(end), 0);
		KUNIT_ASSERT_EQ(test, ftrace_site_block_publish(blocks[k]), 0);
	}
	memset(&left, 0, sizeof(left));
	memset(&last, 0, sizeof(last));
}

static void teardown(struct kunit *test)
{
	for (u32 k = 0; k < ARRAY_SIZE(parts); k++)
		ftrace_site_block_withdraw(blocks[k]);
	mutex_unlock(&ftrace_lock);
}

static u32 part_of(u32 i)
{
	u32 k = 0;

	while (i >= parts[k].end)
		k++;
	return k;
}

static u32 nr_of(u32 i)
{
	return ftrace_site_nr(blocks[part_of(i)], i - parts[part_of(i)].first);
}

static void a_word_keeps_what_is_where_it_asks(struct kunit *test)
{
	setup(test);
	for (size_t w = 0; w < ARRAY_SIZE(words); w++) {
		const struct ftrace_match m = { .in = words[w].in, .where = words[w].where };
		struct ftrace_siteset_builder found = { };
		size_t n = 1;

		/* One that was found before stays; every third one was not found. */
		KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&found, nr_of(39)), 0);
		for (u32 i = 0; i < SITES + MORE; i++)
			if (i % 3)
				KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&found, nr_of(i)), 0);
		KUNIT_EXPECT_EQ(test, ftrace_files_keep(&m, &found, 1), 0);
		KUNIT_EXPECT_EQ(test, found.nrs[0], nr_of(39));
		for (u32 i = 0; i < SITES + MORE; i++)
			if (i % 3 && is_wanted(w, i))
				KUNIT_EXPECT_TRUE(test, n < found.n && found.nrs[n++] == nr_of(i));
		KUNIT_EXPECT_EQ(test, found.n, n);
		KUNIT_EXPECT_EQ(test, ftrace_files_any(&m), n > 1);
		ftrace_siteset_drop(&found);
	}
	teardown(test);
}

static void enomem_keeps_all(struct kunit *test)
{
	const struct ftrace_match m = { .in = "none", .where = FTRACE_IN_FILE };
	struct ftrace_siteset_builder found = { };

	setup(test);
	KUNIT_ASSERT_EQ(test, ftrace_siteset_add(&found, nr_of(3)), 0);
	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, ftrace_files_keep(&m, &found, 0), -ENOMEM);
	shim_fail_in = 0;
	KUNIT_EXPECT_EQ(test, found.n, 1);
	ftrace_siteset_drop(&found);
	teardown(test);
}

static void expect_path(struct kunit *test, u32 i)
{
	const char *path = ftrace_files_path(blocks[part_of(i)], AT(i)), *wanted = NULL;

	if (i < 4 || i == 20 || i == 21)
		wanted = "fs/open";
	else if (i < 17)
		wanted = i < 8 ? "fs/ext4/inode" : i < 12 ? "fs/ext4/super" : i < 16 ? "fsx/a" :
			 "mm/tail";
	else if (i >= SITES && i < SITES + 8)
		wanted = i < SITES + 4 ? "drv/mod/drv" : "fs/lib";
	KUNIT_EXPECT_EQ(test, !path, !wanted);
	if (path && wanted)
		KUNIT_EXPECT_STREQ(test, path, wanted);
}

static void each_function_has_its_file_in_any_order(struct kunit *test)
{
	setup(test);
	for (u32 i = 0; i < SITES + MORE; i++)
		expect_path(test, i);
	for (u32 i = SITES + MORE; i--; )
		expect_path(test, i);
	for (u32 i = 0; i < 50 * 50; i++) {
		expect_path(test, i % 50);
		expect_path(test, i / 50);
	}
	teardown(test);
}

static struct kunit_case files_cases[] = {
	KUNIT_CASE(a_word_keeps_what_is_where_it_asks),
	KUNIT_CASE(enomem_keeps_all),
	KUNIT_CASE(each_function_has_its_file_in_any_order),
	{}
};

static struct kunit_suite files_suite = {
	.name		= "ftrace_files",
	.test_cases	= files_cases,
};

kunit_test_suite(files_suite);
