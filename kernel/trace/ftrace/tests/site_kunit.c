// SPDX-License-Identifier: GPL-2.0
/*
 * The table of call sites. In the kernel it is the real table, with test blocks
 * among its blocks: at addresses without text, and under ftrace_lock all the
 * time, so that no other user of the table sees them.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <asm/ftrace.h>
#include "../sites/site.h"
#include "../sites/targets.h"
#include "model.h"

#define TEXT	0x100000UL
#define ROOM	0x100000UL
#define STATE	FTRACE_SITE_TOUCHED

/*
 * A failed assertion would end the thread with the lock held: the cases return
 * instead.
 */
#define CHECK(test, cond)						\
do {									\
	if (!(cond)) {							\
		KUNIT_FAIL(test, "%s", #cond);				\
		return;							\
	}								\
} while (0)

static void run_locked(struct kunit *test, void (*body)(struct kunit *test))
{
	struct ftrace_site_block *b, *next;

	guard(mutex)(&ftrace_lock);
	body(test);
	/* Remove the blocks that the case has left. */
	list_for_each_entry_safe(b, next, &ftrace_site_blocks, list) {
		if (b->end <= TEXT + 64 * ROOM)
			ftrace_site_block_withdraw(b);
	}
}

#define LOCKED_CASE(name)						\
static void name##_locked(struct kunit *test);				\
static void name(struct kunit *test)					\
{									\
	run_locked(test, name##_locked);				\
}									\
static void name##_locked(struct kunit *test)

/* A block of sites at @ips, which become what the build would have recorded for them. */
static struct ftrace_site_block *make_block(bool init, unsigned long *ips, size_t n,
					    unsigned long start, unsigned long end, u32 state)
{
	const unsigned long behind = ftrace_call_adjust(TEXT) - TEXT;

	for (size_t i = 0; i < n; i++)
		ips[i] -= behind;
	return ftrace_site_block_make(NULL, init, ips, n, start - behind, end - behind, state);
}

/* A block of @nr sites, 16 bytes from one to the next. */
static struct ftrace_site_block *add_block(struct kunit *test, unsigned long start, u32 nr)
{
	unsigned long *ips = kunit_kzalloc(test, nr * sizeof(*ips), GFP_KERNEL);
	struct ftrace_site_block *b;

	if (!ips)
		return NULL;
	for (u32 i = 0; i < nr; i++)
		ips[i] = start + 16 * i;
	b = make_block(false, ips, nr, start, start + ROOM, STATE);
	if (IS_ERR_OR_NULL(b))
		return NULL;
	if (ftrace_site_block_publish(b)) {
		ftrace_site_block_discard(b);
		return NULL;
	}
	return b;
}

LOCKED_CASE(make_sorts_and_leaves_out)
{
	unsigned long ips[] = {
		TEXT + 80, 0, TEXT - 1, TEXT + 16, TEXT + 16, TEXT + ROOM, TEXT, 7, TEXT + 80,
		TEXT + ROOM - 1, ~0UL,
	};
	struct ftrace_site_block *b;
	u32 i;

	b = make_block(true, ips, ARRAY_SIZE(ips), TEXT, TEXT + ROOM, STATE);
	CHECK(test, !IS_ERR_OR_NULL(b));
	CHECK(test, b->nr == 4);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, 0), TEXT);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, 1), TEXT + 16);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, 2), TEXT + 80);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, 3), TEXT + ROOM - 1);
	KUNIT_EXPECT_EQ(test, b->end, TEXT + ROOM - 1 + MCOUNT_INSN_SIZE);
	for (i = 0; i < b->nr; i++)
		KUNIT_EXPECT_EQ(test, b->sites[i].state, STATE);
	KUNIT_EXPECT_TRUE(test, b->init);

	/* The block is not published yet. */
	KUNIT_EXPECT_NULL(test, ftrace_site_find(TEXT, &i));
	ftrace_site_block_discard(b);
}

LOCKED_CASE(zeros_that_were_moved_are_left_out)
{
	/* Zeros, which stand for no function, as KASLR leaves them: with its offset added. */
	unsigned long ips[] = { 0x7000000, 0x7000000, TEXT, TEXT + 32 };
	struct ftrace_site_block *b;

	b = make_block(false, ips, ARRAY_SIZE(ips), TEXT, TEXT + ROOM, STATE);
	CHECK(test, !IS_ERR_OR_NULL(b));
	KUNIT_EXPECT_EQ(test, b->nr, 2);
	ftrace_site_block_discard(b);
}

LOCKED_CASE(no_address_no_block)
{
	unsigned long ips[] = { 0, TEXT - 1, TEXT + ROOM };

	KUNIT_EXPECT_NULL(test, make_block(false, ips, ARRAY_SIZE(ips), TEXT, TEXT + ROOM,
					   STATE));
	KUNIT_EXPECT_NULL(test, make_block(false, NULL, 0, TEXT, TEXT + ROOM, STATE));
}

LOCKED_CASE(each_byte_finds_its_site)
{
	struct ftrace_site_block *b = add_block(test, TEXT, 100);
	u32 i;

	CHECK(test, b);
	for (unsigned long ip = TEXT - 40; ip < TEXT + 100 * 16 + 40; ip++) {
		const unsigned long off = ip - TEXT;
		const bool in = ip >= TEXT && off < 1600 && off % 16 < MCOUNT_INSN_SIZE;

		i = ~0U;
		CHECK(test, ftrace_site_find(ip, &i) == (in ? b : NULL));
		if (in)
			CHECK(test, i == off / 16);
		CHECK(test, ftrace_site_find_exact(ip, &i) ==
			    (in && !(off % 16) ? b : NULL));
	}
	KUNIT_EXPECT_NULL(test, ftrace_site_find(0, &i));
	KUNIT_EXPECT_NULL(test, ftrace_site_find(~0UL, &i));
}

/* What ftrace_site_find_range() should find, by a search of all sites. */
static struct ftrace_site_block *first_touching(unsigned long start, unsigned long end, u32 *at)
{
	struct ftrace_site_block *b, *best = NULL;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (best && b->base > best->base)
			continue;
		for (u32 i = 0; i < b->nr; i++) {
			const unsigned long ip = ftrace_site_ip(b, i);

			if (ip > end)
				break;
			if (ip + MCOUNT_INSN_SIZE > start) {
				best = b;
				*at = i;
				break;
			}
		}
	}
	return best;
}

LOCKED_CASE(ranges_find_their_first_site)
{
	u64 state = 7;
	u32 i;

	/* Not in order of address. */
	add_block(test, TEXT + 4 * ROOM, 3);
	add_block(test, TEXT, 40);
	add_block(test, TEXT + 2 * ROOM, 1);
	add_block(test, TEXT + 1024, 5);

	for (u32 n = 0; n < 20000; n++) {
		const unsigned long start = TEXT - 50 + dice(&state, 2) * dice(&state, 5) * ROOM +
					    dice(&state, 1300);
		const unsigned long end = start + dice(&state, n % 3 ? 40 : 3 * ROOM);
		struct ftrace_site_block *b, *expected;
		u32 at = 0;

		i = 0;
		expected = first_touching(start, end, &at);
		b = ftrace_site_find_range(start, end, &i);
		CHECK(test, b == expected);
		if (b)
			CHECK(test, i == at);
	}
	KUNIT_EXPECT_NULL(test, ftrace_site_find_range(TEXT + 10, TEXT + 9, &i));
}

LOCKED_CASE(numbers_are_unique_and_come_again)
{
	const u32 end = ftrace_site_end();
	struct ftrace_site_block *a, *b, *c, *d;
	u32 first, i;

	a = add_block(test, TEXT, 10);
	b = add_block(test, TEXT + ROOM, 20);
	c = add_block(test, TEXT + 2 * ROOM, 30);
	CHECK(test, a && b && c);
	KUNIT_EXPECT_EQ(test, ftrace_site_end(), c->first + c->nr);

	for (u32 nr = a->first; nr < c->first + c->nr; nr++) {
		struct ftrace_site_block *of = ftrace_site_by_nr(nr, &i);

		CHECK(test, of);
		CHECK(test, ftrace_site_nr(of, i) == nr);
	}
	KUNIT_EXPECT_NULL(test, ftrace_site_by_nr(c->first + c->nr, &i));
	KUNIT_EXPECT_NULL(test, ftrace_site_by_nr(FTRACE_NO_SITE, &i));

	/* A gap in the numbers: a block of 21 sites does not fit into it, one of 20 does. */
	first = b->first;
	ftrace_site_block_withdraw(b);
	KUNIT_EXPECT_NULL(test, ftrace_site_by_nr(first, &i));
	d = add_block(test, TEXT + 3 * ROOM, 21);
	CHECK(test, d);
	KUNIT_EXPECT_NE(test, d->first, first);
	ftrace_site_block_withdraw(d);
	d = add_block(test, TEXT + 3 * ROOM, 20);
	CHECK(test, d);
	KUNIT_EXPECT_EQ(test, d->first, first);

	ftrace_site_block_withdraw(a);
	ftrace_site_block_withdraw(c);
	ftrace_site_block_withdraw(d);
	KUNIT_EXPECT_EQ(test, ftrace_site_end(), end);
}

LOCKED_CASE(blocks_are_listed_as_they_came)
{
	struct ftrace_site_block *a = add_block(test, TEXT + 9 * ROOM, 1);
	struct ftrace_site_block *b = add_block(test, TEXT, 1);

	CHECK(test, a && b);
	KUNIT_EXPECT_PTR_EQ(test, list_next_entry(a, list), b);
	KUNIT_EXPECT_TRUE(test, list_is_last(&b->list, &ftrace_site_blocks));
}

LOCKED_CASE(who_comes_and_goes_is_counted)
{
	const unsigned long sites = ftrace_update_tot_cnt, groups = ftrace_number_of_groups;
	const unsigned long pages = ftrace_number_of_pages;
	const u64 generation = ftrace_site_generation;
	struct ftrace_site_block *b = add_block(test, TEXT, 5000);

	CHECK(test, b);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, sites + 5000);
	KUNIT_EXPECT_EQ(test, ftrace_number_of_groups, groups + 1);
	/* A site takes 8 bytes and two bits. */
	KUNIT_EXPECT_LE(test, (ftrace_number_of_pages - pages) * PAGE_SIZE,
			5000 * 8 + 5000 / 4 + PAGE_SIZE);
	KUNIT_EXPECT_GT(test, ftrace_site_generation, generation);
	ftrace_site_block_withdraw(b);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, sites);
	KUNIT_EXPECT_EQ(test, ftrace_number_of_groups, groups);
	KUNIT_EXPECT_EQ(test, ftrace_number_of_pages, pages);
	KUNIT_EXPECT_GT(test, ftrace_site_generation, generation + 1);
}

/* More blocks than two pages of a table have room for: removing one cannot fail. */
LOCKED_CASE(many_blocks_come_and_go)
{
	u32 i;

	for (u32 k = 0; k < 1100; k++) {
		unsigned long ip = TEXT + k * 64;
		struct ftrace_site_block *b;

		b = make_block(false, &ip, 1, ip, ip + 64, STATE);
		CHECK(test, !IS_ERR_OR_NULL(b));
		CHECK(test, !ftrace_site_block_publish(b));
	}
	for (u32 k = 0; k < 1100; k++) {
		struct ftrace_site_block *b = ftrace_site_find_exact(TEXT + k * 64, &i);

		CHECK(test, b);
		ftrace_site_block_withdraw(b);
		CHECK(test, !ftrace_site_find_exact(TEXT + k * 64, &i));
	}
}

LOCKED_CASE(coming_is_not_ready)
{
	unsigned long ips[] = { TEXT, TEXT + 16 };
	struct ftrace_site_block *b;

	b = make_block(false, ips, 2, TEXT, TEXT + ROOM, FTRACE_SITE_COMING);
	CHECK(test, !IS_ERR_OR_NULL(b));
	KUNIT_EXPECT_FALSE(test, ftrace_site_block_ready(b));
	b->sites[0].state = FTRACE_SITE_DEAD;
	KUNIT_EXPECT_TRUE(test, ftrace_site_block_ready(b));
	ftrace_site_block_discard(b);
}

struct watch {
	struct ftrace_site_watcher watcher;
	u32 first, end, calls;
	bool found;
};

static void note_gone(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	struct watch *watch = container_of(w, struct watch, watcher);
	u32 i;

	watch->first = first;
	watch->end = end;
	watch->calls++;
	watch->found = ftrace_site_by_nr(first, &i);
}

LOCKED_CASE(watchers_hear_of_it_in_time)
{
	struct watch watch = { .watcher.gone = note_gone };
	struct ftrace_site_block *a = add_block(test, TEXT, 3);
	struct ftrace_site_block *b = add_block(test, TEXT + ROOM, 4);
	u32 first;

	CHECK(test, a && b);
	first = a->first;
	ftrace_site_watch(&watch.watcher);
	ftrace_site_block_withdraw(a);
	KUNIT_EXPECT_EQ(test, watch.calls, 1);
	KUNIT_EXPECT_EQ(test, watch.first, first);
	KUNIT_EXPECT_EQ(test, watch.end, first + 3);
	KUNIT_EXPECT_TRUE(test, watch.found);

	list_del(&watch.watcher.list);
	ftrace_site_block_withdraw(b);
}

LOCKED_CASE(withdrawn_sites_are_not_found)
{
	struct ftrace_site_block *blocks[20] = {};
	u64 state = 8;
	u32 i;

	/* Add and withdraw blocks at random; a block is found only in between. */
	for (u32 n = 0; n < 300; n++) {
		const u32 k = dice(&state, ARRAY_SIZE(blocks));

		if (blocks[k]) {
			ftrace_site_block_withdraw(blocks[k]);
			blocks[k] = NULL;
		} else {
			blocks[k] = add_block(test, TEXT + k * ROOM, 1 + dice(&state, 50));
			CHECK(test, blocks[k]);
		}
		for (u32 j = 0; j < ARRAY_SIZE(blocks); j++) {
			struct ftrace_site_block *b = blocks[j];

			CHECK(test, ftrace_site_find(TEXT + j * ROOM, &i) == b);
			if (!b)
				continue;
			CHECK(test, ftrace_site_by_nr(b->first + b->nr - 1, &i) == b);
			CHECK(test, i == b->nr - 1);
		}
	}
}

LOCKED_CASE(each_site_has_a_target_of_its_own)
{
	/* The first and the last of a page of targets, and sites around them. */
	static const u32 some[] = { 0, 1, 254, 255, 256, 257, 511, 512, 599 };
	struct ftrace_site_block *b = add_block(test, TEXT, 600), *c;

	c = add_block(test, TEXT + ROOM, 1);
	CHECK(test, b && c);
	for (u32 k = 0; k < ARRAY_SIZE(some); k++) {
		KUNIT_EXPECT_EQ(test, ftrace_target(b, some[k]), 0);
		CHECK(test, !ftrace_target_stage(b, some[k], 1000 + some[k]));
	}
	for (u32 i = 0; i < 600; i++) {
		bool in = false;

		for (u32 k = 0; k < ARRAY_SIZE(some); k++)
			in |= some[k] == i;
		KUNIT_EXPECT_EQ(test, ftrace_target(b, i), 0);
		KUNIT_EXPECT_EQ(test, ftrace_target_other(b, i), in ? 1000 + i : 0);
		ftrace_target_swap(b, i);
		ftrace_target_settle(b, i);
		KUNIT_EXPECT_EQ(test, ftrace_target(b, i), in ? 1000 + i : 0);
		KUNIT_EXPECT_EQ(test, ftrace_target_other(b, i), in ? 1000 + i : 0);
	}
	KUNIT_EXPECT_EQ(test, ftrace_target(c, 0), 0);
}

LOCKED_CASE(a_target_can_be_taken_back)
{
	struct ftrace_site_block *b = add_block(test, TEXT, 3);

	CHECK(test, b);
	CHECK(test, !ftrace_target_stage(b, 1, 16));
	ftrace_target_swap(b, 1);
	ftrace_target_settle(b, 1);

	/* Never put into force. */
	CHECK(test, !ftrace_target_stage(b, 1, 32));
	KUNIT_EXPECT_EQ(test, ftrace_target(b, 1), 16);
	ftrace_target_settle(b, 1);
	KUNIT_EXPECT_EQ(test, ftrace_target_other(b, 1), 16);

	/* Put into force, and back. */
	CHECK(test, !ftrace_target_stage(b, 1, 32));
	ftrace_target_swap(b, 1);
	KUNIT_EXPECT_EQ(test, ftrace_target(b, 1), 32);
	KUNIT_EXPECT_EQ(test, ftrace_target_other(b, 1), 16);
	ftrace_target_swap(b, 1);
	ftrace_target_settle(b, 1);
	KUNIT_EXPECT_EQ(test, ftrace_target(b, 1), 16);
	KUNIT_EXPECT_EQ(test, ftrace_target_other(b, 1), 16);
}

static struct kunit_case site_cases[] = {
	KUNIT_CASE(make_sorts_and_leaves_out),
	KUNIT_CASE(zeros_that_were_moved_are_left_out),
	KUNIT_CASE(no_address_no_block),
	KUNIT_CASE(each_byte_finds_its_site),
	KUNIT_CASE(ranges_find_their_first_site),
	KUNIT_CASE(numbers_are_unique_and_come_again),
	KUNIT_CASE(blocks_are_listed_as_they_came),
	KUNIT_CASE(who_comes_and_goes_is_counted),
	KUNIT_CASE(many_blocks_come_and_go),
	KUNIT_CASE(coming_is_not_ready),
	KUNIT_CASE(watchers_hear_of_it_in_time),
	KUNIT_CASE(withdrawn_sites_are_not_found),
	KUNIT_CASE(each_site_has_a_target_of_its_own),
	KUNIT_CASE(a_target_can_be_taken_back),
	{}
};

static struct kunit_suite site_suite = {
	.name = "ftrace_site",
	.test_cases = site_cases,
};

kunit_test_suite(site_suite);
