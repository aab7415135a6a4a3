/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drafts: what is written to a file takes effect on close.
 */
#ifndef _FTRACE_DRAFT_H
#define _FTRACE_DRAFT_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include "../sites/edit.h"
#include "waiting.h"
#include "words.h"

/* The first word of a session that is to be applied whole or not at all. */
#define FTRACE_ALL	":all:"

/*
 * What files show, and take, for a filter that has no function and is not "all". It has
 * no newline: scripts count lines to see that no function is left.
 */
#define FTRACE_NOTHING	"#### no functions enabled ####"

struct ftrace_draft {
	struct list_head	list;		/* [L] */
	const struct ftrace_draft_ops *ops;
	struct mutex		lock;		/* serialises writes */
	struct ftrace_word	word;
	int			err;		/* first error */
	bool			begun;		/* had a word */
	bool			check;		/* look a name up, and do not stage it */
	bool			all;		/* any bad word voids all: FTRACE_ALL */
	bool			closed;
	struct ftrace_edit	edit;		/* [L] */
	struct list_head	waits;		/* [L] log of words that wait, see waiting.c */
};

/* All but ->gone() are called under the draft's lock and report bad words themselves. */
struct ftrace_draft_ops {
	int	(*word)(struct ftrace_draft *draft);	/* stage ->word */
	void	(*too_long)(struct ftrace_draft *draft);
	int	(*apply)(struct ftrace_draft *draft);	/* put ->edit into force */
	/* Drop site numbers, except in ->edit. Called under ftrace_lock only. */
	void	(*gone)(struct ftrace_draft *draft, u32 first, u32 end);
};

void ftrace_draft_init(struct ftrace_draft *draft, const struct ftrace_draft_ops *ops,
		       struct file *file);
void ftrace_draft_list(struct ftrace_draft *draft);
void ftrace_draft_drop(struct ftrace_draft *draft);
ssize_t ftrace_draft_write(struct ftrace_draft *draft, const char __user *ubuf, size_t cnt,
			   loff_t *ppos);
int ftrace_draft_stage(struct ftrace_draft *draft, const struct ftrace_match *m, const char *text,
		       bool later, int err, const struct ftrace_waiting *waiting);
bool ftrace_draft_later(char *text);
int ftrace_draft_close(struct ftrace_draft *draft);
int ftrace_draft_flush(struct ftrace_draft *draft, struct file *file);
int ftrace_draft_attach(struct file *file, const struct seq_operations *ops, void *session);
void *ftrace_draft_session(struct file *file);

#endif /* _FTRACE_DRAFT_H */
