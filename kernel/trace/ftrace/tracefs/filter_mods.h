/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters for functions of modules that are not loaded yet.
 */
#ifndef _FTRACE_FILTER_MODS_H
#define _FTRACE_FILTER_MODS_H

#include <linux/list.h>
#include "../sites/edit.h"

struct ftrace_match;
struct ftrace_ops;
struct module;

/* Changes to a list of such filters, staged by an open file. */
struct ftrace_mods_edit {
	struct list_head	add;	/* struct ftrace_mod_load */
	struct list_head	del;	/* the same, to be removed */
};

extern u64 ftrace_mods_generation;

void ftrace_mods_edit_init(struct ftrace_mods_edit *e);
void ftrace_mods_edit_drop(struct ftrace_mods_edit *e);
bool ftrace_mods_edit_has(struct ftrace_mods_edit *e, struct list_head *mods, const char *func,
			  const char *module);
int ftrace_mods_edit_stage(struct ftrace_mods_edit *e, const char *func, const char *module,
			   bool remove);
int ftrace_mods_edit_resolve(struct ftrace_mods_edit *e, struct ftrace_edit *edit);
bool ftrace_mods_edit_leaves_any(struct ftrace_mods_edit *e, struct list_head *mods);
void ftrace_mods_edit_apply(struct ftrace_mods_edit *e, struct list_head *mods, bool reset);

void ftrace_mods_free(struct list_head *mods);
void ftrace_mods_forget_used(const struct list_head *mods, const char *func, const char *module);
bool ftrace_module_there(const char *module);
bool ftrace_module_built_in(struct ftrace_match *m, const char *module);
void ftrace_filters_module_coming(struct module *mod);
void ftrace_filters_module_done(const struct module *mod, bool failed);
int ftrace_mods_early(struct ftrace_ops *ops, const char *func, const char *module, bool except);

#endif /* _FTRACE_FILTER_MODS_H */
