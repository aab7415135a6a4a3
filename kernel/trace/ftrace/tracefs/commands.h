/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function commands.
 */
#ifndef _FTRACE_COMMANDS_H
#define _FTRACE_COMMANDS_H

#include <linux/types.h>

struct trace_array;

int ftrace_command_run(struct trace_array *tr, char *func, char *cmd, char *params, bool enable);
bool ftrace_command_exists(const char *cmd);

#endif /* _FTRACE_COMMANDS_H */
