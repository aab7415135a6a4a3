/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interfaces between the files of the engine:
 *
 *   insn.h	decodes and emulates instructions (pure)
 *   queue.c	keeps changes until their commit; plans windows (pure)
 *   write.c	writes bytes into text through private mappings
 *   trap.c	handles breakpoints; reads the changes that commit.c publishes
 *   commit.c	walks from old to new bytes, many changes at once
 *   batch.c	transactions: queues and commits changes, reports faults
 *   module.c	commits before text of a module is freed
 *   poke.c	the text_poke_*() calls of other subsystems, on top of batch.c
 *   quiet.c	syncs that spare CPUs that RCU does not watch
 *   method.c	selects breakpoint or stop_machine; shows statistics
 *
 * text_mutex, which the engine's users take too, guards everything except the data
 * of the trap handler and of CPUs that catch up with syncs: this code is noinstr and
 * takes no lock.
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
 * struct text_hold - state of a CPU before it opened the window
 * @flags:	interrupt state
 * @cr3:	page table register
 * @dr7:	hardware breakpoints
 */
struct text_hold {
	unsigned long flags;
	unsigned long cr3;
	unsigned long dr7;
};

pte_t text_page_pte(unsigned long addr);
void text_window_open(struct text_hold *hold, const pte_t *ptes, u32 nr);
void text_window_close(const struct text_hold *hold, u32 nr);

/* trap.c */

/**
 * struct text_live - the changes of the current walk, for the trap handler
 * @seq:	odd while @vec is valid; incremented to publish and to withdraw
 * @nr:		number of changes at @vec
 * @vec:	the changes, sorted by address
 * @base:	address that they are relative to
 * @flipped:	places act as their new instruction, else as the old one
 *
 * Written under text_mutex. The handler reads @seq first (acquire): if it is odd, the
 * handler sees the fields that were published with it; they stay valid until
 * text_trap_quiesce() has waited for the handler. After it has read text, the handler
 * reads @seq again.
 */
struct text_live {
	unsigned int seq;
	u32 nr;
	const struct text_patch *vec;
	unsigned long base;
	bool flipped;
};

/**
 * struct text_trap_cpu - breakpoint traps of one CPU
 * @active:	handlers that are running; more than one if an NMI interrupted
 *		a handler
 * @live:	traps resolved by the changes of the current walk
 * @late:	traps whose breakpoint was gone, resolved by the text
 * @resumed:	traps whose breakpoint was gone and whose text is unknown; the
 *		CPU runs the text again
 * @resume_ip:	address of the last such trap
 * @resume_nr:	number of such traps in a row at @resume_ip
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
 * struct text_commit_stat - statistics of commits since boot
 * @transactions: commits of at least one change
 * @places:	places changed
 * @syncs:	cross-CPU syncs
 * @spared:	CPUs that these syncs and those of kprobes did not interrupt
 * @windows:	windows (see write.c), each opened once in each step
 * @chunks:	walks
 * @faults:	places left out
 * @early:	commits made because there was no room to queue more
 * @settled:	walks whose first bytes were written a second time
 * @walk_ns:	total time of walks, while places held breakpoints, in ns
 * @walk_ns_max: time of the longest walk, in ns
 */
struct text_commit_stat {
	unsigned long transactions;
	unsigned long places;
	unsigned long syncs;
	unsigned long spared;
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

/* quiet.c */
#ifdef CONFIG_ARCH_HAS_SYNC_CORE_CATCH_UP
void text_sync(bool everywhere);
bool text_sync_is_for_all(const struct text_patch *vec, u32 nr,
			  unsigned long base);
bool text_is_caught_up(unsigned long ip);
#else
static inline void text_sync(bool everywhere)
{
	smp_text_poke_sync_each_cpu();
}

static inline bool text_sync_is_for_all(const struct text_patch *vec, u32 nr,
					unsigned long base)
{
	return true;
}

static __always_inline bool text_is_caught_up(unsigned long ip)
{
	return true;
}
#endif

/* batch.c */
int text_batch_add(void *addr, const void *expect, const void *insn, size_t len,
		   const void *emulate);
void text_batch_commit(void);
bool text_batch_deferred(void);

#if IS_ENABLED(CONFIG_X86_TEXT_PATCH_KUNIT_TEST)
/* Number of allocations that succeed before one fails; negative: none fails. */
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
