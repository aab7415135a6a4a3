// SPDX-License-Identifier: GPL-2.0
/*
 * Words that wait for modules: what a session removes, in any order, and that long
 * lists take time in proportion. A name is site 7 of every module.
 */
#include "filter_mods.h"

#define SITE	7

static struct {
	struct trace_array tr;
	bool loaded;			/* functions of modules can be found */
	bool removed;			/* the session removes them */
	bool added;
} world;

struct ftrace_ops global_ops;

DEFINE_MUTEX(ftrace_lock);	/* as in the kernel: guards the lists of words */
struct ftrace_filter ftrace_filter_all;
unsigned long shim_compared;

void shim_warn(const char *fmt, ...)
{
}

unsigned int full_name_hash(const void *salt, const char *name, unsigned int len)
{
	unsigned int hash = (unsigned long)salt / sizeof(long);

	while (len--)
		hash = hash * 31 + *name++;
	return hash;
}

struct trace_array *trace_get_global_array(void)
{
	return &world.tr;
}

void ftrace_init_trace_array(struct trace_array *tr)
{
}

struct ftrace_filter_slot *ftrace_ops_slot(struct ftrace_ops *ops)
{
	return NULL;
}

struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot)
{
	return &ftrace_filter_all;
}

int ftrace_slot_set_locked(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	return 0;
}

struct ftrace_filter *ftrace_filter_with_set(struct ftrace_filter *old, struct ftrace_siteset *set,
					     bool except, bool none,
					     const struct ftrace_edit *e)
{
	return old;
}

int ftrace_match_parse(struct ftrace_match *m, const char *text, size_t len)
{
	memset(m, 0, sizeof(*m));
	return 0;
}

int ftrace_edit_find(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod)
{
	static u32 nrs[1];

	nrs[0] = SITE;
	e->found.nrs = nrs;
	e->found.n = world.loaded;
	return world.loaded ? 0 : -EINVAL;
}

int ftrace_edit_stage(struct ftrace_edit *e, bool remove)
{
	world.removed |= remove && e->found.n;
	world.added |= !remove && e->found.n;
	return 0;
}

int ftrace_edit_word(struct ftrace_edit *e, const struct ftrace_match *m, const char *mod)
{
	return ftrace_edit_find(e, m, mod) ?: ftrace_edit_stage(e, m->not);
}

struct ftrace_siteset *ftrace_edit_apply(const struct ftrace_edit *e, struct ftrace_siteset *base)
{
	return base;
}

void ftrace_edit_drop(struct ftrace_edit *e)
{
}

static struct ftrace_mods_edit e;
static LIST_HEAD(mods);

static void begin(void)
{
	memset(&world, 0, sizeof(world));
	mutex_lock(&ftrace_lock);
	ftrace_mods_edit_init(&e);
}

static void apply(bool reset)
{
	ftrace_mods_edit_apply(&e, &mods, reset);
	mutex_unlock(&ftrace_lock);
	ftrace_mods_edit_drop(&e);
	mutex_lock(&ftrace_lock);
	ftrace_mods_edit_init(&e);
}

static void end(void)
{
	ftrace_mods_free(&mods);
	apply(true);
	mutex_unlock(&ftrace_lock);
}

/* As write_mod() of filter_write.c does it. */
static int remove_word(const char *func, const char *module)
{
	return ftrace_mods_edit_has(&e, &mods, func, module) ?
	       ftrace_mods_edit_stage(&e, func, module, true) : -EINVAL;
}

static unsigned int count(void)
{
	struct ftrace_mod_load *ml;
	unsigned int n = 0;

	list_for_each_entry(ml, &mods, list)
		n++;
	return n;
}

static void two_removals_in_a_session(struct kunit *test)
{
	begin();
	ftrace_mods_edit_stage(&e, "foo", "nomod", false);
	ftrace_mods_edit_stage(&e, "baz", "nomod", false);
	ftrace_mods_edit_stage(&e, "foo", "other", false);
	apply(false);
	KUNIT_EXPECT_EQ(test, remove_word("foo", "nomod"), 0);
	KUNIT_EXPECT_EQ(test, remove_word("foo", "nomod"), -EINVAL);
	KUNIT_EXPECT_EQ(test, remove_word("*", "nomod"), 0);
	KUNIT_EXPECT_EQ(test, remove_word("*", "nomod"), -EINVAL);
	KUNIT_EXPECT_EQ(test, remove_word("baz", "nomod"), -EINVAL);
	KUNIT_EXPECT_TRUE(test, ftrace_mods_edit_leaves_any(&e, &mods));
	apply(false);
	KUNIT_EXPECT_EQ(test, count(), 1);
	KUNIT_EXPECT_EQ(test, remove_word("foo", "other"), 0);
	KUNIT_EXPECT_EQ(test, remove_word("*", "other"), -EINVAL);
	KUNIT_EXPECT_FALSE(test, ftrace_mods_edit_leaves_any(&e, &mods));
	ftrace_mods_edit_stage(&e, "foo", "other", false);
	KUNIT_EXPECT_EQ(test, remove_word("", "other"), 0);
	KUNIT_EXPECT_FALSE(test, ftrace_mods_edit_leaves_any(&e, &mods));
	apply(false);
	KUNIT_EXPECT_EQ(test, count(), 0);
	end();
}

/* Each allocation of a word fails in turn: the removal before it stays. */
static void no_memory_for_a_word(struct kunit *test)
{
	unsigned int n;
	int err = -ENOMEM;

	begin();
	ftrace_mods_edit_stage(&e, "foo", "nomod", false);
	apply(false);
	for (n = 1; err; n++) {
		KUNIT_EXPECT_EQ(test, remove_word("foo", "nomod"), 0);
		shim_failed = false;
		shim_fail_in = n;
		err = ftrace_mods_edit_stage(&e, "foo", "nomod", false);
		shim_fail_in = 0;
		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		KUNIT_EXPECT_EQ(test, ftrace_mods_edit_leaves_any(&e, &mods), !err);
		apply(false);
		KUNIT_EXPECT_EQ(test, count(), !err);
		if (err) {
			ftrace_mods_edit_stage(&e, "foo", "nomod", false);
			apply(false);
		}
	}
	/* The word, its function and its module. */
	KUNIT_EXPECT_GT(test, n, 4U);
	end();
}

static void words_are_there_once(struct kunit *test)
{
	begin();
	for (int n = 0; n < 3; n++) {
		ftrace_mods_edit_stage(&e, "foo", "nomod", false);
		apply(false);
	}
	KUNIT_EXPECT_EQ(test, count(), 1);
	ftrace_mods_edit_stage(&e, "bar", "nomod", false);
	apply(true);
	KUNIT_EXPECT_EQ(test, count(), 1);
	end();
}

/* The module is loaded between the write and close. */
static void removal_finds_what_came(struct kunit *test)
{
	unsigned long add[1] = { };
	struct ftrace_edit edit = { .room = BITS_PER_LONG, .add = add };

	begin();
	ftrace_mods_edit_stage(&e, "foo", "nomod", false);
	apply(false);
	KUNIT_EXPECT_EQ(test, remove_word("foo", "nomod"), 0);
	KUNIT_EXPECT_EQ(test, ftrace_mods_edit_resolve(&e, &edit), 0);
	KUNIT_EXPECT_FALSE(test, world.removed);
	world.loaded = true;
	KUNIT_EXPECT_EQ(test, ftrace_mods_edit_resolve(&e, &edit), 0);
	KUNIT_EXPECT_TRUE(test, world.removed);

	/* A site that was named again since then is not removed. */
	world.removed = false;
	add[0] = BIT(SITE);
	KUNIT_EXPECT_EQ(test, ftrace_mods_edit_resolve(&e, &edit), 0);
	KUNIT_EXPECT_FALSE(test, world.removed);
	apply(false);
	end();
}

/* A word waits, its module comes, and the next word takes out one of its functions. */
static void later_words_count(struct kunit *test)
{
	unsigned long del[1] = { };
	struct ftrace_edit edit = { .room = BITS_PER_LONG, .del = del };

	begin();
	ftrace_mods_edit_stage(&e, "*", "nomod", false);
	world.loaded = true;
	KUNIT_EXPECT_EQ(test, ftrace_mods_edit_resolve(&e, &edit), 0);
	KUNIT_EXPECT_TRUE(test, world.added);
	apply(false);

	world.added = false;
	ftrace_mods_edit_stage(&e, "*", "nomod", false);
	del[0] = BIT(SITE);
	KUNIT_EXPECT_EQ(test, ftrace_mods_edit_resolve(&e, &edit), 0);
	KUNIT_EXPECT_FALSE(test, world.added);
	apply(false);
	end();
}

/* 20,000 words of one module, all removed one by one: at most 50 comparisons a word, then 200. */
static void long_lists_are_linear(struct kunit *test)
{
	const unsigned int nr = 20000;
	char func[32];

	begin();
	shim_compared = 0;
	for (unsigned int n = 0; n < nr; n++) {
		snprintf(func, sizeof(func), "f%u", n);
		ftrace_mods_edit_stage(&e, func, "nomod", false);
	}
	apply(false);
	KUNIT_EXPECT_EQ(test, count(), nr);
	KUNIT_EXPECT_GT(test, 50UL * nr, shim_compared);
	shim_compared = 0;
	for (unsigned int n = 0; n < nr; n++) {
		snprintf(func, sizeof(func), "f%u", n);
		KUNIT_EXPECT_EQ(test, remove_word(func, "nomod"), 0);
	}
	KUNIT_EXPECT_FALSE(test, ftrace_mods_edit_leaves_any(&e, &mods));
	apply(false);
	KUNIT_EXPECT_EQ(test, count(), 0);
	KUNIT_EXPECT_GT(test, 4 * 50UL * nr, shim_compared);
	end();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(two_removals_in_a_session),
	KUNIT_CASE(no_memory_for_a_word),
	KUNIT_CASE(words_are_there_once),
	KUNIT_CASE(removal_finds_what_came),
	KUNIT_CASE(later_words_count),
	KUNIT_CASE(long_lists_are_linear),
	{ }
};

static struct kunit_suite suite = { .name = "mods", .test_cases = cases };
kunit_test_suite(suite);
