/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files behind tracefs share with each other. The order of their locks
 * is in lock.h.
 */
#ifndef _FTRACE_DOORS_H
#define _FTRACE_DOORS_H

#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "../../trace.h"
#include "../sites/edit.h"
#include "../hooks/ops.h"

/* ---- words.c: split what is written into words, report bad words ---- */

#define FTRACE_WORD_MAX	(KSYM_SYMBOL_LEN + 4)	/* including the final NUL */

struct ftrace_word {
	unsigned int	len;
	bool		open;			/* the next write may continue the word */
	char		text[FTRACE_WORD_MAX];
};

ssize_t ftrace_word_read(struct ftrace_word *word, const char __user *ubuf, size_t cnt,
			 loff_t *ppos, bool *whole);

enum ftrace_why {
	FTRACE_WHY_FAILED,
	FTRACE_WHY_NO_FUNCTION,
	FTRACE_WHY_NO_MATCH,
	FTRACE_WHY_NOT_TRACEABLE,
	FTRACE_WHY_NOT_IN_FILTER,
	FTRACE_WHY_NO_LINE,
	FTRACE_WHY_BAD_LINE,
	FTRACE_WHY_TOO_LONG,
	FTRACE_WHY_NO_MODULE,
	FTRACE_WHY_NO_COMMAND,
	FTRACE_WHY_NO_COMMANDS,
	FTRACE_WHY_COMMAND_NOT_HERE,
	FTRACE_WHY_BAD_COUNT,
	FTRACE_WHY_NO_EVENT,
	FTRACE_WHY_NO_PROBE,
	FTRACE_WHY_PROBE_EXISTS,
	FTRACE_WHY_NO_TRACER,
	FTRACE_WHY_BUSY,
	FTRACE_WHY_EXCLUSIVE,
	FTRACE_WHY_NO_MEMORY,
	FTRACE_WHY_GONE,
};

void ftrace_complain(struct trace_array *tr, const char *tracer, const char *file,
		     const char *text, unsigned int pos, enum ftrace_why why);
enum ftrace_why ftrace_why_no_site(const char *name, size_t len, int err);

/* ---- draft.c: what is written to a file takes effect on close ---- */

struct ftrace_draft {
	const struct ftrace_draft_ops *ops;
	struct mutex		lock;		/* serialises writes */
	struct ftrace_word	word;
	int			err;		/* first error */
	bool			closed;
	struct ftrace_edit	edit;		/* [L] */
};

/* All are called under the draft's lock and report bad words themselves. */
struct ftrace_draft_ops {
	int	(*word)(struct ftrace_draft *draft);	/* stage ->word */
	void	(*too_long)(struct ftrace_draft *draft);
	int	(*apply)(struct ftrace_draft *draft);	/* put ->edit into force */
};

void ftrace_draft_init(struct ftrace_draft *draft, const struct ftrace_draft_ops *ops,
		       struct file *file);
void ftrace_draft_drop(struct ftrace_draft *draft);
ssize_t ftrace_draft_write(struct ftrace_draft *draft, const char __user *ubuf, size_t cnt,
			   loff_t *ppos);
int ftrace_draft_close(struct ftrace_draft *draft);
int ftrace_draft_flush(struct ftrace_draft *draft, struct file *file);
/* Opens a file for reading, writing or both; ftrace_draft_session() returns @session. */
int ftrace_draft_attach(struct file *file, const struct seq_operations *ops, void *session);
void *ftrace_draft_session(struct file *file);

/* ---- tracefs_sites.c: a walk over sites that may drop ftrace_lock between steps ---- */

struct ftrace_walk {
	/* The first wanted site of @b at or after index @i; @b->nr: none. */
	u32			(*pick)(const struct ftrace_site_block *b, u32 i, const void *what);
	const void		*what;

	struct ftrace_site_block *block;	/* current site's block; NULL: past the end */
	u32			i;
	u64			line;		/* number of wanted sites before the current one */
	unsigned long		ip;		/* of the current site */
	u64			generation;	/* ftrace_site_generation when the above was set */
	bool			started;
	struct ftrace_names_cursor names;
};

bool ftrace_walk_start(struct ftrace_walk *walk);
bool ftrace_walk_next(struct ftrace_walk *walk);
bool ftrace_walk_resume(struct ftrace_walk *walk);
bool ftrace_walk_to(struct ftrace_walk *walk, u64 line);
void ftrace_walk_name(struct ftrace_walk *walk, struct seq_file *m);
/* A ->pick() for the members of the set @what, which may be NULL. */
u32 ftrace_pick_set(const struct ftrace_site_block *b, u32 i, const void *what);

void ftrace_create_site_files(struct dentry *parent);

/* ---- tracers.c: tracers and their names ---- */

/* A tracer that a filter file may show or change. */
struct ftrace_door {
	const char		*name;
	struct ftrace_ops	*ops;
	struct trace_array	*tr;		/* a reference; NULL: no function commands */
	struct list_head	*mods[2];	/* [L] for modules not loaded yet: [except] */
	bool			own;		/* give it its own slot before a change */
	struct ftrace_filter	*filter;	/* [L] in force when the file was opened */
	u64			order;
};

struct ftrace_doors {
	unsigned int		nr;
	unsigned int		target;		/* index of the tracer to be changed */
	struct ftrace_door	door[];
};

struct ftrace_doors *ftrace_doors_get(struct trace_array *tr, struct ftrace_ops *ops);
void ftrace_doors_put(struct ftrace_doors *doors);
bool ftrace_door_alive(const struct ftrace_door *door);
bool ftrace_doors_by_name(void);
const char *ftrace_tracer_name(struct trace_array *tr, struct ftrace_ops *ops);
void ftrace_name_array(struct trace_array *tr);
void ftrace_unname_array(struct trace_array *tr);
void ftrace_create_tracers_file(struct dentry *parent);

/* ---- tracefs_filter.c and filter_mods.c ---- */

void ftrace_filters_module_coming(struct module *mod);
void ftrace_sessions_gone(u32 first, u32 end);

/* ---- commands.c: function commands and probes ---- */

extern struct mutex ftrace_probe_mutex;

int ftrace_command_run(struct trace_array *tr, char *func, char *cmd, char *params, bool enable);
bool ftrace_command_exists(const char *cmd);
/* Probe number @n of @tr, latest first; NULL: no more. ftrace_probe_mutex held. */
struct ftrace_func_probe *ftrace_probe_nth(struct trace_array *tr, unsigned int n);
const struct ftrace_siteset *ftrace_probe_sites(struct ftrace_func_probe *probe);
void ftrace_probe_print(struct ftrace_func_probe *probe, struct seq_file *m, unsigned long ip);
void ftrace_probes_gone(u32 first, u32 end);

/* ---- tracefs_pid.c ---- */

void ftrace_create_pid_files(struct trace_array *tr, struct dentry *parent);

/* ---- profile.c ---- */

#ifdef CONFIG_FUNCTION_PROFILER
struct ftrace_ops *ftrace_profile_ops(void);
extern struct list_head ftrace_profile_mods[2];
void ftrace_create_profile_files(struct dentry *parent);
#else
static inline struct ftrace_ops *ftrace_profile_ops(void)
{
	return NULL;
}

static inline void ftrace_create_profile_files(struct dentry *parent)
{
}
#endif

/* ---- graph_filter.c ---- */

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void ftrace_graph_early_filter(char *buf, int enable);
void ftrace_create_graph_files(struct dentry *parent);
void ftrace_graph_sets_gone(u32 first, u32 end);
#else
static inline void ftrace_create_graph_files(struct dentry *parent)
{
}

static inline void ftrace_graph_sets_gone(u32 first, u32 end)
{
}
#endif

/* ---- tracefs.c ---- */

void ftrace_doors_watch(void);

#endif /* _FTRACE_DOORS_H */
