// SPDX-License-Identifier: GPL-2.0
/*
 * Modules: their tracepoints, and their probes on other tracepoints.
 *
 * A module's tracepoints are listed from before its init function runs until
 * after its exit function has run. Notifiers are called at both moments, to
 * attach and detach probes. Probes that an unloaded module leaves behind, on
 * its own tracepoints or on others, are reported and detached before its memory
 * is freed.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/slab.h>

#include "internal.h"

static BLOCKING_NOTIFIER_HEAD(tp_listeners);

/**
 * trace_module_has_bad_taint() - test whether to ignore a module's tracepoints
 * @mod: module
 *
 * A module that was loaded by force may have been built with other headers, so its
 * tracepoints may have other types. Any taint excludes a module, except those of
 * unsigned, staging, test, out-of-tree and live patch modules, which were built for
 * this kernel.
 *
 * Context: Any context.
 * Return: True if its tracepoints must not be used.
 */
bool trace_module_has_bad_taint(struct module *mod)
{
	const unsigned long harmless = BIT(TAINT_LIVEPATCH) | BIT(TAINT_TEST) |
				       BIT(TAINT_CRAP) | BIT(TAINT_OOT_MODULE) |
				       BIT(TAINT_UNSIGNED_MODULE);

	return mod->taints & ~harmless;
}

static void tp_tell_all(struct notifier_block *nb, unsigned long state)
{
	struct tp_module *m;

	list_for_each_entry(m, &tracepoint_module_list, list)
		nb->notifier_call(nb, state, m);
}

/**
 * register_tracepoint_module_notifier() - watch modules with tracepoints
 * @nb: called with MODULE_STATE_COMING or _GOING and a struct tp_module
 *
 * @nb is called at once for modules that are already loaded. Notifiers run
 * under tracepoint_module_list_mutex: they may call
 * for_each_tracepoint_in_module() and register and unregister probes, but
 * nothing that takes that mutex.
 *
 * Context: Process context. May sleep. Takes tracepoint_module_list_mutex.
 * Return: 0 on success; -EEXIST if @nb is registered.
 */
int register_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	mutex_lock(&tracepoint_module_list_mutex);
	ret = blocking_notifier_chain_register(&tp_listeners, nb);
	if (!ret)
		tp_tell_all(nb, MODULE_STATE_COMING);
	mutex_unlock(&tracepoint_module_list_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(register_tracepoint_module_notifier);

/**
 * unregister_tracepoint_module_notifier() - stop watching modules
 * @nb: notifier that was registered
 *
 * @nb is called with MODULE_STATE_GOING for all listed modules.
 *
 * Context: Process context. May sleep. Takes tracepoint_module_list_mutex.
 * Return: 0 on success; -ENOENT if @nb is not registered.
 */
int unregister_tracepoint_module_notifier(struct notifier_block *nb)
{
	int ret;

	mutex_lock(&tracepoint_module_list_mutex);
	ret = blocking_notifier_chain_unregister(&tp_listeners, nb);
	if (!ret)
		tp_tell_all(nb, MODULE_STATE_GOING);
	mutex_unlock(&tracepoint_module_list_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_tracepoint_module_notifier);

/**
 * for_each_tracepoint_in_module() - call a function for a module's tracepoints
 * @mod:  module, may be NULL
 * @fct:  function
 * @priv: its last argument
 *
 * For notifiers.
 *
 * Context: Process context. The caller holds tracepoint_module_list_mutex.
 */
void for_each_tracepoint_in_module(struct module *mod,
				   void (*fct)(struct tracepoint *tp,
					       struct module *mod, void *priv),
				   void *priv)
{
	unsigned int i;

	lockdep_assert_held(&tracepoint_module_list_mutex);

	for (i = 0; mod && i < mod->num_tracepoints; i++)
		fct(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), mod, priv);
}
EXPORT_SYMBOL_GPL(for_each_tracepoint_in_module);

/**
 * for_each_module_tracepoint() - call a function for all modules' tracepoints
 * @fct:  function, called under tracepoint_module_list_mutex
 * @priv: its last argument
 *
 * Context: Process context. May sleep. Takes tracepoint_module_list_mutex.
 */
void for_each_module_tracepoint(void (*fct)(struct tracepoint *tp,
					    struct module *mod, void *priv),
				void *priv)
{
	struct tp_module *m;

	mutex_lock(&tracepoint_module_list_mutex);
	list_for_each_entry(m, &tracepoint_module_list, list)
		for_each_tracepoint_in_module(m->mod, fct, priv);
	mutex_unlock(&tracepoint_module_list_mutex);
}
EXPORT_SYMBOL_GPL(for_each_module_tracepoint);

static int tp_module_comes(struct module *mod)
{
	struct tp_module *m;

	if (!mod->num_tracepoints)
		return 0;
	if (trace_module_has_bad_taint(mod)) {
		pr_warn("%s: tainted, its %u tracepoints stay off\n",
			mod->name, mod->num_tracepoints);
		return 0;
	}

	m = kmalloc_obj(*m);
	if (!m)
		return -ENOMEM;
	m->mod = mod;

	mutex_lock(&tracepoint_module_list_mutex);
	list_add_tail(&m->list, &tracepoint_module_list);
	blocking_notifier_call_chain(&tp_listeners, MODULE_STATE_COMING, m);
	mutex_unlock(&tracepoint_module_list_mutex);
	return 0;
}

/*
 * Find the module's list entry; NULL if it has none, for example because its taint
 * excluded it when it was loaded. The taint may have changed since then.
 */
static struct tp_module *tp_module_find(const struct module *mod)
{
	struct tp_module *m;

	list_for_each_entry(m, &tracepoint_module_list, list)
		if (m->mod == mod)
			return m;
	return NULL;
}

static void tp_orphan_in_module(struct tracepoint *tp, struct module *mod,
				void *priv)
{
	tracepoint_orphan(tp);
}

/* Call the notifiers first, so that they can detach their probes. */
static void tp_module_tracepoints_go(struct module *mod)
{
	struct tp_module *m = tp_module_find(mod);

	if (!m)
		return;
	blocking_notifier_call_chain(&tp_listeners, MODULE_STATE_GOING, m);
	list_del(&m->list);
	for_each_tracepoint_in_module(mod, tp_orphan_in_module, NULL);
	kfree(m);
}

static bool tp_func_in_module(const void *func, void *mod)
{
	return within_module((unsigned long)func, mod);
}

/* A module that is being unloaded, and how many of its probes were detached. */
struct tp_going {
	struct module *mod;
	unsigned int nr;
};

static void tp_evict(struct tracepoint *tp, void *going)
{
	struct tp_going *g = going;

	g->nr += tracepoint_evict(tp, tp_func_in_module, g->mod);
}

/* Detach the module's functions from all tracepoints. */
static void tp_module_probes_go(struct module *mod)
{
	struct tp_going going = { .mod = mod };

	tp_for_each(tp_evict, &going);
	/* The module's text is freed next: apply all changes and wait. */
	if (going.nr)
		tracepoint_synchronize_unregister();
}

static void tp_module_goes(struct module *mod)
{
	mutex_lock(&tracepoint_module_list_mutex);
	tp_module_tracepoints_go(mod);
	tp_module_probes_go(mod);
	mutex_unlock(&tracepoint_module_list_mutex);
	/*
	 * Another task may be changing keys and calls in this module's text.
	 * Wait for it. Later changes do not find the module's entries: jump labels
	 * and static calls have dropped them.
	 */
	tracepoint_apply_pending();
}

static int tp_module_notify(struct notifier_block *self, unsigned long state,
			    void *data)
{
	int ret = 0;

	if (state == MODULE_STATE_COMING)
		ret = tp_module_comes(data);
	else if (state == MODULE_STATE_GOING)
		tp_module_goes(data);
	return notifier_from_errno(ret);
}

static struct notifier_block tp_module_nb = {
	.notifier_call = tp_module_notify,
};

static __init int tp_module_init(void)
{
	int ret = register_module_notifier(&tp_module_nb);

	if (ret)
		pr_warn("tracepoints of modules will not be known: %d\n", ret);
	return ret;
}
device_initcall(tp_module_init);
