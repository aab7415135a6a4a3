/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of the module ftrace_defects, and what each has for the others.
 */
#ifndef _FTRACE_DEFECTS_H
#define _FTRACE_DEFECTS_H

#include <linux/completion.h>
#include <linux/sched.h>

#include "cases.h"

/* defects_module.c */
struct task_struct *start_task(int (*fn)(void *), const char *name, struct completion *in);

/* fail_alloc.c */
void fail_alloc_arm(long n);
bool fail_alloc_disarm(void);
int fail_alloc_init(void);

#endif /* _FTRACE_DEFECTS_H */
