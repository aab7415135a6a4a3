/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions in words of a filter. */
#ifndef _FTRACE_FILTER_COND_H
#define _FTRACE_FILTER_COND_H

#include "../sites/cond.h"
#include "error_log.h"

struct ftrace_cond *ftrace_word_cond(const char *word, const char *text, unsigned int *pos,
				     enum ftrace_why *why);

#endif /* _FTRACE_FILTER_COND_H */
