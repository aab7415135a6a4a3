/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Combos: what a site calls.
 *
 * A combo is an interned set of hooks, with one trampoline that calls exactly
 * these, the most recently registered first. Equality is equality of numbers.
 * Combo 0 is the nop. Combo 1 is the mixed one: it serves any set, by testing
 * filters at each call, where no trampoline can be had.
 */
#ifndef _FTRACE_COMBO_H
#define _FTRACE_COMBO_H

#include <linux/ftrace.h>
#include "filter.h"
#include "lock.h"
#include "site.h"

#define FTRACE_COMBO_NOP	0
#define FTRACE_COMBO_MIXED	1
#define FTRACE_COMBO_MAX	FTRACE_SITE_COMBO	/* ids are 16 bits */

/* What a hook needs of the trampoline that calls it. */
#define FTRACE_NEED_REGS	BIT(0)	/* full pt_regs */
#define FTRACE_NEED_DIRECT	BIT(1)	/* goes to ->direct at the end; one in a combo */
#define FTRACE_NEED_IPMODIFY	BIT(2)	/* may change regs->ip; one in a combo */
#define FTRACE_NEED_GRAPH	BIT(3)	/* a slot of the graph tracer, see ->graph_slot */

/*
 * A hook: one registration of one ops, with everything that is compiled into
 * trampolines. All of it but ->filter and ->list is immutable: to change what
 * is called (a PID check put before the callback, another direct target), make
 * another hook with the same ->order and move the sites in one plan.
 */
struct ftrace_hook {
	struct list_head	list;	/* [L, RCU read] registered hooks, latest first */
	struct rcu_head		rcu;
	struct ftrace_ops	*ops;
	ftrace_func_t		call;	/* what trampolines call, with ops as third argument */
	unsigned long		direct;
	u64			order;	/* of registration; larger is later */
	u16			need;
	u16			graph_slot;
	u32			nr_combos;	/* [L] that contain it */
	struct ftrace_filter __rcu *filter;	/* [L] the one in force; mixed reads it */
	const struct ftrace_change *change;	/* [L] while a plan is made */
};

struct ftrace_combo {
	struct rcu_head		rcu;
	u16			id;
	u16			nr;		/* hooks */
	u16			need;		/* union over hooks */
	u16			graph;		/* bitmap of graph slots */
	u32			sites;		/* [L] that call it */
	unsigned long		target;		/* what the text calls: trampoline or direct */
	struct ftrace_tramp	*tramp;		/* NULL for nop, mixed and a lone direct hook */
	unsigned long		hash;		/* [I] of the set of hooks */
	struct hlist_node	node;		/* [L] by ->hash */
	struct list_head	idle;		/* [L] while it has no sites */
	struct ftrace_hook	*hooks[];	/* [I] latest first */
};

/* More hooks than this on one site, and it is the mixed combo's. */
#define FTRACE_COMBO_HOOKS	128

/* Lock-free, noinstr: the combo behind a state word. Never NULL for a live id. */
struct ftrace_combo *ftrace_combo(u32 id);

/*
 * The combo of @from's hooks with or without @hook: a number for a set, no
 * more. What it needs to be called comes with ftrace_combo_ready(). Without
 * sites, it goes with the next ftrace_combo_sweep().
 * Both give the mixed combo where the cap is reached, where there is no
 * memory, and for the mixed combo itself (plan.c asks ftrace_combo_of() then).
 * Context: ftrace_lock held, may sleep.
 * Return: a combo, ERR_PTR(-EBUSY) for a second DIRECT or a second IPMODIFY.
 */
struct ftrace_combo *ftrace_combo_plus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_minus(struct ftrace_combo *from, struct ftrace_hook *hook);
struct ftrace_combo *ftrace_combo_of(struct ftrace_hook **hooks, unsigned int nr);

/* Has @hook. Not to be asked of the mixed combo. */
bool ftrace_combo_has(const struct ftrace_combo *combo, const struct ftrace_hook *hook);

/* Sees to it that sites can call @combo. Return: 0, -ENOMEM where there is no trampoline. */
int ftrace_combo_ready(struct ftrace_combo *combo);

/* @delta sites more call @combo, or fewer. ftrace_lock held. */
void ftrace_combo_count(struct ftrace_combo *combo, int delta);

/*
 * Retires every combo without sites: it cannot be found any more, its
 * trampoline and itself are freed by callback once no CPU and no preempted
 * task can be in it (tramp.c). Never waits. ftrace_lock held.
 */
void ftrace_combo_sweep(void);

/* How many there are, beside the nop and the mixed one; how many sites are mixed. */
unsigned int ftrace_combo_nr(void);
u32 ftrace_combo_mixed_sites(void);

int ftrace_combo_init(void);	/* boot, before the first plan */

/* The cap, for tests and for ftrace_combo_cap= on the command line. */
extern unsigned int ftrace_combo_cap;

#endif /* _FTRACE_COMBO_H */
