// SPDX-License-Identifier: GPL-2.0
/*
 * The tables that recorders use.
 *
 * At boot, all CPUs share one large table: no round can empty it before initcalls
 * run. Later, each CPU has a small one. A recorder reads the mask and the
 * pointer to its slots separately, and may be preempted in between and
 * afterwards. So the mask becomes smaller first, and a tasks grace period passes
 * before a CPU gets a smaller table; another one passes before the large table is
 * freed.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>

#include "../sites/lock.h"
#include "records.h"
#include "recorder.h"

/* Buckets of the boot table, and of the table of a CPU. */
#define BOOT_BUCKETS	4096
#define CPU_BUCKETS	256

DEFINE_PER_CPU_ALIGNED(struct ftrace_recorder, ftrace_recorder);
u32 ftrace_recorder_mask;
LIST_HEAD(ftrace_recorder_tables);

/* [L] Shared by all CPUs until ftrace_recorder_settle(). */
static struct ftrace_records *boot_table;

static_assert(offsetof(struct ftrace_recorder, slots) == 0);
static_assert(offsetof(struct ftrace_recorder, stored) == sizeof(long));
static_assert(offsetof(struct ftrace_recorder, skipped) == 2 * sizeof(long));

static int start_with_boot_table(void)
{
	int cpu;

	boot_table = ftrace_records_make(BOOT_BUCKETS);
	if (!boot_table)
		return -ENOMEM;
	list_add_tail(&boot_table->list, &ftrace_recorder_tables);
	for_each_possible_cpu(cpu)
		per_cpu(ftrace_recorder.slots, cpu) = boot_table->slots;
	ftrace_recorder_mask = ftrace_records_mask(BOOT_BUCKETS);
	return 0;
}

static void free_tables(struct list_head *tables)
{
	struct ftrace_records *table, *next;

	list_for_each_entry_safe(table, next, tables, list) {
		list_del(&table->list);
		ftrace_records_free(table);
	}
}

/* A small table for each possible CPU. */
static int make_tables(struct list_head *tables)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ftrace_records *table = ftrace_records_make(CPU_BUCKETS);

		if (!table) {
			free_tables(tables);
			return -ENOMEM;
		}
		list_add_tail(&table->list, tables);
	}
	return 0;
}

static void use_tables(struct list_head *tables)
{
	struct ftrace_records *table = list_first_entry(tables, struct ftrace_records, list);
	int cpu;

	for_each_possible_cpu(cpu) {
		WRITE_ONCE(per_cpu(ftrace_recorder.slots, cpu), table->slots);
		table = list_next_entry(table, list);
	}
	list_splice_tail(tables, &ftrace_recorder_tables);
}

/**
 * ftrace_recorder_start() - give all CPUs slots, before recorders may run
 * @boot: true: one large table until ftrace_recorder_settle(); false: small ones
 *
 * Context: Process context or boot. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_recorder_start(bool boot)
{
	LIST_HEAD(tables);
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (boot)
		return start_with_boot_table();
	err = make_tables(&tables);
	if (err)
		return err;
	use_tables(&tables);
	ftrace_recorder_mask = ftrace_records_mask(CPU_BUCKETS);
	return 0;
}

/* Wait for all recorders that run now, as for trampolines: see ../hooks/retire.c. */
static void wait_for_recorders(void)
{
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/**
 * ftrace_recorder_settle() - give each CPU a small table of its own
 *
 * On return, no recorder uses the boot table. A round should take the records in it
 * before ftrace_recorder_drop_boot().
 *
 * Context: Process context, in the one thread that calls it. May sleep. Takes
 * ftrace_lock.
 * Return: 0 on success, also if there is no boot table; -ENOMEM if memory is short.
 * On error nothing changed.
 */
int ftrace_recorder_settle(void)
{
	LIST_HEAD(tables);
	int err;

	if (!boot_table)
		return 0;
	err = make_tables(&tables);
	if (err)
		return err;

	WRITE_ONCE(ftrace_recorder_mask, ftrace_records_mask(CPU_BUCKETS));
	wait_for_recorders();
	scoped_guard(mutex, &ftrace_lock)
		use_tables(&tables);
	wait_for_recorders();
	return 0;
}

/**
 * ftrace_recorder_drop_boot() - free the boot table
 *
 * Calls that are still in it are recorded again when they are executed again.
 *
 * Context: Process context, after ftrace_recorder_settle(). ftrace_lock held.
 */
void ftrace_recorder_drop_boot(void)
{
	lockdep_assert_held(&ftrace_lock);

	if (!boot_table)
		return;
	list_del(&boot_table->list);
	ftrace_records_free(boot_table);
	boot_table = NULL;
}

/**
 * ftrace_recorder_stored() - count the slots that were ever filled
 *
 * A round calls this before it reads the slots. Its smp_rmb() pairs with the order in
 * the recorder, which fills a slot and then counts it.
 *
 * Context: Any context.
 * Return: The sum over all CPUs; may wrap around.
 */
unsigned long ftrace_recorder_stored(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(ftrace_recorder.stored, cpu));
	/* Read the slots after the counts. */
	smp_rmb();
	return sum;
}

/**
 * ftrace_recorder_skipped() - count the calls for which no slot was free
 *
 * Context: Any context.
 * Return: The sum over all CPUs since boot; may wrap around.
 */
unsigned long ftrace_recorder_skipped(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(ftrace_recorder.skipped, cpu));
	return sum;
}
