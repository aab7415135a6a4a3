// SPDX-License-Identifier: GPL-2.0
/* Which tables the CPUs use, and when. */
#include "page_index.h"
#include "records.h"
#include "recorder.h"

#define BOOT_MASK	ftrace_records_mask(4096)
#define CPU_MASK	ftrace_records_mask(256)

char shim_cpu[SHIM_CPUS][64] __aligned(64);

/* What a pair of grace periods finds at its beginning. */
static struct {
	u32 mask;
	unsigned long *slots[SHIM_CPUS];
} at_wait[4];
static unsigned int waits;
static bool rude;

void synchronize_rcu_tasks_rude(void)
{
	BUG_ON(waits == ARRAY_SIZE(at_wait) || ftrace_lock.held);
	at_wait[waits].mask = ftrace_recorder_mask;
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++)
		at_wait[waits].slots[cpu] = per_cpu(ftrace_recorder.slots, cpu);
	rude = true;
}

void synchronize_rcu_tasks(void)
{
	waits += rude;
	rude = false;
}

static int start(bool boot)
{
	int err;

	memset(shim_cpu, 0, sizeof(shim_cpu));
	waits = 0;
	mutex_lock(&ftrace_lock);
	err = ftrace_recorder_start(boot);
	mutex_unlock(&ftrace_lock);
	return err;
}

static void drop_boot(void)
{
	mutex_lock(&ftrace_lock);
	ftrace_recorder_drop_boot();
	mutex_unlock(&ftrace_lock);
}

static unsigned int count_tables(void)
{
	struct ftrace_records *table;
	unsigned int n = 0;

	list_for_each_entry(table, &ftrace_recorder_tables, list)
		n++;
	return n;
}

static void end(void)
{
	struct ftrace_records *table, *next;

	drop_boot();
	list_for_each_entry_safe(table, next, &ftrace_recorder_tables, list) {
		list_del(&table->list);
		ftrace_records_free(table);
	}
}

static unsigned long *slots_of(int cpu)
{
	return per_cpu(ftrace_recorder.slots, cpu);
}

static void cpus_share_the_table_of_the_boot(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, start(true), 0);
	KUNIT_EXPECT_EQ(test, count_tables(), 1);
	KUNIT_EXPECT_EQ(test, ftrace_recorder_mask, BOOT_MASK);
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++)
		KUNIT_EXPECT_PTR_EQ(test, slots_of(cpu), slots_of(0));
	/* The last slot that the mask can select is in the table. */
	slots_of(0)[BOOT_MASK / sizeof(long) + 1] = 1;
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&ftrace_recorder_tables), 1);
	end();
}

static void cpus_have_tables_of_their_own(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, start(false), 0);
	KUNIT_EXPECT_EQ(test, count_tables(), SHIM_CPUS);
	KUNIT_EXPECT_EQ(test, ftrace_recorder_mask, CPU_MASK);
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++)
		slots_of(cpu)[CPU_MASK / sizeof(long) + 1] = 1;
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&ftrace_recorder_tables), SHIM_CPUS);
	end();
}

/* As in model.c: the mask, two grace periods, the tables, two more, the old table is freed. */
static void mask_goes_before_the_tables(struct kunit *test)
{
	unsigned long *boot;

	KUNIT_ASSERT_EQ(test, start(true), 0);
	boot = slots_of(0);
	boot[5000] = 0x1005;
	KUNIT_EXPECT_EQ(test, ftrace_recorder_settle(), 0);

	KUNIT_EXPECT_EQ(test, waits, 2);
	KUNIT_EXPECT_EQ(test, at_wait[0].mask, CPU_MASK);
	KUNIT_EXPECT_EQ(test, at_wait[1].mask, CPU_MASK);
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++) {
		KUNIT_EXPECT_PTR_EQ(test, at_wait[0].slots[cpu], boot);
		KUNIT_EXPECT_PTR_EQ(test, at_wait[1].slots[cpu], slots_of(cpu));
		KUNIT_EXPECT_TRUE(test, slots_of(cpu) != boot);
		KUNIT_EXPECT_TRUE(test, slots_of(cpu) != slots_of((cpu + 1) % SHIM_CPUS));
	}

	KUNIT_EXPECT_EQ(test, count_tables(), SHIM_CPUS + 1);
	KUNIT_EXPECT_EQ(test, ftrace_records_filled(&ftrace_recorder_tables), 1);
	drop_boot();
	KUNIT_EXPECT_EQ(test, count_tables(), SHIM_CPUS);
	KUNIT_EXPECT_EQ(test, ftrace_recorder_settle(), 0);
	KUNIT_EXPECT_EQ(test, waits, 2);
	end();
}

static void tables_stay_without_memory(struct kunit *test)
{
	shim_fail_in = 1;
	KUNIT_EXPECT_EQ(test, start(true), -ENOMEM);
	shim_fail_in = 2;
	KUNIT_EXPECT_EQ(test, start(false), -ENOMEM);
	KUNIT_EXPECT_EQ(test, count_tables(), 0);

	KUNIT_ASSERT_EQ(test, start(true), 0);
	for (long n = 1; n <= SHIM_CPUS; n++) {
		shim_fail_in = n;
		KUNIT_EXPECT_EQ(test, ftrace_recorder_settle(), -ENOMEM);
		KUNIT_EXPECT_EQ(test, ftrace_recorder_mask, BOOT_MASK);
		KUNIT_EXPECT_EQ(test, count_tables(), 1);
		KUNIT_EXPECT_EQ(test, waits, 0);
	}
	KUNIT_EXPECT_EQ(test, ftrace_recorder_settle(), 0);
	end();
}

static void counts_are_those_of_all_cpus(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, start(false), 0);
	for (int cpu = 0; cpu < SHIM_CPUS; cpu++) {
		per_cpu(ftrace_recorder.stored, cpu) = 1 << cpu;
		per_cpu(ftrace_recorder.skipped, cpu) = 16 << cpu;
	}
	KUNIT_EXPECT_EQ(test, ftrace_recorder_stored(), 7);
	KUNIT_EXPECT_EQ(test, ftrace_recorder_skipped(), 7 * 16);
	end();
}

static struct kunit_case tables_cases[] = {
	KUNIT_CASE(cpus_share_the_table_of_the_boot),
	KUNIT_CASE(cpus_have_tables_of_their_own),
	KUNIT_CASE(mask_goes_before_the_tables),
	KUNIT_CASE(tables_stay_without_memory),
	KUNIT_CASE(counts_are_those_of_all_cpus),
	{}
};

static struct kunit_suite tables_suite = {
	.name = "tables",
	.test_cases = tables_cases,
};

kunit_test_suite(tables_suite);
