/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan moves sites from the combos they are on to the combos they should be
 * on. Making it allocates all that is needed and writes nothing. Committing it
 * fails for no other reason than that an exclusive hook did not get a site: one
 * whose bytes are not as expected is left out, marked FTRACE_SITE_HELD or
 * FTRACE_SITE_FAULT, and named once.
 */
#ifndef _FTRACE_PLAN_H
#define _FTRACE_PLAN_H

#include <linux/ftrace/arch.h>
#include "combo.h"

struct ftrace_step {
	u32 nr;			/* the site */
	u16 from, to;		/* combos */
};

struct ftrace_plan {
	struct ftrace_step	*steps;		/* ascending by number */
	u32			nr, room;
	bool			exclusive;	/* brings an exclusive hook to sites */
	struct ftrace_patch	*patches;	/* room for as many, or NULL: commit in pieces */
};

/*
 * One hook's change in a plan. The hook is in ftrace_hooks already, or still;
 * its ->filter is the caller's to change, between making and committing.
 */
struct ftrace_change {
	struct ftrace_hook	*hook;
	struct ftrace_filter	*from;	/* NULL: it has no site */
	struct ftrace_filter	*to;	/* NULL: it shall have none */
};

/*
 * All changes at once: a site that several of them touch moves once. Sites that
 * are held are looked at again, whatever the change.
 * While ftrace_enabled is 0, hooks only leave sites.
 * Context: ftrace_lock held, may sleep.
 * Return: 0; -ENOMEM; -EBUSY two exclusive hooks meet, or one comes to a site
 * that is off and has another's breakpoint; -ENODEV one comes to a site that
 * cannot be changed. On error the plan is empty.
 */
int ftrace_plan_make(struct ftrace_plan *plan, const struct ftrace_change *changes,
		     unsigned int nr);

/*
 * From scratch, out of all hooks' filters in force: for the sites of @block
 * (NULL: all blocks), @enabled or all to the nop. For a module's text, and for
 * the sysctl. A site where exclusive hooks meet keeps the earlier of them and
 * warns.
 */
int ftrace_plan_rebuild(struct ftrace_plan *plan, struct ftrace_site_block *block,
			bool enabled);

/*
 * Writes; sets the sites' state; counts combos. If an exclusive hook did not
 * get a site: -EBUSY or -ENODEV, for the caller to revert (before it drops).
 */
int ftrace_plan_write(struct ftrace_plan *plan);
void ftrace_plan_revert(struct ftrace_plan *plan);
/* Writes and sweeps what brings no exclusive hook. Then the plan is empty. */
void ftrace_plan_commit(struct ftrace_plan *plan);
void ftrace_plan_drop(struct ftrace_plan *plan);

/*
 * Takes hooks off every site, without memory, a few sites at a time: for the
 * one who goes and finds that a plan of it cannot be made. Never fails.
 */
void ftrace_plan_evict(struct ftrace_hook **hooks, unsigned int nr);

/* Walks the sites of ascending numbers: a search only where a block ends. */
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

/* What a site calls that is off. */
static __always_inline unsigned long ftrace_site_nop(const struct ftrace_site *site)
{
	return site->state & FTRACE_SITE_ENTRY ? FTRACE_NOP_ENTRY : FTRACE_NOP;
}

/* What its text calls by its state word. Under ftrace_lock. */
static inline unsigned long ftrace_site_calls(const struct ftrace_site *site)
{
	return ftrace_combo(site->state & FTRACE_SITE_COMBO)->target ?: ftrace_site_nop(site);
}

#endif /* _FTRACE_PLAN_H */
