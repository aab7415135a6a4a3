// SPDX-License-Identifier: GPL-2.0
/*
 * Files that list functions: all of them, and the hooked ones with callbacks.
 *
 * Reading a file costs O(lines), whatever the size of each read(): the iterator
 * keeps its place, and searches for it only if text was loaded or freed in
 * between. ftrace_lock is held for one buffer at most, so that a slow reader
 * does not block the tracer.
 */
#include <linux/security.h>
#include <linux/seq_file.h>

#include "../hooks/combo.h"
#include "doors.h"

static bool walk_settle(struct ftrace_walk *walk, struct ftrace_site_block *b, u32 i)
{
	for (; !list_entry_is_head(b, &ftrace_site_blocks, list);
	     b = list_next_entry(b, list), i = 0) {
		if (!ftrace_site_block_ready(b))
			continue;
		if (walk->pick)
			i = walk->pick(b, i, walk->what);
		if (i < b->nr) {
			walk->block = b;
			walk->i = i;
			walk->ip = ftrace_site_ip(b, i);
			return true;
		}
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
	return walk_settle(walk, list_first_entry(&ftrace_site_blocks,
						  struct ftrace_site_block, list), 0);
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
	return walk_settle(walk, walk->block, walk->i + 1);
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
 * site itself is gone, the walk continues at the same line number.
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if it is at a wanted site.
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
		return walk_settle(walk, walk->block, walk->i);

	b = ftrace_site_find_exact(walk->ip, &i);
	if (b && ftrace_site_block_ready(b) &&
	    (!walk->pick || walk->pick(b, i, walk->what) == i)) {
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
 * ftrace_walk_name() - print "name" or "name [module]"
 * @walk: at a site
 * @m: the file to print to
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_walk_name(struct ftrace_walk *walk, struct seq_file *m)
{
	char name[KSYM_NAME_LEN];

	lockdep_assert_held(&ftrace_lock);

	if (walk->names.block != walk->block)
		ftrace_names_start(&walk->names, walk->block, walk->i);

	seq_puts(m, ftrace_names_at(&walk->names, walk->i, name));
	if (walk->block->mod)
		seq_printf(m, " [%s]", ftrace_names_owner(walk->block));
}

u32 ftrace_pick_set(const struct ftrace_site_block *b, u32 i, const void *what)
{
	u32 nr = ftrace_siteset_next(what, ftrace_site_nr(b, i));

	return nr < b->first + b->nr ? nr - b->first : b->nr;
}

/* Sites whose text could not be changed are listed, too, so that users see why. */
static u32 pick_enabled(const struct ftrace_site_block *b, u32 i, const void *what)
{
	while (i < b->nr && !(b->sites[i].state &
			      (FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_FAULT)))
		i++;
	return i;
}

static u32 pick_touched(const struct ftrace_site_block *b, u32 i, const void *what)
{
	while (i < b->nr && !(b->sites[i].state & FTRACE_SITE_TOUCHED))
		i++;
	return i;
}

static void *sites_start(struct seq_file *m, loff_t *pos)
{
	struct ftrace_walk *walk = m->private;

	mutex_lock(&ftrace_lock);
	if (ftrace_disabled)
		return NULL;
	return ftrace_walk_to(walk, *pos) ? walk : NULL;
}

static void *sites_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct ftrace_walk *walk = m->private;

	++*pos;
	return ftrace_walk_next(walk) ? walk : NULL;
}

static void sites_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

static int name_show(struct seq_file *m, void *v)
{
	struct ftrace_walk *walk = v;

	/* No longer traceable. The line stays, so that line numbers do not change. */
	if (walk->block->sites[walk->i].state & FTRACE_SITE_FAULT)
		seq_printf(m, FTRACE_INVALID_NAME "_%u", ftrace_site_nr(walk->block, walk->i));
	else
		ftrace_walk_name(walk, m);
	seq_putc(m, '\n');
	return 0;
}

static int addr_show(struct seq_file *m, void *v)
{
	struct ftrace_walk *walk = v;

	seq_printf(m, "%lx ", walk->ip);
	return name_show(m, v);
}

/* Print the callback that the client has set, and the name of its ops. */
static void show_callback(struct seq_file *m, struct ftrace_hook *hook)
{
	const char *name = hook->ops->name;
	void *func = hook->ops->func;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (hook->need & FTRACE_NEED_GRAPH)
		func = container_of(hook->ops, struct fgraph_ops, ops)->entryfunc;
#endif
	seq_printf(m, " ->%pS", func);
	if (name)
		seq_printf(m, " (%s)", name);
}

static bool mixed_has(struct ftrace_hook *hook, u32 nr)
{
	struct ftrace_filter *f;

	f = rcu_dereference_protected(hook->filter, lockdep_is_held(&ftrace_lock));
	return ftrace_filter_has(f, nr);
}

/*
 * Print what a site calls. With one hook: the trampoline, the ops' callback and
 * what the trampoline calls. With several: each callback, the latest hook first.
 */
static void show_hooks(struct seq_file *m, struct ftrace_combo *combo, u32 nr)
{
	struct ftrace_hook *hook, *direct = NULL;
	unsigned int i;

	if (combo->id == FTRACE_COMBO_MIXED) {
		seq_puts(m, "\tmixed:");
		list_for_each_entry(hook, &ftrace_hooks, list) {
			if (!mixed_has(hook, nr))
				continue;
			if (hook->need & FTRACE_NEED_DIRECT)
				direct = hook;
			else
				show_callback(m, hook);
		}
	} else if (combo->nr == 1 && combo->tramp) {
		hook = combo->hooks[0];
		seq_printf(m, "\ttramp: %pS (%pS) ->%pS", (void *)combo->target,
			   hook->ops->func, hook->call);
		if (hook->need & FTRACE_NEED_DIRECT)
			direct = hook;
	} else {
		for (i = 0; i < combo->nr; i++) {
			hook = combo->hooks[i];
			if (hook->need & FTRACE_NEED_DIRECT)
				direct = hook;
			else
				show_callback(m, hook);
		}
	}
	if (direct)
		seq_printf(m, "\n\tdirect-->%pS", (void *)direct->direct);
}

static unsigned int count_mixed(u32 nr, u16 *need)
{
	struct ftrace_hook *hook;
	unsigned int n = 0;

	*need = 0;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (mixed_has(hook, nr)) {
			*need |= hook->need;
			n++;
		}
	}
	return n;
}

static int hooks_show(struct seq_file *m, void *v)
{
	struct ftrace_walk *walk = v;
	u32 state = walk->block->sites[walk->i].state;
	u32 nr = ftrace_site_nr(walk->block, walk->i);
	struct ftrace_combo *combo = ftrace_combo(state & FTRACE_SITE_COMBO);
	unsigned int n = combo->nr;
	u16 need = combo->need;

	if (combo->id == FTRACE_COMBO_MIXED)
		n = count_mixed(nr, &need);

	ftrace_walk_name(walk, m);
	/* The classic implementation has O (CALL_OPS) in the fourth column. */
	seq_printf(m, " (%u)%s%s%s%s%s", n,
		   need & FTRACE_NEED_REGS ? " R" : "  ",
		   need & FTRACE_NEED_IPMODIFY ? " I" : "  ",
		   need & FTRACE_NEED_DIRECT ? " D" : "  ",
		   state & FTRACE_SITE_FAULT ? " F" : state & FTRACE_SITE_HELD ? " H" : "  ",
		   state & FTRACE_SITE_MODIFIED ? " M " : "   ");
	if (combo->id != FTRACE_COMBO_NOP)
		show_hooks(m, combo, nr);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations names_seq_ops = {
	.start	= sites_start,
	.next	= sites_next,
	.stop	= sites_stop,
	.show	= name_show,
};

static const struct seq_operations addrs_seq_ops = {
	.start	= sites_start,
	.next	= sites_next,
	.stop	= sites_stop,
	.show	= addr_show,
};

static const struct seq_operations hooks_seq_ops = {
	.start	= sites_start,
	.next	= sites_next,
	.stop	= sites_stop,
	.show	= hooks_show,
};

static int sites_open(struct file *file, const struct seq_operations *ops,
		      u32 (*pick)(const struct ftrace_site_block *, u32, const void *))
{
	struct ftrace_walk *walk = __seq_open_private(file, ops, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	walk->pick = pick;
	return 0;
}

static int available_open(struct file *file, const struct seq_operations *ops)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	if (ftrace_disabled)
		return -ENODEV;
	return sites_open(file, ops, NULL);
}

static int names_open(struct inode *inode, struct file *file)
{
	return available_open(file, &names_seq_ops);
}

static int addrs_open(struct inode *inode, struct file *file)
{
	return available_open(file, &addrs_seq_ops);
}

/*
 * The next two can be read under lockdown: the owner of a locked-down machine
 * needs to know which functions call something else. They can also be opened
 * after ftrace_kill(), and are empty then.
 */
static int enabled_open(struct inode *inode, struct file *file)
{
	return sites_open(file, &hooks_seq_ops, pick_enabled);
}

static int touched_open(struct inode *inode, struct file *file)
{
	return sites_open(file, &hooks_seq_ops, pick_touched);
}

static const struct file_operations names_fops = {
	.open		= names_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static const struct file_operations addrs_fops = {
	.open		= addrs_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static const struct file_operations enabled_fops = {
	.open		= enabled_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static const struct file_operations touched_fops = {
	.open		= touched_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

void __init ftrace_create_site_files(struct dentry *parent)
{
	trace_create_file("available_filter_functions", TRACE_MODE_READ, parent, NULL,
			  &names_fops);
	trace_create_file("available_filter_functions_addrs", TRACE_MODE_READ, parent, NULL,
			  &addrs_fops);
	trace_create_file("enabled_functions", TRACE_MODE_READ, parent, NULL, &enabled_fops);
	trace_create_file("touched_functions", TRACE_MODE_READ, parent, NULL, &touched_fops);
}
