// SPDX-License-Identifier: GPL-2.0
/*
 * Files that say which functions to trace.
 *
 * From open to close is one session. Each word that is written is looked up at
 * once, so that the write tells what is wrong with it, and staged. Closing the
 * file puts the result in force in one step; if any word was bad, nothing
 * changes, whether the file was opened to be truncated or not. Commands
 * ("schedule:traceoff") are not part of the filter and act when they are
 * written.
 *
 * What is staged is a change, not a filter: two sessions that add to a filter
 * at the same time both get what they want. So nobody waits for anybody who
 * has the file open.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "doors.h"

/* What is shown next of one tracer, in this order. */
enum stage {
	SHOW_SITES,		/* a function of the filter */
	SHOW_NONE,		/* that there is no filter */
	SHOW_MODS,		/* a filter for a module to come */
	SHOW_PROBES,		/* a function with a command */
	SHOW_STAGES
};

/* Where a reader is. */
struct reader {
	bool			started;
	loff_t			pos;
	unsigned int		door;
	enum stage		stage;
	unsigned int		nth;	/* entry of mods, or probe */
	struct ftrace_walk	walk;	/* over the filter's or the probe's sites */
};

struct session {
	struct list_head	list;		/* [L] of all */
	struct mutex		lock;		/* one write at a time */
	struct trace_array	*tr;		/* the file's; a reference; or NULL */
	struct ftrace_doors	*doors;
	bool			except;		/* the file is set_ftrace_notrace */
	const char		*file;

	struct ftrace_word	word;
	char			text[FTRACE_WORD_MAX];	/* the word, to be cut in pieces */
	int			err;		/* the first that was */
	bool			closed;
	struct ftrace_edit	edit;		/* [L] */
	struct list_head	mods_add;	/* struct ftrace_mod_load, staged */
	struct list_head	mods_del;

	struct reader		reader;
};

static LIST_HEAD(sessions);	/* [L] */

static struct session *session_of(struct file *file)
{
	if (file->f_mode & FMODE_READ)
		return ((struct seq_file *)file->private_data)->private;
	return file->private_data;
}

static struct ftrace_door *target(struct session *s)
{
	return &s->doors->door[s->doors->target];
}

static struct ftrace_filter *filter_now(struct session *s)
{
	return ftrace_home_filter(ftrace_ops_home(target(s)->ops));
}

static struct ftrace_siteset *base_now(struct session *s)
{
	struct ftrace_filter *now = filter_now(s);

	return s->except ? now->except : now->only;
}

/**
 * ftrace_sessions_gone - numbers of sites become invalid
 * @first: the first of them
 * @end: one past the last
 *
 * Context: ftrace_lock held.
 */
void ftrace_sessions_gone(u32 first, u32 end)
{
	struct session *s;
	unsigned int i;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(s, &sessions, list) {
		ftrace_edit_forget(&s->edit, first, end);
		for (i = 0; i < s->doors->nr; i++) {
			struct ftrace_door *door = &s->doors->door[i];
			struct ftrace_filter *old = door->filter;

			door->filter = ftrace_filter_without(old, first, end);
			ftrace_filter_put(old);
		}
	}
}

/* ---- filters for modules that are not there yet ---- */

static void mod_free(struct ftrace_mod_load *ml)
{
	list_del(&ml->list);
	kfree(ml->func);
	kfree(ml->module);
	kfree(ml);
}

/**
 * ftrace_mods_free - forget filters for modules to come
 * @mods: a list of struct ftrace_mod_load
 *
 * Context: process; whatever guards the list.
 */
void ftrace_mods_free(struct list_head *mods)
{
	struct ftrace_mod_load *ml, *next;

	list_for_each_entry_safe(ml, next, mods, list)
		mod_free(ml);
}

static int mod_add(struct list_head *mods, const char *func, const char *module)
{
	struct ftrace_mod_load *ml = kzalloc(sizeof(*ml), GFP_KERNEL);

	if (!ml)
		return -ENOMEM;
	INIT_LIST_HEAD(&ml->list);
	ml->func = kstrdup(func, GFP_KERNEL);
	ml->module = kstrdup(module, GFP_KERNEL);
	if (!ml->func || !ml->module) {
		mod_free(ml);
		return -ENOMEM;
	}
	list_add_tail(&ml->list, mods);
	return 0;
}

static bool any_func(const char *func)
{
	return !*func || !strcmp(func, "*");
}

/* Does removing @func of @module mean @ml? */
static bool mod_meant(const struct ftrace_mod_load *ml, const char *func, const char *module)
{
	return !strcmp(ml->module, module) && (any_func(func) || !strcmp(ml->func, func));
}

static bool mods_have(struct list_head *mods, const char *func, const char *module)
{
	struct ftrace_mod_load *ml;

	list_for_each_entry(ml, mods, list) {
		if (mod_meant(ml, func, module))
			return true;
	}
	return false;
}

static void mods_remove(struct list_head *mods, const char *func, const char *module)
{
	struct ftrace_mod_load *ml, *next;

	list_for_each_entry_safe(ml, next, mods, list) {
		if (mod_meant(ml, func, module))
			mod_free(ml);
	}
}

static bool is_pattern(const char *module)
{
	return strpbrk(module, "*?[\\");
}

/* Is there a loaded module of this name, or of one that the pattern has? */
static bool module_there(const char *module)
{
	struct ftrace_site_block *b;
	struct ftrace_match m;
	bool there;

	if (!is_pattern(module)) {
		preempt_disable();
		there = find_module(module);
		preempt_enable();
		return there;
	}

	if (ftrace_match_parse(&m, module, strlen(module)))
		return false;
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (b->mod && ftrace_site_block_ready(b) && ftrace_match(&m, b->mod->name))
			return true;
	}
	return false;
}

/* ---- sessions ---- */

static void complain(struct session *s, unsigned int pos, enum ftrace_why why)
{
	ftrace_complain(s->tr, target(s)->name, s->file, s->word.text, pos, why);
}

static enum ftrace_why why_errno(int err)
{
	switch (err) {
	case -ENOMEM:
		return FTRACE_WHY_NO_MEMORY;
	case -EBUSY:
		return FTRACE_WHY_BUSY;
	case -EINVAL:
		return FTRACE_WHY_EXCLUSIVE;
	case -ENODEV:
		return FTRACE_WHY_GONE;
	default:
		return FTRACE_WHY_FAILED;
	}
}

/* A name, a pattern or a line's number: what is in s->word. */
static int write_name(struct session *s)
{
	const char *text = s->word.text;
	unsigned int skip = text[0] == '!';
	struct ftrace_match m;
	bool found = false;
	int ret;

	ret = ftrace_match_parse(&m, text, s->word.len);
	if (!ret) {
		guard(mutex)(&ftrace_lock);

		if (ftrace_disabled)
			return -ENODEV;
		if (!ftrace_door_alive(target(s)))
			ret = -ENODEV;
		else
			ret = ftrace_edit_word(&s->edit, base_now(s), &m, NULL);
		found = s->edit.found.n;
	}
	if (ret == -ENODEV)
		complain(s, skip, FTRACE_WHY_GONE);
	else if (ret && found)
		complain(s, skip, ret == -ENOMEM ? FTRACE_WHY_NO_MEMORY : FTRACE_WHY_NOT_IN_FILTER);
	else if (ret)
		complain(s, skip, ftrace_why_no_site(text + skip, s->word.len - skip, ret));
	return ret;
}

/* "FUNC:mod:MODULE" where the module is not there. ftrace_lock held. */
static int stage_mod(struct session *s, const char *func, const char *module, bool remove)
{
	struct list_head *mods = target(s)->mods[s->except];
	int ret;

	if (!remove) {
		mods_remove(&s->mods_del, func, module);
		ret = mod_add(&s->mods_add, any_func(func) ? "*" : func, module);
		s->edit.changed |= !ret;
		return ret;
	}

	if (!mods_have(&s->mods_add, func, module) &&
	    (s->edit.reset || mods_have(&s->mods_del, func, module) ||
	     !mods_have(mods, func, module)))
		return -EINVAL;

	ret = mod_add(&s->mods_del, func, module);
	if (ret)
		return ret;
	mods_remove(&s->mods_add, func, module);
	s->edit.changed = true;
	return 0;
}

/*
 * "[!]FUNC:mod:MODULE". An empty MODULE is any module; "!MODULE" is all of the
 * kernel and its modules but that one, and never one to come.
 */
static int write_mod(struct session *s, char *func, char *module, unsigned int module_pos)
{
	unsigned int skip = func[0] == '!';
	enum ftrace_why why = FTRACE_WHY_NO_MATCH;
	struct ftrace_match m;
	unsigned int pos = skip;
	int ret;

	ret = ftrace_match_parse(&m, func, strlen(func));
	if (ret || m.kind == FTRACE_MATCH_INDEX) {
		complain(s, skip, FTRACE_WHY_BAD_LINE);
		return -EINVAL;
	}
	if (!*module)
		module = "*";

	mutex_lock(&ftrace_lock);
	if (ftrace_disabled || !ftrace_door_alive(target(s))) {
		mutex_unlock(&ftrace_lock);
		return -ENODEV;
	}

	ret = ftrace_edit_word(&s->edit, base_now(s), &m, module);
	if (ret == -EINVAL && s->edit.found.n) {
		why = FTRACE_WHY_NOT_IN_FILTER;
	} else if (ret == -EINVAL && *module == '!') {
		why = ftrace_why_no_site(func + skip, strlen(func + skip), ret);
	} else if (ret == -EINVAL && !module_there(module)) {
		why = FTRACE_WHY_NO_MODULE;
		pos = module_pos;
		if (target(s)->mods[s->except])
			ret = stage_mod(s, func + skip, module, skip);
	}
	mutex_unlock(&ftrace_lock);

	if (ret)
		complain(s, pos, ret == -ENOMEM ? FTRACE_WHY_NO_MEMORY : why);
	return ret;
}

struct command {
	char		*func, *name, *params;		/* the last may be NULL */
	unsigned int	name_pos, params_pos;
};

static void cut(struct command *c, char *text)
{
	c->func = text;
	c->name = strchr(text, ':');
	*c->name++ = '\0';
	c->params = strchr(c->name, ':');
	if (c->params)
		*c->params++ = '\0';
	c->name_pos = c->name - text;
	c->params_pos = c->params ? c->params - text : c->name_pos;
}

static int find_sites(const char *name, struct ftrace_siteset_builder *found)
{
	struct ftrace_match m;
	int ret;

	ret = ftrace_match_parse(&m, name, strlen(name));
	if (ret)
		return ret;
	guard(mutex)(&ftrace_lock);
	return ftrace_names_find(&m, NULL, found);
}

/* Why a command was refused, and where in the word the reason is. Cuts up @c. */
static enum ftrace_why why_command(struct session *s, struct command *c, int err,
				   unsigned int *pos)
{
	bool event = !strcmp(c->name, "enable_event") || !strcmp(c->name, "disable_event");
	bool counts = strcmp(c->name, "dump") && strcmp(c->name, "cpudump");
	unsigned int skip = c->func[0] == '!';
	struct ftrace_siteset_builder found = { };
	unsigned long n;

	*pos = c->params_pos;
	if (event) {
		char *sys = strsep(&c->params, ":"), *name = strsep(&c->params, ":");

		if (!sys || !name)
			return FTRACE_WHY_NO_EVENT;
		guard(mutex)(&event_mutex);
		if (!find_event_file(target(s)->tr ?: s->tr, sys, name))
			return FTRACE_WHY_NO_EVENT;
		*pos += strlen(sys) + strlen(name) + 2;
	}
	if (c->params && counts && !skip) {
		char *count = strsep(&c->params, ":");

		if ((event && !*count) || (*count && kstrtoul(count, 0, &n)))
			return FTRACE_WHY_BAD_COUNT;
	}

	*pos = skip;
	if (err == -ENOMEM)
		return FTRACE_WHY_NO_MEMORY;
	if (err == -ENODEV && skip)
		return FTRACE_WHY_NO_PROBE;

	err = find_sites(c->func + skip, &found);
	n = found.n;
	ftrace_siteset_drop(&found);
	if (err || !n)
		return ftrace_why_no_site(c->func + skip, strlen(c->func + skip), err);
	return skip ? FTRACE_WHY_NO_PROBE : FTRACE_WHY_PROBE_EXISTS;
}

/* The command has cut up what it was given; the word is still there. */
static void complain_command(struct session *s, int err)
{
	enum ftrace_why why = FTRACE_WHY_NO_MEMORY;
	unsigned int pos = 0;
	struct command c;
	char *text;

	text = kstrdup(s->word.text, GFP_KERNEL);
	if (text) {
		cut(&c, text);
		why = why_command(s, &c, err, &pos);
	}
	complain(s, pos, why);
	kfree(text);
}

/* "[!]FUNC:COMMAND[:PARAMS]" */
static int write_command(struct session *s)
{
	struct trace_array *tr = target(s)->tr ?: s->tr;
	struct command c;
	int ret;

	strscpy(s->text, s->word.text);
	cut(&c, s->text);

	if (!tr) {
		complain(s, c.name_pos, FTRACE_WHY_NO_COMMANDS);
		return -ENODEV;
	}
	if (!strcmp(c.name, "mod"))
		return write_mod(s, c.func, c.params ?: "", c.params_pos);

	if (!ftrace_command_exists(c.name)) {
		complain(s, c.name_pos, FTRACE_WHY_NO_COMMAND);
		return -EINVAL;
	}
	if (s->except) {
		complain(s, c.name_pos, FTRACE_WHY_COMMAND_NOT_HERE);
		return -EINVAL;
	}

	ret = ftrace_command_run(tr, c.func, c.name, c.params, true);
	if (ret < 0)
		complain_command(s, ret);
	return min(ret, 0);
}

static int write_word(struct session *s)
{
	int ret;

	if (strchr(s->word.text, ':'))
		ret = write_command(s);
	else
		ret = write_name(s);

	s->word.len = 0;
	if (ret && !s->err)
		s->err = ret;
	return ret;
}

static ssize_t session_write(struct session *s, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	ssize_t taken;
	bool whole;
	int ret;

	if (!cnt)
		return 0;
	if (s->closed)
		return -EBADF;

	taken = ftrace_word_read(&s->word, ubuf, cnt, ppos, &whole);
	if (taken < 0) {
		if (taken == -E2BIG) {
			complain(s, 0, FTRACE_WHY_TOO_LONG);
			taken = -EINVAL;
		}
		s->word.len = 0;
		if (!s->err)
			s->err = taken;
		return taken;
	}

	if (whole) {
		ret = write_word(s);
		if (ret)
			return ret;
	}
	*ppos += taken;
	return taken;
}

/**
 * ftrace_filter_write - write to a filter file
 * @file: opened by ftrace_regex_open()
 * @ubuf: words
 * @cnt: how many bytes
 * @ppos: the file's position
 *
 * Takes one word, see the top of this file.
 *
 * Context: process, may sleep.
 * Return: bytes taken; -EINVAL no such function, module, command or line, a
 * bad count, or a name that is too long (error_log has which); -ENODEV no such
 * command on these functions, or the tracer is dead; -ENOMEM; -EFAULT; or what
 * a command returns. After an error, closing the file changes no filter.
 */
ssize_t ftrace_filter_write(struct file *file, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	struct session *s = session_of(file);

	guard(mutex)(&s->lock);
	return session_write(s, ubuf, cnt, ppos);
}

/* The same: the session knows which of the two files it is. */
ssize_t ftrace_notrace_write(struct file *file, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return ftrace_filter_write(file, ubuf, cnt, ppos);
}

/* A tracer that has followed another one's filter so far moves into its own home. */
static int door_set(struct ftrace_door *door, struct ftrace_filter *filter)
{
	struct ftrace_ops *ops = door->ops;
	int ret;

	if (!door->own || ftrace_ops_home(ops) == &ops->own)
		return ftrace_home_set_locked(ftrace_ops_home(ops), filter);

	/* Nobody lives there yet: nothing is called for it. */
	ret = ftrace_home_set_locked(&ops->own, filter);
	if (ret)
		return ret;
	ret = ftrace_ops_rehome_locked(ops, &ops->own);
	if (ret)
		ftrace_home_set_locked(&ops->own, ftrace_filter_get(&ftrace_filter_all));
	return ret;
}

/* What was staged for a module that has come meanwhile. */
static int resolve_mods(struct session *s)
{
	struct ftrace_mod_load *ml, *next;
	struct ftrace_match m;
	int ret;

	list_for_each_entry_safe(ml, next, &s->mods_add, list) {
		ret = ftrace_match_parse(&m, ml->func, strlen(ml->func));
		if (!ret)
			ret = ftrace_edit_word(&s->edit, base_now(s), &m, ml->module);
		if (ret == -ENOMEM)
			return ret;
		if (!ret && !is_pattern(ml->module))
			mod_free(ml);
	}
	return 0;
}

/* Will there be filters for modules to come? */
static bool keeps_mods(struct session *s, struct list_head *mods)
{
	struct ftrace_mod_load *ml, *del;

	if (!list_empty(&s->mods_add))
		return true;
	if (!mods || s->edit.reset)
		return false;

	list_for_each_entry(ml, mods, list) {
		bool goes = false;

		list_for_each_entry(del, &s->mods_del, list)
			goes |= mod_meant(ml, del->func, del->module);
		if (!goes)
			return true;
	}
	return false;
}

static void commit_mods(struct session *s, struct list_head *mods)
{
	struct ftrace_mod_load *ml, *next;

	if (!mods)
		return;
	if (s->edit.reset)
		ftrace_mods_free(mods);
	list_for_each_entry(ml, &s->mods_del, list)
		mods_remove(mods, ml->func, ml->module);
	list_for_each_entry_safe(ml, next, &s->mods_add, list) {
		mods_remove(mods, ml->func, ml->module);
		list_move_tail(&ml->list, mods);
	}
}

static int session_apply(struct session *s)
{
	struct ftrace_door *door = target(s);
	struct list_head *mods = door->mods[s->except];
	struct ftrace_siteset *set;
	struct ftrace_filter *filter;
	int ret;

	guard(mutex)(&ftrace_lock);

	if (ftrace_disabled || !ftrace_door_alive(door))
		return -ENODEV;
	ret = resolve_mods(s);
	if (ret)
		return ret;
	set = ftrace_edit_apply(&s->edit, base_now(s));
	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_edit_filter(filter_now(s), set, s->except, keeps_mods(s, mods));
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	ret = door_set(door, filter);
	if (!ret)
		commit_mods(s, mods);
	return ret;
}

/* The end of the session; again if there is more than one. */
static int session_close(struct session *s)
{
	int ret;

	guard(mutex)(&s->lock);

	if (s->closed)
		return 0;
	s->closed = true;

	if (s->word.open && s->word.len)
		write_word(s);
	if (s->err)
		return s->err;
	if (!s->edit.reset && !s->edit.changed)
		return 0;

	ret = session_apply(s);
	if (ret)
		ftrace_complain(s->tr, target(s)->name, s->file, "close", 0, why_errno(ret));
	return ret;
}

/**
 * ftrace_filter_flush - a filter file is closed
 * @file: opened by ftrace_regex_open()
 * @id: not used
 *
 * The last close() puts in force what was written, and tells if that failed.
 * What release would return, nobody gets to see.
 *
 * Context: process, may sleep.
 * Return: 0; the error of the first bad write, or of the last word if nothing
 * came after it; -ENOMEM; -EBUSY, -EINVAL exclusive hooks would meet; -ENODEV
 * the tracer is gone. On error no filter has changed.
 */
int ftrace_filter_flush(struct file *file, fl_owner_t id)
{
	/* Shells dup() the file and close the first descriptor before they write. */
	if (!(file->f_mode & FMODE_WRITE) || file_count(file) > 1)
		return 0;
	return session_close(session_of(file));
}

/* ---- reading ---- */

static struct ftrace_door *reader_door(struct session *s)
{
	return &s->doors->door[s->reader.door];
}

static const struct ftrace_siteset *shown_sites(struct session *s)
{
	struct ftrace_filter *f = reader_door(s)->filter;

	return s->except ? f->except : f->only;
}

static bool shows_none(struct session *s)
{
	struct ftrace_door *door = reader_door(s);
	struct list_head *mods = door->mods[s->except];

	if (shown_sites(s) || (mods && !list_empty(mods)))
		return false;
	return s->except || door->filter->all;
}

static struct ftrace_mod_load *shown_mod(struct session *s)
{
	struct list_head *mods = reader_door(s)->mods[s->except];
	unsigned int n = s->reader.nth;
	struct ftrace_mod_load *ml;

	if (!mods)
		return NULL;
	list_for_each_entry(ml, mods, list) {
		if (!n--)
			return ml;
	}
	return NULL;
}

static struct ftrace_func_probe *shown_probe(struct session *s)
{
	struct ftrace_door *door = reader_door(s);

	if (s->except || !door->tr)
		return NULL;
	return ftrace_probe_nth(door->tr, s->reader.nth);
}

/* Starts the walk over the sites of the stage, or goes on with it. */
static bool walk_sites(struct session *s, const struct ftrace_siteset *set, bool *fresh)
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
 * From where the reader stands to the next thing that there is to show, which
 * can be where it stands. @fresh: the walk has not begun yet.
 */
static bool reader_settle(struct session *s, bool fresh)
{
	struct reader *r = &s->reader;
	struct ftrace_func_probe *probe;

	for (; r->door < s->doors->nr; r->door++, r->stage = SHOW_SITES, fresh = true) {
		switch (r->stage) {
		case SHOW_SITES:
			if (walk_sites(s, shown_sites(s), &fresh))
				return true;
			r->stage = SHOW_NONE;
			fallthrough;
		case SHOW_NONE:
			if (shows_none(s))
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
			break;
		default:
			break;
		}
	}
	return false;
}

static bool reader_next(struct session *s)
{
	struct reader *r = &s->reader;
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
		r->stage = SHOW_MODS;
		r->nth = 0;
		break;
	default:
		r->nth++;
		break;
	}
	return reader_settle(s, fresh);
}

static void *filter_start(struct seq_file *m, loff_t *pos)
{
	struct session *s = m->private;
	struct reader *r = &s->reader;
	bool there;

	mutex_lock(&ftrace_probe_mutex);
	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;

	if (r->started && r->pos == *pos)
		return reader_settle(s, false) ? r : NULL;

	memset(r, 0, sizeof(*r));
	r->started = true;
	there = reader_settle(s, true);
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

static int filter_show(struct seq_file *m, void *v)
{
	struct session *s = m->private;
	struct reader *r = &s->reader;
	struct ftrace_mod_load *ml;

	if (s->doors->nr > 1)
		seq_printf(m, "[ %s] ", reader_door(s)->name);

	switch (r->stage) {
	case SHOW_SITES:
		ftrace_walk_name(&r->walk, m);
		seq_putc(m, '\n');
		break;
	case SHOW_NONE:
		seq_puts(m, s->except ? "#### no functions disabled ####\n" :
					"#### all functions enabled ####\n");
		break;
	case SHOW_MODS:
		ml = shown_mod(s);
		seq_printf(m, "%s:mod:%s\n", ml->func, ml->module);
		break;
	case SHOW_PROBES:
		ftrace_probe_print(shown_probe(s), m, r->walk.ip);
		break;
	default:
		break;
	}
	return 0;
}

static const struct seq_operations filter_seq_ops = {
	.start	= filter_start,
	.next	= filter_next,
	.stop	= filter_stop,
	.show	= filter_show,
};

/* ---- open and release ---- */

static void session_free(struct session *s)
{
	mutex_lock(&ftrace_lock);
	list_del(&s->list);
	mutex_unlock(&ftrace_lock);

	ftrace_doors_put(s->doors);
	ftrace_edit_drop(&s->edit);
	ftrace_mods_free(&s->mods_add);
	ftrace_mods_free(&s->mods_del);
	mutex_destroy(&s->lock);
	kfree(s);
}

static struct session *session_make(struct trace_array *tr, struct ftrace_ops *ops, bool except)
{
	struct session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return ERR_PTR(-ENOMEM);
	mutex_init(&s->lock);
	INIT_LIST_HEAD(&s->mods_add);
	INIT_LIST_HEAD(&s->mods_del);
	s->tr = tr;
	s->except = except;
	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	s->doors = ftrace_disabled ? ERR_PTR(-ENODEV) : ftrace_doors_get(tr, ops);
	if (IS_ERR(s->doors)) {
		int ret = PTR_ERR(s->doors);

		kfree(s);
		return ERR_PTR(ret);
	}
	list_add(&s->list, &sessions);
	return s;
}

/**
 * ftrace_regex_open - open a file that shows and changes the filter of a hook
 * @tr: the trace array that the file belongs to; NULL: commands are refused
 * @ops: the hook
 * @flag: FTRACE_ITER_FILTER for what is wanted, FTRACE_ITER_NOTRACE for what
 *	is left out
 * @inode: of the file
 * @file: the file, which has ftrace_filter_write(), ftrace_filter_flush() and
 *	ftrace_regex_release()
 *
 * Context: process, may sleep.
 * Return: 0; -EPERM the machine is locked down; -ENODEV the tracer is dead, or
 * @tr is gone; -ENOMEM.
 */
int ftrace_regex_open(struct trace_array *tr, struct ftrace_ops *ops, int flag,
		      struct inode *inode, struct file *file)
{
	struct seq_file *m;
	struct session *s;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	s = session_make(tr, ops, flag & FTRACE_ITER_NOTRACE);
	if (IS_ERR(s)) {
		ret = PTR_ERR(s);
		goto put;
	}
	s->file = file->f_path.dentry->d_name.name;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		s->edit.reset = true;

	if (file->f_mode & FMODE_READ) {
		ret = seq_open(file, &filter_seq_ops);
		if (ret) {
			session_free(s);
			goto put;
		}
		m = file->private_data;
		m->private = s;
	} else {
		file->private_data = s;
	}
	return 0;

put:
	if (tr)
		trace_array_put(tr);
	return ret;
}

/**
 * ftrace_regex_release - the last user of a filter file is gone
 * @inode: of the file
 * @file: opened by ftrace_regex_open()
 *
 * Context: process, may sleep.
 * Return: 0.
 */
int ftrace_regex_release(struct inode *inode, struct file *file)
{
	struct session *s = session_of(file);
	struct trace_array *tr = s->tr;

	/* Where no close() was the last: a descriptor was in flight in a message. */
	if (file->f_mode & FMODE_WRITE)
		session_close(s);
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	session_free(s);
	if (tr)
		trace_array_put(tr);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	return ftrace_regex_open(tr, tr->ops, FTRACE_ITER_FILTER, inode, file);
}

static int notrace_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	return ftrace_regex_open(tr, tr->ops, FTRACE_ITER_NOTRACE, inode, file);
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= ftrace_filter_write,
	.llseek		= tracing_lseek,
	.flush		= ftrace_filter_flush,
	.release	= ftrace_regex_release,
};

static const struct file_operations notrace_fops = {
	.open		= notrace_open,
	.read		= seq_read,
	.write		= ftrace_notrace_write,
	.llseek		= tracing_lseek,
	.flush		= ftrace_filter_flush,
	.release	= ftrace_regex_release,
};

/**
 * ftrace_create_filter_files - set_ftrace_filter and set_ftrace_notrace
 * @tr: the trace array
 * @parent: its directory
 *
 * Context: process, may sleep.
 */
void ftrace_create_filter_files(struct trace_array *tr, struct dentry *parent)
{
	ftrace_name_array(tr);
	trace_create_file("set_ftrace_filter", TRACE_MODE_WRITE, parent, tr, &filter_fops);
	trace_create_file("set_ftrace_notrace", TRACE_MODE_WRITE, parent, tr, &notrace_fops);
}

/**
 * ftrace_destroy_filter_files - a trace array's hook goes
 * @ops: the hook; it cannot be registered any more. NULL: it never had one
 *
 * The files themselves go with their directory, and nobody has them open.
 *
 * Context: process, may sleep; event_mutex and trace_types_lock held.
 */
void ftrace_destroy_filter_files(struct ftrace_ops *ops)
{
	struct trace_array *tr;

	/* There was no memory for it. */
	if (!ops)
		return;

	tr = ops->private;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(ops);
	ops->flags |= FTRACE_OPS_FL_DELETED;
	ftrace_free_filter(ops);

	if (WARN_ON_ONCE(!tr || tr->ops != ops))
		return;
	ftrace_unname_array(tr);
	mutex_lock(&ftrace_lock);
	ftrace_mods_free(&tr->mod_trace);
	ftrace_mods_free(&tr->mod_notrace);
	mutex_unlock(&ftrace_lock);
}

/**
 * ftrace_set_early_filter - a filter from the command line
 * @ops: whose
 * @buf: names and patterns with commas between them; is cut up
 * @enable: they are what is wanted; 0: what is left out
 *
 * What matches nothing is passed over.
 *
 * Context: boot, may sleep.
 */
void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *buf, int enable)
{
	char *word;

	while ((word = strsep(&buf, ","))) {
		if (enable)
			ftrace_set_filter(ops, (unsigned char *)word, strlen(word), 0);
		else
			ftrace_set_notrace(ops, (unsigned char *)word, strlen(word), 0);
	}
}

/* ---- modules that come ---- */

/* Adds to @home what @mods has for @mod. */
static void module_coming(struct ftrace_filter_home *home, struct list_head *mods,
			  const struct module *mod, bool except)
{
	struct ftrace_filter *now = ftrace_home_filter(home), *filter;
	struct ftrace_siteset *base = except ? now->except : now->only;
	struct ftrace_mod_load *ml, *next;
	struct ftrace_edit e = { };
	struct ftrace_siteset *set;
	struct ftrace_match m;
	int ret = 0;

	list_for_each_entry_safe(ml, next, mods, list) {
		if (ftrace_match_parse(&m, ml->module, strlen(ml->module)) ||
		    !ftrace_match(&m, mod->name))
			continue;
		if (!ftrace_match_parse(&m, ml->func, strlen(ml->func)))
			ret = ftrace_edit_word(&e, base, &m, mod->name);
		if (ret == -ENOMEM)
			break;
		/* Those for one module have done what they can. */
		if (!is_pattern(ml->module))
			mod_free(ml);
		ret = 0;
	}

	if (e.changed && !ret) {
		set = ftrace_edit_apply(&e, base);
		ret = PTR_ERR_OR_ZERO(set);
		if (!ret) {
			/* What named nothing so far names these, and not all. */
			filter = ftrace_edit_filter(now, set, except, true);
			ret = PTR_ERR_OR_ZERO(filter);
		}
		if (!ret)
			ret = ftrace_home_set_locked(home, filter);
	}
	if (ret)
		pr_warn("ftrace: functions of %s not added to a filter: %d\n", mod->name, ret);
	ftrace_edit_drop(&e);
}

/**
 * ftrace_filters_module_coming - filters that were waiting for a module
 * @mod: the module; its sites can be found by name and be patched
 *
 * Context: process, may sleep. Takes trace_types_lock and ftrace_lock.
 */
void ftrace_filters_module_coming(struct module *mod)
{
	struct trace_array *tr;
	unsigned int i;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (ftrace_disabled)
		return;

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (!tr->ops)
			continue;
		module_coming(ftrace_ops_home(tr->ops), &tr->mod_trace, mod, false);
		module_coming(ftrace_ops_home(tr->ops), &tr->mod_notrace, mod, true);
	}
#ifdef CONFIG_FUNCTION_PROFILER
	for (i = 0; i < ARRAY_SIZE(ftrace_profile_mods); i++)
		module_coming(&ftrace_profile_ops()->own, &ftrace_profile_mods[i], mod, i);
#else
	(void)i;
#endif
}
