/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commit: apply a plan to sites.
 */
#ifndef _FTRACE_COMMIT_H
#define _FTRACE_COMMIT_H

#include "plan.h"

int ftrace_plan_write(struct ftrace_plan *plan);
void ftrace_plan_revert(struct ftrace_plan *plan);
void ftrace_plan_commit(struct ftrace_plan *plan);

void ftrace_commit_block(struct ftrace_site_block *b, bool on);

#endif /* _FTRACE_COMMIT_H */
