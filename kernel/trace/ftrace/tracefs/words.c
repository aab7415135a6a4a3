// SPDX-License-Identifier: GPL-2.0
/*
 * Words written to the tracer's files, with white space between them.
 */
#include <linux/ctype.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../sites/match.h"
#include "words.h"

enum verdict { GO_ON, DONE, DONE_BEFORE, TOO_LONG };

static enum verdict put(struct ftrace_word *word, char c)
{
	if (word->len == sizeof(word->text) - 1)
		return TOO_LONG;
	word->text[word->len++] = c;
	word->text[word->len] = '\0';
	return GO_ON;
}

/* A line that begins with '#' where a word could. What does not fit is dropped. */
static enum verdict take_comment(struct ftrace_word *word, char c)
{
	if (c == '\n' || !c)
		return DONE;
	put(word, c);
	return GO_ON;
}

static enum verdict take(struct ftrace_word *word, char c)
{
	bool blank = c == ' ' || c == '\t';

	if (word->len && word->text[0] == '#')
		return take_comment(word, c);

	if (word->gap) {
		if (blank)
			return GO_ON;
		word->gap = false;
		if (c != '[')
			return DONE_BEFORE;
		put(word, ' ');
		return put(word, c);
	}

	if (!isspace(c) && c) {
		/* The module of the name at the end of the last write. */
		if (!word->len && c == '[' && word->cut) {
			word->len = word->cut;
			put(word, ' ');
		}
		word->cut = 0;
		return put(word, c);
	}
	if (!word->len) {
		if (!blank)
			word->cut = 0;
		return c ? GO_ON : DONE;
	}
	word->gap = blank && !strpbrk(word->text, " :");
	return word->gap ? GO_ON : DONE;
}

/**
 * ftrace_word_module() - cut the module out of "NAME [MODULE][:at:PLACE]"
 * @text: the word; modified: "NAME[:at:PLACE]" remains
 *
 * Context: Any context.
 * Return: The module, "" if the word is not of that form, NULL if there is no module in
 * it: @text is as it was then.
 */
char *ftrace_word_module(char *text)
{
	char *blank = strstr(text, " ["), *rest = blank ? strchr(blank, ']') : NULL;
	char module[MODULE_NAME_LEN];
	size_t len;

	if (!rest)
		return NULL;
	*blank = '\0';
	*rest++ = '\0';
	len = strlen(rest) + 1;
	if ((len > 1 && !str_has_prefix(rest, FTRACE_AT)) || strscpy(module, blank + 2) < 0)
		return blank;
	/* The blank and the brackets leave room for both, and for two NULs. */
	memmove(blank, rest, len);
	return memcpy(blank + len, module, strlen(module) + 1);
}

/**
 * ftrace_word_second() - cut "NAME [PATTERN" in two, where "[PATTERN" is no "[MODULE]"
 * @text: the word; modified: "NAME" remains
 *
 * Context: Any context.
 * Return: The second word, which begins with a bracket; NULL if there is none.
 */
char *ftrace_word_second(char *text)
{
	char *blank = strstr(text, " ["), *end = blank ? strchr(blank, ']') : NULL;

	if (!blank || (end && (!end[1] || end[1] == ':')))
		return NULL;
	*blank = '\0';
	return blank + 1;
}

/**
 * ftrace_word_command() - find the command in "TARGET[:at:PLACE][:COMMAND]", or with
 * ":file:FILE" or ":dir:FOLDER" in place of ":at:PLACE"
 * @text: the word
 *
 * Context: Any context.
 * Return: The colon before the command; NULL if there is none.
 */
char *ftrace_word_command(char *text)
{
	char *colon = strchr(text, ':');
	size_t len;

	if (colon && str_has_prefix(colon, FTRACE_AT))
		return strchr(colon + strlen(FTRACE_AT), ':');
	if (colon && ftrace_match_where(colon, &len))
		return strchr(colon + len, ':');
	return colon;
}

/**
 * ftrace_word_read() - take one word from a write
 * @word: the unfinished word of an earlier write, or ->len is 0
 * @ubuf: what is written
 * @cnt: bytes in @ubuf
 * @ppos: the file's position; at 0, an unfinished word is dropped
 * @whole: set to whether the word is complete; the caller then sets ->len to 0
 *
 * White space or a NUL ends a word and is consumed with it. The rest is left
 * for the next write: programs rely on that, and each write() then returns the
 * error of its own word.
 *
 * "name [module]", as files show functions of modules, is one word, with one
 * space in it. If a write ends before the bracket, the name is a word, and ->cut
 * is set; if the next write begins with the module, the name is repeated with it. A
 * comment, from '#' to the end of the line, is returned as a word, too.
 *
 * Context: Process context. May fault.
 * Return: Bytes taken, -E2BIG if the word is too long (@word then has its
 * beginning, for the report), -EFAULT if @ubuf cannot be read.
 */
ssize_t ftrace_word_read(struct ftrace_word *word, const char __user *ubuf, size_t cnt,
			 loff_t *ppos, bool *whole)
{
	size_t used = 0, end = 0;	/* @end: just after the blank that ended a name */
	char buf[64];

	*whole = false;
	if (!*ppos)
		word->open = false;
	if (!word->open)
		word->len = 0;
	word->gap = false;

	while (used < cnt) {
		size_t n = min(cnt - used, sizeof(buf)), i;

		n -= copy_from_user(buf, ubuf + used, n);
		if (!n && !used)
			return -EFAULT;
		if (!n)
			break;

		for (i = 0; i < n; i++) {
			const bool was_gap = word->gap;

			switch (take(word, buf[i])) {
			case DONE:
				end = used + i + 1;
				fallthrough;
			case DONE_BEFORE:
				*whole = word->len;
				word->open = false;
				return end;
			case TOO_LONG:
				word->open = false;
				return -E2BIG;
			default:
				if (word->gap && !was_gap)
					end = used + i + 1;
			}
		}
		used += n;
		word->open = word->len;
	}
	if (word->gap) {
		word->gap = false;
		word->open = false;
		word->cut = word->len;
		*whole = true;
	}
	return used;
}
