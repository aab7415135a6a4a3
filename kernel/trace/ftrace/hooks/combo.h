/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Combos: what a site calls.
 *
 * A combo is an interned set of hooks, with one trampoline that calls exactly
 * these hooks, the latest registered first. Combos are equal if their numbers
 * are. Combo 0 is the nop. Combo 1 is the mixed combo: where a set has no trampoline
 * of its own, it serves that set by testing filters at each call.
 */
#ifndef _FTRACE_COMBO_H
#define _FTRACE_COMBO_H

#include <linux/types.h>
#include "../sites/site.h"
#include "hook.h"

#define FTRACE_COMBO_NOP	0
#define FTRACE_COMBO_MIXED	1
#define FTRACE_COMBO_MAX	FTRACE_SITE_COMBO	/* ids are 16 bits */

struct ftrace_combo {
	struct ftrace_retired	retired;
	u16			id;
	u16			nr;		/* [L] number of hooks; 0 once disbanded */
	u16			need;		/* union of its hooks' ->need */
	u16			graph;		/* bitmap of graph slots */
	u32			sites;		/* [L] number of sites that call it */
	u32			coming;		/* [L] sites that the plan adds, modulo 2^32 */
	bool			refused;	/* [L] the plan has to do without it */
	bool			mixed;		/* [L] tests filters at each call; ->nr is 0 */
	/* Address that sites call; 0: nop, or not ready; or FTRACE_DIRECT_ALONE */
	unsigned long		target;
	struct ftrace_tramp	*tramp;		/* NULL for nop, mixed, and one direct hook alone */
	struct hlist_node	node;		/* [L] in the hash table, unless ->mixed */
	struct list_head	idle;		/* [L] in the list of combos without sites */
	struct ftrace_hook	*hooks[];	/* [I] latest first, and NULL */
};

/* ->target of a direct call alone: each site calls its own target. */
#define FTRACE_DIRECT_ALONE	3UL

/* A site with more hooks than this calls the mixed combo. */
#define FTRACE_COMBO_HOOKS	128

struct ftrace_combo *ftrace_combo(u32 id);

struct ftrace_combo *ftrace_combo_plus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_minus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_of(struct ftrace_hook **hooks, unsigned int nr);

bool ftrace_combo_has(const struct ftrace_combo *combo, const struct ftrace_hook *hook);

int ftrace_combo_ready(struct ftrace_combo *combo);

void ftrace_combo_forward(struct ftrace_combo *combo);

void ftrace_combo_count(struct ftrace_combo *combo, int delta);

void ftrace_combo_sweep(void);

/*
 * [L] A set of at most FTRACE_COMBO_HOOKS hooks got no combo, or no trampoline: when
 * there is room again, some of the sites on the mixed combo can have their own.
 */
extern bool ftrace_combo_refused;

/* [L] Number of combos whose trampoline is a jump to the mixed one; their sites are to leave. */
extern u32 ftrace_combo_forwards;

bool ftrace_combo_limit(void);
unsigned int ftrace_combo_nr(void);	/* without the nop and the mixed combo */
u32 ftrace_combo_mixed_sites(void);	/* the sites on the mixed combo */

void ftrace_combo_init(void);

/* How many combos may have sites after a plan. Set by ftrace_combo_cap=, and by tests. */
extern unsigned int ftrace_combo_cap;

#endif /* _FTRACE_COMBO_H */
