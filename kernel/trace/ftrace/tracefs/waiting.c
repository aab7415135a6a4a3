// SPDX-License-Identifier: GPL-2.0
/*
 * Words of filters that wait for functions that are not discovered yet.
 *
 * While sites are discovered at run time, a filter keeps the words that name functions
 * whose sites can still be discovered. When sites are added to the table, their names are
 * compared with the words of each filter that has any; the last word that matches
 * decides. So a word with '!' in front stays, too, if a pattern before it would bring
 * its functions back. An exact name is dropped when all its functions are discovered. A
 * pattern stays.
 *
 * This happens before the round that has discovered the sites makes its plan. So the
 * transaction that makes nops of the others hooks those that a filter names.
 *
 * What is written to an open file is kept in a log, in the order of the words, and
 * replayed on the words in force when the file is closed.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../hooks/slot.h"
#include "../sites/discovered.h"
#include "../sites/names.h"
#include "waiting.h"

struct word {
	struct list_head	list;
	struct ftrace_match	m;	/* of ->text; ->not: its functions are left out */
	bool			hit;	/* matches one of the sites that were added */
	char			text[];
};

/* The words of a filter slot. */
struct slot_waiting {
	struct ftrace_waiting		waiting;
	struct ftrace_filter_slot	*slot;
	bool				except;
};

static LIST_HEAD(lists);		/* [L] struct ftrace_waiting */

/* ---- lists of words ---- */

static struct word *word_make(const char *text)
{
	const size_t len = strlen(text);
	struct word *w = kzalloc(struct_size(w, text, len + 1), GFP_KERNEL);

	if (!w)
		return NULL;
	memcpy(w->text, text, len + 1);
	/* Cannot fail: callers have parsed the text before. */
	ftrace_match_parse(&w->m, w->text, len);
	return w;
}

static void word_free(struct word *w)
{
	list_del(&w->list);
	kfree(w);
}

static const char *name_of(const struct word *w)
{
	return w->text + w->m.not;
}

static bool is_exact(const struct word *w)
{
	return w->m.kind == FTRACE_MATCH_FULL;
}

/* True if @late makes the earlier word @w redundant. */
static bool replaces(const struct word *late, const struct word *w)
{
	if (is_exact(w))
		return ftrace_match(&late->m, name_of(w));
	return late->m.kind == FTRACE_MATCH_ALL || !strcmp(name_of(late), name_of(w));
}

static bool replaces_any(const struct word *late, const struct list_head *words)
{
	struct word *w;

	list_for_each_entry(w, words, list) {
		if (replaces(late, w))
			return true;
	}
	return false;
}

/* True if there is a pattern whose functions a later word can leave out. */
static bool has_pattern(const struct list_head *words)
{
	struct word *w;

	list_for_each_entry(w, words, list) {
		if (!w->m.not && !is_exact(w))
			return true;
	}
	return false;
}

/* Add @w, which is in no list, to the end of @words, and free words that it replaces. */
static void take_up(struct list_head *words, struct word *w)
{
	struct word *old, *next;

	list_for_each_entry_safe(old, next, words, list) {
		if (replaces(w, old))
			word_free(old);
	}
	list_add_tail(&w->list, words);
	if (has_pattern(words))
		return;
	list_for_each_entry_safe(old, next, words, list) {
		if (old->m.not)
			word_free(old);
	}
}

void ftrace_words_free(struct list_head *words)
{
	struct word *w, *next;

	list_for_each_entry_safe(w, next, words, list)
		word_free(w);
}

/**
 * ftrace_words_stage() - log a word if it waits, or changes what waits
 * @log: the log
 * @waiting: the words in force; NULL: none
 * @m: the word, parsed
 * @text: the word
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: 1 if the word is in the log, 0 if it need not be, -ENOMEM if memory is
 * short.
 */
int ftrace_words_stage(struct list_head *log, const struct ftrace_waiting *waiting,
		       const struct ftrace_match *m, const char *text)
{
	const struct list_head *force = waiting ? &waiting->words : log;
	struct word *w;

	lockdep_assert_held(&ftrace_lock);

	if (!ftrace_discovered_any())
		return 0;
	/* Lines, files and places select known functions only; skip empty names. */
	if (m->at || m->in || m->kind == FTRACE_MATCH_INDEX ||
	    (m->kind == FTRACE_MATCH_ALL && !m->len))
		return 0;
	w = word_make(text);
	if (!w)
		return -ENOMEM;

	if ((m->not && (replaces_any(w, log) || replaces_any(w, force))) ||
	    ((!m->not || has_pattern(log) || has_pattern(force)) &&
	     (ftrace_names_undiscovered(m) || (waiting && waiting->missed_end)))) {
		list_add_tail(&w->list, log);
		return 1;
	}
	kfree(w);
	return 0;
}

/**
 * ftrace_words_unstage() - take back the last word of a log
 * @log: the log, after ftrace_words_stage() has returned 1
 *
 * Context: As ftrace_words_stage().
 */
void ftrace_words_unstage(struct list_head *log)
{
	word_free(list_last_entry(log, struct word, list));
}

/**
 * ftrace_words_replay() - apply a log to the words in force
 * @words: an empty list; gets the words that will be in force
 * @waiting: the words in force; NULL: none
 * @log: the log
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short, @words is empty then.
 */
int ftrace_words_replay(struct list_head *words, const struct ftrace_waiting *waiting,
			const struct list_head *log)
{
	struct word *w, *copy;

	lockdep_assert_held(&ftrace_lock);

	if (waiting) {
		list_for_each_entry(w, &waiting->words, list) {
			copy = word_make(w->text);
			if (!copy)
				goto fail;
			list_add_tail(&copy->list, words);
		}
	}
	list_for_each_entry(w, log, list) {
		copy = word_make(w->text);
		if (!copy)
			goto fail;
		take_up(words, copy);
	}
	return 0;
fail:
	ftrace_words_free(words);
	return -ENOMEM;
}

/* ---- sites that are added ---- */

struct matches {
	struct ftrace_siteset_builder	in, out;
};

static void matches_drop(struct matches *matches)
{
	ftrace_siteset_drop(&matches->in);
	ftrace_siteset_drop(&matches->out);
}

static int find_site(struct list_head *words, u32 nr, const char *name, struct matches *matches)
{
	struct word *w;

	list_for_each_entry_reverse(w, words, list) {
		if (!ftrace_match(&w->m, name))
			continue;
		w->hit = true;
		return ftrace_siteset_add(w->m.not ? &matches->out : &matches->in, nr);
	}
	return 0;
}

/* Find those of the sites [@first, @end) that the words bring in or leave out. */
static int find_sites(struct list_head *words, u32 first, u32 end, struct matches *matches)
{
	struct ftrace_names_cursor c;
	char name[KSYM_NAME_LEN];
	struct word *w;
	int err = 0;

	*matches = (struct matches){};
	list_for_each_entry(w, words, list)
		w->hit = false;
	for (u32 nr = first; nr < end && !err; nr++) {
		struct ftrace_site_block *b;
		u32 i;

		b = ftrace_site_by_nr(nr, &i);
		if (!b || !ftrace_site_block_ready(b) || b->sites[i].state & FTRACE_SITE_DEAD)
			continue;
		ftrace_names_start(&c, b, i);
		err = find_site(words, nr, ftrace_names_at(&c, i, name), matches);
	}
	return err;
}

/* Free exact names all of whose functions are discovered. */
static void free_done(struct list_head *words)
{
	struct word *w, *next;

	list_for_each_entry_safe(w, next, words, list) {
		if (w->hit && is_exact(w) && !ftrace_names_undiscovered(&w->m))
			word_free(w);
	}
}

/**
 * ftrace_words_apply() - stage sites that the words of a log name
 * @log: the log
 * @edit: gets the sites; for lack of memory, ->failed is set and it cannot be applied
 * @first: number of the first site that was added to the table
 * @end: one past the number of the last one
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_words_apply(struct list_head *log, struct ftrace_edit *edit, u32 first, u32 end)
{
	struct matches matches;
	int err;

	if (list_empty(log))
		return;
	err = find_sites(log, first, end, &matches);
	if (!err && matches.in.n)
		err = ftrace_edit_stage_sites(edit, &matches.in, false);
	if (!err && matches.out.n)
		err = ftrace_edit_stage_sites(edit, &matches.out, true);
	if (err)
		edit->failed = true;
	else
		free_done(log);
	matches_drop(&matches);
}

static int add_matches(struct ftrace_waiting *waiting, u32 first, u32 end)
{
	struct ftrace_siteset *set;
	struct matches matches;
	int err;

	err = find_sites(&waiting->words, first, end, &matches);
	if (!err && matches.in.n) {
		set = ftrace_siteset_build(&matches.in);
		err = PTR_ERR_OR_ZERO(set);
		if (!err) {
			err = waiting->add(waiting, set);
			ftrace_siteset_put(set);
		}
	}
	if (!err)
		free_done(&waiting->words);
	matches_drop(&matches);
	return err;
}

/* The words go on waiting; sites_added() compares them with these sites next time. */
static void note_missed(struct ftrace_waiting *waiting, u32 first, u32 end)
{
	if (!waiting->missed_end) {
		pr_warn("no memory to add discovered functions to a filter: it gets them later\n");
		waiting->missed = first;
	}
	waiting->missed = min(waiting->missed, first);
	waiting->missed_end = max(waiting->missed_end, end);
}

static void sites_added(struct ftrace_site_watcher *watcher, u32 first, u32 end)
{
	struct ftrace_waiting *waiting;

	list_for_each_entry(waiting, &lists, list) {
		int err = 0;

		if (list_empty(&waiting->words))
			continue;
		if (waiting->missed_end)
			err = add_matches(waiting, waiting->missed, waiting->missed_end);
		if (!err) {
			waiting->missed_end = 0;
			err = add_matches(waiting, first, end);
		}
		if (err)
			note_missed(waiting, first, end);
	}
}

/* Nothing to do: words are matched by name, not by number. */
static void sites_gone(struct ftrace_site_watcher *watcher, u32 first, u32 end)
{
}

static struct ftrace_site_watcher watcher = { .gone = sites_gone, .added = sites_added };

/* ---- filters in force ---- */

/**
 * ftrace_waiting_set() - put words into force
 * @waiting: the words of a filter; zeroed except ->words and ->add, or set before;
 *	NULL: none, then @words is empty
 * @words: the new ones; empty afterwards
 *
 * Context: Process context or early boot. ftrace_lock held.
 */
void ftrace_waiting_set(struct ftrace_waiting *waiting, struct list_head *words)
{
	lockdep_assert_held(&ftrace_lock);

	if (!waiting)
		return;
	if (!waiting->list.next) {
		ftrace_site_watch(&watcher);
		list_add_tail(&waiting->list, &lists);
	}
	ftrace_words_free(&waiting->words);
	list_splice_init(words, &waiting->words);
}

/**
 * ftrace_waiting_word() - get a word in force, to show it
 * @waiting: the words; NULL: none
 * @n: which one
 *
 * Context: Process context. ftrace_lock held as long as the word is used.
 * Return: The word, NULL if there are only @n or fewer.
 */
const char *ftrace_waiting_word(const struct ftrace_waiting *waiting, unsigned int n)
{
	struct word *w;

	lockdep_assert_held(&ftrace_lock);

	if (!waiting)
		return NULL;
	list_for_each_entry(w, &waiting->words, list) {
		if (!n--)
			return w->text;
	}
	return NULL;
}

/*
 * True if the round that has found all of the sites is still to plan them. It is not if they
 * were missed in an earlier one, or if a list before this one has had a plan made.
 */
static bool all_armed(const struct ftrace_siteset *sites)
{
	struct ftrace_site_walk walk = {};
	u32 nr;

	ftrace_siteset_for_each(sites, nr) {
		const struct ftrace_site *site = ftrace_site_walk(&walk, nr);

		if (!site || !(site->state & FTRACE_SITE_ARMED))
			return false;
	}
	return true;
}

static int slot_add(struct ftrace_waiting *waiting, struct ftrace_siteset *sites)
{
	struct slot_waiting *s = container_of(waiting, struct slot_waiting, waiting);
	struct ftrace_filter *now = ftrace_slot_filter(s->slot), *filter;
	struct ftrace_siteset *set;

	set = ftrace_siteset_or(s->except ? now->except : now->only, sites);
	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_filter_with_set(now, set, s->except, true, NULL);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	if (filter->conds || !all_armed(sites))
		return ftrace_slot_set_locked(s->slot, filter);
	ftrace_slot_foresee(s->slot, filter);
	return 0;
}

/**
 * ftrace_slot_waiting() - get the words that wait in a filter slot
 * @slot: the slot; NULL: words do not wait there
 * @except: those of functions to leave out
 *
 * Context: Process context. ftrace_lock held.
 * Return: The words, NULL if it never had any.
 */
struct ftrace_waiting *ftrace_slot_waiting(struct ftrace_filter_slot *slot, bool except)
{
	struct ftrace_waiting *waiting;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(waiting, &lists, list) {
		struct slot_waiting *s = container_of(waiting, struct slot_waiting, waiting);

		if (waiting->add == slot_add && s->slot == slot && s->except == except)
			return waiting;
	}
	return NULL;
}

/**
 * ftrace_slot_waiting_make() - let a filter slot have words that wait
 * @slot: the slot; its owner calls ftrace_slot_waiting_free() before it is freed
 * @except: for functions to leave out
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: The words, maybe none; NULL if memory is short.
 */
struct ftrace_waiting *ftrace_slot_waiting_make(struct ftrace_filter_slot *slot, bool except)
{
	struct ftrace_waiting *waiting = ftrace_slot_waiting(slot, except);
	struct slot_waiting *s;
	LIST_HEAD(none);

	if (waiting)
		return waiting;
	s = kzalloc_obj(*s);
	if (!s)
		return NULL;
	s->slot = slot;
	s->except = except;
	s->waiting.add = slot_add;
	INIT_LIST_HEAD(&s->waiting.words);
	ftrace_waiting_set(&s->waiting, &none);
	return &s->waiting;
}

/**
 * ftrace_slot_waiting_free() - free the words that wait in a filter slot
 * @slot: the slot, which is about to be reset and freed
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_slot_waiting_free(struct ftrace_filter_slot *slot)
{
	for (int except = 0; except < 2; except++) {
		struct ftrace_waiting *waiting = ftrace_slot_waiting(slot, except);

		if (!waiting)
			continue;
		ftrace_words_free(&waiting->words);
		list_del(&waiting->list);
		kfree(container_of(waiting, struct slot_waiting, waiting));
	}
}

/**
 * ftrace_slot_waiting_early() - let a word of the command line wait
 * @slot: the slot
 * @text: the word, which may name functions that are discovered, too
 * @except: it is for functions to leave out
 *
 * Context: Boot, process context. May sleep. Takes ftrace_lock.
 * Return: 1 if it waits, 0 if not, or an error of ftrace_slot_set_locked().
 */
int __init ftrace_slot_waiting_early(struct ftrace_filter_slot *slot, const char *text, bool except)
{
	struct ftrace_waiting *waiting;
	struct ftrace_filter *filter;
	struct ftrace_match m;
	LIST_HEAD(words);
	LIST_HEAD(log);
	int ret;

	if (ftrace_match_parse(&m, text, strlen(text)))
		return 0;

	guard(mutex)(&ftrace_lock);

	waiting = ftrace_slot_waiting(slot, except);
	ret = ftrace_words_stage(&log, waiting, &m, text);
	if (ret <= 0)
		return ret;
	waiting = waiting ?: ftrace_slot_waiting_make(slot, except);
	ret = waiting ? ftrace_words_replay(&words, waiting, &log) : -ENOMEM;
	ftrace_words_free(&log);
	if (ret)
		return ret;
	ftrace_waiting_set(waiting, &words);
	if (except || !ftrace_slot_filter(slot)->all)
		return 1;

	/* Until one of its functions is discovered, nothing is traced, rather than all. */
	filter = ftrace_filter_with_set(ftrace_slot_filter(slot), NULL, false, true, NULL);
	return (PTR_ERR_OR_ZERO(filter) ?: ftrace_slot_set_locked(slot, filter)) ?: 1;
}
