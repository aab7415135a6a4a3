// SPDX-License-Identifier: GPL-2.0
/*
 * Modules: tracepoints that come and go, and probes that must not stay.
 *
 * A module's tracepoints are known from before its init function runs until
 * after its exit function has. Who wants to put probes on them is told at both
 * moments. What a module leaves behind in spite of all, probes on its own
 * tracepoints or its own probes on others', is reported and taken away while
 * the memory is still there.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

/* Guards the list, its order is that of loading; held while listeners run. */
DEFINE_MUTEX(tracepoint_module_list_mutex);
LIST_HEAD(tracepoint_module_list);
static BLOCKING_NOTIFIER_HEAD(tp_listeners);
static u64 tp_last_serial;

/**
 * trace_module_has_bad_taint - must its tracepoints be left alone?
 * @mod: module
 *
 * A module that was forced in may have been built with other headers, so that
 * its tracepoints are not what they look like. One that is merely unsigned,
 * staging, a test, from elsewhere or a live patch was built for this kernel.
 *
 * Context: Any.
 * Return: true if they must.
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
 * register_tracepoint_module_notifier - be told of modules with tracepoints
 * @nb: called with MODULE_STATE_COMING or _GOING and a struct tp_module
 *
 * Modules that are loaded already are told at once. While a notifier runs,
 * the list of modules is locked: it may call for_each_tracepoint_in_module(),
 * register and unregister probes, but nothing that takes the lock again.
 *
 * Context: Process, may sleep. Takes tracepoint_module_list_mutex.
 * Return: 0; -EEXIST if @nb is registered.
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
 * unregister_tracepoint_module_notifier - be told no more
 * @nb: what was registered
 *
 * For this listener all modules go at once.
 *
 * Context: Process, may sleep. Takes tracepoint_module_list_mutex.
 * Return: 0; -ENOENT if @nb is not registered.
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
 * for_each_tracepoint_in_module - call a function for a module's tracepoints
 * @mod:  module, may be NULL
 * @fct:  function
 * @priv: its last argument
 *
 * Context: Process; for notifiers: the caller holds the list of modules.
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
 * for_each_module_tracepoint - call a function for all modules' tracepoints
 * @fct:  function; the list of modules is locked while it runs
 * @priv: its last argument
 *
 * Context: Process, may sleep. Takes tracepoint_module_list_mutex.
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

	m = kmalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->mod = mod;

	mutex_lock(&tracepoint_module_list_mutex);
	m->serial = ++tp_last_serial;
	list_add_tail(&m->list, &tracepoint_module_list);
	blocking_notifier_call_chain(&tp_listeners, MODULE_STATE_COMING, m);
	mutex_unlock(&tracepoint_module_list_mutex);
	return 0;
}

/*
 * Its entry, or NULL: the module may have been refused when it came. Its taint
 * does not tell, as it can have been acquired later.
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

/* The listeners first: they have the right to tidy up. */
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

static unsigned int tp_evict_range(tracepoint_ptr_t *from, tracepoint_ptr_t *to,
				   struct module *guest)
{
	unsigned int nr = 0;

	for (; from < to; from++)
		nr += tracepoint_evict(tracepoint_ptr_deref(from),
				       tp_func_in_module, guest);
	return nr;
}

/* Its functions that are still on somebody's tracepoints. */
static void tp_module_probes_go(struct module *mod)
{
	struct tp_module *m;
	unsigned int nr;

	nr = tp_evict_range(__start___tracepoints_ptrs,
			    __stop___tracepoints_ptrs, mod);
	list_for_each_entry(m, &tracepoint_module_list, list)
		nr += tp_evict_range(m->mod->tracepoints_ptrs,
				     m->mod->tracepoints_ptrs +
				     m->mod->num_tracepoints, mod);
	/* Its text goes; so wait, and with a batch of ours nothing is late. */
	if (nr)
		tracepoint_synchronize_unregister();
}

static void tp_module_goes(struct module *mod)
{
	mutex_lock(&tracepoint_module_list_mutex);
	tp_module_tracepoints_go(mod);
	tp_module_probes_go(mod);
	mutex_unlock(&tracepoint_module_list_mutex);
	/*
	 * Changes of keys and calls may be on their way into this module's
	 * text. Once they are through, nobody finds its entries any more.
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
