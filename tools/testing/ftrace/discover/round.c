// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds of ftraced, in texts that a test fills with calls, nops and other bytes.
 * The table of sites, the record slots and the verdict on calls are the kernel's; plans
 * are replaced by what they do to the text.
 */
#include "cover.h"
#include "discover.h"
#include "discovered.h"
#include "plan.h"
#include "recorder.h"
#include "records.h"

#define TEXT	0x100000UL
#define OTHER	0x200000UL
#define NR	512			/* functions of each text, 16 bytes each */
#define FUNC(text, i) ((text) + 16UL * (i))

enum bytes { CALL, NOP, BREAKPOINT, FOREIGN };

static struct {
	enum bytes bytes[2 * NR];
	bool inside[2 * NR];		/* not at the beginning of a function */
	struct ftrace_discovered *text, *other;
	struct ftrace_records *tables[2];
	unsigned int patched;
	bool endbr;			/* a function begins just before its call */
	bool covered[2 * NR];
	bool debugged[2 * NR];		/* a breakpoint is where the function begins */
	unsigned int held, faults;
	unsigned long freed;		/* in no text any more */
	struct ftrace_site *switched;	/* off when the next ones are found */
} world;

LIST_HEAD(ftrace_recorder_tables);

static enum bytes *bytes_at(unsigned long ip)
{
	const unsigned long text = ip < OTHER ? TEXT : OTHER;

	BUG_ON(ip < TEXT || (ip - text) / 16 >= NR);
	return &world.bytes[(ip - text) / 16 + (text == OTHER ? NR : 0)];
}

/* ---- what a round calls ---- */

int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	BUG_ON(target != MCOUNT_ADDR);
	if (ip % 16)
		return -EINVAL;
	switch (*bytes_at(ip)) {
	case CALL:
		return 0;
	case BREAKPOINT:
		return -EBUSY;
	default:
		return -EINVAL;
	}
}

bool arch_ftrace_calls_fentry(unsigned long ip)
{
	return !(ip % 16) && *bytes_at(ip) == CALL;
}

unsigned long arch_ftrace_recorded_call(unsigned long addr)
{
	return addr - MCOUNT_INSN_SIZE;
}

bool kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size, unsigned long *offset)
{
	*size = 16;
	*offset = world.inside[bytes_at(addr) - world.bytes] ? 5 : world.endbr ? 4 : 0;
	return true;
}

int kernel_text_address(unsigned long addr)
{
	return addr != world.freed;
}

bool arch_ftrace_may_cover(unsigned long ip)
{
	return world.endbr;
}

void arch_ftrace_cover(struct ftrace_patch *sites, size_t nr, bool on)
{
	for (size_t k = 0; k < nr; k++) {
		const size_t at = bytes_at(sites[k].ip) - world.bytes;

		BUG_ON(k && sites[k].ip <= sites[k - 1].ip);
		BUG_ON(world.covered[at] == on || (on && world.bytes[at] != NOP));
		sites[k].err = world.debugged[at] ? -EBUSY : world.bytes[at] == FOREIGN ? -EINVAL : 0;
		if (!sites[k].err)
			world.covered[at] = on;
	}
}

void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes)
{
}

void ftrace_hold_site(struct ftrace_site_block *b, u32 i)
{
	b->sites[i].state |= FTRACE_SITE_HELD;
	world.held++;
}

void ftrace_fault_site(struct ftrace_site_block *b, u32 i, int err, const u8 *expected,
		       const u8 *found)
{
	b->sites[i].state |= FTRACE_SITE_FAULT;
	world.faults++;
}

int ftrace_names_check_block(struct ftrace_site_block *b)
{
	return 0;
}

void ftrace_names_free(struct ftrace_site_block *b)
{
}

int ftrace_plan_disarm(struct ftrace_plan *plan, const u32 *nrs, u32 nr)
{
	*plan = (struct ftrace_plan){ .nr = nr };
	plan->steps = kvmalloc_array(nr, sizeof(*plan->steps), GFP_KERNEL);
	if (!plan->steps)
		return -ENOMEM;
	for (u32 k = 0; k < nr; k++)
		plan->steps[k].nr = nrs[k];
	return 0;
}

void ftrace_plan_commit(struct ftrace_plan *plan)
{
	unsigned long last = 0;

	for (u32 k = 0; k < plan->nr; k++) {
		struct ftrace_site_block *b;
		u32 i;

		b = ftrace_site_by_nr(plan->steps[k].nr, &i);
		BUG_ON(!b || !(b->sites[i].state & FTRACE_SITE_ARMED));
		/* Fastest in the order of addresses. */
		BUG_ON(ftrace_site_ip(b, i) <= last);
		last = ftrace_site_ip(b, i);
		if (*bytes_at(last) != CALL)
			continue;
		*bytes_at(last) = NOP;
		b->sites[i].state &= ~FTRACE_SITE_ARMED;
		world.patched++;
	}
	kvfree(plan->steps);
}

/* ---- what is around it ---- */

/* The call at @ip is executed on one of two CPUs. */
static void execute(unsigned int cpu, unsigned long ip)
{
	const unsigned long addr = ip + MCOUNT_INSN_SIZE;
	unsigned long *bucket = world.tables[cpu]->slots + (addr / 16 % 256) * FTRACE_RECORDS_WAYS;

	for (int k = 0; k < FTRACE_RECORDS_WAYS; k++) {
		if (bucket[k] && bucket[k] != addr)
			continue;
		bucket[k] = addr;
		return;
	}
}

static bool recorded(unsigned long ip)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		for (u32 k = 0; k < world.tables[cpu]->nr; k++) {
			if (world.tables[cpu]->slots[k] == ip + MCOUNT_INSN_SIZE)
				return true;
		}
	}
	return false;
}

/* The state word of the site at @ip; -1: there is none. */
static long state_at(unsigned long ip)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_exact(ip, &i);
	return b ? (long)b->sites[i].state : -1;
}

static bool is_done(unsigned long ip)
{
	return state_at(ip) == 0 && *bytes_at(ip) == NOP && !recorded(ip);
}

static bool is_untouched(unsigned long ip, enum bytes bytes)
{
	return state_at(ip) == -1 && *bytes_at(ip) == bytes && recorded(ip);
}

static void begin(struct kunit *test)
{
	memset(&world, 0, sizeof(world));
	INIT_LIST_HEAD(&ftrace_recorder_tables);
	for (int cpu = 0; cpu < 2; cpu++) {
		world.tables[cpu] = ftrace_records_make(256);
		KUNIT_ASSERT_NOT_NULL(test, world.tables[cpu]);
		list_add_tail(&world.tables[cpu]->list, &ftrace_recorder_tables);
	}
	mutex_lock(&ftrace_lock);
	world.text = ftrace_discovered_add(NULL, false, TEXT, FUNC(TEXT, NR));
	world.other = ftrace_discovered_add((void *)&world, false, OTHER, FUNC(OTHER, NR));
	KUNIT_ASSERT_NOT_NULL(test, world.text);
	KUNIT_ASSERT_NOT_NULL(test, world.other);
	world.text->ready = true;
	world.other->ready = true;
}

static void end(void)
{
	struct ftrace_site_block *b, *next;

	ftrace_discovered_forget(world.text);
	ftrace_discovered_forget(world.other);
	list_for_each_entry_safe_reverse(b, next, &ftrace_site_blocks, list) {
		ftrace_cover_forget(b);
		ftrace_site_block_withdraw(b);
	}
	BUG_ON(ftrace_covered_sites);
	mutex_unlock(&ftrace_lock);
	for (int cpu = 0; cpu < 2; cpu++)
		ftrace_records_free(world.tables[cpu]);
}

static void recorded_calls_become_nops(struct kunit *test)
{
	begin(test);
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	for (u32 i = 0; i < NR; i += 3) {
		execute(i % 2, FUNC(TEXT, i));
		execute(0, FUNC(OTHER, i / 2));
	}
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, ftrace_round_ignored, 0);
	KUNIT_EXPECT_EQ(test, world.patched, 2 * DIV_ROUND_UP(NR, 3));
	for (u32 i = 0; i < NR; i++) {
		if (i % 3)
			KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, i)), -1);
		else
			KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, i)));
	}
	end();
}

static void both_processors_slots_are_free_again(struct kunit *test)
{
	begin(test);
	execute(0, FUNC(TEXT, 5));
	execute(1, FUNC(TEXT, 5));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 5)));
	KUNIT_EXPECT_EQ(test, world.patched, 1);
	/* A CPU executes the call, which it fetched before the nop was written. */
	execute(1, FUNC(TEXT, 5));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 5)));
	KUNIT_EXPECT_EQ(test, world.patched, 1);
	end();
}

static void what_is_no_call_stays(struct kunit *test)
{
	begin(test);
	world.bytes[1] = FOREIGN;
	world.bytes[2] = BREAKPOINT;
	world.inside[3] = true;
	world.other->ready = false;
	execute(0, FUNC(TEXT, 1));
	execute(0, FUNC(TEXT, 2));
	execute(1, FUNC(TEXT, 3));
	execute(0, FUNC(TEXT, 4));
	execute(0, FUNC(OTHER, 7));
	execute(0, TEXT - 64);
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_untouched(FUNC(TEXT, 1), FOREIGN));
	KUNIT_EXPECT_TRUE(test, is_untouched(FUNC(TEXT, 2), BREAKPOINT));
	KUNIT_EXPECT_TRUE(test, is_untouched(FUNC(TEXT, 3), CALL));
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 4)));
	KUNIT_EXPECT_TRUE(test, is_untouched(FUNC(OTHER, 7), CALL));
	KUNIT_EXPECT_TRUE(test, recorded(TEXT - 64));
	KUNIT_EXPECT_EQ(test, ftrace_round_ignored, 5);

	/* The breakpoint is gone, and the symbols are in place. */
	world.bytes[2] = CALL;
	world.other->ready = true;
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 2)));
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(OTHER, 7)));
	KUNIT_EXPECT_EQ(test, ftrace_round_ignored, 3);

	/* A module's function ran after the module was forgotten, and then its text is freed. */
	world.freed = TEXT - 64;
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_FALSE(test, recorded(TEXT - 64));
	KUNIT_EXPECT_EQ(test, ftrace_round_ignored, 2);
	end();
}

static void armed_sites_are_found_again(struct kunit *test)
{
	struct ftrace_site_block *b;
	u32 i;

	begin(test);
	execute(0, FUNC(TEXT, 8));
	execute(0, FUNC(TEXT, 9));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	for (u32 k = 8; k < 10; k++) {
		b = ftrace_site_find_exact(FUNC(TEXT, k), &i);
		KUNIT_ASSERT_NOT_NULL(test, b);
		b->sites[i].state |= FTRACE_SITE_ARMED;
		world.bytes[k] = CALL;
	}
	execute(0, FUNC(TEXT, 9));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 9)));
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 8)), FTRACE_SITE_ARMED);
	KUNIT_EXPECT_EQ(test, world.bytes[8], CALL);

	/* Under a breakpoint, the site stays armed, and in its slot. */
	execute(0, FUNC(TEXT, 8));
	world.bytes[8] = BREAKPOINT;
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 8)), FTRACE_SITE_ARMED);
	KUNIT_EXPECT_TRUE(test, recorded(FUNC(TEXT, 8)));
	world.bytes[8] = CALL;
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_TRUE(test, is_done(FUNC(TEXT, 8)));
	end();
}

static bool has_run(unsigned long ip, u32 which)
{
	struct ftrace_site_block *b;
	u32 i;

	b = ftrace_site_find_exact(ip, &i);
	return b && ftrace_site_ran(b, which)[i / BITS_PER_LONG] >> i % BITS_PER_LONG & 1;
}

/* A function that a client has made a site of need not have run. */
static void what_was_recorded_has_run(struct kunit *test)
{
	struct ftrace_site_block *b;
	u32 i;

	begin(test);
	ftrace_ran_which = 1;
	for (u32 k = 0; k < 100; k++)
		KUNIT_EXPECT_EQ(test, ftrace_site_get(FUNC(TEXT, k), &b, &i), 0);
	execute(0, FUNC(TEXT, 70));
	execute(1, FUNC(OTHER, 3));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	for (u32 k = 0; k < 100; k++) {
		KUNIT_EXPECT_EQ(test, has_run(FUNC(TEXT, k), 1), k == 70);
		KUNIT_EXPECT_EQ(test, has_run(FUNC(OTHER, k), 1), k == 3);
		KUNIT_EXPECT_FALSE(test, has_run(FUNC(TEXT, k), 0));
	}
	/* All of its bits are within its block. */
	b = ftrace_site_find_exact(FUNC(OTHER, 3), &i);
	bitmap_zero(ftrace_site_ran(b, 0), b->room);
	bitmap_zero(ftrace_site_ran(b, 1), b->room);
	KUNIT_EXPECT_FALSE(test, has_run(FUNC(OTHER, 3), 1));
	KUNIT_EXPECT_TRUE(test, has_run(FUNC(TEXT, 70), 1));
	ftrace_ran_which = 0;
	end();
}

/* Whatever allocation fails, the next round does what is left to do. */
static void enomem_leaves_the_rest_to_the_next_round(struct kunit *test)
{
	u32 failures = 0;

	for (long n = 1; ; n++) {
		int err;

		begin(test);
		for (u32 i = 0; i < 200; i++) {
			execute(i % 2, FUNC(TEXT, i));
			execute(i % 2, FUNC(OTHER, i));
		}
		shim_failed = false;
		shim_fail_in = n;
		err = ftrace_round();
		shim_fail_in = 0;
		KUNIT_EXPECT_EQ(test, err, shim_failed ? -ENOMEM : 0);
		for (u32 i = 0; i < 400; i++) {
			const unsigned long ip = FUNC(i < 200 ? TEXT : OTHER, i % 200);

			if (is_done(ip))
				continue;
			KUNIT_EXPECT_NE(test, err, 0);
			KUNIT_EXPECT_TRUE(test, recorded(ip));
			KUNIT_EXPECT_EQ(test, *bytes_at(ip), CALL);
			KUNIT_EXPECT_TRUE(test, state_at(ip) == -1 ||
					  state_at(ip) == FTRACE_SITE_ARMED);
		}
		KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
		for (u32 i = 0; i < 400; i++)
			KUNIT_EXPECT_TRUE(test, is_done(FUNC(i < 200 ? TEXT : OTHER, i % 200)));
		KUNIT_EXPECT_EQ(test, world.patched, 400);
		end();
		if (!err)
			break;
		failures++;
	}
	KUNIT_EXPECT_GT(test, failures, 10);
}

static u32 count_covered(void)
{
	u32 n = 0;

	for (u32 k = 0; k < 2 * NR; k++)
		n += world.covered[k];
	return n;
}

/* A round that finds @nr functions, not the first one, which has nothing before its call. */
static void find(struct kunit *test, u32 nr)
{
	for (u32 i = 1; i <= nr; i++)
		execute(0, FUNC(TEXT, i));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
}

static void uncover_all(void)
{
	static u32 nrs[8192];
	u32 nr = 0;

	for (; nr < ftrace_site_end(); nr++)
		nrs[nr] = nr;
	ftrace_uncover_sites(nrs, nr);
}

static void discovered_sites_are_covered(struct kunit *test)
{
	begin(test);
	world.endbr = true;
	find(test, 20);
	KUNIT_EXPECT_EQ(test, count_covered(), 20);
	KUNIT_EXPECT_EQ(test, ftrace_covered_sites, 20);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 3)), FTRACE_SITE_COVERED);
	/* A round of others leaves them alone, and finds only its own. */
	execute(0, FUNC(TEXT, 30));
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, count_covered(), 21);
	uncover_all();
	KUNIT_EXPECT_EQ(test, count_covered(), 0);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 3)), 0);
	end();
}

/* Who hears of new sites may have others switched off. */
static void switch_off(struct ftrace_site_watcher *w, u32 first, u32 end)
{
	if (!world.switched)
		return;
	world.switched->state = 0;
	ftrace_cover_later();
}

static void ignore(struct ftrace_site_watcher *w, u32 first, u32 end)
{
}

/* Sites that were on when they were found, or that somebody has uncovered. */
static void sites_that_go_off_are_covered_later(struct kunit *test)
{
	static struct ftrace_site_watcher watcher = { .gone = ignore, .added = switch_off };
	struct ftrace_site_block *b;
	u32 i, nr;

	begin(test);
	world.endbr = true;
	find(test, 20);
	b = ftrace_site_find_exact(FUNC(TEXT, 5), &i);
	KUNIT_ASSERT_NOT_NULL(test, b);
	nr = ftrace_site_nr(b, i);
	ftrace_uncover_sites(&nr, 1);
	KUNIT_EXPECT_EQ(test, count_covered(), 19);
	b->sites[i].state = 7;			/* a combo */
	ftrace_cover_later();
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, count_covered(), 19);
	KUNIT_EXPECT_FALSE(test, ftrace_cover_due);
	b->sites[i].state = 0;
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, count_covered(), 19);
	ftrace_cover_later();
	KUNIT_EXPECT_EQ(test, ftrace_round(), 0);
	KUNIT_EXPECT_EQ(test, count_covered(), 20);

	ftrace_uncover_sites(&nr, 1);
	b->sites[i].state = 7;
	world.switched = &b->sites[i];
	ftrace_site_watch(&watcher);
	find(test, 21);
	KUNIT_EXPECT_EQ(test, count_covered(), 21);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 5)), FTRACE_SITE_COVERED);
	end();
}

static void what_others_write_there_stays(struct kunit *test)
{
	begin(test);
	world.endbr = true;
	world.debugged[3] = true;
	find(test, 20);
	KUNIT_EXPECT_EQ(test, count_covered(), 19);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 3)), 0);
	world.debugged[4] = true;
	world.bytes[5] = FOREIGN;
	uncover_all();
	KUNIT_EXPECT_EQ(test, ftrace_covered_sites, 2);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 4)), FTRACE_SITE_COVERED | FTRACE_SITE_HELD);
	KUNIT_EXPECT_EQ(test, state_at(FUNC(TEXT, 5)), FTRACE_SITE_COVERED | FTRACE_SITE_FAULT);
	KUNIT_EXPECT_EQ(test, world.held, 1);
	KUNIT_EXPECT_EQ(test, world.faults, 1);
	end();
}

/* Without memory, sites are covered in small pieces. */
static void covering_needs_no_memory(struct kunit *test)
{
	begin(test);
	find(test, 100);
	KUNIT_EXPECT_EQ(test, count_covered(), 0);
	world.endbr = true;
	shim_fail_in = 1;
	ftrace_cover_discovered();
	KUNIT_EXPECT_EQ(test, count_covered(), 100);
	shim_fail_in = 1;
	uncover_all();
	shim_fail_in = 0;
	KUNIT_EXPECT_EQ(test, count_covered(), 0);
	KUNIT_EXPECT_EQ(test, ftrace_covered_sites, 0);
	end();
}

static struct kunit_case round_cases[] = {
	KUNIT_CASE(discovered_sites_are_covered),
	KUNIT_CASE(sites_that_go_off_are_covered_later),
	KUNIT_CASE(what_others_write_there_stays),
	KUNIT_CASE(covering_needs_no_memory),
	KUNIT_CASE(recorded_calls_become_nops),
	KUNIT_CASE(both_processors_slots_are_free_again),
	KUNIT_CASE(what_is_no_call_stays),
	KUNIT_CASE(armed_sites_are_found_again),
	KUNIT_CASE(what_was_recorded_has_run),
	KUNIT_CASE(enomem_leaves_the_rest_to_the_next_round),
	{}
};

static struct kunit_suite round_suite = {
	.name = "round",
	.test_cases = round_cases,
};

kunit_test_suite(round_suite);
