/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ran: found sites that have been executed since boot or since a reset.
 */
#ifndef _FTRACE_RAN_H
#define _FTRACE_RAN_H

struct dentry;

int ftrace_ran_reset(void);
void ftrace_ran_create_file(struct dentry *parent);

#endif /* _FTRACE_RAN_H */
