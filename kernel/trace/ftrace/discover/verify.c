// SPDX-License-Identifier: GPL-2.0
/*
 * What a recorded call is.
 *
 * An address in a slot says only that something called __fentry__ and would
 * return there. It becomes a site if it lies in a known text, at the beginning of a
 * function, and if the bytes before it are such a call now.
 */
#include <linux/errno.h>
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

/* For a call in @text that is no site. -EBUSY: it has a breakpoint for now. */
static enum ftrace_verdict verify_bytes(const struct ftrace_discovered *text, unsigned long call)
{
	if (!text->ready)
		return FTRACE_CALL_LATER;

	switch (arch_ftrace_site_check(call, MCOUNT_ADDR, NULL)) {
	case 0:
		return in_function(call) ? FTRACE_CALL_NEW : FTRACE_CALL_NONE;
	case -EBUSY:
		return FTRACE_CALL_LATER;
	default:
		return FTRACE_CALL_NONE;
	}
}

/**
 * ftrace_verify() - decide what becomes of a recorded call
 * @texts: list of the texts that are discovered
 * @call: the address of the call, from arch_ftrace_recorded_call()
 *
 * Text outside of @texts is not read: it may have been freed.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: The verdict.
 */
enum ftrace_verdict ftrace_verify(const struct list_head *texts, unsigned long call)
{
	const struct ftrace_site_block *b;
	const struct ftrace_discovered *text;
	u32 i;

	b = ftrace_site_find_range(call, call + MCOUNT_INSN_SIZE - 1, &i);
	if (b) {
		if (ftrace_site_ip(b, i) != call)
			return FTRACE_CALL_NONE;
		return b->sites[i].state & FTRACE_SITE_ARMED ? FTRACE_CALL_ARMED :
							       FTRACE_CALL_DONE;
	}
	text = ftrace_discovered_find(texts, call, call + MCOUNT_INSN_SIZE);
	return text ? verify_bytes(text, call) : FTRACE_CALL_NONE;
}
