/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that list functions.
 */
#ifndef _FTRACE_SITES_H
#define _FTRACE_SITES_H

#include <linux/types.h>

struct dentry;
struct file;
struct ftrace_site_block;

int ftrace_names_open(struct file *file,
		      u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *));
void ftrace_create_site_files(struct dentry *parent);

#endif /* _FTRACE_SITES_H */
