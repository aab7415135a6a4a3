// SPDX-License-Identifier: GPL-2.0
/*
 * Text that is loaded or freed: that of modules, or init text.
 *
 * When a module is loaded, its calls become nops before anything can run them.
 * Its functions are hooked after its symbols are in place and before its code
 * runs. Text that is about to be freed may still run: the module loader waits for
 * async functions, and frees parameters, after it has called the tracer. So all sites
 * that call a trampoline become nops first, except those under a foreign breakpoint.
 * The site numbers are removed from every filter before the sites are removed from
 * the table, so that nothing in the tracer still refers to them.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ftrace/module.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "../trace.h"
#include "discover/ftraced.h"
#include "hooks/cover.h"
#include "hooks/plan.h"
#include "hooks/slot.h"
#include "hooks/symbols.h"
#include "sites/discovered.h"
#include "sites/fault.h"
#include "sites/names.h"
#include "tracefs/filter_mods.h"

#ifdef CONFIG_MODULES

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

static bool refers_to_fentry(const struct module *mod)
{
	const struct mod_kallsyms *k;

	guard(rcu)();
	k = rcu_dereference(mod->kallsyms);
	for (unsigned int s = 1; k && s < k->num_symtab; s++) {
		if (k->symtab[s].st_shndx == SHN_UNDEF &&
		    !strcmp(k->strtab + k->symtab[s].st_name, "__fentry__"))
			return true;
	}
	return false;
}

/**
 * ftrace_module_init() - add the call sites of a module
 * @mod: a module that is not formed yet: its text is complete and writable
 *
 * With ftrace_discover on the command line, or if the build has recorded no sites of the
 * module, they are discovered when they are executed. If memory is short, the module
 * still loads, but not all of it can be traced.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_module_init(struct module *mod)
{
	u64 start;
	int err;

	if (ftraced_discovers_all || !mod->num_ftrace_callsites) {
		if (IS_ENABLED(CONFIG_FTRACE_DISCOVER) && refers_to_fentry(mod))
			ftraced_add_module(mod);
		return;
	}

	guard(mutex)(&ftrace_lock);
	if (ftrace_disabled)
		return;
	start = ftrace_now(raw_smp_processor_id());
	err = add_text(mod, MOD_TEXT) ?: add_text(mod, MOD_INIT_TEXT);
	ftrace_total_mod_time += ftrace_now(raw_smp_processor_id()) - start;
	if (err)
		pr_warn("%s: no memory for its call sites: not all can be traced\n", mod->name);
}

/*
 * Hook the sites of a text that is ready to run, as the filters in force say.
 * If memory is short for its names, its sites stay FTRACE_SITE_COMING: no file lists
 * them, and an exclusive hook on one of them is refused.
 */
static void enable_block(struct ftrace_site_block *b)
{
	if (ftrace_names_check_block(b)) {
		pr_warn("%s: no memory for names, its functions are not traced\n", b->mod->name);
		return;
	}

	for (u32 i = 0; i < b->nr; i++)
		WRITE_ONCE(b->sites[i].state, b->sites[i].state & ~FTRACE_SITE_COMING);
	if (ftrace_discovered_text(b))
		b->text->ready = true;
	ftrace_sites_changed();
	ftrace_commit_block(b, true);
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

#endif

/*
 * Forget the sites of @b, whose text is about to be freed. The text may run until then,
 * and must call no trampoline that is freed meanwhile. Mark the sites as unusable, so
 * that no plan changes them any more.
 */
static void remove_block(struct ftrace_site_block *b)
{
	ftrace_commit_block(b, false);
	ftrace_cover_forget(b);
	for (u32 i = 0; i < b->nr; i++) {
		const u32 state = b->sites[i].state;

		if (state & FTRACE_SITE_COMBO)
			ftrace_combo_count(ftrace_combo(state & FTRACE_SITE_COMBO), -1);
		ftrace_release_site(b, i);
		WRITE_ONCE(b->sites[i].state,
			   (state & ~(FTRACE_SITE_COMBO | FTRACE_SITE_HELD | FTRACE_SITE_COVERED)) |
			   FTRACE_SITE_COMING);
	}

	ftrace_slots_purge(b->first, b->first + ftrace_site_block_numbers(b));
	ftrace_names_free(b);
	if (IS_ENABLED(CONFIG_FTRACE_DISCOVER) && b->leads)
		ftrace_discovered_forget(b->text);
	ftrace_site_block_withdraw(b);
}

/**
 * ftrace_free_mem() - forget the call sites of text that is about to be freed
 * @mod: the module of the text; NULL: the kernel
 * @start: the first address
 * @end: one past the last address
 *
 * The range must cover whole texts. A text that it covers in part is kept.
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_free_mem(struct module *mod, void *start, void *end)
{
	const unsigned long first = (unsigned long)start, last = (unsigned long)end;
	struct ftrace_site_block *b, *next;

	guard(mutex)(&ftrace_lock);
	/* Init text is freed once its module has been loaded: loading cannot fail any more. */
	if (mod)
		ftrace_filters_module_done(mod, false);
	ftraced_forget(first, last);
	/* Backwards: the first block of a text must be withdrawn last. */
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		if (b->mod != mod || b->end <= first || b->base >= last)
			continue;
		if (WARN_ON_ONCE(b->base < first || b->end > last))
			continue;
		/* Without hooks, no trace needs names for its addresses. */
		if (mod && !list_empty(&ftrace_hooks))
			ftrace_symbols_remember(b, first, last);
		remove_block(b);
	}
}

#ifdef CONFIG_MODULES
/**
 * ftrace_release_mod() - forget a module
 * @mod: the module, in any state of loading, after the module notifiers
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_release_mod(struct module *mod)
{
	struct ftrace_site_block *b, *next;

	guard(mutex)(&ftrace_lock);
	ftrace_filters_module_done(mod, true);
	ftrace_symbols_forget(mod);
	for_class_mod_mem_type(type, text) {
		const unsigned long start = (unsigned long)mod->mem[type].base;

		ftraced_forget(start, start + mod->mem[type].size);
	}
	/* Backwards: the first block of a text must be withdrawn last. */
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		if (b->mod == mod)
			remove_block(b);
	}
	ftrace_slots_forget(mod);
}
#endif
