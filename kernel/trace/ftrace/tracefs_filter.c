// SPDX-License-Identifier: GPL-2.0
/*
 * Files that say which functions to trace.
 *
 * From open to close is one session with a draft, see draft.c. Commands
 * ("schedule:traceoff") are not part of the filter and act when they are
 * written.
 *
 * What is staged is a change, not a filter: two sessions that add to a filter
 * at the same time both get what they want. So nobody waits for anybody who
 * has the file open.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "session.h"
#include "tramp.h"

static LIST_HEAD(sessions);	/* [L] */

/**
 * ftrace_sessions_gone - numbers of sites become invalid
 * @first: the first of them
 * @end: one past the last
 *
 * Context: ftrace_lock held.
 */
void ftrace_sessions_gone(u32 first, u32 end)
{
	struct ftrace_session *s;
	unsigned int i;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(s, &sessions, list) {
		ftrace_edit_forget(&s->draft.edit, first, end);
		for (i = 0; i < s->doors->nr; i++) {
			struct ftrace_door *door = &s->doors->door[i];
			struct ftrace_filter *old = door->filter;

			door->filter = ftrace_filter_without(old, first, end);
			ftrace_filter_put(old);
		}
	}
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
	struct ftrace_session *s = ftrace_draft_session(file);

	return ftrace_draft_write(&s->draft, ubuf, cnt, ppos);
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

/*
 * If no function is left in the filter, does that mean nothing? Not if the
 * session took away the last name, which users do to have all functions.
 */
static bool means_nothing(struct ftrace_session *s, struct list_head *mods)
{
	const struct ftrace_edit *edit = &s->draft.edit;

	if (ftrace_session_keeps_mods(s, mods) || edit->lost)
		return true;
	return !edit->reset && list_empty(&s->mods_del) &&
	       ftrace_filter_nothing(ftrace_session_filter(s));
}

static int session_apply(struct ftrace_session *s)
{
	struct ftrace_door *door = ftrace_session_door(s);
	struct list_head *mods = door->mods[s->except];
	struct ftrace_siteset *set;
	struct ftrace_filter *filter;
	int ret;

	guard(mutex)(&ftrace_lock);

	if (ftrace_disabled || !ftrace_door_alive(door))
		return -ENODEV;
	ret = ftrace_session_resolve_mods(s);
	if (ret)
		return ret;
	set = ftrace_edit_apply(&s->draft.edit, ftrace_session_base(s));
	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_edit_filter(ftrace_session_filter(s), set, s->except,
				    means_nothing(s, mods));
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	ret = door_set(door, filter);
	if (!ret)
		ftrace_session_commit_mods(s, mods);
	return ret;
}

static int session_apply_or_tell(struct ftrace_draft *draft)
{
	struct ftrace_session *s = container_of(draft, struct ftrace_session, draft);
	int ret = session_apply(s);

	if (ret)
		ftrace_complain(s->tr, ftrace_session_door(s)->name, s->file, "close", 0,
				why_errno(ret));
	return ret;
}

static void session_too_long(struct ftrace_draft *draft)
{
	ftrace_session_complain(container_of(draft, struct ftrace_session, draft), 0,
				FTRACE_WHY_TOO_LONG);
}

static const struct ftrace_draft_ops session_ops = {
	.word		= ftrace_session_word,
	.too_long	= session_too_long,
	.apply		= session_apply_or_tell,
};

/**
 * ftrace_filter_flush - a filter file is closed
 * @file: opened by ftrace_regex_open()
 * @id: not used
 *
 * See ftrace_draft_flush().
 *
 * Context: process, may sleep.
 * Return: 0; the error of the first bad write, or of the last word if nothing
 * came after it; -ENOMEM; -EBUSY, -EINVAL exclusive hooks would meet; -ENODEV
 * the tracer is gone. On error no filter has changed.
 */
int ftrace_filter_flush(struct file *file, fl_owner_t id)
{
	struct ftrace_session *s = ftrace_draft_session(file);

	return ftrace_draft_flush(&s->draft, file);
}

/* ---- open and release ---- */

static void session_free(struct ftrace_session *s)
{
	mutex_lock(&ftrace_lock);
	list_del(&s->list);
	mutex_unlock(&ftrace_lock);

	ftrace_doors_put(s->doors);
	ftrace_draft_drop(&s->draft);
	ftrace_mods_free(&s->mods_add);
	ftrace_mods_free(&s->mods_del);
	kfree(s);
}

static struct ftrace_session *session_make(struct trace_array *tr, struct ftrace_ops *ops,
					   bool except, struct file *file)
{
	struct ftrace_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return ERR_PTR(-ENOMEM);
	ftrace_draft_init(&s->draft, &session_ops, file);
	INIT_LIST_HEAD(&s->mods_add);
	INIT_LIST_HEAD(&s->mods_del);
	s->tr = tr;
	s->except = except;
	s->file = file->f_path.dentry->d_name.name;

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
 * @ops: the hook; NULL: that of @tr
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
	struct ftrace_session *s;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	s = session_make(tr, ops ?: tr->ops, flag & FTRACE_ITER_NOTRACE, file);
	if (IS_ERR(s)) {
		ret = PTR_ERR(s);
		goto put;
	}
	ret = ftrace_draft_attach(file, &ftrace_filter_seq_ops, s);
	if (!ret)
		return 0;

	session_free(s);
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
	struct ftrace_session *s = ftrace_draft_session(file);
	struct trace_array *tr = s->tr;

	/* Where no close() was the last: a descriptor was in flight in a message. */
	if (file->f_mode & FMODE_WRITE)
		ftrace_draft_close(&s->draft);
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	session_free(s);
	if (tr)
		trace_array_put(tr);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	/* Not before there is a reference to it is the trace array looked into. */
	return ftrace_regex_open(inode->i_private, NULL, FTRACE_ITER_FILTER, inode, file);
}

static int notrace_open(struct inode *inode, struct file *file)
{
	return ftrace_regex_open(inode->i_private, NULL, FTRACE_ITER_NOTRACE, inode, file);
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
	/* It goes with its array, and ftrace_destroy_filter_files() waits then. */
	tr->ops->flags |= FTRACE_OPS_FL_KEPT;
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
	ftrace_retire_wait();

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
 * What matches nothing is passed over, and said so.
 *
 * Context: boot, may sleep.
 */
void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *buf, int enable)
{
	const char *file = ops == &global_ops ? "ftrace" : "stacktrace";
	char *word;
	int ret;

	while ((word = strsep(&buf, ","))) {
		if (enable)
			ret = ftrace_set_filter(ops, (unsigned char *)word, strlen(word), 0);
		else
			ret = ftrace_set_notrace(ops, (unsigned char *)word, strlen(word), 0);
		if (ret)
			pr_warn("ftrace: %s_%s=: \"%s\" is no function to trace, error %d: passed over\n",
				file, enable ? "filter" : "notrace", word, ret);
	}
}
