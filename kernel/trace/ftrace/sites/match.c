// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns for function and module names.
 *
 * Most patterns are plain text, often with a star at one end or both. Each of
 * these forms has its own kind, and is compared without the glob matcher.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "match.h"

static void parse_not(struct ftrace_match *m, const char *text, size_t len)
{
	*m = (struct ftrace_match){ .text = text, .len = len };
	if (len && text[0] == '!') {
		m->not = true;
		m->text++;
		m->len--;
	}
}

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

static void parse_stars(struct ftrace_match *m)
{
	size_t first = 0, end = m->len;
	bool front, back;

	front = end && m->text[0] == '*';
	back = end && m->text[end - 1] == '*';
	if (!end || (front && end == 1)) {
		m->kind = FTRACE_MATCH_ALL;
		return;
	}

	first += front;
	end -= back;
	for (size_t i = first; i < end; i++) {
		if (is_special(m->text[i])) {
			m->kind = FTRACE_MATCH_GLOB;
			return;
		}
	}

	m->kind = front ? back ? FTRACE_MATCH_MIDDLE : FTRACE_MATCH_END :
		  back ? FTRACE_MATCH_FRONT : FTRACE_MATCH_FULL;
	m->text += first;
	m->len = end - first;
}

/**
 * ftrace_match_parse_name() - parse a pattern that is never an index
 * @m: the result
 * @text: [!] and a name or a glob, NUL-terminated; must stay valid as long as
 *	@m is used. Not written to
 * @len: length of @text in bytes, without the NUL
 *
 * For names that may begin with a digit, such as those of modules.
 *
 * Context: Any context.
 */
void ftrace_match_parse_name(struct ftrace_match *m, const char *text, size_t len)
{
	parse_not(m, text, len);
	parse_stars(m);
}

/**
 * ftrace_match_where() - find FTRACE_FILE or FTRACE_DIR in a word
 * @text: the word
 * @len: set to the length of the one that was found, else to 0
 *
 * Context: Any context.
 * Return: A pointer to it in @text, or NULL.
 */
const char *ftrace_match_where(const char *text, size_t *len)
{
	const char *colon = strchr(text, ':');

	*len = 0;
	if (colon)
		*len = str_has_prefix(colon, FTRACE_FILE) ?: str_has_prefix(colon, FTRACE_DIR);
	return *len ? colon : NULL;
}

/**
 * ftrace_match_parse() - parse a pattern for function names
 * @m: the result
 * @text: [!] and a name, a glob, or a line number of
 *	available_filter_functions; or a name or "*", FTRACE_AT and an address, which
 *	is not parsed here; or a name or a pattern with stars only at its ends,
 *	FTRACE_FILE or FTRACE_DIR, and a file or folder. NUL-terminated; must stay
 *	valid as long as @m is used. Not written to
 * @len: length of @text in bytes, without the NUL
 *
 * Context: Any context.
 * Return: 0 on success; -EINVAL if @text begins with a digit but is not a number
 * above 0, or if anything but what is listed above precedes FTRACE_AT, FTRACE_FILE
 * or FTRACE_DIR.
 */
int ftrace_match_parse(struct ftrace_match *m, const char *text, size_t len)
{
	size_t n;

	parse_not(m, text, len);
	m->at = strstr(m->text, FTRACE_AT);
	if (m->at) {
		m->len = m->at - m->text;
		m->at += strlen(FTRACE_AT);
		parse_stars(m);
		return m->len && (m->kind == FTRACE_MATCH_FULL || m->kind == FTRACE_MATCH_ALL) ?
		       0 : -EINVAL;
	}
	m->in = ftrace_match_where(m->text, &n);
	if (m->in) {
		m->where = str_has_prefix(m->in, FTRACE_DIR) ? FTRACE_IN_DIR : FTRACE_IN_FILE;
		m->len = m->in - m->text;
		m->in += n;
		if (isdigit(m->text[0]))
			return -EINVAL;
		parse_stars(m);
		return m->kind != FTRACE_MATCH_GLOB ? 0 : -EINVAL;
	}
	if (!m->len || !isdigit(m->text[0])) {
		parse_stars(m);
		return 0;
	}

	m->kind = FTRACE_MATCH_INDEX;
	if (kstrtoul(m->text, 0, &m->index) || !m->index)
		return -EINVAL;
	return 0;
}

static bool has_inside(const char *name, const char *text, size_t len)
{
	if (!len)
		return true;
	for (; *name; name++) {
		if (*name == *text && !strncmp(name, text, len))
			return true;
	}
	return false;
}

static bool ends_in(const char *name, const char *text, size_t len)
{
	const size_t all = strlen(name);

	return all >= len && !memcmp(name + all - len, text, len);
}

/**
 * ftrace_match() - compare a name with a pattern
 * @m: the pattern; @m->not is ignored
 * @name: the name
 *
 * Context: Any context.
 * Return: True if @name matches. An index matches no name.
 */
bool ftrace_match(const struct ftrace_match *m, const char *name)
{
	switch (m->kind) {
	case FTRACE_MATCH_FULL:
		return !strncmp(name, m->text, m->len) && !name[m->len];
	case FTRACE_MATCH_FRONT:
		return !strncmp(name, m->text, m->len);
	case FTRACE_MATCH_MIDDLE:
		return has_inside(name, m->text, m->len);
	case FTRACE_MATCH_END:
		return ends_in(name, m->text, m->len);
	case FTRACE_MATCH_GLOB:
		return glob_match(m->text, name);
	case FTRACE_MATCH_ALL:
		return true;
	case FTRACE_MATCH_INDEX:
		break;
	}
	return false;
}
