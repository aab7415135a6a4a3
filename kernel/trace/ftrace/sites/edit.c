// SPDX-License-Identifier: GPL-2.0
/*
 * Edits: changes to a set of sites, collected word by word and applied at once.
 *
 * An edit is two bitmaps over site numbers, made into one set at the end. To sort
 * all numbers, or make a new set, for each of 20,000 names would take quadratic
 * time.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "edit.h"

static int edit_grow(struct ftrace_edit *e, unsigned long **map, u32 bits)
{
	unsigned long *grown;

	if (*map && bits <= e->room)
		return 0;

	grown = kvcalloc(BITS_TO_LONGS(bits), sizeof(*grown), GFP_KERNEL);
	if (!grown)
		return -ENOMEM;
	if (*map) {
		bitmap_copy(grown, *map, e->room);
		kvfree(*map);
	}
	*map = grown;
	return 0;
}

/* Make room for @bits numbers in the map to be written, and in the other map if it exists. */
static int edit_room(struct ftrace_edit *e, bool remove, u32 bits)
{
	bits = max(e->room, round_up(bits, BITS_PER_LONG));

	if ((!remove || e->add) && edit_grow(e, &e->add, bits))
		return -ENOMEM;
	if ((remove || e->del) && edit_grow(e, &e->del, bits))
		return -ENOMEM;
	e->room = bits;
	return 0;
}

static bool edit_has(const struct ftrace_edit *e, const struct ftrace_siteset *base, u32 nr)
{
	if (nr < e->room) {
		if (e->add && test_bit(nr, e->add))
			return true;
		if (e->del && test_bit(nr, e->del))
			return false;
	}
	return !e->reset && ftrace_siteset_has(base, nr);
}

/**
 * ftrace_edit_find() - find the sites that a word names, without staging them
 * @e: the edit; ->found gets the sites
 * @m: the word
 * @mod: pattern for the module's name, as in ftrace_names_find()
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -EINVAL if @m matches no function or is a line number
 * out of range, -ENOMEM if memory is short.
 */
int ftrace_edit_find(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod)
{
	int ret;

	lockdep_assert_held(&ftrace_lock);

	e->found.n = 0;
	/* An empty name means any function of @mod; without @mod, a lone '!' is an error. */
	if (m->kind == FTRACE_MATCH_ALL && !m->len && !mod)
		return -EINVAL;
	ret = ftrace_names_find(m, mod, &e->found);
	if (ret)
		return ret;
	/* A line number may be that of a site that cannot be traced: valid, but no site. */
	return e->found.n || m->kind == FTRACE_MATCH_INDEX ? 0 : -EINVAL;
}

/**
 * ftrace_edit_has_any() - test whether the edited set has a site that was found
 * @e: the edit, after ftrace_edit_find()
 * @base: the set to be edited
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if @base, changed by @e, has one of the sites in @e->found.
 */
bool ftrace_edit_has_any(const struct ftrace_edit *e, const struct ftrace_siteset *base)
{
	size_t i;

	for (i = 0; i < e->found.n; i++) {
		if (edit_has(e, base, e->found.nrs[i]))
			return true;
	}
	return false;
}

/* The edit's conditions once @sites, which may be sorted, are staged. */
static struct ftrace_condset *conds_with(const struct ftrace_edit *e,
					 struct ftrace_siteset_builder *sites, bool remove)
{
	struct ftrace_cond *cond = remove ? NULL : e->cond;
	struct ftrace_condset *conds;
	struct ftrace_siteset *set;

	if (!cond && !e->conds)
		return NULL;
	set = ftrace_siteset_from(sites->nrs, sites->n);
	if (IS_ERR(set))
		return ERR_CAST(set);
	conds = ftrace_condset_with(e->conds, set, cond);
	ftrace_siteset_put(set);
	return conds;
}

/**
 * ftrace_edit_stage_sites() - stage sites
 * @e: the edit
 * @sites: their numbers; may be sorted in place
 * @remove: true: remove the sites, false: add them
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short, -E2BIG if there would be too many
 * conditions. On error nothing changed.
 */
int ftrace_edit_stage_sites(struct ftrace_edit *e, struct ftrace_siteset_builder *sites,
			    bool remove)
{
	unsigned long *set, *clear;
	struct ftrace_condset *conds;
	u32 end = 0;
	size_t i;
	int ret;

	for (i = 0; i < sites->n; i++)
		end = max(end, sites->nrs[i] + 1);
	/* Allocate for all sites that exist, so that the maps need not grow with each name. */
	ret = edit_room(e, remove, max(end, ftrace_site_end()));
	if (ret)
		return ret;
	conds = conds_with(e, sites, remove);
	if (IS_ERR(conds))
		return PTR_ERR(conds);
	ftrace_condset_put(e->conds);
	e->conds = conds;

	set = remove ? e->del : e->add;
	clear = remove ? e->add : e->del;
	for (i = 0; i < sites->n; i++) {
		__set_bit(sites->nrs[i], set);
		if (clear)
			__clear_bit(sites->nrs[i], clear);
	}
	e->changed = true;
	return 0;
}

/**
 * ftrace_edit_stage() - stage the sites that were found
 * @e: the edit, after ftrace_edit_find()
 * @remove: true: remove the sites, false: add them
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_edit_stage_sites(). On error nothing changed.
 */
int ftrace_edit_stage(struct ftrace_edit *e, bool remove)
{
	int ret = ftrace_edit_stage_sites(e, &e->found, remove);

	/* Only lines of untraceable sites: the empty set must not turn into "all functions". */
	e->lost |= !ret && !remove && !e->found.n;
	return ret;
}

/**
 * ftrace_edit_word() - find and stage the sites of one word
 * @e: the edit
 * @m: the word; its sites are removed if ->not, else added
 * @mod: pattern for the module's name, as in ftrace_names_find()
 *
 * Removing sites that are not in the set is no error: scripts rely on that when
 * they clean up.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_edit_find() and ftrace_edit_stage_sites(). On error nothing changed.
 */
int ftrace_edit_word(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod)
{
	return ftrace_edit_find(e, m, mod) ?: ftrace_edit_stage(e, m->not);
}

static struct ftrace_siteset *set_of_map(const unsigned long *map, u32 bits)
{
	struct ftrace_siteset_builder b = { };
	unsigned long nr;

	if (!map)
		return NULL;
	for_each_set_bit(nr, map, bits) {
		if (ftrace_siteset_add(&b, nr)) {
			ftrace_siteset_drop(&b);
			return ERR_PTR(-ENOMEM);
		}
	}
	return ftrace_siteset_build(&b);
}

/**
 * ftrace_edit_apply() - make the edited set
 * @e: the edit
 * @base: the set to be edited; not consumed
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL for the empty set, ERR_PTR(-ENOMEM) if memory is
 * short, or if ->failed is set.
 */
struct ftrace_siteset *ftrace_edit_apply(const struct ftrace_edit *e,
					 struct ftrace_siteset *base)
{
	struct ftrace_siteset *in, *out, *sum, *result;

	if (e->failed)
		return ERR_PTR(-ENOMEM);
	in = set_of_map(e->add, e->room);
	if (e->reset || IS_ERR(in))
		return in;

	sum = ftrace_siteset_or(base, in);
	ftrace_siteset_put(in);
	if (IS_ERR_OR_NULL(sum) || !e->del)
		return sum;

	out = set_of_map(e->del, e->room);
	if (IS_ERR(out)) {
		ftrace_siteset_put(sum);
		return out;
	}
	result = ftrace_siteset_minus(sum, out);
	ftrace_siteset_put(sum);
	ftrace_siteset_put(out);
	return result;
}

/**
 * ftrace_edit_forget() - remove unloaded sites from an edit
 * @e: the edit
 * @first: the first number to remove
 * @end: one past the last number to remove
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_edit_forget(struct ftrace_edit *e, u32 first, u32 end)
{
	end = min(end, e->room);
	if (first >= end)
		return;
	if (e->add) {
		/* An edit that named only these sites must not turn into "all functions". */
		e->lost |= find_next_bit(e->add, end, first) < end;
		bitmap_clear(e->add, first, end - first);
	}
	if (e->del)
		bitmap_clear(e->del, first, end - first);
	if (e->conds) {
		struct ftrace_condset *old = e->conds;

		e->conds = ftrace_condset_without(old, first, end);
		ftrace_condset_put(old);
	}
}

/**
 * ftrace_edit_drop() - reset an edit and free its memory
 * @e: the edit; all zero afterwards, ->reset included
 *
 * Context: Process context. May sleep.
 */
void ftrace_edit_drop(struct ftrace_edit *e)
{
	kvfree(e->add);
	kvfree(e->del);
	ftrace_siteset_drop(&e->found);
	ftrace_condset_put(e->conds);
	memset(e, 0, sizeof(*e));
}

/* As ftrace_condset_with(), but consumes @old and @sites, both of which may be errors. */
static struct ftrace_condset *conds_change(struct ftrace_condset *old, struct ftrace_siteset *sites,
					   struct ftrace_cond *cond)
{
	struct ftrace_condset *new;

	if (IS_ERR(old) || IS_ERR(sites)) {
		if (!IS_ERR(sites))
			ftrace_siteset_put(sites);
		else if (!IS_ERR(old))
			ftrace_condset_put(old);
		return IS_ERR(old) ? old : ERR_CAST(sites);
	}
	new = ftrace_condset_with(old, sites, cond);
	ftrace_condset_put(old);
	ftrace_siteset_put(sites);
	return new;
}

/*
 * The conditions of the sites in @set: those in @e for the sites that it adds or
 * removes, those in @old for all others.
 */
static struct ftrace_condset *conds_after(struct ftrace_condset *old, const struct ftrace_edit *e,
					  struct ftrace_siteset *set)
{
	struct ftrace_condset *conds = NULL;
	struct ftrace_siteset *all;
	unsigned int i;

	if (!e || !e->reset)
		conds = ftrace_condset_get(old);
	if (conds && e) {
		conds = conds_change(conds, set_of_map(e->add, e->room), NULL);
		conds = conds_change(conds, set_of_map(e->del, e->room), NULL);
	}
	for (i = 0; e && e->conds && i < e->conds->nr; i++)
		conds = conds_change(conds, ftrace_siteset_get(e->conds->on[i].sites),
				     e->conds->on[i].cond);
	if (IS_ERR_OR_NULL(conds))
		return conds;

	all = ftrace_condset_sites(conds);
	if (IS_ERR(all))
		return conds_change(conds, all, NULL);
	conds = conds_change(conds, ftrace_siteset_minus(all, set), NULL);
	ftrace_siteset_put(all);
	return conds;
}

/**
 * ftrace_filter_with_set() - make a filter in which one set is replaced
 * @old: the filter to start from
 * @set: the new set, a reference, consumed also on error; NULL is the empty set
 * @except: true: replace the exceptions, false: replace the wanted sites
 * @none: true: an empty wanted set means no function, false: all functions
 * @e: the edit that made @set, for its conditions; NULL: the conditions of @old stay
 *
 * Users who name no function mean all. Only this function and
 * ftrace_filter_with_word() translate that.
 *
 * Context: Process context. May sleep.
 * Return: A reference, ERR_PTR(-ENOMEM) if memory is short, ERR_PTR(-E2BIG) for too
 * many conditions.
 */
struct ftrace_filter *ftrace_filter_with_set(struct ftrace_filter *old, struct ftrace_siteset *set,
					     bool except, bool none, const struct ftrace_edit *e)
{
	struct ftrace_siteset *only = set, *others;
	struct ftrace_condset *conds;
	struct ftrace_filter *filter;
	bool all = !set && !none;

	if (except) {
		all = old->all;
		only = ftrace_siteset_get(old->only);
		others = set;
		conds = ftrace_condset_get(old->conds);
	} else {
		others = ftrace_siteset_get(old->except);
		conds = conds_after(old->conds, e, set);
	}
	if (IS_ERR(conds)) {
		ftrace_siteset_put(only);
		ftrace_siteset_put(others);
		return ERR_CAST(conds);
	}

	filter = ftrace_filter_make(all, only, others);
	/* Conditions are for sites in ->only, so this is a new filter, not a static one. */
	if (conds && !IS_ERR(filter))
		filter->conds = conds;
	else
		ftrace_condset_put(conds);
	return filter;
}

/**
 * ftrace_filter_with_word() - make a filter that is changed by one word
 * @old: the filter to start from
 * @word: a name, a pattern, or a line number of available_filter_functions;
 *	with '!' in front to remove its sites. NULL: no word
 * @len: length of @word in bytes
 * @except: true: change the exceptions, false: change the wanted sites
 * @reset: start from an empty set instead of the set in @old
 *
 * Removing sites that are not in the set changes nothing.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: A reference, ERR_PTR(-EINVAL) if the word matches nothing,
 * ERR_PTR(-ENOMEM) if memory is short.
 */
struct ftrace_filter *ftrace_filter_with_word(struct ftrace_filter *old, const char *word,
					      size_t len, bool except, bool reset)
{
	struct ftrace_siteset *base = except ? old->except : old->only;
	struct ftrace_edit e = { .reset = reset };
	struct ftrace_filter *filter;
	struct ftrace_siteset *set;
	struct ftrace_match m;
	int ret = 0;

	lockdep_assert_held(&ftrace_lock);

	if (word && len) {
		ret = ftrace_match_parse(&m, word, len);
		if (!ret)
			ret = ftrace_edit_word(&e, &m, NULL);
	} else if (!reset) {
		return ftrace_filter_get(old);
	}
	if (ret) {
		ftrace_edit_drop(&e);
		return ERR_PTR(ret);
	}

	set = ftrace_edit_apply(&e, base);
	if (IS_ERR(set))
		filter = ERR_CAST(set);
	else
		filter = ftrace_filter_with_set(old, set, except,
						e.lost || (!reset && ftrace_filter_nothing(old)),
						&e);
	ftrace_edit_drop(&e);
	return filter;
}
