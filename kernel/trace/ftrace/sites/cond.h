/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions: the calls of a function that are meant, by its arguments.
 */
#ifndef _FTRACE_COND_H
#define _FTRACE_COND_H

#include <linux/refcount.h>
#include "siteset.h"

struct ftrace_regs;

/* In a word, separates the functions from their condition. */
#define FTRACE_IF		":if:"

/* At most so many comparisons in a word, and different conditions in a filter. */
#define FTRACE_COND_TERMS	8
#define FTRACE_CONDS		32

/*
 * One comparison, of any operator: the argument must be in a range. It is scaled up to
 * the top of a register, so that values of any size wrap around as the register does;
 * a range may wrap around, too.
 */
struct ftrace_cond_term {
	u32		offset;		/* of the argument in struct ftrace_regs */
	u32		more;		/* another one follows */
	unsigned long	scale;		/* a power of 2: moves the argument to the top */
	unsigned long	mask;		/* bits that count */
	unsigned long	first;		/* first value of the range */
	unsigned long	span;		/* last value minus first value */
};

struct ftrace_cond {
	refcount_t		refs;
	unsigned int		nr;		/* number of terms, at least 1 */
	const char		*text;		/* stored after the terms */
	struct ftrace_cond_term	terms[];
};

/* What is known of a function's argument. */
struct ftrace_cond_param {
	const char	*name;		/* "" or NULL: none */
	u8		bits;		/* width of its type; 0: not an integer */
	bool		is_signed;
};

struct ftrace_cond *ftrace_cond_parse(const char *text, const struct ftrace_cond_param *params,
				      unsigned int nr, unsigned int *pos);
struct ftrace_cond *ftrace_cond_get(struct ftrace_cond *cond);
void ftrace_cond_put(struct ftrace_cond *cond);

/* True if the arguments in @fregs satisfy the condition. In any context. */
static __always_inline bool ftrace_cond_passes(const struct ftrace_cond *cond,
					       const struct ftrace_regs *fregs)
{
	const struct ftrace_cond_term *t = cond->terms;

	do {
		unsigned long arg = *(const unsigned long *)((const char *)fregs + t->offset);

		/* Multiply: a shift needs a register that holds an argument of callbacks. */
		if ((arg * t->scale & t->mask) - t->first > t->span)
			return false;
	} while (t++->more);
	return true;
}

/*
 * The sites of a filter that have a condition. Each of these sites is in one entry.
 * Immutable; NULL: no site has a condition.
 */
struct ftrace_condset {
	refcount_t	refs;
	unsigned int	nr;
	struct {
		struct ftrace_cond	*cond;
		struct ftrace_siteset	*sites;		/* never NULL */
	} on[];
};

struct ftrace_condset *ftrace_condset_get(struct ftrace_condset *set);
void ftrace_condset_put(struct ftrace_condset *set);
struct ftrace_condset *ftrace_condset_with(struct ftrace_condset *set, struct ftrace_siteset *sites,
					   struct ftrace_cond *cond);
struct ftrace_condset *ftrace_condset_without(struct ftrace_condset *set, u32 first, u32 end);
struct ftrace_siteset *ftrace_condset_sites(const struct ftrace_condset *set);
const struct ftrace_cond *ftrace_condset_of(const struct ftrace_condset *set, u32 nr);

#endif /* _FTRACE_COND_H */
