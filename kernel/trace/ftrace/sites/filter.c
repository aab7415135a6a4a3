// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: which sites a hook wants.
 *
 * A filter never changes; it is replaced by another one. So a reader sees
 * either the old or the new filter, and the difference of two filters can be
 * computed at any time. Readers hold no reference but have preemption off, so a
 * filter is freed after an RCU grace period.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "filter.h"

struct ftrace_filter ftrace_filter_all = {
	.refs	= REFCOUNT_INIT(1),
	.all	= true,
};

struct ftrace_filter ftrace_filter_none = {
	.refs	= REFCOUNT_INIT(1),
};

/**
 * ftrace_filter_make() - make a filter
 * @all: true: every site not in @except; @only is ignored
 * @only: the wanted sites if @all is false; a reference, consumed also on error
 * @except: the sites to leave out; a reference, consumed also on error
 *
 * Context: Process context. May sleep.
 * Return: A reference, ERR_PTR(-ENOMEM) if memory is short.
 */
struct ftrace_filter *ftrace_filter_make(bool all, struct ftrace_siteset *only,
					 struct ftrace_siteset *except)
{
	struct ftrace_filter *f;

	if (all) {
		ftrace_siteset_put(only);
		only = NULL;
		if (!except)
			return &ftrace_filter_all;
	} else if (!only && !except) {
		return &ftrace_filter_none;
	}

	f = kzalloc_obj(*f);
	if (!f) {
		ftrace_siteset_put(only);
		ftrace_siteset_put(except);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&f->refs, 1);
	f->all = all;
	f->only = only;
	f->except = except;
	return f;
}

/**
 * ftrace_filter_part() - get the filter of one hook
 * @f: a filter
 * @n: which part, see ftrace_filter_parts()
 *
 * Context: Process context. May sleep.
 * Return: A reference to a filter without conditions, ERR_PTR(-ENOMEM) if memory is
 * short.
 */
struct ftrace_filter *ftrace_filter_part(struct ftrace_filter *f, unsigned int n)
{
	struct ftrace_siteset *only, *conds;

	if (!f->conds)
		return ftrace_filter_get(f);
	if (n) {
		only = ftrace_siteset_get(f->conds->on[n - 1].sites);
	} else {
		conds = ftrace_condset_sites(f->conds);
		if (IS_ERR(conds))
			return ERR_CAST(conds);
		only = ftrace_siteset_minus(f->only, conds);
		ftrace_siteset_put(conds);
		if (IS_ERR(only))
			return ERR_CAST(only);
	}
	return ftrace_filter_make(false, only, ftrace_siteset_get(f->except));
}

/**
 * ftrace_filter_get() - take a reference to a filter
 * @f: a filter or NULL
 *
 * Context: Any context.
 * Return: @f.
 */
struct ftrace_filter *ftrace_filter_get(struct ftrace_filter *f)
{
	if (f && !ftrace_filter_is_static(f))
		refcount_inc(&f->refs);
	return f;
}

static void free_filter(struct rcu_head *rcu)
{
	struct ftrace_filter *f = container_of(rcu, struct ftrace_filter, rcu);

	ftrace_siteset_put(f->only);
	ftrace_siteset_put(f->except);
	ftrace_condset_put(f->conds);
	kfree(f);
}

/**
 * ftrace_filter_put() - drop a reference to a filter
 * @f: a filter or NULL
 *
 * The last put frees the filter after an RCU grace period: the dispatcher of
 * the mixed combo reads filters with preemption off.
 *
 * Context: Any context but NMI.
 */
void ftrace_filter_put(struct ftrace_filter *f)
{
	if (f && !ftrace_filter_is_static(f) && refcount_dec_and_test(&f->refs))
		call_rcu(&f->rcu, free_filter);
}

/* The sites of @f below @end. Return: A reference; NULL: none; or ERR_PTR(-ENOMEM). */
static struct ftrace_siteset *members(struct ftrace_filter *f, u32 end)
{
	struct ftrace_siteset *base, *set;

	if (!f)
		return NULL;
	base = f->all ? ftrace_siteset_range(0, end) :
			ftrace_siteset_without(f->only, end, FTRACE_NO_SITE);
	if (IS_ERR(base))
		return base;
	set = ftrace_siteset_minus(base, f->except);
	ftrace_siteset_put(base);
	return set;
}

/**
 * ftrace_filter_delta() - compute the difference of two filters
 * @from: the old filter; NULL: no site
 * @to: the new filter; NULL: no site
 * @end: sites from this number on are ignored
 * @added: set to the sites in @to but not in @from, a reference
 * @removed: set to the sites in @from but not in @to, a reference
 *
 * Takes time in proportion to the size of the sets, or to @end / 64 words if a
 * filter is "all".
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM if memory is short; both sets are NULL then.
 */
int ftrace_filter_delta(struct ftrace_filter *from, struct ftrace_filter *to,
			u32 end, struct ftrace_siteset **added,
			struct ftrace_siteset **removed)
{
	struct ftrace_siteset *old, *new;
	int err = -ENOMEM;

	*added = NULL;
	*removed = NULL;
	if (from == to)
		return 0;

	old = members(from, end);
	if (IS_ERR(old))
		return err;
	new = members(to, end);
	if (IS_ERR(new))
		goto out_old;

	*added = ftrace_siteset_minus(new, old);
	if (IS_ERR(*added)) {
		*added = NULL;
		goto out_new;
	}
	*removed = ftrace_siteset_minus(old, new);
	if (IS_ERR(*removed)) {
		*removed = NULL;
		ftrace_siteset_put(*added);
		*added = NULL;
		goto out_new;
	}
	err = 0;
out_new:
	ftrace_siteset_put(new);
out_old:
	ftrace_siteset_put(old);
	return err;
}

/**
 * ftrace_filter_without() - make a filter without the numbers of a range
 * @f: a filter or NULL
 * @first: the first number to remove
 * @end: one past the last number to remove
 *
 * Removes the numbers from the exceptions, too, because other sites will get these
 * numbers. Cannot fail: the allocation is __GFP_NOFAIL.
 *
 * Context: Process context. May sleep.
 * Return: A reference, to @f itself if nothing changes; NULL if @f is NULL.
 */
struct ftrace_filter *ftrace_filter_without(struct ftrace_filter *f, u32 first, u32 end)
{
	struct ftrace_siteset *only, *except;
	struct ftrace_filter *less;

	if (!f)
		return NULL;

	only = ftrace_siteset_without(f->only, first, end);
	except = ftrace_siteset_without(f->except, first, end);
	if (only == f->only && except == f->except) {
		ftrace_siteset_put(only);
		ftrace_siteset_put(except);
		return ftrace_filter_get(f);
	}
	if (f->all && !except)
		return &ftrace_filter_all;
	if (!f->all && !only && !except)
		return &ftrace_filter_none;

	less = kzalloc_obj(*less, GFP_KERNEL | __GFP_NOFAIL);
	refcount_set(&less->refs, 1);
	less->all = f->all;
	less->only = only;
	less->except = except;
	less->conds = ftrace_condset_without(f->conds, first, end);
	return less;
}
