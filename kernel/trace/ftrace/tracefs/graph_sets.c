// SPDX-License-Identifier: GPL-2.0
/*
 * The sets of functions that graph tracers begin with, or leave out; see
 * ../graph/filter.h.
 *
 * A set is replaced as a whole. No set means that the file is empty: an instance then
 * uses the set of the top trace array; there, an empty set_graph_function stands for
 * all functions, an empty set_graph_notrace for none. A set without sites, because its
 * functions were freed, are not discovered yet, or FTRACE_NOTHING was written, means
 * that nothing is traced.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../../trace.h"
#include "../graph/slots.h"
#include "../hooks/retire.h"
#include "graph_sets.h"
#include "tracefs.h"

struct graph_set {
	struct ftrace_retired	retired;
	struct ftrace_siteset	*sites;		/* ->set as site numbers; NULL: empty */
	struct fgraph_set	set;
};

static struct graph_filter top[2] = { [1] = { .except = true } };
static LIST_HEAD(filters);		/* [L] all that were opened or set */

static struct fgraph_set __rcu **place_of(const struct graph_filter *f)
{
	return f->tr ? &f->tr->graph_sets[f->except] : &fgraph_top_sets[f->except];
}

static struct graph_set *set_now(const struct graph_filter *f)
{
	struct fgraph_set *set = rcu_dereference_protected(*place_of(f),
							   lockdep_is_held(&ftrace_lock));

	return set ? container_of(set, struct graph_set, set) : NULL;
}

/* Test whether a filter has functions of its own, or is set to none. */
bool graph_filter_is_set(const struct graph_filter *f)
{
	return set_now(f);
}

/* Test whether a filter is not set, so that of the top trace array is in force. */
bool graph_filter_follows(const struct graph_filter *f)
{
	return f->tr && !set_now(f) && set_now(&top[f->except]);
}

/* The functions of a filter; NULL: there are none. */
struct ftrace_siteset *graph_filter_sites(const struct graph_filter *f)
{
	struct graph_set *set = set_now(f);

	return set ? set->sites : NULL;
}

static int cmp_ip(const void *a, const void *b)
{
	const unsigned long *l = a, *r = b;

	return *l < *r ? -1 : *l > *r;
}

static void set_free(struct ftrace_retired *retired)
{
	struct graph_set *s = container_of(retired, struct graph_set, retired);

	ftrace_siteset_put(s->sites);
	kvfree(s);
}

/*
 * Make a set of @sites, whose reference is taken over. Without sites, make an
 * empty set if @nothing, else none. Return: The set, NULL, or ERR_PTR(-ENOMEM).
 */
static struct graph_set *set_make(struct ftrace_siteset *sites, bool nothing, gfp_t gfp)
{
	const u32 count = ftrace_siteset_count(sites);
	/* At most one bit in eight is set: few functions outside of the set need a search. */
	const u32 bits = roundup_pow_of_two(max(8 * count, 1024));
	struct ftrace_site_block *b;
	struct graph_set *s;
	u32 nr, i, bit;

	if (!sites && !nothing)
		return NULL;

	s = kvzalloc(struct_size(s, set.ip, size_add(count, BITS_TO_LONGS(bits))), gfp);
	if (!s) {
		ftrace_siteset_put(sites);
		return ERR_PTR(-ENOMEM);
	}
	s->sites = sites;
	s->set.mask = bits - 1;
	s->set.maybe = &s->set.ip[count];
	ftrace_siteset_for_each(sites, nr) {
		b = ftrace_site_by_nr(nr, &i);
		if (WARN_ON_ONCE(!b))
			continue;
		s->set.ip[s->set.nr++] = ftrace_site_ip(b, i);
		bit = fgraph_set_bit(&s->set, ftrace_site_ip(b, i));
		s->set.maybe[bit / BITS_PER_LONG] |= BIT(bit % BITS_PER_LONG);
	}
	sort(s->set.ip, s->set.nr, sizeof(*s->set.ip), cmp_ip, NULL);
	return s;
}

static void publish(struct graph_filter *f, struct graph_set *s)
{
	struct graph_set *old = set_now(f);

	rcu_assign_pointer(*place_of(f), s ? &s->set : NULL);
	fgraph_update();
	/* Trampolines call its readers: free it after the same grace periods. */
	if (old)
		ftrace_retire(&old->retired, set_free);
}

/*
 * When set_graph_function loses its last function, its set stays, empty, so that
 * it does not stand for all functions. set_graph_notrace then needs no set.
 */
static void sets_gone(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	struct graph_filter *f;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(f, &filters, list) {
		struct ftrace_siteset *now = graph_filter_sites(f);

		if (ftrace_siteset_next(now, first) < end)
			publish(f, set_make(ftrace_siteset_without(now, first, end), !f->except,
					    GFP_KERNEL | __GFP_NOFAIL));
	}
}

static struct ftrace_site_watcher watcher = { .gone = sets_gone };

/* Add new sites that a word names. */
static int words_add(struct ftrace_waiting *waiting, struct ftrace_siteset *sites)
{
	struct graph_filter *f = container_of(waiting, struct graph_filter, waiting);
	struct ftrace_siteset *both = ftrace_siteset_or(graph_filter_sites(f), sites);
	struct graph_set *s;

	if (IS_ERR(both))
		return PTR_ERR(both);
	s = set_make(both, false, GFP_KERNEL);
	if (IS_ERR(s))
		return PTR_ERR(s);
	publish(f, s);
	return 0;
}

static void filter_init(struct graph_filter *f)
{
	f->waiting.add = words_add;
	INIT_LIST_HEAD(&f->waiting.words);
	list_add(&f->list, &filters);
}

/**
 * graph_filter_of() - find or make a filter of a trace array
 * @tr: the trace array, valid until ftrace_graph_filters_free(); NULL: the top one
 * @except: the filter of set_graph_notrace
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: The filter; NULL if memory is short, never for the top trace array.
 */
struct graph_filter *graph_filter_of(struct trace_array *tr, bool except)
{
	struct graph_filter *f;

	lockdep_assert_held(&ftrace_lock);

	if (!tr || tr->flags & TRACE_ARRAY_FL_GLOBAL) {
		f = &top[except];
		if (!f->list.next)
			filter_init(f);
		return f;
	}
	list_for_each_entry(f, &filters, list)
		if (f->tr == tr && f->except == except)
			return f;

	f = kzalloc_obj(*f);
	if (!f)
		return NULL;
	f->tr = tr;
	f->except = except;
	filter_init(f);
	return f;
}

/*
 * Test whether set_graph_function keeps an empty set: its text was freed, or words wait.
 * It has no set if the session removed the last name.
 */
static bool means_nothing(const struct graph_filter *f, const struct ftrace_edit *edit,
			  const struct list_head *words)
{
	const struct graph_set *s = set_now(f);

	if (f->except)
		return false;
	if (edit->lost || !list_empty(words))
		return true;
	return s && !s->sites && !edit->reset && !ftrace_waiting_any(&f->waiting);
}

/**
 * graph_filter_apply() - change a filter
 * @f: the filter
 * @edit: what a session has changed
 * @log: its words that may name functions that are not discovered yet
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short: nothing changed then.
 */
int graph_filter_apply(struct graph_filter *f, const struct ftrace_edit *edit,
		       const struct list_head *log)
{
	struct ftrace_siteset *sites;
	struct graph_set *s;
	LIST_HEAD(words);
	int err;

	lockdep_assert_held(&ftrace_lock);
	ftrace_site_watch(&watcher);

	err = ftrace_words_replay(&words, edit->reset ? NULL : &f->waiting, log);
	if (err)
		return err;
	sites = ftrace_edit_apply(edit, graph_filter_sites(f));
	err = PTR_ERR_OR_ZERO(sites);
	if (!err) {
		s = set_make(sites, means_nothing(f, edit, &words), GFP_KERNEL);
		err = PTR_ERR_OR_ZERO(s);
	}
	if (err) {
		ftrace_words_free(&words);
		return err;
	}
	publish(f, s);
	ftrace_waiting_set(&f->waiting, &words);
	return 0;
}

/**
 * ftrace_graph_filters_free() - free the filters of an instance
 * @tr: the instance; its files are not open, and its tracer is off
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_graph_filters_free(struct trace_array *tr)
{
	struct graph_filter *f, *next;
	LIST_HEAD(none);

	guard(mutex)(&ftrace_lock);

	list_for_each_entry_safe(f, next, &filters, list) {
		if (f->tr != tr)
			continue;
		publish(f, NULL);
		ftrace_waiting_set(&f->waiting, &none);
		if (f->waiting.list.next)
			list_del(&f->waiting.list);
		list_del(&f->list);
		kfree(f);
	}
}

static int early_word(struct ftrace_edit *edit, struct list_head *log,
		      const struct ftrace_waiting *now, const char *word)
{
	struct ftrace_match m;
	int ret, waits;

	ret = ftrace_match_parse(&m, word, strlen(word));
	if (!ret && m.kind == FTRACE_MATCH_INDEX)
		ret = -EINVAL;
	if (ret)
		return ret;
	ret = ftrace_edit_word(edit, &m, NULL);
	waits = ftrace_words_stage(log, now, &m, word);
	return waits < 0 ? waits : waits && ret == -EINVAL ? 0 : ret;
}

/**
 * ftrace_graph_early_filter() - set a graph filter from the command line
 * @buf: names and patterns with commas between them; modified
 * @enable: 1: ftrace_graph_filter=; 0: ftrace_graph_notrace=
 *
 * A word that matches nothing is skipped, with a warning.
 *
 * Context: Boot, process context. May sleep. Takes ftrace_lock.
 */
void __init ftrace_graph_early_filter(char *buf, int enable)
{
	struct ftrace_edit edit = { };
	struct graph_filter *f;
	LIST_HEAD(log);
	char *word;

	mutex_lock(&ftrace_lock);
	f = graph_filter_of(NULL, !enable);
	while ((word = strsep(&buf, ","))) {
		int err = *word ? early_word(&edit, &log, &f->waiting, word) : 0;

		if (err)
			pr_warn("ftrace: ftrace_graph_%s=: \"%s\" is no function to trace, error %d: passed over\n",
				enable ? "filter" : "notrace", word, err);
	}
	if ((edit.changed || !list_empty(&log)) && graph_filter_apply(f, &edit, &log))
		pr_warn("ftrace: ftrace_graph_%s= not set: no memory\n",
			enable ? "filter" : "notrace");
	mutex_unlock(&ftrace_lock);
	ftrace_words_free(&log);
	ftrace_edit_drop(&edit);
}
