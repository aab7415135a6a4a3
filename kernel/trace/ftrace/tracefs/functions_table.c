// SPDX-License-Identifier: GPL-2.0
/*
 * For tools that keep a list of functions: a table of them, and a number that says
 * when to read it again.
 */
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/poll.h>
#include <linux/seq_file.h>

#include "../../trace.h"
#include "../sites/files.h"
#include "tracefs.h"
#include "walk.h"

static const struct {
	u32		state;
	const char	*name;
} flags[] = {
	{ FTRACE_SITE_COMBO,	"traced" },
	{ FTRACE_SITE_HELD,	"held" },
	{ FTRACE_SITE_FAULT,	"fault" },
};

static void show_flags(struct seq_file *m, const struct ftrace_site_block *b, u32 i)
{
	const char *gap = "\t";

	for (unsigned int k = 0; k < ARRAY_SIZE(flags); k++) {
		if (b->sites[i].state & flags[k].state) {
			seq_printf(m, "%s%s", gap, flags[k].name);
			gap = ",";
		}
	}
	if (b->init)
		seq_printf(m, "%sinit", gap);
	else if (*gap == '\t')
		seq_puts(m, "\t-");
}

/* A site in no function is shown with its own address and size 0. */
static int table_show(struct seq_file *m, struct ftrace_walk *walk)
{
	struct ftrace_names_symbol sym = { .value = walk->ip };
	struct ftrace_site_block *b = walk->block;
	unsigned long offset;
	const char *path;

	ftrace_walk_function(walk, sym.name);
	if (b->sites[walk->i].state & FTRACE_SITE_DEAD)
		;
	else if (b->mod)
		ftrace_names_symbol(b, walk->i, &sym);
	else if (kallsyms_lookup_size_offset(walk->ip, &sym.size, &offset))
		sym.value -= offset;

	seq_printf(m, "%llu\t%lx\t%lu\t%s\t%s", walk->line + 1, sym.value, sym.size, sym.name,
		   b->mod ? ftrace_names_owner(b) : "-");
	show_flags(m, b, walk->i);
	path = ftrace_files_path(b, walk->ip);
	seq_printf(m, "\t%s%s\n", path ?: "-", path ? ".c" : "");
	return 0;
}

static int table_open(struct inode *inode, struct file *file)
{
	return ftrace_available_open(file, table_show, NULL);
}

static const struct file_operations table_fops = {
	.open		= table_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static int generation_show(struct seq_file *m, void *v)
{
	guard(mutex)(&ftrace_lock);

	m->poll_event = ftrace_site_generation;
	seq_printf(m, "%llu\n", ftrace_site_generation);
	return 0;
}

static int generation_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: single_open(file, generation_show, NULL);
}

/* The file is readable once the number differs from the one that was read last. */
static __poll_t generation_poll(struct file *file, poll_table *wait)
{
	struct seq_file *m = file->private_data;

	poll_wait(file, &ftrace_site_changes, wait);
	return m->poll_event == (int)READ_ONCE(ftrace_site_generation) ? 0 :
	       EPOLLIN | EPOLLRDNORM | EPOLLPRI;
}

static const struct file_operations generation_fops = {
	.open		= generation_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.poll		= generation_poll,
	.release	= single_release,
};

void __init ftrace_create_table_files(struct dentry *parent)
{
	trace_create_file("available_filter_functions_table", TRACE_MODE_READ, parent, NULL,
			  &table_fops);
	trace_create_file("functions_generation", TRACE_MODE_READ, parent, NULL,
			  &generation_fops);
	ftrace_create_untraceable_file(parent);
}
