// SPDX-License-Identifier: GPL-2.0
/*
 * Function commands: "schedule:traceoff:3" acts when schedule() is called.
 *
 * A command, found by its name, sets a probe on functions.
 */
#include <linux/mutex.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../sites/names.h"
#include "probes.h"
#include "tracefs.h"
#include "words.h"

static LIST_HEAD(commands);
static DEFINE_MUTEX(commands_mutex);

static struct ftrace_func_command *find_command(const char *name)
{
	struct ftrace_func_command *cmd;

	list_for_each_entry(cmd, &commands, list) {
		if (!strcmp(cmd->name, name))
			return cmd;
	}
	return NULL;
}

/**
 * register_ftrace_command() - add a function command
 * @cmd: its name, and the callback for "FUNCTION:NAME[:PARAMS]" written to
 *	set_ftrace_filter; kept until it is unregistered
 *
 * The callback gets the function as it was written, with a leading '!' if the
 * command is to be undone, a NULL ftrace_hash, and true as its last argument; it may
 * take event_mutex.
 *
 * Context: Process context. May sleep. Also at boot before the scheduler runs.
 * Return: 0 on success, -EBUSY if the name is in use.
 */
__init int register_ftrace_command(struct ftrace_func_command *cmd)
{
	guard(mutex)(&commands_mutex);

	/* "mod" and "at" belong to filters, and are not in the list. */
	if (!strcmp(cmd->name, "mod") || !strcmp(cmd->name, "at") || find_command(cmd->name))
		return -EBUSY;
	list_add(&cmd->list, &commands);
	return 0;
}

/**
 * unregister_ftrace_command() - remove a function command
 * @cmd: the command
 *
 * Context: Boot, process context, while no file is open that could run it.
 * Return: 0 on success, -ENODEV if it is not registered.
 */
__init int unregister_ftrace_command(struct ftrace_func_command *cmd)
{
	struct ftrace_func_command *known;

	guard(mutex)(&commands_mutex);

	known = find_command(cmd->name);
	if (!known)
		return -ENODEV;
	list_del_init(&known->list);
	return 0;
}

/**
 * ftrace_command_find() - find a function command
 * @name: its name
 *
 * Commands are not unregistered after boot, so commands_mutex need not be held
 * while one runs.
 *
 * Context: Process context. May sleep.
 * Return: The command, NULL if there is none of that name.
 */
struct ftrace_func_command *ftrace_command_find(const char *name)
{
	guard(mutex)(&commands_mutex);

	return find_command(name);
}

/**
 * ftrace_probe_find() - find the sites that a command is for
 * @glob: "NAME", a pattern, or "NAME [MODULE]" as files show it; maybe with a place
 * @found: gets the numbers of the sites
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_names_find(); -EINVAL also if @glob cannot be parsed.
 */
int ftrace_probe_find(const char *glob, struct ftrace_siteset_builder *found)
{
	char word[FTRACE_WORD_MAX], *module;
	struct ftrace_match m;

	if (strscpy(word, glob) < 0)
		return -EINVAL;
	module = ftrace_word_module(word);
	if (module && !*module)
		return -EINVAL;
	return ftrace_match_parse(&m, word, strlen(word)) ?: ftrace_names_find(&m, module, found);
}
