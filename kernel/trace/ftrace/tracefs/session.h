/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session of an open filter file, for filter_*.c and tracefs_filter.c.
 */
#ifndef _FTRACE_SESSION_H
#define _FTRACE_SESSION_H

#include "doors.h"

/* What a reader shows of each tracer, in this order. */
enum ftrace_stage {
	SHOW_SITES,		/* a function of the filter */
	SHOW_NONE,		/* the line that says there is no filter */
	SHOW_MODS,		/* a filter for a module to come */
	SHOW_PROBES,		/* a function with a command */
};

/* The position of a reader. */
struct ftrace_reader {
	bool			started;
	loff_t			pos;
	unsigned int		door;
	enum ftrace_stage	stage;
	unsigned int		nth;	/* number of the entry of mods, or of the probe */
	struct ftrace_walk	walk;	/* over the filter's or the probe's sites */
};

struct ftrace_session {
	struct list_head	list;		/* [L] in the list of all sessions */
	struct ftrace_draft	draft;
	struct trace_array	*tr;		/* of the file, with a reference; may be NULL */
	struct ftrace_doors	*doors;
	bool			except;		/* the file is set_ftrace_notrace */
	const char		*file;

	char			text[FTRACE_WORD_MAX];	/* copy of a word, for parsing */
	struct list_head	mods_add;	/* staged struct ftrace_mod_load */
	struct list_head	mods_del;	/* the same, to be removed */

	struct ftrace_reader		reader;
};

/* The tracer whose filter a write changes. */
static inline struct ftrace_door *ftrace_session_door(struct ftrace_session *s)
{
	return &s->doors->door[s->doors->target];
}

/* The filter in force of that tracer. ftrace_lock held. */
static inline struct ftrace_filter *ftrace_session_filter(struct ftrace_session *s)
{
	return ftrace_home_filter(ftrace_ops_home(ftrace_session_door(s)->ops));
}

/* The set of that filter which this file edits. ftrace_lock held. */
static inline struct ftrace_siteset *ftrace_session_base(struct ftrace_session *s)
{
	struct ftrace_filter *now = ftrace_session_filter(s);

	return s->except ? now->except : now->only;
}

/* filter_write.c */
int ftrace_session_word(struct ftrace_draft *draft);
void ftrace_session_complain(struct ftrace_session *s, unsigned int pos, enum ftrace_why why);

/* filter_mods.c; all but the first under ftrace_lock */
void ftrace_mods_free(struct list_head *mods);
bool ftrace_module_there(const char *module);
bool ftrace_session_has_mod(struct ftrace_session *s, const char *func, const char *module);
int ftrace_session_stage_mod(struct ftrace_session *s, const char *func, const char *module,
			     bool remove);
int ftrace_session_resolve_mods(struct ftrace_session *s);
bool ftrace_session_keeps_mods(struct ftrace_session *s, struct list_head *mods);
void ftrace_session_commit_mods(struct ftrace_session *s, struct list_head *mods);

/* filter_read.c */
extern const struct seq_operations ftrace_filter_seq_ops;

#endif /* _FTRACE_SESSION_H */
