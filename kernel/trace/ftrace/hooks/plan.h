/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: steps that move sites to the combos that they should be on.
 *
 * Making a plan allocates everything it needs and writes nothing. Writing it fails
 * only if a site could not be made to call an exclusive hook, or a direct call's new
 * target. A site with unexpected bytes is left out, marked FTRACE_SITE_HELD or
 * FTRACE_SITE_FAULT, and reported once.
 */
#ifndef _FTRACE_PLAN_H
#define _FTRACE_PLAN_H

#include <linux/ftrace/arch.h>
#include "../sites/targets.h"
#include "combo.h"

struct ftrace_step {
	u32 nr;			/* the site */
	union {
		struct {
			u16 from, to;	/* numbers of combos */
		};
		u32 move;		/* both, to be compared */
	};
};

/* Steps are sorted by ->nr; those of ftrace_plan_disarm() are in its caller's order. */
struct ftrace_plan {
	struct ftrace_step	*steps;		/* no site twice */
	u32			nr, room;
	bool			exclusive;	/* gives sites an exclusive hook, or targets */
	struct ftrace_siteset	*added;		/* the sites that get such a hook; NULL: none */
	struct ftrace_siteset	*staged;	/* sites that get a target; NULL: none */
	struct ftrace_siteset	*had;		/* those that have the direct call already */
	struct ftrace_patch	*patches;	/* for ->nr steps; NULL: commit in pieces */
};

struct ftrace_targets;

/*
 * The change of one hook's filter in a plan. The hook is in ftrace_hooks. Its
 * ->filter is set by change.c, between making and writing the plan.
 *
 * A direct call's hook can get other targets as well, also if ->from and ->to
 * are the same. ->targets has sites of ->to; all other sites of ->to are in
 * ->from. Without ->targets all sites of ->to get the target of the hook's ops.
 */
struct ftrace_change {
	struct ftrace_hook	*hook;
	struct ftrace_filter	*from;	/* NULL: on no site */
	struct ftrace_filter	*to;	/* NULL: leaves all sites */
	const struct ftrace_targets *targets;	/* of a direct call; see above */
};

int ftrace_plan_make(struct ftrace_plan *plan, const struct ftrace_change *changes,
		     unsigned int nr);

u32 ftrace_plan_block(struct ftrace_plan *plan, const struct ftrace_site_block *b, u32 i,
		      bool on);
int ftrace_plan_disarm(struct ftrace_plan *plan, const u32 *nrs, u32 nr);

void ftrace_plan_patches(struct ftrace_plan *plan);
void ftrace_plan_drop(struct ftrace_plan *plan);

/* commit.c */
int ftrace_plan_write(struct ftrace_plan *plan);
void ftrace_plan_revert(struct ftrace_plan *plan);
void ftrace_plan_commit(struct ftrace_plan *plan);
void ftrace_commit_mixed(void);
void ftrace_commit_block(struct ftrace_site_block *b, bool on);

/* The kind of nop at a site that is off. */
static __always_inline unsigned long ftrace_site_nop(const struct ftrace_site *site)
{
	return site->state & FTRACE_SITE_ENTRY ? FTRACE_NOP_ENTRY : FTRACE_NOP;
}

/* What the text of a site on combo 0 "calls": a nop; armed, __fentry__; or a jump to its end. */
static __always_inline unsigned long ftrace_site_idle(const struct ftrace_site *site)
{
	if (unlikely(site->state & (FTRACE_SITE_JUMPS | FTRACE_SITE_ARMED))) {
		if (site->state & FTRACE_SITE_JUMPS)
			return FTRACE_NOP_JUMP;
#ifdef CONFIG_FTRACE_DISCOVER	/* else there may be no __fentry__ */
		return MCOUNT_ADDR;
#endif
	}
	return ftrace_site_nop(site);
}

/*
 * What site @i calls on a combo whose target is @target. @before: what it called
 * before the commit, which differs if it is armed, or its direct call's target changes.
 * Under ftrace_lock.
 */
static __always_inline unsigned long
ftrace_combo_calls(unsigned long target, const struct ftrace_site_block *b, u32 i, bool before)
{
	if (target > FTRACE_DIRECT_ALONE)
		return target;
	if (unlikely(target == FTRACE_DIRECT_ALONE)) {
		target = before ? ftrace_target_other(b, i) : ftrace_target(b, i);
		if (target)
			return target;
	}
	return before ? ftrace_site_idle(&b->sites[i]) : ftrace_site_nop(&b->sites[i]);
}

/* What the text of site @i calls, by its state word. Under ftrace_lock. */
static inline unsigned long ftrace_site_calls(const struct ftrace_site_block *b, u32 i)
{
	const u32 id = b->sites[i].state & FTRACE_SITE_COMBO;

	if (id == FTRACE_COMBO_NOP)
		return ftrace_site_idle(&b->sites[i]);
	return ftrace_combo_calls(ftrace_combo(id)->target, b, i, false);
}

/*
 * True if the text of site @i changes though it stays on combo @id: it calls its
 * direct call's target, which changes. Under ftrace_lock.
 */
static inline bool ftrace_site_retargeted(const struct ftrace_site_block *b, u32 i, u16 id)
{
	return ftrace_combo(id)->target == FTRACE_DIRECT_ALONE &&
	       ftrace_target(b, i) != ftrace_target_other(b, i);
}

#endif /* _FTRACE_PLAN_H */
