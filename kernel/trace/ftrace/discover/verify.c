// SPDX-License-Identifier: GPL-2.0
/*
 * Which recorded calls become sites.
 *
 * An address in a slot says only that something called __fentry__ and would
 * return there. It becomes a site if it lies in a known text, at the beginning of a
 * function, and if the bytes before it are such a call now.
 */
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/kallsyms.h>

#include "../sites/discovered.h"
#include "discover.h"

#ifdef FTRACE_MCOUNT_MAX_OFFSET
# define MAX_OFFSET	((unsigned long)FTRACE_MCOUNT_MAX_OFFSET)
#else
# define MAX_OFFSET	(~0UL)
#endif

/* True if a function begins at @call, or just before it. */
static bool in_function(unsigned long call)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(call, &size, &offset) && offset <= MAX_OFFSET;
}

/**
 * ftrace_call_is_new() - test whether a recorded call becomes a site
 * @texts: list of the texts that are discovered
 * @call: the address of the call, from arch_ftrace_recorded_call()
 *
 * Text outside of @texts is not read: it may have been freed. A call that is under a
 * breakpoint, or whose text has no symbols yet, stays in its slot for a later round.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: True if it is the call of a function in one of @texts, and no site yet.
 */
bool ftrace_call_is_new(const struct list_head *texts, unsigned long call)
{
	const struct ftrace_discovered *text;
	u32 i;

	if (ftrace_site_find_range(call, call + MCOUNT_INSN_SIZE - 1, &i))
		return false;
	text = ftrace_discovered_find(texts, call, call + MCOUNT_INSN_SIZE);
	return text && text->ready && !arch_ftrace_site_check(call, MCOUNT_ADDR, NULL) &&
	       in_function(call);
}
