// SPDX-License-Identifier: GPL-2.0
/*
 * Found sites that are off: one nop together with their function's first instruction.
 *
 * An entry site begins where its function does, and is one nop when it is off. A
 * site that is found at run time begins at its call. Covering it makes its function
 * run as fast as one with an entry site, see arch_ftrace_cover().
 *
 * A round of ftraced covers sites; a commit that switches a site on uncovers it
 * first. FTRACE_SITE_COVERED is set before the text is changed, and cleared after it
 * has been changed back: while the bit is clear, the first instruction is the original.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace/arch.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>

#include "../sites/discovered.h"
#include "../sites/fault.h"
#include "cover.h"
#include "plan.h"

u32 ftrace_covered_sites;
bool ftrace_cover_due;

/* A site with any of these bits is not covered: it is on, special, or unusable. */
#define BUSY	(FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_ARMED | \
		 FTRACE_SITE_COVERED | FTRACE_SITE_ENTRY | FTRACE_SITE_UNUSABLE)

/* Sites whose first instructions change in one transaction. */
struct batch {
	bool			on;
	u32			nr, room;
	struct ftrace_patch	*sites;		/* NULL: not allocated yet */
	struct ftrace_patch	few[16];	/* if memory is short */
};

static void batch_begin(struct batch *batch, u32 room, bool on)
{
	batch->on = on;
	batch->nr = 0;
	batch->room = room;
	batch->sites = NULL;
}

static void batch_make(struct batch *batch)
{
	batch->sites = kvmalloc_array(batch->room, sizeof(*batch->sites),
				      GFP_KERNEL | __GFP_NOWARN);
	if (batch->sites)
		return;
	batch->sites = batch->few;
	batch->room = ARRAY_SIZE(batch->few);
}

static void set_covered(struct ftrace_site *site, bool on)
{
	if (on)
		WRITE_ONCE(site->state, site->state | FTRACE_SITE_COVERED);
	else
		WRITE_ONCE(site->state, site->state & ~FTRACE_SITE_COVERED);
	ftrace_covered_sites += on ? 1 : -1;
}

/*
 * Set the state of a site after arch_ftrace_cover(). A site that could not be uncovered
 * stays off: until its breakpoint is removed, or for good. A site that could not be
 * covered is as before.
 */
static void judge(const struct ftrace_patch *patch, bool on)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_exact(patch->ip, &i);
	if (!b)
		return;
	if (on ? patch->err : !patch->err)
		set_covered(&b->sites[i], false);
	if (on || !patch->err)
		return;
	if (patch->err == -EBUSY)
		ftrace_hold_site(b, i);
	else
		ftrace_fault_site(b, i, patch->err, NULL, patch->found);
}

static void batch_write(struct batch *batch)
{
	if (!batch->nr)
		return;
	arch_ftrace_cover(batch->sites, batch->nr, batch->on);
	for (u32 k = 0; k < batch->nr; k++)
		judge(&batch->sites[k], batch->on);
	batch->nr = 0;
}

static void batch_add(struct batch *batch, struct ftrace_site_block *b, u32 i)
{
	if (!batch->sites)
		batch_make(batch);
	if (batch->nr == batch->room)
		batch_write(batch);
	if (batch->on)
		set_covered(&b->sites[i], true);
	batch->sites[batch->nr++] = (struct ftrace_patch){ .ip = ftrace_site_ip(b, i) };
}

static void batch_end(struct batch *batch)
{
	batch_write(batch);
	if (batch->sites != batch->few)
		kvfree(batch->sites);
}

/* True if site @i of @b is off, and nothing else needs the instruction before it. */
static bool may_cover(const struct ftrace_site_block *b, u32 i)
{
	const unsigned long ip = ftrace_site_ip(b, i);
	unsigned long size, offset;

	if (b->sites[i].state & BUSY || !ftrace_discovered_text(b) ||
	    ip < b->text->start + MCOUNT_INSN_SIZE || !arch_ftrace_may_cover(ip))
		return false;
	return kallsyms_lookup_size_offset(ip, &size, &offset) && offset &&
	       offset < MCOUNT_INSN_SIZE;
}

static bool may_change(const struct ftrace_site_block *b, u32 i, bool on)
{
	return on ? may_cover(b, i) : b->sites[i].state & FTRACE_SITE_COVERED;
}

static void change_sites(const u32 *nrs, u32 nr, bool on)
{
	struct ftrace_site_walk walk = {};
	struct batch batch;

	lockdep_assert_held(&ftrace_lock);

	batch_begin(&batch, nr, on);
	for (u32 k = 0; k < nr; k++) {
		if (!ftrace_site_walk(&walk, nrs[k]))
			continue;
		if (may_change(walk.block, nrs[k] - walk.block->first, on))
			batch_add(&batch, walk.block, nrs[k] - walk.block->first);
	}
	batch_end(&batch);
}

/**
 * ftrace_cover_sites() - cover the given sites, as far as they are off
 * @nrs: the sites' numbers
 * @nr: number of sites
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_cover_sites(const u32 *nrs, u32 nr)
{
	change_sites(nrs, nr, true);
}

/**
 * ftrace_cover_discovered() - cover all discovered sites that are off
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_cover_discovered(void)
{
	struct ftrace_site_block *b;
	struct batch batch;

	lockdep_assert_held(&ftrace_lock);

	batch_begin(&batch, ftrace_discovered_count(), true);
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (u32 i = 0; ftrace_discovered_text(b) && i < b->nr; i++) {
			if (may_cover(b, i))
				batch_add(&batch, b, i);
		}
	}
	batch_end(&batch);
}

/**
 * ftrace_uncover_sites() - uncover the given sites, as far as they are covered
 * @nrs: the sites' numbers
 * @nr: number of sites
 *
 * A site that stays covered, because other code has changed the nop, is held or
 * marked as faulty.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_uncover_sites(const u32 *nrs, u32 nr)
{
	change_sites(nrs, nr, false);
}

/**
 * ftrace_cover_forget() - forget covered sites whose text is about to be freed
 * @b: their block
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_cover_forget(const struct ftrace_site_block *b)
{
	lockdep_assert_held(&ftrace_lock);

	for (u32 i = 0; ftrace_covered_sites && i < b->nr; i++)
		ftrace_covered_sites -= !!(b->sites[i].state & FTRACE_SITE_COVERED);
}
