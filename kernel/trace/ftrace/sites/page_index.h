/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Discovered sites by address.
 *
 * In their block, sites that are discovered at run time are in the order of
 * discovery. This index has them in address order: for each page of a text, a sorted
 * array of offsets and numbers. Adding a site replaces the array of its page only, so
 * the time does not depend on the number of sites in the text.
 */
#ifndef _FTRACE_PAGE_INDEX_H
#define _FTRACE_PAGE_INDEX_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include "lock.h"

struct ftrace_index_site {
	u32 offset;		/* of the call's first byte, from the start of the text */
	u32 nr;			/* the site's number */
};

struct ftrace_index_page {
	struct rcu_head		rcu;
	u32			nr;
	struct ftrace_index_site	sites[];	/* [I] ascending by offset */
};

/* The index of one text. */
struct ftrace_page_index {
	unsigned long			start;	/* [I] of the text */
	u32				nr;	/* [I] number of pages */
	struct ftrace_index_page __rcu	*pages[];
};

struct ftrace_page_index *ftrace_index_make(unsigned long start, unsigned long end);
void ftrace_index_free(struct ftrace_page_index *index);

/*
 * Sites that are being added. All memory is allocated before anything is published:
 * a change adds either all of its sites or none.
 */
struct ftrace_index_change {
	struct ftrace_page_index	*index;
	u32				nr;
	struct ftrace_index_page	**pages;	/* the new ones, ascending */
	u32				*which;		/* their places in ->index */
};

int ftrace_index_prepare(struct ftrace_index_change *change, struct ftrace_page_index *index,
			 const struct ftrace_index_site *sites, u32 nr);
void ftrace_index_publish(struct ftrace_index_change *change);
void ftrace_index_drop(struct ftrace_index_change *change);

const struct ftrace_index_site *ftrace_index_from(const struct ftrace_page_index *index,
						  u32 offset);
const struct ftrace_index_site *ftrace_index_at(const struct ftrace_page_index *index,
						unsigned long ip);

#endif /* _FTRACE_PAGE_INDEX_H */
