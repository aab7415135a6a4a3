// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer's symbols for kallsyms: functions of freed init text, and
 * trampolines.
 */
#include <linux/cleanup.h>
#include <linux/ftrace/text.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../sites/names.h"
#include "symbols.h"
#include "tramp.h"

#ifdef CONFIG_MODULES

/*
 * Names of functions in freed init text, whose addresses may still be in the trace.
 * Added and removed under ftrace_lock, read under RCU.
 */
struct gone_name {
	u32	offset;		/* of the function, from the start of the init text */
	u32	size;
	u32	name;		/* offset in gone_names::text */
	char	type;
};

struct gone_names {
	struct list_head	list;
	struct rcu_head		rcu;
	struct module		*mod;	/* outlives these names */
	unsigned long		start, end;
	char			*text;	/* all names, each with a NUL; stored after @names */
	u32			nr;
	struct gone_name	names[] __counted_by(nr);
};

static LIST_HEAD(gone_list);

/* Count the names, and sum up their sizes in *@bytes; not all sites have a name. */
static u32 measure_names(struct ftrace_site_block *b, struct ftrace_names_symbol *sym,
			 size_t *bytes)
{
	u32 nr = 0;

	*bytes = 0;
	for (u32 i = 0; i < b->nr; i++) {
		if (b->sites[i].state & FTRACE_SITE_DEAD || !ftrace_names_symbol(b, i, sym))
			continue;
		*bytes += strlen(sym->name) + 1;
		nr++;
	}
	return nr;
}

static int by_offset(const void *a, const void *b)
{
	const u32 x = ((const struct gone_name *)a)->offset;
	const u32 y = ((const struct gone_name *)b)->offset;

	return x < y ? -1 : x > y;
}

/**
 * ftrace_symbols_remember() - keep the names of functions in freed init text
 * @b: block of a module
 * @start: the first address of the text
 * @end: one past the last
 *
 * Keeps them until the module is freed. If memory is short, they are lost.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 */
void ftrace_symbols_remember(struct ftrace_site_block *b, unsigned long start, unsigned long end)
{
	struct ftrace_names_symbol *sym;
	struct gone_names *gone = NULL;
	size_t bytes, used = 0;
	u32 nr, i;

	sym = kmalloc_obj(*sym);
	if (!sym)
		return;
	nr = measure_names(b, sym, &bytes);
	if (nr)
		gone = kvzalloc(struct_size(gone, names, nr) + bytes, GFP_KERNEL);
	if (!gone)
		goto out;

	gone->nr = nr;
	gone->mod = b->mod;
	gone->start = start;
	gone->end = end;
	gone->text = (char *)&gone->names[nr];
	for (i = 0, nr = 0; i < b->nr && nr < gone->nr; i++) {
		struct gone_name *name = &gone->names[nr];

		if (b->sites[i].state & FTRACE_SITE_DEAD || !ftrace_names_symbol(b, i, sym))
			continue;
		name->offset = sym->value - start;
		name->size = sym->size;
		name->type = sym->type;
		name->name = used;
		used += strscpy(gone->text + used, sym->name, bytes - used) + 1;
		nr++;
	}
	/* The sites of a discovered block are in the order of discovery. */
	sort(gone->names, gone->nr, sizeof(*gone->names), by_offset, NULL);
	list_add_tail_rcu(&gone->list, &gone_list);
out:
	kfree(sym);
}

static void free_gone_names(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct gone_names, rcu));
}

/**
 * ftrace_symbols_forget() - free the names that were kept for a module
 * @mod: the module
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_symbols_forget(struct module *mod)
{
	struct gone_names *gone, *next;

	list_for_each_entry_safe(gone, next, &gone_list, list) {
		if (gone->mod != mod)
			continue;
		list_del_rcu(&gone->list);
		call_rcu(&gone->rcu, free_gone_names);
	}
}

/* Find the function that contains @offset. The names are sorted by offset. */
static const struct gone_name *find_gone(const struct gone_names *gone, u32 offset)
{
	u32 low = 0, high = gone->nr;

	while (low < high) {
		const u32 mid = low + (high - low) / 2;

		if (gone->names[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || offset - gone->names[low - 1].offset >= gone->names[low - 1].size)
		return NULL;
	return &gone->names[low - 1];
}

/**
 * ftrace_mod_address_lookup() - name an address in freed init text
 * @addr: the address
 * @size: where the size of its function goes, or NULL
 * @off: where the offset in its function goes, or NULL
 * @modname: where the name of its module goes, or NULL
 * @modbuildid: where the build ID of its module goes, or NULL
 * @sym: KSYM_NAME_LEN bytes for the name of the function
 *
 * Context: Any context.
 * Return: The length of the name, or 0 if @addr is in no such function.
 */
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
			      unsigned long *off, char **modname,
			      const unsigned char **modbuildid, char *sym)
{
	const struct gone_names *gone, *last = NULL;
	const struct gone_name *name, *found = NULL;

	guard(preempt_notrace)();
	/* Several texts may have been at this address, one after another: take the latest. */
	list_for_each_entry_rcu(gone, &gone_list, list) {
		if (addr < gone->start || addr >= gone->end)
			continue;
		name = find_gone(gone, addr - gone->start);
		if (name) {
			found = name;
			last = gone;
		}
	}
	if (!found)
		return 0;

	if (size)
		*size = found->size;
	if (off)
		*off = addr - last->start - found->offset;
	if (modname)
		*modname = last->mod->name;
	if (modbuildid)
		*modbuildid = module_buildid(last->mod);
	return strscpy(sym, last->text + found->name, KSYM_NAME_LEN);
}

/* Get name number *@n, from 0. If there are too few, subtract their number from *@n. */
static bool nth_gone_name(unsigned int *n, unsigned long *value, char *type,
			  char *name, char *module_name)
{
	const struct gone_names *gone;

	guard(rcu)();
	list_for_each_entry_rcu(gone, &gone_list, list) {
		const struct gone_name *g;

		if (*n >= gone->nr) {
			*n -= gone->nr;
			continue;
		}
		g = &gone->names[*n];
		*value = gone->start + g->offset;
		*type = g->type;
		strscpy(name, gone->text + g->name, KSYM_NAME_LEN);
		strscpy(module_name, gone->mod->name, MODULE_NAME_LEN);
		return true;
	}
	return false;
}

#else /* !CONFIG_MODULES */

static bool nth_gone_name(unsigned int *n, unsigned long *value, char *type,
			  char *name, char *module_name)
{
	return false;
}

#endif

/**
 * ftrace_mod_get_kallsym() - get a symbol of the tracer by number
 * @symnum: the number, from 0
 * @value: where its address goes
 * @type: where its type goes
 * @name: where its name goes, KSYM_NAME_LEN bytes
 * @module_name: where its module's name goes, MODULE_NAME_LEN bytes
 * @exported: set to 0: none is exported
 *
 * Functions in the freed init text of modules come first, then trampolines.
 *
 * Context: Process context.
 * Return: 0 on success, -ERANGE if there are fewer symbols.
 */
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
			   char *name, char *module_name, int *exported)
{
	unsigned int n = symnum;
	u32 size;
	int err;

	*exported = 0;
	if (nth_gone_name(&n, value, type, name, module_name))
		return 0;

	err = ftrace_tramp_nth(n, value, &size);
	if (err)
		return err;
	*type = 't';
	strscpy(name, FTRACE_TRAMPOLINE_SYM, KSYM_NAME_LEN);
	strscpy(module_name, FTRACE_TRAMPOLINE_MOD, MODULE_NAME_LEN);
	return 0;
}
