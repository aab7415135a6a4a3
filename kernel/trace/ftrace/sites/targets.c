// SPDX-License-Identifier: GPL-2.0
/*
 * Targets: the address that a site's direct call goes to.
 *
 * A block has an array of pages, each with the targets of TARGETS_PER_PAGE sites. The
 * array and each page are allocated when the first of their sites gets a direct call,
 * and freed with the block. So looking up a target takes a few loads, and calls
 * nothing that could be traced.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "targets.h"

/* ->other differs from ->now only while a new target is staged or swapped in. */
struct ftrace_target {
	unsigned long	now;	/* [L, read by anyone] */
	unsigned long	other;	/* [L] */
};

#define TARGETS_PER_PAGE	(PAGE_SIZE / sizeof(struct ftrace_target))

static __always_inline struct ftrace_target *target_of(const struct ftrace_site_block *b, u32 i)
{
	/*
	 * Each load depends on the address before. Pairs with the releases in make_target():
	 * array and page are read as zeroed.
	 */
	struct ftrace_target **pages = READ_ONCE(b->targets);
	struct ftrace_target *page = pages ? READ_ONCE(pages[i / TARGETS_PER_PAGE]) : NULL;

	return page ? &page[i % TARGETS_PER_PAGE] : NULL;
}

static struct ftrace_target *make_target(struct ftrace_site_block *b, u32 i)
{
	struct ftrace_target *page, *target = target_of(b, i);

	if (target)
		return target;

	if (!b->targets) {
		struct ftrace_target **pages;

		pages = kcalloc(DIV_ROUND_UP(b->room, TARGETS_PER_PAGE), sizeof(*pages),
				GFP_KERNEL);
		if (!pages)
			return NULL;
		/* Pairs with the dependent loads in target_of(). */
		smp_store_release(&b->targets, pages);
	}
	page = kcalloc(TARGETS_PER_PAGE, sizeof(*page), GFP_KERNEL);
	if (!page)
		return NULL;
	/* Pairs with the dependent loads in target_of(). */
	smp_store_release(&b->targets[i / TARGETS_PER_PAGE], page);
	return target_of(b, i);
}

/**
 * ftrace_target() - get the target of a site's direct call
 * @b: the site's block
 * @i: index of the site
 *
 * Context: Any context. Preemption off, or ftrace_lock held.
 * Return: The address, 0 if the site never had a direct call.
 */
noinstr unsigned long ftrace_target(const struct ftrace_site_block *b, u32 i)
{
	const struct ftrace_target *target = target_of(b, i);

	return target ? READ_ONCE(target->now) : 0;
}

/**
 * ftrace_target_other() - get the target that a site will have, or had before a swap
 * @b: the site's block
 * @i: index of the site
 *
 * Context: Process context. ftrace_lock held.
 * Return: The staged address; after ftrace_target_swap(), the previous address; the
 * same as ftrace_target() if nothing is staged or swapped.
 */
unsigned long ftrace_target_other(const struct ftrace_site_block *b, u32 i)
{
	const struct ftrace_target *target;

	lockdep_assert_held(&ftrace_lock);

	target = target_of(b, i);
	return target ? target->other : 0;
}

/**
 * ftrace_target_stage() - prepare another target for a site
 * @b: the site's block, published
 * @i: index of the site
 * @target: the address
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_target_stage(struct ftrace_site_block *b, u32 i, unsigned long target)
{
	struct ftrace_target *t;

	lockdep_assert_held(&ftrace_lock);

	t = make_target(b, i);
	if (!t)
		return -ENOMEM;
	t->other = target;
	return 0;
}

/**
 * ftrace_target_swap() - put the staged target into force, or the previous one back
 * @b: the site's block
 * @i: index of the site
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_target_swap(struct ftrace_site_block *b, u32 i)
{
	struct ftrace_target *t;
	unsigned long other;

	lockdep_assert_held(&ftrace_lock);

	t = target_of(b, i);
	if (!t)
		return;
	other = t->other;
	t->other = t->now;
	WRITE_ONCE(t->now, other);
}

/**
 * ftrace_target_settle() - forget the target that is not in force
 * @b: the site's block
 * @i: index of the site
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_target_settle(struct ftrace_site_block *b, u32 i)
{
	struct ftrace_target *t;

	lockdep_assert_held(&ftrace_lock);

	t = target_of(b, i);
	if (t)
		t->other = t->now;
}

/**
 * ftrace_targets_free() - free the targets of a block
 * @b: the block; its targets have no readers any more
 *
 * Context: Any context but NMI.
 */
void ftrace_targets_free(struct ftrace_site_block *b)
{
	if (!b->targets)
		return;
	for (u32 k = 0; k < DIV_ROUND_UP(b->room, TARGETS_PER_PAGE); k++)
		kfree(b->targets[k]);
	kfree(b->targets);
	b->targets = NULL;
}
