/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What those who bring text into the kernel, and take it away, have to call:
 * the module loader and the boot code.
 */
#ifndef _LINUX_FTRACE_MODULE_H
#define _LINUX_FTRACE_MODULE_H

#include <linux/init.h>

struct module;

/* Where a module says where its call sites are. */
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION	"__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION	"__mcount_loc"
#endif

#ifdef CONFIG_MODULES
/*
 * In order: init, while the text is complete and still writable, and no one
 * knows the module; enable, once its symbols are in place and before anything
 * of it runs; free_mem, when its initialisation is over; release, when all who
 * watch modules have let go of it. Release may come at any time after init,
 * or without it.
 */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);
#else
static inline void ftrace_module_init(struct module *mod) { }
static inline void ftrace_module_enable(struct module *mod) { }
static inline void ftrace_release_mod(struct module *mod) { }
#endif

/* @end is one past the last address; NULL for @mod is the kernel. */
void ftrace_free_mem(struct module *mod, void *start, void *end);

void __init ftrace_init(void);
void __init ftrace_free_init_mem(void);

#endif /* _LINUX_FTRACE_MODULE_H */
