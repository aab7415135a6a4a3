/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registrations: who is hooked, with which filter, and how both change.
 */
#ifndef _FTRACE_OPS_H
#define _FTRACE_OPS_H

#include "plan.h"

extern int ftrace_enabled;		/* as the world sees and writes it */
extern bool ftrace_disabled;		/* sticky, by ftrace_kill() */
extern struct ftrace_ops global_ops;
extern struct list_head ftrace_hooks;	/* [L, RCU read] latest first */

/*
 * The home of the filter of @ops: its own, or the one it shares
 * (ftrace_ops_set_global_filter(), fgraph_init_ops()).
 */
struct ftrace_filter_home *ftrace_ops_home(struct ftrace_ops *ops);

/*
 * What is in force; never NULL. Under ftrace_lock, or take a reference:
 */
struct ftrace_filter *ftrace_home_filter(struct ftrace_filter_home *home);
struct ftrace_filter *ftrace_home_filter_get(struct ftrace_filter_home *home);

/*
 * Puts @filter (a reference, taken over also on error) in force for every ops
 * of this home, registered or not, in one plan: no site that neither the old
 * nor the new filter has is ever called.
 * Context: process; the _locked form needs ftrace_lock.
 * Return: 0; -ENOMEM; -EBUSY exclusive hooks would meet; -EINVAL an IPMODIFY
 * or DIRECT ops cannot have "all" or exceptions; -ENODEV. On error nothing changed.
 */
int ftrace_home_set(struct ftrace_filter_home *home, struct ftrace_filter *filter);
int ftrace_home_set_locked(struct ftrace_filter_home *home, struct ftrace_filter *filter);

/* Every home that has another filter than "all" forgets these sites. Under ftrace_lock. */
void ftrace_homes_purge(u32 first, u32 end);
/* Homes in the data of a module that goes, whose owner forgot ftrace_free_filter(). The same. */
void ftrace_homes_forget(struct module *mod);

/* @ops goes to another home, in one plan. ftrace_lock held. 0, -ENOMEM, -EBUSY. */
int ftrace_ops_rehome_locked(struct ftrace_ops *ops, struct ftrace_filter_home *home);

int ftrace_register_locked(struct ftrace_ops *ops);	/* ftrace_lock (and direct_mutex) held */
int ftrace_unregister_locked(struct ftrace_ops *ops);	/* never waits */
/* What unregister owes the owner of @ops: waits where it is not the kernel's own data. */
void ftrace_ops_wait(struct ftrace_ops *ops);
/* What a registration owes that failed. Without locks. */
void ftrace_ops_wait_reverted(struct ftrace_ops *ops);
int unregister_ftrace_functions(struct ftrace_ops **ops, unsigned int nr);

/*
 * A new hook for each registered ops with FTRACE_OPS_FL_PID, after PID filtering
 * was switched on or off. ftrace_lock held. 0, -ENOMEM: nothing changed.
 */
int ftrace_update_pid_hooks(void);

/* @ops gets a new hook that calls @direct. ftrace_lock held. 0, -ENOMEM, -ENODEV. */
int ftrace_redirect_locked(struct ftrace_ops *ops, unsigned long direct);

/*
 * A flag for trace arrays: the owner keeps @ops when it is unregistered, and
 * calls ftrace_retire_wait() before it frees it. A tracer that is switched off
 * need not wait then.
 */
#define FTRACE_OPS_FL_KEPT	BIT(9)

/* Its registration was undone after text had been written, see below. */
#define FTRACE_OPS_FL_REVERTED	BIT(10)

static inline bool ftrace_ops_owed_wait(const struct ftrace_ops *ops)
{
	return (ops->flags & FTRACE_OPS_FL_DYNAMIC) && !(ops->flags & FTRACE_OPS_FL_KEPT);
}

/* Only one of the kind at a site, and it has to name its functions. */
static inline bool ftrace_ops_exclusive(const struct ftrace_ops *ops)
{
	return ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT);
}

bool ftrace_ops_registered(struct ftrace_ops *ops);

/*
 * By kernel.ftrace_enabled, hooks are on text. Mixed sites ask: those that are
 * held could not be switched off. Written with ftrace_lock held.
 */
extern bool ftrace_text_on;

/* dispatch.c: callbacks that stand before a client's (recursion, RCU, PID) */
ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops);
void ftrace_dispatch_mixed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs);

/* Why nothing can be done: 0, or -ENODEV after ftrace_kill(). */
static inline int ftrace_dead(void)
{
	return unlikely(READ_ONCE(ftrace_disabled)) ? -ENODEV : 0;
}

#endif /* _FTRACE_OPS_H */
