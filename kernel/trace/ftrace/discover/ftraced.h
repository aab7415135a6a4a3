/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ftraced: when calls of __fentry__ are recorded, and the thread that makes sites
 * of them.
 */
#ifndef _FTRACED_H
#define _FTRACED_H

#include <linux/types.h>

struct ftrace_site_block;
struct module;

#ifdef CONFIG_FTRACE_DISCOVER

/* Discover the kernel and all modules, whatever the build has recorded. */
extern bool ftraced_discovers_all;

static inline void ftraced_discover_all(void)
{
	ftraced_discovers_all = true;
}

int ftraced_boot(void);
int ftraced_flush(void);
bool ftraced_add_module(struct module *mod);
void ftraced_block_ready(struct ftrace_site_block *b);
void ftraced_block_gone(const struct ftrace_site_block *b);
void ftraced_forget(unsigned long start, unsigned long end);

#else

#define ftraced_discovers_all	false

static inline void ftraced_discover_all(void)
{
}

static inline int ftraced_boot(void)
{
	return 0;
}

static inline int ftraced_flush(void)
{
	return 0;
}

static inline bool ftraced_add_module(struct module *mod)
{
	return false;
}

static inline void ftraced_block_ready(struct ftrace_site_block *b)
{
}

static inline void ftraced_block_gone(const struct ftrace_site_block *b)
{
}

static inline void ftraced_forget(unsigned long start, unsigned long end)
{
}

#endif

#endif /* _FTRACED_H */
