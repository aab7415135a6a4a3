/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trampolines as pieces of executable memory: many share a page. They are
 * announced to kallsyms and perf.
 */
#ifndef _FTRACE_TRAMP_H
#define _FTRACE_TRAMP_H

#include <linux/ftrace/arch.h>

struct ftrace_tramp_page;

struct ftrace_tramp {
	struct hlist_node	node;	/* [T, RCU read] of ->page, until freed */
	struct rcu_head		rcu;
	struct ftrace_tramp_page *page;	/* [I] */
	unsigned long		ip;	/* [I] */
	u32			size;	/* [I] */
	bool			regs;	/* [I] as in its spec */
	bool			direct;	/* [I] */
	bool			bare;	/* [I] */
	bool			unlisted; /* [T] removed from kallsyms; read by anyone */
};

struct ftrace_tramp *ftrace_tramp_make(const struct ftrace_tramp_spec *spec);
void ftrace_tramp_unlist(struct ftrace_tramp *tramp);
void ftrace_tramp_free(struct ftrace_tramp *tramp);
void ftrace_tramp_settle(void);

int ftrace_tramp_nth(unsigned int n, unsigned long *ip, u32 *size);
unsigned long ftrace_tramp_pages(void);	/* for the tests */

#endif /* _FTRACE_TRAMP_H */
