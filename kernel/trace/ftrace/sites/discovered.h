/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts whose sites are discovered at run time.
 *
 * A text begins without sites. Discovered sites are appended to its last block, so
 * the number of a known site never changes. When a block is full, the next one has
 * room for twice as many. Callers have checked that there is a call at each address.
 */
#ifndef _FTRACE_DISCOVERED_H
#define _FTRACE_DISCOVERED_H

#include <linux/errno.h>
#include "site.h"

/* All discovered texts. Under ftrace_lock. */
extern struct list_head ftrace_discovered_texts;

struct ftrace_discovered *ftrace_discovered_add(struct module *mod, bool init, unsigned long start,
						unsigned long end);
#ifdef CONFIG_FTRACE_DISCOVER
int ftrace_site_get(unsigned long ip, struct ftrace_site_block **b, u32 *i);
#else
static inline int ftrace_site_get(unsigned long ip, struct ftrace_site_block **b, u32 *i)
{
	*b = ip ? ftrace_site_find_exact(ip, i) : NULL;
	return *b ? 0 : -EINVAL;
}
#endif

/* True if there are discovered texts. Any context. */
static inline bool ftrace_discovered_any(void)
{
	return IS_ENABLED(CONFIG_FTRACE_DISCOVER) && !list_empty(&ftrace_discovered_texts);
}

void ftrace_discovered_forget(struct ftrace_discovered *text);
int ftrace_discovered_add_sites(struct ftrace_discovered *text, const u32 *offsets, u32 nr,
				u32 state);
u32 ftrace_discovered_count(void);

/* The text in @texts that contains all of [start, end). NULL: none. */
static inline struct ftrace_discovered *
ftrace_discovered_find(const struct list_head *texts, unsigned long start, unsigned long end)
{
	struct ftrace_discovered *text;

	lockdep_assert_held(&ftrace_lock);
	list_for_each_entry(text, texts, list) {
		if (start >= text->start && end <= text->end)
			return text;
	}
	return NULL;
}

#endif /* _FTRACE_DISCOVERED_H */
