// SPDX-License-Identifier: GPL-2.0
/*
 * Drafts: what is written to a file of filters, from open to close.
 *
 * Each word is looked up when it is written, so that the write tells what is
 * wrong with it, and staged. Closing the file puts the result in force in one
 * step; if any word was bad, nothing changes, whether the file was opened to be
 * truncated or not.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "doors.h"

/**
 * ftrace_draft_init - begin
 * @draft: to be set up
 * @ops: what is particular about this file
 * @file: the file; if it is to be truncated, the draft starts from nothing
 *
 * Context: any.
 */
void ftrace_draft_init(struct ftrace_draft *draft, const struct ftrace_draft_ops *ops,
		       struct file *file)
{
	draft->ops = ops;
	mutex_init(&draft->lock);
	draft->edit.reset = (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC);
}

/**
 * ftrace_draft_drop - forget what was staged
 * @draft: draft that nobody uses any more
 *
 * Context: any.
 */
void ftrace_draft_drop(struct ftrace_draft *draft)
{
	ftrace_edit_drop(&draft->edit);
	mutex_destroy(&draft->lock);
}

static int take_word(struct ftrace_draft *draft)
{
	int ret = draft->ops->word(draft);

	draft->word.len = 0;
	if (ret && !draft->err)
		draft->err = ret;
	return ret;
}

/**
 * ftrace_draft_write - write a word
 * @draft: draft
 * @ubuf: words, of which the first is taken
 * @cnt: how many bytes
 * @ppos: the file's position
 *
 * Context: process, may sleep.
 * Return: bytes taken; -EINVAL the word is too long; -EFAULT; -EBADF after the
 * close; what ->word() says. After an error, closing the file changes nothing.
 */
ssize_t ftrace_draft_write(struct ftrace_draft *draft, const char __user *ubuf, size_t cnt,
			   loff_t *ppos)
{
	ssize_t taken;
	bool whole;
	int ret;

	if (!cnt)
		return 0;

	guard(mutex)(&draft->lock);

	if (draft->closed)
		return -EBADF;

	taken = ftrace_word_read(&draft->word, ubuf, cnt, ppos, &whole);
	if (taken < 0) {
		if (taken == -E2BIG) {
			draft->ops->too_long(draft);
			taken = -EINVAL;
		}
		draft->word.len = 0;
		if (!draft->err)
			draft->err = taken;
		return taken;
	}

	if (whole) {
		ret = take_word(draft);
		if (ret)
			return ret;
	}
	*ppos += taken;
	return taken;
}

/**
 * ftrace_draft_close - the end; again if there is more than one
 * @draft: draft
 *
 * Context: process, may sleep.
 * Return: 0; the error of the first bad write, or of the last word if nothing
 * came after it; what ->apply() says. On error nothing has changed.
 */
int ftrace_draft_close(struct ftrace_draft *draft)
{
	guard(mutex)(&draft->lock);

	if (draft->closed)
		return 0;
	draft->closed = true;

	if (draft->word.open && draft->word.len)
		take_word(draft);
	if (draft->err)
		return draft->err;
	if (!draft->edit.reset && !draft->edit.changed)
		return 0;
	return draft->ops->apply(draft);
}

/**
 * ftrace_draft_flush - a descriptor is closed
 * @draft: draft
 * @file: its file
 *
 * The last close() puts in force what was written, and tells if that failed.
 * What release would return, nobody gets to see.
 *
 * Context: process, may sleep.
 * Return: as ftrace_draft_close().
 */
int ftrace_draft_flush(struct ftrace_draft *draft, struct file *file)
{
	/* Shells dup() the file and close the first descriptor before they write. */
	if (!(file->f_mode & FMODE_WRITE) || file_count(file) > 1)
		return 0;
	return ftrace_draft_close(draft);
}

/**
 * ftrace_draft_attach - open a file with what belongs to it
 * @file: being opened
 * @ops: how it is read, if it is
 * @session: what belongs to it; also the ->private of the seq_file
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM.
 */
int ftrace_draft_attach(struct file *file, const struct seq_operations *ops, void *session)
{
	int ret;

	if (!(file->f_mode & FMODE_READ)) {
		file->private_data = session;
		return 0;
	}
	ret = seq_open(file, ops);
	if (!ret)
		((struct seq_file *)file->private_data)->private = session;
	return ret;
}

/**
 * ftrace_draft_session - what ftrace_draft_attach() was given
 * @file: open file
 *
 * Context: any.
 * Return: It.
 */
void *ftrace_draft_session(struct file *file)
{
	if (file->f_mode & FMODE_READ)
		return ((struct seq_file *)file->private_data)->private;
	return file->private_data;
}
