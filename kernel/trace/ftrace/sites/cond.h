/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions: the calls of a function that are meant, by its arguments.
 */
#ifndef _FTRACE_COND_H
#define _FTRACE_COND_H

#include <linux/refcount.h>
#include "siteset.h"

struct ftrace_regs;

/* Between the functions of a word and their condition. */
#define FTRACE_IF		":if:"

/* A word has so many comparisons, and a filter so many different conditions. */
#define FTRACE_COND_TERMS	8
#define FTRACE_CONDS		32

/*
 * One comparison. Every operator is a range of what the argument may be, as far up
 * in a register as it goes, so that values of any size wrap around as the register
 * does; a range may wrap around, too.
 */
struct ftrace_cond_term {
	u32		offset;		/* of the argument in struct ftrace_regs */
	u32		more;		/* another one follows */
	unsigned long	scale;		/* takes it up: a power of 2 */
	unsigned long	mask;		/* bits that count */
	unsigned long	first;		/* of the range */
	unsigned long	span;		/* last one less first one */
};

struct ftrace_cond {
	refcount_t		refs;
	unsigned int		nr;
	const char		*text;		/* behind the terms */
	struct ftrace_cond_term	terms[];
};

/* What is known of an argument. */
struct ftrace_cond_param {
	const char	*name;		/* "" or NULL: it has none */
	u8		bits;		/* of its type; 0: that is no integer */
	bool		is_signed;
};

struct ftrace_cond *ftrace_cond_parse(const char *text, const struct ftrace_cond_param *params,
				      int nr, unsigned int *pos);
struct ftrace_cond *ftrace_cond_get(struct ftrace_cond *cond);
void ftrace_cond_put(struct ftrace_cond *cond);

/* True if the arguments in @fregs are meant. In any context. */
static __always_inline bool ftrace_cond_passes(const struct ftrace_cond *cond,
					       const struct ftrace_regs *fregs)
{
	const struct ftrace_cond_term *t = cond->terms;

	do {
		unsigned long arg = *(const unsigned long *)((const char *)fregs + t->offset);

		/* Not a shift, which needs a register that callbacks have an argument in. */
		if ((arg * t->scale & t->mask) - t->first > t->span)
			return false;
	} while (t++->more);
	return true;
}

/*
 * The sites of a filter that have a condition, each in one set. Immutable; NULL is
 * none.
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
