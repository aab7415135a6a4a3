/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the engine's files share. By file:
 *
 *   insn.h	what an instruction does (pure)
 *   queue.c	changes that wait, in address order; windows (pure)
 *   write.c	puts bytes into text through private mappings
 *   trap.c	the breakpoint handler; reads what the others publish
 *   commit.c	the walk from old to new bytes, all changes at once
 *   batch.c	transactions: who queues, who commits, what is reported
 *   module.c	commits before text of a module is freed
 *   poke.c	the calls of the rest of the kernel, on top of batch.c
 *   method.c	breakpoint or stop_machine, and the figures
 *
 * One lock, text_mutex, which the engine's users take too, guards everything
 * but the trap side. trap.c is noinstr and takes none.
 */
#ifndef _X86_TEXT_PATCH_H
#define _X86_TEXT_PATCH_H

#include <linux/percpu.h>
#include <linux/pgtable.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

#include "insn.h"
#include "queue.h"

/* write.c */

/**
 * struct text_hold - what a CPU had before it opened the window
 * @flags:	interrupt state
 * @cr3:	page table register
 * @dr7:	hardware breakpoints
 * @mm:		what the TLB code believed to be loaded
 */
struct text_hold {
	unsigned long flags;
	unsigned long cr3;
	unsigned long dr7;
	struct mm_struct *mm;
};

pte_t text_page_pte(unsigned long addr);
void text_window_open(struct text_hold *hold, const pte_t *ptes, u32 nr);
void text_window_close(const struct text_hold *hold, u32 nr);

/* trap.c */

/**
 * struct text_live - the changes that are being made, for the trap handler
 * @seq:	odd while @vec is to be searched; goes up with every change
 * @nr:		number of changes at @vec
 * @vec:	sorted by address
 * @base:	address that they count from
 * @flipped:	the moment has passed: places do what they will be, not what
 *		they were
 *
 * Written under text_mutex. The handler reads @seq first (acquire), so that it
 * sees what belongs to it, and looks again after it has looked at text.
 */
struct text_live {
	unsigned int seq;
	u32 nr;
	const struct text_patch *vec;
	unsigned long base;
	bool flipped;
};

/**
 * struct text_trap_cpu - breakpoints taken, per CPU
 * @active:	handlers running now, more than one if an NMI came in between
 * @live:	found among the changes being made
 * @late:	the breakpoint was gone again: done as the text says
 * @resumed:	the breakpoint was gone, the bytes unknown: tried again
 * @resume_ip:	where that was last, and
 * @resume_nr:	how many times in a row
 */
struct text_trap_cpu {
	unsigned int active;
	unsigned int resume_nr;
	unsigned long resume_ip;
	unsigned long live;
	unsigned long late;
	unsigned long resumed;
};

DECLARE_PER_CPU(struct text_trap_cpu, text_trap_cpu);

void text_live_publish(const struct text_patch *vec, u32 nr,
		       unsigned long base);
void text_live_flip(void);
void text_live_withdraw(void);
void text_trap_quiesce(void);
bool text_trap_any_late(void);

/* commit.c */

/**
 * struct text_commit_stat - what commits have done since boot
 * @transactions: commits that had something to do
 * @places:	places changed
 * @syncs:	cross-CPU syncs
 * @windows:	windows, each opened once for each step
 * @chunks:	walks
 * @faults:	places left out
 * @early:	commits that made room because there was no memory for more
 * @settled:	walks whose first bytes were written once more
 * @walk_ns:	for how long places held breakpoints, in all
 * @walk_ns_max: the longest of these times
 */
struct text_commit_stat {
	unsigned long transactions;
	unsigned long places;
	unsigned long syncs;
	unsigned long windows;
	unsigned long chunks;
	unsigned long faults;
	unsigned long early;
	unsigned long settled;
	u64 walk_ns;
	u64 walk_ns_max;
};

extern struct text_commit_stat text_commit_stat;
extern u32 text_walk_places;

void text_commit(struct text_queue *q);

/* batch.c */
int text_batch_add(void *addr, const void *expect, const void *insn, size_t len,
		   const void *emulate);
void text_batch_commit(void);
bool text_batch_deferred(void);

#if IS_ENABLED(CONFIG_X86_TEXT_PATCH_KUNIT_TEST)
/* Allocations until one fails; negative: none does. */
extern int text_patch_test_alloc_left;

static inline bool text_patch_test_alloc_fails(void)
{
	return text_patch_test_alloc_left >= 0 &&
	       text_patch_test_alloc_left-- == 0;
}
#else
static inline bool text_patch_test_alloc_fails(void)
{
	return false;
}
#endif

/* method.c */
bool text_method_is_stop_machine(void);
void text_method_set(bool stop_machine);	/* for the tests */

#endif /* _X86_TEXT_PATCH_H */
