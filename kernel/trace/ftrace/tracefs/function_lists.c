// SPDX-License-Identifier: GPL-2.0
/*
 * Files that list functions.
 *
 * ftrace_lock is held for one buffer at most, so that a slow reader does not
 * block the tracer.
 */
#include <linux/security.h>
#include <linux/seq_file.h>

#include "../../trace.h"
#include "../hooks/combo.h"
#include "../sites/targets.h"
#include "tracefs.h"
#include "walk.h"

/* Sites whose text could not be changed are listed, too, so that users see why. */
static u32 pick_enabled(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	while (i < end && !(b->sites[i].state &
			      (FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_FAULT)))
		i++;
	return i;
}

static u32 pick_touched(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	while (i < end && !(b->sites[i].state & FTRACE_SITE_TOUCHED))
		i++;
	return i;
}

static bool array_has(const struct trace_array *tr, u32 nr)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (ftrace_filter_has(ftrace_hook_filter(hook), nr) &&
		    (ftrace_ops_of_array(hook->ops, tr) || ftrace_probe_array(hook->ops) == tr))
			return true;
	}
	return false;
}

/* As pick_enabled(), but only what tracers and commands of the trace array @what hook. */
static u32 pick_array(const struct ftrace_site_block *b, u32 i, u32 end, const void *what)
{
	while ((i = pick_enabled(b, i, end, NULL)) < end && !array_has(what, ftrace_site_nr(b, i)))
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

static int site_show(struct seq_file *m, void *v)
{
	struct ftrace_walk *walk = v;

	return walk->show(m, walk);
}

static const struct seq_operations sites_seq_ops = {
	.start	= sites_start,
	.next	= sites_next,
	.stop	= sites_stop,
	.show	= site_show,
};

static int name_show(struct seq_file *m, struct ftrace_walk *walk)
{
	/* No longer traceable. The line stays, so that line numbers do not change. */
	if (walk->block->sites[walk->i].state & FTRACE_SITE_FAULT)
		seq_printf(m, FTRACE_INVALID_NAME "_%u", ftrace_site_nr(walk->block, walk->i));
	else
		ftrace_walk_name(walk, m);
	seq_putc(m, '\n');
	return 0;
}

static int addr_show(struct seq_file *m, struct ftrace_walk *walk)
{
	seq_printf(m, "%lx ", walk->ip);
	return name_show(m, walk);
}

/* Print the callback that the client has set, and the name of its ops. */
static void show_callback(struct seq_file *m, struct ftrace_hook *hook)
{
	const char *name = hook->ops->name;

	seq_printf(m, " ->%pS", ftrace_hook_callback(hook));
	if (name)
		seq_printf(m, " (%s)", name);
}

/*
 * Print what a site calls, except its direct call. With one hook: the trampoline,
 * the ops' callback and what the trampoline calls. With several: each callback,
 * the latest hook first.
 */
static void show_hooks(struct seq_file *m, struct ftrace_combo *combo, u32 nr)
{
	struct ftrace_hook *hook;
	unsigned int i;

	if (combo->mixed) {
		seq_puts(m, "\tmixed:");
		list_for_each_entry(hook, &ftrace_hooks, list) {
			if (ftrace_filter_has(ftrace_hook_filter(hook), nr) &&
			    !(hook->need & FTRACE_NEED_DIRECT))
				show_callback(m, hook);
		}
	} else if (combo->nr == 1 && combo->tramp) {
		hook = combo->hooks[0];
		seq_printf(m, "\ttramp: %pS (%pS) ->%pS", (void *)combo->target,
			   hook->ops->func, hook->call);
	} else {
		for (i = 0; i < combo->nr; i++) {
			hook = combo->hooks[i];
			if (!(hook->need & FTRACE_NEED_DIRECT))
				show_callback(m, hook);
		}
	}
}

static unsigned int count_mixed(u32 nr, u16 *need)
{
	struct ftrace_hook *hook;
	unsigned int n = 0;

	*need = 0;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (ftrace_filter_has(ftrace_hook_filter(hook), nr)) {
			*need |= hook->need;
			n++;
		}
	}
	return n;
}

static int hooks_show(struct seq_file *m, struct ftrace_walk *walk)
{
	u32 state = walk->block->sites[walk->i].state;
	u32 nr = ftrace_site_nr(walk->block, walk->i);
	struct ftrace_combo *combo = ftrace_combo(state & FTRACE_SITE_COMBO);
	unsigned int n = combo->nr;
	u16 need = combo->need;

	if (combo->mixed)
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
	if (need & FTRACE_NEED_DIRECT) {
		const unsigned long target = ftrace_target(walk->block, walk->i);

		seq_printf(m, "\n\tdirect%s-->%pS", ftrace_is_jmp(target) ? "(jmp)" : "",
			   (void *)ftrace_jmp_get(target));
	}
	seq_putc(m, '\n');
	return 0;
}

static int sites_open(struct file *file,
		      int (*show)(struct seq_file *, struct ftrace_walk *),
		      u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *),
		      const void *what)
{
	struct ftrace_walk *walk = __seq_open_private(file, &sites_seq_ops, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	walk->show = show;
	walk->pick = pick;
	walk->what = what;
	return 0;
}

/**
 * ftrace_available_open() - open a file with a line for each function
 * @file: the file; to be read as a seq_file, and released by seq_release_private()
 * @show: prints a line
 * @pick: see struct ftrace_walk; NULL: all functions
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -EPERM under lockdown, -ENODEV after ftrace_kill(), -ENOMEM
 * if memory is short.
 */
int ftrace_available_open(struct file *file,
			  int (*show)(struct seq_file *, struct ftrace_walk *),
			  u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *))
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	if (ftrace_disabled)
		return -ENODEV;
	return sites_open(file, show, pick, NULL);
}

/* As ftrace_available_open(), with lines as in available_filter_functions. */
int ftrace_names_open(struct file *file,
		      u32 (*pick)(const struct ftrace_site_block *, u32, u32, const void *))
{
	return ftrace_available_open(file, name_show, pick);
}

/* What a file has, and how it is shown. */
struct site_list {
	int	(*show)(struct seq_file *m, struct ftrace_walk *walk);
	u32	(*pick)(const struct ftrace_site_block *b, u32 i, u32 end, const void *what);
	/*
	 * It can be read under lockdown: the owner of a locked-down machine needs to
	 * know which functions are hooked. It can also be opened after ftrace_kill(),
	 * and is empty then.
	 */
	bool	always;
};

static const struct site_list names = { name_show };
static const struct site_list addrs = { addr_show };
static const struct site_list enabled = { hooks_show, pick_enabled, .always = true };
static const struct site_list touched = { hooks_show, pick_touched, .always = true };

static int list_open(struct inode *inode, struct file *file)
{
	const struct site_list *list = inode->i_private;

	if (list->always)
		return sites_open(file, list->show, list->pick, NULL);
	return ftrace_available_open(file, list->show, list->pick);
}

/* As ->always. The reference keeps the instance while the file is open. */
static int array_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_get(tr);

	if (ret)
		return ret;
	ret = sites_open(file, hooks_show, pick_array, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int array_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release_private(inode, file);
}

static const struct file_operations list_fops = {
	.open		= list_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static const struct file_operations array_fops = {
	.open		= array_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= array_release,
};

/**
 * ftrace_create_array_lists() - create the list of what an instance hooks
 * @tr: the trace array, not the top one
 * @parent: its directory
 *
 * Context: Process context. May sleep.
 */
void ftrace_create_array_lists(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("enabled_functions", TRACE_MODE_READ, parent, tr, &array_fops);
}

void __init ftrace_create_site_files(struct dentry *parent)
{
	trace_create_file("available_filter_functions", TRACE_MODE_READ, parent,
			  (void *)&names, &list_fops);
	trace_create_file("available_filter_functions_addrs", TRACE_MODE_READ, parent,
			  (void *)&addrs, &list_fops);
	trace_create_file("enabled_functions", TRACE_MODE_READ, parent, (void *)&enabled,
			  &list_fops);
	trace_create_file("touched_functions", TRACE_MODE_READ, parent, (void *)&touched,
			  &list_fops);
}
