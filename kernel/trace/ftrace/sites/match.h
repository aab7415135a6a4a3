/* SPDX-License-Identifier: GPL-2.0 */
/* Patterns for function and module names: parsed once, matched often. */
#ifndef _FTRACE_MATCH_H
#define _FTRACE_MATCH_H

#include <linux/types.h>

enum ftrace_match_kind {
	FTRACE_MATCH_FULL,	/* "name": exact */
	FTRACE_MATCH_FRONT,	/* "name*" */
	FTRACE_MATCH_MIDDLE,	/* "*name*" */
	FTRACE_MATCH_END,	/* "*name" */
	FTRACE_MATCH_GLOB,	/* anything else with * ? [ or \ */
	FTRACE_MATCH_INDEX,	/* "123" or "0x7b": a line of available_filter_functions */
	FTRACE_MATCH_ALL,	/* "" or "*" */
};

/* What ->in of a match is a pattern for. */
enum ftrace_where {
	FTRACE_IN_FILE,		/* path of a source file */
	FTRACE_IN_DIR,		/* no pattern: a folder, with all below it */
	FTRACE_IN_MODULE,	/* a module that was built in */
};

struct ftrace_match {
	enum ftrace_match_kind	kind;
	bool			not;	/* a leading '!' */
	unsigned long		index;	/* 1-based, for FTRACE_MATCH_INDEX */
	size_t			len;
	const char		*text;	/* in the caller's string, which must outlive this */
	const char		*at;	/* what follows FTRACE_AT in it; NULL: nothing does */
	const char		*in;	/* what follows FTRACE_FILE or FTRACE_DIR; or NULL */
	enum ftrace_where	where;	/* what ->in is */
};

/* Between a name and the place of the one function that is meant. */
#define FTRACE_AT		":at:"
/* Between a name or a pattern and where the functions are that are meant. */
#define FTRACE_FILE		":file:"
#define FTRACE_DIR		":dir:"

const char *ftrace_match_where(const char *text, size_t *len);

int ftrace_match_parse(struct ftrace_match *m, const char *text, size_t len);
void ftrace_match_parse_name(struct ftrace_match *m, const char *text, size_t len);
bool ftrace_match(const struct ftrace_match *m, const char *name);

#endif /* _FTRACE_MATCH_H */
