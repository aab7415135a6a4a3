/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites: the places where the compiler left room for a call.
 *
 * A block has the sites of a text that is loaded and freed as a whole: the kernel's
 * text, its init text, a module's text, a module's init text. They are sorted by
 * address. Each site has a number, unique over all blocks while the block
 * exists; filters are sets of these numbers. A number is reused only after it
 * has been removed from every filter.
 *
 * A text whose sites are discovered at run time (discovered.h) has one or more
 * discovered blocks. These reserve numbers for sites yet to come, and their sites are
 * in the order of discovery; the text's index has them in address order.
 *
 * Which combo a site calls is stored in its state word and nowhere else.
 */
#ifndef _FTRACE_SITE_H
#define _FTRACE_SITE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include "siteset.h"
#include "lock.h"

struct module;
struct ftrace_page_index;
struct ftrace_names;
struct ftrace_target;
struct wait_queue_head;

/*
 * The state word of a site. The low half is the number of the combo that its
 * text calls. Written with WRITE_ONCE() under ftrace_lock, read by anyone.
 */
#define FTRACE_SITE_COMBO	0x0000ffffU
#define FTRACE_SITE_COMING	0x00010000U	/* module text, not ready to be patched */
#define FTRACE_SITE_DEAD	0x00020000U	/* in no function: left by an overridden weak one */
#define FTRACE_SITE_FAULT	0x00040000U	/* its text had unexpected bytes */
#define FTRACE_SITE_TOUCHED	0x00080000U	/* has called a combo at least once */
#define FTRACE_SITE_MODIFIED	0x00100000U	/* has had an IPMODIFY or DIRECT hook */
#define FTRACE_SITE_ENTRY	0x00200000U	/* covers its function's first instruction */
#define FTRACE_SITE_HELD	0x00400000U	/* a foreign breakpoint is on its first byte */
#define FTRACE_SITE_ARMED	0x00800000U	/* off, but calls __fentry__: new, in no plan yet */
#define FTRACE_SITE_COVERED	0x01000000U	/* off, in one nop with the instruction before it */
#define FTRACE_SITE_JUMPS	0x02000000U	/* off and held; its text is a jump, not a nop */
/* The site is never patched while one of these is set: */
#define FTRACE_SITE_UNUSABLE	(FTRACE_SITE_COMING | FTRACE_SITE_DEAD | FTRACE_SITE_FAULT)

struct ftrace_site {
	u32 offset;		/* [I] of the call's first byte, from the block's base */
	u32 state;		/* [L] see above; read by anyone */
};

static_assert(sizeof(struct ftrace_site) == 8);

/* A text whose sites are discovered at run time. It has at least one block. */
struct ftrace_discovered {
	struct list_head	list;	/* [L] in ftrace_discovered_texts */
	struct module		*mod;	/* [I] NULL: the kernel */
	unsigned long		start;	/* [I] */
	unsigned long		end;	/* [I] one past the last byte */
	bool			init;	/* [I] freed after initialisation */
	bool			ready;	/* [L] its symbols are in place */
	struct ftrace_page_index *index;	/* [I] its sites by address */
	struct ftrace_site_block *head;	/* [I] its first block */
	struct ftrace_site_block *last;	/* [L] gets more sites; those before it are full */
};

struct ftrace_site_block {
	struct list_head	list;	/* [L] kernel blocks, then modules in load order */
	struct rcu_head		rcu;
	struct module		*mod;	/* [I] NULL: the kernel */
	unsigned long		base;	/* [I] */
	unsigned long		end;	/* [I] one past the last site's last byte, or the text's */
	bool			init;	/* [I] init text, freed after initialisation */
	bool			leads;	/* [I] the first block of ->text, which it owns */
	struct ftrace_discovered	*text;	/* [I] of a discovered block; else NULL */
	u32			first;	/* [I] number of sites[0], assigned on publish */
	u32			nr;	/* [I]; a discovered block's grows under ftrace_lock */
	u32			room;	/* [I] number of sites that memory was allocated for */
	struct ftrace_names	*names;	/* [L] owned by names.c */
	struct ftrace_target	**targets;	/* [L, read by anyone] owned by targets.c */
	struct ftrace_site	sites[];	/* ftrace_site_ran() returns what follows them */
};

static_assert(offsetof(struct ftrace_site_block, sites) % sizeof(long) == 0);

static __always_inline unsigned long ftrace_site_ip(const struct ftrace_site_block *b, u32 i)
{
	return b->base + b->sites[i].offset;
}

/* The discovered text of @b; NULL: the build has recorded the sites of @b. */
static __always_inline struct ftrace_discovered *
ftrace_discovered_text(const struct ftrace_site_block *b)
{
	return IS_ENABLED(CONFIG_FTRACE_DISCOVER) ? b->text : NULL;
}

/*
 * One of two bitmaps of the sites whose functions have run, for discover/ran_functions.c.
 * Bits are set in any context; the bitmap that is not in use is cleared under ftrace_lock.
 */
static __always_inline unsigned long *ftrace_site_ran(const struct ftrace_site_block *b, u32 which)
{
	return (unsigned long *)&b->sites[b->room] + which * BITS_TO_LONGS(b->room);
}

/* Which of the two bitmaps is in use. Under ftrace_lock. */
extern u32 ftrace_ran_which;

/* True for the first block of a text, which stands for all of its blocks. */
static __always_inline bool ftrace_site_block_leads(const struct ftrace_site_block *b)
{
	return !ftrace_discovered_text(b) || b->leads;
}

/* How many site numbers @b has; some may be unused. */
static __always_inline u32 ftrace_site_block_numbers(const struct ftrace_site_block *b)
{
	return ftrace_discovered_text(b) ? b->room : b->nr;
}

/*
 * Lookups, also in NMIs: each is a binary search over blocks. Lookups by address then
 * search the block, or the page of a discovered text's index.
 */
struct ftrace_site_block *ftrace_site_find_exact(unsigned long ip, u32 *i);
struct ftrace_site_block *ftrace_site_find_range(unsigned long start, unsigned long end, u32 *i);
struct ftrace_site_block *ftrace_site_by_nr(u32 nr, u32 *i);
struct ftrace_discovered *ftrace_discovered_at(unsigned long ip);
struct ftrace_site_block *ftrace_site_from(struct ftrace_site_block *lead, unsigned long ip,
					   u32 *i);

/* True if files list the block: a module's only once its text is ready for patching. */
static inline bool ftrace_site_block_ready(const struct ftrace_site_block *b)
{
	if (ftrace_discovered_text(b))
		return b->text->ready;
	return !(READ_ONCE(b->sites[0].state) & FTRACE_SITE_COMING);
}

static inline u32 ftrace_site_nr(const struct ftrace_site_block *b, u32 i)
{
	return b->first + i;
}

/* Looks up sites, fastest in ascending order: searches only when the block changes. */
struct ftrace_site_walk {
	struct ftrace_site_block *block;
};

static __always_inline struct ftrace_site *
ftrace_site_walk(struct ftrace_site_walk *walk, u32 nr)
{
	struct ftrace_site_block *b = walk->block;
	u32 i;

	if (likely(b && nr - b->first < b->nr))
		return &b->sites[nr - b->first];

	b = ftrace_site_by_nr(nr, &i);
	if (!b)
		return NULL;
	walk->block = b;
	return &b->sites[i];
}

u32 ftrace_site_end(void);
/* Blocks in listing order. Read and written under ftrace_lock. */
extern struct list_head ftrace_site_blocks;
/* Incremented when a block is published, becomes ready, grows or is withdrawn. */
extern u64 ftrace_site_generation;
extern struct wait_queue_head ftrace_site_changes;	/* woken at each increment */
void ftrace_sites_changed(void);

/*
 * A block is made, published and withdrawn; or made and discarded. Only published
 * blocks have numbers, and lookups find only their sites.
 */
struct ftrace_site_block *ftrace_site_block_make(struct module *mod, bool init,
						 unsigned long *ips, size_t n,
						 unsigned long start, unsigned long end,
						 u32 state);
struct ftrace_site_block *ftrace_site_block_make_discovered(struct ftrace_discovered *text,
							    u32 room);
int ftrace_site_block_publish(struct ftrace_site_block *b);
void ftrace_site_block_discard(struct ftrace_site_block *b);
void ftrace_site_block_withdraw(struct ftrace_site_block *b);
void ftrace_site_block_grow(struct ftrace_site_block *b, u32 nr);

/*
 * For code that keeps site numbers outside the filters in force. ->gone is called
 * under ftrace_lock before the sites [first, end) are withdrawn. Lookups still
 * find these sites in the callback; after it, their numbers may be reused.
 *
 * ->added, which may be NULL, is called under ftrace_lock after the sites [first,
 * end) were added to a text. They are armed, except those that an earlier watcher has
 * had a plan made for.
 */
struct ftrace_site_watcher {
	struct list_head list;
	void (*gone)(struct ftrace_site_watcher *w, u32 first, u32 end);
	void (*added)(struct ftrace_site_watcher *w, u32 first, u32 end);
};

void ftrace_site_watch(struct ftrace_site_watcher *w);
void ftrace_sites_added(u32 first, u32 end);

/* Shown in dyn_ftrace_total_info. */
extern unsigned long ftrace_update_tot_cnt, ftrace_number_of_pages, ftrace_number_of_groups;
extern u64 ftrace_update_time, ftrace_total_mod_time;

#endif /* _FTRACE_SITE_H */
