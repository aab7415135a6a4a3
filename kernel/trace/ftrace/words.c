// SPDX-License-Identifier: GPL-2.0
/*
 * What people write to the tracer's files: words with white space between
 * them, and what they get to read when a word is no good.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/uaccess.h>

#include "doors.h"

/**
 * ftrace_word_read - take one word out of what is written
 * @word: what an earlier write left unfinished, or ->len is 0
 * @ubuf: what is written
 * @cnt: how much of it
 * @ppos: the file's position; at 0, an unfinished word is forgotten
 * @whole: set if a word is complete; the caller then sets ->len to 0
 *
 * A word ends with white space or a NUL, which is taken along. What comes
 * after it is left for the next write: programs rely on it, and it lets the
 * error of each word be that of a write.
 *
 * Context: process, may fault.
 * Return: bytes taken; -E2BIG if the word is too long (it is then cut off in
 * @word, to be shown), -EFAULT.
 */
ssize_t ftrace_word_read(struct ftrace_word *word, const char __user *ubuf, size_t cnt,
			 loff_t *ppos, bool *whole)
{
	size_t used = 0;
	char buf[64];

	*whole = false;
	if (!*ppos)
		word->open = false;
	if (!word->open)
		word->len = 0;

	while (used < cnt) {
		size_t n = min(cnt - used, sizeof(buf)), i;

		n -= copy_from_user(buf, ubuf + used, n);
		if (!n)
			return used ? used : -EFAULT;

		for (i = 0; i < n; i++) {
			char c = buf[i];

			if (isspace(c) || !c) {
				if (!word->len && c)
					continue;
				*whole = word->len;
				word->open = false;
				return used + i + 1;
			}
			if (word->len == sizeof(word->text) - 1) {
				word->open = false;
				return -E2BIG;
			}
			word->text[word->len++] = c;
			word->text[word->len] = '\0';
		}
		used += n;
		word->open = word->len;
	}
	return used;
}

static const char *const reasons[] = {
	[FTRACE_WHY_FAILED]		= "Failed",
	[FTRACE_WHY_NO_FUNCTION]	= "No such function",
	[FTRACE_WHY_NO_MATCH]		= "No function matches",
	[FTRACE_WHY_NOT_TRACEABLE]	= "Function is not traceable",
	[FTRACE_WHY_NOT_IN_FILTER]	= "Not in the filter",
	[FTRACE_WHY_NO_LINE]		= "No such line in available_filter_functions",
	[FTRACE_WHY_BAD_LINE]		= "Not a name and not a line number",
	[FTRACE_WHY_TOO_LONG]		= "Name too long",
	[FTRACE_WHY_NO_MODULE]		= "No such module",
	[FTRACE_WHY_NO_COMMAND]		= "Unknown command",
	[FTRACE_WHY_NO_COMMANDS]	= "This tracer takes no commands",
	[FTRACE_WHY_COMMAND_NOT_HERE]	= "Command does not work in this file",
	[FTRACE_WHY_BAD_COUNT]		= "Bad count",
	[FTRACE_WHY_NO_EVENT]		= "No such event",
	[FTRACE_WHY_NO_PROBE]		= "No such command on this function",
	[FTRACE_WHY_PROBE_EXISTS]	= "Function has this command already",
	[FTRACE_WHY_NO_TRACER]		= "No such tracer",
	[FTRACE_WHY_BUSY]		= "A live patch, kprobe or direct call is in the way",
	[FTRACE_WHY_EXCLUSIVE]		= "This tracer must be told which functions to trace",
	[FTRACE_WHY_NO_MEMORY]		= "Out of memory",
	[FTRACE_WHY_GONE]		= "Tracer is gone",
};

/**
 * ftrace_complain - say in error_log what was wrong with what was written
 * @tr: whose error_log; NULL: that of the top
 * @tracer: whom it was meant for
 * @file: the name of the file
 * @text: what was written
 * @pos: where in it the trouble begins
 * @why: what the trouble is
 *
 * Context: process, may sleep.
 */
void ftrace_complain(struct trace_array *tr, const char *tracer, const char *file,
		     const char *text, unsigned int pos, enum ftrace_why why)
{
	char where[96];

	snprintf(where, sizeof(where), "%s: %s", tracer, file);
	/* Takes the table by a pointer that is not const, and does not write to it. */
	tracing_log_err(tr, where, text, (const char **)reasons, why, pos);
}

/**
 * ftrace_why_no_site - why a name or pattern leads to no site
 * @name: the name or pattern, without '!'; NUL after @len is not needed
 * @len: its length
 * @err: what the search returned
 *
 * Context: process, may sleep.
 * Return: the reason.
 */
enum ftrace_why ftrace_why_no_site(const char *name, size_t len, int err)
{
	char exact[KSYM_NAME_LEN];
	struct ftrace_match m;

	if (err == -ENOMEM)
		return FTRACE_WHY_NO_MEMORY;
	if (ftrace_match_parse(&m, name, len))
		return isdigit(*name) ? FTRACE_WHY_BAD_LINE : FTRACE_WHY_NO_FUNCTION;
	if (m.kind == FTRACE_MATCH_INDEX)
		return FTRACE_WHY_NO_LINE;
	if (m.kind != FTRACE_MATCH_FULL)
		return FTRACE_WHY_NO_MATCH;
	if (len >= sizeof(exact))
		return FTRACE_WHY_TOO_LONG;

	strscpy(exact, name, len + 1);
	return kallsyms_lookup_name(exact) ? FTRACE_WHY_NOT_TRACEABLE : FTRACE_WHY_NO_FUNCTION;
}
