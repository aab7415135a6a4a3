/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From names to sites and back.
 *
 * Exact names go through the kernel's sorted symbol index, globs through one
 * merge of the sites and the symbols, which are both in address order; the
 * symbols of a module are sorted once. Nothing here walks all sites for each
 * name.
 */
#ifndef _FTRACE_NAMES_H
#define _FTRACE_NAMES_H

#include <linux/kallsyms.h>
#include <linux/kallsyms_walk.h>
#include "match.h"
#include "site.h"

/* In lists, with a number behind it, in place of what cannot be traced. */
#define FTRACE_INVALID_NAME	"__ftrace_invalid_address__"

/*
 * Sites whose function matches @m and whose owner matches @mod.
 * @mod: NULL: kernel and all modules; "": the same as NULL; else a pattern for
 *	 the module's name ("*": any module; "!name": all but this one's, the kernel's
 *	 among them)
 * Context: process, ftrace_lock held, may sleep.
 * Return: 0 (also when nothing matched; look at the builder), -ENOMEM,
 *	   -EINVAL index out of range.
 */
int ftrace_names_find(const struct ftrace_match *m, const char *mod,
		      struct ftrace_siteset_builder *found);

/*
 * As lines of available_filter_functions: walks the sites of a block in order
 * and names each in a time that does not depend on the number of symbols.
 * ftrace_lock held from start to the last use.
 */
struct ftrace_names_cursor {
	struct ftrace_site_block *block;
	struct kallsyms_walk walk;
};

void ftrace_names_start(struct ftrace_names_cursor *c, struct ftrace_site_block *b, u32 i);
/*
 * The name of site @i, which is not below the last one asked for.
 * @buf: KSYM_NAME_LEN bytes. For a site that is FTRACE_SITE_DEAD it is
 *	 "__ftrace_invalid_address___<offset>".
 * Return: @buf.
 */
const char *ftrace_names_at(struct ftrace_names_cursor *c, u32 i, char *buf);

/* The name of the module that @b is of, which is not the kernel's. ftrace_lock held. */
const char *ftrace_names_owner(const struct ftrace_site_block *b);

/* After a module's symbols are in place: mark weak losers DEAD. ftrace_lock held. */
int ftrace_names_check_block(struct ftrace_site_block *b);
void ftrace_names_free(struct ftrace_site_block *b);

/* What a module's symbol table has of the function of site @i. ftrace_lock held. */
struct ftrace_names_symbol {
	unsigned long value, size;
	char type;
	char name[KSYM_NAME_LEN];
};

bool ftrace_names_symbol(struct ftrace_site_block *b, u32 i, struct ftrace_names_symbol *sym);

#endif /* _FTRACE_NAMES_H */
