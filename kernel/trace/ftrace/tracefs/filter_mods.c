// SPDX-License-Identifier: GPL-2.0
/*
 * Filters for functions of modules that are not loaded yet.
 *
 * Each trace array, and the profiler, has two lists of them: functions to trace
 * and functions to leave out. ftrace_lock guards the lists. When the module is
 * loaded, its functions are added to the filter before its code can run. If it then
 * fails to load, as its parameters or its own code can make it, the words that named
 * it wait again.
 *
 * Lists may be long: entries of all lists are found by two hash tables.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "../sites/files.h"
#include "filter_mods.h"
#include "profile_hits.h"

struct mod_word {
	struct ftrace_mod_load	ml;
	struct list_head	*of;		/* the list that it is in */
	struct hlist_node	by_word;	/* hashed by ->of, module and function */
	struct hlist_node	by_module;
	const struct module	*used_by;	/* module being loaded, may fail */
};

static DEFINE_HASHTABLE(words, 10);	/* [L] */
static DEFINE_HASHTABLE(modules, 10);	/* [L] */
static LIST_HEAD(used_words);		/* [L] their modules may still fail to load */
u64 ftrace_mods_generation;		/* [L] changes with each list */

static unsigned int module_key(const struct list_head *mods, const char *module)
{
	return full_name_hash(mods, module, strlen(module));
}

static unsigned int word_key(const struct list_head *mods, const char *func, const char *module)
{
	return module_key(mods, module) ^ full_name_hash(mods, func, strlen(func));
}

static void mod_list(struct mod_word *w, struct list_head *mods)
{
	w->of = mods;
	list_add_tail(&w->ml.list, mods);
	hash_add(words, &w->by_word, word_key(mods, w->ml.func, w->ml.module));
	hash_add(modules, &w->by_module, module_key(mods, w->ml.module));
	ftrace_mods_generation++;
}

static void mod_unlist(struct mod_word *w)
{
	list_del(&w->ml.list);
	hash_del(&w->by_word);
	hash_del(&w->by_module);
	ftrace_mods_generation++;
}

/* @w, of @mods, has been applied to @mod, and waits again if that fails to load. */
static void mod_use(struct mod_word *w, struct list_head *mods, const struct module *mod)
{
	w->of = mods;
	w->used_by = mod;
	list_add_tail(&w->ml.list, &used_words);
}

static void mod_put(struct mod_word *w)
{
	kfree(w->ml.func);
	kfree(w->ml.module);
	kfree(w);
}

static void mod_free(struct mod_word *w)
{
	mod_unlist(w);
	mod_put(w);
}

static bool any_func(const char *func)
{
	return !*func || !strcmp(func, "*");
}

/* A used word for @func of @module (NULL: any) that may return to @mods. */
static struct mod_word *used_find(const struct list_head *mods, const char *func,
				  const char *module)
{
	struct mod_word *w;

	list_for_each_entry(w, &used_words, ml.list) {
		if (w->of == mods && (!module || !strcmp(w->ml.module, module)) &&
		    (any_func(func) || !strcmp(w->ml.func, func)))
			return w;
	}
	return NULL;
}

/**
 * ftrace_mods_forget_used() - forget words whose modules may still fail to load
 * @mods: the list that they would return to
 * @func: only words for this function; "": all
 * @module: only words for this module; NULL: all
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_mods_forget_used(const struct list_head *mods, const char *func, const char *module)
{
	struct mod_word *w;

	while ((w = used_find(mods, func, module))) {
		list_del(&w->ml.list);
		mod_put(w);
	}
}

/**
 * ftrace_mods_free() - free a list of filters for modules that are not loaded
 * @mods: a list of struct ftrace_mod_load
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_mods_free(struct list_head *mods)
{
	struct mod_word *w, *next;

	list_for_each_entry_safe(w, next, mods, ml.list)
		mod_free(w);
	ftrace_mods_forget_used(mods, "", NULL);
}

static int mod_add(struct list_head *mods, const char *func, const char *module)
{
	struct mod_word *w = kzalloc_obj(*w);

	if (!w)
		return -ENOMEM;
	w->ml.func = kstrdup(func, GFP_KERNEL);
	w->ml.module = kstrdup(module, GFP_KERNEL);
	if (!w->ml.func || !w->ml.module) {
		mod_put(w);
		return -ENOMEM;
	}
	mod_list(w, mods);
	return 0;
}

static struct mod_word *mods_find(const struct list_head *mods, const char *func,
				  const char *module)
{
	struct mod_word *w;

	hash_for_each_possible(words, w, by_word, word_key(mods, func, module)) {
		if (w->of == mods && !strcmp(w->ml.func, func) && !strcmp(w->ml.module, module))
			return w;
	}
	return NULL;
}

/* Any word of @module. */
static struct mod_word *mods_find_any(const struct list_head *mods, const char *module)
{
	struct mod_word *w;

	hash_for_each_possible(modules, w, by_module, module_key(mods, module)) {
		if (w->of == mods && !strcmp(w->ml.module, module))
			return w;
	}
	return NULL;
}

/* A word that removing @func of @module removes. */
static struct mod_word *mods_meant(const struct list_head *mods, const char *func,
				   const char *module)
{
	return any_func(func) ? mods_find_any(mods, module) : mods_find(mods, func, module);
}

static void mods_remove(struct list_head *mods, const char *func, const char *module)
{
	struct mod_word *w;

	while ((w = mods_meant(mods, func, module)))
		mod_free(w);
}

/* Test whether the changes take out @ml, which is in force. */
static bool mod_goes(const struct ftrace_mods_edit *e, const struct ftrace_mod_load *ml)
{
	return mods_find(&e->del, "*", ml->module) || mods_find(&e->del, ml->func, ml->module);
}

/* Test whether @module is a pattern, not a name. */
static bool is_pattern(const char *module)
{
	return strpbrk(module, "*?[\\");
}

#ifdef CONFIG_MODULES

/* Test for ready sites of a module that matches @m or, if @m is NULL, of @mod. */
static bool functions_there(const struct ftrace_match *m, const struct module *mod)
{
	struct ftrace_site_block *b;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!b->mod || b->mod->state == MODULE_STATE_GOING || !ftrace_site_block_ready(b))
			continue;
		if (m ? ftrace_match(m, b->mod->name) : b->mod == mod)
			return true;
	}
	return false;
}

/* Read once: the state of @mod, which may be NULL, changes without a lock of ours. */
static enum module_state state_of(const struct module *mod)
{
	return mod ? READ_ONCE(mod->state) : MODULE_STATE_UNFORMED;
}

/**
 * ftrace_module_there() - test for a module whose functions can be found
 * @module: a name or a pattern
 *
 * A module that is being loaded does not count while its functions cannot be
 * found yet: ftrace_filters_module_coming() will still take ftrace_lock for it.
 * A module that is being unloaded does not count either.
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there is one. A pattern does not match modules without
 * functions; a name does.
 */
bool ftrace_module_there(const char *module)
{
	struct ftrace_match m;
	struct module *mod;

	if (is_pattern(module)) {
		ftrace_match_parse_name(&m, module, strlen(module));
		return functions_there(&m, NULL);
	}

	/* Disabled preemption keeps @mod from being freed. */
	guard(preempt)();
	mod = find_module(module);
	switch (state_of(mod)) {
	case MODULE_STATE_LIVE:
		return true;
	case MODULE_STATE_COMING:
		return !mod->num_ftrace_callsites || functions_there(NULL, mod);
	default:
		return false;
	}
}

/* The functions of @w are staged. Free it if its module is loaded and cannot fail to. */
static void mod_resolved(struct mod_word *w)
{
	enum module_state state;
	struct module *mod;

	scoped_guard(preempt) {
		mod = find_module(w->ml.module);
		state = state_of(mod);
	}
	w->used_by = state == MODULE_STATE_COMING ? mod : NULL;
	if (state == MODULE_STATE_LIVE)
		mod_free(w);
}

#else /* !CONFIG_MODULES */

bool ftrace_module_there(const char *module)
{
	return false;
}

static void mod_resolved(struct mod_word *w)
{
}

#endif

/**
 * ftrace_module_built_in() - make a word select the functions of a built-in module
 * @m: the word; modified
 * @module: name of the module
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there are any; false for a pattern and for a module that is loaded.
 */
bool ftrace_module_built_in(struct ftrace_match *m, const char *module)
{
	if (is_pattern(module))
		return false;
	if (!m->len)
		ftrace_match_parse(m, m->not ? "!*" : "*", 1 + m->not);
	m->in = module;
	m->where = FTRACE_IN_MODULE;
	return !m->at && !ftrace_module_there(module) && ftrace_files_any(m);
}

/**
 * ftrace_mods_edit_init() - start without changes
 * @e: the changes
 */
void ftrace_mods_edit_init(struct ftrace_mods_edit *e)
{
	INIT_LIST_HEAD(&e->add);
	INIT_LIST_HEAD(&e->del);
}

/**
 * ftrace_mods_edit_drop() - free staged changes
 * @e: the changes
 *
 * Context: Process context. Takes ftrace_lock.
 */
void ftrace_mods_edit_drop(struct ftrace_mods_edit *e)
{
	guard(mutex)(&ftrace_lock);

	ftrace_mods_free(&e->add);
	ftrace_mods_free(&e->del);
}

/**
 * ftrace_mods_edit_has() - test for a filter for a module that is not loaded
 * @e: the changes
 * @mods: the list they will be applied to; NULL: empty
 * @func: a name or pattern
 * @module: name or pattern of the module
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if it would exist if the changes were applied now, or would wait again
 * if the module to which it was applied fails to load.
 */
bool ftrace_mods_edit_has(struct ftrace_mods_edit *e, struct list_head *mods, const char *func,
			  const char *module)
{
	struct mod_word *w;

	if (mods_meant(&e->add, func, module))
		return true;
	/* There is no list, or all words of the module are to be removed. */
	if (!mods || mods_find(&e->del, "*", module))
		return false;
	if (used_find(mods, func, module) && !mods_find(&e->del, func, module))
		return true;
	if (!any_func(func)) {
		w = mods_find(mods, func, module);
		return w && !mod_goes(e, &w->ml);
	}
	hash_for_each_possible(modules, w, by_module, module_key(mods, module)) {
		if (w->of == mods && !strcmp(w->ml.module, module) && !mod_goes(e, &w->ml))
			return true;
	}
	return false;
}

/**
 * ftrace_mods_edit_stage() - stage a filter for a module that is not loaded
 * @e: the changes
 * @func: a name or pattern
 * @module: name or pattern of the module
 * @remove: remove the filter; ftrace_mods_edit_has() is true for it
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM. On error nothing changed.
 */
int ftrace_mods_edit_stage(struct ftrace_mods_edit *e, const char *func, const char *module,
			   bool remove)
{
	int ret;

	if (any_func(func))
		func = "*";
	ret = mod_add(remove ? &e->del : &e->add, func, module);
	if (!ret)
		mods_remove(remove ? &e->add : &e->del, func, module);
	return ret;
}

static bool is_staged(const struct ftrace_edit *edit, u32 nr)
{
	return nr < edit->room && ((edit->add && test_bit(nr, edit->add)) ||
				   (edit->del && test_bit(nr, edit->del)));
}

/*
 * Stage the functions of a word whose module was loaded meanwhile, except those that are
 * staged: as the module had none when the word was written, later words name them.
 */
static int resolve(const struct ftrace_mod_load *ml, struct ftrace_edit *edit, bool remove)
{
	struct ftrace_siteset_builder *found = &edit->found;
	struct ftrace_match m;
	size_t i, n = 0;
	int ret;

	ret = ftrace_match_parse(&m, ml->func, strlen(ml->func));
	if (!ret) {
		m.not = remove;
		ret = ftrace_edit_find(edit, &m, ml->module);
	}
	if (ret)
		return ret;
	for (i = 0; i < found->n; i++)
		if (!is_staged(edit, found->nrs[i]))
			found->nrs[n++] = found->nrs[i];
	found->n = n;
	return ftrace_edit_stage(edit, remove);
}

/**
 * ftrace_mods_edit_resolve() - stage functions of modules loaded meanwhile
 * @e: the changes, which are about to be applied
 * @edit: gets the functions
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM.
 */
int ftrace_mods_edit_resolve(struct ftrace_mods_edit *e, struct ftrace_edit *edit)
{
	struct mod_word *w, *next;
	int ret;

	/* First: what is removed is older, see ftrace_mods_edit_stage(). */
	list_for_each_entry_safe(w, next, &e->add, ml.list) {
		w->used_by = NULL;
		ret = resolve(&w->ml, edit, false);
		if (ret == -ENOMEM)
			return ret;
		if (!ret && !is_pattern(w->ml.module))
			mod_resolved(w);
	}
	list_for_each_entry(w, &e->del, ml.list) {
		ret = resolve(&w->ml, edit, true);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/**
 * ftrace_mods_edit_leaves_any() - test whether filters for modules will remain
 * @e: the changes, which are about to be applied
 * @mods: the list they will be applied to; NULL: empty
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there will be any after ftrace_mods_edit_apply().
 */
bool ftrace_mods_edit_leaves_any(struct ftrace_mods_edit *e, struct list_head *mods)
{
	struct ftrace_mod_load *ml;

	if (!list_empty(&e->add))
		return true;
	if (!mods)
		return false;

	list_for_each_entry(ml, mods, list) {
		if (!mod_goes(e, ml))
			return true;
	}
	return false;
}

/**
 * ftrace_mods_edit_apply() - apply staged filters for modules that are not loaded
 * @e: the changes
 * @mods: the filters in force; NULL if the tracer cannot have any
 * @reset: start from an empty list
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_mods_edit_apply(struct ftrace_mods_edit *e, struct list_head *mods, bool reset)
{
	struct mod_word *w, *next;

	if (!mods)
		return;
	if (reset)
		ftrace_mods_free(mods);
	list_for_each_entry(w, &e->del, ml.list) {
		mods_remove(mods, w->ml.func, w->ml.module);
		ftrace_mods_forget_used(mods, w->ml.func, w->ml.module);
	}
	list_for_each_entry_safe(w, next, &e->add, ml.list) {
		mods_remove(mods, w->ml.func, w->ml.module);
		mod_unlist(w);
		if (w->used_by)
			mod_use(w, mods, w->used_by);
		else
			mod_list(w, mods);
	}
}

/* Add what @e stages to a filter that waits for modules: it never turns into "all functions". */
static int add_to_filter(struct ftrace_filter_slot *slot, const struct ftrace_edit *e, bool except)
{
	struct ftrace_filter *now = ftrace_slot_filter(slot), *filter;
	struct ftrace_siteset *set = ftrace_edit_apply(e, except ? now->except : now->only);

	if (IS_ERR(set))
		return PTR_ERR(set);
	filter = ftrace_filter_with_set(now, set, except, true, e);
	return PTR_ERR_OR_ZERO(filter) ?: ftrace_slot_set_locked(slot, filter);
}

/**
 * ftrace_mods_early() - take the functions of a module, or wait for it, at boot
 * @ops: that of a trace array
 * @func: a name or pattern
 * @module: name or pattern of the module; with '!' in front, or built in: its functions
 *	are there
 * @except: leave the functions out
 *
 * Context: Boot, before modules are loaded. Takes ftrace_lock.
 * Return: 0 on success, -EINVAL if @func is no name or pattern, if @ops is of no trace
 * array or if none of the functions that have to be there is, -ENOMEM.
 */
int __init ftrace_mods_early(struct ftrace_ops *ops, const char *func, const char *module,
			     bool except)
{
	struct trace_array *tr = ops == &global_ops ? trace_get_global_array() : ops->private;
	struct ftrace_filter_slot *slot = ftrace_ops_slot(ops);
	struct ftrace_filter *filter;
	struct ftrace_edit e = { };
	struct list_head *mods;
	struct ftrace_match m;
	int ret;

	ret = ftrace_match_parse(&m, func, strlen(func));
	if (!tr || ret || m.not || m.kind == FTRACE_MATCH_INDEX)
		return -EINVAL;

	guard(mutex)(&ftrace_lock);

	if (*module == '!' || ftrace_module_built_in(&m, module)) {
		ret = ftrace_edit_word(&e, &m, m.in ? NULL : module) ?:
		      add_to_filter(slot, &e, except);
		ftrace_edit_drop(&e);
		return ret;
	}

	ftrace_init_trace_array(tr);
	mods = except ? &tr->mod_notrace : &tr->mod_trace;
	mods_remove(mods, func, module);
	ret = mod_add(mods, any_func(func) ? "*" : func, module);
	if (ret || except || !ftrace_slot_filter(slot)->all)
		return ret;

	/* Until the module is loaded, nothing is traced, rather than all functions. */
	filter = ftrace_filter_with_set(ftrace_slot_filter(slot), NULL, false, true, NULL);
	return PTR_ERR_OR_ZERO(filter) ?: ftrace_slot_set_locked(slot, filter);
}

/**
 * ftrace_filters_module_done() - settle the filters that waited for a module
 * @mod: the module
 * @failed: @mod is being freed; if it failed to load, its words wait again
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_filters_module_done(const struct module *mod, bool failed)
{
	struct mod_word *w, *next;

	list_for_each_entry_safe(w, next, &used_words, ml.list) {
		if (w->used_by != mod)
			continue;
		list_del(&w->ml.list);
		if (failed && !mods_find(w->of, w->ml.func, w->ml.module))
			mod_list(w, w->of);
		else
			mod_put(w);
	}
}

#ifdef CONFIG_MODULES

static bool names(const struct mod_word *w, const struct module *mod)
{
	struct ftrace_match m;

	ftrace_match_parse_name(&m, w->ml.module, strlen(w->ml.module));
	return ftrace_match(&m, mod->name);
}

/* Add the functions of @mod that @mods names to the filter in @slot. On error they wait. */
static void module_coming(struct ftrace_filter_slot *slot, struct list_head *mods,
			  const struct module *mod, bool except)
{
	struct mod_word *w, *next;
	struct ftrace_edit e = { };
	struct ftrace_match m;
	int ret = 0;

	list_for_each_entry(w, mods, ml.list) {
		const char *func = w->ml.func;

		if (names(w, mod) && !ftrace_match_parse(&m, func, strlen(func)))
			ret = ftrace_edit_word(&e, &m, mod->name);
		if (ret == -ENOMEM)
			break;
		ret = 0;
	}

	if (e.changed && !ret)
		ret = add_to_filter(slot, &e, except);
	ftrace_edit_drop(&e);
	if (ret) {
		pr_warn("ftrace: functions of %s not added to a filter: %d\n", mod->name, ret);
		return;
	}

	list_for_each_entry_safe(w, next, mods, ml.list) {
		/* A pattern may match another module. */
		if (names(w, mod) && !is_pattern(w->ml.module)) {
			mod_unlist(w);
			mod_use(w, mods, mod);
		}
	}
}

/**
 * ftrace_filters_module_coming() - apply filters that waited for a module
 * @mod: the module; its sites can be found by name and be patched
 *
 * Context: Process context. May sleep. Takes trace_types_lock and ftrace_lock.
 */
void ftrace_filters_module_coming(struct module *mod)
{
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (ftrace_disabled)
		return;

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		module_coming(ftrace_ops_slot(tr->ops), &tr->mod_trace, mod, false);
		module_coming(ftrace_ops_slot(tr->ops), &tr->mod_notrace, mod, true);
	}
	if (IS_ENABLED(CONFIG_FUNCTION_PROFILER)) {
		module_coming(&ftrace_profile_ops()->own, &ftrace_profile_mods[0], mod, false);
		module_coming(&ftrace_profile_ops()->own, &ftrace_profile_mods[1], mod, true);
	}
}

#endif /* CONFIG_MODULES */
