/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that list functions.
 */
#ifndef _FTRACE_SITES_H
#define _FTRACE_SITES_H

struct dentry;

void ftrace_create_site_files(struct dentry *parent);

#endif /* _FTRACE_SITES_H */
