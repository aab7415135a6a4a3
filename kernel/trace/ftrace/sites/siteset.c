// SPDX-License-Identifier: GPL-2.0
/*
 * Immutable sets of site numbers.
 *
 * A set is stored as a list or as a bitmap, whichever is smaller. This depends
 * on its members alone, so equal sets have equal bytes. All operations read a
 * set as a stream of ascending bitmap words, without the empty ones, whatever
 * its form. They merge two streams twice: first to compute the shape of the
 * result, then to write it. So no more memory is allocated than the result
 * needs.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "siteset.h"

#define NO_WORD		U32_MAX
#define ROOM_AT_FIRST	16

/* Determines the size and form of a set before it is allocated. */
struct shape {
	u32 count, first, last;
};

/* Bitmaps start at a multiple of 64, also on 32-bit machines. */
static u32 base_of(u32 first)
{
	return first & ~63U;
}

static size_t nr_words(u32 first, u32 last)
{
	return (last - base_of(first)) / BITS_PER_LONG + 1;
}

static bool bitmap_is_smaller(const struct shape *s)
{
	return nr_words(s->first, s->last) * sizeof(long) <= (u64)s->count * sizeof(u32);
}

static struct ftrace_siteset *new_set(const struct shape *s, bool dense, gfp_t gfp)
{
	struct ftrace_siteset *set;

	set = kvzalloc(dense ? struct_size(set, bits, nr_words(s->first, s->last)) :
			       struct_size(set, nr, s->count), gfp);
	if (!set)
		return NULL;

	refcount_set(&set->refs, 1);
	set->count = s->count;
	set->first = s->first;
	set->last = s->last;
	set->dense = dense;
	return set;
}

/*
 * A stream of bitmap words: those of @set, or of the numbers [at, end) if @set
 * is NULL. @index is the position of the current word in a bitmap that starts
 * at number 0, NO_WORD at the end of the stream.
 */
struct stream {
	const struct ftrace_siteset *set;
	u32 at, end;
	u32 index;
	unsigned long bits;
};

static void advance_dense(struct stream *s)
{
	const struct ftrace_siteset *set = s->set;
	const u32 words = nr_words(set->first, set->last);

	while (s->at < words && !set->bits[s->at])
		s->at++;
	if (s->at == words)
		return;
	s->bits = set->bits[s->at];
	s->index = base_of(set->first) / BITS_PER_LONG + s->at++;
}

static void advance_list(struct stream *s)
{
	const struct ftrace_siteset *set = s->set;

	if (s->at == set->count)
		return;
	s->index = set->nr[s->at] / BITS_PER_LONG;
	do {
		s->bits |= BIT(set->nr[s->at] % BITS_PER_LONG);
		s->at++;
	} while (s->at < set->count && set->nr[s->at] / BITS_PER_LONG == s->index);
}

static void advance_range(struct stream *s)
{
	u32 last;

	if (s->at >= s->end)
		return;
	s->index = s->at / BITS_PER_LONG;
	last = s->at | (BITS_PER_LONG - 1);
	if (last >= s->end - 1)
		last = s->end - 1;
	s->bits = GENMASK(last % BITS_PER_LONG, s->at % BITS_PER_LONG);
	s->at = last + 1;
}

static void advance(struct stream *s)
{
	s->index = NO_WORD;
	s->bits = 0;
	if (!s->set)
		advance_range(s);
	else if (s->set->dense)
		advance_dense(s);
	else
		advance_list(s);
}

static struct stream stream_of(const struct ftrace_siteset *set)
{
	struct stream s = { .set = set };

	advance(&s);
	return s;
}

static struct stream stream_of_range(u32 first, u32 end)
{
	struct stream s = { .at = first, .end = end };

	advance(&s);
	return s;
}

enum merge_op { MERGE_OR, MERGE_AND, MERGE_MINUS };

struct merge {
	struct stream a, b;
	enum merge_op op;
};

/* Get the next word of the result that is not empty. */
static bool merge_next(struct merge *m, u32 *index, unsigned long *bits)
{
	while (m->a.index != NO_WORD || m->b.index != NO_WORD) {
		const u32 at = min(m->a.index, m->b.index);
		unsigned long a = 0, b = 0;

		if (m->a.index == at) {
			a = m->a.bits;
			advance(&m->a);
		}
		if (m->b.index == at) {
			b = m->b.bits;
			advance(&m->b);
		}

		*index = at;
		*bits = m->op == MERGE_OR ? a | b :
			m->op == MERGE_AND ? a & b : a & ~b;
		if (*bits)
			return true;
	}
	return false;
}

/* Works on a copy of the merge, so that the caller's is still at its start. */
static struct shape merge_shape(struct merge m)
{
	struct shape s = {};
	unsigned long bits;
	u32 index;

	while (merge_next(&m, &index, &bits)) {
		if (!s.count)
			s.first = index * BITS_PER_LONG + __ffs(bits);
		s.last = index * BITS_PER_LONG + __fls(bits);
		s.count += hweight_long(bits);
	}
	return s;
}

static void merge_into(struct merge *m, struct ftrace_siteset *set)
{
	const u32 base = base_of(set->first) / BITS_PER_LONG;
	unsigned long bits;
	u32 index, n = 0;

	while (merge_next(m, &index, &bits)) {
		if (set->dense) {
			set->bits[index - base] = bits;
			continue;
		}
		for (; bits; bits &= bits - 1)
			set->nr[n++] = index * BITS_PER_LONG + __ffs(bits);
	}
}

/*
 * Merge two lists. @nr is NULL or has room for the members, which are counted in
 * any case. Most sets are lists of a few functions, to which one is added.
 */
static struct shape merge_lists(const struct ftrace_siteset *a, const struct ftrace_siteset *b,
				enum merge_op op, u32 *nr)
{
	struct shape s = {};
	u32 i = 0, k = 0;

	while (i < a->count || (op == MERGE_OR && k < b->count)) {
		const u32 x = i < a->count ? a->nr[i] : FTRACE_NO_SITE;
		const u32 y = k < b->count ? b->nr[k] : FTRACE_NO_SITE;
		const u32 at = min(x, y);

		i += x == at;
		k += y == at;
		if ((op == MERGE_AND && x != y) || (op == MERGE_MINUS && y == at))
			continue;
		if (!s.count)
			s.first = at;
		s.last = at;
		if (nr)
			nr[s.count] = at;
		s.count++;
	}
	return s;
}

/*
 * @like_a or @like_b, if not NULL, equals the result if both have the same number of
 * members. Then it is shared, which saves time and memory.
 */
static struct ftrace_siteset *merge(struct merge m, gfp_t gfp,
				    struct ftrace_siteset *like_a,
				    struct ftrace_siteset *like_b)
{
	const bool lists = m.a.set && !m.a.set->dense && m.b.set && !m.b.set->dense;
	const struct shape shape = lists ? merge_lists(m.a.set, m.b.set, m.op, NULL) :
					   merge_shape(m);
	struct ftrace_siteset *set;

	if (!shape.count)
		return NULL;
	if (like_a && like_a->count == shape.count)
		return ftrace_siteset_get(like_a);
	if (like_b && like_b->count == shape.count)
		return ftrace_siteset_get(like_b);

	set = new_set(&shape, bitmap_is_smaller(&shape), gfp);
	if (!set)
		return ERR_PTR(-ENOMEM);
	if (lists && !set->dense)
		merge_lists(m.a.set, m.b.set, m.op, set->nr);
	else
		merge_into(&m, set);
	return set;
}

/**
 * ftrace_siteset_get() - take a reference to a set
 * @set: a set or NULL
 *
 * Context: Any context.
 * Return: @set.
 */
struct ftrace_siteset *ftrace_siteset_get(struct ftrace_siteset *set)
{
	if (set)
		refcount_inc(&set->refs);
	return set;
}

/**
 * ftrace_siteset_put() - drop a reference to a set
 * @set: a set or NULL
 *
 * The last put frees the set at once. If readers without a reference may use
 * the set, the caller must wait for them first.
 *
 * Context: Preemptible task context, or an interrupt other than an NMI.
 */
void ftrace_siteset_put(struct ftrace_siteset *set)
{
	if (set && refcount_dec_and_test(&set->refs))
		kvfree(set);
}

/**
 * ftrace_siteset_next() - find the next member
 * @set: a set or NULL
 * @from: the number to start at
 *
 * Context: Any context.
 * Return: The smallest member not below @from, or FTRACE_NO_SITE if there is
 * none.
 */
u32 ftrace_siteset_next(const struct ftrace_siteset *set, u32 from)
{
	u32 low, high;

	if (!set || from > set->last)
		return FTRACE_NO_SITE;
	if (from <= set->first)
		return set->first;

	if (set->dense) {
		const u32 base = base_of(set->first);

		/* Always finds a bit: ->last is a member and not below @from. */
		return base + find_next_bit(set->bits, set->last - base + 1, from - base);
	}

	/* nr[low] is below @from, nr[high] is not. */
	for (low = 0, high = set->count - 1; high - low > 1; ) {
		const u32 mid = low + (high - low) / 2;

		if (set->nr[mid] < from)
			low = mid;
		else
			high = mid;
	}
	return set->nr[high];
}

static int by_number(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static size_t sort_unique(u32 *nrs, size_t n)
{
	size_t from, to = 0;

	sort(nrs, n, sizeof(*nrs), by_number, NULL);
	for (from = 0; from < n; from++) {
		if (!from || nrs[from] != nrs[from - 1])
			nrs[to++] = nrs[from];
	}
	return to;
}

/*
 * A bitmap of the range of @nrs is no larger than @nrs. Setting bits in that
 * bitmap needs no sorting.
 */
static struct ftrace_siteset *from_close(const u32 *nrs, size_t n, struct shape *shape)
{
	struct ftrace_siteset *set, *list;
	size_t i;
	u32 bit;

	set = new_set(shape, true, GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);

	for (i = 0; i < n; i++) {
		bit = nrs[i] - base_of(shape->first);
		set->bits[bit / BITS_PER_LONG] |= BIT(bit % BITS_PER_LONG);
	}

	shape->count = 0;
	for (i = 0; i < nr_words(shape->first, shape->last); i++)
		shape->count += hweight_long(set->bits[i]);
	set->count = shape->count;
	if (bitmap_is_smaller(shape))
		return set;

	/* Duplicates made the set look larger: a list is smaller. */
	list = merge((struct merge){ stream_of(set), stream_of(NULL), MERGE_OR },
		     GFP_KERNEL, NULL, NULL);
	ftrace_siteset_put(set);
	return list;
}

/**
 * ftrace_siteset_from() - make a set of an array
 * @nrs: numbers in any order, with or without duplicates, none FTRACE_NO_SITE;
 *	may be sorted in place
 * @n: number of elements in @nrs
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_from(u32 *nrs, size_t n)
{
	struct ftrace_siteset *set;
	struct shape shape;
	bool ascending = true;
	size_t i;

	if (!n)
		return NULL;
	if (WARN_ON_ONCE(n >= U32_MAX))
		return ERR_PTR(-ENOMEM);

	shape = (struct shape){ .count = n, .first = nrs[0], .last = nrs[0] };
	for (i = 1; i < n; i++) {
		if (nrs[i] <= nrs[i - 1])
			ascending = false;
		shape.first = min(shape.first, nrs[i]);
		shape.last = max(shape.last, nrs[i]);
	}

	if (bitmap_is_smaller(&shape))
		return from_close(nrs, n, &shape);
	if (!ascending)
		shape.count = sort_unique(nrs, n);

	set = new_set(&shape, false, GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);
	memcpy(set->nr, nrs, shape.count * sizeof(*nrs));
	return set;
}

/**
 * ftrace_siteset_range() - make a set of a range of numbers
 * @first: the first number
 * @end: one past the last number
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for an empty range, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_range(u32 first, u32 end)
{
	return merge((struct merge){ stream_of_range(first, end), stream_of(NULL), MERGE_OR },
		     GFP_KERNEL, NULL, NULL);
}

/**
 * ftrace_siteset_or() - make the union of two sets
 * @a: a set or NULL
 * @b: a set or NULL
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_or(struct ftrace_siteset *a,
					 struct ftrace_siteset *b)
{
	if (!b || a == b)
		return ftrace_siteset_get(a);
	if (!a)
		return ftrace_siteset_get(b);
	return merge((struct merge){ stream_of(a), stream_of(b), MERGE_OR },
		     GFP_KERNEL, a, b);
}

/**
 * ftrace_siteset_and() - make the intersection of two sets
 * @a: a set or NULL
 * @b: a set or NULL
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_and(struct ftrace_siteset *a,
					  struct ftrace_siteset *b)
{
	if (!a || !b || a == b)
		return ftrace_siteset_get(a ? b : NULL);
	return merge((struct merge){ stream_of(a), stream_of(b), MERGE_AND },
		     GFP_KERNEL, a, b);
}

/**
 * ftrace_siteset_minus() - make the set of members of @a that are not in @b
 * @a: a set or NULL
 * @b: a set or NULL
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_minus(struct ftrace_siteset *a,
					    struct ftrace_siteset *b)
{
	if (a == b)
		return NULL;
	if (!a || !b)
		return ftrace_siteset_get(a);
	return merge((struct merge){ stream_of(a), stream_of(b), MERGE_MINUS },
		     GFP_KERNEL, a, NULL);
}

/**
 * ftrace_siteset_without() - make a set without the numbers of a range
 * @a: a set or NULL
 * @first: the first number to leave out
 * @end: one past the last number to leave out
 *
 * Used when text is freed, which cannot be refused: the allocation is
 * __GFP_NOFAIL.
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set.
 */
struct ftrace_siteset *ftrace_siteset_without(struct ftrace_siteset *a,
					      u32 first, u32 end)
{
	if (!a || first >= end || a->last < first || a->first >= end)
		return ftrace_siteset_get(a);

	/* Clip the range, so that the time taken depends on the set only. */
	first = max(first, a->first);
	end = min(end, a->last + 1);
	return merge((struct merge){ stream_of(a), stream_of_range(first, end), MERGE_MINUS },
		     GFP_KERNEL | __GFP_NOFAIL, a, NULL);
}

/**
 * ftrace_siteset_add() - add a number to a builder
 * @b: the builder
 * @nr: the number, not FTRACE_NO_SITE; duplicates are allowed
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM if memory is short; the builder is unchanged
 * then.
 */
int ftrace_siteset_add(struct ftrace_siteset_builder *b, u32 nr)
{
	if (b->n == b->room) {
		const size_t room = b->room ? 2 * b->room : ROOM_AT_FIRST;
		u32 *nrs = kvmalloc_array(room, sizeof(*nrs), GFP_KERNEL);

		if (!nrs)
			return -ENOMEM;
		if (b->n)
			memcpy(nrs, b->nrs, b->n * sizeof(*nrs));
		kvfree(b->nrs);
		b->nrs = nrs;
		b->room = room;
	}
	b->nrs[b->n++] = nr;
	return 0;
}

/**
 * ftrace_siteset_build() - make the set of all numbers in a builder
 * @b: the builder; empty afterwards, also on error
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_siteset *ftrace_siteset_build(struct ftrace_siteset_builder *b)
{
	struct ftrace_siteset *set = ftrace_siteset_from(b->nrs, b->n);

	ftrace_siteset_drop(b);
	return set;
}

/**
 * ftrace_siteset_drop() - empty a builder and free its memory
 * @b: the builder
 *
 * Context: Process context.
 */
void ftrace_siteset_drop(struct ftrace_siteset_builder *b)
{
	kvfree(b->nrs);
	*b = (struct ftrace_siteset_builder){};
}
