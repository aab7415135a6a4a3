// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a filter file: the functions, or a line that says there is no filter;
 * then words for functions not discovered yet; then filters for modules to
 * come; then functions with commands.
 */
#include <linux/seq_file.h>

#include "../../trace.h"
#include "filter_session.h"
#include "probes.h"
#include "tracefs.h"

static struct ftrace_tracer *reader_tracer(struct ftrace_session *s)
{
	return &s->tracers->tracer[s->reader.tracer];
}

static const struct ftrace_siteset *shown_sites(struct ftrace_session *s)
{
	struct ftrace_filter *f = reader_tracer(s)->filter;

	return s->except ? f->except : f->only;
}

static const struct ftrace_waiting *shown_waiting(struct ftrace_session *s)
{
	return ftrace_slot_waiting(ftrace_tracer_slot(reader_tracer(s)), s->except);
}

static const char *shown_word(struct ftrace_session *s)
{
	return ftrace_waiting_word(shown_waiting(s), s->reader.nth);
}

static const char nothing[] = FTRACE_NOTHING;

/* The line for a filter that names nothing, or NULL. */
static const char *shown_none(struct ftrace_session *s)
{
	struct ftrace_tracer *tracer = reader_tracer(s);
	struct list_head *mods = tracer->mods[s->except];

	if (shown_sites(s) || (mods && !list_empty(mods)) ||
	    ftrace_waiting_any(shown_waiting(s)))
		return NULL;
	if (s->except)
		return "#### no functions disabled ####";
	return tracer->filter->all ? "#### all functions enabled ####" : nothing;
}

static struct ftrace_mod_load *shown_mod(struct ftrace_session *s)
{
	struct list_head *mods = reader_tracer(s)->mods[s->except];
	struct ftrace_reader *r = &s->reader;

	if (!mods)
		return NULL;
	/* Start at the last entry, so that a long list is not walked for each line. */
	if (r->mods != mods || r->mods_generation != ftrace_mods_generation ||
	    r->nth < r->mod_nth) {
		r->mods = mods;
		r->mods_generation = ftrace_mods_generation;
		r->mod = list_first_entry(mods, struct ftrace_mod_load, list);
		r->mod_nth = 0;
	}
	for (; !list_entry_is_head(r->mod, mods, list); r->mod_nth++) {
		if (r->mod_nth == r->nth)
			return r->mod;
		r->mod = list_next_entry(r->mod, list);
	}
	return NULL;
}

/* The trace array of the commands that are shown with the tracer; NULL: none. */
static struct trace_array *shown_array(struct ftrace_session *s)
{
	struct trace_array *its = reader_tracer(s)->tr;

	/* Those of the top array are written to a tracer that has none, see write_command(). */
	for (unsigned int i = 0; i < s->tracers->nr; i++) {
		if (s->tracers->tracer[i].tr == s->tr)
			return its;
	}
	return its ?: (s->reader.tracer == s->tracers->target ? s->tr : NULL);
}

static struct ftrace_func_probe *shown_probe(struct ftrace_session *s)
{
	struct trace_array *tr = s->except ? NULL : shown_array(s);

	return tr ? ftrace_probe_nth(tr, s->reader.nth) : NULL;
}

/* Start the walk over the sites of a stage if *@fresh, else resume it. */
static bool walk_sites(struct ftrace_session *s, const struct ftrace_siteset *set, bool *fresh)
{
	struct ftrace_walk *walk = &s->reader.walk;

	walk->pick = ftrace_pick_set;
	walk->what = set;
	if (*fresh) {
		*fresh = false;
		return set && ftrace_walk_start(walk);
	}
	return set && ftrace_walk_resume(walk);
}

/*
 * Move the reader on to an entry that can be shown, unless it is at one.
 * @fresh: the walk over the stage's sites has not started.
 */
static bool reader_to_shown(struct ftrace_session *s, bool fresh)
{
	struct ftrace_reader *r = &s->reader;
	struct ftrace_func_probe *probe;

	for (; r->tracer < s->tracers->nr; r->tracer++, r->stage = SHOW_SITES, fresh = true) {
		switch (r->stage) {
		case SHOW_SITES:
			if (walk_sites(s, shown_sites(s), &fresh))
				return true;
			r->stage = SHOW_NONE;
			fallthrough;
		case SHOW_NONE:
			if (shown_none(s))
				return true;
			r->stage = SHOW_WAITING;
			r->nth = 0;
			fallthrough;
		case SHOW_WAITING:
			if (shown_word(s))
				return true;
			r->stage = SHOW_MODS;
			r->nth = 0;
			fallthrough;
		case SHOW_MODS:
			if (shown_mod(s))
				return true;
			r->stage = SHOW_PROBES;
			r->nth = 0;
			fresh = true;
			fallthrough;
		case SHOW_PROBES:
			for (; (probe = shown_probe(s)); r->nth++, fresh = true) {
				if (walk_sites(s, ftrace_probe_sites(probe), &fresh))
					return true;
			}
		}
	}
	return false;
}

static bool reader_next(struct ftrace_session *s)
{
	struct ftrace_reader *r = &s->reader;
	bool fresh = false;

	r->pos++;
	switch (r->stage) {
	case SHOW_SITES:
	case SHOW_PROBES:
		if (ftrace_walk_next(&r->walk))
			return true;
		if (r->stage == SHOW_SITES) {
			r->stage = SHOW_NONE;
		} else {
			r->nth++;
			fresh = true;
		}
		break;
	case SHOW_NONE:
		r->stage = SHOW_WAITING;
		r->nth = 0;
		break;
	default:
		r->nth++;
		break;
	}
	return reader_to_shown(s, fresh);
}

static void *filter_start(struct seq_file *m, loff_t *pos)
{
	struct ftrace_session *s = m->private;
	struct ftrace_reader *r = &s->reader;
	bool there;

	mutex_lock(&ftrace_probe_mutex);
	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;

	if (r->started && r->pos == *pos)
		return reader_to_shown(s, false) ? r : NULL;

	memset(r, 0, sizeof(*r));
	r->started = true;
	there = reader_to_shown(s, true);
	while (there && r->pos < *pos)
		there = reader_next(s);
	return there ? r : NULL;
}

static void *filter_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return reader_next(m->private) ? v : NULL;
}

static void filter_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&ftrace_probe_mutex);
}

/* ->print() of a kind prints "FUNCTION:COMMAND": insert the place before the colon. */
static void show_command(struct seq_file *m, struct ftrace_func_probe *probe,
			 const struct ftrace_walk *walk)
{
	const size_t first = m->count;
	char where[FTRACE_WHERE_LEN];
	bool counts;
	size_t len;
	char *colon;

	ftrace_probe_print(probe, m, walk->ip);
	/* Functions of one name have counts of their own. */
	counts = strnstr(m->buf + first, ":count=", m->count - first);
	len = strlen(ftrace_names_where(walk->block, walk->i, counts ? NULL : walk->what, NULL,
					where));
	colon = memchr(m->buf + first, ':', m->count - first);
	if (!colon || !len)
		return;
	if (m->count + len >= m->size) {
		/* Too long: seq_read() tries again with a larger buffer. */
		m->count = m->size;
		return;
	}
	memmove(colon + len, colon, m->buf + m->count - colon);
	memcpy(colon, where, len);
	m->count += len;
}

/* Show a function, with its condition, if any, in the form that is written. */
static void show_function(struct seq_file *m, struct ftrace_session *s)
{
	const struct ftrace_condset *conds = s->except ? NULL : reader_tracer(s)->filter->conds;
	struct ftrace_walk *walk = &s->reader.walk;
	const struct ftrace_cond *cond;
	char where[FTRACE_WHERE_LEN];

	ftrace_walk_name(walk, m);
	seq_puts(m, ftrace_names_where(walk->block, walk->i, walk->what, conds, where));
	cond = ftrace_condset_of(conds, ftrace_site_nr(walk->block, walk->i));
	if (cond)
		seq_printf(m, FTRACE_IF "%s", cond->text);
	seq_putc(m, '\n');
}

static int filter_show(struct seq_file *m, void *v)
{
	struct ftrace_session *s = m->private;
	struct ftrace_reader *r = &s->reader;
	struct ftrace_mod_load *ml;

	if (s->tracers->nr > 1)
		seq_printf(m, "[ %s] ", reader_tracer(s)->name);
	else if (r->stage == SHOW_PROBES && r->pos == 1 && shown_none(s) == nothing)
		seq_putc(m, '\n');

	switch (r->stage) {
	case SHOW_SITES:
		show_function(m, s);
		break;
	case SHOW_NONE:
		seq_puts(m, shown_none(s));
		/* The newline is printed before the next line, if there is one. */
		if (s->tracers->nr > 1 || shown_none(s) != nothing)
			seq_putc(m, '\n');
		break;
	case SHOW_WAITING:
		seq_printf(m, "%s" FTRACE_WAITS "\n", shown_word(s));
		break;
	case SHOW_MODS:
		ml = shown_mod(s);
		seq_printf(m, "%s:mod:%s\n", ml->func, ml->module);
		break;
	case SHOW_PROBES:
		show_command(m, shown_probe(s), &r->walk);
		break;
	}
	return 0;
}

const struct seq_operations ftrace_filter_seq_ops = {
	.start	= filter_start,
	.next	= filter_next,
	.stop	= filter_stop,
	.show	= filter_show,
};
