/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which sites a hook wants: an immutable value.
 *
 * "All functions" is a flag and "no function" is an empty set; the two are
 * never told by the same thing. What an empty set means to a user (that a
 * filter file without a line stands for all) is decided in ops.c and nowhere
 * else.
 */
#ifndef _FTRACE_FILTER_H
#define _FTRACE_FILTER_H

#include <linux/rcupdate.h>
#include "siteset.h"

struct ftrace_filter {
	refcount_t		refs;
	bool			all;	/* @only is not looked at */
	struct rcu_head		rcu;
	struct ftrace_siteset	*only;
	struct ftrace_siteset	*except;
};

/* Everything; also what a hook without a filter has. Never freed. */
extern struct ftrace_filter ftrace_filter_all;
/* Nothing, for whoever is to have a filter that has nothing. Never freed. */
extern struct ftrace_filter ftrace_filter_none;

/* References to these are not counted. */
static inline bool ftrace_filter_is_static(const struct ftrace_filter *f)
{
	return f == &ftrace_filter_all || f == &ftrace_filter_none;
}

/* Any context, noinstr callers included. NULL is the filter that has nothing. */
static __always_inline bool ftrace_filter_has(const struct ftrace_filter *f, u32 nr)
{
	return f && (f->all || ftrace_siteset_has(f->only, nr)) &&
	       !ftrace_siteset_has(f->except, nr);
}

/* No function was named and not all are meant: those that were are gone, or to come. */
static inline bool ftrace_filter_nothing(const struct ftrace_filter *f)
{
	return !f->all && !f->only;
}

/*
 * Takes over the references of @only and @except, also when it fails.
 * Return: a reference, or ERR_PTR(-ENOMEM).
 */
struct ftrace_filter *ftrace_filter_make(bool all, struct ftrace_siteset *only,
					 struct ftrace_siteset *except);
struct ftrace_filter *ftrace_filter_get(struct ftrace_filter *f);
void ftrace_filter_put(struct ftrace_filter *f);	/* frees after an RCU grace period */

/*
 * The sites in @to but not in @from (@added) and the other way round
 * (@removed), both of them taken from [0, @end). O(size of the sets) where
 * neither filter is "all", O(@end / 64) words where one is.
 * Return: 0 or -ENOMEM (then both are NULL).
 */
int ftrace_filter_delta(struct ftrace_filter *from, struct ftrace_filter *to,
			u32 end, struct ftrace_siteset **added,
			struct ftrace_siteset **removed);

/* @f without the numbers [first, end), for text that goes away. Cannot fail. */
struct ftrace_filter *ftrace_filter_without(struct ftrace_filter *f, u32 first, u32 end);

#endif /* _FTRACE_FILTER_H */
