/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan moves sites from the combos they are on to the combos they should be
 * on. Making it allocates all that is needed and writes nothing; committing it
 * cannot fail: a site whose bytes are not as expected is left out, marked
 * FTRACE_SITE_FAULT and named once.
 */
#ifndef _FTRACE_PLAN_H
#define _FTRACE_PLAN_H

#include "combo.h"

struct ftrace_step {
	u32 nr;			/* the site */
	u16 from, to;		/* combos */
};

struct ftrace_plan {
	struct ftrace_step	*steps;		/* ascending by number */
	u32			nr, room;
};

/* One hook's change in a plan. */
struct ftrace_change {
	struct ftrace_hook	*hook;
	struct ftrace_filter	*from;	/* NULL: it has no site */
	struct ftrace_filter	*to;	/* NULL: it shall have none */
};

/*
 * All changes at once: a site that two changes touch moves once.
 * While ftrace_enabled is 0 the plan is empty.
 * Context: ftrace_lock held, may sleep.
 * Return: 0; -ENOMEM; -EBUSY two exclusive hooks meet. On error the plan is empty.
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

/* Writes; sets the sites' state; counts combos; sweeps. Then the plan is empty. */
void ftrace_plan_commit(struct ftrace_plan *plan);
void ftrace_plan_drop(struct ftrace_plan *plan);

#endif /* _FTRACE_PLAN_H */
