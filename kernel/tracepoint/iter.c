// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over all tracepoints: first the kernel's own in link order, then those
 * of modules, modules in the order of loading.
 *
 * An iterator is a position in that order, not a pointer into a list. Modules
 * may be loaded and unloaded between two steps: a walk visits the tracepoints
 * that stay exactly once, new ones at the end, and skips removed ones.
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
 * for_each_kernel_tracepoint() - call a function for each built-in tracepoint
 * @fct:  function
 * @priv: its last argument
 *
 * Tracepoints of modules are not included.
 *
 * Context: Any context that @fct may run in.
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
 * tracepoint_iter_start() - put an iterator before the first tracepoint
 * @iter: iterator
 *
 * Context: Any context.
 */
void tracepoint_iter_start(struct tracepoint_iter *iter)
{
	*iter = (struct tracepoint_iter){ };
}
EXPORT_SYMBOL_GPL(tracepoint_iter_start);

/**
 * tracepoint_iter_stop() - unpin the module of the last step
 * @iter: iterator
 *
 * Needed if the walk ends before tracepoint_iter_next() returned NULL; harmless
 * otherwise. The iterator keeps its position and can be continued.
 *
 * Context: Any context.
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
/* Get @m's next tracepoint and pin @m. NULL if none is left or @m is going. */
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
 * tracepoint_iter_next() - get the next tracepoint
 * @iter: iterator
 *
 * If the tracepoint lies in a module, the module cannot be unloaded before the
 * next call or tracepoint_iter_stop(). Modules being unloaded are skipped.
 *
 * Context: Process context. May sleep. Takes tracepoint_module_list_mutex.
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
