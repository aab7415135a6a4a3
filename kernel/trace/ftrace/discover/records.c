// SPDX-License-Identifier: GPL-2.0
/*
 * Record slots: preallocated words in which calls of __fentry__ leave their
 * addresses.
 *
 * This is the taker's side; records.h has the rules. Nothing here knows what is
 * at an address. The caller holds ftrace_lock, so that no text is freed between
 * taking an address and releasing its slot.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "records.h"

/**
 * ftrace_records_make() - allocate a table of free slots
 * @buckets: number of buckets, a power of two
 *
 * Context: Process context or boot. May sleep.
 * Return: The table, in no list; NULL if memory is short.
 */
struct ftrace_records *ftrace_records_make(u32 buckets)
{
	const u32 nr = buckets * FTRACE_RECORDS_WAYS;
	struct ftrace_records *table;

	if (WARN_ON_ONCE(!is_power_of_2(buckets)))
		return NULL;
	table = kvzalloc(struct_size(table, slots, nr), GFP_KERNEL);
	if (!table)
		return NULL;
	table->nr = nr;
	return table;
}

/**
 * ftrace_records_free() - free a table
 * @table: the table, in no list; no recorder can reach it
 *
 * Context: Process context.
 */
void ftrace_records_free(struct ftrace_records *table)
{
	kvfree(table);
}

/**
 * ftrace_records_filled() - count the slots that are not free
 * @tables: list of tables
 *
 * Context: Process context. ftrace_lock held.
 * Return: The number; recorders may fill more slots meanwhile.
 */
u32 ftrace_records_filled(const struct list_head *tables)
{
	const struct ftrace_records *table;
	u32 i, filled = 0;

	list_for_each_entry(table, tables, list) {
		for (i = 0; i < table->nr; i++)
			filled += !!READ_ONCE(table->slots[i]);
	}
	return filled;
}

/**
 * ftrace_records_purge() - free the slots whose addresses are in a text
 * @tables: list of tables
 * @start: the first address of the text
 * @end: one past its last address
 *
 * For text that is about to be freed. A function of it that runs later is recorded
 * again; a round releases its slot when the text is freed.
 *
 * A call can be the last instruction of a text. So the address to which it
 * returns may be @end, but is never @start.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_records_purge(const struct list_head *tables, unsigned long start, unsigned long end)
{
	struct ftrace_records *table;
	u32 i;

	list_for_each_entry(table, tables, list) {
		for (i = 0; i < table->nr; i++) {
			const unsigned long addr = READ_ONCE(table->slots[i]);

			if (addr > start && addr <= end)
				WRITE_ONCE(table->slots[i], 0);
		}
	}
}

static int by_address(const void *a, const void *b)
{
	const struct ftrace_record *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void take_table(struct ftrace_take *take, struct ftrace_records *table)
{
	u32 i;

	for (i = 0; i < table->nr && take->nr < take->room; i++) {
		const unsigned long addr = READ_ONCE(table->slots[i]);

		if (addr)
			take->records[take->nr++] = (struct ftrace_record){
				.addr = addr, .slot = &table->slots[i],
			};
	}
}

/**
 * ftrace_take_make() - read what was recorded
 * @take: filled in; to be dropped. The slots stay as they are
 * @tables: list of tables
 *
 * Slots that are filled meanwhile may be left for the next round.
 *
 * Context: Process context. May sleep. ftrace_lock held until
 * ftrace_take_drop().
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_take_make(struct ftrace_take *take, const struct list_head *tables)
{
	const u32 filled = ftrace_records_filled(tables);
	struct ftrace_records *table;

	*take = (struct ftrace_take){ .room = filled };
	if (!filled)
		return 0;
	take->records = kvmalloc_array(filled, sizeof(*take->records), GFP_KERNEL);
	if (!take->records)
		return -ENOMEM;

	list_for_each_entry(table, tables, list)
		take_table(take, table);
	sort(take->records, take->nr, sizeof(*take->records), by_address, NULL);
	return 0;
}

/**
 * ftrace_take_same() - find the end of a run of records of one address
 * @take: records that were taken
 * @i: index of the first of the run
 *
 * CPUs record the same address independently of each other. On one CPU, an interrupt
 * can do so, too, between two steps of the recorder that it interrupts.
 *
 * Return: The index after the last of the run.
 */
u32 ftrace_take_same(const struct ftrace_take *take, u32 i)
{
	const unsigned long addr = take->records[i].addr;

	while (i < take->nr && take->records[i].addr == addr)
		i++;
	return i;
}

/**
 * ftrace_take_release() - make slots free again
 * @take: records that were taken
 * @from: index of the first record
 * @end: index after the last one
 *
 * Call this when the calls at these addresses do not call __fentry__ any more. Before
 * that, they would be recorded once more.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_take_release(const struct ftrace_take *take, u32 from, u32 end)
{
	for (; from < end; from++)
		WRITE_ONCE(*take->records[from].slot, 0);
}

/**
 * ftrace_take_drop() - forget what was taken
 * @take: records that were taken; empty afterwards
 *
 * What was not released stays in its slot.
 *
 * Context: Process context.
 */
void ftrace_take_drop(struct ftrace_take *take)
{
	kvfree(take->records);
	*take = (struct ftrace_take){};
}
