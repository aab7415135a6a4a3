/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks: our registrations of clients' ops.
 */
#ifndef _FTRACE_HOOK_H
#define _FTRACE_HOOK_H

#include <linux/ftrace.h>
#include "../sites/filter.h"
#include "../sites/lock.h"
#include "retire.h"

/* What a hook needs from the trampoline that calls it. */
#define FTRACE_NEED_REGS	BIT(0)	/* full pt_regs */
#define FTRACE_NEED_DIRECT	BIT(1)	/* makes a direct call; at most one in a combo */
#define FTRACE_NEED_IPMODIFY	BIT(2)	/* may change regs->ip; at most one in a combo */
#define FTRACE_NEED_GRAPH	BIT(3)	/* a slot of the graph tracer, see ->graph_slot */

/* Two hooks that need the same one of these exclude each other. */
#define FTRACE_NEED_EXCLUSIVE	(FTRACE_NEED_DIRECT | FTRACE_NEED_IPMODIFY)

/*
 * A hook: our registration of one ops, with everything that is compiled into
 * trampolines. An ops has one hook for the functions of its filter that have no
 * condition, ops->hook, and one for each condition. Except ->retired and the fields
 * marked [L], it is immutable. To change what is called (a PID test before the
 * callback), make other hooks with the same ->order and move the sites in one plan,
 * see swap.c. Targets of direct calls are kept with the sites, see
 * ../sites/targets.h.
 */
struct ftrace_hook {
	struct list_head	list;	/* [L, RCU read] registered hooks, latest first */
	struct ftrace_retired	retired;
	struct ftrace_ops	*ops;
	ftrace_func_t		call;	/* what trampolines call, with ftrace_hook_arg() */
	struct ftrace_cond	*cond;	/* which calls are passed on; NULL: all. A reference */
	ftrace_func_t		then;	/* what these are passed to, with ->ops */
	u64			order;	/* of registration; later is larger */
	u16			need;
	u16			graph_slot;
	u32			nr_combos;	/* [L] combos that contain it */
	struct ftrace_filter __rcu *filter;	/* [L] in force; read by the mixed dispatcher */
	const struct ftrace_change *change;	/* [L] while a plan is made */
};

/* The third argument of ->call. */
static inline void *ftrace_hook_arg(const struct ftrace_hook *hook)
{
	return hook->cond ? (void *)hook : hook->ops;
}

/* The last call of trampolines with a direct call: sets the site's target. */
void ftrace_direct_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs);

/* What trampolines call if one of their graph hooks has a condition. @op: the combo. */
void ftrace_graph_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct ftrace_regs *fregs);

extern struct list_head ftrace_hooks;	/* [L, RCU read] latest first */

extern int ftrace_enabled;		/* only shown, by the sysctl */
extern bool ftrace_disabled;		/* set once, by ftrace_kill() or a failed boot */
extern struct ftrace_ops global_ops;

/* The filter in force of a hook; NULL: it is on no site. ftrace_lock held. */
static inline struct ftrace_filter *ftrace_hook_filter(const struct ftrace_hook *hook)
{
	return rcu_dereference_protected(hook->filter, lockdep_is_held(&ftrace_lock));
}

/* A site can have one exclusive ops of each kind, whose filter must name its functions. */
static inline bool ftrace_ops_exclusive(const struct ftrace_ops *ops)
{
	return ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT);
}

/* The client's callback; NULL: the ops makes direct calls. */
static inline void *ftrace_hook_callback(const struct ftrace_hook *hook)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (hook->need & FTRACE_NEED_GRAPH)
		return container_of(hook->ops, struct fgraph_ops, ops)->entryfunc;
#endif
	return hook->ops->func;
}

bool ftrace_ops_registered(struct ftrace_ops *ops);

/* exclusive.c */
int ftrace_exclusive_check(struct ftrace_ops *ops, struct ftrace_filter_slot *slot,
			   const struct ftrace_filter *filter);

/*
 * The filter slot of an ops: its own, or the one it shares, see
 * ftrace_ops_set_global_filter() and fgraph_init_ops().
 */
static inline struct ftrace_filter_slot *ftrace_ops_slot(struct ftrace_ops *ops)
{
	return ops->slot ?: &ops->own;
}

/* -ENODEV after ftrace_kill(), else 0. */
static inline int ftrace_dead(void)
{
	return unlikely(READ_ONCE(ftrace_disabled)) ? -ENODEV : 0;
}

#endif /* _FTRACE_HOOK_H */
