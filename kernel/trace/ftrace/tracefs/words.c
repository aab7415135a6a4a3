// SPDX-License-Identifier: GPL-2.0
/*
 * Words written to the tracer's files, with white space between them.
 */
#include <linux/ctype.h>
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "words.h"

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
