// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of bad words in error_log.
 */
#include <linux/ctype.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../../trace.h"
#include "../sites/files.h"
#include "../sites/lock.h"
#include "../sites/match.h"
#include "../sites/names.h"
#include "../sites/site.h"
#include "error_log.h"

static const char *const reasons[] = {
	[FTRACE_WHY_FAILED]		= "Failed",
	[FTRACE_WHY_NO_FUNCTION]	= "No such function",
	[FTRACE_WHY_NO_MATCH]		= "No function matches",
	[FTRACE_WHY_NOT_THERE]		= "No function of this name is there",
	[FTRACE_WHY_NO_CALL]		=
		"Function is not traceable: notrace, or built without calls of the tracer",
	[FTRACE_WHY_NOINSTR]		= "Function is not traceable: noinstr or entry code",
	[FTRACE_WHY_FREED]		= "Function is not traceable: freed after boot",
	[FTRACE_WHY_INVALID]		= "Not a function: left by a weak one, or overwritten",
	[FTRACE_WHY_OTHER_NAME]		= "Function is listed by another name",
	[FTRACE_WHY_NOT_RUN]		= "Function has not run yet",
	[FTRACE_WHY_NO_RECORDS]		= "Function is not traceable: its module has no call sites",
	[FTRACE_WHY_NO_TEXT]		= "Symbol is no function",
	[FTRACE_WHY_NOT_IN_FILTER]	= "Not in the filter",
	[FTRACE_WHY_NO_LINE]		= "No such line in available_filter_functions",
	[FTRACE_WHY_BAD_LINE]		= "Not a name and not a line number",
	[FTRACE_WHY_TOO_LONG]		= "Name too long",
	[FTRACE_WHY_NO_FILE]		= "No function is in such a file",
	[FTRACE_WHY_NO_MODULE]		= "No such module",
	[FTRACE_WHY_NO_COMMAND]		= "Unknown command",
	[FTRACE_WHY_NO_COMMANDS]	= "This tracer takes no commands",
	[FTRACE_WHY_COMMAND_NOT_HERE]	= "Command does not work in this file",
	[FTRACE_WHY_BAD_COUNT]		= "Bad count",
	[FTRACE_WHY_NO_EVENT]		= "No such event",
	[FTRACE_WHY_NO_PROBE]		= "No such command on this function",
	[FTRACE_WHY_PROBE_EXISTS]	= "Function has this command already",
	[FTRACE_WHY_BAD_COND]		=
		"Not a condition: argument, one of == != < <= > >= &, and a number",
	[FTRACE_WHY_NO_ARGUMENT]	= "No such argument, or it is no integer in a register",
	[FTRACE_WHY_BAD_VALUE]		= "The argument is never so, or the number is too large",
	[FTRACE_WHY_MANY_CONDS]		= "Too many conditions",
	[FTRACE_WHY_COND_NOT_HERE]	= "Condition does not work here",
	[FTRACE_WHY_NO_TRACER]		= "No such tracer",
	[FTRACE_WHY_NO_MEMORY]		= "Out of memory",
	[FTRACE_WHY_GONE]		= "Tracer is gone",
};

/**
 * ftrace_complain() - report a word in error_log
 * @tr: the trace array with the error_log; NULL: the top one
 * @tracer: name of the tracer
 * @file: name of the file
 * @text: the word
 * @pos: offset of the error in @text
 * @why: the reason
 *
 * Context: Process context. May sleep.
 */
void ftrace_complain(struct trace_array *tr, const char *tracer, const char *file,
		     const char *text, unsigned int pos, enum ftrace_why why)
{
	char where[96];

	snprintf(where, sizeof(where), "%s: %s", tracer, file);
	/* The parameter is not const, but nothing is written to the table. */
	tracing_log_err(tr, where, text, (const char **)reasons, why, pos);
}

static bool within(unsigned long addr, const char *start, const char *end)
{
	return addr >= (unsigned long)start && addr < (unsigned long)end;
}

static bool file_there(const struct ftrace_match *m)
{
	guard(mutex)(&ftrace_lock);
	return ftrace_files_any(m);
}

/**
 * ftrace_why_not_listed() - find why a symbol is in no list of functions
 * @addr: the symbol's value
 *
 * Context: Any context.
 * Return: The reason. %FTRACE_WHY_OTHER_NAME and %FTRACE_WHY_NOT_RUN: there is a function,
 * which can be traced; %FTRACE_WHY_NO_TEXT: there is none.
 */
enum ftrace_why ftrace_why_not_listed(unsigned long addr)
{
	const unsigned long ip = ftrace_location(addr);
	const struct ftrace_site_block *b;
	const struct module *mod;
	u32 i;

	guard(preempt)();
	b = ftrace_site_find_exact(ip, &i);
	if (b && !(b->sites[i].state & FTRACE_SITE_DEAD))
		return b->sites[i].state & FTRACE_SITE_FAULT ? FTRACE_WHY_INVALID :
							       FTRACE_WHY_OTHER_NAME;
	if (ip && !b)
		return FTRACE_WHY_NOT_RUN;
	if (is_kernel_inittext(addr) && system_state >= SYSTEM_FREEING_INITMEM)
		return FTRACE_WHY_FREED;
	if (within(addr, __noinstr_text_start, __noinstr_text_end) ||
	    within(addr, __entry_text_start, __entry_text_end))
		return FTRACE_WHY_NOINSTR;
	mod = __module_text_address(addr);
	if (mod && !mod->num_ftrace_callsites)
		return FTRACE_WHY_NO_RECORDS;
	return mod || core_kernel_text(addr) ? FTRACE_WHY_NO_CALL : FTRACE_WHY_NO_TEXT;
}

/**
 * ftrace_why_no_site() - find why a name or pattern has no site
 * @name: the name or pattern, without '!'
 * @err: what the search returned
 *
 * Context: Process context. May sleep. Takes ftrace_lock if @name selects by file.
 * Return: The reason.
 */
enum ftrace_why ftrace_why_no_site(const char *name, int err)
{
	struct ftrace_match m;
	unsigned long addr;
	bool bad = ftrace_match_parse(&m, name, strlen(name));

	if (err == -ENOMEM)
		return FTRACE_WHY_NO_MEMORY;
	if (m.at)
		return FTRACE_WHY_NOT_THERE;
	if (bad)
		return isdigit(*name) ? FTRACE_WHY_BAD_LINE : FTRACE_WHY_NO_FUNCTION;
	if (m.kind == FTRACE_MATCH_INDEX)
		return FTRACE_WHY_NO_LINE;
	if (m.in && !file_there(&m))
		return FTRACE_WHY_NO_FILE;
	if (m.in || m.kind != FTRACE_MATCH_FULL)
		return FTRACE_WHY_NO_MATCH;
	if (strlen(name) >= KSYM_NAME_LEN)
		return FTRACE_WHY_TOO_LONG;
	if (str_has_prefix(name, FTRACE_INVALID_NAME))
		return FTRACE_WHY_INVALID;
	addr = kallsyms_lookup_name(name);
	return addr ? ftrace_why_not_listed(addr) : FTRACE_WHY_NO_FUNCTION;
}
