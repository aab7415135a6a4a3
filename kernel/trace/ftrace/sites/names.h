/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From names to sites and back.
 *
 * A single exact name is looked up in the index of kallsyms or in a hash table, a
 * pattern by walking sites and symbols side by side in address order. A module's
 * symbols are assigned to its sites, again when the symbol table moves or there are
 * more sites.
 */
#ifndef _FTRACE_NAMES_H
#define _FTRACE_NAMES_H

#include <linux/kallsyms.h>
#include <linux/kallsyms_walk.h>
#include <linux/module.h>
#include <linux/string.h>
#include "match.h"
#include "site.h"

struct ftrace_condset;

/* In listings, followed by a number: a site that cannot be traced. */
#define FTRACE_INVALID_NAME	"__ftrace_invalid_address__"

int ftrace_names_find(const struct ftrace_match *m, const char *mod,
		      struct ftrace_siteset_builder *found);

bool ftrace_names_undiscovered(const struct ftrace_match *m);

/* For FTRACE_AT, a module's name, '+', a number, and the NUL. */
#define FTRACE_WHERE_LEN	(MODULE_NAME_LEN + 24)

const char *ftrace_names_where(struct ftrace_site_block *b, u32 i,
			       const struct ftrace_siteset *set,
			       const struct ftrace_condset *conds, char *buf);

/*
 * Names the sites of a block in ascending order, as available_filter_functions lists
 * them. The time for each site does not depend on the number of symbols.
 */
struct ftrace_names_cursor {
	struct ftrace_site_block *block;
	struct kallsyms_walk walk;
};

void ftrace_names_start(struct ftrace_names_cursor *c, struct ftrace_site_block *b, u32 i);
const char *ftrace_names_at(struct ftrace_names_cursor *c, u32 i, char *buf);

/* The name of the module that @b belongs to; not for the kernel's blocks. ftrace_lock held. */
const char *ftrace_names_owner(const struct ftrace_site_block *b);

int ftrace_names_check_block(struct ftrace_site_block *b);
void ftrace_names_free(struct ftrace_site_block *b);

/* The symbol of a site's function, from its module's symbol table. */
struct ftrace_names_symbol {
	unsigned long value, size;
	char type;
	char name[KSYM_NAME_LEN];
};

bool ftrace_names_symbol(struct ftrace_site_block *b, u32 i, struct ftrace_names_symbol *sym);

#endif /* _FTRACE_NAMES_H */
