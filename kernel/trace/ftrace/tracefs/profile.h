/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function profiler's files.
 */
#ifndef _FTRACE_PROFILE_H
#define _FTRACE_PROFILE_H

struct dentry;

#ifdef CONFIG_FUNCTION_PROFILER
void ftrace_create_profile_files(struct dentry *parent);
#else
static inline void ftrace_create_profile_files(struct dentry *parent)
{
}
#endif

#endif /* _FTRACE_PROFILE_H */
