/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Immutable sets of site numbers.
 *
 * A set is a sorted list of 32-bit numbers or a bitmap, whichever is smaller.
 * NULL is the empty set. A set never changes after it is made: it is shared by
 * reference and read without locks, also in NMIs.
 */
#ifndef _FTRACE_SITESET_H
#define _FTRACE_SITESET_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/refcount.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define FTRACE_NO_SITE	U32_MAX

struct ftrace_siteset {
	refcount_t	refs;
	u32		count;		/* members; never 0 */
	u32		first;		/* smallest member */
	u32		last;		/* largest member */
	bool		dense;
	union {
		/* Bit i stands for (first & ~63) + i. */
		DECLARE_FLEX_ARRAY(unsigned long, bits);
		DECLARE_FLEX_ARRAY(u32, nr);
	};
};

static __always_inline bool ftrace_siteset_has(const struct ftrace_siteset *set, u32 nr)
{
	u32 low, high;

	if (!set || nr < set->first || nr > set->last)
		return false;

	if (set->dense) {
		nr -= set->first & ~63U;
		return set->bits[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;
	}

	for (low = 0, high = set->count; high - low > 1; ) {
		const u32 mid = low + (high - low) / 2;

		if (set->nr[mid] <= nr)
			low = mid;
		else
			high = mid;
	}
	return set->nr[low] == nr;
}

static inline u32 ftrace_siteset_count(const struct ftrace_siteset *set)
{
	return set ? set->count : 0;
}

u32 ftrace_siteset_next(const struct ftrace_siteset *set, u32 from);

#define ftrace_siteset_for_each(set, nr)				\
	for ((nr) = ftrace_siteset_next(set, 0); (nr) != FTRACE_NO_SITE; \
	     (nr) = ftrace_siteset_next(set, (nr) + 1))

/* Iterates over a non-empty set with fewer instructions than ftrace_siteset_next(). */
struct ftrace_siteset_walk {
	const struct ftrace_siteset	*set;
	unsigned long			word;	/* dense: members of bits[i] that are left */
	u32				i;
	u32				end;	/* one past the last ->i */
};

static __always_inline u32 ftrace_siteset_walk_next(struct ftrace_siteset_walk *w)
{
	unsigned int bit;

	if (!w->set->dense)
		return ++w->i < w->end ? w->set->nr[w->i] : FTRACE_NO_SITE;

	while (!w->word) {
		if (++w->i >= w->end)
			return FTRACE_NO_SITE;
		w->word = w->set->bits[w->i];
	}
	bit = __ffs(w->word);
	w->word &= w->word - 1;
	return (w->set->first & ~63U) + w->i * BITS_PER_LONG + bit;
}

/*
 * Skip up to @most members that directly follow @nr, the last one returned. Returns
 * the number of skipped members; more may follow.
 */
static __always_inline u32 ftrace_siteset_walk_skip(struct ftrace_siteset_walk *w, u32 nr, u32 most)
{
	const unsigned int bit = nr % BITS_PER_LONG + 1;
	u32 n;

	if (!w->set->dense || bit == BITS_PER_LONG)
		return 0;
	n = min_t(u32, __ffs(~(w->word >> bit)), most);
	w->word &= ~((BIT(n) - 1) << bit);
	return n;
}

/* @set must not be empty. Returns its first member. */
static __always_inline u32 ftrace_siteset_walk_start(struct ftrace_siteset_walk *w,
						     const struct ftrace_siteset *set)
{
	*w = (struct ftrace_siteset_walk){ .set = set };
	if (!set->dense) {
		w->end = set->count;
		return set->nr[0];
	}
	w->end = (set->last - (set->first & ~63U)) / BITS_PER_LONG + 1;
	w->word = set->bits[0];
	return ftrace_siteset_walk_next(w);
}

struct ftrace_siteset *ftrace_siteset_get(struct ftrace_siteset *set);
void ftrace_siteset_put(struct ftrace_siteset *set);

struct ftrace_siteset *ftrace_siteset_from(u32 *nrs, size_t n);
struct ftrace_siteset *ftrace_siteset_range(u32 first, u32 end);
struct ftrace_siteset *ftrace_siteset_or(struct ftrace_siteset *a,
					 struct ftrace_siteset *b);
struct ftrace_siteset *ftrace_siteset_and(struct ftrace_siteset *a,
					  struct ftrace_siteset *b);
struct ftrace_siteset *ftrace_siteset_minus(struct ftrace_siteset *a,
					    struct ftrace_siteset *b);
struct ftrace_siteset *ftrace_siteset_without(struct ftrace_siteset *a,
					      u32 first, u32 end);

/* Collects numbers in any order, to make a set of them at the end. Empty if all zero. */
struct ftrace_siteset_builder {
	u32 *nrs;
	size_t n, room;
};

int ftrace_siteset_add(struct ftrace_siteset_builder *b, u32 nr);
struct ftrace_siteset *ftrace_siteset_build(struct ftrace_siteset_builder *b);
void ftrace_siteset_drop(struct ftrace_siteset_builder *b);

#endif /* _FTRACE_SITESET_H */
