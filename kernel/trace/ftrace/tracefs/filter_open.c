// SPDX-License-Identifier: GPL-2.0
/*
 * Filter files: set_ftrace_filter, set_ftrace_notrace, stack_trace_filter.
 *
 * From open to close is one session with a draft, see draft.c. Commands
 * ("schedule:traceoff") are not part of the filter and run when they are
 * written.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "../../trace.h"
#include "../hooks/retire.h"
#include "filter_mods.h"
#include "filter_session.h"
#include "tracefs.h"

/**
 * ftrace_filter_write() - write one word to a filter file
 * @file: opened by ftrace_regex_open()
 * @ubuf: words, of which the first is taken
 * @cnt: bytes in @ubuf
 * @ppos: the file's position
 *
 * Context: Process context. May sleep.
 * Return: Bytes taken, -EINVAL if there is no such function, module, command or
 * line, a count is bad or the word is too long (error_log says which), -ENODEV
 * if the functions do not have a command that is to be removed, the file takes
 * no commands, or the tracer was unregistered, -E2BIG for too many conditions, -ENOMEM,
 * -EFAULT if @ubuf cannot be read, -EBADF once the session is closed, or a command's
 * error.
 */
ssize_t ftrace_filter_write(struct file *file, const char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	struct ftrace_session *s = ftrace_draft_session(file);

	return ftrace_draft_write(&s->draft, ubuf, cnt, ppos);
}

/* ->except of the session says which of the two files this is. */
ssize_t ftrace_notrace_write(struct file *file, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	return ftrace_filter_write(file, ubuf, cnt, ppos);
}

static enum ftrace_why why_errno(int err)
{
	switch (err) {
	case -ENOMEM:
		return FTRACE_WHY_NO_MEMORY;
	case -E2BIG:
		return FTRACE_WHY_MANY_CONDS;
	default:
		return FTRACE_WHY_GONE;
	}
}

static int session_apply_or_tell(struct ftrace_draft *draft)
{
	struct ftrace_session *s = container_of(draft, struct ftrace_session, draft);
	int ret = ftrace_session_apply(s);

	if (ret)
		ftrace_complain(s->tr, ftrace_session_tracer(s)->name, s->file, "close", 0,
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
	.gone		= ftrace_session_gone,
};

/**
 * ftrace_filter_flush() - apply a session at the last close() of its file
 * @file: opened by ftrace_regex_open()
 * @id: not used
 *
 * See ftrace_draft_flush().
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 * Return: 0 on success, the error of the first bad word, -ENOMEM, -E2BIG for too
 * many conditions, -ENODEV if the tracer was unregistered. Good words are applied also
 * if another one was bad, unless the first one is ":all:"; on other errors no filter
 * changed.
 */
int ftrace_filter_flush(struct file *file, fl_owner_t id)
{
	struct ftrace_session *s = ftrace_draft_session(file);

	return ftrace_draft_flush(&s->draft, file);
}

/* ---- open and release ---- */

/**
 * ftrace_regex_open() - open a file that shows and changes the filter of an ops
 * @tr: the trace array of the file; NULL: commands are refused
 * @ops: the ops; NULL: that of @tr
 * @flag: FTRACE_ITER_FILTER for functions to trace, FTRACE_ITER_NOTRACE for
 *	functions to leave out
 * @inode: of the file
 * @file: the file; its operations must include ftrace_filter_write(),
 *	ftrace_filter_flush() and ftrace_regex_release()
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 * Return: 0 on success, -EPERM under lockdown, -ENODEV if ftrace is disabled or @tr
 * was removed, -ENOMEM.
 */
int ftrace_regex_open(struct trace_array *tr, struct ftrace_ops *ops, int flag,
		      struct inode *inode, struct file *file)
{
	struct ftrace_session *s;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	s = ftrace_session_make(tr, ops ?: tr->ops, flag & FTRACE_ITER_NOTRACE, file,
				&session_ops);
	if (IS_ERR(s)) {
		ret = PTR_ERR(s);
		goto put;
	}
	ret = ftrace_draft_attach(file, &ftrace_filter_seq_ops, s);
	if (!ret)
		return 0;

	ftrace_session_free(s);
put:
	if (tr)
		trace_array_put(tr);
	return ret;
}

/**
 * ftrace_regex_release() - end the session of a filter file
 * @inode: of the file
 * @file: opened by ftrace_regex_open()
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 * Return: 0.
 */
int ftrace_regex_release(struct inode *inode, struct file *file)
{
	struct ftrace_session *s = ftrace_draft_session(file);
	struct trace_array *tr = s->tr;

	/* ->flush() saw no last close() if a descriptor was in flight in a message. */
	if (file->f_mode & FMODE_WRITE)
		ftrace_draft_close(&s->draft);
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	ftrace_session_free(s);
	if (tr)
		trace_array_put(tr);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	/* NULL: do not read tr->ops before there is a reference to the trace array. */
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
 * ftrace_create_filter_files() - create set_ftrace_filter and set_ftrace_notrace
 * @tr: the trace array
 * @parent: its directory
 *
 * Context: Process context. May sleep.
 */
void ftrace_create_filter_files(struct trace_array *tr, struct dentry *parent)
{
	ftrace_name_array(tr);
	/* KEPT: freed with the trace array, after ftrace_destroy_filter_files() waits. */
	tr->ops->flags |= FTRACE_OPS_FL_KEPT;
	trace_create_file("set_ftrace_filter", TRACE_MODE_WRITE, parent, tr, &filter_fops);
	trace_create_file("set_ftrace_notrace", TRACE_MODE_WRITE, parent, tr, &notrace_fops);
}

/**
 * ftrace_destroy_filter_files() - unregister a trace array's ops for good
 * @ops: the ops, which cannot be registered again
 *
 * The files are removed with their directory, and are not open.
 *
 * Context: Process context. May sleep. event_mutex and trace_types_lock held. Takes
 * ftrace_lock.
 */
void ftrace_destroy_filter_files(struct ftrace_ops *ops)
{
	struct trace_array *tr = ops->private;

	/* Before the filter is reset: nothing may bring a site back into it. */
	scoped_guard(mutex, &ftrace_lock)
		ftrace_slot_waiting_free(ftrace_ops_slot(ops));
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(ops);
	ops->flags |= FTRACE_OPS_FL_DELETED;
	ftrace_free_filter(ops);
	ftrace_retire_wait();

	if (WARN_ON_ONCE(!tr || tr->ops != ops))
		return;
	ftrace_unname_array(tr);
	ftrace_graph_filters_free(tr);
	guard(mutex)(&ftrace_lock);
	ftrace_mods_free(&tr->mod_trace);
	ftrace_mods_free(&tr->mod_notrace);
}
