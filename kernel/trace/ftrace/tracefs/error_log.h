/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of bad words in error_log.
 */
#ifndef _FTRACE_ERROR_LOG_H
#define _FTRACE_ERROR_LOG_H

#include <linux/types.h>

struct trace_array;

enum ftrace_why {
	FTRACE_WHY_FAILED,
	FTRACE_WHY_NO_FUNCTION,
	FTRACE_WHY_NO_MATCH,
	FTRACE_WHY_NOT_THERE,
	FTRACE_WHY_NO_CALL,
	FTRACE_WHY_NOINSTR,
	FTRACE_WHY_FREED,
	FTRACE_WHY_INVALID,
	FTRACE_WHY_OTHER_NAME,
	FTRACE_WHY_NOT_RUN,
	FTRACE_WHY_NO_RECORDS,
	FTRACE_WHY_NO_TEXT,
	FTRACE_WHY_NOT_IN_FILTER,
	FTRACE_WHY_NO_LINE,
	FTRACE_WHY_BAD_LINE,
	FTRACE_WHY_TOO_LONG,
	FTRACE_WHY_NO_FILE,
	FTRACE_WHY_NO_MODULE,
	FTRACE_WHY_NO_COMMAND,
	FTRACE_WHY_NO_COMMANDS,
	FTRACE_WHY_COMMAND_NOT_HERE,
	FTRACE_WHY_BAD_COUNT,
	FTRACE_WHY_NO_EVENT,
	FTRACE_WHY_NO_PROBE,
	FTRACE_WHY_PROBE_EXISTS,
	FTRACE_WHY_BAD_COND,
	FTRACE_WHY_NO_ARGUMENT,
	FTRACE_WHY_BAD_VALUE,
	FTRACE_WHY_MANY_CONDS,
	FTRACE_WHY_COND_NOT_HERE,
	FTRACE_WHY_NO_TRACER,
	FTRACE_WHY_NO_MEMORY,
	FTRACE_WHY_GONE,
};

void ftrace_complain(struct trace_array *tr, const char *tracer, const char *file,
		     const char *text, unsigned int pos, enum ftrace_why why);
enum ftrace_why ftrace_why_not_listed(unsigned long addr);
enum ftrace_why ftrace_why_no_site(const char *name, int err);

#endif /* _FTRACE_ERROR_LOG_H */
