// SPDX-License-Identifier: GPL-2.0
/*
 * function_tracers: choose a tracer by its name.
 *
 * The file lists the tracers that are registered.
 *
 * Programs that do not choose a tracer see no difference: the top filter files
 * change the filter of the top trace array, which the profiler and others share.
 * Writing a name to function_tracers chooses that tracer: the files then change
 * its filter, until an empty line is written or the tracer is unregistered.
 * Reading must not choose a tracer, as some programs read every file.
 *
 * A trace array stays chosen until it has no function tracer: replacing the
 * tracer, or unregistering its ops and registering it again, changes nothing.
 * Any other tracer stays chosen until its ops is unregistered: an order number
 * is never used twice.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "complain.h"
#include "tracers.h"

/* [L] The tracer that was chosen by a write to function_tracers. */
static struct {
	struct ftrace_ops	*ops;	/* compared, never followed; NULL: none is chosen */
	u64			order;	/* of its hook; not used for trace arrays */
} chosen;

/* Find the tracer that @hook belongs to. Return: True if there is one. */
static bool tracer_of(struct ftrace_hook *hook, struct ftrace_tracer *tracer)
{
	struct ftrace_ops *ops = hook->ops;
	struct trace_array *tr;

	*tracer = (struct ftrace_tracer){ .ops = ops, .order = hook->order };

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		bool graph = false;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
		graph = tr->gops && ops == &tr->gops->ops;
#endif
		if (ops == tr->ops || graph) {
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

/* Index of the chosen tracer; ->nr if none is chosen, or it is not registered. */
static unsigned int chosen_of(const struct ftrace_tracers *tracers)
{
	unsigned int i;

	for (i = 0; chosen.ops && i < tracers->nr; i++) {
		const struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (tracer->ops == chosen.ops && (tracer->tr || tracer->order == chosen.order))
			return i;
	}
	return tracers->nr;
}

/*
 * Index of the tracer that the top filter files change: the chosen one, or else
 * the latest of those that use the top filter; ->nr if none does.
 */
static unsigned int default_of(const struct ftrace_tracers *tracers)
{
	unsigned int def = chosen_of(tracers), i;
	u64 order = 0;

	if (def < tracers->nr)
		return def;

	for (i = 0; i < tracers->nr; i++) {
		const struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (ftrace_ops_slot(tracer->ops) == &global_ops.own && tracer->order > order) {
			order = tracer->order;
			def = i;
		}
	}
	return def;
}

/**
 * ftrace_tracers_chosen() - list all tracers, if one of them is chosen
 *
 * Context: Process context. May sleep. trace_types_lock and ftrace_lock held.
 * Return: The registered tracers, with ->target the chosen one, to be freed by
 * kfree(); NULL if none is chosen, or it is not registered; ERR_PTR(-ENOMEM).
 */
struct ftrace_tracers *ftrace_tracers_chosen(void)
{
	struct ftrace_tracers *tracers;

	if (!chosen.ops)
		return NULL;
	if (collect(&tracers) < 0)
		return ERR_PTR(-ENOMEM);
	tracers->target = chosen_of(tracers);
	if (tracers->target < tracers->nr)
		return tracers;
	kfree(tracers);
	return NULL;
}

/**
 * ftrace_tracers_by_name() - test whether a registered tracer is chosen by name
 *
 * Context: Process context. May sleep. trace_types_lock and ftrace_lock held.
 * Return: True if one is; false also without memory.
 */
bool ftrace_tracers_by_name(void)
{
	struct ftrace_tracers *tracers = ftrace_tracers_chosen();

	if (IS_ERR_OR_NULL(tracers))
		return false;
	kfree(tracers);
	return true;
}

/**
 * ftrace_tracer_forget() - choose no tracer if this one is chosen
 * @ops: of the tracer, which is about to be freed
 *
 * Context: Process context. May sleep. Takes ftrace_lock.
 */
void ftrace_tracer_forget(struct ftrace_ops *ops)
{
	guard(mutex)(&ftrace_lock);

	if (chosen.ops == ops)
		chosen.ops = NULL;
}

/**
 * ftrace_tracer_switched() - note that a trace array has another tracer
 * @tr: the trace array
 *
 * If @tr was chosen and no longer traces functions, no tracer is chosen.
 *
 * Context: Process context. May sleep. trace_types_lock held. Takes ftrace_lock.
 */
void ftrace_tracer_switched(struct trace_array *tr)
{
	struct ftrace_hook *hook;
	struct ftrace_tracer tracer;

	lockdep_assert_held(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (!chosen.ops || chosen.ops != tr->ops)
		return;
	list_for_each_entry(hook, &ftrace_hooks, list) {
		if (tracer_of(hook, &tracer) && tracer.tr == tr)
			return;
	}
	chosen.ops = NULL;
}

static int tracers_show(struct seq_file *m, void *v)
{
	struct ftrace_tracers *tracers;
	unsigned int i, def;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (collect(&tracers) < 0)
		return -ENOMEM;

	def = default_of(tracers);
	for (i = 0; i < tracers->nr; i++)
		seq_printf(m, "%s%s\n", i == def ? "*" : "",
			   ftrace_tracer_name(tracers->tracer[i].tr, tracers->tracer[i].ops));
	kfree(tracers);
	return 0;
}

static int choose(const char *name)
{
	struct ftrace_tracers *tracers;
	int ret = -EINVAL;
	unsigned int i;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (!*name) {
		chosen.ops = NULL;
		return 0;
	}

	if (collect(&tracers) < 0)
		return -ENOMEM;
	for (i = 0; i < tracers->nr; i++) {
		struct ftrace_tracer *tracer = &tracers->tracer[i];

		if (strcmp(name, ftrace_tracer_name(tracer->tr, tracer->ops)))
			continue;
		chosen.ops = tracer->ops;
		chosen.order = tracer->order;
		ret = 0;
		break;
	}
	kfree(tracers);
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
