// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups of addresses for code that changes, unwinds or names text.
 *
 * Everything here may be called in any context, and only reads.
 */
#include <linux/ftrace/arch.h>
#include <linux/ftrace/text.h>
#include <linux/kallsyms.h>
#include <linux/preempt.h>

#include "site.h"

/**
 * ftrace_location_range() - find the first call site that overlaps a range
 * @start: the first address of the range
 * @end: the last address of the range
 *
 * Also finds sites that are never patched: kprobes needs to know whether an
 * instruction belongs to the tracer.
 *
 * Context: Any context.
 * Return: the address of the site's first byte, or 0.
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
 * @ip: an address in a call site, or the start address of a function
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
 * ftrace_text_reserved() - test whether a range overlaps a call site
 * @start: the first address of the range
 * @end: the last address of the range
 *
 * Context: Any context.
 * Return: 1 if it does, 0 otherwise.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	return !!ftrace_location_range((unsigned long)start, (unsigned long)end);
}

/**
 * ftrace_is_entry_site() - test whether an address starts an entry site
 * @ip: the address
 *
 * An entry site includes its function's first instruction, see
 * arch_ftrace_sites_place().
 *
 * Context: Any context.
 * Return: true if @ip is the address of an entry site's first byte.
 */
bool ftrace_is_entry_site(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	guard(preempt_notrace)();
	b = ftrace_site_find_exact(ip, &i);
	return b && READ_ONCE(b->sites[i].state) & FTRACE_SITE_ENTRY;
}
