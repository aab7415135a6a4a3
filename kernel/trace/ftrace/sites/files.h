/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which source file, and which module that was built in, a function is of.
 */
#ifndef _FTRACE_FILES_H
#define _FTRACE_FILES_H

#include "match.h"
#include "siteset.h"

struct ftrace_site_block;

#ifdef CONFIG_FTRACE_FUNCTION_FILES
bool ftrace_files_any(const struct ftrace_match *m);
int ftrace_files_keep(const struct ftrace_match *m, struct ftrace_siteset_builder *found,
		      size_t from);
const char *ftrace_files_path(const struct ftrace_site_block *b, unsigned long ip);
#else
static inline bool ftrace_files_any(const struct ftrace_match *m)
{
	return false;
}

static inline int ftrace_files_keep(const struct ftrace_match *m,
				    struct ftrace_siteset_builder *found, size_t from)
{
	found->n = from;
	return 0;
}

static inline const char *ftrace_files_path(const struct ftrace_site_block *b, unsigned long ip)
{
	return NULL;
}
#endif

#endif /* _FTRACE_FILES_H */
