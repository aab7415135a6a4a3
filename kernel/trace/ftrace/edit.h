/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes to a set of sites, collected word by word and applied at once.
 *
 * What comes in and what goes out is kept apart from the set that it changes:
 * two who collect at the same time do not undo each other, and nothing is
 * copied for each word. A word costs one bit for each site that it names.
 */
#ifndef _FTRACE_EDIT_H
#define _FTRACE_EDIT_H

#include "filter.h"
#include "names.h"

struct ftrace_edit {
	bool		reset;		/* starts from the empty set, not from what is there */
	bool		changed;
	bool		lost;		/* something that was to come in is gone with its text */
	u32		room;		/* bits in each of the maps */
	unsigned long	*add;
	unsigned long	*del;		/* no bit is set in both */
	struct ftrace_siteset_builder found;	/* of the last word; its memory is used again */
};

int ftrace_edit_find(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod);
bool ftrace_edit_has_any(const struct ftrace_edit *e, const struct ftrace_siteset *base);
int ftrace_edit_stage(struct ftrace_edit *e, bool remove);
int ftrace_edit_word(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod);
struct ftrace_siteset *ftrace_edit_apply(const struct ftrace_edit *e,
					 struct ftrace_siteset *base);
void ftrace_edit_forget(struct ftrace_edit *e, u32 first, u32 end);
void ftrace_edit_drop(struct ftrace_edit *e);

struct ftrace_filter *ftrace_edit_filter(struct ftrace_filter *old, struct ftrace_siteset *set,
					 bool except, bool none);
struct ftrace_filter *ftrace_filter_edit(struct ftrace_filter *old, const char *word,
					 size_t len, bool except, bool reset);

#endif /* _FTRACE_EDIT_H */
