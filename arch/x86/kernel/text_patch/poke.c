// SPDX-License-Identifier: GPL-2.0
/*
 * Replace single instructions: the calls that jump labels, static calls,
 * kprobes, the BPF JIT and the classic function tracer make.
 *
 * These calls return nothing. A change that is impossible is a bug of the caller
 * and is reported by a warning. Text that is not as expected is left unchanged.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/memory.h>

#include "text_patch.h"

/**
 * smp_text_poke_batch_add() - queue the replacement of an instruction
 * @addr:	address of the instruction
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	an instruction with the same effect, if @opcode is not one that
 *		can be emulated; or NULL
 *
 * Takes any number of places, in any order. The changes become live with
 * smp_text_poke_batch_finish(), or earlier if another task commits. text_mutex may be
 * dropped in between.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void smp_text_poke_batch_add(void *addr, const void *opcode, size_t len,
			     const void *emulate)
{
	const int err = text_batch_add(addr, NULL, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS\n", (int)len, opcode, addr);
}

/**
 * smp_text_poke_batch_add_known() - queue the replacement of known bytes
 * @addr:	address of the instruction
 * @expect:	bytes that it has, or will have, as read by text_patch_peek()
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	as for smp_text_poke_batch_add()
 *
 * If the place holds other bytes at the time of the commit, its text has been
 * freed and reused, or a debugger has set a breakpoint. The place is then left
 * unchanged and reported: to the transaction if the task has one open, else by a warning.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void smp_text_poke_batch_add_known(void *addr, const void *expect,
				   const void *opcode, size_t len,
				   const void *emulate)
{
	const int err = text_batch_add(addr, expect, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS, instead of %*ph\n", (int)len,
		  opcode, addr, (int)len, expect);
}

/**
 * smp_text_poke_batch_finish() - make all queued changes live
 *
 * Does nothing while the task has a transaction open (text_patch_begin()).
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void smp_text_poke_batch_finish(void)
{
	if (!text_batch_deferred())
		text_batch_commit();
}

/**
 * smp_text_poke_single() - replace an instruction that any CPU may be running
 * @addr:	address of the instruction
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	as for smp_text_poke_batch_add()
 *
 * On return the new instruction is live on all CPUs. If the task has a
 * transaction open, it becomes live when that is committed.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void smp_text_poke_single(void *addr, const void *opcode, size_t len,
			  const void *emulate)
{
	smp_text_poke_batch_add(addr, opcode, len, emulate);
	smp_text_poke_batch_finish();
}
