// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes: callbacks that a function command sets on functions.
 *
 * Each trace array has one probe, with one ops, for each kind of probe; its
 * filter has all functions of that kind. Kinds usually keep data for each
 * function in a mapper.
 *
 * The callback of a probe calls its kind only for functions in the probe's
 * list. A function is listed after its data is complete; the data is freed a
 * grace period after the function has left the list. Unhooking the function
 * would not be enough, as a task can be preempted in the trampoline for a long
 * time.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include "../../trace.h"
#include "../hooks/slot.h"
#include "../sites/site.h"
#include "probes.h"
#include "tracefs.h"

struct probe_site {
	unsigned long	ip;
	u32		nr;
};

/* The functions of a probe, sorted by address. Immutable once published. */
struct probe_list {
	struct rcu_head	rcu;
	unsigned int	nr;
	struct probe_site	at[];
};

/*
 * The filter of ->ops has the functions that are in ->list_now, except freed ones:
 * these leave the filter at once, and ->list_now in forget_gone().
 */
struct ftrace_func_probe {
	struct list_head	list;		/* in tr->func_probes, latest first */
	struct ftrace_ops	ops;
	struct ftrace_probe_ops	*kind;
	struct trace_array	*tr;
	void			*data;		/* the kind's, usually a mapper */
	struct probe_list __rcu	*list_now;	/* replaced under ftrace_probe_mutex */
};

/*
 * Guards tr->func_probes and the probes in it. ftrace_lock cannot do that: the
 * callbacks of kinds run under this lock, and take other locks.
 */
DEFINE_MUTEX(ftrace_probe_mutex);

static int cmp_site(const void *a, const void *b)
{
	const struct probe_site *l = a, *r = b;

	return l->ip < r->ip ? -1 : l->ip > r->ip;
}

static const struct probe_site *list_find(const struct probe_list *list, unsigned long ip)
{
	unsigned int low = 0, high = list ? list->nr : 0;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (list->at[mid].ip == ip)
			return &list->at[mid];
		if (list->at[mid].ip < ip)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void probe_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	struct ftrace_func_probe *probe = op->private;

	preempt_disable_notrace();
	if (list_find(rcu_dereference_raw_check(probe->list_now), ip))
		probe->kind->func(ip, parent_ip, probe->tr, probe->kind, probe->data);
	preempt_enable_notrace();
}

/**
 * ftrace_probe_array() - find the trace array of a probe's ops
 * @ops: any registered ops
 *
 * Context: Process context. ftrace_lock held.
 * Return: The trace array; NULL if @ops is not of a probe.
 */
struct trace_array *ftrace_probe_array(const struct ftrace_ops *ops)
{
	const struct ftrace_func_probe *probe = ops->private;

	return ops->func == probe_call ? probe->tr : NULL;
}

static struct probe_list *list_of(struct ftrace_func_probe *probe)
{
	return rcu_dereference_protected(probe->list_now, lockdep_is_held(&ftrace_probe_mutex));
}

static struct probe_list *alloc_list(unsigned int nr)
{
	struct probe_list *list = kvmalloc(struct_size(list, at, nr), GFP_KERNEL);

	if (list)
		list->nr = nr;
	return list;
}

/* Replace the list. When this returns, no callback uses the old one. */
static void publish(struct ftrace_func_probe *probe, struct probe_list *list)
{
	struct probe_list *old = list_of(probe);

	rcu_assign_pointer(probe->list_now, list);
	synchronize_rcu();
	kvfree(old);
}

/*
 * List the sites that @glob matches, sorted by address.
 * Return: The list, ERR_PTR(-EINVAL) if no site matches, ERR_PTR(-ENOMEM).
 */
static struct probe_list *resolve(const char *glob)
{
	struct ftrace_siteset_builder found = { };
	struct ftrace_site_block *b;
	struct probe_list *list;
	unsigned int n = 0;
	size_t k;
	u32 i;
	int ret;

	lockdep_assert_held(&ftrace_lock);

	ret = ftrace_probe_find(glob, &found);
	if (!ret && !found.n)
		ret = -EINVAL;
	if (ret) {
		ftrace_siteset_drop(&found);
		return ERR_PTR(ret);
	}

	list = alloc_list(found.n);
	if (list) {
		for (k = 0; k < found.n; k++) {
			b = ftrace_site_by_nr(found.nrs[k], &i);
			if (WARN_ON_ONCE(!b))
				continue;
			list->at[n++] = (struct probe_site){
				.ip = ftrace_site_ip(b, i),
				.nr = found.nrs[k],
			};
		}
		list->nr = n;
		sort(list->at, n, sizeof(*list->at), cmp_site, NULL);
	}
	ftrace_siteset_drop(&found);
	return list ?: ERR_PTR(-ENOMEM);
}

static struct ftrace_siteset *sites_of(const struct probe_list *list)
{
	struct ftrace_siteset_builder found = { };
	struct ftrace_site_block *b;
	u32 k, i;

	for (k = 0; list && k < list->nr; k++) {
		b = ftrace_site_by_nr(list->at[k].nr, &i);
		/* Text may have been freed since resolve(), and the number reused. */
		if (!b || ftrace_site_ip(b, i) != list->at[k].ip)
			continue;
		if (ftrace_siteset_add(&found, list->at[k].nr)) {
			ftrace_siteset_drop(&found);
			return ERR_PTR(-ENOMEM);
		}
	}
	return ftrace_siteset_build(&found);
}

/* The sites that the probe is on. */
const struct ftrace_siteset *ftrace_probe_sites(struct ftrace_func_probe *probe)
{
	lockdep_assert_held(&ftrace_lock);

	return ftrace_slot_filter(&probe->ops.own)->only;
}

/* Hook the probe on the functions in @list only. On error nothing changed. */
static int hook(struct ftrace_func_probe *probe, const struct probe_list *list)
{
	struct ftrace_siteset *sites;
	struct ftrace_filter *filter;

	guard(mutex)(&ftrace_lock);

	sites = sites_of(list);
	if (IS_ERR(sites))
		return PTR_ERR(sites);
	filter = ftrace_filter_make(false, sites, NULL);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	return ftrace_slot_set_locked(&probe->ops.own, filter);
}

static void free_data(struct ftrace_func_probe *probe, const struct probe_list *list,
		      unsigned int nr)
{
	unsigned int i;

	for (i = 0; probe->kind->free && i < nr; i++)
		probe->kind->free(probe->kind, probe->tr, list->at[i].ip, probe->data);
}

static void probe_free(struct ftrace_func_probe *probe)
{
	const struct probe_list *all = list_of(probe);

	list_del(&probe->list);
	if (probe->ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&probe->ops);
	/* Unregistering has waited for callbacks, so none uses the data. */
	free_data(probe, all, all ? all->nr : 0);
	if (probe->kind->free)
		probe->kind->free(probe->kind, probe->tr, 0, probe->data);
	ftrace_free_filter(&probe->ops);
	kvfree(all);
	kfree(probe);
}

static struct ftrace_func_probe *probe_find(struct trace_array *tr, struct ftrace_probe_ops *kind)
{
	struct ftrace_func_probe *probe;

	list_for_each_entry(probe, &tr->func_probes, list) {
		if (probe->kind == kind)
			return probe;
	}
	return NULL;
}

static struct ftrace_func_probe *probe_make(struct trace_array *tr, struct ftrace_probe_ops *kind)
{
	struct ftrace_func_probe *probe = kzalloc_obj(*probe);

	if (!probe)
		return ERR_PTR(-ENOMEM);
	probe->ops.func = probe_call;
	probe->ops.private = probe;
	probe->kind = kind;
	probe->tr = tr;
	list_add(&probe->list, &tr->func_probes);
	return probe;
}

/* Split the probe's functions into those in @match (NULL: all), and the others. */
static int split(struct ftrace_func_probe *probe, const struct probe_list *match,
		 struct probe_list **out, struct probe_list **keep)
{
	const struct probe_list *all = list_of(probe);
	unsigned int i;

	*out = alloc_list(all->nr);
	*keep = alloc_list(all->nr);
	if (!*out || !*keep) {
		kvfree(*out);
		kvfree(*keep);
		return -ENOMEM;
	}

	(*out)->nr = 0;
	(*keep)->nr = 0;
	for (i = 0; i < all->nr; i++) {
		bool go = !match || list_find(match, all->at[i].ip);
		struct probe_list *to = go ? *out : *keep;

		to->at[to->nr++] = all->at[i];
	}
	return 0;
}

/* Remove functions in @match (NULL: all) from the probe. Free a probe without functions. */
static int probe_remove(struct ftrace_func_probe *probe, const struct probe_list *match)
{
	struct probe_list *out, *keep;
	int ret;

	ret = split(probe, match, &out, &keep);
	if (ret)
		return ret;

	ret = out->nr ? hook(probe, keep) : -EINVAL;
	if (ret) {
		kvfree(out);
		kvfree(keep);
		return ret;
	}

	publish(probe, keep);
	free_data(probe, out, out->nr);
	if (!keep->nr)
		probe_free(probe);
	kvfree(out);
	return 0;
}

/*
 * Remove functions of freed text. probes_gone() cannot: kinds must not be called
 * under ftrace_lock. A work item does so later, or probe_get(), before a function
 * with the same address or number can be added.
 */
static int forget_gone(struct ftrace_func_probe *probe)
{
	const struct probe_list *all = list_of(probe);
	const struct ftrace_siteset *sites;
	struct probe_list *gone;
	unsigned int i;
	int ret = 0;

	gone = alloc_list(all->nr);
	if (!gone)
		return -ENOMEM;

	gone->nr = 0;
	mutex_lock(&ftrace_lock);
	sites = ftrace_probe_sites(probe);
	for (i = 0; i < all->nr; i++) {
		if (!ftrace_siteset_has(sites, all->at[i].nr))
			gone->at[gone->nr++] = all->at[i];
	}
	mutex_unlock(&ftrace_lock);

	if (gone->nr)
		ret = probe_remove(probe, gone);
	kvfree(gone);
	return ret;
}

static void forget_all_gone(struct work_struct *work)
{
	struct ftrace_func_probe *probe, *next;
	struct trace_array *tr;

	guard(mutex)(&event_mutex);
	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_probe_mutex);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		list_for_each_entry_safe(probe, next, &tr->func_probes, list)
			forget_gone(probe);
	}
}

static DECLARE_WORK(forget_work, forget_all_gone);

static void probes_gone(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	schedule_work(&forget_work);
}

static struct ftrace_site_watcher watcher = { .gone = probes_gone };

/* Find the probe of a kind, and remove functions of freed text from it. NULL: none. */
static struct ftrace_func_probe *probe_get(struct trace_array *tr, struct ftrace_probe_ops *kind)
{
	struct ftrace_func_probe *probe = probe_find(tr, kind);
	int ret = probe ? forget_gone(probe) : 0;

	/* forget_gone() freed the probe if no function was left. */
	return ret ? ERR_PTR(ret) : probe_find(tr, kind);
}

/* Drop functions that the probe has from @list. Return: @list. */
static struct probe_list *only_new(struct ftrace_func_probe *probe, struct probe_list *list)
{
	unsigned int i, n = 0;

	for (i = 0; i < list->nr; i++) {
		if (!list_find(list_of(probe), list->at[i].ip))
			list->at[n++] = list->at[i];
	}
	list->nr = n;
	return list;
}

static struct probe_list *merged(const struct probe_list *a, const struct probe_list *b)
{
	unsigned int old = a ? a->nr : 0;
	struct probe_list *sum = alloc_list(old + b->nr);

	if (!sum)
		return NULL;
	if (old)
		memcpy(sum->at, a->at, array_size(old, sizeof(*a->at)));
	memcpy(sum->at + old, b->at, array_size(b->nr, sizeof(*b->at)));
	sort(sum->at, sum->nr, sizeof(*sum->at), cmp_site, NULL);
	return sum;
}

/* Add functions. Return: How many, or an error. On error nothing changed. */
static int probe_add(struct ftrace_func_probe *probe, struct probe_list *added, void *data)
{
	struct ftrace_probe_ops *kind = probe->kind;
	struct probe_list *sum, *old;
	unsigned int done = 0;
	int ret = 0;

	if (!added->nr)
		return -EINVAL;

	sum = merged(list_of(probe), added);
	if (!sum)
		return -ENOMEM;

	for (; kind->init && done < added->nr; done++) {
		ret = kind->init(kind, probe->tr, added->at[done].ip, data, &probe->data);
		if (ret)
			goto undo_data;
	}

	/* The data is complete. Publish the list before the functions are hooked. */
	old = list_of(probe);
	rcu_assign_pointer(probe->list_now, sum);
	ret = hook(probe, sum);
	if (!ret && !(probe->ops.flags & FTRACE_OPS_FL_ENABLED))
		ret = register_ftrace_function(&probe->ops);
	if (ret) {
		rcu_assign_pointer(probe->list_now, old);
		synchronize_rcu();
		goto undo_data;
	}
	if (old)
		kvfree_rcu(old, rcu);
	return added->nr;

undo_data:
	free_data(probe, added, done);
	kvfree(sum);
	return ret;
}

/**
 * register_ftrace_function_probe() - set a probe on functions
 * @glob: name or pattern of the functions
 * @tr: the trace array
 * @kind: the kind of probe
 * @data: given to @kind->init() for each function that does not have the probe yet
 *
 * Context: Process context. May sleep. Takes ftrace_probe_mutex, ftrace_lock. May wait for
 * an RCU grace period and, if all functions of the probe are freed, for a tasks one.
 * Return: How many functions were added, -EINVAL if there is none or @glob is empty or
 * begins with '!', -ENOMEM, -ENODEV if ftrace is disabled, or an error of
 * @kind->init(). On error nothing changed.
 */
int register_ftrace_function_probe(char *glob, struct trace_array *tr,
				   struct ftrace_probe_ops *kind, void *data)
{
	struct ftrace_func_probe *probe;
	struct probe_list *list;
	int ret;

	if (WARN_ON_ONCE(!tr))
		return -EINVAL;
	/* '!' is for removal. An empty name does not stand for all functions; "*" does. */
	if (!glob[0] || glob[0] == '!')
		return -EINVAL;

	guard(mutex)(&ftrace_probe_mutex);

	mutex_lock(&ftrace_lock);
	/* Before functions are found: one that goes may become part of the probe below. */
	ftrace_site_watch(&watcher);
	list = ftrace_disabled ? ERR_PTR(-ENODEV) : resolve(glob);
	mutex_unlock(&ftrace_lock);
	if (IS_ERR(list))
		return PTR_ERR(list);

	probe = probe_get(tr, kind) ?: probe_make(tr, kind);
	ret = PTR_ERR_OR_ZERO(probe);
	if (!ret) {
		ret = probe_add(probe, only_new(probe, list), data);
		if (!list_of(probe))
			probe_free(probe);
	}
	kvfree(list);
	return ret;
}

/**
 * unregister_ftrace_function_probe_func() - remove a probe from functions
 * @glob: name or pattern; NULL, "" or "*": all functions with the probe
 * @tr: the trace array
 * @kind: the kind of probe
 *
 * When it returns, @kind is not called for these functions any more.
 *
 * Context: Process context. May sleep. Takes ftrace_probe_mutex, ftrace_lock. Waits
 * for an RCU grace period, and for a tasks grace period if no function is left.
 * Return: 0 on success, -ENODEV if @tr has no such probe, -EINVAL if no such
 * function has the probe, -ENOMEM. On error nothing changed.
 */
int unregister_ftrace_function_probe_func(char *glob, struct trace_array *tr,
					  struct ftrace_probe_ops *kind)
{
	struct ftrace_func_probe *probe;
	struct probe_list *match = NULL;
	int ret;

	if (glob && *glob == '!')
		return -EINVAL;
	if (glob && (!*glob || !strcmp(glob, "*")))
		glob = NULL;

	guard(mutex)(&ftrace_probe_mutex);

	probe = probe_get(tr, kind);
	if (IS_ERR_OR_NULL(probe))
		return probe ? PTR_ERR(probe) : -ENODEV;

	if (glob) {
		mutex_lock(&ftrace_lock);
		match = resolve(glob);
		mutex_unlock(&ftrace_lock);
		if (IS_ERR(match))
			return PTR_ERR(match);
	}
	ret = probe_remove(probe, match);
	kvfree(match);
	return ret;
}

/**
 * clear_ftrace_function_probes() - remove all probes of a trace array
 * @tr: the trace array, which is about to be freed
 *
 * Context: Process context. May sleep. event_mutex held, as some probes need
 * it. Takes ftrace_probe_mutex, ftrace_lock. Waits for tasks grace periods.
 */
void clear_ftrace_function_probes(struct trace_array *tr)
{
	struct ftrace_func_probe *probe, *next;

	guard(mutex)(&ftrace_probe_mutex);

	/* Not probe_remove(): it allocates memory, and fails if ftrace is disabled. */
	list_for_each_entry_safe(probe, next, &tr->func_probes, list)
		probe_free(probe);
}

/* Probe number @n of @tr, latest first; NULL: no more. */
struct ftrace_func_probe *ftrace_probe_nth(struct trace_array *tr, unsigned int n)
{
	struct ftrace_func_probe *probe;

	lockdep_assert_held(&ftrace_probe_mutex);

	list_for_each_entry(probe, &tr->func_probes, list) {
		if (!n--)
			return probe;
	}
	return NULL;
}

void ftrace_probe_print(struct ftrace_func_probe *probe, struct seq_file *m, unsigned long ip)
{
	lockdep_assert_held(&ftrace_probe_mutex);

	if (probe->kind->print)
		probe->kind->print(m, ip, probe->kind, probe->data);
	else
		seq_printf(m, "%ps:%ps\n", (void *)ip, (void *)probe->kind->func);
}
