// SPDX-License-Identifier: GPL-2.0
/*
 * Ops from their registration to their trampolines, in the same world: where a
 * trampoline can save all registers, and where there is no more than the arguments.
 */
#include "tests/change_held.h"
#include "tests/change_direct.h"

/* The world and the code each have one. */
#define apply			apply_direct
#include "hooks/change.c"
#include "hooks/swap.c"
#include "hooks/ops.c"
#include "hooks/direct.c"
#undef apply

struct mutex ftrace_lock, direct_mutex;
bool ftrace_disabled;
char shim_data[1];

static const bool with_regs = IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS);

void ftrace_direct_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			struct ftrace_regs *fregs)
{
}

void ftrace_graph_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
}

void ftrace_if_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		    struct ftrace_regs *fregs)
{
}

ftrace_func_t ftrace_ops_call(struct ftrace_ops *ops)
{
	return ops->func;
}

struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot)
{
	return slot->filter ?: &ftrace_filter_all;
}

struct ftrace_filter *ftrace_slot_filter_get(struct ftrace_filter_slot *slot)
{
	return ftrace_filter_get(ftrace_slot_filter(slot));
}

void ftrace_slot_replace(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	ftrace_filter_put(slot->filter);
	slot->filter = filter;
}

void ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_slot_replace(&ops->own, NULL);
}

static int share_refused;

int ftrace_share_self(struct ftrace_ops *ops, const struct ftrace_siteset *sites)
{
	return share_refused;
}

int ftrace_share_begin(struct ftrace_filter *from, struct ftrace_filter *to)
{
	return 0;
}

void ftrace_share_end(struct ftrace_filter *from, struct ftrace_filter *to)
{
}

static unsigned int waits;
static void (*meanwhile)(void);

void ftrace_retire_wait(void)
{
	if (meanwhile)
		meanwhile();
	grace();
}

void ftrace_readers_wait(void)
{
	waits++;
	grace();
}

int ftrace_targets_of(struct ftrace_targets *targets, const struct ftrace_hash *hash)
{
	return ftrace_targets_make(targets, &hash->entries, hash->count);
}

/* A call as its owner makes it, without the lock of the world. */
#define outside(call)							\
({									\
	int _err;							\
									\
	mutex_unlock(&ftrace_lock);					\
	_err = call;							\
	mutex_lock(&ftrace_lock);					\
	_err;								\
})

static struct ftrace_ops callback_ops(unsigned long flags)
{
	return (struct ftrace_ops){ .func = call_of(0), .flags = flags };
}

static struct ftrace_ops direct_ops(void)
{
	bool all[ALL];

	memset(all, true, sizeof(all));
	return (struct ftrace_ops){ .own.filter = filter_for(all, true) };
}

static void expect_tramps(bool regs, bool direct)
{
	for (u32 site = 0; site < ALL; site++) {
		const struct fake_tramp *t = tramp_at(world->text[site]);

		KUNIT_EXPECT_TRUE(world->test, t && t->regs == regs && t->direct == direct);
	}
}

static void expect_text(unsigned long target)
{
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_EQ(world->test, world->text[site], target ?: nop_of(site));
}

WORLD_CASE(a_direct_call_needs_the_registers_that_there_are)
{
	struct ftrace_ops ops = callback_ops(0), direct = direct_ops();

	KUNIT_EXPECT_EQ(test, outside(register_ftrace_direct(&direct, 0x2000)), 0);
	expect_text(0x2000);
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&ops)), 0);
	expect_tramps(with_regs, true);
	KUNIT_EXPECT_EQ(test, outside(modify_ftrace_direct(&direct, 0x3000)), 0);
	expect_tramps(with_regs, true);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&ops)), 0);
	expect_text(0x3000);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_direct(&direct, 0x3000, true)), 0);
	expect_text(0);
	KUNIT_EXPECT_EQ(test, direct.flags & ~FTRACE_OPS_FL_DYNAMIC, 0);
}

WORLD_CASE(each_function_calls_its_own_address)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_ops ops = callback_ops(0), direct = {};
	struct ftrace_hash hash = { .count = make_entries(entries, &hash.entries) };

	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&direct, &hash)), 0);
	for (u32 n = 0; n < hash.count; n++)
		KUNIT_EXPECT_EQ(test, world->text[site_at(entries[n].ip)], entries[n].direct);
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&ops)), 0);
	for (u32 n = 0; n < hash.count; n++)
		KUNIT_EXPECT_TRUE(test, tramp_at(world->text[site_at(entries[n].ip)])->direct);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&direct, &hash)), -EINVAL);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&direct, &hash)), 0);
	expect_tramps(false, false);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&ops)), 0);
	expect_text(0);
}

#define does_not_wait(call)						\
do {									\
	waits = 0;							\
	KUNIT_EXPECT_EQ(world->test, outside(call), 0);			\
	KUNIT_EXPECT_EQ(world->test, waits, 0);				\
} while (0)

/* Writing fails at site @at: the text that was written before may have been executed. */
#define waits_if_late(at, call)						\
do {									\
	const u32 _site = (at);						\
									\
	waits = 0;							\
	world->spoilt = _site + 1;					\
	KUNIT_EXPECT_EQ(world->test, outside(call), -ENODEV);		\
	KUNIT_EXPECT_EQ(world->test, world->spoilt, 0);			\
	KUNIT_EXPECT_EQ(world->test, waits, 1);				\
	world->foreign[_site] = false;					\
	world->text[_site] = nop_of(_site);				\
	site_of(_site)->state &= ~FTRACE_SITE_FAULT;			\
} while (0)

/* Fill a table with the sites from @first to before @end, and targets from @target on. */
static void fill_table(struct ftrace_hash *hash, struct ftrace_func_entry *entries,
		       u32 first, u32 end, unsigned long target)
{
	*hash = (struct ftrace_hash){ .count = end - first };
	for (u32 site = first; site < end; site++) {
		entries[site].ip = 0x1000 + 16 * site;
		entries[site].direct = target + site;
		hlist_add_head(&entries[site].hlist, &hash->entries);
	}
}

WORLD_CASE(who_fails_after_text_was_written_waits)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_ops ops = direct_ops(), direct = direct_ops(), each = {};
	struct ftrace_hash hash;

	ops.func = call_of(0);
	ops.flags = FTRACE_OPS_FL_IPMODIFY;
	waits_if_late(33, register_ftrace_function(&ops));
	does_not_wait(register_ftrace_function(&ops));
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&ops)), 0);
	ftrace_free_filter(&ops);

	waits_if_late(33, register_ftrace_direct(&direct, 0x2000));
	does_not_wait(register_ftrace_direct(&direct, 0x2000));
	does_not_wait(modify_ftrace_direct(&direct, 0x3000));
	waits_if_late(33, modify_ftrace_direct(&direct, 0x4000));
	mutex_lock(&direct_mutex);
	does_not_wait(modify_ftrace_direct_nolock(&direct, 0x5000));
	waits_if_late(34, modify_ftrace_direct_nolock(&direct, 0x4000));
	mutex_unlock(&direct_mutex);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_direct(&direct, 0x5000, true)), 0);

	fill_table(&hash, entries, 0, 40, 0x9000);
	waits_if_late(33, update_ftrace_direct_add(&each, &hash));
	does_not_wait(update_ftrace_direct_add(&each, &hash));
	fill_table(&hash, entries, 40, ALL, 0x9000);
	waits_if_late(63, update_ftrace_direct_add(&each, &hash));
	does_not_wait(update_ftrace_direct_add(&each, &hash));
	fill_table(&hash, entries, 0, ALL, 0xa000);
	does_not_wait(update_ftrace_direct_mod(&each, &hash, true));
	fill_table(&hash, entries, 0, ALL, 0xb000);
	waits_if_late(33, update_ftrace_direct_mod(&each, &hash, true));
	fill_table(&hash, entries, 0, ALL, 0xa000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&each, &hash)), 0);
	expect_text(0);
}

/* No trampoline or hook is removed, which would be a reason to wait. */
WORLD_CASE(what_some_functions_called_is_waited_for)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_ops each = { .flags = FTRACE_OPS_FL_DYNAMIC };
	struct ftrace_hash hash;

	fill_table(&hash, entries, 0, ALL, 0x9000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&each, &hash)), 0);
	fill_table(&hash, entries, 0, 40, 0x9000);
	waits = 0;
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&each, &hash)), 0);
	KUNIT_EXPECT_EQ(test, waits, 1);
	fill_table(&hash, entries, 40, ALL, 0x9000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&each, &hash)), 0);
	KUNIT_EXPECT_EQ(test, waits, 1);
	expect_text(0);
}

WORLD_CASE(who_cannot_share_calls_what_was_called_before)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_ops direct = direct_ops(), each = {};
	struct ftrace_hash hash;

	share_refused = -EBUSY;
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_direct(&direct, 0x2000)), -EBUSY);
	fill_table(&hash, entries, 0, 40, 0x9000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&each, &hash)), -EBUSY);
	expect_text(0);

	share_refused = 0;
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&each, &hash)), 0);
	fill_table(&hash, entries, 40, ALL, 0x9000);
	share_refused = -EBUSY;
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&each, &hash)), -EBUSY);
	share_refused = 0;
	for (u32 site = 0; site < ALL; site++)
		KUNIT_EXPECT_EQ(test, world->text[site], site < 40 ? 0x9000 + site : nop_of(site));
	fill_table(&hash, entries, 0, 40, 0x9000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&each, &hash)), 0);
	expect_text(0);
	ftrace_free_filter(&direct);
}

static struct ftrace_ops again;

static void register_again(void)
{
	meanwhile = NULL;
	KUNIT_EXPECT_EQ(world->test, register_ftrace_direct(&again, 0x3000), 0);
}

WORLD_CASE(an_ops_is_free_before_who_unregisters_it_has_waited)
{
	again = direct_ops();
	again.flags = FTRACE_OPS_FL_DYNAMIC;
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_direct(&again, 0x2000)), 0);
	meanwhile = register_again;
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_direct(&again, 0x2000, false)), 0);
	expect_text(0x3000);
	KUNIT_EXPECT_EQ(test, outside(modify_ftrace_direct(&again, 0x4000)), 0);
	expect_text(0x4000);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_direct(&again, 0x4000, true)), 0);
	expect_text(0);
}

WORLD_CASE(a_faulty_site_keeps_no_other_from_its_new_target)
{
	static struct ftrace_func_entry entries[ALL];
	struct ftrace_ops each = {};
	struct ftrace_hash hash;

	fill_table(&hash, entries, 0, ALL, 0x9000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_add(&each, &hash)), 0);
	world->foreign[33] = true;
	site_of(33)->state = (site_of(33)->state & ~FTRACE_SITE_COMBO) | FTRACE_SITE_FAULT;
	ftrace_combo_count(ftrace_combo(site_of(0)->state & FTRACE_SITE_COMBO), -1);
	ftrace_combo_count(ftrace_combo(FTRACE_COMBO_NOP), 1);
	fill_table(&hash, entries, 0, ALL, 0xa000);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_mod(&each, &hash, true)), 0);
	for (u32 site = 0; site < ALL; site++)
		if (site != 33)
			KUNIT_EXPECT_EQ(test, world->text[site], 0xa000 + site);
	KUNIT_EXPECT_EQ(test, outside(update_ftrace_direct_del(&each, &hash)), 0);
	world->foreign[33] = false;
	world->text[33] = nop_of(33);
	site_of(33)->state &= ~FTRACE_SITE_FAULT;
	expect_text(0);
}

WORLD_CASE(registers_that_nobody_saves_are_refused)
{
	struct ftrace_ops all = callback_ops(FTRACE_OPS_FL_SAVE_REGS);
	struct ftrace_ops some = callback_ops(FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED);

	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&all)), with_regs ? 0 : -EINVAL);
	if (with_regs) {
		expect_tramps(true, false);
		KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&all)), 0);
	}
	expect_text(0);
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&some)), 0);
	expect_tramps(with_regs, false);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&some)), 0);
	expect_text(0);
}

/* All sites: a third has no condition, a third has "arg1>1", and a third has @text. */
static struct ftrace_filter *filter_with_conds(const char *text)
{
	struct ftrace_siteset_builder some[3] = {};
	struct ftrace_filter *filter;
	struct ftrace_siteset *sites;
	struct ftrace_condset *conds = NULL, *more;
	struct ftrace_cond *cond;
	unsigned int pos;
	bool all[ALL];

	memset(all, true, sizeof(all));
	filter = filter_for(all, true);
	for (u32 site = 0; site < ALL; site++)
		ftrace_siteset_add(&some[dice(&world->dice, 3)], nr_of(site));
	for (u32 k = 0; k < 3; k++) {
		sites = ftrace_siteset_build(&some[k]);
		cond = k ? ftrace_cond_parse(k == 1 ? "arg1>1" : text, NULL, -1, &pos) : NULL;
		more = ftrace_condset_with(conds, sites, cond);
		ftrace_condset_put(conds);
		conds = more;
		ftrace_cond_put(cond);
		ftrace_siteset_put(sites);
	}
	filter->conds = conds;
	return filter;
}

/* Each site calls @ops's callback, on its condition in @filter, and then @first's. */
static void expect_conds(const struct ftrace_ops *first, struct ftrace_ops *ops,
			 const struct ftrace_filter *filter)
{
	for (u32 site = 0; site < ALL; site++) {
		const struct ftrace_cond *cond = ftrace_condset_of(filter->conds, nr_of(site));
		const struct fake_tramp *t = tramp_at(world->text[site]);
		const struct ftrace_tramp_call *call = t ? &t->calls[0] : NULL;
		const struct ftrace_hook *hook = call ? call->arg : NULL;

		KUNIT_EXPECT_TRUE(world->test, t && t->nr == 2 && t->calls[1].arg == first);
		if (!t)
			continue;
		KUNIT_EXPECT_TRUE(world->test, call->func ==
				  (cond ? (void *)ftrace_if_hook : (void *)ops->func));
		if (!cond) {
			KUNIT_EXPECT_PTR_EQ(world->test, call->arg, ops);
			continue;
		}
		KUNIT_EXPECT_PTR_EQ(world->test, hook->ops, ops);
		KUNIT_EXPECT_PTR_EQ(world->test, hook->then, ops->func);
		KUNIT_EXPECT_STREQ(world->test, hook->cond->text, cond->text);
	}
	KUNIT_EXPECT_NULL(world->test, ops->hook->cond);
}

/* Replace the hooks of @ops; each allocation fails in its turn, which changes nothing. */
static void replace(const struct ftrace_ops *first, struct ftrace_ops *ops,
		    struct ftrace_filter *to)
{
	const struct ftrace_rehook rehook = { .ops = ops, .filter = to };
	struct ftrace_filter *from = ops->own.filter;
	unsigned int failures = 0;
	int err = -ENOMEM;

	for (long n = 1; err; n++) {
		shim_failed = false;
		shim_fail_in = n;
		err = ftrace_hooks_replace(&rehook, 1);
		shim_fail_in = 0;
		if (!err)
			break;
		KUNIT_EXPECT_EQ(world->test, err, -ENOMEM);
		KUNIT_EXPECT_TRUE(world->test, shim_failed);
		expect_conds(first, ops, from);
		failures++;
	}
	/* A plan that does without a trampoline does not fail. */
	KUNIT_EXPECT_GT(world->test, failures, 4);
	if (shim_failed)
		KUNIT_EXPECT_EQ(world->test, ftrace_hooks_replace(&rehook, 1), 0);
	expect_conds(first, ops, to);
	ftrace_slot_replace(&ops->own, to);
	grace();
}

WORLD_CASE(each_condition_has_a_hook)
{
	struct ftrace_ops first = callback_ops(0), ops = callback_ops(0);

	ops.own.filter = filter_with_conds("arg1>2");
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&first)), 0);
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&ops)), 0);
	expect_conds(&first, &ops, ops.own.filter);
	replace(&first, &ops, filter_with_conds("arg2&4"));
	replace(&first, &ops, &ftrace_filter_all);
	replace(&first, &ops, filter_with_conds("arg1>2"));

	/* Once more from the beginning. */
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&ops)), 0);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&first)), 0);
	expect_text(0);
	KUNIT_EXPECT_TRUE(test, list_empty(&ftrace_hooks));
	KUNIT_EXPECT_EQ(test, outside(register_ftrace_function(&ops)), 0);
	KUNIT_EXPECT_EQ(test, outside(unregister_ftrace_function(&ops)), 0);
	expect_text(0);
	ftrace_slot_replace(&ops.own, NULL);
}

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(a_direct_call_needs_the_registers_that_there_are),
	KUNIT_CASE(each_function_calls_its_own_address),
	KUNIT_CASE(who_fails_after_text_was_written_waits),
	KUNIT_CASE(what_some_functions_called_is_waited_for),
	KUNIT_CASE(who_cannot_share_calls_what_was_called_before),
	KUNIT_CASE(an_ops_is_free_before_who_unregisters_it_has_waited),
	KUNIT_CASE(a_faulty_site_keeps_no_other_from_its_new_target),
	KUNIT_CASE(registers_that_nobody_saves_are_refused),
	KUNIT_CASE(each_condition_has_a_hook),
	{}
};

static struct kunit_suite direct_suite = {
	.name		= "ftrace_register",
	.test_cases	= direct_cases,
};

kunit_test_suite(direct_suite);
