// SPDX-License-Identifier: GPL-2.0
/*
 * Drafts: the changes written to a filter file between open and close.
 *
 * Each word is looked up and staged when it is written, so that write() returns
 * its error; a last word without white space behind it waits for close(). Closing
 * the file applies all changes in one step, without the words that were bad. If
 * the first word is FTRACE_ALL and any other is bad, nothing changes, whether the
 * file was opened with O_TRUNC or not.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../sites/discovered.h"
#include "draft.h"

static LIST_HEAD(drafts);	/* [L] */

static void drafts_gone(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	struct ftrace_draft *draft;

	list_for_each_entry(draft, &drafts, list) {
		ftrace_edit_forget(&draft->edit, first, end);
		draft->ops->gone(draft, first, end);
	}
}

static void drafts_added(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	struct ftrace_draft *draft;

	list_for_each_entry(draft, &drafts, list)
		ftrace_words_apply(&draft->waits, &draft->edit, first, end);
}

static struct ftrace_site_watcher watcher = { .gone = drafts_gone, .added = drafts_added };

/**
 * ftrace_draft_init() - initialize a draft
 * @draft: the draft, all zero
 * @ops: callbacks of this kind of file
 * @file: the file; if O_TRUNC opens it for writing, the draft starts empty
 *
 * Context: Any context.
 */
void ftrace_draft_init(struct ftrace_draft *draft, const struct ftrace_draft_ops *ops,
		       struct file *file)
{
	draft->ops = ops;
	mutex_init(&draft->lock);
	INIT_LIST_HEAD(&draft->waits);
	draft->edit.reset = (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC);
}

/**
 * ftrace_draft_list() - keep a draft informed of sites that are added or freed
 * @draft: the draft; the data that ->gone() uses is initialized
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_draft_list(struct ftrace_draft *draft)
{
	ftrace_site_watch(&watcher);
	list_add(&draft->list, &drafts);
}

/**
 * ftrace_draft_drop() - free the contents of a draft
 * @draft: a listed draft that is no longer used
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_draft_drop(struct ftrace_draft *draft)
{
	scoped_guard(mutex, &ftrace_lock)
		list_del(&draft->list);
	ftrace_words_free(&draft->waits);
	ftrace_edit_drop(&draft->edit);
	mutex_destroy(&draft->lock);
}

static int word_or_line(struct ftrace_draft *draft)
{
	char *text = draft->word.text;
	bool first = !draft->begun;
	char *second;
	int ret, err;

	if (text[0] == '#') {
		if (!strcmp(text, FTRACE_NOTHING)) {
			guard(mutex)(&ftrace_lock);
			draft->edit.lost = true;
			draft->edit.changed = true;
		}
		return 0;
	}
	draft->begun = true;
	if (first && !strcmp(text, FTRACE_ALL)) {
		draft->all = true;
		return 0;
	}
	second = ftrace_word_second(text);
	ret = draft->ops->word(draft);
	if (!second)
		return ret;
	memmove(text, second, strlen(second) + 1);
	err = draft->ops->word(draft);
	return ret ?: err;
}

static int take_word(struct ftrace_draft *draft)
{
	int ret = word_or_line(draft);

	draft->word.len = 0;
	if (ret && !draft->err)
		draft->err = ret;
	return ret;
}

/*
 * The last write ended after a name. It was only looked up, as its module may follow.
 * Stage it now, unless @ubuf begins with a module, or is blank.
 */
static void take_cut(struct ftrace_draft *draft, const char __user *ubuf, size_t cnt)
{
	char c;

	for (; cnt; cnt--, ubuf++) {
		if (get_user(c, ubuf))
			break;
		if (c == '[')
			return;
		if (c != ' ' && c != '\t')
			break;
		if (cnt == 1)
			return;
	}
	draft->word.cut = 0;
	take_word(draft);
}

/**
 * ftrace_draft_write() - stage one written word
 * @draft: the draft
 * @ubuf: words, of which the first is taken
 * @cnt: bytes in @ubuf
 * @ppos: the file's position
 *
 * Context: Process context. May sleep.
 * Return: Bytes taken, -EINVAL if the word is too long, -EFAULT if @ubuf cannot
 * be read, -EBADF after the draft was closed, or the error of ->word(). A word
 * with an error changes nothing.
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

	if (draft->word.cut)
		take_cut(draft, ubuf, cnt);
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
		draft->check = draft->word.cut;
		ret = take_word(draft);
		draft->check = false;
		if (ret) {
			draft->word.cut = 0;
			return ret;
		}
	}
	*ppos += taken;
	return taken;
}

/**
 * ftrace_draft_later() - cut off the mark of a word that only waits
 * @text: the word; modified if it has the mark
 *
 * Files show words that wait with this mark. What is read can be written back: the
 * word then waits again, and changes nothing for functions that are discovered.
 *
 * Context: Any context.
 * Return: True if it had the mark; false where no function can be discovered later.
 */
bool ftrace_draft_later(char *text)
{
	char *mark = strstr(text, FTRACE_WAITS);

	if (!ftrace_discovered_any() || !mark || mark[strlen(FTRACE_WAITS)])
		return false;
	*mark = '\0';
	return true;
}

/**
 * ftrace_draft_stage() - stage the sites of a word, and let it wait for others
 * @draft: the draft, after ftrace_edit_find()
 * @m: the word, parsed
 * @text: the word
 * @later: the word only waits; without '!', it is staged if nothing is left to wait for
 * @err: what ftrace_edit_find() returned
 * @waiting: the words in force; NULL: words cannot wait there, or there are none
 *
 * Context: Process context. May sleep. The draft's lock and ftrace_lock held.
 * Return: 0 on success, @err if there is nothing to stage, -ENOMEM, -E2BIG as
 * ftrace_edit_stage().
 */
int ftrace_draft_stage(struct ftrace_draft *draft, const struct ftrace_match *m, const char *text,
		       bool later, int err, const struct ftrace_waiting *waiting)
{
	struct ftrace_edit *edit = &draft->edit;
	int waits;

	if (err && err != -EINVAL)
		return err;
	if (!err && draft->check)
		return 0;
	/* Words with a condition wait for no function. */
	if (edit->cond)
		return err ?: ftrace_edit_stage(edit, m->not);
	waits = ftrace_words_stage(&draft->waits, edit->reset ? NULL : waiting, m, text);
	if (waits < 0)
		return waits;
	if (waits && draft->check) {
		ftrace_words_unstage(&draft->waits);
		return 0;
	}
	if (err)
		err = waits ? 0 : err;
	else if (!later || !(waits || m->not))
		err = ftrace_edit_stage(edit, m->not);
	if (err && waits)
		ftrace_words_unstage(&draft->waits);
	else
		edit->changed |= waits;
	return err;
}

/**
 * ftrace_draft_close() - apply a draft
 * @draft: the draft; if it was closed before, nothing happens
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, the error of the first bad word, which may be the last one,
 * without white space after it, or the error of ->apply(): then nothing changed.
 */
int ftrace_draft_close(struct ftrace_draft *draft)
{
	int ret = 0;

	guard(mutex)(&draft->lock);

	if (draft->closed)
		return 0;
	draft->closed = true;

	if (draft->word.cut || (draft->word.open && draft->word.len))
		take_word(draft);
	if (draft->err && draft->all)
		return draft->err;
	if (draft->edit.reset || draft->edit.changed)
		ret = draft->ops->apply(draft);
	return draft->err ?: ret;
}

/**
 * ftrace_draft_flush() - apply a draft at the last close() of its file
 * @draft: the draft
 * @file: its file
 *
 * close() returns the error of ->flush; that of ->release would be lost.
 *
 * Context: Process context. May sleep.
 * Return: 0 if it is not the last close() or the file is not open for writing,
 * else as ftrace_draft_close().
 */
int ftrace_draft_flush(struct ftrace_draft *draft, struct file *file)
{
	/* Shells dup() the file and close the first descriptor before they write. */
	if (!(file->f_mode & FMODE_WRITE) || file_count(file) > 1)
		return 0;
	return ftrace_draft_close(draft);
}

/**
 * ftrace_draft_attach() - attach a session to a file
 * @file: the file, which is being opened
 * @ops: of the seq_file, if it is opened for reading
 * @session: the session; also ->private of the seq_file
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM.
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
 * ftrace_draft_session() - get the session of an open file
 * @file: the file
 *
 * Context: Any context.
 * Return: The session, as given to ftrace_draft_attach().
 */
void *ftrace_draft_session(struct file *file)
{
	if (file->f_mode & FMODE_READ)
		return ((struct seq_file *)file->private_data)->private;
	return file->private_data;
}
