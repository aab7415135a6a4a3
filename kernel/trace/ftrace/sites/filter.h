/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters: immutable values that say which sites a hook wants.
 *
 * "All functions" is the flag ->all, "no function" is an empty set; neither
 * stands for the other. Users say "all" with an empty filter file: only edit.c
 * translates that.
 */
#ifndef _FTRACE_FILTER_H
#define _FTRACE_FILTER_H

#include <linux/rcupdate.h>
#include "cond.h"
#include "siteset.h"

struct ftrace_filter {
	refcount_t		refs;
	bool			all;	/* ->only is ignored */
	struct rcu_head		rcu;
	struct ftrace_siteset	*only;
	struct ftrace_siteset	*except;
	struct ftrace_condset	*conds;	/* of sites in ->only; NULL: none. NULL if ->all */
};

/* Every site; also used for a hook without a filter. Never freed. */
extern struct ftrace_filter ftrace_filter_all;
/* No site; every filter without sites and exceptions is this one. Never freed. */
extern struct ftrace_filter ftrace_filter_none;

/* References to these two filters are not counted. */
static inline bool ftrace_filter_is_static(const struct ftrace_filter *f)
{
	return f == &ftrace_filter_all || f == &ftrace_filter_none;
}

/* True if @f names its functions one by one, as that of an exclusive hook has to. */
static inline bool ftrace_filter_names(const struct ftrace_filter *f)
{
	return !f->all && !f->except && !f->conds;
}

/*
 * NULL has no site. Any context, noinstr code included. Preemption off, or the caller
 * holds ftrace_lock or a reference to @f.
 */
static __always_inline bool ftrace_filter_has(const struct ftrace_filter *f, u32 nr)
{
	return f && (f->all || ftrace_siteset_has(f->only, nr)) &&
	       !ftrace_siteset_has(f->except, nr);
}

/* True if no function is wanted, as when all named ones are unloaded, or not loaded yet. */
static inline bool ftrace_filter_nothing(const struct ftrace_filter *f)
{
	return !f->all && !f->only;
}

/* Number of parts: the sites without a condition are one, those of each condition another. */
static inline unsigned int ftrace_filter_parts(const struct ftrace_filter *f)
{
	return 1 + (f->conds ? f->conds->nr : 0);
}

/* The condition of part @n; NULL: none. */
static inline struct ftrace_cond *ftrace_filter_cond(const struct ftrace_filter *f, unsigned int n)
{
	return n ? f->conds->on[n - 1].cond : NULL;
}

struct ftrace_filter *ftrace_filter_make(bool all, struct ftrace_siteset *only,
					 struct ftrace_siteset *except);
struct ftrace_filter *ftrace_filter_part(struct ftrace_filter *f, unsigned int n);
struct ftrace_filter *ftrace_filter_get(struct ftrace_filter *f);
void ftrace_filter_put(struct ftrace_filter *f);

int ftrace_filter_delta(struct ftrace_filter *from, struct ftrace_filter *to,
			u32 end, struct ftrace_siteset **added,
			struct ftrace_siteset **removed);

struct ftrace_filter *ftrace_filter_without(struct ftrace_filter *f, u32 first, u32 end);

#endif /* _FTRACE_FILTER_H */
