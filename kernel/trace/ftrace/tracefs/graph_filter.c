// SPDX-License-Identifier: GPL-2.0
/*
 * The functions at which the graph tracer starts or stops tracing, as listed in
 * set_graph_function or set_graph_notrace.
 *
 * These are not filters of hooks. A function that is not in the set is still
 * traced when a function of the set has called it, so each call is looked up,
 * by the inline functions of trace.h. These use only ->count and ->flags of a
 * struct ftrace_hash; the set has a sorted array of addresses behind the hash.
 *
 * A set is replaced as a whole when the file is closed; until then, what is
 * written is a draft.
 *
 * No set means that the file is empty: set_graph_function then stands for all
 * functions, set_graph_notrace for none. A set without sites means that all its
 * functions were freed, or are not discovered yet, or that it was written to trace
 * nothing: nothing is traced.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../graph/slots.h"
#include "../hooks/hook.h"
#include "../hooks/retire.h"
#include "draft.h"
#include "error_log.h"
#include "tracefs.h"
#include "walk.h"

struct graph_set {
	struct ftrace_retired	retired;
	struct ftrace_hash	hash;		/* for trace.h; ->count is the length of @ip */
	struct ftrace_siteset	*sites;		/* the same as site numbers; NULL: none */
	unsigned long		ip[];		/* ascending */
};

struct ftrace_hash __rcu *ftrace_graph_hash;		/* [L, read with preemption off] */
struct ftrace_hash __rcu *ftrace_graph_notrace_hash;

static int words_add(struct ftrace_waiting *waiting, struct ftrace_siteset *sites);

/* Words for functions that are not discovered yet. */
static struct ftrace_waiting waiting[2] = {
	{ .words = LIST_HEAD_INIT(waiting[0].words), .add = words_add },
	{ .words = LIST_HEAD_INIT(waiting[1].words), .add = words_add },
};

struct session {
	struct ftrace_draft	draft;
	bool			except;		/* the file is set_graph_notrace */
	struct ftrace_siteset	*shown;		/* [L] the sites in force at open */
	bool			unset;		/* there was no set at open */
	struct ftrace_walk	walk;		/* of the reader */
	unsigned int		nth;		/* the reader's word, of those that wait */
	char			text[FTRACE_WORD_MAX];	/* copy of a written word */
};

static struct ftrace_hash __rcu **hash_of(bool except)
{
	return except ? &ftrace_graph_notrace_hash : &ftrace_graph_hash;
}

static struct graph_set *set_now(bool except)
{
	struct ftrace_hash *hash = rcu_dereference_protected(*hash_of(except),
							     lockdep_is_held(&ftrace_lock));

	return hash ? container_of(hash, struct graph_set, hash) : NULL;
}

static struct ftrace_siteset *sites_now(bool except)
{
	struct graph_set *set = set_now(except);

	return set ? set->sites : NULL;
}

/**
 * ftrace_lookup_ip() - test whether a function is in a set
 * @hash: one of the two sets, or NULL
 * @ip: address of the function's call to the tracer
 *
 * Context: Any context, preemption off.
 * Return: Not NULL if it is in the set; only to be compared with NULL.
 */
struct ftrace_func_entry *ftrace_lookup_ip(struct ftrace_hash *hash, unsigned long ip)
{
	struct graph_set *set;
	unsigned long low = 0, high;

	if (!hash)
		return NULL;

	set = container_of(hash, struct graph_set, hash);
	for (high = hash->count; low < high;) {
		unsigned long mid = (low + high) / 2;

		if (set->ip[mid] == ip)
			return (struct ftrace_func_entry *)&set->ip[mid];
		if (set->ip[mid] < ip)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int cmp_ip(const void *a, const void *b)
{
	const unsigned long *l = a, *r = b;

	return *l < *r ? -1 : *l > *r;
}

static void set_free(struct ftrace_retired *retired)
{
	struct graph_set *set = container_of(retired, struct graph_set, retired);

	ftrace_siteset_put(set->sites);
	kvfree(set);
}

/*
 * Make a set of @sites, whose reference is taken over. Without sites, make an
 * empty set if @nothing, else none. Return: The set, NULL, or ERR_PTR(-ENOMEM).
 */
static struct graph_set *set_make(struct ftrace_siteset *sites, bool nothing, gfp_t gfp)
{
	struct ftrace_site_block *b;
	struct graph_set *set;
	u32 nr, i;

	if (!sites && !nothing)
		return NULL;

	set = kvzalloc(struct_size(set, ip, ftrace_siteset_count(sites)), gfp);
	if (!set) {
		ftrace_siteset_put(sites);
		return ERR_PTR(-ENOMEM);
	}
	ftrace_siteset_for_each(sites, nr) {
		b = ftrace_site_by_nr(nr, &i);
		if (!WARN_ON_ONCE(!b))
			set->ip[set->hash.count++] = ftrace_site_ip(b, i);
	}
	sort(set->ip, set->hash.count, sizeof(*set->ip), cmp_ip, NULL);
	set->sites = sites;
	/* For trace.h: an empty set does not stand for all functions. */
	if (!sites)
		set->hash.flags = FTRACE_HASH_FL_MOD;
	return set;
}

static void publish(bool except, struct graph_set *set)
{
	struct graph_set *old = set_now(except);

	rcu_assign_pointer(*hash_of(except), set ? &set->hash : NULL);
	fgraph_update();
	/* Its reader is called by trampolines: let it go as they do. */
	if (old)
		ftrace_retire(&old->retired, set_free);
}

static bool touches(const struct ftrace_siteset *sites, u32 first, u32 end)
{
	return ftrace_siteset_next(sites, first) < end;
}

/*
 * When set_graph_function loses its last function, its set stays, empty, so that
 * it does not stand for all functions. set_graph_notrace then needs no set.
 */
static void sets_gone(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	int except;

	lockdep_assert_held(&ftrace_lock);

	for (except = 0; except < 2; except++) {
		struct ftrace_siteset *now = sites_now(except);

		if (touches(now, first, end))
			publish(except, set_make(ftrace_siteset_without(now, first, end),
						 !except, GFP_KERNEL | __GFP_NOFAIL));
	}
}

static struct ftrace_site_watcher watcher = { .gone = sets_gone };

/* Sites that were added and that a word names. Nothing was written to their text yet. */
static int words_add(struct ftrace_waiting *w, struct ftrace_siteset *sites)
{
	const bool except = w == &waiting[1];
	struct ftrace_siteset *both = ftrace_siteset_or(sites_now(except), sites);
	struct graph_set *set;

	if (IS_ERR(both))
		return PTR_ERR(both);
	set = set_make(both, false, GFP_KERNEL);
	if (IS_ERR(set))
		return PTR_ERR(set);
	publish(except, set);
	return 0;
}

/*
 * Test whether set_graph_function stays, empty: its text was freed, or it waits. It
 * goes if the session removed the last name.
 */
static bool means_nothing(const struct ftrace_edit *edit, const struct list_head *words)
{
	const struct graph_set *set = set_now(false);

	if (edit->lost || !list_empty(words))
		return true;
	return set && !set->sites && !edit->reset && !ftrace_waiting_any(&waiting[0]);
}

static int apply(bool except, const struct ftrace_edit *edit, const struct list_head *log)
{
	struct ftrace_siteset *sites;
	struct graph_set *set;
	LIST_HEAD(words);
	int err;

	lockdep_assert_held(&ftrace_lock);
	ftrace_site_watch(&watcher);

	err = ftrace_words_replay(&words, edit->reset ? NULL : &waiting[except], log);
	if (err)
		return err;
	sites = ftrace_edit_apply(edit, sites_now(except));
	err = PTR_ERR_OR_ZERO(sites);
	if (!err) {
		set = set_make(sites, !except && means_nothing(edit, &words), GFP_KERNEL);
		err = PTR_ERR_OR_ZERO(set);
	}
	if (err) {
		ftrace_words_free(&words);
		return err;
	}
	publish(except, set);
	ftrace_waiting_set(&waiting[except], &words);
	return 0;
}

/* ---- writing ---- */

static void complain(struct session *s, const char *text, unsigned int pos, enum ftrace_why why)
{
	ftrace_complain(NULL, "function_graph",
			s->except ? "set_graph_notrace" : "set_graph_function", text, pos, why);
}

/* Unlike in set_ftrace_filter, it is an error to remove what is not in the set. */
static int stage(struct session *s, const struct ftrace_match *m, const char *text, bool later,
		 const char *module)
{
	struct ftrace_edit *edit = &s->draft.edit;
	int ret;

	guard(mutex)(&ftrace_lock);

	if (ftrace_disabled)
		return -ENODEV;
	ret = ftrace_edit_find(edit, m, module);
	if (!ret && m->not && !ftrace_edit_has_any(edit, sites_now(s->except)))
		ret = -EINVAL;
	if (module)
		return ret ?: ftrace_edit_stage(edit, m->not);
	return ftrace_draft_stage(&s->draft, m, text, later, ret, &waiting[s->except]);
}

static int graph_word(struct ftrace_draft *draft)
{
	struct session *s = container_of(draft, struct session, draft);
	unsigned int skip, pos, len;
	enum ftrace_why why;
	struct ftrace_match m;
	char *text = s->text, *module, *command;
	bool later;
	int ret;

	strscpy(s->text, draft->word.text);
	later = ftrace_draft_later(text);
	command = ftrace_word_command(text);
	if (command) {
		pos = command - text + 1;
		why = FTRACE_WHY_COMMAND_NOT_HERE;
		ret = -EINVAL;
		goto bad;
	}
	module = ftrace_word_module(text);
	if (module && !*module) {
		pos = strlen(text);
		why = FTRACE_WHY_NO_MODULE;
		ret = -EINVAL;
		goto bad;
	}
	len = strlen(text);
	skip = text[0] == '!';
	pos = skip;

	ret = ftrace_match_parse(&m, text, len);
	if (!ret && m.kind == FTRACE_MATCH_INDEX) {
		why = FTRACE_WHY_NO_FUNCTION;
		ret = -EINVAL;
		goto bad;
	}

	if (!ret)
		ret = stage(s, &m, text, later, module);
	if (!ret)
		return 0;

	if (ret == -ENODEV)
		why = FTRACE_WHY_GONE;
	else if (ret == -EINVAL && s->draft.edit.found.n)
		why = FTRACE_WHY_NOT_IN_FILTER;
	else
		why = ftrace_why_no_site(text + skip, len - skip, ret);
bad:
	complain(s, draft->word.text, pos, why);
	return ret;
}

static void graph_too_long(struct ftrace_draft *draft)
{
	complain(container_of(draft, struct session, draft), draft->word.text, 0,
		 FTRACE_WHY_TOO_LONG);
}

static int graph_apply(struct ftrace_draft *draft)
{
	struct session *s = container_of(draft, struct session, draft);

	guard(mutex)(&ftrace_lock);

	return ftrace_disabled ? -ENODEV : apply(s->except, &draft->edit, &draft->waits);
}

static void graph_gone(struct ftrace_draft *draft, u32 first, u32 end)
{
	struct session *s = container_of(draft, struct session, draft);
	struct ftrace_siteset *old = s->shown;

	if (!touches(old, first, end))
		return;
	s->shown = ftrace_siteset_without(old, first, end);
	ftrace_siteset_put(old);
}

static const struct ftrace_draft_ops graph_draft_ops = {
	.word		= graph_word,
	.too_long	= graph_too_long,
	.apply		= graph_apply,
	.gone		= graph_gone,
};

static ssize_t graph_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct session *s = ftrace_draft_session(file);

	return ftrace_draft_write(&s->draft, ubuf, cnt, ppos);
}

static int graph_flush(struct file *file, fl_owner_t id)
{
	struct session *s = ftrace_draft_session(file);

	return ftrace_draft_flush(&s->draft, file);
}

/* ---- reading ---- */

/* The words that wait come after the functions. */
static void *word_at(struct session *s, loff_t pos)
{
	s->nth = pos - ftrace_siteset_count(s->shown);
	return ftrace_waiting_word(&waiting[s->except], s->nth) ? s : NULL;
}

static void *graph_start(struct seq_file *m, loff_t *pos)
{
	struct session *s = m->private;
	struct ftrace_walk *walk = &s->walk;

	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;
	if (!s->shown && !ftrace_waiting_any(&waiting[s->except]))
		return *pos ? NULL : SEQ_START_TOKEN;
	if (!s->shown)
		return word_at(s, *pos);

	walk->pick = ftrace_pick_set;
	walk->what = s->shown;
	return ftrace_walk_to(walk, *pos) ? walk : word_at(s, *pos);
}

static void *graph_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct session *s = m->private;

	++*pos;
	if (v == SEQ_START_TOKEN)
		return NULL;
	return v != s && ftrace_walk_next(v) ? v : word_at(s, *pos);
}

static void graph_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

static int graph_show(struct seq_file *m, void *v)
{
	struct session *s = m->private;
	char where[FTRACE_WHERE_LEN];
	struct ftrace_walk *walk = v;

	if (v == SEQ_START_TOKEN)
		seq_puts(m, s->except ? "#### no functions disabled ####\n" :
			 s->unset ? "#### all functions enabled ####\n" : FTRACE_NOTHING);
	else if (v == s)
		seq_printf(m, "%s" FTRACE_WAITS "\n",
			   ftrace_waiting_word(&waiting[s->except], s->nth));
	else
		seq_printf(m, "%ps%s\n", (void *)walk->ip,
			   ftrace_names_where(walk->block, walk->i, s->shown, where));
	return 0;
}

static const struct seq_operations graph_seq_ops = {
	.start	= graph_start,
	.next	= graph_next,
	.stop	= graph_stop,
	.show	= graph_show,
};

/* ---- open and release ---- */

static void session_free(struct session *s)
{
	ftrace_draft_drop(&s->draft);
	ftrace_siteset_put(s->shown);
	kfree(s);
}

static int graph_open(struct inode *inode, struct file *file, bool except)
{
	struct session *s;
	int ret;

	ret = tracing_check_open_get_tr(NULL);
	if (ret)
		return ret;
	if (ftrace_disabled)
		return -ENODEV;

	s = kzalloc_obj(*s);
	if (!s)
		return -ENOMEM;
	ftrace_draft_init(&s->draft, &graph_draft_ops, file);
	s->except = except;

	mutex_lock(&ftrace_lock);
	s->shown = ftrace_siteset_get(sites_now(except));
	s->unset = !set_now(except);
	ftrace_draft_list(&s->draft);
	mutex_unlock(&ftrace_lock);

	ret = ftrace_draft_attach(file, &graph_seq_ops, s);
	if (ret)
		session_free(s);
	return ret;
}

static int function_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, false);
}

static int notrace_open(struct inode *inode, struct file *file)
{
	return graph_open(inode, file, true);
}

static int graph_release(struct inode *inode, struct file *file)
{
	struct session *s = ftrace_draft_session(file);

	if (file->f_mode & FMODE_WRITE)
		ftrace_draft_close(&s->draft);
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	session_free(s);
	return 0;
}

static const struct file_operations function_fops = {
	.open		= function_open,
	.read		= seq_read,
	.write		= graph_write,
	.llseek		= tracing_lseek,
	.flush		= graph_flush,
	.release	= graph_release,
};

static const struct file_operations notrace_fops = {
	.open		= notrace_open,
	.read		= seq_read,
	.write		= graph_write,
	.llseek		= tracing_lseek,
	.flush		= graph_flush,
	.release	= graph_release,
};

void __init ftrace_create_graph_files(struct dentry *parent)
{
	trace_create_file("set_graph_function", TRACE_MODE_WRITE, parent, NULL, &function_fops);
	trace_create_file("set_graph_notrace", TRACE_MODE_WRITE, parent, NULL, &notrace_fops);
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
	LIST_HEAD(log);
	char *word;

	mutex_lock(&ftrace_lock);
	while ((word = strsep(&buf, ","))) {
		int err = *word ? early_word(&edit, &log, &waiting[!enable], word) : 0;

		if (err)
			pr_warn("ftrace: ftrace_graph_%s=: \"%s\" is no function to trace, error %d: passed over\n",
				enable ? "filter" : "notrace", word, err);
	}
	if ((edit.changed || !list_empty(&log)) && apply(!enable, &edit, &log))
		pr_warn("ftrace: ftrace_graph_%s= not set: no memory\n",
			enable ? "filter" : "notrace");
	mutex_unlock(&ftrace_lock);
	ftrace_words_free(&log);
	ftrace_edit_drop(&edit);
}
