// SPDX-License-Identifier: GPL-2.0
/*
 * Replace single instructions: the calls that jump labels, static calls,
 * kprobes, the BPF JIT and the classic function tracer make.
 *
 * These calls return nothing. If a change is impossible, that is a bug of the
 * caller and is reported by a warning. Text that is not as expected stays as it
 * is.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/memory.h>

#include "text_patch.h"

/**
 * text_poke_queue() - queue the replacement of an instruction
 * @addr:	address of the instruction
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	an instruction with the same effect, if @opcode is not one that
 *		can be emulated; or NULL
 *
 * Takes any number of places, in any order. The changes become live with
 * text_poke_finish(), or earlier if another task commits. text_mutex may be
 * dropped in between.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void text_poke_queue(void *addr, const void *opcode, size_t len,
		     const void *emulate)
{
	const int err = text_batch_add(addr, NULL, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS\n", (int)len, opcode, addr);
}

/**
 * text_poke_queue_known() - queue the replacement of known bytes
 * @addr:	address of the instruction
 * @expect:	bytes that it has, or will have according to text_patch_peek()
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	as for text_poke_queue()
 *
 * If the place holds other bytes at the time of the commit, its text has been
 * freed and reused, or a debugger has set a breakpoint. The place is then left
 * unchanged and reported to the transaction, if the task has one open.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void text_poke_queue_known(void *addr, const void *expect, const void *opcode,
			   size_t len, const void *emulate)
{
	const int err = text_batch_add(addr, expect, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS, instead of %*ph\n", (int)len,
		  opcode, addr, (int)len, expect);
}

/**
 * text_poke_finish() - make all queued changes live
 *
 * Does nothing while the task has a transaction open (text_patch_begin()).
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void text_poke_finish(void)
{
	if (!text_batch_deferred())
		text_batch_commit();
}

/**
 * text_poke_bp() - replace an instruction that any CPU may be running
 * @addr:	address of the instruction
 * @opcode:	new bytes
 * @len:	number of bytes
 * @emulate:	as for text_poke_queue()
 *
 * On return the new instruction is live on all CPUs. If the task has a
 * transaction open, it becomes live when that is committed.
 *
 * Context: Process context. May sleep. Caller holds text_mutex.
 */
void text_poke_bp(void *addr, const void *opcode, size_t len,
		  const void *emulate)
{
	text_poke_queue(addr, opcode, len, emulate);
	text_poke_finish();
}
