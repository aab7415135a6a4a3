/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Found sites by address.
 *
 * Sites that are found at run time are in their block in the order in which
 * they were found. This index has them in the order of their addresses: for each
 * page of a text, a sorted array of offsets and numbers. Adding a site replaces
 * the array of its page, so it takes the same time however many sites there are.
 */
#ifndef _FTRACE_PAGE_INDEX_H
#define _FTRACE_PAGE_INDEX_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include "lock.h"

struct ftrace_found {
	u32 offset;		/* of the call's first byte, from the start of the text */
	u32 nr;			/* the site's number */
};

struct ftrace_found_page {
	struct rcu_head		rcu;
	u32			nr;
	struct ftrace_found	sites[];	/* [I] ascending by offset */
};

/* The index of one text. */
struct ftrace_found_index {
	unsigned long			start;	/* [I] of the text */
	u32				nr;	/* [I] number of pages */
	struct ftrace_found_page __rcu	*pages[];
};

struct ftrace_found_index *ftrace_found_make(unsigned long start, unsigned long end);
void ftrace_found_free(struct ftrace_found_index *index);

/*
 * Adding sites. All memory is allocated before anything is published, so that a
 * round either adds all of its sites or changes nothing.
 */
struct ftrace_found_change {
	struct ftrace_found_index	*index;
	u32				nr;
	struct ftrace_found_page	**pages;	/* those that change, ascending */
	u32				*which;		/* their numbers */
};

int ftrace_found_prepare(struct ftrace_found_change *change, struct ftrace_found_index *index,
			 const struct ftrace_found *sites, u32 nr);
void ftrace_found_publish(struct ftrace_found_change *change);
void ftrace_found_drop(struct ftrace_found_change *change);

const struct ftrace_found *ftrace_found_from(const struct ftrace_found_index *index,
					     u32 offset);
const struct ftrace_found *ftrace_found_at(const struct ftrace_found_index *index,
					   unsigned long ip);

#endif /* _FTRACE_PAGE_INDEX_H */
