// SPDX-License-Identifier: GPL-2.0
/*
 * Which sites a hook wants.
 *
 * A filter never changes: another one is made and takes its place. So the
 * difference of two filters is a question of two values, answered whenever it
 * is asked, and a reader sees the one or the other. Readers hold no reference,
 * they have preemption off; hence the grace period before one is freed.
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
 * ftrace_filter_make - make a filter
 * @all: it has every site but those in @except; @only is not looked at
 * @only: else it has these
 * @except: but none of these
 *
 * The references to the sets are taken over, also on error.
 *
 * Context: Process, may sleep.
 * Return: a reference, ERR_PTR(-ENOMEM).
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

	f = kzalloc(sizeof(*f), GFP_KERNEL);
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
 * ftrace_filter_get - share a filter
 * @f: a filter or NULL
 *
 * Context: Any.
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
	kfree(f);
}

/**
 * ftrace_filter_put - give up a reference
 * @f: a filter or NULL
 *
 * The last one frees it after a grace period of RCU: the dispatcher of the
 * mixed combo reads filters with preemption off.
 *
 * Context: Any but NMI.
 */
void ftrace_filter_put(struct ftrace_filter *f)
{
	if (f && !ftrace_filter_is_static(f) && refcount_dec_and_test(&f->refs))
		call_rcu(&f->rcu, free_filter);
}

/* All that @f has below @end: a reference, NULL, ERR_PTR(-ENOMEM). */
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
 * ftrace_filter_delta - compare two filters
 * @from: one filter; NULL: it has nothing
 * @to: the other one; NULL: it has nothing
 * @end: sites from this number on are not looked at
 * @added: what @to has and @from has not
 * @removed: what @from has and @to has not
 *
 * Takes a time that follows the size of the sets, or @end / 64 if a filter is
 * "all".
 *
 * Context: Process, may sleep.
 * Return: 0; -ENOMEM, then both sets are NULL.
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
 * ftrace_filter_without - a filter without the numbers of a range
 * @f: a filter or NULL
 * @first: the first number to go
 * @end: one past the last one
 *
 * Nothing is left of the numbers, among the exceptions neither: they are going
 * to be given to other sites. Waits for memory as long as it takes.
 *
 * Context: Process, may sleep.
 * Return: a reference, to @f itself where that is enough; NULL for NULL.
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

	less = kzalloc(sizeof(*less), GFP_KERNEL | __GFP_NOFAIL);
	refcount_set(&less->refs, 1);
	less->all = f->all;
	less->only = only;
	less->except = except;
	return less;
}
