/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session of an open filter file.
 */
#ifndef _FTRACE_FILTER_SESSION_H
#define _FTRACE_FILTER_SESSION_H

#include "draft.h"
#include "error_log.h"
#include "filter_mods.h"
#include "tracers.h"
#include "walk.h"

/* What a reader shows of each tracer, in this order. */
enum ftrace_stage {
	SHOW_SITES,		/* a function of the filter */
	SHOW_NONE,		/* the line that says there is no filter */
	SHOW_WAITING,		/* a word for functions that are not discovered yet */
	SHOW_MODS,		/* a filter for a module that is not loaded */
	SHOW_PROBES,		/* a function with a command */
};

/* The position of a reader. */
struct ftrace_reader {
	bool			started;
	loff_t			pos;
	unsigned int		tracer;
	enum ftrace_stage	stage;
	unsigned int		nth;	/* number of the word, the entry of mods, or the probe */
	struct ftrace_walk	walk;	/* over the filter's or the probe's sites */

	struct list_head	*mods;	/* the list of ->mod; NULL: none yet */
	struct ftrace_mod_load	*mod;	/* entry number ->mod_nth */
	unsigned int		mod_nth;
	u64			mods_generation;	/* ->mod is valid if it has not changed */
};

struct ftrace_session {
	struct ftrace_draft	draft;
	struct trace_array	*tr;		/* of the file, with a reference; may be NULL */
	struct ftrace_tracers	*tracers;
	bool			except;		/* the file is set_ftrace_notrace */
	const char		*file;

	char			text[FTRACE_WORD_MAX];	/* copy of a word, for parsing */
	struct ftrace_cond	*cond;			/* of the word; a reference, or NULL */
	struct ftrace_mods_edit	mods;			/* staged filters for modules */

	struct ftrace_reader		reader;
};

/* The tracer whose filter a write changes. */
static inline struct ftrace_tracer *ftrace_session_tracer(struct ftrace_session *s)
{
	return &s->tracers->tracer[s->tracers->target];
}

/* The list of filters for modules that the file changes; NULL: the tracer has none. */
static inline struct list_head *ftrace_session_mods(struct ftrace_session *s)
{
	return ftrace_session_tracer(s)->mods[s->except];
}

/* Words of the file that wait for functions; NULL: there were none. ftrace_lock held. */
static inline struct ftrace_waiting *ftrace_session_waiting(struct ftrace_session *s)
{
	return ftrace_slot_waiting(ftrace_tracer_slot(ftrace_session_tracer(s)), s->except);
}

struct ftrace_session *ftrace_session_make(struct trace_array *tr, struct ftrace_ops *ops,
					   bool except, struct file *file,
					   const struct ftrace_draft_ops *draft_ops);
void ftrace_session_free(struct ftrace_session *s);
bool ftrace_session_alive(struct ftrace_session *s);
int ftrace_session_apply(struct ftrace_session *s);
void ftrace_session_gone(struct ftrace_draft *draft, u32 first, u32 end);
void ftrace_session_complain(struct ftrace_session *s, unsigned int pos, enum ftrace_why why);

#endif /* _FTRACE_FILTER_SESSION_H */
