/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registrations: which ops are hooked, with which filters, and how both change.
 *
 * A filter slot (struct ftrace_filter_home) holds the filter of one ops, or of
 * several that share it.
 */
#ifndef _FTRACE_OPS_H
#define _FTRACE_OPS_H

#include "plan.h"

extern int ftrace_enabled;		/* as written by the sysctl */
extern bool ftrace_disabled;		/* set once, by ftrace_kill() */
extern struct ftrace_ops global_ops;
extern struct list_head ftrace_hooks;	/* [L, RCU read] latest first */

struct ftrace_filter_home *ftrace_ops_home(struct ftrace_ops *ops);

struct ftrace_filter *ftrace_home_filter(struct ftrace_filter_home *home);
struct ftrace_filter *ftrace_home_filter_get(struct ftrace_filter_home *home);

int ftrace_home_set(struct ftrace_filter_home *home, struct ftrace_filter *filter);
int ftrace_home_set_locked(struct ftrace_filter_home *home, struct ftrace_filter *filter);

void ftrace_homes_purge(u32 first, u32 end);
void ftrace_homes_forget(struct module *mod);

int ftrace_ops_rehome_locked(struct ftrace_ops *ops, struct ftrace_filter_home *home);

int ftrace_register_locked(struct ftrace_ops *ops);
int ftrace_unregister_locked(struct ftrace_ops *ops);
void ftrace_ops_wait(struct ftrace_ops *ops);
void ftrace_ops_wait_reverted(struct ftrace_ops *ops);
int unregister_ftrace_functions(struct ftrace_ops **ops, unsigned int nr);

int ftrace_update_pid_hooks(void);

int ftrace_redirect_locked(struct ftrace_ops *ops, unsigned long direct);

/*
 * Set for trace arrays: the owner keeps @ops after it is unregistered, and
 * calls ftrace_retire_wait() before freeing it. So switching a tracer off need
 * not wait.
 */
#define FTRACE_OPS_FL_KEPT	BIT(9)

/* The registration was undone after text was written, see ftrace_ops_wait_reverted(). */
#define FTRACE_OPS_FL_REVERTED	BIT(10)

static inline bool ftrace_ops_owed_wait(const struct ftrace_ops *ops)
{
	return (ops->flags & FTRACE_OPS_FL_DYNAMIC) && !(ops->flags & FTRACE_OPS_FL_KEPT);
}

/* Only one such ops of a kind can be on a site, and its filter must name functions. */
static inline bool ftrace_ops_exclusive(const struct ftrace_ops *ops)
{
	return ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT);
}

bool ftrace_ops_registered(struct ftrace_ops *ops);

/*
 * Whether the text has hooks on it, according to kernel.ftrace_enabled. The
 * mixed dispatcher tests it: held sites could not be switched off. Written with
 * ftrace_lock held.
 */
extern bool ftrace_text_on;

/* dispatch.c: functions called before a client's callback (recursion, RCU, PID) */
ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops);
void ftrace_dispatch_mixed(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs);

/* -ENODEV after ftrace_kill(), else 0. */
static inline int ftrace_dead(void)
{
	return unlikely(READ_ONCE(ftrace_disabled)) ? -ENODEV : 0;
}

#endif /* _FTRACE_OPS_H */
