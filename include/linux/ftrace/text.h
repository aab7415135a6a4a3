/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests and lookups of text addresses, for kprobes, livepatch, BPF, unwinders
 * and kallsyms.
 *
 * Call sites are found as long as their text exists. A caller that uses the
 * result must make sure that the text is not freed meanwhile.
 */
#ifndef _LINUX_FTRACE_TEXT_H
#define _LINUX_FTRACE_TEXT_H

#include <linux/types.h>

unsigned long ftrace_location(unsigned long ip);
unsigned long ftrace_location_range(unsigned long start, unsigned long end);
int ftrace_text_reserved(const void *start, const void *end);
bool ftrace_is_entry_site(unsigned long ip);
#ifdef CONFIG_FTRACE_DISCOVER
bool ftrace_is_covered(unsigned long ip);
#else
static inline bool ftrace_is_covered(unsigned long ip)
{
	return false;
}
#endif

bool is_ftrace_trampoline(unsigned long addr);

int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs);

/* For kallsyms: names of functions in freed init text of modules, and of trampolines. */
#define FTRACE_TRAMPOLINE_MOD "__builtin__ftrace"
#define FTRACE_TRAMPOLINE_SYM "ftrace_trampoline"

#ifdef CONFIG_MODULES
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
			      unsigned long *off, char **modname,
			      const unsigned char **modbuildid, char *sym);
#else
static inline int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
					    unsigned long *off, char **modname,
					    const unsigned char **modbuildid, char *sym)
{
	return 0;
}
#endif
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
			   char *name, char *module_name, int *exported);

#endif /* _LINUX_FTRACE_TEXT_H */
