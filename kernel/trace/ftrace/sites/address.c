// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups of addresses for code that changes, unwinds or names text.
 *
 * Everything here may be called in any context, and only reads.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/ftrace/text.h>
#include <linux/kallsyms.h>
#include <linux/minmax.h>
#include <linux/preempt.h>

#include "site.h"

#ifdef FTRACE_MCOUNT_MAX_OFFSET
# define MAX_OFFSET	((unsigned long)FTRACE_MCOUNT_MAX_OFFSET)
#else
# define MAX_OFFSET	0UL
#endif

/*
 * Find the first call of __fentry__ that begins in a range of a discovered text and is
 * no site yet; ftrace_site_get() makes it one. @end is the last address of the range.
 * 0: none.
 */
static unsigned long undiscovered_call(unsigned long start, unsigned long end)
{
	const struct ftrace_discovered *text;

	if (!IS_ENABLED(CONFIG_FTRACE_DISCOVER))
		return 0;

	guard(preempt_notrace)();
	text = ftrace_discovered_at(end);
	if (!text || !READ_ONCE(text->ready))
		return 0;
	for (start = max(start, text->start); start <= end; start++) {
		if (start + MCOUNT_INSN_SIZE <= text->end && arch_ftrace_calls_fentry(start))
			return start;
	}
	return 0;
}

/**
 * ftrace_location_range() - find the first call site that overlaps a range
 * @start: the first address of the range
 * @end: the last address of the range
 *
 * Also finds sites that are never patched: kprobes needs to know whether an
 * instruction belongs to the tracer. Also finds a call in a discovered text that is no
 * site yet, if it is at @start, or at the entry of the function that begins there.
 *
 * Context: Any context.
 * Return: The address of the site's first byte, or 0.
 */
unsigned long ftrace_location_range(unsigned long start, unsigned long end)
{
	struct ftrace_site_block *b;
	u32 i;

	scoped_guard(preempt_notrace) {
		b = ftrace_site_find_range(start, end, &i);
		if (b)
			return ftrace_site_ip(b, i);
	}
	return undiscovered_call(start - (MCOUNT_INSN_SIZE - 1), min(end, start + MAX_OFFSET));
}

/**
 * ftrace_location() - find the call site of an address
 * @ip: an address in a call site, or the start address of a function
 *
 * In a discovered text, also finds the call of a function that has not run yet. The
 * tracer's functions that take addresses make a site of that call.
 *
 * Context: Any context.
 * Return: The address of the site's first byte, or 0.
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
 * A call that can become a site counts as one.
 *
 * Context: Any context.
 * Return: 1 if it does, 0 otherwise.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	const unsigned long first = (unsigned long)start, last = (unsigned long)end;

	return ftrace_location_range(first, last) ||
	       undiscovered_call(first - (MCOUNT_INSN_SIZE - 1), last);
}

/**
 * ftrace_is_entry_site() - test whether an address starts an entry site
 * @ip: the address
 *
 * An entry site includes its function's first instruction, see
 * arch_ftrace_sites_place().
 *
 * Context: Any context.
 * Return: True if @ip is the address of an entry site's first byte.
 */
bool ftrace_is_entry_site(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	guard(preempt_notrace)();
	b = ftrace_site_find_exact(ip, &i);
	return b && READ_ONCE(b->sites[i].state) & FTRACE_SITE_ENTRY;
}

#ifdef CONFIG_FTRACE_DISCOVER
/**
 * ftrace_is_covered() - test whether a function's first instruction is covered
 * @ip: the function's address
 *
 * The nop that replaces the instruction has the same effect. The instruction is put
 * back before the site that follows it calls anything.
 *
 * Context: Any context.
 * Return: True if it is covered, or is being changed.
 */
bool ftrace_is_covered(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	guard(preempt_notrace)();
	b = ftrace_site_find_range(ip, ip + MCOUNT_INSN_SIZE - 1, &i);
	return b && ftrace_site_ip(b, i) != ip &&
	       READ_ONCE(b->sites[i].state) & FTRACE_SITE_COVERED;
}
#endif
