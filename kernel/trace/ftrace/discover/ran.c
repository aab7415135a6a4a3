// SPDX-License-Identifier: GPL-2.0
/*
 * What ran: found sites that have been executed since boot or since a reset.
 *
 * A reset makes calls of __fentry__ of all found sites that are off: they are
 * armed. The first execution of each is recorded, and the next round makes it a
 * nop again. So a found site that is not armed has run.
 */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../../trace.h"
#include "../hooks/cover.h"
#include "../hooks/plan.h"
#include "../sites/texts.h"
#include "../tracefs/walk.h"
#include "ran.h"

/* On a combo, held, covered for good or of no use: none of these is armed. */
#define BUSY	(FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_ARMED | \
		 FTRACE_SITE_COVERED | FTRACE_SITE_UNUSABLE)

/* The change of each site of @text that can be armed, in address order. */
static u32 add_patches(struct ftrace_patch *patches, const struct ftrace_text *text)
{
	struct ftrace_site_block *b;
	u32 i, n = 0;

	for (b = ftrace_site_from(text->head, text->start, &i); b;
	     b = ftrace_site_from(text->head, ftrace_site_ip(b, i) + 1, &i)) {
		if (b->sites[i].state & BUSY)
			continue;
		patches[n++] = (struct ftrace_patch){
			.ip	= ftrace_site_ip(b, i),
			.from	= ftrace_site_nop(&b->sites[i]),
			.to	= MCOUNT_ADDR,
		};
	}
	return n;
}

/* A site that was left out stays off. The next plan that changes it finds out why. */
static void mark_armed(const struct ftrace_patch *patches, u32 nr)
{
	for (u32 k = 0; k < nr; k++) {
		struct ftrace_site_block *b;
		u32 i;

		b = patches[k].err ? NULL : ftrace_site_find_exact(patches[k].ip, &i);
		if (b)
			WRITE_ONCE(b->sites[i].state, b->sites[i].state | FTRACE_SITE_ARMED);
	}
}

/**
 * ftrace_ran_reset() - arm all found sites that are off
 *
 * Changes them in one transaction.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_ran_reset(void)
{
	const struct ftrace_text *text;
	struct ftrace_patch *patches;
	u32 n = ftrace_found_count();

	lockdep_assert_held(&ftrace_lock);

	if (!n)
		return 0;
	patches = kvmalloc_array(n, sizeof(*patches), GFP_KERNEL);
	if (!patches)
		return -ENOMEM;
	ftrace_uncover_found();
	n = 0;
	list_for_each_entry(text, &ftrace_texts, list)
		n += add_patches(patches + n, text);
	if (n)
		arch_ftrace_patch(patches, n);
	mark_armed(patches, n);
	kvfree(patches);
	return 0;
}

/* ---- discovered_functions ---- */

static u32 pick_ran(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	if (!ftrace_found_text(b))
		return end;
	while (i < end && b->sites[i].state & FTRACE_SITE_ARMED)
		i++;
	return i;
}

static void *ran_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;
	return ftrace_walk_to(m->private, *pos) ? m->private : NULL;
}

static void *ran_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return ftrace_walk_next(v) ? v : NULL;
}

static void ran_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

static int ran_show(struct seq_file *m, void *v)
{
	ftrace_walk_name(v, m);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations ran_seq_ops = {
	.start	= ran_start,
	.next	= ran_next,
	.stop	= ran_stop,
	.show	= ran_show,
};

static int ran_open(struct inode *inode, struct file *file)
{
	struct ftrace_walk *walk;
	int err;

	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	if (ftrace_disabled)
		return -ENODEV;
	walk = __seq_open_private(file, &ran_seq_ops, sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	walk->pick = pick_ran;
	return 0;
}

static ssize_t ran_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	int err;

	guard(mutex)(&ftrace_lock);
	err = ftrace_disabled ? -ENODEV : ftrace_ran_reset();
	return err ?: cnt;
}

static const struct file_operations ran_fops = {
	.open		= ran_open,
	.read		= seq_read,
	.write		= ran_write,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

void __init ftrace_ran_create_file(struct dentry *parent)
{
	trace_create_file("discovered_functions", TRACE_MODE_WRITE, parent, NULL, &ran_fops);
}
