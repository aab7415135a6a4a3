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

/* What ->in of a struct ftrace_match is. */
enum ftrace_where {
	FTRACE_IN_FILE,		/* pattern for the path of a source file */
	FTRACE_IN_DIR,		/* a folder with all below it; not a pattern */
	FTRACE_IN_MODULE,	/* pattern for the name of a built-in module */
};

struct ftrace_match {
	enum ftrace_match_kind	kind;
	bool			not;	/* a leading '!' */
	unsigned long		index;	/* 1-based, for FTRACE_MATCH_INDEX */
	size_t			len;
	const char		*text;	/* in the caller's string, which must outlive this */
	const char		*at;	/* what follows FTRACE_AT; NULL: no FTRACE_AT */
	const char		*in;	/* what follows FTRACE_FILE or FTRACE_DIR; or NULL */
	enum ftrace_where	where;	/* what ->in is */
};

/* Separates a name from the address of the one function that is meant. */
#define FTRACE_AT		":at:"
/* Separate a name or a pattern from the file or the folder of the functions. */
#define FTRACE_FILE		":file:"
#define FTRACE_DIR		":dir:"

const char *ftrace_match_where(const char *text, size_t *len);

int ftrace_match_parse(struct ftrace_match *m, const char *text, size_t len);
void ftrace_match_parse_name(struct ftrace_match *m, const char *text, size_t len);
bool ftrace_match(const struct ftrace_match *m, const char *name);

#endif /* _FTRACE_MATCH_H */
