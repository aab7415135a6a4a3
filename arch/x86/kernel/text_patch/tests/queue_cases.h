/* SPDX-License-Identifier: GPL-2.0 */
/* Cases of cases.h: the edges of instructions, of the queue and of pages. */
#ifndef _X86_TEXT_PATCH_QUEUE_CASES_H
#define _X86_TEXT_PATCH_QUEUE_CASES_H

/* A CPU goes on after a conditional jump, or a call, so no filler may follow it. */
static void tc_only_what_ends_may_be_filled_up(struct text_case_ctx *ctx)
{
	const u8 jcc[] = { 0x74, 0x10, 0xcc, 0xcc, 0xcc };
	const u8 nop2[] = { BYTES_NOP2, 0xcc, 0xcc, 0xcc };
	const u8 jmp[] = { 0xe9, 1, 2, 3, 4, 0xcc };
	u8 ret[TEXT_PATCH_MAX + 1];

	TC_TRUE(ctx, text_insn_fits(jcc, 2));
	TC_TRUE(ctx, !text_insn_fits(jcc, 5));
	TC_TRUE(ctx, text_insn_fits(nop2, 2));
	TC_TRUE(ctx, !text_insn_fits(nop2, 5));
	TC_TRUE(ctx, TEXT_PATCH_MAX < 6 || text_insn_fits(jmp, 6));

	memset(ret, INT3_INSN_OPCODE, sizeof(ret));
	ret[0] = 0xc3;
	TC_TRUE(ctx, text_insn_fits(ret, TEXT_PATCH_MAX));
	TC_TRUE(ctx, !text_insn_fits(ret, TEXT_PATCH_MAX + 1));
	ret[TEXT_PATCH_MAX - 1] = 0x90;
	TC_TRUE(ctx, !text_insn_fits(ret, TEXT_PATCH_MAX));
}

/* The vector is used again after each commit, and is not zeroed. */
static void tc_a_new_record_has_no_flags(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 3);
	int i;

	for (i = 0; i < 3; i++) {
		q->vec[i].expect = true;
		q->vec[i].drop = true;
		q->vec[i].whole = true;
	}
	/* One in order, which is appended, and two that are not. */
	for (i = 3; i; i--) {
		const struct text_patch *p = tc_put(q, TC_BASE + 16 * i, 5);

		TC_TRUE(ctx, p->rel == 16 * i);
		TC_TRUE(ctx, !p->expect);
		TC_TRUE(ctx, !p->drop);
		TC_TRUE(ctx, !p->whole);
	}
	TC_TRUE(ctx, !q->sorted);
}

static void tc_squeezed_out_of_order_finds_the_rest(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 300);
	int i;

	for (i = 299; i >= 0; i--)
		tc_put(q, TC_BASE + i * 8, 5)->drop = i % 3 == 1;
	TC_TRUE(ctx, !q->sorted);
	text_queue_sort(q);
	text_queue_squeeze(q);
	TC_TRUE(ctx, q->nr == 200 && q->sorted);
	for (i = 0; i < 300; i++) {
		const struct text_patch *p = text_queue_find(q, TC_BASE + i * 8);

		TC_TRUE(ctx, !p == (i % 3 == 1));
		TC_TRUE(ctx, !p || p->rel == i * 8);
	}
}

/* These are all ways in which up to six records form runs. */
static void tc_each_order_of_six_ends_sorted(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 6);
	u32 order, i, n, left, digits;

	for (order = 0; order < 720; order++) {
		text_queue_clear(q);
		for (i = 6, left = 0x543210, digits = order; i; i--) {
			/* Of the @i numbers that are left, the n-th is the next. */
			n = digits % i;
			digits /= i;
			tc_put(q, TC_BASE + (left >> 4 * n & 15) * 8, 1 + (left >> 4 * n & 15));
			left = (left & ((1 << 4 * n) - 1)) | left >> 4 * (n + 1) << 4 * n;
		}
		text_queue_sort(q);
		for (i = 0; i < 6; i++)
			TC_TRUE(ctx, q->vec[i].rel == i * 8 && q->vec[i].len == 1 + i);
	}
}

/*
 * Their difference is more than a signed number of 32 bits can hold. On 32 bit the
 * kernel may be the lowest (VMSPLIT_1G).
 */
static void tc_records_three_gigabytes_apart(struct text_case_ctx *ctx)
{
	const unsigned long low = 0x20000000UL, mid = 0x80000000UL, high = 0xe0000000UL;
	const unsigned long base = text_queue_base(IS_ENABLED(CONFIG_64BIT) ? mid : low);
	struct text_queue *q = tc_queue(ctx, 4);

	text_queue_init(q, base, q->vec, 4);
	tc_put(q, high, 5);
	tc_put(q, mid, 5);
	tc_put(q, low, 5);
	TC_TRUE(ctx, text_queue_find(q, high) == &q->vec[0]);
	TC_TRUE(ctx, text_queue_find(q, low) == &q->vec[2]);
	if (IS_ENABLED(CONFIG_64BIT))	/* nothing that is queued, but the same lower half */
		TC_TRUE(ctx, !text_queue_find(q, high + (1UL << 31) * 2));
	text_queue_sort(q);
	TC_TRUE(ctx, text_patch_addr(&q->vec[0], base) == low);
	TC_TRUE(ctx, text_patch_addr(&q->vec[1], base) == mid);
	TC_TRUE(ctx, text_patch_addr(&q->vec[2], base) == high);
	TC_TRUE(ctx, text_queue_find(q, low) == &q->vec[0]);
}

/* Each address in and around five places, and each range of two addresses. */
static void tc_places_in_a_range(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 5);
	unsigned long at, end;
	u32 nr;

	for (nr = 0; nr <= 5; nr++) {
		for (at = TC_BASE - 2; at < TC_BASE + 42; at++) {
			/* Places are at 0, 8, 16... */
			const u32 below = at <= TC_BASE ? 0 : min(nr, (u32)(at - TC_BASE + 7) / 8);

			TC_TRUE(ctx, text_patch_from(q->vec, nr, TC_BASE, at) == below);
			for (end = at; end < TC_BASE + 42; end++)
				TC_TRUE(ctx, text_patch_any_in(q->vec, nr, TC_BASE, at, end) ==
					     (below < nr && TC_BASE + below * 8 < end));
		}
		if (nr < 5)
			tc_put(q, TC_BASE + nr * 8, 5);
	}
}

static void tc_a_place_up_to_the_end_takes_one_page(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 8);
	unsigned long pages[TEXT_WINDOW_PAGES];
	struct text_window w;
	u8 len;

	for (len = 1; len <= TEXT_PATCH_MAX; len++) {
		text_queue_clear(q);
		tc_put(q, TC_BASE + PAGE_SIZE - len, len);
		TC_TRUE(ctx, text_window_plan(q, 0, 1, &w, pages) == 1);
		TC_TRUE(ctx, w.pages == 1 && pages[0] == TC_BASE);
		tc_put(q, TC_BASE + 2 * PAGE_SIZE + 1 - len, len);
		TC_TRUE(ctx, text_window_plan(q, 1, 2, &w, pages) == 2);
		TC_TRUE(ctx, w.pages == (len == 1 ? 1 : 2));
		TC_TRUE(ctx, pages[w.pages - 1] == TC_BASE + 2 * PAGE_SIZE);
	}
}

/* Changes of one byte each, so that only the number of pages ends the window. */
static void tc_windows_have_all_their_pages(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 3 * TEXT_WINDOW_PAGES);
	unsigned long pages[TEXT_WINDOW_PAGES];
	struct text_window w;
	u32 i;

	for (i = 0; i < q->cap; i++)
		tc_put(q, TC_BASE + i * PAGE_SIZE, 1);
	for (i = 0; i < q->nr; i += TEXT_WINDOW_PAGES) {
		TC_TRUE(ctx, text_window_plan(q, i, q->nr, &w, pages) ==
			     i + TEXT_WINDOW_PAGES);
		TC_TRUE(ctx, w.pages == TEXT_WINDOW_PAGES);
		TC_TRUE(ctx, pages[0] == TC_BASE + i * PAGE_SIZE);
	}
}

#endif /* _X86_TEXT_PATCH_QUEUE_CASES_H */
