/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing kernel text at many places at once, with two cross-CPU syncs for
 * some thousands of them.
 *
 * Documentation/arch/x86/text-patching.rst tells how it works.
 */
#ifndef _ASM_X86_TEXT_TRANSACTION_H
#define _ASM_X86_TEXT_TRANSACTION_H

#include <linux/types.h>
#include <asm/nops.h>
#include <asm/text-patching.h>

struct task_struct;

/*
 * What a place of five bytes calls that calls nothing. TEXT_NOP is a nop of
 * five bytes. TEXT_NOP_LONG is the first five bytes of a nop of nine, which
 * ends in the four bytes of a nop of its own: they stay when a call is written
 * over the first five, and one may go on there in either case.
 */
#define TEXT_NOP		0UL
#define TEXT_NOP_LONG		1UL

/*
 * nopw disp32(%rax,%rdx,4): the last five bytes of a nop mean nothing. Four of
 * them are the other nop, BYTES_NOP4, and the one before is not what assemblers
 * write, so that these five can be told from any other instruction's.
 */
#define TEXT_NOP_LONG_BYTES	{ 0x66, 0x0f, 0x1f, 0x84, 0x90 }

/**
 * text_call_or_nop - what a place of five bytes holds that calls, or does not
 * @insn: CALL_INSN_SIZE bytes, to be filled in
 * @addr: where the place is
 * @to:	  what it calls; TEXT_NOP or TEXT_NOP_LONG: nothing
 *
 * Context: any, noinstr.
 */
static __always_inline
void text_call_or_nop(u8 *insn, unsigned long addr, unsigned long to)
{
	static const u8 nops[][CALL_INSN_SIZE] = {
		[TEXT_NOP]	= { BYTES_NOP5 },
		[TEXT_NOP_LONG]	= TEXT_NOP_LONG_BYTES,
	};

	if (to > TEXT_NOP_LONG)
		__text_gen_insn(insn, CALL_INSN_OPCODE, (void *)addr,
				(void *)to, CALL_INSN_SIZE);
	else
		__builtin_memcpy(insn, nops[to], CALL_INSN_SIZE);
}

/* The longest instruction that a transaction swaps: Jcc with 32 bit offset. */
#define TEXT_PATCH_MAX		6

/**
 * struct text_patch_fault - a place whose bytes were not the expected ones
 * @addr:	the place
 * @len:	how many bytes were compared
 * @err:	-EINVAL: other bytes, -EFAULT: no text there,
 *		-EBUSY: it overlaps another change of the transaction
 * @expected:	the bytes that the caller said would be there
 * @found:	the bytes that are there (undefined for -EFAULT)
 */
struct text_patch_fault {
	void *addr;
	u8 len;
	int err;
	u8 expected[TEXT_PATCH_MAX];
	u8 found[TEXT_PATCH_MAX];
};

/**
 * struct text_patch_tx - an open transaction of one task
 * @fault:	called for each place left out, before the first byte is
 *		written, with text_mutex held; may be NULL. It runs in whatever
 *		task commits, which need not be the transaction's: it may take
 *		notes, and relies on no lock of its owner's. It must not call
 *		back into the engine.
 * @strict:	one fault refuses everything that was or will be added to this
 *		transaction by text_patch_add() and its kin and is not live
 *		yet; otherwise only the faulty place is left out
 * @first:	the first fault, valid when @nr_faults is not zero
 * @nr_faults:	how many places were left out
 *
 * The caller sets @fault and @strict before text_patch_begin() (all zero is
 * fine) and reads @first and @nr_faults after text_patch_commit(). The rest
 * belongs to the engine. It usually lives on the stack.
 */
struct text_patch_tx {
	void (*fault)(struct text_patch_tx *tx,
		      const struct text_patch_fault *fault);
	bool strict;
	struct text_patch_fault first;
	unsigned int nr_faults;
	/* private: text_mutex */
	struct list_head node;
	struct task_struct *task;
	struct text_patch_tx *outer;
	bool refused;
};

#ifdef CONFIG_X86_TEXT_PATCH
/* batch.c: transactions */
void text_patch_begin(struct text_patch_tx *tx);
int text_patch_commit(struct text_patch_tx *tx);
void text_patch_cancel(struct text_patch_tx *tx);
void text_patch_flush(void);
int text_patch_add(void *addr, const void *expect, const void *insn,
		   size_t len);
int text_patch_add_locked(void *addr, const void *expect, const void *insn,
			  size_t len);
int text_patch_add_call(struct text_patch_tx *tx, void *addr,
			unsigned long from, unsigned long to);
void text_patch_reserve(size_t nr);
const void *text_patch_peek(const void *addr, void *buf, size_t len);

/* poke.c */
void text_poke_queue_known(void *addr, const void *expect, const void *opcode,
			   size_t len, const void *emulate);
#else
/* Without the engine each change is made at once, by itself. */
static inline void text_patch_begin(struct text_patch_tx *tx)
{
}

static inline int text_patch_commit(struct text_patch_tx *tx)
{
	return 0;
}

static inline const void *text_patch_peek(const void *addr, void *buf,
					  size_t len)
{
	return addr;
}

static inline void text_poke_queue_known(void *addr, const void *expect,
					 const void *opcode, size_t len,
					 const void *emulate)
{
	text_poke_queue(addr, opcode, len, emulate);
}
#endif

#endif /* _ASM_X86_TEXT_TRANSACTION_H */
