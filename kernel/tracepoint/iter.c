// SPDX-License-Identifier: GPL-2.0
/*
 * One tracepoint after the other: the kernel's own in the order in which they
 * were linked, then those of modules, modules in the order in which they were
 * loaded.
 *
 * An iterator is a place in that order, not a pointer into a list. Between two
 * steps anything may be loaded and unloaded: who stays is met once, who comes
 * is met at the end, who goes is not met any more.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/module.h>

#include "internal.h"

static unsigned int tp_kernel_count(void)
{
	return __stop___tracepoints_ptrs - __start___tracepoints_ptrs;
}

/**
 * for_each_kernel_tracepoint - call a function for the kernel's tracepoints
 * @fct:  function
 * @priv: its last argument
 *
 * Those of modules are not among them.
 *
 * Context: as @fct needs it.
 */
void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv),
				void *priv)
{
	unsigned int i;

	for (i = 0; i < tp_kernel_count(); i++)
		fct(tracepoint_ptr_deref(&__start___tracepoints_ptrs[i]), priv);
}
EXPORT_SYMBOL_GPL(for_each_kernel_tracepoint);

/**
 * tracepoint_iter_start - before the first tracepoint
 * @iter: iterator
 *
 * Context: Any.
 */
void tracepoint_iter_start(struct tracepoint_iter *iter)
{
	*iter = (struct tracepoint_iter){ };
}
EXPORT_SYMBOL_GPL(tracepoint_iter_start);

/**
 * tracepoint_iter_stop - let go of the module of the last step
 * @iter: iterator
 *
 * Needed if the iteration ends before tracepoint_iter_next() returned NULL; no
 * harm otherwise. The iterator keeps its place and may go on.
 *
 * Context: Any.
 */
void tracepoint_iter_stop(struct tracepoint_iter *iter)
{
	module_put(iter->mod);
	iter->mod = NULL;
}
EXPORT_SYMBOL_GPL(tracepoint_iter_stop);

static struct tracepoint *tp_iter_kernel(struct tracepoint_iter *iter)
{
	if (iter->owner || iter->index >= tp_kernel_count())
		return NULL;
	return tracepoint_ptr_deref(&__start___tracepoints_ptrs[iter->index++]);
}

#ifdef CONFIG_MODULES
/* The tracepoint at the iterator's place in @m, which is then held. */
static struct tracepoint *tp_iter_module(struct tracepoint_iter *iter,
					 struct tp_module *m)
{
	if (m->serial < iter->owner)
		return NULL;
	if (m->serial > iter->owner) {
		iter->owner = m->serial;
		iter->index = 0;
	}
	if (iter->index >= m->mod->num_tracepoints || !try_module_get(m->mod))
		return NULL;
	iter->mod = m->mod;
	return tracepoint_ptr_deref(&m->mod->tracepoints_ptrs[iter->index++]);
}

static struct tracepoint *tp_iter_modules(struct tracepoint_iter *iter)
{
	struct tracepoint *tp = NULL;
	struct tp_module *m;

	mutex_lock(&tracepoint_module_list_mutex);
	list_for_each_entry(m, &tracepoint_module_list, list) {
		tp = tp_iter_module(iter, m);
		if (tp)
			break;
	}
	mutex_unlock(&tracepoint_module_list_mutex);
	return tp;
}
#else
static struct tracepoint *tp_iter_modules(struct tracepoint_iter *iter)
{
	return NULL;
}
#endif

/**
 * tracepoint_iter_next - the next tracepoint
 * @iter: iterator
 *
 * If it lies in a module, that module cannot go away before the next call, or
 * tracepoint_iter_stop(). Modules that are just going are left out.
 *
 * Context: Process, may sleep. Takes tracepoint_module_list_mutex.
 * Return: the tracepoint, NULL after the last one.
 */
struct tracepoint *tracepoint_iter_next(struct tracepoint_iter *iter)
{
	struct tracepoint *tp;

	tracepoint_iter_stop(iter);
	tp = tp_iter_kernel(iter);
	return tp ?: tp_iter_modules(iter);
}
EXPORT_SYMBOL_GPL(tracepoint_iter_next);
