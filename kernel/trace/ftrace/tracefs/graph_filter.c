// SPDX-License-Identifier: GPL-2.0
/*
 * set_graph_function and set_graph_notrace of each trace array: the functions that its
 * graph tracer begins with, or leaves out with what they call.
 *
 * What is written is a draft until the file is closed.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../../trace_fast.h"
#include "../hooks/hook.h"
#include "error_log.h"
#include "graph_sets.h"
#include "tracefs.h"
#include "walk.h"

struct session {
	struct ftrace_draft	draft;
	struct graph_filter	*filter;
	struct ftrace_siteset	*shown;		/* [L] the sites in force at open */
	bool			unset;		/* there was no set at open */
	bool			follows;	/* ... but one of the top trace array */
	struct ftrace_walk	walk;		/* of the reader */
	unsigned int		nth;		/* number of the reader's waiting word */
	char			text[FTRACE_WORD_MAX];	/* copy of a written word */
};

/* ---- writing ---- */

static void complain(struct session *s, const char *text, unsigned int pos, enum ftrace_why why)
{
	const struct graph_filter *f = s->filter;

	ftrace_complain(f->tr, "function_graph",
			f->except ? "set_graph_notrace" : "set_graph_function", text, pos, why);
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
	if (!ret && m->not && !ftrace_edit_has_any(edit, graph_filter_sites(s->filter)))
		ret = -EINVAL;
	if (module)
		return ret ?: ftrace_edit_stage(edit, m->not);
	return ftrace_draft_stage(&s->draft, m, text, later, ret, &s->filter->waiting);
}

static int graph_word(struct ftrace_draft *draft)
{
	struct session *s = container_of(draft, struct session, draft);
	unsigned int skip, pos;
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
	skip = text[0] == '!';
	pos = skip;

	draft->edit.found.n = 0;
	ret = ftrace_match_parse(&m, text, strlen(text));
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
		why = ftrace_why_no_site(text + skip, ret);
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
	int ret = -ENODEV;

	scoped_guard(mutex, &ftrace_lock) {
		if (!ftrace_disabled)
			ret = graph_filter_apply(s->filter, &draft->edit, &draft->waits);
	}
	if (ret)
		complain(s, "close", 0, ret == -ENOMEM ? FTRACE_WHY_NO_MEMORY : FTRACE_WHY_GONE);
	return ret;
}

static void graph_gone(struct ftrace_draft *draft, u32 first, u32 end)
{
	struct session *s = container_of(draft, struct session, draft);
	struct ftrace_siteset *old = s->shown;

	if (ftrace_siteset_next(old, first) >= end)
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
	return ftrace_waiting_word(&s->filter->waiting, s->nth) ? s : NULL;
}

static void *graph_start(struct seq_file *m, loff_t *pos)
{
	struct session *s = m->private;
	struct ftrace_walk *walk = &s->walk;

	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;
	if (!s->shown && !ftrace_waiting_any(&s->filter->waiting))
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
		seq_puts(m, s->follows ? "#### as in the top directory ####\n" :
			 s->filter->except ? "#### no functions disabled ####\n" :
			 s->unset ? "#### all functions enabled ####\n" : FTRACE_NOTHING);
	else if (v == s)
		seq_printf(m, "%s" FTRACE_WAITS "\n",
			   ftrace_waiting_word(&s->filter->waiting, s->nth));
	else
		seq_printf(m, "%ps%s\n", (void *)walk->ip,
			   ftrace_names_where(walk->block, walk->i, s->shown, NULL, where));
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

static int session_open(struct file *file, struct trace_array *tr, bool except)
{
	struct session *s = kzalloc_obj(*s);
	int ret;

	if (!s)
		return -ENOMEM;
	ftrace_draft_init(&s->draft, &graph_draft_ops, file);

	scoped_guard(mutex, &ftrace_lock) {
		s->filter = graph_filter_of(tr, except);
		if (!s->filter) {
			kfree(s);
			return -ENOMEM;
		}
		s->shown = ftrace_siteset_get(graph_filter_sites(s->filter));
		s->unset = !graph_filter_is_set(s->filter);
		s->follows = graph_filter_follows(s->filter);
		ftrace_draft_list(&s->draft);
	}

	ret = ftrace_draft_attach(file, &graph_seq_ops, s);
	if (ret)
		session_free(s);
	return ret;
}

static int graph_open(struct inode *inode, struct file *file, bool except)
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	ret = ftrace_disabled ? -ENODEV : session_open(file, tr, except);
	if (ret)
		trace_array_put(tr);
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
	trace_array_put(inode->i_private);
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

/* Instances in which these files are 0 follow the files of the top directory. */
static ssize_t depth_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	const struct trace_array *tr = file->private_data;
	char text[16];

	return simple_read_from_buffer(ubuf, cnt, ppos, text,
				       scnprintf(text, sizeof(text), "%u\n", tr->graph_depth));
}

static ssize_t depth_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	int ret = kstrtouint_from_user(ubuf, cnt, 10, &tr->graph_depth);

	if (ret)
		return ret;
	fgraph_entries_changed();
	*ppos += cnt;
	return cnt;
}

static const struct file_operations depth_fops = {
	.open		= tracing_open_generic_tr,
	.read		= depth_read,
	.write		= depth_write,
	.llseek		= generic_file_llseek,
	.release	= tracing_release_generic_tr,
};

static ssize_t thresh_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;

	return tracing_nsecs_read(&tr->graph_thresh, ubuf, cnt, ppos);
}

static ssize_t thresh_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	unsigned long old;
	ssize_t taken;
	int ret = 0;

	guard(mutex)(&trace_types_lock);
	old = tr->graph_thresh;
	taken = tracing_nsecs_write(&tr->graph_thresh, ubuf, cnt, ppos);
	if (taken > 0)
		ret = graph_trace_update_thresh(tr);
	if (ret) {
		tr->graph_thresh = old;
		graph_trace_update_thresh(tr);
	}
	fgraph_entries_changed();
	if (taken < 0 || ret)
		return ret ?: taken;
	*ppos += cnt;
	return cnt;
}

static const struct file_operations thresh_fops = {
	.open		= tracing_open_generic_tr,
	.read		= thresh_read,
	.write		= thresh_write,
	.llseek		= generic_file_llseek,
	.release	= tracing_release_generic_tr,
};

void ftrace_create_graph_files(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("set_graph_function", TRACE_MODE_WRITE, parent, tr, &function_fops);
	trace_create_file("set_graph_notrace", TRACE_MODE_WRITE, parent, tr, &notrace_fops);
	if (tr->flags & TRACE_ARRAY_FL_GLOBAL)
		return;
	trace_create_file("max_graph_depth", TRACE_MODE_WRITE, parent, tr, &depth_fops);
	trace_create_file("tracing_thresh", TRACE_MODE_WRITE, parent, tr, &thresh_fops);
}
