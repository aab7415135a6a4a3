// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: what is staged between open and close of a filter file.
 *
 * A session stages changes, not a whole filter: two sessions that add functions
 * at the same time both succeed, and an open file blocks no other.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "filter_session.h"

/**
 * ftrace_session_make() - begin a session
 * @tr: the trace array of the file, or NULL
 * @ops: the ops of the file
 * @except: the file is for functions to leave out
 * @file: the file
 * @draft_ops: callbacks of its draft
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 * Return: The session, ERR_PTR(-ENODEV) if ftrace is disabled,
 * ERR_PTR(-ENOMEM).
 */
struct ftrace_session *ftrace_session_make(struct trace_array *tr, struct ftrace_ops *ops,
					   bool except, struct file *file,
					   const struct ftrace_draft_ops *draft_ops)
{
	struct ftrace_session *s = kzalloc_obj(*s);

	if (!s)
		return ERR_PTR(-ENOMEM);
	ftrace_draft_init(&s->draft, draft_ops, file);
	ftrace_mods_edit_init(&s->mods);
	s->tr = tr;
	s->except = except;
	s->file = file->f_path.dentry->d_name.name;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	s->tracers = ftrace_disabled ? ERR_PTR(-ENODEV) : ftrace_tracers_get(tr, ops);
	if (IS_ERR(s->tracers)) {
		int ret = PTR_ERR(s->tracers);

		kfree(s);
		return ERR_PTR(ret);
	}
	ftrace_draft_list(&s->draft);
	return s;
}

/**
 * ftrace_session_free() - end a session
 * @s: the session
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 */
void ftrace_session_free(struct ftrace_session *s)
{
	ftrace_draft_drop(&s->draft);
	ftrace_tracers_put(s->tracers);
	ftrace_mods_edit_drop(&s->mods);
	kfree(s);
}

/**
 * ftrace_session_gone() - drop site numbers from a session
 * @draft: the session's draft
 * @first: the first number that becomes invalid
 * @end: one past the last
 *
 * Context: ftrace_lock held.
 */
void ftrace_session_gone(struct ftrace_draft *draft, u32 first, u32 end)
{
	struct ftrace_session *s = container_of(draft, struct ftrace_session, draft);
	unsigned int i;

	lockdep_assert_held(&ftrace_lock);

	for (i = 0; i < s->tracers->nr; i++) {
		struct ftrace_tracer *tracer = &s->tracers->tracer[i];
		struct ftrace_filter *old = tracer->filter;

		tracer->filter = ftrace_filter_without(old, first, end);
		ftrace_filter_put(old);
	}
}

/**
 * ftrace_session_alive() - test whether a session's tracer can still be changed
 * @s: the session
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if it can.
 */
bool ftrace_session_alive(struct ftrace_session *s)
{
	return !ftrace_disabled && ftrace_tracer_alive(ftrace_session_tracer(s));
}

/* The filter in force of the tracer that is written to. */
static struct ftrace_filter *filter_now(struct ftrace_session *s)
{
	return ftrace_slot_filter(ftrace_ops_slot(ftrace_session_tracer(s)->ops));
}

/* True if the tracer can have a filter of its own, but shares the top one. */
static bool shares_top(const struct ftrace_tracer *tracer)
{
	return tracer->own && ftrace_ops_slot(tracer->ops) != &tracer->ops->own;
}

/* Put @filter in force. A tracer that shares the top filter gets its own. */
static int tracer_set(struct ftrace_tracer *tracer, struct ftrace_filter *filter)
{
	struct ftrace_ops *ops = tracer->ops;
	int ret;

	if (!shares_top(tracer))
		return ftrace_slot_set_locked(ftrace_ops_slot(ops), filter);

	/* No hook uses ->own yet, so this changes no site. */
	ret = ftrace_slot_set_locked(&ops->own, filter);
	if (ret)
		return ret;
	ret = ftrace_ops_move_locked(ops, &ops->own);
	if (ret)
		ftrace_slot_set_locked(&ops->own, ftrace_filter_get(&ftrace_filter_all));
	return ret;
}

/* Clear the filter of a tracer that can share the top one: it shares that again. */
static int tracer_unset(struct ftrace_ops *ops)
{
	int ret = ftrace_ops_move_locked(ops, &global_ops.own);

	/* No hook uses ->own any more. */
	return ret ?: ftrace_slot_set_locked(&ops->own, ftrace_filter_get(&ftrace_filter_all));
}

/* Test whether nothing waits in the other of the tracer's two files. */
static bool other_file_empty(struct ftrace_session *s)
{
	struct ftrace_tracer *tracer = ftrace_session_tracer(s);

	return list_empty(tracer->mods[!s->except]) &&
	       !ftrace_waiting_any(ftrace_slot_waiting(ftrace_tracer_slot(tracer), !s->except));
}

/*
 * Test whether a filter without functions means that nothing is traced; if @waits, words
 * will wait. It means all functions if the session removed the last name, which is how
 * users clear a filter.
 */
static bool means_nothing(struct ftrace_session *s, bool waits)
{
	const struct ftrace_edit *edit = &s->draft.edit;

	if (waits || edit->lost)
		return true;
	return !edit->reset && list_empty(&s->mods.del) &&
	       !ftrace_waiting_any(ftrace_session_waiting(s)) &&
	       ftrace_filter_nothing(filter_now(s));
}

/* Make the filter that the session wants, and put it into force. */
static int session_set(struct ftrace_session *s, struct list_head *mods,
		       const struct list_head *words)
{
	struct ftrace_filter *now = filter_now(s), *filter;
	struct ftrace_tracer *tracer = ftrace_session_tracer(s);
	const bool waits = !list_empty(words) ||
		ftrace_mods_edit_leaves_any(&s->mods, s->draft.edit.reset ? NULL : mods);
	struct ftrace_siteset *set;

	set = ftrace_edit_apply(&s->draft.edit, s->except ? now->except : now->only);
	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_filter_with_set(now, set, s->except, means_nothing(s, waits),
					&s->draft.edit);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	/* No word is added, and nothing changes: go on sharing the top filter. */
	if (shares_top(tracer) && !waits && !s->draft.edit.add && filter->all == now->all &&
	    filter->only == now->only && filter->except == now->except &&
	    filter->conds == now->conds) {
		ftrace_filter_put(filter);
		return 0;
	}
	if (tracer->own && filter == &ftrace_filter_all && !waits && other_file_empty(s))
		return tracer_unset(tracer->ops);
	return tracer_set(tracer, filter);
}

/* A filter that was cleared stays so if a module that is being loaded fails to. */
static void forget_used(struct ftrace_tracer *tracer)
{
	if (shares_top(tracer))
		ftrace_mods_forget_used(tracer->mods[1], "", NULL);
	else if (!ftrace_slot_filter(ftrace_ops_slot(tracer->ops))->all)
		return;
	ftrace_mods_forget_used(tracer->mods[0], "", NULL);
}

/* Get the words that will wait; set *waiting to their list, NULL if there never was one. */
static int session_words(struct ftrace_session *s, struct list_head *words,
			 struct ftrace_waiting **waiting)
{
	struct ftrace_draft *draft = &s->draft;

	*waiting = ftrace_session_waiting(s);
	if (!*waiting && !list_empty(&draft->waits)) {
		*waiting = ftrace_slot_waiting_make(ftrace_tracer_slot(ftrace_session_tracer(s)),
						    s->except);
		if (!*waiting)
			return -ENOMEM;
	}
	return ftrace_words_replay(words, draft->edit.reset ? NULL : *waiting, &draft->waits);
}

/**
 * ftrace_session_apply() - put what a session staged into force
 * @s: the session
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 * Return: 0 on success; -ENODEV if the tracer was unregistered or ftrace is disabled;
 * -ENOMEM; -E2BIG for too many conditions. On error no filter changed.
 */
int ftrace_session_apply(struct ftrace_session *s)
{
	struct list_head *mods = ftrace_session_mods(s);
	struct ftrace_edit *edit = &s->draft.edit;
	struct ftrace_waiting *waiting;
	LIST_HEAD(words);
	int ret;

	guard(mutex)(&ftrace_lock);

	if (!ftrace_session_alive(s))
		return -ENODEV;
	ret = ftrace_mods_edit_resolve(&s->mods, edit);
	if (!ret)
		ret = session_words(s, &words, &waiting);
	if (ret)
		return ret;
	ret = session_set(s, mods, &words);
	if (ret) {
		ftrace_words_free(&words);
		return ret;
	}
	ftrace_mods_edit_apply(&s->mods, mods, edit->reset);
	if (mods)
		forget_used(ftrace_session_tracer(s));
	ftrace_waiting_set(waiting, &words);
	return 0;
}

/**
 * ftrace_session_complain() - report the current word in error_log
 * @s: the session
 * @pos: offset of the error in the word
 * @why: the reason
 *
 * Context: Process context. May sleep. The draft's lock held, ftrace_lock not.
 */
void ftrace_session_complain(struct ftrace_session *s, unsigned int pos, enum ftrace_why why)
{
	ftrace_complain(s->tr, ftrace_session_tracer(s)->name, s->file, s->draft.word.text, pos,
			why);
}
