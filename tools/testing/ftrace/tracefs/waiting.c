// SPDX-License-Identifier: GPL-2.0
/*
 * Words that wait, in a kernel and a module of some hundred functions that are
 * found one after the other. Whatever the order in which functions are found and
 * words are written: in the end a filter has what the same words make of it where
 * all functions are found from the start.
 */
#include <stdarg.h>
#include "discovered.h"
#include "waiting.h"

#define KERNEL		0x100000UL
#define MODULE		0x900000UL
#define STRIDE		64
#define NR		300		/* functions of the kernel */
#define NR_MODULE	100		/* more than the first block has room for */
#define NR_ALL		(NR + NR_MODULE)

static struct {
	struct module mod;
	struct mod_kallsyms table;
	Elf_Sym symtab[NR_MODULE + 1];
	char strtab[32 * (NR_MODULE + 1)], typetab[NR_MODULE + 1];
	struct ftrace_discovered *kernel, *module;
	struct ftrace_filter_slot slot;
	unsigned int warnings, unhooked;
	u64 dice;
} world;

void shim_warn(const char *fmt, ...)
{
	world.warnings++;
}

static u32 roll(u32 sides)
{
	world.dice = world.dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return (world.dice >> 33) % sides;
}

/* ---- functions: every 13th has no call, every 7th shares its name ---- */

static unsigned long addr_of(u32 f)
{
	return f < NR ? KERNEL + STRIDE * f : MODULE + STRIDE * (f - NR);
}

static u32 at(unsigned long addr)
{
	return addr < MODULE ? (addr - KERNEL) / STRIDE : NR + (addr - MODULE) / STRIDE;
}

static bool calls(u32 f)
{
	return f < NR_ALL && f % 13;
}

static const char *name_of(u32 f)
{
	static char name[32];

	snprintf(name, sizeof(name), f >= NR ? "module_%u" : f % 7 ? "function_%u" :
		 f % 2 ? "odd" : "even", f >= NR ? f - NR : f);
	return name;
}

bool arch_ftrace_calls_fentry(unsigned long ip)
{
	return ip % STRIDE == 4 && calls(at(ip));
}

unsigned long ftrace_location(unsigned long ip)
{
	return ip % STRIDE <= 4 && calls(at(ip)) ? addr_of(at(ip)) + 4 : 0;
}

void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr)
{
	w->nr = at(addr);
}

unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr)
{
	w->nr = at(addr);
	return addr_of(w->nr);
}

unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name)
{
	return strscpy(name, name_of(w->nr), KSYM_NAME_LEN);
}

bool kallsyms_walk_alias(struct kallsyms_walk *w)
{
	return false;
}

int kallsyms_on_each_symbol(int (*fn)(void *, const char *, unsigned long), void *data)
{
	int ret = 0;

	for (u32 f = 0; f < NR && !ret; f++)
		ret = fn(data, name_of(f), addr_of(f));
	return ret;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	return 0;
}

struct module *find_module(const char *name)
{
	return NULL;
}

/* Every 5th function has a second name, which lists do not show. */
int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data)
{
	char alias[32];
	int ret = 0;

	for (u32 f = 0; f < NR && !ret; f++) {
		snprintf(alias, sizeof(alias), "alias_%u", f);
		if (!strcmp(name_of(f), name) || (!(f % 5) && !strcmp(alias, name)))
			ret = fn(data, addr_of(f));
	}
	return ret;
}

int module_kallsyms_on_each_symbol(const char *modname,
				   int (*fn)(void *, const char *, unsigned long), void *data)
{
	return 0;
}

unsigned int full_name_hash(const void *salt, const char *name, unsigned int len)
{
	return len;
}

/* ---- a filter slot ---- */

struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot)
{
	return slot->filter ?: &ftrace_filter_all;
}

static void put_into_force(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	if (slot->filter)
		ftrace_filter_put(slot->filter);
	slot->filter = filter;
}

/* A plan disarms what it changes; nobody makes one for sites that are no longer armed. */
static void put_into_force_by(struct ftrace_filter_slot *slot, struct ftrace_filter *filter,
			      bool plan)
{
	struct ftrace_site_block *b;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		for (u32 i = 0; i < b->nr; i++) {
			const u32 nr = ftrace_site_nr(b, i);

			if (ftrace_filter_has(filter, nr) ==
			    ftrace_filter_has(ftrace_slot_filter(slot), nr))
				continue;
			if (plan)
				b->sites[i].state &= ~FTRACE_SITE_ARMED;
			else
				world.unhooked += !(b->sites[i].state & FTRACE_SITE_ARMED);
		}
	}
	put_into_force(slot, filter);
}

int ftrace_slot_set_locked(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	put_into_force_by(slot, filter, true);
	return 0;
}

void ftrace_slot_foresee(struct ftrace_filter_slot *slot, struct ftrace_filter *filter)
{
	put_into_force_by(slot, filter, false);
}

/* ---- what the files do ---- */

struct draft {
	struct ftrace_edit edit;
	struct list_head log;
	struct ftrace_filter_slot *slot;
	bool except;
};

static void draft_begin(struct draft *d, struct ftrace_filter_slot *slot, bool except)
{
	*d = (struct draft){ .slot = slot, .except = except };
	INIT_LIST_HEAD(&d->log);
}

static int draft_write(struct draft *d, const char *text)
{
	struct ftrace_match m;
	int err, waits;

	if (ftrace_match_parse(&m, text, strlen(text)))
		return -EINVAL;
	err = ftrace_edit_find(&d->edit, &m, NULL);
	if (err == -ENOMEM)
		return err;
	waits = ftrace_words_stage(&d->log, d->edit.reset ? NULL :
				   ftrace_slot_waiting(d->slot, d->except), &m, text);
	if (waits < 0 || err)
		return waits < 0 ? waits : waits ? 0 : err;
	return ftrace_edit_stage(&d->edit, m.not);
}

static void draft_end(struct draft *d)
{
	ftrace_words_free(&d->log);
	ftrace_edit_drop(&d->edit);
}

static int draft_close(struct draft *d)
{
	struct ftrace_waiting *waiting = ftrace_slot_waiting_make(d->slot, d->except);
	struct ftrace_filter *now = ftrace_slot_filter(d->slot), *filter = NULL;
	struct ftrace_siteset *set;
	LIST_HEAD(words);
	int err;

	err = !waiting ? -ENOMEM :
	      ftrace_words_replay(&words, d->edit.reset ? NULL : waiting, &d->log);
	if (!err) {
		set = ftrace_edit_apply(&d->edit, d->except ? now->except : now->only);
		err = PTR_ERR_OR_ZERO(set);
	}
	if (!err) {
		filter = ftrace_filter_with_set(now, set, d->except, true, &d->edit);
		err = PTR_ERR_OR_ZERO(filter);
	}
	if (err) {
		ftrace_words_free(&words);
	} else {
		put_into_force(d->slot, filter);
		ftrace_waiting_set(waiting, &words);
	}
	draft_end(d);
	return err;
}

static int write_to(struct ftrace_filter_slot *slot, bool except, const char *text)
{
	struct draft d;
	int err;

	draft_begin(&d, slot, except);
	err = draft_write(&d, text);
	if (!err)
		return draft_close(&d);
	draft_end(&d);
	return err;
}

static int write_word(const char *text)
{
	return write_to(&world.slot, false, text);
}

/* A round that finds a function, and then makes a nop of its call. */
static int find_function(u32 f)
{
	struct ftrace_discovered *text = f < NR ? world.kernel : world.module;
	const u32 offset = addr_of(f) + 4 - text->start;
	struct ftrace_site_block *b;
	int err;
	u32 i;

	if (!calls(f) || ftrace_site_find_exact(addr_of(f) + 4, &i))
		return 0;
	err = ftrace_discovered_add_sites(text, &offset, 1, FTRACE_SITE_ARMED);
	b = ftrace_site_find_exact(addr_of(f) + 4, &i);
	if (b)
		b->sites[i].state &= ~FTRACE_SITE_ARMED;
	return err;
}

static bool traces(struct ftrace_filter_slot *slot, u32 f)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_exact(addr_of(f) + 4, &i);
	return b && ftrace_filter_has(ftrace_slot_filter(slot), ftrace_site_nr(b, i));
}

/* The words that wait, as a file shows them, with a blank behind each. */
static const char *shown(bool except)
{
	const struct ftrace_waiting *waiting = ftrace_slot_waiting(&world.slot, except);
	static char text[512];
	const char *word;

	*text = '\0';
	for (unsigned int n = 0; (word = ftrace_waiting_word(waiting, n)); n++) {
		strcat(text, word);
		strcat(text, " ");
	}
	return text;
}

static void begin(struct kunit *test)
{
	struct mod_kallsyms *k = &world.table;
	char *at = world.strtab + 1;

	memset(&world, 0, sizeof(world));
	world.dice = 1;
	for (u32 s = 1; s <= NR_MODULE; s++) {
		world.symtab[s] = (Elf_Sym){ at - world.strtab, 1, MODULE + STRIDE * (s - 1), 8 };
		at += sprintf(at, "%s", name_of(NR + s - 1)) + 1;
	}
	*k = (struct mod_kallsyms){ world.symtab, NR_MODULE + 1, world.strtab, world.typetab };
	world.mod.kallsyms = k;
	strcpy(world.mod.name, "mod");

	mutex_lock(&ftrace_lock);
	world.kernel = ftrace_discovered_add(NULL, false, KERNEL, KERNEL + STRIDE * NR);
	world.module = ftrace_discovered_add(&world.mod, false, MODULE,
					     MODULE + STRIDE * NR_MODULE);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(world.kernel->head), 0);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(world.module->head), 0);
	world.kernel->ready = true;
	world.module->ready = true;
	put_into_force(&world.slot, ftrace_filter_get(&ftrace_filter_none));
}

static void end(void)
{
	struct ftrace_site_block *b, *next;

	ftrace_slot_waiting_free(&world.slot);
	ftrace_filter_put(world.slot.filter);
	ftrace_discovered_forget(world.kernel);
	ftrace_discovered_forget(world.module);
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		ftrace_names_free(b);
		ftrace_site_block_withdraw(b);
	}
	mutex_unlock(&ftrace_lock);
}

static void find_all(struct kunit *test)
{
	for (u32 f = 0; f < NR_ALL; f++)
		KUNIT_EXPECT_EQ(test, find_function(f), 0);
}

/* ---- cases ---- */

static void name_waits_for_its_function(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("function_5"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_5 ");
	KUNIT_EXPECT_EQ(test, find_function(6), 0);
	KUNIT_EXPECT_FALSE(test, traces(&world.slot, 6));
	KUNIT_EXPECT_STREQ(test, shown(false), "function_5 ");
	KUNIT_EXPECT_EQ(test, find_function(5), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 5));
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	/* A function that is found has nothing to wait for. */
	KUNIT_EXPECT_EQ(test, write_word("function_6"), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 6));
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	end();
}

/* The module of a name may follow in the next write. */
static void word_is_taken_back(struct kunit *test)
{
	struct draft d;
	struct ftrace_match m;

	begin(test);
	draft_begin(&d, &world.slot, false);
	KUNIT_EXPECT_EQ(test, draft_write(&d, "function_5"), 0);
	KUNIT_EXPECT_EQ(test, ftrace_match_parse(&m, "function_6", 10), 0);
	KUNIT_EXPECT_EQ(test, ftrace_words_stage(&d.log, NULL, &m, "function_6"), 1);
	ftrace_words_unstage(&d.log);
	KUNIT_EXPECT_EQ(test, draft_close(&d), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_5 ");
	end();
}

static void name_that_several_share_waits_for_all(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, find_function(7), 0);
	KUNIT_EXPECT_EQ(test, write_word("odd"), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 7));
	for (u32 f = 21; f < NR; f += 14) {
		KUNIT_EXPECT_STREQ(test, shown(false), "odd ");
		KUNIT_EXPECT_EQ(test, find_function(f), 0);
		KUNIT_EXPECT_EQ(test, traces(&world.slot, f), calls(f));
	}
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	end();
}

static void what_is_no_function_does_not_wait(struct kunit *test)
{
	static const char *const words[] = {
		"nobody", "nobody*", "function_13", "alias_5", "!function_5", "!function_1*", "!*",
	};

	begin(test);
	for (u32 k = 0; k < ARRAY_SIZE(words); k++) {
		KUNIT_EXPECT_EQ(test, write_word(words[k]), -EINVAL);
		KUNIT_EXPECT_STREQ(test, shown(false), "");
	}
	find_all(test);
	KUNIT_EXPECT_EQ(test, write_word("function_*"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	KUNIT_EXPECT_EQ(test, write_word("!*"), 0);
	end();
}

static void pattern_stays(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, find_function(11), 0);
	KUNIT_EXPECT_EQ(test, write_word("function_1*"), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 11));
	KUNIT_EXPECT_EQ(test, write_word("!function_12"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_1* !function_12 ");
	find_all(test);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_1* ");
	for (u32 f = 0; f < NR_ALL; f++)
		KUNIT_EXPECT_EQ(test, traces(&world.slot, f), calls(f) && f != 12 &&
				!strncmp(name_of(f), "function_1", 10));
	end();
}

static void words_are_removed(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("function_5"), 0);
	KUNIT_EXPECT_EQ(test, write_word("function_6"), 0);
	KUNIT_EXPECT_EQ(test, write_word("function_2*"), 0);
	KUNIT_EXPECT_EQ(test, write_word("!function_22"), 0);
	KUNIT_EXPECT_EQ(test, write_word("!function_5"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_6 function_2* !function_22 !function_5 ");
	/* The last pattern takes along the words that leave out some of its functions. */
	KUNIT_EXPECT_EQ(test, write_word("!function_2*"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_6 ");
	KUNIT_EXPECT_EQ(test, write_word("function_6"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_6 ");
	KUNIT_EXPECT_EQ(test, write_word("!*_6"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	KUNIT_EXPECT_EQ(test, write_word("function_*"), 0);
	KUNIT_EXPECT_EQ(test, write_word("!*"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "");
	find_all(test);
	KUNIT_EXPECT_TRUE(test, ftrace_filter_nothing(world.slot.filter));
	end();
}

static void reset_forgets_words(struct kunit *test)
{
	struct draft d;

	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("function_5"), 0);
	KUNIT_EXPECT_EQ(test, write_word("function_2*"), 0);
	draft_begin(&d, &world.slot, false);
	d.edit.reset = true;
	KUNIT_EXPECT_EQ(test, draft_write(&d, "function_6"), 0);
	KUNIT_EXPECT_EQ(test, draft_close(&d), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_6 ");
	end();
}

static void functions_of_a_module_wait(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("module_5"), 0);
	KUNIT_EXPECT_EQ(test, write_word("module_1*"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "module_5 module_1* ");
	KUNIT_EXPECT_EQ(test, find_function(NR + 5), 0);
	KUNIT_EXPECT_EQ(test, find_function(NR + 17), 0);
	KUNIT_EXPECT_EQ(test, find_function(NR + 6), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, NR + 5));
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, NR + 17));
	KUNIT_EXPECT_FALSE(test, traces(&world.slot, NR + 6));
	KUNIT_EXPECT_STREQ(test, shown(false), "module_1* ");
	/* While its symbols are not in place, there is nothing to compare with. */
	world.module->ready = false;
	KUNIT_EXPECT_EQ(test, write_word("module_7"), -EINVAL);
	world.module->ready = true;
	end();
}

/* A round finds many at once, in two blocks. */
static void batch_is_compared_as_a_whole(struct kunit *test)
{
	u32 offsets[NR_MODULE], nr = 0;

	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("module_*"), 0);
	for (u32 f = NR; f < NR_ALL; f++) {
		if (calls(f))
			offsets[nr++] = addr_of(f) + 4 - MODULE;
	}
	KUNIT_EXPECT_EQ(test, ftrace_discovered_add_sites(world.module, offsets, nr, 0), 0);
	for (u32 f = NR; f < NR_ALL; f++)
		KUNIT_EXPECT_EQ(test, traces(&world.slot, f), calls(f));
	end();
}

/* As at boot: no filter was set before. */
static void words_of_the_command_line(struct kunit *test)
{
	static const char *const refused[] = { "nobody", "5", "5x", "!function_5", "" };

	begin(test);
	mutex_unlock(&ftrace_lock);
	ftrace_slot_foresee(&world.slot, ftrace_filter_get(&ftrace_filter_all));
	for (u32 k = 0; k < ARRAY_SIZE(refused); k++) {
		KUNIT_EXPECT_EQ(test, ftrace_slot_waiting_early(&world.slot, refused[k], false), 0);
		KUNIT_EXPECT_TRUE(test, world.slot.filter->all);
	}
	KUNIT_EXPECT_EQ(test, ftrace_slot_waiting_early(&world.slot, "function_5", true), 1);
	KUNIT_EXPECT_TRUE(test, world.slot.filter->all);
	KUNIT_EXPECT_EQ(test, ftrace_slot_waiting_early(&world.slot, "function_*", false), 1);
	KUNIT_EXPECT_EQ(test, ftrace_slot_waiting_early(&world.slot, "module_7", false), 1);
	KUNIT_EXPECT_TRUE(test, ftrace_filter_nothing(world.slot.filter));
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_* module_7 ");
	KUNIT_EXPECT_STREQ(test, shown(true), "function_5 ");
	find_all(test);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 6) && traces(&world.slot, NR + 7));
	KUNIT_EXPECT_FALSE(test, traces(&world.slot, 5) || traces(&world.slot, NR + 8));
	end();
}

static void both_files_have_their_own_words(struct kunit *test)
{
	struct ftrace_filter_slot other = {};

	begin(test);
	ftrace_slot_foresee(&other, ftrace_filter_get(&ftrace_filter_all));
	KUNIT_EXPECT_EQ(test, write_word("function_1*"), 0);
	KUNIT_EXPECT_EQ(test, write_to(&world.slot, true, "function_11"), 0);
	KUNIT_EXPECT_EQ(test, write_to(&other, true, "function_12"), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_1* ");
	KUNIT_EXPECT_STREQ(test, shown(true), "function_11 ");
	for (u32 f = 10; f < 13; f++)
		KUNIT_EXPECT_EQ(test, find_function(f), 0);
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 10) && traces(&world.slot, 12));
	KUNIT_EXPECT_FALSE(test, traces(&world.slot, 11));
	KUNIT_EXPECT_TRUE(test, traces(&other, 10) && traces(&other, 11));
	KUNIT_EXPECT_FALSE(test, traces(&other, 12));
	KUNIT_EXPECT_STREQ(test, shown(true), "");

	/* Its owner frees a slot: nobody looks at it any more. */
	KUNIT_EXPECT_EQ(test, write_to(&other, true, "function_17"), 0);
	ftrace_slot_waiting_free(&other);
	ftrace_slot_foresee(&other, NULL);
	KUNIT_EXPECT_EQ(test, find_function(17), 0);
	KUNIT_EXPECT_NULL(test, other.filter);
	end();
}

/* Functions that are found between a word and the close of its file. */
static void draft_has_what_is_found_meanwhile(struct kunit *test)
{
	struct draft d;

	begin(test);
	KUNIT_EXPECT_EQ(test, write_word("function_2*"), 0);
	draft_begin(&d, &world.slot, false);
	KUNIT_EXPECT_EQ(test, draft_write(&d, "function_1*"), 0);
	KUNIT_EXPECT_EQ(test, draft_write(&d, "!function_22"), 0);
	KUNIT_EXPECT_EQ(test, draft_write(&d, "function_5"), 0);
	for (u32 f = 1; f < 30; f++) {
		struct ftrace_site_block *b;
		u32 i;

		KUNIT_EXPECT_EQ(test, find_function(f), 0);
		b = ftrace_site_find_exact(addr_of(f) + 4, &i);
		if (b)
			ftrace_words_apply(&d.log, &d.edit, ftrace_site_nr(b, i),
					   ftrace_site_nr(b, i) + 1);
	}
	KUNIT_EXPECT_TRUE(test, traces(&world.slot, 22));
	KUNIT_EXPECT_FALSE(test, traces(&world.slot, 11));
	KUNIT_EXPECT_EQ(test, draft_close(&d), 0);
	KUNIT_EXPECT_STREQ(test, shown(false), "function_2* function_1* ");
	for (u32 f = 1; f < 30; f++)
		KUNIT_EXPECT_EQ(test, traces(&world.slot, f), calls(f) && f % 7 && f != 22 &&
				(f / 10 == 1 || f / 10 == 2 || f <= 2 || f == 5));
	end();
}

/*
 * Each allocation fails in turn: a word is in force or refused; a site is known or is
 * not; and what a word names is in the filter with the next one that is found.
 */
static void enomem_nothing_is_lost(struct kunit *test)
{
	u32 failures = 0, late = 0;
	struct draft d;

	for (long n = 1; n < 60; n++) {
		int err;

		begin(test);
		shim_failed = false;
		shim_fail_in = n;
		err = write_word("function_1*");
		shim_fail_in = 0;
		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		KUNIT_EXPECT_STREQ(test, shown(false), err ? "" : "function_1* ");
		failures += shim_failed;
		KUNIT_EXPECT_EQ(test, write_word("function_1*"), 0);
		KUNIT_EXPECT_EQ(test, write_word("function_5"), 0);
		KUNIT_EXPECT_EQ(test, find_function(1), 0);

		shim_failed = false;
		shim_fail_in = n;
		err = find_function(11) ?: find_function(5);
		shim_fail_in = 0;
		failures += shim_failed;
		if (!err && shim_failed) {
			KUNIT_EXPECT_EQ(test, world.warnings, 1);
			late++;
		}
		err = find_function(11) ?: find_function(5) ?: find_function(100);
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_TRUE(test, traces(&world.slot, 1) && traces(&world.slot, 11) &&
				  traces(&world.slot, 5) && traces(&world.slot, 100));
		KUNIT_EXPECT_EQ(test, world.unhooked, 0);
		KUNIT_EXPECT_STREQ(test, shown(false), "function_1* ");

		/* A draft that is not whole cannot be put into force. */
		draft_begin(&d, &world.slot, false);
		KUNIT_EXPECT_EQ(test, draft_write(&d, "function_2*"), 0);
		KUNIT_EXPECT_EQ(test, find_function(29), 0);
		shim_failed = false;
		shim_fail_in = n;
		ftrace_words_apply(&d.log, &d.edit, 0, ftrace_site_end());
		shim_fail_in = 0;
		KUNIT_EXPECT_EQ(test, draft_close(&d), shim_failed ? -ENOMEM : 0);
		KUNIT_EXPECT_EQ(test, traces(&world.slot, 29), !shim_failed);
		end();
	}
	KUNIT_EXPECT_GT(test, failures, 5);
	KUNIT_EXPECT_GT(test, late, 1);
}

/* Functions that were not added for lack of memory: words that come meanwhile lose none. */
static void enomem_later_words_count(struct kunit *test)
{
	u32 late = 0;

	for (long n = 1; n < 60; n++) {
		const bool remove = n % 2;
		int err;

		begin(test);
		KUNIT_EXPECT_EQ(test, write_word("function_1*"), 0);
		KUNIT_EXPECT_EQ(test, write_word("function_5"), 0);
		shim_failed = false;
		shim_fail_in = (n + 1) / 2;
		err = find_function(5) ?: find_function(11);
		shim_fail_in = 0;
		late += !err && shim_failed;
		KUNIT_EXPECT_EQ(test, write_word("function_6"), 0);
		KUNIT_EXPECT_EQ(test, write_word(remove ? "!function_11" : "function_8"), 0);
		err = find_function(11) ?: find_function(5) ?: find_function(100);
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_TRUE(test, traces(&world.slot, 5) && traces(&world.slot, 100));
		KUNIT_EXPECT_EQ(test, traces(&world.slot, 11), !remove);
		KUNIT_EXPECT_EQ(test, world.unhooked, 0);
		end();
	}
	KUNIT_EXPECT_GT(test, late, 3);
}

/* A list that catches up has a plan made for a function that another list waits for, too. */
static void enomem_each_list_gets_its_functions(struct kunit *test)
{
	u32 late = 0;

	for (long n = 1; n < 20; n++) {
		struct ftrace_filter_slot other = {};
		int err;

		begin(test);
		KUNIT_EXPECT_EQ(test, write_word("function_8"), 0);
		KUNIT_EXPECT_EQ(test, write_word("module_8"), 0);
		KUNIT_EXPECT_EQ(test, write_word("function_9"), 0);
		KUNIT_EXPECT_EQ(test, write_to(&other, false, "function_9"), 0);
		shim_fail_in = n;
		err = find_function(8);
		shim_fail_in = err ? 0 : n;
		err = err ?: find_function(NR + 8);
		shim_fail_in = 0;
		late += !err && !traces(&world.slot, 8) && !traces(&world.slot, NR + 8);
		err = find_function(8) ?: find_function(NR + 8) ?: find_function(9);
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_TRUE(test, traces(&world.slot, 8) && traces(&world.slot, NR + 8));
		KUNIT_EXPECT_TRUE(test, traces(&world.slot, 9) && traces(&other, 9));
		KUNIT_EXPECT_EQ(test, world.unhooked, 0);
		ftrace_slot_waiting_free(&other);
		ftrace_filter_put(other.filter);
		end();
	}
	KUNIT_EXPECT_GT(test, late, 0);
}

/* Words and discoveries in any order, compared with words alone. */
static void order_of_words_and_discoveries(struct kunit *test)
{
	static const char *const patterns[] = {
		"function_*", "function_1*", "*_2?", "*7", "*un*_3*", "module_*", "*dd", "*",
	};
	u64 dice = 17;

	for (u32 round = 0; round < 300; round++) {
		bool wanted[NR_ALL] = {};
		u32 order[NR_ALL], nr = 0;

		begin(test);
		world.dice = dice;
		for (u32 f = 0; f < NR_ALL; f++)
			order[f] = f;
		for (u32 f = NR_ALL; f > 1; f--) {
			const u32 other = roll(f);

			swap(order[f - 1], order[other]);
		}
		while (nr < NR_ALL) {
			char word[40];
			struct ftrace_match m;

			for (u32 some = roll(60); some-- && nr < NR_ALL; nr++)
				KUNIT_EXPECT_EQ(test, find_function(order[nr]), 0);
			snprintf(word, sizeof(word), "%s%s", roll(3) ? "" : "!", roll(2) ?
				 patterns[roll(ARRAY_SIZE(patterns))] : name_of(roll(NR_ALL)));
			ftrace_match_parse(&m, word, strlen(word));
			write_word(word);
			for (u32 f = 0; f < NR_ALL; f++) {
				if (calls(f) && ftrace_match(&m, name_of(f)))
					wanted[f] = !m.not;
			}
		}
		for (u32 f = 0; f < NR_ALL; f++)
			KUNIT_EXPECT_EQ(test, traces(&world.slot, f), wanted[f]);
		dice = world.dice;
		end();
	}
}

/* The number of a line that cannot be traced is no error, and no filter for all. */
static void line_that_cannot_be_traced(struct kunit *test)
{
	struct ftrace_filter *filter;
	struct ftrace_edit edit = { };
	struct ftrace_site_block *b;
	struct ftrace_match m;
	u32 i;

	begin(test);
	KUNIT_EXPECT_EQ(test, find_function(5), 0);
	KUNIT_EXPECT_EQ(test, find_function(8), 0);
	b = ftrace_site_find_exact(addr_of(5) + 4, &i);
	b->sites[i].state |= FTRACE_SITE_DEAD;

	filter = ftrace_filter_with_word(&ftrace_filter_all, "1", 1, false, true);
	KUNIT_EXPECT_FALSE(test, IS_ERR(filter));
	if (!IS_ERR(filter)) {
		KUNIT_EXPECT_TRUE(test, ftrace_filter_nothing(filter));
		ftrace_filter_put(filter);
	}
	filter = ftrace_filter_with_word(&ftrace_filter_all, "3", 1, false, true);
	KUNIT_EXPECT_TRUE(test, IS_ERR(filter));

	ftrace_match_parse(&m, "1", 1);
	KUNIT_EXPECT_EQ(test, ftrace_edit_word(&edit, &m, NULL), 0);
	KUNIT_EXPECT_TRUE(test, edit.lost);
	ftrace_match_parse(&m, "function_8", 10);
	KUNIT_EXPECT_EQ(test, ftrace_edit_word(&edit, &m, NULL), 0);
	KUNIT_EXPECT_EQ(test, edit.found.n, 1);
	ftrace_match_parse(&m, "!1", 2);
	KUNIT_EXPECT_EQ(test, ftrace_edit_word(&edit, &m, NULL), 0);
	ftrace_edit_drop(&edit);
	end();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(name_waits_for_its_function),
	KUNIT_CASE(word_is_taken_back),
	KUNIT_CASE(name_that_several_share_waits_for_all),
	KUNIT_CASE(what_is_no_function_does_not_wait),
	KUNIT_CASE(pattern_stays),
	KUNIT_CASE(words_are_removed),
	KUNIT_CASE(reset_forgets_words),
	KUNIT_CASE(functions_of_a_module_wait),
	KUNIT_CASE(batch_is_compared_as_a_whole),
	KUNIT_CASE(words_of_the_command_line),
	KUNIT_CASE(both_files_have_their_own_words),
	KUNIT_CASE(draft_has_what_is_found_meanwhile),
	KUNIT_CASE(enomem_nothing_is_lost),
	KUNIT_CASE(enomem_later_words_count),
	KUNIT_CASE(enomem_each_list_gets_its_functions),
	KUNIT_CASE(line_that_cannot_be_traced),
	KUNIT_CASE(order_of_words_and_discoveries),
	{ }
};

static struct kunit_suite suite = { .name = "waiting", .test_cases = cases };
kunit_test_suite(suite);
