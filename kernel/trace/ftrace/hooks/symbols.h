/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracer's symbols for kallsyms.
 */
#ifndef _FTRACE_SYMBOLS_H
#define _FTRACE_SYMBOLS_H

#include "../sites/site.h"

#ifdef CONFIG_MODULES
void ftrace_symbols_remember(struct ftrace_site_block *b, unsigned long start, unsigned long end);
void ftrace_symbols_forget(struct module *mod);
#else
static inline void ftrace_symbols_remember(struct ftrace_site_block *b, unsigned long start,
					   unsigned long end)
{
}
#endif

#endif /* _FTRACE_SYMBOLS_H */
