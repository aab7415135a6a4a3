// SPDX-License-Identifier: GPL-2.0
/*
 * Answers for those who change, walk or name text.
 *
 * Everything here may be asked in any context; nothing here changes anything.
 */
#include <linux/ftrace/arch.h>
#include <linux/ftrace/text.h>
#include <linux/kallsyms.h>
#include <linux/preempt.h>

#include "site.h"

/**
 * ftrace_location_range() - find the first call site that touches a range
 * @start: the first address
 * @end: the last address
 *
 * Sites that are never patched are found, too: what kprobes wants to know is
 * whether an instruction was left there for the tracer.
 *
 * Context: Any context.
 * Return: the address of its first byte, or 0.
 */
unsigned long ftrace_location_range(unsigned long start, unsigned long end)
{
	struct ftrace_site_block *b;
	u32 i;

	guard(preempt_notrace)();
	b = ftrace_site_find_range(start, end, &i);
	return b ? ftrace_site_ip(b, i) : 0;
}

/**
 * ftrace_location() - find the call site of an address
 * @ip: an address in a call site, or the first one of a function
 *
 * Context: Any context.
 * Return: the address of the site's first byte, or 0.
 */
unsigned long ftrace_location(unsigned long ip)
{
	unsigned long site = ftrace_location_range(ip, ip);
	unsigned long size, offset;

	if (site || !ip)
		return site;
	if (!kallsyms_lookup_size_offset(ip, &size, &offset) || offset || !size)
		return 0;
	return ftrace_location_range(ip, ip + size - 1);
}

/**
 * ftrace_text_reserved() - does the tracer own some of this text?
 * @start: the first address
 * @end: the last address
 *
 * Context: Any context.
 * Return: 1 or 0.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	return !!ftrace_location_range((unsigned long)start, (unsigned long)end);
}

/**
 * ftrace_is_entry_site() - has a call site taken its function's first instruction?
 * @ip: an address
 *
 * Such a site is one nop of nine bytes when it is off, and a call and a nop of
 * four when it is on.
 *
 * Context: Any context.
 * Return: true if it is the address of such a site's first byte.
 */
bool ftrace_is_entry_site(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	guard(preempt_notrace)();
	b = ftrace_site_find_exact(ip, &i);
	return b && READ_ONCE(b->sites[i].state) & FTRACE_SITE_ENTRY;
}
