/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites: every place the compiler left room for a call.
 *
 * A block is a run of text that lives and dies together: the kernel's text,
 * its init text, a module's text, a module's init text. Its sites are sorted
 * by address. Each site has a number, unique over all blocks while the block
 * lives; filters are sets of these numbers. A number is given again only after
 * every filter has been purged of it.
 *
 * What a site calls now is in its state word and nowhere else.
 */
#ifndef _FTRACE_SITE_H
#define _FTRACE_SITE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include "siteset.h"
#include "lock.h"

struct module;
struct ftrace_names;

/*
 * The state word of a site. The number of the combo that its text calls is in
 * the low half. Written under ftrace_lock with WRITE_ONCE(), read anywhere.
 */
#define FTRACE_SITE_COMBO	0x0000ffffU
#define FTRACE_SITE_COMING	0x00010000U	/* the module's text is not ready */
#define FTRACE_SITE_DEAD	0x00020000U	/* in no function: a weak one that lost */
#define FTRACE_SITE_FAULT	0x00040000U	/* unexpected bytes were found */
#define FTRACE_SITE_TOUCHED	0x00080000U	/* was called through, once */
#define FTRACE_SITE_MODIFIED	0x00100000U	/* had an IPMODIFY or DIRECT hook, once */
#define FTRACE_SITE_ENTRY	0x00200000U	/* it has its function's first instruction */
#define FTRACE_SITE_HELD	0x00400000U	/* another's breakpoint is over its first byte */
/* Never patched while one of these is set: */
#define FTRACE_SITE_UNUSABLE	(FTRACE_SITE_COMING | FTRACE_SITE_DEAD | FTRACE_SITE_FAULT)

struct ftrace_site {
	u32 offset;		/* [I] from the block's base to the first byte of the call */
	u32 state;		/* [L] see above; read by anyone */
};

static_assert(sizeof(struct ftrace_site) == 8);

struct ftrace_site_block {
	struct list_head	list;	/* [L] kernel, then modules as they were loaded */
	struct rcu_head		rcu;
	struct module		*mod;	/* [I] NULL: the kernel's */
	unsigned long		base;	/* [I] */
	unsigned long		end;	/* [I] one past the last site's last byte */
	bool			init;	/* [I] goes when initialisation is over */
	u32			first;	/* [I] the number of sites[0]; publishing gives it */
	u32			nr;	/* [I] */
	u32			room;	/* [I] for how many there is memory */
	struct ftrace_names	*names;	/* [L] names.c */
	struct ftrace_site	sites[];
};

static inline unsigned long ftrace_site_ip(const struct ftrace_site_block *b, u32 i)
{
	return b->base + b->sites[i].offset;
}

/*
 * Lookup, any context, noinstr, preemption off for as long as the result is
 * used (or ftrace_lock held). A binary search over blocks, then one in it.
 * @ip anywhere in the five bytes finds the site. *i gets the index in the block.
 */
struct ftrace_site_block *ftrace_site_find(unsigned long ip, u32 *i);
struct ftrace_site_block *ftrace_site_find_exact(unsigned long ip, u32 *i);	/* its first byte */
/* First site that touches [start, end]. */
struct ftrace_site_block *ftrace_site_find_range(unsigned long start, unsigned long end, u32 *i);
/* By number: same context. NULL: no such site. */
struct ftrace_site_block *ftrace_site_by_nr(u32 nr, u32 *i);

/* Is it in the listings? A module's text is not before it is ready for patching. */
static inline bool ftrace_site_block_ready(const struct ftrace_site_block *b)
{
	return !(READ_ONCE(b->sites[0].state) & FTRACE_SITE_COMING);
}

static inline u32 ftrace_site_nr(const struct ftrace_site_block *b, u32 i)
{
	return b->first + i;
}

/* One more than the largest number in use. Under ftrace_lock. */
u32 ftrace_site_end(void);
/* Blocks in listing order. Under ftrace_lock. */
extern struct list_head ftrace_site_blocks;
/* Goes up with each block that comes or goes: files use it to notice. */
extern u64 ftrace_site_generation;

/*
 * Life, all under ftrace_lock.
 *
 * ftrace_site_block_make() sorts @ips in place, leaves out zeros, doubles and
 * addresses outside [start, end), and sets @state in each site. The block has
 * numbers and is found once it is published.
 * Return: a block, NULL where no address is left, ERR_PTR(-ENOMEM).
 */
struct ftrace_site_block *ftrace_site_block_make(struct module *mod, bool init,
						 unsigned long *ips, size_t n,
						 unsigned long start, unsigned long end,
						 u32 state);
int ftrace_site_block_publish(struct ftrace_site_block *b);	/* 0, -ENOMEM */
/* Only for one that was never published. */
void ftrace_site_block_discard(struct ftrace_site_block *b);
/* Not found any more when it returns; freed after an RCU grace period. */
void ftrace_site_block_withdraw(struct ftrace_site_block *b);

/*
 * For those who keep numbers outside of the filters in force. @gone is called
 * under ftrace_lock when the sites [first, end) are about to leave; they can
 * still be looked up then, and their numbers may be given to others afterwards.
 */
struct ftrace_site_watcher {
	struct list_head list;
	void (*gone)(struct ftrace_site_watcher *w, u32 first, u32 end);
};

void ftrace_site_watch(struct ftrace_site_watcher *w);
void ftrace_site_unwatch(struct ftrace_site_watcher *w);

/* Figures for dyn_ftrace_total_info. */
extern unsigned long ftrace_update_tot_cnt, ftrace_number_of_pages, ftrace_number_of_groups;

#endif /* _FTRACE_SITE_H */
