// SPDX-License-Identifier: GPL-2.0
/*
 * Walks over tracepoints: the kernel's own in link order, and all of them, with
 * those of modules last, in the order of loading.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>

#include "internal.h"

/* Guards the list of modules, in the order of loading. Held while notifiers run. */
DEFINE_MUTEX(tracepoint_module_list_mutex);
LIST_HEAD(tracepoint_module_list);

static void tp_for_each_of(tracepoint_ptr_t *from, tracepoint_ptr_t *to,
			   void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
	for (; from < to; from++)
		fct(tracepoint_ptr_deref(from), priv);
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
	tp_for_each_of(__start___tracepoints_ptrs, __stop___tracepoints_ptrs, fct, priv);
}
EXPORT_SYMBOL_GPL(for_each_kernel_tracepoint);

/**
 * tp_for_each() - call a function for each tracepoint, those of modules included
 * @fct:  function
 * @priv: its last argument
 *
 * Context: Process context. The caller holds tracepoint_module_list_mutex.
 */
void tp_for_each(void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
#ifdef CONFIG_MODULES
	struct tp_module *m;
#endif

	lockdep_assert_held(&tracepoint_module_list_mutex);

	for_each_kernel_tracepoint(fct, priv);
#ifdef CONFIG_MODULES
	list_for_each_entry(m, &tracepoint_module_list, list)
		tp_for_each_of(m->mod->tracepoints_ptrs,
			       m->mod->tracepoints_ptrs + m->mod->num_tracepoints,
			       fct, priv);
#endif
}
