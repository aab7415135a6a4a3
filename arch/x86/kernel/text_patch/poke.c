// SPDX-License-Identifier: GPL-2.0
/*
 * One instruction for another: the calls that jump labels, static calls,
 * kprobes, the BPF JIT and the classic function tracer have always made.
 *
 * They return nothing, so what they cannot do is a bug of the caller and is
 * reported as one; text that is not what it should be stays as it is.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/memory.h>

#include "text_patch.h"

/**
 * text_poke_queue - replace an instruction, later
 * @addr:	the instruction
 * @opcode:	the new bytes
 * @len:	how many
 * @emulate:	an instruction of the same effect, for when @opcode is not one
 *		that can be emulated; or NULL
 *
 * Any number of places, in any order. They become live with text_poke_finish(),
 * or earlier if somebody else commits; text_mutex may be dropped in between.
 *
 * Context: process, text_mutex held.
 */
void text_poke_queue(void *addr, const void *opcode, size_t len,
		     const void *emulate)
{
	const int err = text_batch_add(addr, NULL, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS\n", (int)len, opcode, addr);
}

/**
 * text_poke_queue_known - replace an instruction whose bytes are known, later
 * @addr:	the instruction
 * @expect:	the bytes that it has, or is going to have: text_patch_peek()
 * @opcode:	the new bytes
 * @len:	how many
 * @emulate:	as for text_poke_queue()
 *
 * If the instruction is another one when the change becomes live, then its text
 * has got another owner meanwhile, or a debugger's breakpoint. It stays, and is
 * reported to the transaction, if the task has one open.
 *
 * Context: process, text_mutex held.
 */
void text_poke_queue_known(void *addr, const void *expect, const void *opcode,
			   size_t len, const void *emulate)
{
	const int err = text_batch_add(addr, expect, opcode, len, emulate);

	WARN_ONCE(err, "cannot put %*ph at %pS, instead of %*ph\n", (int)len,
		  opcode, addr, (int)len, expect);
}

/**
 * text_poke_finish - make what is queued live
 *
 * Does nothing while the task has a transaction open (text_patch_begin()).
 *
 * Context: process, text_mutex held.
 */
void text_poke_finish(void)
{
	if (!text_batch_deferred())
		text_batch_commit();
}

/**
 * text_poke_bp - replace an instruction that any CPU may be running
 * @addr:	the instruction
 * @opcode:	the new bytes
 * @len:	how many
 * @emulate:	as for text_poke_queue()
 *
 * On return the new instruction is live on all CPUs, unless the task has a
 * transaction open: then it will be when that is committed.
 *
 * Context: process, text_mutex held.
 */
void text_poke_bp(void *addr, const void *opcode, size_t len,
		  const void *emulate)
{
	text_poke_queue(addr, opcode, len, emulate);
	text_poke_finish();
}
