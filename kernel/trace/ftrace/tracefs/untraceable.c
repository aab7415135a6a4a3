// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that cannot be traced, each with the reason.
 */
#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../../trace.h"
#include "error_log.h"
#include "tracefs.h"

/* These prefixes mark symbols of padding before a function, which is never called. */
static bool before_function(const char *name)
{
	return str_has_prefix(name, "__pfx_") || str_has_prefix(name, "__cfi_");
}

/* NULL: the symbol at @addr is a function that can be traced, or no function. */
static const char *why_not(unsigned long addr)
{
	switch (ftrace_why_not_listed(addr)) {
	case FTRACE_WHY_NO_CALL:
		return "notrace";
	case FTRACE_WHY_NOINSTR:
		return "noinstr";
	case FTRACE_WHY_FREED:
		return "init";
	case FTRACE_WHY_NO_RECORDS:
		return "unrecorded";
	case FTRACE_WHY_INVALID:
		return "overwritten";
	default:
		return NULL;
	}
}

static int show_symbol(void *data, const char *name, unsigned long addr)
{
	const struct module *mod;
	struct seq_file *m = data;
	const char *why;

	/* The buffer is full: seq_read() starts over with a larger one. */
	if (seq_has_overflowed(m))
		return -ENOSPC;
	if (!*name || before_function(name))
		return 0;
	why = why_not(addr);
	if (!why)
		return 0;

	seq_puts(m, name);
	guard(rcu)();
	mod = __module_text_address(addr);
	if (mod)
		seq_printf(m, " [%s]", mod->name);
	seq_printf(m, " %s\n", why);
	return 0;
}

static int untraceable_show(struct seq_file *m, void *v)
{
	if (!kallsyms_on_each_symbol(show_symbol, m))
		module_kallsyms_on_each_symbol(NULL, show_symbol, m);
	return 0;
}

static int untraceable_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?:
	       single_open_size(file, untraceable_show, NULL, SZ_256K);
}

static const struct file_operations untraceable_fops = {
	.open		= untraceable_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

void __init ftrace_create_untraceable_file(struct dentry *parent)
{
	trace_create_file("untraceable_functions", TRACE_MODE_READ, parent, NULL,
			  &untraceable_fops);
}
