// SPDX-License-Identifier: GPL-2.0
/*
 * Text that is loaded and freed: modules, and init text.
 *
 * When a module is loaded, its calls become nops before anything can run them.
 * Its functions are hooked after its symbols are in place and before its code
 * runs. When text is freed, it no longer runs, so none is written. Its site
 * numbers leave every filter before its sites leave the table, so that nothing
 * in the tracer still refers to them.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/ftrace/module.h>
#include <linux/ftrace/text.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "tracefs/doors.h"
#include "sites/fault.h"
#include "sites/names.h"
#include "hooks/ops.h"
#include "hooks/tramp.h"

#ifdef CONFIG_MODULES

/*
 * Names of functions in freed init text, as the trace may still have their
 * addresses. Added and removed under ftrace_lock, read under RCU.
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
	struct module		*mod;	/* freed after these names */
	unsigned long		start, end;
	char			*text;	/* all names, each with a NUL; behind @names */
	u32			nr;
	struct gone_name	names[] __counted_by(nr);
};

static LIST_HEAD(gone_list);

/* Count the names and, in @bytes, their size; not all sites have a name. */
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

/* Keep the names until the module is freed. Without memory, they are lost. */
static void remember_names(struct ftrace_site_block *b, unsigned long start, unsigned long end)
{
	struct ftrace_names_symbol *sym;
	struct gone_names *gone = NULL;
	size_t bytes, used = 0;
	u32 nr, i;

	sym = kmalloc(sizeof(*sym), GFP_KERNEL);
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
	list_add_tail_rcu(&gone->list, &gone_list);
out:
	kfree(sym);
}

static void free_gone_names(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct gone_names, rcu));
}

static void forget_names(struct module *mod)
{
	struct gone_names *gone, *next;

	list_for_each_entry_safe(gone, next, &gone_list, list) {
		if (gone->mod != mod)
			continue;
		list_del_rcu(&gone->list);
		call_rcu(&gone->rcu, free_gone_names);
	}
}

/* Find the function that has @offset. The names are sorted by offset. */
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
	/* Several texts may have been at this address, one after the other: take the last. */
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

/* Get the name number *@n. If there are fewer, subtract how many there are from *@n. */
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

static int add_text(struct module *mod, enum mod_mem_type type)
{
	const unsigned long start = (unsigned long)mod->mem[type].base;
	const unsigned long end = start + mod->mem[type].size;
	struct ftrace_site_block *b;
	int err;

	if (start == end)
		return 0;
	arch_ftrace_sites_place(mod->ftrace_callsites, mod->num_ftrace_callsites, start, end);
	b = ftrace_site_block_make(mod, type == MOD_INIT_TEXT, mod->ftrace_callsites,
				   mod->num_ftrace_callsites, start, end, FTRACE_SITE_COMING);
	if (IS_ERR_OR_NULL(b))
		return PTR_ERR_OR_ZERO(b);

	err = ftrace_site_block_publish(b);
	if (err) {
		ftrace_site_block_discard(b);
		return err;
	}
	ftrace_make_nops(b);
	return 0;
}

/**
 * ftrace_module_init() - add the call sites of a module
 * @mod: a module that is not formed yet: its text is complete and writable
 *
 * If memory runs out, the module still loads, but not all of it can be traced.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_module_init(struct module *mod)
{
	int err;

	if (!mod->num_ftrace_callsites)
		return;

	guard(mutex)(&ftrace_lock);
	if (ftrace_disabled)
		return;
	err = add_text(mod, MOD_TEXT) ?: add_text(mod, MOD_INIT_TEXT);
	if (err)
		pr_warn("%s: no memory for its call sites: not all can be traced\n", mod->name);
}

/*
 * Hook the sites of a text that is ready to run, as the filters in force say.
 * If there is no memory for its names, its sites stay COMING: no file lists
 * them, and to put an exclusive hook on one of them is an error.
 */
static void enable_block(struct ftrace_site_block *b)
{
	struct ftrace_plan plan = {};
	int err;

	err = ftrace_names_check_block(b);
	if (err)
		goto fail;

	for (u32 i = 0; i < b->nr; i++)
		WRITE_ONCE(b->sites[i].state, b->sites[i].state & ~FTRACE_SITE_COMING);
	ftrace_site_generation++;

	err = ftrace_plan_rebuild(&plan, b, ftrace_enabled);
	if (err)
		goto fail;
	ftrace_plan_commit(&plan);
	return;
fail:
	pr_warn("%s: functions are not traced, error %d\n", b->mod->name, err);
}

/**
 * ftrace_module_enable() - hook the functions of a module that is being loaded
 * @mod: the module; its symbols are in place, and none of its code has run
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 */
void ftrace_module_enable(struct module *mod)
{
	struct ftrace_site_block *b;

	scoped_guard(mutex, &ftrace_lock) {
		if (ftrace_disabled)
			return;
		list_for_each_entry(b, &ftrace_site_blocks, list) {
			if (b->mod == mod)
				enable_block(b);
		}
	}

	/* Takes trace_types_lock, which is outside of ftrace_lock. */
	ftrace_filters_module_coming(mod);
}

#else /* !CONFIG_MODULES */

static void remember_names(struct ftrace_site_block *b, unsigned long start, unsigned long end)
{
}

static bool nth_gone_name(unsigned int *n, unsigned long *value, char *type,
			  char *name, char *module_name)
{
	return false;
}

#endif

/*
 * The text of @b no longer runs and is about to be freed. Mark its sites as
 * unusable first, so that no plan made meanwhile changes them.
 */
static void remove_block(struct ftrace_site_block *b)
{
	for (u32 i = 0; i < b->nr; i++) {
		const u32 state = b->sites[i].state;

		if (state & FTRACE_SITE_COMBO)
			ftrace_combo_count(ftrace_combo(state & FTRACE_SITE_COMBO), -1);
		ftrace_release_site(b, i);
		WRITE_ONCE(b->sites[i].state,
			   (state & ~(FTRACE_SITE_COMBO | FTRACE_SITE_HELD)) | FTRACE_SITE_COMING);
	}

	ftrace_homes_purge(b->first, b->first + b->nr);
	ftrace_names_free(b);
	ftrace_site_block_withdraw(b);
}

/**
 * ftrace_free_mem() - forget the call sites of text that is about to be freed
 * @mod: the module of the text; NULL: the kernel
 * @start: the first address
 * @end: one past the last address
 *
 * The range must cover whole texts. One that it covers in part is kept.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_free_mem(struct module *mod, void *start, void *end)
{
	const unsigned long first = (unsigned long)start, last = (unsigned long)end;
	struct ftrace_site_block *b, *next;

	guard(mutex)(&ftrace_lock);
	list_for_each_entry_safe(b, next, &ftrace_site_blocks, list) {
		if (b->mod != mod || b->end <= first || b->base >= last)
			continue;
		if (WARN_ON_ONCE(b->base < first || b->end > last))
			continue;
		/* Without any hook, no trace can have its addresses. */
		if (mod && !list_empty(&ftrace_hooks))
			remember_names(b, first, last);
		remove_block(b);
	}
	ftrace_combo_sweep();
}

#ifdef CONFIG_MODULES
/**
 * ftrace_release_mod() - forget a module
 * @mod: the module, in any state of loading; the module notifiers have let go
 *	 of it
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_release_mod(struct module *mod)
{
	struct ftrace_site_block *b, *next;

	guard(mutex)(&ftrace_lock);
	forget_names(mod);
	list_for_each_entry_safe(b, next, &ftrace_site_blocks, list) {
		if (b->mod == mod)
			remove_block(b);
	}
	ftrace_homes_forget(mod);
	ftrace_combo_sweep();
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
 * Functions in freed init text of modules come first, then trampolines.
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
