// SPDX-License-Identifier: GPL-2.0
/*
 * Names of call sites, in a world of two thousand symbols: aliases, weak
 * functions that lost, symbols without a site, sites without a symbol, modules
 * whose symbol table moves, and names whose hashes are all alike.
 */

#include <stdarg.h>
#include "names.h"
#include "cond.h"
#include "discovered.h"

#define KERNEL		0x100000UL
#define MODULE		0x900000UL
#define NR		1500		/* functions of the kernel */
#define NR_MODULE	300

static struct {
	struct {
		unsigned long addr;
		char name[32];
	} symbols[3 * NR];
	unsigned int nr;
	struct module mod;
	struct mod_kallsyms table;
	struct ftrace_site_block *kernel, *module;
} world;

/* The kernel's symbols */

void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr)
{
	w->nr = 0;
	kallsyms_walk_to(w, addr);
}

unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr)
{
	for (unsigned int nr = w->nr + 1; nr < world.nr && world.symbols[nr].addr <= addr; nr++) {
		if (world.symbols[nr].addr != world.symbols[w->nr].addr)
			w->nr = nr;
	}
	return world.symbols[w->nr].addr;
}

unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name)
{
	return strscpy(name, world.symbols[w->nr].name, KSYM_NAME_LEN);
}

bool kallsyms_walk_alias(struct kallsyms_walk *w)
{
	if (w->nr + 1 >= world.nr || world.symbols[w->nr + 1].addr != world.symbols[w->nr].addr)
		return false;
	w->nr++;
	return true;
}

int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data)
{
	int ret = 0;

	for (unsigned int i = 0; i < world.nr && !ret; i++) {
		if (!strcmp(world.symbols[i].name, name))
			ret = fn(data, world.symbols[i].addr);
	}
	return ret;
}

int kallsyms_on_each_symbol(int (*fn)(void *, const char *, unsigned long), void *data)
{
	int ret = 0;

	for (unsigned int i = 0; i < world.nr && !ret; i++)
		ret = fn(data, world.symbols[i].name, world.symbols[i].addr);
	return ret;
}

int module_kallsyms_on_each_symbol(const char *modname,
				   int (*fn)(void *, const char *, unsigned long), void *data)
{
	const struct mod_kallsyms *k = world.mod.kallsyms;
	int ret = 0;

	(void)modname;
	for (unsigned int i = 1; k && i < k->num_symtab && !ret; i++)
		ret = fn(data, k->strtab + k->symtab[i].st_name, k->symtab[i].st_value);
	return ret;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	for (unsigned int i = 0; i < world.nr; i++) {
		if (!strcmp(world.symbols[i].name, name))
			return world.symbols[i].addr;
	}
	return strcmp(name, "_text") ? 0 : KERNEL;
}

struct module *find_module(const char *name)
{
	return strcmp(name, world.mod.name) ? NULL : &world.mod;
}

/* The worst case: names that end alike have one hash. */
unsigned int full_name_hash(const void *salt, const char *name, unsigned int len)
{
	(void)salt;
	return len ? (name[len - 1] - '0') * 0x11111111U : 0;
}

/* Only functions whose number is a multiple of 3 do. */
bool arch_ftrace_calls_fentry(unsigned long ip)
{
	return ip % 64 == 4 && (ip - KERNEL) / 64 % 3 == 0;
}

unsigned long ftrace_location(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_range(ip, ip + FTRACE_MCOUNT_MAX_OFFSET, &i);
	if (b)
		return ftrace_site_ip(b, i);
	return ftrace_discovered_at(ip + 4) && arch_ftrace_calls_fentry(ip + 4) ? ip + 4 : 0;
}

static void add_symbol(unsigned long addr, const char *fmt, unsigned int n)
{
	world.symbols[world.nr].addr = addr;
	snprintf(world.symbols[world.nr++].name, sizeof(world.symbols[0].name), fmt, n);
}

/*
 * A function every 64 bytes, its site after 4. Every 5th has a second name,
 * every 7th shares its name, every 11th has a second site further in, where a
 * weak one was; every 13th has no site.
 */
static struct ftrace_site_block *make_kernel(struct kunit *test)
{
	unsigned long *ips = kunit_kzalloc(test, 2 * NR * sizeof(*ips), GFP_KERNEL);
	struct ftrace_site_block *b;
	unsigned int n = 0;

	for (unsigned int i = 0; i < NR; i++) {
		const unsigned long addr = KERNEL + 64 * i;

		add_symbol(addr, i % 7 ? "function_%u" : "shared", i);
		if (!(i % 5))
			add_symbol(addr, "alias_%u", i);
		if (i % 13)
			ips[n++] = addr + 4;
		if (!(i % 11))
			ips[n++] = addr + 40;
	}
	b = ftrace_site_block_make(NULL, false, ips, n, KERNEL, MODULE, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR_OR_NULL(b));
	return b;
}

/* The symbols of the module, in no order; @first leaves out some of them. */
static void make_table(struct kunit *test, bool first)
{
	const unsigned int nr = 2 * NR_MODULE + 4;
	struct mod_kallsyms *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 32 * nr, GFP_KERNEL);
	unsigned int at = 1, s = 1;

	k->symtab = kunit_kzalloc(test, nr * sizeof(*k->symtab), GFP_KERNEL);
	k->typetab = kunit_kzalloc(test, nr, GFP_KERNEL);
	k->strtab = text;
#define SYMBOL(addr, index, ...)					\
do {									\
	k->symtab[s] = (Elf_Sym){ .st_name = at, .st_value = addr,	\
				  .st_shndx = index, .st_size = 60 };	\
	k->typetab[s++] = 't';						\
	at += snprintf(text + at, 32, __VA_ARGS__) + 1;			\
} while (0)
	/* Not wanted: undefined, unnamed, and marks of the assembler. */
	SYMBOL(MODULE + 3, 0, "undefined");
	SYMBOL(MODULE + 3, 1, "%s", "");
	SYMBOL(MODULE + 3, 1, "$x");
	for (unsigned int k2 = 0; k2 < NR_MODULE; k2++) {
		/* Any order will do: 7 and 300 have no factor in common. */
		const unsigned int i = k2 * 7 % NR_MODULE;

		if (!first && i % 2)
			SYMBOL(MODULE + 64 * i - 16, 1, "__pfx_%u", i);
		SYMBOL(MODULE + 64 * i, 1, "module_%u", i);
	}
	k->num_symtab = s;
	world.mod.kallsyms = k;
}

static struct ftrace_site_block *make_module(struct kunit *test)
{
	unsigned long *ips = kunit_kzalloc(test, 2 * NR_MODULE * sizeof(*ips), GFP_KERNEL);
	struct ftrace_site_block *b;
	unsigned int n = 0;

	snprintf(world.mod.name, sizeof(world.mod.name), "9mod");
	world.mod.mem[MOD_TEXT].base = (void *)MODULE;
	for (unsigned int i = 0; i < NR_MODULE; i++) {
		ips[n++] = MODULE + 64 * i + 4;
		if (!(i % 10))
			ips[n++] = MODULE + 64 * i + 50;
	}
	b = ftrace_site_block_make(&world.mod, false, ips, n, MODULE, 2 * MODULE,
				   FTRACE_SITE_COMING);
	KUNIT_EXPECT_FALSE(test, IS_ERR_OR_NULL(b));
	return b;
}

static void arm(struct ftrace_site_block *b)
{
	for (u32 i = 0; i < b->nr; i++)
		b->sites[i].state &= ~FTRACE_SITE_COMING;
}

/* In the order of a boot: the lock is held, and blocks are listed as they come. */
static void begin(struct kunit *test)
{
	memset(&world, 0, sizeof(world));
	mutex_lock(&ftrace_lock);
	world.kernel = make_kernel(test);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(world.kernel), 0);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(world.kernel), 0);

	make_table(test, true);
	world.module = make_module(test);
	KUNIT_EXPECT_EQ(test, ftrace_site_block_publish(world.module), 0);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(world.module), 0);
	arm(world.module);
}

static void end(void)
{
	ftrace_names_free(world.kernel);
	ftrace_names_free(world.module);
	ftrace_site_block_withdraw(world.kernel);
	ftrace_site_block_withdraw(world.module);
	mutex_unlock(&ftrace_lock);
}

/* How many sites are found; the first of them, and whether all are of @b. */
static size_t find(struct kunit *test, const char *pattern, const char *mod,
		   unsigned long *first, struct ftrace_site_block *b)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_match m;
	size_t n;

	KUNIT_EXPECT_EQ(test, ftrace_match_parse(&m, pattern, strlen(pattern)), 0);
	KUNIT_EXPECT_EQ(test, ftrace_names_find(&m, mod, &found), 0);
	n = found.n;
	*first = 0;
	for (size_t k = 0; k < n; k++) {
		u32 i;
		struct ftrace_site_block *of = ftrace_site_by_nr(found.nrs[k], &i);

		KUNIT_EXPECT_NOT_NULL(test, of);
		if (b)
			KUNIT_EXPECT_PTR_EQ(test, of, b);
		if (!k)
			*first = ftrace_site_ip(of, i);
	}
	ftrace_siteset_drop(&found);
	return n;
}

static void names_are_those_of_first_symbols(struct kunit *test)
{
	char buf[KSYM_NAME_LEN], expected[KSYM_NAME_LEN];
	struct ftrace_names_cursor c;
	u32 i;

	begin(test);
	ftrace_names_start(&c, world.kernel, 0);
	for (i = 0; i < world.kernel->nr; i++) {
		const unsigned long off = ftrace_site_ip(world.kernel, i) - KERNEL;

		if (off % 64 == 40)
			strscpy(expected, "__ftrace_invalid_address___40", KSYM_NAME_LEN);
		else
			snprintf(expected, KSYM_NAME_LEN, off / 64 % 7 ? "function_%lu" : "shared",
				 off / 64);
		KUNIT_EXPECT_STREQ(test, ftrace_names_at(&c, i, buf), expected);
	}
	ftrace_names_start(&c, world.module, 0);
	for (i = 0; i < world.module->nr; i++) {
		const unsigned long off = ftrace_site_ip(world.module, i) - MODULE;

		if (off % 64 == 50)
			strscpy(expected, "__ftrace_invalid_address___50", KSYM_NAME_LEN);
		else
			snprintf(expected, KSYM_NAME_LEN, "module_%lu", off / 64);
		KUNIT_EXPECT_STREQ(test, ftrace_names_at(&c, i, buf), expected);
	}
	end();
}

static void names_stay_when_the_table_moves(struct kunit *test)
{
	char buf[KSYM_NAME_LEN], expected[KSYM_NAME_LEN];
	struct ftrace_names_symbol sym;
	struct ftrace_names_cursor c;
	unsigned long ip;

	begin(test);
	KUNIT_EXPECT_EQ(test, find(test, "module_17", NULL, &ip, world.module), 1);
	make_table(test, false);
	ftrace_names_start(&c, world.module, 0);
	for (u32 i = 0; i < world.module->nr; i++) {
		const unsigned long off = ftrace_site_ip(world.module, i) - MODULE;

		if (off % 64 == 50)
			continue;
		snprintf(expected, KSYM_NAME_LEN, "module_%lu", off / 64);
		KUNIT_EXPECT_STREQ(test, ftrace_names_at(&c, i, buf), expected);
		KUNIT_EXPECT_TRUE(test, ftrace_names_symbol(world.module, i, &sym));
		KUNIT_EXPECT_STREQ(test, sym.name, expected);
		KUNIT_EXPECT_EQ(test, sym.value, ftrace_site_ip(world.module, i) - 4);
		KUNIT_EXPECT_EQ(test, sym.type, 't');
	}
	KUNIT_EXPECT_EQ(test, find(test, "module_17", NULL, &ip, world.module), 1);
	KUNIT_EXPECT_EQ(test, ip, MODULE + 17 * 64 + 4);
	end();
}

/* Enough names that lookups switch from one at a time to the hash table. */
static void exact_names_find_both_ways(struct kunit *test)
{
	char name[32];
	unsigned long ip;

	begin(test);
	for (unsigned int i = 0; i < 1200; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		KUNIT_EXPECT_EQ(test, find(test, name, NULL, &ip, world.kernel),
				i % 7 && i % 13 ? 1 : 0);
		if (i % 7 && i % 13)
			KUNIT_EXPECT_EQ(test, ip, KERNEL + 64 * i + 4);
		snprintf(name, sizeof(name), "module_%u", i);
		KUNIT_EXPECT_EQ(test, find(test, name, NULL, &ip, world.module), i < NR_MODULE);
		if (i % 100)
			continue;

		/* One in 7, except those that are one in 91. */
		KUNIT_EXPECT_EQ(test, find(test, "shared", NULL, &ip, world.kernel),
				(NR + 6) / 7 - (NR + 90) / 91);
		KUNIT_EXPECT_EQ(test, find(test, "alias_5", NULL, &ip, NULL), 0);
		KUNIT_EXPECT_EQ(test, find(test, "__ftrace_invalid_address___40", NULL, &ip,
					   NULL), 0);
		KUNIT_EXPECT_EQ(test, find(test, "undefined", NULL, &ip, NULL), 0);
		KUNIT_EXPECT_EQ(test, find(test, "nobody", NULL, &ip, NULL), 0);
	}
	end();
}

static void owners_are_told_apart(struct kunit *test)
{
	const u32 kernel = NR - (NR + 12) / 13;
	unsigned long ip;

	begin(test);
	KUNIT_EXPECT_EQ(test, find(test, "*", NULL, &ip, NULL), kernel + NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "*", "", &ip, NULL), kernel + NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "*", "*", &ip, world.module), NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "*", "9mod", &ip, world.module), NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "*", "9m*", &ip, world.module), NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "*", "other", &ip, NULL), 0);
	KUNIT_EXPECT_EQ(test, find(test, "*", "!9mod", &ip, world.kernel), kernel);
	KUNIT_EXPECT_EQ(test, find(test, "*", "!other", &ip, NULL), kernel + NR_MODULE);
	KUNIT_EXPECT_EQ(test, find(test, "module_3", "!9mod", &ip, NULL), 0);
	KUNIT_EXPECT_EQ(test, find(test, "module_3*", "9mod", &ip, world.module), 11);
	end();
}

static void lines_are_those_of_the_listing(struct kunit *test)
{
	unsigned long ip;
	char text[16];
	u32 i;

	begin(test);
	for (i = 0; i < world.kernel->nr; i++) {
		const bool dead = world.kernel->sites[i].state & FTRACE_SITE_DEAD;

		snprintf(text, sizeof(text), "%u", i + 1);
		KUNIT_EXPECT_EQ(test, find(test, text, NULL, &ip, world.kernel), !dead);
		if (!dead)
			KUNIT_EXPECT_EQ(test, ip, ftrace_site_ip(world.kernel, i));
	}
	snprintf(text, sizeof(text), "%u", i + 1);
	KUNIT_EXPECT_EQ(test, find(test, text, NULL, &ip, world.module), 1);
	KUNIT_EXPECT_EQ(test, ip, MODULE + 4);
	end();
}

static void einval_no_such_line(struct kunit *test)
{
	struct ftrace_siteset_builder found = {};
	struct ftrace_match m;
	char text[16];

	begin(test);
	snprintf(text, sizeof(text), "%u", world.kernel->nr + world.module->nr + 1);
	ftrace_match_parse(&m, text, strlen(text));
	KUNIT_EXPECT_EQ(test, ftrace_names_find(&m, NULL, &found), -EINVAL);
	KUNIT_EXPECT_EQ(test, found.n, 0);
	end();
}

/* The only site that is found, or 0. */
static unsigned long only(struct kunit *test, const char *mod, const char *fmt, ...)
{
	unsigned long ip;
	char word[100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(word, sizeof(word), fmt, ap);
	va_end(ap);
	return find(test, word, mod, &ip, NULL) == 1 ? ip : 0;
}

static void places_name_one_function(struct kunit *test)
{
	const unsigned long addr = KERNEL + 64 * 77;

	begin(test);
	/* By the function's address, by its site's, and from symbols before it. */
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:%lx", addr), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:0x%lx", addr + 4), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:_text+%#lx", addr - KERNEL), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:function_75+128"), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "*:at:%lx", addr), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, "!9mod", "!shared:at:%lx", addr), addr + 4);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "module_3:at:9mod+192"), MODULE + 196);
	KUNIT_EXPECT_EQ(test, only(test, "9mod", "module_3:at:9mod+0xc4"), MODULE + 196);

	/* Another one's place, the middle, a weak function that lost, another owner. */
	KUNIT_EXPECT_EQ(test, only(test, NULL, "function_78:at:%lx", addr), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "share:at:%lx", addr), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:%lx", addr + 20), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:%lx", addr + 40), 0);
	KUNIT_EXPECT_EQ(test, only(test, "9mod", "shared:at:%lx", addr), 0);
	KUNIT_EXPECT_EQ(test, only(test, "!9mod", "module_3:at:9mod+192"), 0);
	KUNIT_EXPECT_EQ(test, only(test, "other", "module_3:at:9mod+192"), 0);
	/* No place at all. */
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:"), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:%lxz", addr), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:+%#lx", addr), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:_text+"), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:_text"), 0);
	KUNIT_EXPECT_EQ(test, only(test, NULL, "shared:at:nobody+%#lx", addr), 0);

	/* While a module is unloaded, words for it wait for its next load. */
	world.mod.state = MODULE_STATE_GOING;
	KUNIT_EXPECT_EQ(test, only(test, "9mod", "module_3:at:9mod+192"), 0);
	KUNIT_EXPECT_EQ(test, only(test, "9mod", "!module_3:at:9mod+192"), MODULE + 196);
	end();
}

/* What is shown for a set of one site, or, if its name has a number, of two. */
static const char *shown(struct kunit *test, struct ftrace_site_block *b, u32 i, u32 other)
{
	static char buf[FTRACE_WHERE_LEN];
	struct ftrace_siteset_builder two = { };
	struct ftrace_siteset *set;

	KUNIT_EXPECT_EQ(test, ftrace_siteset_add(&two, ftrace_site_nr(b, i)), 0);
	KUNIT_EXPECT_EQ(test, ftrace_siteset_add(&two, other), 0);
	set = ftrace_siteset_build(&two);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_names_where(b, i, set, NULL, buf), buf);
	ftrace_siteset_put(set);
	return buf;
}

static void what_is_shown_names_that_function(struct kunit *test)
{
	struct ftrace_siteset *set, *one;
	char name[KSYM_NAME_LEN], buf[FTRACE_WHERE_LEN];
	struct ftrace_names_cursor c;
	struct ftrace_condset *conds;
	struct ftrace_site_block *b;
	struct ftrace_cond *cond;
	unsigned int pos;
	Elf_Sym *symtab;
	u32 i, j, nr;

	begin(test);
	/* Two functions of the module share a name, and a third one has one of the kernel's. */
	symtab = world.mod.kallsyms->symtab;
	for (i = 1; i < world.mod.kallsyms->num_symtab; i++) {
		char *text = world.mod.kallsyms->strtab + symtab[i].st_name;

		if (!strcmp(text, "module_200") || !strcmp(text, "module_201"))
			strcpy(text, "module_199");
		if (!strcmp(text, "module_100"))
			strcpy(text, "function_1");
	}
	list_for_each_entry(b, &ftrace_site_blocks, list) {
		const char *owner = b->mod ? world.mod.name : NULL;

		ftrace_names_start(&c, b, 0);
		for (i = 0; i < b->nr; i++) {
			const unsigned long ip = ftrace_site_ip(b, i);
			const char *where;

			if (b->sites[i].state & FTRACE_SITE_DEAD)
				continue;
			nr = ftrace_site_nr(b, i);
			ftrace_names_at(&c, i, name);
			where = shown(test, b, i, nr);
			KUNIT_EXPECT_EQ(test, !*where, strcmp(name, "shared") &&
					strcmp(name, "module_199") &&
					(owner || strcmp(name, "function_1")));
			KUNIT_EXPECT_EQ(test, only(test, owner, "%s%s", name, where), ip);
		}
	}

	/* The kernel's function_1 with the module's, and the other way. */
	b = ftrace_site_find_exact(KERNEL + 64 + 4, &i);
	ftrace_site_find_exact(MODULE + 64 * 100 + 4, &j);
	nr = ftrace_site_nr(world.module, j);
	KUNIT_EXPECT_STREQ(test, shown(test, b, i, ftrace_site_nr(b, i)), ":at:_text+0x44");
	KUNIT_EXPECT_STREQ(test, shown(test, b, i, nr), "");
	KUNIT_EXPECT_STREQ(test, shown(test, world.module, j, nr), "");

	/* Two of three, and all of them. */
	b = ftrace_site_find_exact(MODULE + 64 * 200 + 4, &i);
	nr = ftrace_site_nr(b, i);
	KUNIT_EXPECT_STREQ(test, shown(test, b, i, nr + 1), ":at:9mod+0x3204");
	set = ftrace_siteset_range(0, ftrace_site_end());
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, i, set, NULL, buf), "");
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, i, NULL, NULL, buf), ":at:9mod+0x3204");
	/* One of them has a condition. */
	cond = ftrace_cond_parse("arg1>5", NULL, 0, &pos);
	one = ftrace_siteset_range(nr, nr + 1);
	conds = ftrace_condset_with(NULL, one, cond);
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, i, set, conds, buf), ":at:9mod+0x3204");
	ftrace_site_find_exact(MODULE + 64 * 199 + 4, &j);
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, j, set, conds, buf), ":at:9mod+0x31c4");
	ftrace_condset_put(conds);
	/* All have it. */
	conds = ftrace_condset_with(NULL, set, cond);
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, i, set, conds, buf), "");
	ftrace_condset_put(conds);
	/* Without memory, other sites with that name are not known. */
	shim_fail_in = 1;
	KUNIT_EXPECT_STREQ(test, ftrace_names_where(b, i, set, NULL, buf), ":at:9mod+0x3204");
	shim_fail_in = 0;
	ftrace_cond_put(cond);
	ftrace_siteset_put(one);
	ftrace_siteset_put(set);
	end();
}

static void coming_text_is_not_found(struct kunit *test)
{
	unsigned long ip;

	begin(test);
	for (u32 i = 0; i < world.module->nr; i++)
		world.module->sites[i].state |= FTRACE_SITE_COMING;
	KUNIT_EXPECT_EQ(test, find(test, "module_3", NULL, &ip, NULL), 0);
	KUNIT_EXPECT_EQ(test, find(test, "*", "9mod", &ip, NULL), 0);
	end();
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

/* Few names are looked up one by one, many in one walk: both ways give the same. */
static void lookups_find_all_or_say_so(struct kunit *test)
{
	static const u32 counts[] = { 1, 30, 600, 900 };
	static char names[1000][32];
	static const char *sorted[1000];
	static unsigned long addrs[1000];

	for (u32 k = 0; k < ARRAY_SIZE(counts); k++) {
		u32 n = 0;

		begin(test);
		mutex_unlock(&ftrace_lock);
		for (u32 i = 1; n < counts[k]; i++) {
			if (!(i % 13) || (!(i % 7) && i % 5))
				continue;
			snprintf(names[n], 32, i % 5 ? i % 9 || i >= NR_MODULE ? "function_%u" :
				 "module_%u" : "alias_%u", i);
			sorted[n] = names[n];
			n++;
		}
		qsort(sorted, n, sizeof(*sorted), by_name);
		memset(addrs, 0xff, sizeof(addrs));
		KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(sorted, n, addrs), 0);
		for (u32 i = 0; i < n; i++) {
			const unsigned int no = atoi(strchr(sorted[i], '_') + 1);

			KUNIT_EXPECT_EQ(test, addrs[i],
					(*sorted[i] == 'm' ? MODULE : KERNEL) + 64UL * no);
		}

		/* function_13 has no site, and it is not the last one, either. */
		snprintf(names[0], 32, "function_13");
		qsort(sorted, n, sizeof(*sorted), by_name);
		KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(sorted, n, addrs), -ESRCH);
		for (u32 i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test, !addrs[i], sorted[i] == names[0]);
		mutex_lock(&ftrace_lock);
		end();
	}
}

static void enomem_is_no_false_answer(struct kunit *test)
{
	struct ftrace_siteset_builder found;
	struct ftrace_match m;
	unsigned long ip;
	u32 failures = 0;
	int err;

	begin(test);
	ftrace_match_parse(&m, "*", 1);
	for (long n = 1; ; n++) {
		found = (struct ftrace_siteset_builder){};
		shim_failed = false;
		shim_fail_in = n;
		err = ftrace_names_find(&m, NULL, &found);
		shim_fail_in = 0;
		ftrace_siteset_drop(&found);
		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		if (!shim_failed)
			break;
		failures++;
	}
	KUNIT_EXPECT_GT(test, failures, 5);

	/* Without its hash table, a module's names are compared one by one. */
	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, find(test, "module_44", NULL, &ip, world.module), 1);
	KUNIT_EXPECT_EQ(test, ip, MODULE + 44 * 64 + 4);
	shim_fail_in = 0;
	end();

	for (long n = 1; n < 3; n++) {
		begin(test);
		ftrace_names_free(world.module);
		shim_fail_in = n;
		KUNIT_EXPECT_EQ(test, ftrace_names_check_block(world.module), -ENOMEM);
		KUNIT_EXPECT_NULL(test, world.module->names);
		shim_fail_in = 0;
		end();
	}
}

/*
 * Sites that are discovered at run time: of the kernel every third function, of the
 * module every second one, the last ones first.
 */
static struct {
	struct ftrace_discovered *kernel, *module;
	u32 nr_kernel, nr_module;
} found;

static u32 find_some(struct kunit *test, struct ftrace_discovered *text, u32 first, u32 every,
		     u32 nr)
{
	u32 offsets[100], n = 0, all = 0;

	/* In batches: each of them ascending, one before the other. */
	for (u32 to = nr; to; to = to > 100 ? to - 100 : 0) {
		n = 0;
		for (u32 i = to > 100 ? to - 100 : 0; i < to; i++) {
			if (i % every == first)
				offsets[n++] = 64 * i + 4;
		}
		KUNIT_EXPECT_EQ(test, ftrace_discovered_add_sites(text, offsets, n, 0), 0);
		all += n;
	}
	return all;
}

static void begin_found(struct kunit *test)
{
	memset(&world, 0, sizeof(world));
	mutex_lock(&ftrace_lock);
	/* Only its symbols are wanted. */
	ftrace_site_block_discard(make_kernel(test));
	make_table(test, true);
	snprintf(world.mod.name, sizeof(world.mod.name), "9mod");

	found.kernel = ftrace_discovered_add(NULL, false, KERNEL, KERNEL + 64 * NR);
	found.module = ftrace_discovered_add(&world.mod, false, MODULE, MODULE + 64 * NR_MODULE);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(found.kernel->head), 0);
	KUNIT_EXPECT_EQ(test, ftrace_names_check_block(found.module->head), 0);
	found.kernel->ready = true;
	found.module->ready = true;
	found.nr_kernel = find_some(test, found.kernel, 1, 3, NR);
	found.nr_module = find_some(test, found.module, 1, 2, NR_MODULE);
}

static void end_found(void)
{
	struct ftrace_site_block *b, *next;

	ftrace_discovered_forget(found.kernel);
	ftrace_discovered_forget(found.module);
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		ftrace_names_free(b);
		ftrace_site_block_withdraw(b);
	}
	mutex_unlock(&ftrace_lock);
}

static void who_waits_for_functions_is_woken(struct kunit *test)
{
	const unsigned int woken = ftrace_site_changes.woken;
	const u64 generation = ftrace_site_generation;

	begin(test);
	KUNIT_EXPECT_EQ(test, ftrace_site_changes.woken - woken, 2);
	KUNIT_EXPECT_EQ(test, ftrace_site_generation - generation, 2);
	end();
	KUNIT_EXPECT_EQ(test, ftrace_site_changes.woken - woken, 4);
	begin_found(test);
	KUNIT_EXPECT_GT(test, ftrace_site_changes.woken - woken, 6);
	KUNIT_EXPECT_EQ(test, ftrace_site_changes.woken - woken,
			ftrace_site_generation - generation);
	end_found();
}

static void expect_name(struct kunit *test, struct ftrace_names_cursor *c,
			struct ftrace_site_block *b, u32 i)
{
	const unsigned long ip = ftrace_site_ip(b, i);
	const unsigned long no = (ip - (b->mod ? MODULE : KERNEL)) / 64;
	char buf[KSYM_NAME_LEN], expected[KSYM_NAME_LEN];

	snprintf(expected, KSYM_NAME_LEN, b->mod ? "module_%lu" : no % 7 ? "function_%lu" :
		 "shared", no);
	KUNIT_EXPECT_STREQ(test, ftrace_names_at(c, i, buf), expected);
}

/* In the order of their blocks, and of their addresses; and when there are more. */
static void discovered_functions_have_their_names(struct kunit *test)
{
	struct ftrace_names_cursor c;
	struct ftrace_site_block *b;
	u32 i, nr = 0;

	begin_found(test);
	for (int more = 0; more < 2; more++) {
		list_for_each_entry(b, &ftrace_site_blocks, list) {
			ftrace_names_start(&c, b, 0);
			for (i = 0; i < b->nr; i++)
				expect_name(test, &c, b, i);
		}
		nr = 0;
		for (b = ftrace_site_from(found.module->head, MODULE, &i); b;
		     b = ftrace_site_from(found.module->head, ftrace_site_ip(b, i) + 1, &i)) {
			ftrace_names_start(&c, b, i);
			expect_name(test, &c, b, i);
			nr++;
		}
		KUNIT_EXPECT_EQ(test, nr, found.nr_module);
		if (!more) {
			found.nr_module += find_some(test, found.module, 0, 2, NR_MODULE);
			found.nr_kernel += find_some(test, found.kernel, 2, 3, NR);
		}
	}
	end_found();
}

static void discovered_functions_are_found_by_name(struct kunit *test)
{
	unsigned long ip;
	char name[32];

	begin_found(test);
	for (unsigned int i = 0; i < 1200; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		KUNIT_EXPECT_EQ(test, find(test, name, NULL, &ip, NULL), i % 7 && i % 3 == 1);
		if (i % 7 && i % 3 == 1)
			KUNIT_EXPECT_EQ(test, ip, KERNEL + 64 * i + 4);
		snprintf(name, sizeof(name), "module_%u", i);
		KUNIT_EXPECT_EQ(test, find(test, name, NULL, &ip, NULL), i < NR_MODULE && i % 2);
	}
	KUNIT_EXPECT_EQ(test, find(test, "*", NULL, &ip, NULL), found.nr_kernel + found.nr_module);
	KUNIT_EXPECT_EQ(test, find(test, "module_3*", "9mod", &ip, NULL), 6);
	KUNIT_EXPECT_EQ(test, find(test, "alias_10", NULL, &ip, NULL), 0);

	/* A function that was looked up before it was found. */
	KUNIT_EXPECT_EQ(test, find(test, "function_3", NULL, &ip, NULL), 0);
	find_some(test, found.kernel, 0, 3, NR);
	KUNIT_EXPECT_EQ(test, find(test, "function_3", NULL, &ip, NULL), 1);
	KUNIT_EXPECT_EQ(test, ip, KERNEL + 64 * 3 + 4);
	end_found();
}

static bool unfound(const char *pattern)
{
	struct ftrace_match m;

	BUG_ON(ftrace_match_parse(&m, pattern, strlen(pattern)));
	return ftrace_names_undiscovered(&m);
}

/* Look up @nr functions, half of which are found and the others can be. */
static void look_up(struct kunit *test, u32 nr)
{
	static char names[700][32];
	static const char *sorted[700];
	static unsigned long addrs[700];
	u32 n = 0;

	for (u32 i = 1; n < nr; i++) {
		if (!(i % 7) || i % 3 == 2)
			continue;
		snprintf(names[n], 32, "function_%u", i);
		sorted[n] = names[n];
		n++;
	}
	qsort(sorted, n, sizeof(*sorted), by_name);
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(sorted, n, addrs), 0);
	mutex_lock(&ftrace_lock);
	for (u32 i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, addrs[i], KERNEL + 64UL * atoi(strchr(sorted[i], '_') + 1));
}

/* Every third function calls, those after it are found, and the rest have no call. */
static void names_may_be_found_later(struct kunit *test)
{
	begin_found(test);
	KUNIT_EXPECT_TRUE(test, unfound("function_3"));
	KUNIT_EXPECT_FALSE(test, unfound("function_1"));
	KUNIT_EXPECT_FALSE(test, unfound("function_2"));
	KUNIT_EXPECT_FALSE(test, unfound("no_function"));
	KUNIT_EXPECT_TRUE(test, unfound("function_3*"));
	KUNIT_EXPECT_FALSE(test, unfound("no_*"));
	/* Several have this name, and the first of them calls. */
	KUNIT_EXPECT_TRUE(test, unfound("shared"));
	/* The function is listed by its other name. */
	KUNIT_EXPECT_FALSE(test, unfound("alias_15"));
	look_up(test, 10);
	look_up(test, 700);

	find_some(test, found.kernel, 0, 3, NR);
	KUNIT_EXPECT_FALSE(test, unfound("function_3"));
	KUNIT_EXPECT_FALSE(test, unfound("function_*"));
	end_found();

	/* Without texts nothing is found later. */
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_FALSE(test, unfound("function_3"));
	mutex_unlock(&ftrace_lock);
}

static void functions_are_made_found(struct kunit *test)
{
	struct ftrace_site_block *b;
	u32 i, total;

	begin_found(test);
	total = ftrace_update_tot_cnt;
	/* Found already; a call; no call; the text is not ready; beyond it. */
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 + 4, &b, &i), 0);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, total);
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * 3 + 4, &b, &i), 0);
	KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, i), KERNEL + 64 * 3 + 4);
	KUNIT_EXPECT_EQ(test, b->sites[i].state, FTRACE_SITE_ARMED);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, total + 1);
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * 2 + 4, &b, &i), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_site_get(0, &b, &i), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * NR + 4, &b, &i), -EINVAL);
	found.kernel->ready = false;
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * 6 + 4, &b, &i), -EINVAL);
	found.kernel->ready = true;
	/* Naming a place discovers no function. */
	KUNIT_EXPECT_EQ(test, only(test, NULL, "function_9:at:_text+576"), 0);
	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * 6 + 4, &b, &i), -ENOMEM);
	KUNIT_EXPECT_EQ(test, ftrace_update_tot_cnt, total + 1);
	KUNIT_EXPECT_EQ(test, ftrace_site_get(KERNEL + 64 * 6 + 4, &b, &i), 0);
	end_found();
}

static void discovered_functions_are_found_by_line(struct kunit *test)
{
	unsigned long ip;
	char line[16];

	begin_found(test);
	for (u32 i = 0; i < found.nr_kernel; i++) {
		snprintf(line, sizeof(line), "%u", i + 1);
		KUNIT_EXPECT_EQ(test, find(test, line, NULL, &ip, NULL), 1);
		KUNIT_EXPECT_EQ(test, ip, KERNEL + 64 * (3 * i + 1) + 4);
	}
	snprintf(line, sizeof(line), "%u", found.nr_kernel + 2);
	KUNIT_EXPECT_EQ(test, find(test, line, NULL, &ip, NULL), 1);
	KUNIT_EXPECT_EQ(test, ip, MODULE + 64 * 3 + 4);
	end_found();
}

/* All sites are added, or the first ones; and the same call again adds the rest. */
static void enomem_adds_the_first_sites_or_none(struct kunit *test)
{
	struct ftrace_site_block *b;
	u32 offsets[200], i, n, failures = 0;

	for (i = 0; i < 200; i++)
		offsets[i] = 64 * i + 4;

	for (long nr = 1; ; nr++) {
		int err;

		memset(&world, 0, sizeof(world));
		mutex_lock(&ftrace_lock);
		make_table(test, true);
		/* Room for 64 sites at first. */
		found.module = ftrace_discovered_add(&world.mod, false, MODULE,
						     MODULE + 64 * NR_MODULE);
		KUNIT_EXPECT_EQ(test, ftrace_names_check_block(found.module->head), 0);
		shim_failed = false;
		shim_fail_in = nr;
		err = ftrace_discovered_add_sites(found.module, offsets, 200, 0);
		shim_fail_in = 0;
		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		for (n = 0; n < 200 && ftrace_site_find_exact(MODULE + offsets[n], &i); n++)
			;
		if (err) {
			failures++;
			KUNIT_EXPECT_GT(test, 200, n);
			KUNIT_EXPECT_NULL(test, ftrace_site_find_range(MODULE + offsets[n],
								       MODULE + 64 * 200, &i));
			KUNIT_EXPECT_EQ(test, ftrace_discovered_add_sites(found.module, offsets + n,
									  200 - n, 0), 0);
		}
		n = 0;
		for (b = ftrace_site_from(found.module->head, MODULE, &i); b;
		     b = ftrace_site_from(found.module->head, ftrace_site_ip(b, i) + 1, &i))
			KUNIT_EXPECT_EQ(test, ftrace_site_ip(b, i), MODULE + offsets[n++]);
		KUNIT_EXPECT_EQ(test, n, 200);
		/* For 64, 128 and 256 sites, as without a failure. */
		n = 0;
		list_for_each_entry(b, &ftrace_site_blocks, list)
			n++;
		KUNIT_EXPECT_EQ(test, n, 3);

		found.kernel = ftrace_discovered_add(NULL, false, KERNEL, KERNEL + 64 * NR);
		end_found();
		if (!err)
			break;
	}
	KUNIT_EXPECT_GT(test, failures, 5);

	mutex_lock(&ftrace_lock);
	for (n = 1; n <= 4; n++) {
		shim_failed = false;
		shim_fail_in = n;
		KUNIT_EXPECT_NULL(test, ftrace_discovered_add(&world.mod, false, MODULE,
							      MODULE + 64 * NR_MODULE));
	}
	shim_fail_in = 0;
	KUNIT_EXPECT_TRUE(test, list_empty(&ftrace_discovered_texts));
	KUNIT_EXPECT_TRUE(test, list_empty(&ftrace_site_blocks));
	mutex_unlock(&ftrace_lock);
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(names_are_those_of_first_symbols),
	KUNIT_CASE(names_stay_when_the_table_moves),
	KUNIT_CASE(exact_names_find_both_ways),
	KUNIT_CASE(owners_are_told_apart),
	KUNIT_CASE(lines_are_those_of_the_listing),
	KUNIT_CASE(einval_no_such_line),
	KUNIT_CASE(places_name_one_function),
	KUNIT_CASE(what_is_shown_names_that_function),
	KUNIT_CASE(coming_text_is_not_found),
	KUNIT_CASE(lookups_find_all_or_say_so),
	KUNIT_CASE(enomem_is_no_false_answer),
	KUNIT_CASE(who_waits_for_functions_is_woken),
	KUNIT_CASE(discovered_functions_have_their_names),
	KUNIT_CASE(discovered_functions_are_found_by_name),
	KUNIT_CASE(names_may_be_found_later),
	KUNIT_CASE(functions_are_made_found),
	KUNIT_CASE(discovered_functions_are_found_by_line),
	KUNIT_CASE(enomem_adds_the_first_sites_or_none),
	{}
};

static struct kunit_suite names_suite = {
	.name = "ftrace_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
