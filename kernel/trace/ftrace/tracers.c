// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers by name: function_tracers, and whom set_ftrace_filter is about.
 *
 * A tracer is what people can tell which functions to trace: a trace array
 * with the function or graph tracer in it, the function profiler, the stack
 * tracer, and any hook that has a name. While one is registered it is listed
 * in function_tracers.
 *
 * Programs that know nothing of this see none of it: the top's filter files are
 * about the filter that the top trace array has, and that the profiler and
 * others follow, until the name of a tracer is written to function_tracers. Then
 * they are about that one, until an empty line is written or that tracer goes.
 * Reading chooses nothing: programs read all files there are.
 *
 * A trace array stays chosen while its tracer is replaced, or takes its hook
 * off and on again; it goes when it has no function tracer any more. Other
 * tracers go with their hook, which never has the same number again.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "combo.h"
#include "doors.h"

/* [L] What was written to function_tracers. */
static struct {
	struct ftrace_ops	*ops;	/* only ever compared; NULL: nobody is chosen */
	u64			order;	/* of its hook, if it is no trace array's */
} chosen;

/**
 * ftrace_tracer_name - what a tracer goes by
 * @tr: its trace array, or NULL
 * @ops: its hook
 *
 * Context: any.
 * Return: a name, which is @ops' or @tr's own.
 */
const char *ftrace_tracer_name(struct trace_array *tr, struct ftrace_ops *ops)
{
	if (ops->name)
		return ops->name;
	return tr && tr->name ? tr->name : "trace";
}

/* The tracer that @hook belongs to. Return: whether it is of one. */
static bool tracer_of(struct ftrace_hook *hook, struct ftrace_door *door)
{
	struct ftrace_ops *ops = hook->ops;
	struct trace_array *tr;

	*door = (struct ftrace_door){ .ops = ops, .order = hook->order };

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		bool graph = false;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
		graph = tr->gops && ops == &tr->gops->ops;
#endif
		if (ops == tr->ops || graph) {
			door->ops = tr->ops;
			door->tr = tr;
			return tr->ops;
		}
	}
	/* What only one hook can have at a function is not for files to hand out. */
	return ops->name && !ftrace_ops_exclusive(ops);
}

/* All registered tracers, the first that came first. Return: how many, -ENOMEM. */
static int collect(struct ftrace_doors **result)
{
	struct ftrace_doors *doors;
	struct ftrace_door door;
	struct ftrace_hook *hook;
	unsigned int n = 0, i;

	lockdep_assert_held(&trace_types_lock);
	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(hook, &ftrace_hooks, list)
		n++;
	doors = kzalloc(struct_size(doors, door, n), GFP_KERNEL);
	if (!doors)
		return -ENOMEM;

	list_for_each_entry_reverse(hook, &ftrace_hooks, list) {
		if (!tracer_of(hook, &door))
			continue;
		for (i = 0; i < doors->nr && doors->door[i].ops != door.ops; i++)
			;
		if (i < doors->nr)
			doors->door[i].order = door.order;
		else
			doors->door[doors->nr++] = door;
	}
	*result = doors;
	return doors->nr;
}

/* The tracer that was chosen; ->nr if none was, or it is not at work. */
static unsigned int chosen_of(const struct ftrace_doors *doors)
{
	unsigned int i;

	for (i = 0; chosen.ops && i < doors->nr; i++) {
		const struct ftrace_door *door = &doors->door[i];

		if (door->ops == chosen.ops && (door->tr || door->order == chosen.order))
			return i;
	}
	return doors->nr;
}

/*
 * The tracer that the top's filter files are about: the one that was chosen, or
 * else the latest of those that have the top's filter; ->nr if none has.
 */
static unsigned int default_of(const struct ftrace_doors *doors)
{
	unsigned int def = chosen_of(doors), i;
	u64 order = 0;

	if (def < doors->nr)
		return def;

	for (i = 0; i < doors->nr; i++) {
		const struct ftrace_door *door = &doors->door[i];

		if (ftrace_ops_home(door->ops) == &global_ops.own && door->order > order) {
			order = door->order;
			def = i;
		}
	}
	return def;
}

/**
 * ftrace_doors_by_name - test whether the top's filter files are about a chosen tracer
 *
 * Context: process; trace_types_lock and ftrace_lock held.
 * Return: whether they are.
 */
bool ftrace_doors_by_name(void)
{
	struct ftrace_doors *doors;
	bool ret;

	if (!chosen.ops || collect(&doors) < 0)
		return false;
	ret = chosen_of(doors) < doors->nr;
	kfree(doors);
	return ret;
}

/**
 * ftrace_tracer_switched - note that a trace array has another tracer
 * @tr: the trace array
 *
 * If it was chosen and traces no functions any more, nobody is chosen.
 *
 * Context: process, may sleep; trace_types_lock held. Takes ftrace_lock.
 */
void ftrace_tracer_switched(struct trace_array *tr)
{
	struct ftrace_hook *hook;
	struct ftrace_door door;

	lockdep_assert_held(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (!chosen.ops || chosen.ops != tr->ops)
		return;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (tracer_of(hook, &door) && door.tr == tr)
			return;
	}
	chosen.ops = NULL;
}

/* What a door needs to be open. On error it is as if it had not been tried. */
static int door_open(struct ftrace_door *door)
{
	door->name = kstrdup(ftrace_tracer_name(door->tr, door->ops), GFP_KERNEL);
	if (!door->name)
		return -ENOMEM;

	if (door->tr) {
		door->tr->ref++;
		door->mods[0] = &door->tr->mod_trace;
		door->mods[1] = &door->tr->mod_notrace;
	}
#ifdef CONFIG_FUNCTION_PROFILER
	if (door->ops == ftrace_profile_ops()) {
		door->own = true;
		door->mods[0] = &ftrace_profile_mods[0];
		door->mods[1] = &ftrace_profile_mods[1];
	}
#endif
	door->filter = ftrace_filter_get(ftrace_home_filter(ftrace_ops_home(door->ops)));
	return 0;
}

/**
 * ftrace_doors_get - whom a filter file is about
 * @tr: the trace array that the file lies in, or NULL
 * @ops: the hook that it is for
 *
 * Context: process, may sleep; trace_types_lock and ftrace_lock held.
 * Return: one tracer or several, open, of which one is to be changed;
 * ERR_PTR(-ENOMEM).
 */
struct ftrace_doors *ftrace_doors_get(struct trace_array *tr, struct ftrace_ops *ops)
{
	struct ftrace_doors *doors = NULL;
	unsigned int i;

	if (ops == &global_ops && chosen.ops) {
		if (collect(&doors) < 0)
			return ERR_PTR(-ENOMEM);
		doors->target = chosen_of(doors);
		if (doors->target == doors->nr) {
			kfree(doors);
			doors = NULL;
		}
	}
	if (!doors) {
		doors = kzalloc(struct_size(doors, door, 1), GFP_KERNEL);
		if (!doors)
			return ERR_PTR(-ENOMEM);
		doors->nr = 1;
		doors->door[0].ops = ops;
		doors->door[0].tr = tr;
	}

	for (i = 0; i < doors->nr; i++) {
		if (door_open(&doors->door[i]))
			goto undo;
	}
	return doors;

undo:
	while (i--) {
		struct ftrace_door *door = &doors->door[i];

		/* trace_array_put() takes the lock that we have. */
		if (door->tr)
			door->tr->ref--;
		ftrace_filter_put(door->filter);
		kfree(door->name);
	}
	kfree(doors);
	return ERR_PTR(-ENOMEM);
}

/**
 * ftrace_doors_put - done with them
 * @doors: the tracers; nobody else sees their ->filter any more
 *
 * Context: process, may sleep. Takes trace_types_lock.
 */
void ftrace_doors_put(struct ftrace_doors *doors)
{
	unsigned int i;

	for (i = 0; i < doors->nr; i++) {
		struct ftrace_door *door = &doors->door[i];

		if (door->tr)
			trace_array_put(door->tr);
		ftrace_filter_put(door->filter);
		kfree(door->name);
	}
	kfree(doors);
}

/**
 * ftrace_door_alive - may its hook be touched?
 * @door: open
 *
 * Trace arrays are kept alive by a reference, files of one hook by the
 * kernel's own hook that they are for. Other hooks can be gone for good, and
 * somebody else's can be at the same address: the number tells.
 *
 * Context: process, ftrace_lock held.
 * Return: whether it may.
 */
bool ftrace_door_alive(const struct ftrace_door *door)
{
	struct ftrace_hook *hook;

	lockdep_assert_held(&ftrace_lock);

	if (door->tr || !door->order || door->own)
		return true;

	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (hook->ops == door->ops && hook->order == door->order)
			return true;
	}
	return false;
}

static bool taken(const char *name)
{
	return !strcmp(name, "trace") || !strcmp(name, "trace_profile") || !strcmp(name, "stack");
}

/**
 * ftrace_name_array - give a trace array's hooks its name
 * @tr: the trace array
 *
 * Context: process, may sleep; before its files can be opened.
 */
void ftrace_name_array(struct trace_array *tr)
{
	const char *name = tr->name ?: "trace";

	/* Without memory it goes by the short name; it is one of two then. */
	if (tr->name && taken(name))
		name = kasprintf(GFP_KERNEL, "instances/%s", tr->name) ?: name;

	tr->ops->name = name;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (tr->gops)
		tr->gops->ops.name = name;
#endif
}

/**
 * ftrace_unname_array - before a trace array goes
 * @tr: the trace array
 *
 * Context: process, may sleep; its hooks are not registered any more. Takes
 * ftrace_lock.
 */
void ftrace_unname_array(struct trace_array *tr)
{
	const char *name = tr->ops->name;

	scoped_guard(mutex, &ftrace_lock) {
		if (chosen.ops == tr->ops)
			chosen.ops = NULL;
	}
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (tr->gops)
		tr->gops->ops.name = NULL;
#endif
	tr->ops->name = NULL;
	if (name != tr->name)
		kfree(name);
}

static int tracers_show(struct seq_file *m, void *v)
{
	struct ftrace_doors *doors;
	unsigned int i, def;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (collect(&doors) < 0)
		return -ENOMEM;

	def = default_of(doors);
	for (i = 0; i < doors->nr; i++)
		seq_printf(m, "%s%s\n", i == def ? "*" : "",
			   ftrace_tracer_name(doors->door[i].tr, doors->door[i].ops));
	kfree(doors);
	return 0;
}

static int choose(const char *name)
{
	struct ftrace_doors *doors;
	int ret = -EINVAL;
	unsigned int i;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (!*name) {
		chosen.ops = NULL;
		return 0;
	}

	if (collect(&doors) < 0)
		return -ENOMEM;
	for (i = 0; i < doors->nr; i++) {
		struct ftrace_door *door = &doors->door[i];

		if (strcmp(name, ftrace_tracer_name(door->tr, door->ops)))
			continue;
		chosen.ops = door->ops;
		chosen.order = door->order;
		ret = 0;
		break;
	}
	kfree(doors);
	return ret;
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
	/* As it is listed is as good as without the mark. */
	if (*name == '*')
		name++;
	ret = choose(name);
	if (ret == -EINVAL)
		ftrace_complain(NULL, "function_tracers", "default", name, 0,
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
