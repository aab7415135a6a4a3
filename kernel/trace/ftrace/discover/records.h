/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record slots: preallocated words in which calls of __fentry__ leave their
 * addresses.
 *
 * A table has buckets of two slots. A slot that is 0 is free; any other value
 * is the address to which a call of __fentry__ returns. Some low bits of this
 * address choose the bucket.
 *
 * Two parties write to a slot, and each makes one kind of change:
 *
 *	recorder	0 -> address	cmpxchg(), in any context, NMI included;
 *					any number of them at a time
 *	taker		address -> 0	a plain store, by the holder of ftrace_lock
 *
 * So a recorder never waits, and a slot belongs to the taker as long as it is
 * not 0. An address stays in its slot until its call is a nop: until then,
 * further calls find it there and return. The address of a call that cannot
 * become a site stays for the same reason.
 *
 * The recorder is the architecture's, in assembly. It counts the slots that it
 * fills, and the calls for which no slot was free. It counts a slot after it
 * has filled it. So whoever reads the count first and the slots afterwards sees
 * each slot that was counted.
 */
#ifndef _FTRACE_RECORDS_H
#define _FTRACE_RECORDS_H

#include <linux/list.h>
#include <linux/types.h>

#define FTRACE_RECORDS_WAYS	2	/* slots of a bucket */

struct ftrace_records {
	struct list_head	list;	/* [L] */
	u32			nr;	/* [I] number of slots */
	unsigned long		slots[];
};

/* The bits of an address that are the offset of its bucket, in bytes. */
static inline u32 ftrace_records_mask(u32 buckets)
{
	return (buckets - 1) * FTRACE_RECORDS_WAYS * sizeof(unsigned long);
}

struct ftrace_records *ftrace_records_make(u32 buckets);
void ftrace_records_free(struct ftrace_records *table);
void ftrace_records_purge(const struct list_head *tables, unsigned long start, unsigned long end);
u32 ftrace_records_filled(const struct list_head *tables);

/* A slot that was not free, and what was in it. */
struct ftrace_record {
	unsigned long	addr;
	unsigned long	*slot;
};

/* The slots of one round of the taker, ascending by address. */
struct ftrace_take {
	struct ftrace_record	*records;
	u32			nr, room;
};

int ftrace_take_make(struct ftrace_take *take, const struct list_head *tables);
u32 ftrace_take_same(const struct ftrace_take *take, u32 i);
void ftrace_take_release(const struct ftrace_take *take, u32 from, u32 end);
void ftrace_take_drop(struct ftrace_take *take);

#endif /* _FTRACE_RECORDS_H */
