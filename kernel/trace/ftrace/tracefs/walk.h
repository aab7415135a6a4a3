/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over sites that may drop ftrace_lock between steps.
 */
#ifndef _FTRACE_WALK_H
#define _FTRACE_WALK_H

#include "../sites/names.h"

struct seq_file;

struct ftrace_walk {
	/* The first wanted site of @b from index @i on, up to but not @end; @end: none. */
	u32			(*pick)(const struct ftrace_site_block *b, u32 i, u32 end,
					const void *what);
	const void		*what;
	int			(*show)(struct seq_file *m, struct ftrace_walk *walk);	/* a line */

	struct ftrace_site_block *block;	/* current site's block; NULL: past the end */
	u32			i;
	u64			line;		/* number of wanted sites before the current one */
	unsigned long		ip;		/* of the current site */
	u64			generation;	/* ftrace_site_generation when the above was set */
	bool			started;
	struct ftrace_names_cursor names;
};

bool ftrace_walk_start(struct ftrace_walk *walk);
bool ftrace_walk_next(struct ftrace_walk *walk);
bool ftrace_walk_resume(struct ftrace_walk *walk);
bool ftrace_walk_to(struct ftrace_walk *walk, u64 line);
const char *ftrace_walk_function(struct ftrace_walk *walk, char *buf);
void ftrace_walk_name(struct ftrace_walk *walk, struct seq_file *m);
u32 ftrace_pick_set(const struct ftrace_site_block *b, u32 i, u32 end, const void *what);

#endif /* _FTRACE_WALK_H */
