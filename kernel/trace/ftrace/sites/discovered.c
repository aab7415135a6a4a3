// SPDX-License-Identifier: GPL-2.0
/*
 * Texts whose sites are discovered at run time.
 *
 * Sites are filled in behind the last one of a block, where no lookup reads. Then
 * the block's ->nr counts them, so that lookups by number find them, and then they are
 * added to the text's index, so that lookups by address do. All memory is allocated
 * before the first of these steps.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/slab.h>

#include "discovered.h"
#include "names.h"
#include "page_index.h"

/* Room for sites in the first block, of the kernel's text and of others. */
#define KERNEL_ROOM	4096
#define OTHER_ROOM	64

LIST_HEAD(ftrace_discovered_texts);

/**
 * ftrace_discovered_add() - begin to discover the sites of a text
 * @mod: its module; NULL: the kernel
 * @init: true if the text is freed after initialisation
 * @start: its first address
 * @end: one past its last address
 *
 * The caller sets ->ready when its symbols are in place.
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: The text; NULL if memory is short.
 */
struct ftrace_discovered *ftrace_discovered_add(struct module *mod, bool init, unsigned long start,
						unsigned long end)
{
	struct ftrace_discovered *text;

	lockdep_assert_held(&ftrace_lock);

	text = kzalloc_obj(*text);
	if (!text)
		return NULL;
	text->mod = mod;
	text->init = init;
	text->start = start;
	text->end = end;
	text->index = ftrace_index_make(start, end);
	if (!text->index)
		goto free_text;
	text->head = ftrace_site_block_make_discovered(text, mod ? OTHER_ROOM : KERNEL_ROOM);
	if (!text->head)
		goto free_index;
	text->last = text->head;
	if (ftrace_site_block_publish(text->head)) {
		/* Frees the text and its index, too. */
		ftrace_site_block_discard(text->head);
		return NULL;
	}
	list_add_tail(&text->list, &ftrace_discovered_texts);
	return text;

free_index:
	ftrace_index_free(text->index);
free_text:
	kfree(text);
	return NULL;
}

/**
 * ftrace_discovered_forget() - discover no more sites in a text
 * @text: a text whose blocks are about to be withdrawn; it is freed with its first block
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_discovered_forget(struct ftrace_discovered *text)
{
	lockdep_assert_held(&ftrace_lock);
	list_del(&text->list);
}

/* The next block of @b's text; NULL: @b is the last one. */
static struct ftrace_site_block *next_block(struct ftrace_site_block *b)
{
	struct ftrace_site_block *next = list_next_entry(b, list);

	if (list_entry_is_head(next, &ftrace_site_blocks, list) || next->text != b->text)
		return NULL;
	return next;
}

static u32 free_room(const struct ftrace_site_block *b)
{
	return b->room - b->nr;
}

/*
 * Make sure that there is a block after the last one, unless @nr sites fit into the
 * last one. A block that is not needed after all stays for the next sites.
 */
static int make_room(struct ftrace_discovered *text, u32 nr)
{
	struct ftrace_site_block *b;
	int err;

	if (nr <= free_room(text->last) || next_block(text->last))
		return 0;

	b = ftrace_site_block_make_discovered(text, 2 * text->last->room);
	if (!b)
		return -ENOMEM;
	err = ftrace_names_check_block(b) ?: ftrace_site_block_publish(b);
	if (err) {
		ftrace_names_free(b);
		ftrace_site_block_discard(b);
	}
	return err;
}

/* Fill in @nr sites behind the last ones of @b. */
static void fill(struct ftrace_site_block *b, struct ftrace_index_site *sites, const u32 *offsets,
		 u32 nr, u32 state)
{
	for (u32 k = 0; k < nr; k++) {
		struct ftrace_site *site = &b->sites[b->nr + k];

		site->offset = offsets[k];
		site->state = state;
		sites[k] = (struct ftrace_index_site){ offsets[k], ftrace_site_nr(b, b->nr + k) };
	}
}

/* Add as many of @nr sites as the last block and the next one have room for; sets *@nr. */
static int add_some(struct ftrace_discovered *text, const u32 *offsets, u32 *nr, u32 state)
{
	struct ftrace_site_block *last = text->last, *next = NULL;
	struct ftrace_index_change change;
	struct ftrace_index_site *sites;
	u32 in_last, in_next = 0;
	int err;

	err = make_room(text, *nr);
	if (err)
		return err;
	in_last = min(*nr, free_room(last));
	if (in_last < *nr) {
		next = next_block(last);
		in_next = min(*nr - in_last, free_room(next));
	}
	*nr = in_last + in_next;

	sites = kvmalloc_array(*nr, sizeof(*sites), GFP_KERNEL);
	if (!sites)
		return -ENOMEM;
	fill(last, sites, offsets, in_last, state);
	if (next)
		fill(next, sites + in_last, offsets + in_last, in_next, state);
	err = ftrace_index_prepare(&change, text->index, sites, *nr);
	kvfree(sites);
	if (err)
		return err;

	ftrace_site_block_grow(last, in_last);
	if (next) {
		ftrace_site_block_grow(next, in_next);
		text->last = next;
	}
	ftrace_index_publish(&change);

	ftrace_sites_added(ftrace_site_nr(last, last->nr - in_last),
			   ftrace_site_nr(last, last->nr));
	if (next)
		ftrace_sites_added(next->first, ftrace_site_nr(next, next->nr));
	return 0;
}

/**
 * ftrace_discovered_add_sites() - add sites that were discovered
 * @text: their text
 * @offsets: offsets of their first bytes from the start of the text; ascending. They
 *	overlap neither each other nor a site of the text
 * @nr: number of sites
 * @state: initial state word of each site
 *
 * The time depends on @nr only, not on the number of sites in the text.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error some of the first
 * sites may have been added.
 */
int ftrace_discovered_add_sites(struct ftrace_discovered *text, const u32 *offsets, u32 nr,
				u32 state)
{
	int err = 0;

	lockdep_assert_held(&ftrace_lock);

	while (nr && !err) {
		u32 added = nr;

		err = add_some(text, offsets, &added, state);
		offsets += added;
		nr -= added;
	}
	return err;
}

/**
 * ftrace_site_get() - find a site, or make a call of __fentry__ a site
 * @ip: the address of the call, as from ftrace_location()
 * @b: set to the site's block
 * @i: set to the index of the site in its block
 *
 * A new site is armed, like one that a round of ftraced adds.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -EINVAL if there is neither a site nor a call in a
 * discovered text; -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_site_get(unsigned long ip, struct ftrace_site_block **b, u32 *i)
{
	struct ftrace_discovered *text;
	u32 offset;
	int err;

	lockdep_assert_held(&ftrace_lock);

	*b = ip ? ftrace_site_find_exact(ip, i) : NULL;
	if (*b)
		return 0;
	text = ftrace_discovered_find(&ftrace_discovered_texts, ip, ip + MCOUNT_INSN_SIZE);
	if (!text || !text->ready || !arch_ftrace_calls_fentry(ip))
		return -EINVAL;
	offset = ip - text->start;
	err = ftrace_discovered_add_sites(text, &offset, 1, FTRACE_SITE_ARMED);
	if (!err)
		*b = ftrace_site_find_exact(ip, i);
	return err;
}

/* The number of sites in all discovered texts. ftrace_lock held. */
u32 ftrace_discovered_count(void)
{
	const struct ftrace_site_block *b;
	u32 n = 0;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (ftrace_discovered_text(b))
			n += b->nr;
	}
	return n;
}
