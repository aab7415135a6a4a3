/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Edits: changes to a set of sites, collected word by word and applied at once.
 *
 * An edit keeps the added and the removed sites apart from the set that it will
 * change. So two edits made at the same time do not undo each other, and the set is
 * not copied for each word. A map has one bit for each site number.
 */
#ifndef _FTRACE_EDIT_H
#define _FTRACE_EDIT_H

#include "filter.h"
#include "names.h"

struct ftrace_edit {
	bool		reset;		/* start from the empty set instead of the old one */
	bool		changed;
	bool		lost;		/* an empty set means nothing: all sites to be added
					 * were unloaded, or cannot be traced
					 */
	bool		failed;		/* sites to be added are missing: memory was short */
	u32		room;		/* number of bits in each map */
	unsigned long	*add;
	unsigned long	*del;		/* no bit is set in both maps */
	struct ftrace_cond *cond;	/* for sites staged next; NULL: none. Not a reference */
	struct ftrace_condset *conds;	/* of the sites in ->add */
	struct ftrace_siteset_builder found;	/* sites of the last word; the memory is reused */
};

int ftrace_edit_find(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod);
bool ftrace_edit_has_any(const struct ftrace_edit *e, const struct ftrace_siteset *base);
int ftrace_edit_stage(struct ftrace_edit *e, bool remove);
int ftrace_edit_stage_sites(struct ftrace_edit *e, struct ftrace_siteset_builder *sites,
			    bool remove);
int ftrace_edit_word(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod);
struct ftrace_siteset *ftrace_edit_apply(const struct ftrace_edit *e,
					 struct ftrace_siteset *base);
void ftrace_edit_forget(struct ftrace_edit *e, u32 first, u32 end);
void ftrace_edit_drop(struct ftrace_edit *e);

struct ftrace_filter *ftrace_filter_with_set(struct ftrace_filter *old, struct ftrace_siteset *set,
					     bool except, bool none, const struct ftrace_edit *e);
struct ftrace_filter *ftrace_filter_with_word(struct ftrace_filter *old, const char *word,
					      size_t len, bool except, bool reset);

#endif /* _FTRACE_EDIT_H */
