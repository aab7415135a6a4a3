/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executable images: packed many to a page, announced to kallsyms and perf,
 * sealed, and freed once no one can be in them.
 */
#ifndef _FTRACE_TRAMP_H
#define _FTRACE_TRAMP_H

#include <linux/ftrace/arch.h>

struct ftrace_tramp {
	struct list_head	list;	/* live and retired ones, address order is not kept */
	struct rcu_head		rcu;
	unsigned long		ip;
	u32			size;
	bool			regs;
	bool			retired;
};

/*
 * Context: ftrace_lock held, may sleep; at boot with interrupts off, too.
 * Return: NULL where there is no memory or the architecture has no way.
 */
struct ftrace_tramp *ftrace_tramp_make(const struct ftrace_tramp_spec *spec);

/*
 * No site calls it any more. Freed, with an event to perf and kallsyms told,
 * after a rude tasks grace period (preempt-off readers that RCU does not see)
 * and then a tasks grace period (tasks preempted in it). Never waits;
 * @free, if not NULL, is called from process context with @arg after that.
 */
void ftrace_tramp_retire(struct ftrace_tramp *tramp, void (*free)(void *arg), void *arg);

/* As ftrace_tramp_retire() for things that trampolines point to. Never waits. */
void ftrace_retire(void (*free)(void *arg), void *arg);
/* Waits until everything that was retired before is free: one grace period pair at most. */
void ftrace_retire_wait(void);

/* Any context, NMI and oops included; retired ones are found until they are free. */
bool ftrace_tramp_find(unsigned long ip, unsigned long *start, u32 *size, bool *regs);
/* The @n-th for /proc/kallsyms. -ERANGE past the end. */
int ftrace_tramp_nth(unsigned int n, unsigned long *ip, u32 *size);
/* After the kernel's read-only data is sealed. */
void ftrace_tramp_seal(void);
/* Pages held, for dyn_ftrace_total_info and tests. */
unsigned long ftrace_tramp_pages(void);

#endif /* _FTRACE_TRAMP_H */
