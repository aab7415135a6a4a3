/* SPDX-License-Identifier: GPL-2.0 */
/* Found sites that are off: one nop together with their function's first instruction. */
#ifndef _FTRACE_COVER_H
#define _FTRACE_COVER_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ftrace_site_block;

#ifdef CONFIG_FTRACE_DISCOVER
/* Number of sites that are covered. Under ftrace_lock. */
extern u32 ftrace_covered_sites;
/* Some sites may be off and not covered; written under ftrace_lock, read by ftraced's timer. */
extern bool ftrace_cover_due;

static inline void ftrace_cover_later(void)
{
	WRITE_ONCE(ftrace_cover_due, true);
}

void ftrace_cover_sites(const u32 *nrs, u32 nr);
void ftrace_cover_discovered(void);
void ftrace_uncover_sites(const u32 *nrs, u32 nr);
void ftrace_cover_forget(const struct ftrace_site_block *b);
#else
static const u32 ftrace_covered_sites;

static inline void ftrace_cover_later(void)
{
}

static inline void ftrace_uncover_sites(const u32 *nrs, u32 nr)
{
}
#endif

#endif /* _FTRACE_COVER_H */
