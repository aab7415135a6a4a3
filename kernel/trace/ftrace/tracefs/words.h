/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words written to the tracer's files, with white space between them.
 */
#ifndef _FTRACE_WORDS_H
#define _FTRACE_WORDS_H

#include <linux/kallsyms.h>
#include <linux/types.h>

#define FTRACE_WORD_MAX	(KSYM_SYMBOL_LEN + 4)	/* including the final NUL */

struct ftrace_word {
	unsigned int	len;
	bool		open;			/* the next write may continue the word */
	bool		gap;			/* blanks follow the name; maybe "[module]" */
	unsigned int	cut;			/* length of the name that ended a write */
	char		text[FTRACE_WORD_MAX];
};

char *ftrace_word_module(char *text);
char *ftrace_word_second(char *text);
char *ftrace_word_command(char *text);
ssize_t ftrace_word_read(struct ftrace_word *word, const char __user *ubuf, size_t cnt,
			 loff_t *ppos, bool *whole);

#endif /* _FTRACE_WORDS_H */
