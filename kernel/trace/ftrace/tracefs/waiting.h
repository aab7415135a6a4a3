/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of filters that wait for functions that are not discovered yet.
 *
 * All calls hold ftrace_lock unless they say otherwise.
 */
#ifndef _FTRACE_WAITING_H
#define _FTRACE_WAITING_H

#include <linux/list.h>
#include "../sites/edit.h"

/* What files show after such a word. */
#define FTRACE_WAITS	":wait"

struct ftrace_filter_slot;

/* The words of one filter in force. */
struct ftrace_waiting {
	struct list_head	list;		/* [L] once it has had words */
	struct list_head	words;		/* [L] in the order in which they were written */
	u32			missed;		/* [L] first site not added for lack of memory */
	u32			missed_end;	/* [L] one past the last such site; 0: none */
	/* Add sites to the filter; 0 or -ENOMEM. */
	int			(*add)(struct ftrace_waiting *waiting,
				       struct ftrace_siteset *sites);
};

#ifdef CONFIG_FTRACE_DISCOVER

int ftrace_words_stage(struct list_head *log, const struct ftrace_waiting *waiting,
		       const struct ftrace_match *m, const char *text);
void ftrace_words_unstage(struct list_head *log);
int ftrace_words_replay(struct list_head *words, const struct ftrace_waiting *waiting,
			const struct list_head *log);
void ftrace_words_apply(struct list_head *log, struct ftrace_edit *edit, u32 first, u32 end);
void ftrace_words_free(struct list_head *words);	/* needs the lock only for words in force */

void ftrace_waiting_set(struct ftrace_waiting *waiting, struct list_head *words);
const char *ftrace_waiting_word(const struct ftrace_waiting *waiting, unsigned int n);

struct ftrace_waiting *ftrace_slot_waiting(struct ftrace_filter_slot *slot, bool except);
struct ftrace_waiting *ftrace_slot_waiting_make(struct ftrace_filter_slot *slot, bool except);
void ftrace_slot_waiting_free(struct ftrace_filter_slot *slot);
int ftrace_slot_waiting_early(struct ftrace_filter_slot *slot, const char *text, bool except);

#else

static inline int ftrace_words_stage(struct list_head *log, const struct ftrace_waiting *waiting,
				     const struct ftrace_match *m, const char *text)
{
	return 0;
}

static inline void ftrace_words_unstage(struct list_head *log)
{
}

static inline int ftrace_words_replay(struct list_head *words,
				      const struct ftrace_waiting *waiting,
				      const struct list_head *log)
{
	return 0;
}

static inline void ftrace_words_apply(struct list_head *log, struct ftrace_edit *edit, u32 first,
				      u32 end)
{
}

static inline void ftrace_words_free(struct list_head *words)
{
}

static inline void ftrace_waiting_set(struct ftrace_waiting *waiting, struct list_head *words)
{
}

static inline const char *ftrace_waiting_word(const struct ftrace_waiting *waiting,
					      unsigned int n)
{
	return NULL;
}

static inline struct ftrace_waiting *ftrace_slot_waiting(struct ftrace_filter_slot *slot,
							 bool except)
{
	return NULL;
}

static inline struct ftrace_waiting *ftrace_slot_waiting_make(struct ftrace_filter_slot *slot,
							      bool except)
{
	return NULL;
}

static inline void ftrace_slot_waiting_free(struct ftrace_filter_slot *slot)
{
}

static inline int ftrace_slot_waiting_early(struct ftrace_filter_slot *slot, const char *text,
					    bool except)
{
	return 0;
}

#endif

static inline bool ftrace_waiting_any(const struct ftrace_waiting *waiting)
{
	return waiting && !list_empty(&waiting->words);
}

#endif /* _FTRACE_WAITING_H */
