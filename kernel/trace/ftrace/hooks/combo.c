// SPDX-License-Identifier: GPL-2.0
/*
 * Combos: interned sets of hooks, each with a trampoline that calls them.
 *
 * Two sites with the same hooks have the same combo number and the same
 * trampoline. So to change ten thousand sites takes one trampoline, and
 * otherwise comparisons of numbers. A combo gets its trampoline only when a site is
 * about to call it, because a plan also computes intermediate combos that no site
 * will ever call.
 *
 * A cap limits the number of combos that have sites once a plan is committed. Up to
 * twice as many can exist while it is made, with those that it replaces.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/slab.h>

#include "combo.h"
#include "tramp.h"

/* With more combos than this, trampolines would take more memory than the sites do. */
unsigned int ftrace_combo_cap = 16384;

#define PAGE_SHIFT_OF_IDS	8
#define IDS_PER_PAGE		BIT(PAGE_SHIFT_OF_IDS)

static struct ftrace_combo nop = {
	.id	= FTRACE_COMBO_NOP,
};

static struct ftrace_combo mixed = {
	.id	= FTRACE_COMBO_MIXED,
	.need	= FTRACE_NEED_REGS,
	.mixed	= true,
};

/* [L] Combos by number. Pages are never freed; the first is static. */
static struct ftrace_combo *first_page[IDS_PER_PAGE] = {
	[FTRACE_COMBO_NOP]	= &nop,
	[FTRACE_COMBO_MIXED]	= &mixed,
};

static struct ftrace_combo **pages[(FTRACE_COMBO_MAX + 1) / IDS_PER_PAGE] = { first_page };

static u32 lowest = FTRACE_COMBO_MIXED + 1;		/* [L] all numbers below are in use */
static unsigned int nr_combos;				/* [L] without the nop and the mixed one */
bool ftrace_combo_refused;				/* [L] see combo.h */
u32 ftrace_combo_forwards;				/* [L] see combo.h */
static DEFINE_HASHTABLE(combos, 10);			/* [L] */
static LIST_HEAD(idle);					/* [L] combos without sites */

/**
 * ftrace_combo() - get the combo for the number in a state word
 * @id: number
 *
 * Context: Process context. ftrace_lock held.
 * Return: The combo; NULL for a number that is not in use.
 */
struct ftrace_combo *ftrace_combo(u32 id)
{
	struct ftrace_combo **page = pages[(id & FTRACE_COMBO_MAX) >> PAGE_SHIFT_OF_IDS];

	return page ? page[id & (IDS_PER_PAGE - 1)] : NULL;
}

/* Give @combo the lowest number that is free. */
static int number(struct ftrace_combo *combo)
{
	struct ftrace_combo ***slot;

	while (lowest <= FTRACE_COMBO_MAX && ftrace_combo(lowest))
		lowest++;
	if (lowest > FTRACE_COMBO_MAX)
		return -ENOSPC;

	slot = &pages[lowest >> PAGE_SHIFT_OF_IDS];
	if (!*slot)
		*slot = kcalloc(IDS_PER_PAGE, sizeof(**slot), GFP_KERNEL);
	if (!*slot)
		return -ENOMEM;
	combo->id = lowest;
	(*slot)[lowest & (IDS_PER_PAGE - 1)] = combo;
	return 0;
}

static void unnumber(const struct ftrace_combo *combo)
{
	pages[combo->id >> PAGE_SHIFT_OF_IDS][combo->id & (IDS_PER_PAGE - 1)] = NULL;
	lowest = min_t(u32, lowest, combo->id);
}

/**
 * ftrace_combo_has() - test whether a combo contains a hook
 * @combo: combo, not a mixed one, whose hooks are not known
 * @hook: hook
 *
 * Context: ftrace_lock held.
 * Return: True if it does; false for a mixed combo.
 */
bool ftrace_combo_has(const struct ftrace_combo *combo, const struct ftrace_hook *hook)
{
	unsigned int i;

	for (i = 0; i < combo->nr; i++)
		if (combo->hooks[i] == hook)
			return true;
	return false;
}

static unsigned long hash_of(struct ftrace_hook **hooks, unsigned int nr)
{
	unsigned long hash = 0;

	while (nr--)
		hash += hash_long((unsigned long)hooks[nr], BITS_PER_LONG);
	return hash;
}

/*
 * Allocate and number a combo for @nr hooks. NULL: too many hooks, twice the cap or all
 * numbers are in use, or memory is short.
 */
static struct ftrace_combo *blank(unsigned int nr)
{
	struct ftrace_combo *combo;

	if (nr > FTRACE_COMBO_HOOKS)
		return NULL;
	if (nr_combos / 2 >= ftrace_combo_cap)
		goto refuse;

	combo = kzalloc(struct_size(combo, hooks, nr + 1), GFP_KERNEL);
	if (!combo)
		goto refuse;
	if (number(combo)) {
		kfree(combo);
		goto refuse;
	}
	combo->nr = nr;
	return combo;
refuse:
	ftrace_combo_refused = true;
	return NULL;
}

/**
 * ftrace_combo_of() - get the combo of an array of hooks
 * @hooks: hooks, the latest first
 * @nr: number of hooks
 *
 * A new combo has no trampoline until ftrace_combo_ready(). Unless a site calls it,
 * the next ftrace_combo_sweep() frees it.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: The combo; the mixed combo if @nr is above FTRACE_COMBO_HOOKS, if there are
 * too many combos already, or if memory is short.
 */
struct ftrace_combo *ftrace_combo_of(struct ftrace_hook **hooks, unsigned int nr)
{
	const unsigned long hash = hash_of(hooks, nr);
	struct hlist_head *bucket = &combos[hash_min(hash, HASH_BITS(combos))];
	struct ftrace_combo *combo;
	unsigned int i;

	lockdep_assert_held(&ftrace_lock);

	if (!nr)
		return &nop;
	hlist_for_each_entry(combo, bucket, node) {
		if (combo->nr == nr && !memcmp(combo->hooks, hooks, nr * sizeof(*hooks)))
			return combo;
	}

	combo = blank(nr);
	if (!combo)
		return &mixed;
	for (i = 0; i < nr; i++) {
		struct ftrace_hook *hook = hooks[i];

		/* exclusive.c keeps the filters of two such hooks disjoint. */
		WARN_ON_ONCE(combo->need & hook->need & FTRACE_NEED_EXCLUSIVE);
		combo->hooks[i] = hook;
		combo->need |= hook->need;
		if (hook->need & FTRACE_NEED_GRAPH)
			combo->graph |= BIT(hook->graph_slot);
		hook->nr_combos++;
	}
	hlist_add_head(&combo->node, bucket);
	list_add(&combo->idle, &idle);
	nr_combos++;
	return combo;
}

static struct ftrace_hook *others[FTRACE_COMBO_HOOKS + 1];	/* [L] hooks of another combo */

/**
 * ftrace_combo_plus() - get the combo of a combo's hooks and one more
 * @from: combo
 * @hook: hook
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_combo_of(); @from if it is mixed or has the hook.
 */
struct ftrace_combo *ftrace_combo_plus(struct ftrace_combo *from, struct ftrace_hook *hook)
{
	unsigned int i, k = 0;

	if (from == &mixed || ftrace_combo_has(from, hook))
		return from;

	for (i = 0; i < from->nr && from->hooks[i]->order > hook->order; i++)
		others[k++] = from->hooks[i];
	others[k++] = hook;
	while (i < from->nr)
		others[k++] = from->hooks[i++];
	return ftrace_combo_of(others, k);
}

/**
 * ftrace_combo_minus() - get the combo of a combo's hooks without one of them
 * @from: combo
 * @hook: hook
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: As ftrace_combo_of(); @from if it is mixed.
 */
struct ftrace_combo *ftrace_combo_minus(struct ftrace_combo *from, struct ftrace_hook *hook)
{
	unsigned int i, k = 0;

	if (from == &mixed)
		return from;
	for (i = 0; i < from->nr; i++)
		if (from->hooks[i] != hook)
			others[k++] = from->hooks[i];
	return ftrace_combo_of(others, k);
}

static struct ftrace_tramp_call graph_call(struct ftrace_combo *combo,
					   const struct ftrace_hook *hook)
{
	void *slots = (void *)(unsigned long)combo->graph;
	unsigned int i;

	for (i = 0; IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER) && i < combo->nr; i++)
		if ((combo->hooks[i]->need & FTRACE_NEED_GRAPH) && combo->hooks[i]->cond)
			return (struct ftrace_tramp_call){ ftrace_graph_if_hook, combo };
	return (struct ftrace_tramp_call){ hook->ops->func, slots };
}

/*
 * List the calls of a trampoline. All hooks of the graph tracer share one call,
 * at the place of the latest of them. A direct call comes after all others: the
 * last call looks up its target.
 */
static unsigned int list_calls(struct ftrace_combo *combo, struct ftrace_tramp_call *calls)
{
	bool graph = false;
	unsigned int i, nr = 0;

	for (i = 0; i < combo->nr; i++) {
		const struct ftrace_hook *hook = combo->hooks[i];

		if (hook->need & FTRACE_NEED_DIRECT)
			continue;
		if (!(hook->need & FTRACE_NEED_GRAPH)) {
			calls[nr++] = (struct ftrace_tramp_call){
				hook->call, ftrace_hook_arg(hook)
			};
		} else if (!graph) {
			calls[nr++] = graph_call(combo, hook);
			graph = true;
		}
	}
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) &&
	    (combo->need & FTRACE_NEED_DIRECT))
		calls[nr++] = (struct ftrace_tramp_call){ ftrace_direct_hook, NULL };
	return nr;
}

/**
 * ftrace_combo_ready() - make a combo's trampoline, unless it has one
 * @combo: combo
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if no trampoline can be made for its hooks.
 */
int ftrace_combo_ready(struct ftrace_combo *combo)
{
	struct ftrace_tramp_spec spec = {
		.regs = combo->need & FTRACE_NEED_REGS,
		.direct = combo->need & FTRACE_NEED_DIRECT,
	};
	struct ftrace_tramp_call *calls;

	lockdep_assert_held(&ftrace_lock);

	if (combo->target || combo == &nop)
		return 0;

	if (spec.direct && combo->nr == 1) {
		combo->target = FTRACE_DIRECT_ALONE;
		return 0;
	}

	calls = kmalloc_array(combo->nr, sizeof(*calls), GFP_KERNEL);
	if (!calls)
		return -ENOMEM;

	spec.nr = list_calls(combo, calls);
	spec.calls = calls;
	combo->tramp = ftrace_tramp_make(&spec);
	combo->target = combo->tramp ? combo->tramp->ip : 0;
	kfree(calls);
	return combo->target ? 0 : -ENOMEM;
}

/**
 * ftrace_combo_count() - update the number of sites that call a combo
 * @combo: combo
 * @delta: number of sites to add, or negative to subtract
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_combo_count(struct ftrace_combo *combo, int delta)
{
	u32 before = combo->sites;

	lockdep_assert_held(&ftrace_lock);

	if (combo == &nop || WARN_ON_ONCE(delta < 0 && before < -delta))
		return;

	combo->sites += delta;
	if (combo == &mixed)
		return;
	if (before && !combo->sites)
		list_add(&combo->idle, &idle);
	else if (!before && combo->sites)
		list_del(&combo->idle);
}

/* Remove @combo from the hash table. ->hooks[] stays, for CPUs and tasks in its trampoline. */
static void disband(struct ftrace_combo *combo)
{
	hlist_del_init(&combo->node);
	while (combo->nr)
		combo->hooks[--combo->nr]->nr_combos--;
}

/**
 * ftrace_combo_forward() - note that a trampoline has become a jump to the mixed one
 * @combo: combo with that trampoline, which has sites
 *
 * Until its sites have left, it equals the mixed combo except for its address.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_combo_forward(struct ftrace_combo *combo)
{
	lockdep_assert_held(&ftrace_lock);

	disband(combo);
	combo->mixed = true;
	ftrace_combo_forwards++;
}

/* Called when no CPU or task is in the trampoline or about to enter it. */
static void combo_free(struct ftrace_retired *retired)
{
	struct ftrace_combo *combo = container_of(retired, struct ftrace_combo, retired);

	if (combo->tramp)
		ftrace_tramp_free(combo->tramp);
	kfree(combo);
}

/**
 * ftrace_combo_sweep() - retire all combos that no site calls
 *
 * They leave the hash table and lose their numbers. Each combo is freed with its
 * trampoline after the grace periods, see retire.c. A combo that was never ready is
 * freed at once.
 *
 * Context: Process context. ftrace_lock held. Does not wait for a grace period.
 */
void ftrace_combo_sweep(void)
{
	struct ftrace_combo *combo, *next;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry_safe(combo, next, &idle, idle) {
		list_del(&combo->idle);
		disband(combo);
		unnumber(combo);
		ftrace_combo_forwards -= combo->mixed;
		nr_combos--;

		if (!combo->target) {
			combo_free(&combo->retired);	/* no site can have called it */
			continue;
		}
		if (combo->tramp)
			ftrace_tramp_unlist(combo->tramp);
		ftrace_retire(&combo->retired, combo_free);
	}
}

/**
 * ftrace_combo_limit() - choose which combos a plan has to do without
 *
 * In all combos, ->coming is the number of sites that the plan adds, minus those that it
 * removes. Sets ->refused in the latest combos made for the plan, so that no more than
 * the cap have sites afterwards. The caller has to reset ->coming.
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if any combo is refused.
 */
bool ftrace_combo_limit(void)
{
	struct ftrace_combo *combo;
	unsigned int live = 0, i;
	bool refused = false;

	lockdep_assert_held(&ftrace_lock);

	for (i = 0; i < ARRAY_SIZE(combos); i++) {
		hlist_for_each_entry(combo, &combos[i], node) {
			live += combo->sites + combo->coming > 0;
			combo->refused = false;
		}
	}
	/* The latest combo comes first. */
	list_for_each_entry(combo, &idle, idle) {
		if (live > ftrace_combo_cap && combo->coming) {
			combo->refused = true;
			refused = true;
			live--;
		}
	}
	ftrace_combo_refused |= refused;
	return refused;
}

unsigned int ftrace_combo_nr(void)
{
	return nr_combos;
}

u32 ftrace_combo_mixed_sites(void)
{
	return mixed.sites;
}

static int __init set_cap(char *text)
{
	unsigned int cap;

	/* @text is NULL if the parameter has no value. */
	if (text && !kstrtouint(text, 0, &cap))
		ftrace_combo_cap = cap;
	else
		pr_warn("ftrace_combo_cap: \"%s\" is no number, using %u\n", text ?: "",
			ftrace_combo_cap);
	return 0;
}
early_param("ftrace_combo_cap", set_cap);

/**
 * ftrace_combo_init() - set up the mixed combo
 *
 * Context: Boot, before the first plan.
 */
void __init ftrace_combo_init(void)
{
	mixed.target = arch_ftrace_mixed();
}
