// SPDX-License-Identifier: GPL-2.0
/*
 * One round: make sites of the calls that were recorded, and nops of the sites.
 *
 * New sites are armed at first: they are in the table, off, and call __fentry__.
 * So a round that runs out of memory leaves nothing that the next one could not
 * continue with. A slot is released when the site of its address is not armed any
 * more, and not before: until then, its calls would be recorded once more.
 */
#include <linux/errno.h>
#include <linux/ftrace/arch.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../hooks/cover.h"
#include "../hooks/plan.h"
#include "../sites/discovered.h"
#include "discover.h"
#include "recorder.h"
#include "records.h"

u32 ftrace_round_ignored;

/* A recorded address. */
struct call {
	unsigned long		ip;	/* of the call */
	u32			from, end;	/* its records */
	bool			is_new;	/* becomes a site */
};

/* The calls of a round, in address order. */
struct round {
	struct ftrace_take	take;
	struct call		*calls;
	u32			nr;
	u32			*numbers;	/* offsets of new sites, later numbers of sites */
	u32			armed;		/* how many sites were armed */
};

static int round_make(struct round *r)
{
	int err;

	*r = (struct round){};
	err = ftrace_take_make(&r->take, &ftrace_recorder_tables);
	if (err || !r->take.nr)
		return err;
	r->calls = kvmalloc_array(r->take.nr, sizeof(*r->calls), GFP_KERNEL);
	r->numbers = kvmalloc_array(r->take.nr, sizeof(*r->numbers), GFP_KERNEL);
	return r->calls && r->numbers ? 0 : -ENOMEM;
}

static void round_drop(struct round *r)
{
	kvfree(r->calls);
	kvfree(r->numbers);
	ftrace_take_drop(&r->take);
}

static void verify(struct round *r)
{
	unsigned long end = 0;
	u32 i, next;

	for (i = 0; i < r->take.nr; i = next) {
		struct call *call = &r->calls[r->nr++];

		next = ftrace_take_same(&r->take, i);
		call->ip = arch_ftrace_recorded_call(r->take.records[i].addr);
		call->from = i;
		call->end = next;
		/* Two calls cannot overlap: one of them is part of another instruction. */
		call->is_new = call->ip >= end &&
			       ftrace_call_is_new(&ftrace_discovered_texts, call->ip);
		if (call->is_new)
			end = call->ip + MCOUNT_INSN_SIZE;
	}
}

/* Add the new calls of one text, from index @i on; *next is the first call after them. */
static int add_text_sites(struct round *r, u32 i, u32 *next)
{
	struct ftrace_discovered *text;
	u32 nr = 0;

	text = ftrace_discovered_find(&ftrace_discovered_texts, r->calls[i].ip,
				      r->calls[i].ip + MCOUNT_INSN_SIZE);
	for (; i < r->nr && r->calls[i].ip < text->end; i++) {
		if (r->calls[i].is_new)
			r->numbers[nr++] = r->calls[i].ip - text->start;
	}
	*next = i;
	return ftrace_discovered_add_sites(text, r->numbers, nr, FTRACE_SITE_ARMED);
}

static int add_sites(struct round *r)
{
	int err = 0;
	u32 i = 0;

	while (i < r->nr && !err) {
		if (r->calls[i].is_new)
			err = add_text_sites(r, i, &i);
		else
			i++;
	}
	return err;
}

/* Find the site of a call, new or not, and note that its function has run. */
static struct ftrace_site *site_of(const struct call *call, u32 *nr)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_exact(call->ip, &i);
	if (!b)
		return NULL;
	set_bit(i, ftrace_site_ran(b, ftrace_ran_which));
	*nr = ftrace_site_nr(b, i);
	return &b->sites[i];
}

static int disarm(struct round *r)
{
	struct ftrace_plan plan;
	u32 i, nr;
	int err;

	for (i = 0; i < r->nr; i++) {
		const struct ftrace_site *site = site_of(&r->calls[i], &nr);

		if (site && site->state & FTRACE_SITE_ARMED)
			r->numbers[r->armed++] = nr;
	}
	if (!r->armed)
		return 0;
	err = ftrace_plan_disarm(&plan, r->numbers, r->armed);
	if (!err)
		ftrace_plan_commit(&plan);
	return err;
}

/* Cover sites of this round that are off, see cover.h; all if @due: others were switched. */
static void cover(const struct round *r, bool due)
{
	if (due)
		ftrace_cover_discovered();
	else if (r->armed)
		ftrace_cover_sites(r->numbers, r->armed);
	WRITE_ONCE(ftrace_cover_due, false);
}

/*
 * Whether a slot can be reused. Calls that are not call sites keep theirs, or they would
 * be recorded again and again, unless their text is freed: a module's functions can run
 * after ftraced_forget(), when its parameters are freed, for example.
 */
static bool may_release(const struct call *call)
{
	u32 nr;
	const struct ftrace_site *site = site_of(call, &nr);

	return site ? !(site->state & FTRACE_SITE_ARMED) : !kernel_text_address(call->ip);
}

static void release(struct round *r)
{
	u32 i;

	ftrace_round_ignored = r->take.nr;
	for (i = 0; i < r->nr; i++) {
		const struct call *call = &r->calls[i];

		if (!may_release(call))
			continue;
		ftrace_take_release(&r->take, call->from, call->end);
		ftrace_round_ignored -= call->end - call->from;
	}
}

/**
 * ftrace_round() - make sites of recorded calls, and nops of the sites
 *
 * A function that a filter in force has is hooked instead.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error, calls that were not
 * made nops stay in their slots.
 */
int ftrace_round(void)
{
	struct round r;
	bool due;
	int err;

	lockdep_assert_held(&ftrace_lock);

	err = round_make(&r);
	if (!err) {
		verify(&r);
		err = add_sites(&r);
		due = ftrace_cover_due;		/* add_sites() can switch sites off, too */
		err = disarm(&r) ?: err;
		cover(&r, due);
		release(&r);
	}
	round_drop(&r);
	return err;
}
