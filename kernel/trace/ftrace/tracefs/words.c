// SPDX-License-Identifier: GPL-2.0
/*
 * Words written to the tracer's files, with white space between them, and the
 * errors reported for them.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/uaccess.h>

#include "doors.h"

/**
 * ftrace_word_read() - take one word from a write
 * @word: the unfinished word of an earlier write, or ->len is 0
 * @ubuf: what is written
 * @cnt: bytes in @ubuf
 * @ppos: the file's position; at 0, an unfinished word is dropped
 * @whole: set to whether the word is complete; the caller then sets ->len to 0
 *
 * White space or a NUL ends a word and is consumed with it. The rest is left
 * for the next write: programs rely on it, and the error of each word is then
 * that of one write.
 *
 * Context: Process context. May fault.
 * Return: Bytes taken, -E2BIG if the word is too long (@word then has its
 * beginning, for the report), -EFAULT if @ubuf cannot be read.
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

/**
 * ftrace_why_no_site() - find why a name or pattern has no site
 * @name: the name or pattern, without '!'; it needs no NUL at its end
 * @len: its length in bytes
 * @err: what the search returned
 *
 * Context: Process context. May sleep.
 * Return: The reason.
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
