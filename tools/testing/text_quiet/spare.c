// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs a sync interrupts, and how the others catch up: the engine's quiet.c
 * in user space, under sanitisers. NMIs and other syncs that come in
 * between are made by the stand-ins of what quiet.c calls.
 */
#include <asm/text-quiet.h>

#include "text_patch.h"

extern int (*const at_boot)(char *word);

struct text_commit_stat text_commit_stat;
int this_cpu, warned;
static int state[CPUS], interrupted[CPUS], serialised[CPUS];
static long nr_before;
static void (*meanwhile)(void);		/* to be called while a CPU serialises */
static int failed;

#define CHECK(cond)							\
do {									\
	if (!(cond) && !failed++)					\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
} while (0)

int offline_cpu = -1;

int kstrtobool(const char *word, bool *answer)
{
	if (strcmp(word, "0") && strcmp(word, "1"))
		return -EINVAL;
	*answer = *word == '1';
	return 0;
}

int ct_rcu_watching_cpu_acquire(int cpu)
{
	/* The number must be raised first: a CPU may enter just after this look. */
	CHECK(text_sync_nr.n != nr_before);
	return state[cpu];
}

bool rcu_is_watching_curr_cpu(void)
{
	return state[this_cpu] & CT_RCU_WATCHING;
}

void sync_core(void)
{
	void (*function)(void) = meanwhile;

	meanwhile = NULL;
	serialised[this_cpu]++;
	if (function)
		function();
}

static void on_cpu(int cpu, void (*func)(void *info), void *info)
{
	const int was = this_cpu;

	this_cpu = cpu;
	interrupted[cpu]++;
	func(info);
	this_cpu = was;
}

void on_each_cpu_cond(bool (*cond)(int cpu, void *info), void (*func)(void *info),
		      void *info, bool wait)
{
	int cpu;

	CHECK(wait);
	CHECK(text_sync_nr.n != nr_before);
	for (cpu = 0; cpu < CPUS; cpu++)
		if (cpu != offline_cpu && cond(cpu, info))
			on_cpu(cpu, func, info);
}

static bool is_any(int cpu, void *info)
{
	return true;
}

void on_each_cpu(void (*func)(void *info), void *info, bool wait)
{
	on_each_cpu_cond(is_any, func, info, wait);
}

static void sync(bool everywhere)
{
	memset(interrupted, 0, sizeof(interrupted));
	memset(serialised, 0, sizeof(serialised));
	nr_before = text_sync_nr.n;
	text_sync(everywhere);
}

/* @cpu enters the kernel. Return: how often it serialises then. */
static int enters(int cpu)
{
	const int before = serialised[cpu];

	this_cpu = cpu;
	sync_core_catch_up();
	return serialised[cpu] - before;
}

static void switch_to(const char *word)
{
	char buffer[8];

	strcpy(buffer, word);
	CHECK(at_boot(buffer) == 1);
}

/* Bits above CT_RCU_WATCHING count a CPU's entries and exits, not where it is. */
static void set_states(unsigned int watched, unsigned int above)
{
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		state[cpu] = above * 2 * CT_RCU_WATCHING;
		if (watched >> cpu & 1)
			state[cpu] |= CT_RCU_WATCHING;
	}
}

/* Each set of watched CPUs; for all or not; with sparing switched on and off. */
static void each_combination(void)
{
	unsigned int i, cpu;

	for (i = 0; i < 1 << (CPUS + 3); i++) {
		const unsigned int watched = i % (1 << CPUS);
		const bool everywhere = i >> CPUS & 1, on = i >> (CPUS + 1) & 1;
		const bool all = everywhere || !on;
		unsigned int spared = 0;

		switch_to(on ? "1" : "0");
		set_states(watched, i >> (CPUS + 2) & 1);
		text_commit_stat.spared = 0;
		sync(everywhere);
		for (cpu = 0; cpu < CPUS; cpu++) {
			const bool wanted = all || (watched >> cpu & 1);

			CHECK(interrupted[cpu] == wanted);
			CHECK(serialised[cpu] == wanted);
			spared += !wanted;
			/* Those that were spared serialise, once. */
			CHECK(enters(cpu) == !wanted);
			CHECK(enters(cpu) == 0);
		}
		CHECK(text_commit_stat.spared == spared);
	}
	switch_to("1");
}

/* A CPU that was offline catches up, even after syncs that spare no CPU. */
static void comes_online(void)
{
	unsigned int i;

	set_states(15, 0);
	for (i = 0; i < 4; i++) {
		switch_to(i & 1 ? "1" : "0");
		offline_cpu = 2;
		sync(i & 2);
		CHECK(!interrupted[2] && interrupted[3]);
		offline_cpu = -1;
		CHECK(enters(2) == 1);
		CHECK(enters(2) == 0);
	}
	switch_to("1");
}

static void spared_twice_catches_up_once(void)
{
	set_states(1, 0);
	sync(false);
	sync(false);
	CHECK(enters(3) == 1);
	CHECK(enters(3) == 0);
	CHECK(enters(0) == 0);
}

static void nmi(void)
{
	CHECK(enters(3) == 1);
}

/* An NMI during the serialising of its CPU must not take that as done. */
static void nmi_serialises_for_itself(void)
{
	set_states(1, 0);
	sync(false);
	meanwhile = nmi;
	CHECK(enters(3) == 2);
	CHECK(!meanwhile);
	CHECK(enters(3) == 0);
}

static void another_sync(void)
{
	nr_before = text_sync_nr.n;
	text_poke_sync_kernel();
}

/* A sync that begins while the CPU serialises, and finds it outside. */
static void sync_in_between_is_caught_up_with(void)
{
	set_states(1, 0);
	sync(false);
	meanwhile = another_sync;
	this_cpu = 3;
	sync_core_catch_up();
	CHECK(!meanwhile);
	CHECK(enters(3) == 1);
	CHECK(enters(3) == 0);

	/* The same while it serialises for an interrupt. */
	meanwhile = another_sync;
	text_catch_up(text_sync_nr.n);
	CHECK(!meanwhile);
	CHECK(enters(3) == 1);
}

static bool caught_up(int cpu, unsigned long ip)
{
	this_cpu = cpu;
	return text_is_caught_up(ip);
}

static void while_it_serialises(void)
{
	/* Its sync has not returned, so nothing has been missed yet. */
	CHECK(caught_up(0, (unsigned long)_stext));
}

/* The check for debugging entries finds a CPU that has not caught up, and no other. */
static void who_has_not_caught_up(void)
{
	const unsigned long text = (unsigned long)_stext;

	set_states(1, 0);
	meanwhile = while_it_serialises;
	sync(false);
	CHECK(!meanwhile);
	CHECK(caught_up(0, text));
	CHECK(caught_up(3, text));	/* it is outside */
	state[3] = CT_RCU_WATCHING;
	CHECK(!caught_up(3, text));
	CHECK(!caught_up(3, (unsigned long)__noinstr_text_start - 1));
	CHECK(caught_up(3, (unsigned long)__noinstr_text_start));
	CHECK(caught_up(3, (unsigned long)__noinstr_text_end - 1));
	CHECK(!caught_up(3, (unsigned long)__noinstr_text_end));
	CHECK(caught_up(3, (unsigned long)__entry_text_start));
	CHECK(!caught_up(3, (unsigned long)__entry_text_end));
	offline_cpu = 3;
	CHECK(caught_up(3, text));
	CHECK(caught_up(0, text));
	offline_cpu = -1;
	enters(3);
	CHECK(caught_up(3, text));
}

static void words_of_the_command_line(void)
{
	set_states(1, 0);
	warned = 0;
	switch_to("0");
	switch_to("maybe");
	CHECK(warned == 1);
	sync(false);
	CHECK(interrupted[3]);
	switch_to("1");
	CHECK(warned == 1);
	sync(false);
	CHECK(!interrupted[3]);
}

#define BASE		0x81000000UL
#define MODULES		0x82000000UL
#define MODULE(n)	(MODULES + (n) * 0x10000UL)
static struct module modules[3];
static int nr_lookups;

struct module *__module_address(unsigned long addr)
{
	int m, t;

	nr_lookups++;
	for (m = 0; m < 3; m++)
		for (t = 0; t < MOD_TYPES; t++)
			if (addr - (unsigned long)modules[m].mem[t].base < modules[m].mem[t].size)
				return &modules[m];
	return NULL;
}

/* Three modules, of which the middle one has 4 KiB of noinstr text; init text in between. */
static void load_modules(void)
{
	int m;

	for (m = 0; m < 3; m++)
		modules[m] = (struct module) {
			.mem[MOD_TEXT] = { (void *)MODULE(2 * m), 0x8000 },
			.mem[MOD_INIT_TEXT] = { (void *)MODULE(5 - 2 * m), 0x1000 },
		};
	modules[1].noinstr_text_start = (void *)(MODULE(2) + 0x4000);
	modules[1].noinstr_text_size = 0x1000;
}

static bool for_all(unsigned int nr, const unsigned long *addr)
{
	struct text_patch vec[64] = {};
	unsigned int i;

	for (i = 0; i < nr; i++)
		vec[i].rel = addr[i] - BASE;
	return text_sync_is_for_all(vec, nr, BASE);
}

static bool is_for_all(unsigned long addr)
{
	const unsigned long beside[] = { BASE - 0x10000, addr, MODULE(9) };
	const bool alone = for_all(1, &addr);

	/* Places before and after it make no difference. */
	CHECK(for_all(3, beside) == alone);
	return alone;
}

/* The first and the last byte of a range, and those beside it. */
static void edges(unsigned long start, unsigned long end)
{
	CHECK(!is_for_all(start - 1));
	CHECK(is_for_all(start));
	CHECK(is_for_all(end - 1));
	CHECK(!is_for_all(end));
}

static void ranges_of_the_kernel(void)
{
	CHECK(!for_all(0, NULL));
	edges((unsigned long)__noinstr_text_start, (unsigned long)__noinstr_text_end);
	edges((unsigned long)__entry_text_start, (unsigned long)__entry_text_end);
	CHECK(!is_for_all((unsigned long)_stext));
	CHECK(!is_for_all((unsigned long)_etext));
}

static void ranges_of_modules(void)
{
	int m;

	load_modules();
	edges(MODULE(2) + 0x4000, MODULE(2) + 0x5000);
	for (m = 0; m < 6; m++) {
		CHECK(!is_for_all(MODULE(m)));
		CHECK(!is_for_all(MODULE(m) + 0xfff));
	}
}

/* Init text above or below its module's text hides no module in between. */
static void any_order_of_modules(void)
{
	const unsigned long addr[] = {
		MODULE(0), MODULE(1), MODULE(2), MODULE(2) + 0x4800, MODULE(4),
	};
	unsigned int i, nr;

	load_modules();
	for (i = 0; i < 5; i++)
		for (nr = 1; i + nr <= 5; nr++)
			CHECK(for_all(nr, addr + i) == (i <= 3 && i + nr > 3));
}

/* All places of a module together take one lookup of the module. */
static void one_lookup_for_a_module(void)
{
	unsigned long addr[64];
	int i;

	load_modules();
	for (i = 0; i < 63; i++)
		addr[i] = MODULE(i / 21 * 2) + i;
	addr[63] = MODULE(9);
	nr_lookups = 0;
	CHECK(!for_all(64, addr));
	CHECK(nr_lookups == 4);
}

int main(void)
{
#define CASE(n)	{ #n, n }
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		CASE(each_combination),
		CASE(comes_online),
		CASE(spared_twice_catches_up_once),
		CASE(nmi_serialises_for_itself),
		CASE(sync_in_between_is_caught_up_with),
		CASE(who_has_not_caught_up),
		CASE(words_of_the_command_line),
		CASE(ranges_of_the_kernel),
		CASE(ranges_of_modules),
		CASE(any_order_of_modules),
		CASE(one_lookup_for_a_module),
	};
	int bad = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		failed = 0;
		meanwhile = NULL;
		cases[i].run();
		bad += !!failed;
		printf("%s - %s\n", failed ? "not ok" : "ok", cases[i].name);
	}
	return !!bad;
}
