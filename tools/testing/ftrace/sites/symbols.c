// SPDX-License-Identifier: GPL-2.0
/*
 * Names of functions in init text that is gone, in the order in which their sites
 * were found, which need not be that of their addresses.
 */
#include "sites/names.h"

/* What names have no other use for. */
#define _FTRACE_TRAMP_H
#define __counted_by(nr)
#define FTRACE_TRAMPOLINE_SYM		"ftrace_trampoline"
#define FTRACE_TRAMPOLINE_MOD		"__builtin__ftrace"
#define module_buildid(mod)		((const unsigned char *)(mod)->name)
#define MODULE_NAME_LEN			56
#define list_add_tail_rcu		list_add_tail
#define list_del_rcu			list_del
#define list_for_each_entry_rcu		list_for_each_entry
#define shim_guard_preempt_notrace()	((void)0)
int ftrace_tramp_nth(unsigned int n, unsigned long *ip, u32 *size);

#include "hooks/symbols.c"

#define NR	30
#define START	0x500000UL

/* No case locks it. */
struct mutex ftrace_lock;

/* Where the only trampoline lies, of 8 bytes. */
#define TRAMPOLINE	0x900000UL

/* Function @n is at START + 64 * n, 40 bytes long. Every 7th has no symbol. */
bool ftrace_names_symbol(struct ftrace_site_block *b, u32 i, struct ftrace_names_symbol *sym)
{
	const u32 n = b->sites[i].offset / 64;

	if (n % 7 == 6)
		return false;
	sym->value = START + 64 * n;
	sym->size = 40;
	sym->type = 't';
	snprintf(sym->name, sizeof(sym->name), "gone_%u", n);
	return true;
}

int ftrace_tramp_nth(unsigned int n, unsigned long *ip, u32 *size)
{
	*ip = TRAMPOLINE;
	*size = 8;
	return n ? -ERANGE : 0;
}

/* Symbols are listed by number: @named of text that is gone, then the trampoline. */
static void check_list(struct kunit *test, u32 named)
{
	char type, name[KSYM_NAME_LEN], module_name[MODULE_NAME_LEN];
	unsigned long value;
	int exported;
	u32 n;

	for (n = 0; n <= named; n++) {
		const bool gone = n < named;

		KUNIT_ASSERT_EQ(test, 0, ftrace_mod_get_kallsym(n, &value, &type, name,
								module_name, &exported));
		KUNIT_EXPECT_EQ(test, gone, value != TRAMPOLINE);
		KUNIT_EXPECT_TRUE(test, !strcmp(module_name,
						gone ? "module" : FTRACE_TRAMPOLINE_MOD));
	}
	KUNIT_EXPECT_EQ(test, -ERANGE, ftrace_mod_get_kallsym(n, &value, &type, name,
							      module_name, &exported));
}

static void check(struct kunit *test, u32 step)
{
	struct ftrace_site_block *b = kunit_kzalloc(test, struct_size(b, sites, NR), GFP_KERNEL);
	static struct module mod = { .name = "module" };
	unsigned long size, offset;
	char name[KSYM_NAME_LEN], wanted[32], *modname;
	u32 named = 0;

	b->mod = &mod;
	b->base = START + 4;
	b->nr = NR;
	for (u32 i = 0; i < NR; i++)
		b->sites[i].offset = 64 * (i * step % NR);
	ftrace_symbols_remember(b, START, START + 64 * NR);
	for (unsigned long ip = START - 8; ip < START + 64 * NR + 8; ip += 4) {
		const u32 n = (ip - START) / 64;
		const bool is = ip >= START && n < NR && (ip - START) % 64 < 40 && n % 7 != 6;

		KUNIT_EXPECT_EQ(test, is, !!ftrace_mod_address_lookup(ip, &size, &offset, &modname,
								      NULL, name));
		if (!is)
			continue;
		named++;
		snprintf(wanted, sizeof(wanted), "gone_%u", n);
		KUNIT_EXPECT_TRUE(test, !strcmp(name, wanted));
		KUNIT_EXPECT_EQ(test, size, 40);
		KUNIT_EXPECT_EQ(test, offset, (ip - START) % 64);
		KUNIT_EXPECT_TRUE(test, !strcmp(modname, "module"));
	}
	KUNIT_EXPECT_GT(test, named, 0);
	check_list(test, NR - NR / 7);
	ftrace_symbols_forget(&mod);
	KUNIT_EXPECT_EQ(test, 0, ftrace_mod_address_lookup(START, NULL, NULL, NULL, NULL, name));
	rcu_barrier();
}

static void names_of_gone_text_in_order_of_address(struct kunit *test)
{
	check(test, 1);
}

static void names_of_gone_text_in_any_order(struct kunit *test)
{
	check(test, NR - 1);
	check(test, 7);
}

static struct kunit_case symbols_cases[] = {
	KUNIT_CASE(names_of_gone_text_in_order_of_address),
	KUNIT_CASE(names_of_gone_text_in_any_order),
	{}
};

static struct kunit_suite symbols_suite = {
	.name		= "ftrace_symbols",
	.test_cases	= symbols_cases,
};

kunit_test_suite(symbols_suite);
