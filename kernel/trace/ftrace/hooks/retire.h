/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Retiring: what text led to is freed after a tasks grace period.
 */
#ifndef _FTRACE_RETIRE_H
#define _FTRACE_RETIRE_H

#include <linux/list.h>

/* Embedded in what is retired. */
struct ftrace_retired {
	struct list_head	list;	/* [retire_lock] */
	void			(*free)(struct ftrace_retired *r);
};

void ftrace_retire(struct ftrace_retired *r, void (*free)(struct ftrace_retired *r));
void ftrace_retire_wait(void);
void ftrace_readers_wait(void);

#endif /* _FTRACE_RETIRE_H */
