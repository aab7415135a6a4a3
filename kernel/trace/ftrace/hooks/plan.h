/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: steps that move sites to the combos that they should be on.
 *
 * Making a plan allocates everything it needs and writes nothing. Committing it
 * fails only if an exclusive hook did not get a site. A site with unexpected
 * bytes is left out, marked FTRACE_SITE_HELD or FTRACE_SITE_FAULT, and reported
 * once.
 */
#ifndef _FTRACE_PLAN_H
#define _FTRACE_PLAN_H

#include <linux/ftrace/arch.h>
#include "combo.h"

struct ftrace_step {
	u32 nr;			/* the site */
	u16 from, to;		/* numbers of combos */
};

struct ftrace_plan {
	struct ftrace_step	*steps;		/* ascending by ->nr */
	u32			nr, room;
	bool			exclusive;	/* adds an exclusive hook to sites */
	struct ftrace_patch	*patches;	/* for ->nr steps; NULL: commit in pieces */
};

/*
 * The change of one hook's filter in a plan. The hook is in ftrace_hooks. Its
 * ->filter is set by change.c, between making and writing the plan.
 */
struct ftrace_change {
	struct ftrace_hook	*hook;
	struct ftrace_filter	*from;	/* NULL: on no site */
	struct ftrace_filter	*to;	/* NULL: leaves all sites */
};

int ftrace_plan_make(struct ftrace_plan *plan, const struct ftrace_change *changes,
		     unsigned int nr);

int ftrace_plan_rebuild(struct ftrace_plan *plan, struct ftrace_site_block *block,
			bool enabled);

void ftrace_plan_drop(struct ftrace_plan *plan);

/* Looks up sites in ascending order of numbers. Searches only when the block changes. */
struct ftrace_site_walk {
	struct ftrace_site_block *block;
};

static __always_inline struct ftrace_site *
ftrace_site_walk(struct ftrace_site_walk *walk, u32 nr)
{
	struct ftrace_site_block *b = walk->block;
	u32 i;

	if (likely(b && nr - b->first < b->nr))
		return &b->sites[nr - b->first];

	b = ftrace_site_by_nr(nr, &i);
	if (!b)
		return NULL;
	walk->block = b;
	return &b->sites[i];
}

/* The kind of nop at a site that is off. */
static __always_inline unsigned long ftrace_site_nop(const struct ftrace_site *site)
{
	return site->state & FTRACE_SITE_ENTRY ? FTRACE_NOP_ENTRY : FTRACE_NOP;
}

/* What the text of a site calls, by its state word. Under ftrace_lock. */
static inline unsigned long ftrace_site_calls(const struct ftrace_site *site)
{
	return ftrace_combo(site->state & FTRACE_SITE_COMBO)->target ?: ftrace_site_nop(site);
}

#endif /* _FTRACE_PLAN_H */
