/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the module loader and the boot code: what to call when text is loaded and
 * freed.
 */
#ifndef _LINUX_FTRACE_MODULE_H
#define _LINUX_FTRACE_MODULE_H

#include <linux/init.h>

struct module;

/* The section of a module that lists its call sites. */
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION	"__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION	"__mcount_loc"
#endif

#ifdef CONFIG_MODULES
/*
 * Call in this order: ftrace_module_init(), when the text is complete but still
 * writable, and the module not visible yet; ftrace_module_enable(), once its symbols
 * are in place and before any of its code runs; ftrace_free_mem(), after its
 * initialization; ftrace_release_mod(), after the module notifiers, also if loading
 * has failed before any of these calls.
 */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);
#else
static inline void ftrace_module_init(struct module *mod) { }
static inline void ftrace_module_enable(struct module *mod) { }
static inline void ftrace_release_mod(struct module *mod) { }
#endif

void ftrace_free_mem(struct module *mod, void *start, void *end);

void __init ftrace_init(void);
void __init ftrace_free_init_mem(void);

#endif /* _LINUX_FTRACE_MODULE_H */
