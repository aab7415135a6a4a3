// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over sites, for files that list functions.
 *
 * Walking costs O(lines), whatever the size of each read(): the walk keeps its
 * place, and searches for it only if text was loaded or freed, or sites were
 * found, in between.
 */
#include <linux/seq_file.h>

#include "walk.h"

static bool wanted(const struct ftrace_walk *walk, const struct ftrace_site_block *b, u32 i)
{
	return !walk->pick || walk->pick(b, i, i + 1, walk->what) == i;
}

static bool stop_at(struct ftrace_walk *walk, struct ftrace_site_block *b, u32 i)
{
	walk->block = b;
	walk->i = i;
	walk->ip = ftrace_site_ip(b, i);
	return true;
}

/* The first of the blocks whose sites a walk visits together with @b's. */
static struct ftrace_site_block *lead_of(struct ftrace_site_block *b)
{
	return ftrace_discovered_text(b) ? b->text->head : b;
}

/* Discovered sites: visit those of all blocks of a text by address. */
static bool walk_text(struct ftrace_walk *walk, struct ftrace_site_block *lead, unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	for (b = ftrace_site_from(lead, ip, &i); b;
	     b = ftrace_site_from(lead, ftrace_site_ip(b, i) + 1, &i)) {
		if (wanted(walk, b, i))
			return stop_at(walk, b, i);
	}
	return false;
}

/* Go to the first wanted site in @b, from index @i on. */
static bool walk_block(struct ftrace_walk *walk, struct ftrace_site_block *b, u32 i)
{
	if (walk->pick)
		i = walk->pick(b, i, b->nr, walk->what);
	return i < b->nr && stop_at(walk, b, i);
}

/*
 * Go to the first wanted site of @lead and all blocks after it: from index @i on
 * or, in a discovered text, from address @ip on.
 */
static bool walk_to_wanted(struct ftrace_walk *walk, struct ftrace_site_block *lead, u32 i,
			   unsigned long ip)
{
	struct ftrace_site_block *b = lead;

	for (; !list_entry_is_head(b, &ftrace_site_blocks, list);
	     b = list_next_entry(b, list), i = 0, ip = 0) {
		if (!ftrace_site_block_ready(b) || !ftrace_site_block_leads(b))
			continue;
		if (ftrace_discovered_text(b) ? walk_text(walk, b, ip) : walk_block(walk, b, i))
			return true;
	}
	walk->block = NULL;
	return false;
}

/**
 * ftrace_walk_start() - go to the first wanted site
 * @walk: with ->pick and ->what set, or neither for every site
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there is one.
 */
bool ftrace_walk_start(struct ftrace_walk *walk)
{
	lockdep_assert_held(&ftrace_lock);

	walk->started = true;
	walk->generation = ftrace_site_generation;
	walk->names.block = NULL;
	walk->line = 0;
	return walk_to_wanted(walk, list_first_entry(&ftrace_site_blocks,
						     struct ftrace_site_block, list), 0, 0);
}

/**
 * ftrace_walk_next() - go to the next wanted site
 * @walk: started or resumed since ftrace_lock was taken
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there is one.
 */
bool ftrace_walk_next(struct ftrace_walk *walk)
{
	lockdep_assert_held(&ftrace_lock);

	if (!walk->block)
		return false;
	walk->line++;
	return walk_to_wanted(walk, lead_of(walk->block), walk->i + 1, walk->ip + 1);
}

static bool walk_from_start(struct ftrace_walk *walk, u64 line)
{
	bool there = ftrace_walk_start(walk);

	while (there && walk->line < line)
		there = ftrace_walk_next(walk);
	return there;
}

/**
 * ftrace_walk_resume() - continue a walk after ftrace_lock was dropped
 * @walk: started
 *
 * If text was loaded or freed, the site is found again by its address. If the
 * site itself was freed, the walk continues at the same line number.
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if the walk is at a wanted site.
 */
bool ftrace_walk_resume(struct ftrace_walk *walk)
{
	struct ftrace_site_block *b;
	u32 i;

	lockdep_assert_held(&ftrace_lock);

	if (!walk->block)
		return false;
	walk->names.block = NULL;
	if (walk->generation == ftrace_site_generation)
		return walk_to_wanted(walk, lead_of(walk->block), walk->i, walk->ip);

	b = ftrace_site_find_exact(walk->ip, &i);
	if (b && ftrace_site_block_ready(b) && wanted(walk, b, i)) {
		walk->block = b;
		walk->i = i;
		walk->generation = ftrace_site_generation;
		return true;
	}

	return walk_from_start(walk, walk->line);
}

/**
 * ftrace_walk_to() - go to a line, usually the one where the walk is
 * @walk: the walk, started or not
 * @line: the line, counted from 0; one for each wanted site
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there is such a line.
 */
bool ftrace_walk_to(struct ftrace_walk *walk, u64 line)
{
	if (walk->started && walk->line == line)
		return ftrace_walk_resume(walk);
	return walk_from_start(walk, line);
}

/**
 * ftrace_walk_function() - get the name of a site's function
 * @walk: at a site
 * @buf: KSYM_NAME_LEN bytes for it
 *
 * Context: Process context. ftrace_lock held.
 * Return: @buf.
 */
const char *ftrace_walk_function(struct ftrace_walk *walk, char *buf)
{
	lockdep_assert_held(&ftrace_lock);

	if (walk->names.block != walk->block)
		ftrace_names_start(&walk->names, walk->block, walk->i);
	return ftrace_names_at(&walk->names, walk->i, buf);
}

/**
 * ftrace_walk_name() - print "name" or "name [module]"
 * @walk: at a site
 * @m: the file to print to
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_walk_name(struct ftrace_walk *walk, struct seq_file *m)
{
	char name[KSYM_NAME_LEN];

	seq_puts(m, ftrace_walk_function(walk, name));
	if (walk->block->mod)
		seq_printf(m, " [%s]", ftrace_names_owner(walk->block));
}

/* A ->pick() for the members of the set @what, which may be NULL. */
u32 ftrace_pick_set(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	u32 nr = ftrace_siteset_next(what, ftrace_site_nr(b, i));

	return nr < b->first + end ? nr - b->first : end;
}
