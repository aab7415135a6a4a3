// SPDX-License-Identifier: GPL-2.0
/*
 * Texts whose sites are discovered at run time, compared with an array that says which
 * addresses have a site. As in site_kunit.c, the table is the kernel's, with texts
 * at addresses where there is none, under ftrace_lock all the time.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <asm/ftrace.h>
#include "../sites/names.h"
#include "../sites/discovered.h"
#include "model.h"

#define TEXT	0x100000UL
#define SIZE	0x20000UL
#define STATE	FTRACE_SITE_ARMED
#define NONE	FTRACE_NO_SITE

struct world {
	struct kunit		*test;
	u64			dice;
	struct ftrace_discovered	*text;
	struct ftrace_site_block *before, *after;	/* whose sites are recorded */
	u32			nr;			/* number of sites found */
	u32			number[SIZE];		/* of the site at this offset, or NONE */
	u32			batch[4096];
};

static struct ftrace_site_block *recorded(struct kunit *test, unsigned long start)
{
	unsigned long ips[] = { start, start + 16, start + 32 };
	struct ftrace_site_block *b;

	b = ftrace_site_block_make(NULL, false, ips, 3, start, start + 64, 0);
	if (IS_ERR_OR_NULL(b) || ftrace_site_block_publish(b)) {
		KUNIT_FAIL(test, "no memory");
		return NULL;
	}
	return b;
}

static struct world *begin(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->test = test;
	w->dice = 5;
	for (u32 offset = 0; offset < SIZE; offset++)
		w->number[offset] = NONE;

	mutex_lock(&ftrace_lock);
	w->before = recorded(test, TEXT - 64);
	w->text = ftrace_discovered_add(NULL, false, TEXT, TEXT + SIZE);
	KUNIT_EXPECT_NOT_NULL(test, w->text);
	if (w->text)
		w->text->ready = true;
	w->after = recorded(test, TEXT + SIZE);
	return w;
}

static void remove_text(struct ftrace_discovered *text)
{
	struct ftrace_site_block *b, *next;

	ftrace_discovered_forget(text);
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		if (b->text != text)
			continue;
		ftrace_names_free(b);
		ftrace_site_block_withdraw(b);
	}
}

static void end(struct world *w)
{
	if (w->text)
		remove_text(w->text);
	if (w->before)
		ftrace_site_block_withdraw(w->before);
	if (w->after)
		ftrace_site_block_withdraw(w->after);
	mutex_unlock(&ftrace_lock);
}

/* Whether a site at @offset would overlap one that is there, or in the batch. */
static bool is_taken(const struct world *w, u32 offset, u32 nr)
{
	for (u32 k = 0; k < 2 * MCOUNT_INSN_SIZE - 1; k++) {
		const u32 at = offset + k - (MCOUNT_INSN_SIZE - 1);

		if (at < SIZE && w->number[at] != NONE)
			return true;
	}
	return nr && offset < w->batch[nr - 1] + MCOUNT_INSN_SIZE;
}

/* Up to @nr sites at random, in ascending order. */
static u32 fill_batch(struct world *w, u32 nr)
{
	const u32 step = SIZE / nr;
	u32 offset = 0, n = 0;

	for (;;) {
		offset += 1 + dice(&w->dice, 2 * step);
		if (n == nr || offset > SIZE - MCOUNT_INSN_SIZE)
			return n;
		if (!is_taken(w, offset, n))
			w->batch[n++] = offset;
	}
}

/* Enter those sites of the batch into the model that were added: the first @nr must be. */
static void enter_batch(struct world *w, u32 n, u32 nr)
{
	for (u32 k = 0; k < n; k++) {
		struct ftrace_site_block *b;
		u32 i;

		b = ftrace_site_find_exact(TEXT + w->batch[k], &i);
		if (k < nr)
			KUNIT_EXPECT_NOT_NULL(w->test, b);
		if (!b)
			continue;
		KUNIT_EXPECT_EQ(w->test, b->sites[i].state, STATE);
		w->number[w->batch[k]] = ftrace_site_nr(b, i);
		w->nr++;
	}
}

static void add(struct world *w, u32 nr)
{
	const u32 n = fill_batch(w, nr);

	KUNIT_EXPECT_EQ(w->test, ftrace_discovered_add_sites(w->text, w->batch, n, STATE), 0);
	enter_batch(w, n, n);
}

/* Sites before the text, in it and after it still have their first numbers. */
static void check(struct world *w)
{
	struct ftrace_site_block *b, *next;
	unsigned long ip, covered = 0;
	u32 i, k, nr = 0;

	for (u32 offset = 0; offset < SIZE; offset++) {
		const u32 number = w->number[offset];

		ip = TEXT + offset;
		if (number != NONE)
			covered = ip + MCOUNT_INSN_SIZE;
		b = ftrace_site_find(ip, &i);
		if (b ? ip >= covered : ip < covered)
			break;
		b = ftrace_site_find_exact(ip, &i);
		if (b ? number == NONE : number != NONE)
			break;
		if (!b)
			continue;
		nr++;
		if (ftrace_site_nr(b, i) != number || ftrace_site_ip(b, i) != ip ||
		    ftrace_site_by_nr(number, &k) != b || k != i)
			break;
	}
	KUNIT_EXPECT_EQ(w->test, ip, TEXT + SIZE - 1);
	KUNIT_EXPECT_EQ(w->test, nr, w->nr);

	/* In the order of addresses. */
	nr = 0;
	covered = 0;
	for (b = ftrace_site_from(w->text->head, TEXT, &i); b;
	     b = ftrace_site_from(w->text->head, covered + 1, &i)) {
		KUNIT_EXPECT_GT(w->test, ftrace_site_ip(b, i), covered);
		covered = ftrace_site_ip(b, i);
		if (w->number[covered - TEXT] != ftrace_site_nr(b, i))
			break;
		nr++;
	}
	KUNIT_EXPECT_EQ(w->test, nr, w->nr);

	/* Its blocks follow each other; only the first stands for the text. */
	nr = 0;
	for (b = w->text->head; !list_entry_is_head(b, &ftrace_site_blocks, list) &&
	     b->text == w->text; b = next) {
		next = list_next_entry(b, list);
		KUNIT_EXPECT_EQ(w->test, ftrace_site_block_leads(b), b == w->text->head);
		nr += b->nr;
	}
	KUNIT_EXPECT_EQ(w->test, nr, w->nr);

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(w->test, ftrace_site_find(TEXT - 64 + 16 * i + 4, &k),
				    w->before);
		KUNIT_EXPECT_EQ(w->test, k, i);
		KUNIT_EXPECT_PTR_EQ(w->test, ftrace_site_find(TEXT + SIZE + 16 * i, &k),
				    w->after);
		KUNIT_EXPECT_EQ(w->test, k, i);
	}
}

static void discovered_sites_keep_their_numbers(struct kunit *test)
{
	struct world *w = begin(test);
	const unsigned long total = ftrace_update_tot_cnt;

	check(w);
	add(w, 1);
	check(w);
	add(w, 100);
	check(w);
	/* More than the first two blocks have room for. */
	for (u32 k = 0; k < 10; k++)
		add(w, 1500);
	check(w);
	KUNIT_EXPECT_GT(test, w->nr, 8000);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, total + w->nr);
	end(w);
}

/* Sites are not found in the order of addresses: a range must give the lowest one. */
static void ranges_find_the_first_discovered_site(struct kunit *test)
{
	struct world *w = begin(test);
	u32 i, expected;

	add(w, 300);
	add(w, 300);
	for (u32 n = 0; n < 5000; n++) {
		const u32 start = dice(&w->dice, SIZE - 3000);
		const u32 end = start + dice(&w->dice, n % 2 ? 3000 : 10);
		struct ftrace_site_block *b;

		expected = NONE;
		for (u32 at = start < 4 ? 0 : start - 4; at <= end && expected == NONE; at++)
			expected = w->number[at];
		b = ftrace_site_find_range(TEXT + start, TEXT + end, &i);
		KUNIT_EXPECT_EQ(test, b ? ftrace_site_nr(b, i) : NONE, expected);
	}
	/* Ranges over the end of the text into the block after it, and from the one before. */
	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_find_range(TEXT + SIZE - 1, TEXT + SIZE, &i),
			    w->after);
	KUNIT_EXPECT_NOT_NULL(test, ftrace_site_find_range(TEXT - 16, TEXT + SIZE, &i));
	end(w);
}

static void empty_text_hides_nothing(struct kunit *test)
{
	struct world *w = begin(test);
	u32 i;

	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_find_range(TEXT - 16, TEXT + SIZE, &i), w->after);
	KUNIT_EXPECT_EQ(test, i, 0);
	KUNIT_EXPECT_NULL(test, ftrace_site_find_range(TEXT, TEXT + SIZE - 1, &i));
	KUNIT_EXPECT_NULL(test, ftrace_site_find(TEXT, &i));
	KUNIT_EXPECT_NULL(test, ftrace_site_from(w->text->head, TEXT, &i));
	KUNIT_EXPECT_NULL(test, ftrace_site_by_nr(w->text->head->first, &i));
	end(w);
}

/* Numbers are reserved for sites to come: nobody else gets them. */
static void reserved_numbers_are_not_given_twice(struct kunit *test)
{
	struct world *w = begin(test);
	struct ftrace_site_block *b;

	add(w, 10);
	b = recorded(test, TEXT + 2 * SIZE);
	if (b) {
		KUNIT_EXPECT_TRUE(test, b->first + b->nr <= w->text->head->first ||
				  b->first >= w->text->head->first + w->text->head->room);
		KUNIT_EXPECT_GE(test, ftrace_site_end(),
				w->text->head->first + w->text->head->room);
		add(w, 1000);
		check(w);
		ftrace_site_block_withdraw(b);
	}
	end(w);
}

static void generation_says_that_sites_were_added(struct kunit *test)
{
	struct world *w = begin(test);
	const u64 generation = ftrace_site_generation;

	add(w, 10);
	KUNIT_EXPECT_GT(test, ftrace_site_generation, generation);
	end(w);
}

/* Another text in the same range has nothing of the one before. */
static void text_that_goes_takes_its_sites_along(struct kunit *test)
{
	struct world *w = begin(test);
	const unsigned long groups = ftrace_number_of_groups;
	/* A pointer that is only compared. */
	struct module *const mod = (struct module *)w;
	struct ftrace_discovered *other;
	u32 i;

	add(w, 3000);
	add(w, 3000);
	KUNIT_EXPECT_GT(test, ftrace_number_of_groups, groups);
	remove_text(w->text);
	KUNIT_EXPECT_EQ(test, ftrace_number_of_groups, groups - 1);
	KUNIT_EXPECT_NULL(test, ftrace_site_find_range(TEXT, TEXT + SIZE - 1, &i));

	w->text = ftrace_discovered_add(NULL, false, TEXT, TEXT + SIZE);
	KUNIT_EXPECT_NOT_NULL(test, w->text);
	if (w->text) {
		w->nr = 0;
		for (u32 offset = 0; offset < SIZE; offset++)
			w->number[offset] = NONE;
		check(w);
		add(w, 300);
		check(w);
	}

	other = ftrace_discovered_add(mod, true, TEXT + 2 * SIZE, TEXT + 3 * SIZE);
	KUNIT_EXPECT_NOT_NULL(test, other);
	if (other) {
		KUNIT_EXPECT_PTR_EQ(test, other->head->mod, mod);
		KUNIT_EXPECT_TRUE(test, other->head->init && other->head->leads);
		remove_text(other);
	}
	end(w);
}

static struct kunit_case texts_cases[] = {
	KUNIT_CASE(discovered_sites_keep_their_numbers),
	KUNIT_CASE(ranges_find_the_first_discovered_site),
	KUNIT_CASE(empty_text_hides_nothing),
	KUNIT_CASE(reserved_numbers_are_not_given_twice),
	KUNIT_CASE(generation_says_that_sites_were_added),
	KUNIT_CASE(text_that_goes_takes_its_sites_along),
	{}
};

static struct kunit_suite texts_suite = {
	.name = "ftrace_discovered",
	.test_cases = texts_cases,
};

kunit_test_suite(texts_suite);
