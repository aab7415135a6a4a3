/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Combos: what a site calls.
 *
 * A combo is an interned set of hooks, with one trampoline that calls exactly
 * these, the most recently registered first. Combos are equal if their numbers
 * are. Combo 0 is the nop. Combo 1 is the mixed combo: it serves any set by
 * testing filters at each call, where no trampoline can be had.
 */
#ifndef _FTRACE_COMBO_H
#define _FTRACE_COMBO_H

#include <linux/ftrace.h>
#include "../sites/filter.h"
#include "../sites/lock.h"
#include "../sites/site.h"

#define FTRACE_COMBO_NOP	0
#define FTRACE_COMBO_MIXED	1
#define FTRACE_COMBO_MAX	FTRACE_SITE_COMBO	/* ids are 16 bits */

/* What a hook needs from the trampoline that calls it. */
#define FTRACE_NEED_REGS	BIT(0)	/* full pt_regs */
#define FTRACE_NEED_DIRECT	BIT(1)	/* jump to ->direct at the end; one in a combo */
#define FTRACE_NEED_IPMODIFY	BIT(2)	/* may change regs->ip; one in a combo */
#define FTRACE_NEED_GRAPH	BIT(3)	/* a slot of the graph tracer, see ->graph_slot */

/*
 * A hook: our registration of one ops, with everything that is compiled into
 * trampolines. All but ->filter, ->list and the fields marked [L] is immutable.
 * To change what is called (a PID test before the callback, another direct
 * target), make another hook with the same ->order and move the sites in one
 * plan.
 */
struct ftrace_hook {
	struct list_head	list;	/* [L, RCU read] registered hooks, latest first */
	struct rcu_head		rcu;
	struct ftrace_ops	*ops;
	ftrace_func_t		call;	/* what trampolines call, with ops as third argument */
	unsigned long		direct;
	u64			order;	/* of registration; later is larger */
	u16			need;
	u16			graph_slot;
	u32			nr_combos;	/* [L] combos that contain it */
	struct ftrace_filter __rcu *filter;	/* [L] in force; read by the mixed dispatcher */
	const struct ftrace_change *change;	/* [L] while a plan is made */
};

struct ftrace_combo {
	struct rcu_head		rcu;
	u16			id;
	u16			nr;		/* number of hooks */
	u16			need;		/* union of those of its hooks */
	u16			graph;		/* bitmap of graph slots */
	u32			sites;		/* [L] number of sites that call it */
	unsigned long		target;		/* address that sites call: trampoline or direct */
	struct ftrace_tramp	*tramp;		/* NULL for nop, mixed, and one direct hook alone */
	unsigned long		hash;		/* [I] of the set of hooks */
	struct hlist_node	node;		/* [L] in the hash table, by ->hash */
	struct list_head	idle;		/* [L] in the list of combos without sites */
	struct ftrace_hook	*hooks[];	/* [I] latest first */
};

/* A site with more hooks than this calls the mixed combo. */
#define FTRACE_COMBO_HOOKS	128

struct ftrace_combo *ftrace_combo(u32 id);

struct ftrace_combo *ftrace_combo_plus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_minus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_of(struct ftrace_hook **hooks, unsigned int nr);

bool ftrace_combo_has(const struct ftrace_combo *combo, const struct ftrace_hook *hook);

int ftrace_combo_ready(struct ftrace_combo *combo);

void ftrace_combo_count(struct ftrace_combo *combo, int delta);

void ftrace_combo_sweep(void);

/*
 * The number of combos, without the nop and the mixed combo; the number of
 * sites on the mixed combo.
 */
unsigned int ftrace_combo_nr(void);
u32 ftrace_combo_mixed_sites(void);

int ftrace_combo_init(void);

/* The largest number of combos. Set by ftrace_combo_cap= on the command line, and by tests. */
extern unsigned int ftrace_combo_cap;

#endif /* _FTRACE_COMBO_H */
