// SPDX-License-Identifier: GPL-2.0
/*
 * function_tracers: choose a tracer by its name.
 *
 * The file lists the tracers that are registered. Opening it makes the top filter
 * files show and change tracers one by one, for the processes of the opener's
 * session only: the latest registered tracer is the default, or the one whose name
 * was written. Everybody else sees the filter of the top trace array, whatever
 * other sessions do. An empty line ends it for the session.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "error_log.h"
#include "tracefs.h"
#include "tracers.h"

/* A session that has opened function_tracers. */
struct choice {
	struct list_head	list;
	struct pid		*session;	/* a reference */
	char			*name;		/* of the tracer; NULL: the latest */
};

static LIST_HEAD(choices);	/* [L] */

static void choice_free(struct choice *c)
{
	list_del(&c->list);
	put_pid(c->session);
	kfree(c->name);
	kfree(c);
}

static struct pid *session_get(void)
{
	/* Another thread may call setsid(). */
	guard(rcu)();
	return get_pid(task_session(current));
}

/*
 * Find the choice of the caller's session. Entries of sessions without processes are
 * freed on the way: left are living ones, and those that end before the next call.
 */
static struct choice *choice_find(void)
{
	struct pid *session = session_get();
	struct choice *c, *next, *found = NULL;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry_safe(c, next, &choices, list) {
		if (c->session == session)
			found = c;
		else if (!pid_has_task(c->session, PIDTYPE_SID))
			choice_free(c);
	}
	put_pid(session);
	return found;
}

/* As choice_find(), but make one if there is none. Return: NULL for lack of memory. */
static struct choice *choice_make(void)
{
	struct choice *c = choice_find();

	if (c)
		return c;
	c = kzalloc_obj(*c);
	if (c) {
		c->session = session_get();
		list_add(&c->list, &choices);
	}
	return c;
}

/* Find the tracer that @hook belongs to. Return: True if there is one. */
static bool tracer_of(struct ftrace_hook *hook, struct ftrace_tracer *tracer)
{
	struct ftrace_ops *ops = hook->ops;
	struct trace_array *tr;

	*tracer = (struct ftrace_tracer){ .ops = ops, .order = hook->order };

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (ftrace_ops_of_array(ops, tr)) {
			tracer->ops = tr->ops;
			tracer->tr = tr;
			return tr->ops;
		}
	}
	/* Files must not change the filter of an exclusive hook. */
	return ops->name && !ftrace_ops_exclusive(ops);
}

/* List all registered tracers, the oldest first. Return: How many, or -ENOMEM. */
static int collect(struct ftrace_tracers **result)
{
	struct ftrace_tracers *tracers;
	struct ftrace_tracer tracer;
	struct ftrace_hook *hook;
	unsigned int n = 0, i;

	lockdep_assert_held(&trace_types_lock);
	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list)
		n++;
	tracers = kzalloc(struct_size(tracers, tracer, n), GFP_KERNEL);
	if (!tracers)
		return -ENOMEM;

	list_for_each_entry_reverse(hook, &ftrace_hooks, list) {
		if (!tracer_of(hook, &tracer))
			continue;
		for (i = 0; i < tracers->nr && tracers->tracer[i].ops != tracer.ops; i++)
			;
		if (i < tracers->nr)
			tracers->tracer[i].order = tracer.order;
		else
			tracers->tracer[tracers->nr++] = tracer;
	}
	*result = tracers;
	return tracers->nr;
}

/* Index of the tracer that the session has chosen by name, or else of the latest one. */
static unsigned int default_of(const struct ftrace_tracers *tracers, const struct choice *c)
{
	unsigned int def = 0, i;

	for (i = 0; i < tracers->nr; i++) {
		const struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (c->name && !strcmp(c->name, ftrace_tracer_name(tracer->tr, tracer->ops)))
			return i;
		if (tracer->order > tracers->tracer[def].order)
			def = i;
	}
	return def;
}

/**
 * ftrace_tracers_chosen() - list all tracers, if the caller's session chooses
 *
 * Context: Process context. May sleep. trace_types_lock and ftrace_lock held.
 * Return: The registered tracers, with ->target the chosen one, to be freed by
 * kfree(); NULL if the session has not opened function_tracers, or none is
 * registered; ERR_PTR(-ENOMEM).
 */
struct ftrace_tracers *ftrace_tracers_chosen(void)
{
	const struct choice *c = choice_find();
	struct ftrace_tracers *tracers;
	int nr;

	if (!c)
		return NULL;
	nr = collect(&tracers);
	if (nr < 0)
		return ERR_PTR(nr);
	if (!nr) {
		kfree(tracers);
		return NULL;
	}
	tracers->target = default_of(tracers, c);
	return tracers;
}

static int tracers_show(struct seq_file *m, void *v)
{
	struct ftrace_tracers *tracers;
	const struct choice *c;
	unsigned int i, def;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (collect(&tracers) < 0)
		return -ENOMEM;

	/* The file may have been given to a session that has not opened it. */
	c = choice_find();
	def = c ? default_of(tracers, c) : tracers->nr;
	for (i = 0; i < tracers->nr; i++)
		seq_printf(m, "%s%s\n", i == def ? "*" : "",
			   ftrace_tracer_name(tracers->tracer[i].tr, tracers->tracer[i].ops));
	kfree(tracers);
	return 0;
}

static bool registered(const struct ftrace_tracers *tracers, const char *name)
{
	unsigned int i;

	for (i = 0; i < tracers->nr; i++) {
		const struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (!strcmp(name, ftrace_tracer_name(tracer->tr, tracer->ops)))
			return true;
	}
	return false;
}

static int choose(const char *name)
{
	struct ftrace_tracers *tracers;
	struct choice *c;
	char *copy;
	int ret;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	/* Since the file was opened, another process may have ended the session's choice. */
	c = choice_make();
	if (!c)
		return -ENOMEM;
	if (!*name) {
		choice_free(c);
		return 0;
	}

	ret = collect(&tracers);
	if (ret < 0)
		return ret;
	ret = registered(tracers, name) ? 0 : -EINVAL;
	kfree(tracers);
	if (ret)
		return ret;

	copy = kstrdup(name, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	kfree(c->name);
	c->name = copy;
	return 0;
}

static ssize_t tracers_write(struct file *file, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	char buf[NAME_MAX + sizeof("instances/")];
	char *name;
	int ret;

	if (cnt >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;
	buf[cnt] = '\0';

	name = strim(buf);
	/* Accept the '*' that a read shows before the default tracer. */
	if (*name == '*')
		name++;
	ret = choose(name);
	if (ret == -EINVAL)
		ftrace_complain(NULL, "function", "function_tracers", name, 0,
				FTRACE_WHY_NO_TRACER);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static int tracers_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	if (ret)
		return ret;
	if (ftrace_disabled)
		return -ENODEV;
	scoped_guard(mutex, &ftrace_lock) {
		if (!choice_make())
			return -ENOMEM;
	}
	return single_open(file, tracers_show, NULL);
}

static const struct file_operations tracers_fops = {
	.open		= tracers_open,
	.read		= seq_read,
	.write		= tracers_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

void __init ftrace_create_tracers_file(struct dentry *parent)
{
	trace_create_file("function_tracers", TRACE_MODE_WRITE, parent, NULL, &tracers_fops);
}
