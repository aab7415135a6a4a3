/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Change kernel text at many places at once, with two cross-CPU syncs for
 * thousands of places.
 *
 * See Documentation/arch/x86/text-patching.rst.
 */
#ifndef _ASM_X86_TEXT_TRANSACTION_H
#define _ASM_X86_TEXT_TRANSACTION_H

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <asm/nops.h>
#include <asm/text-patching.h>

struct task_struct;

/*
 * Call targets that mean "no call": the five bytes of the place are a nop.
 * TEXT_NOP is a nop of five bytes. TEXT_NOP_LONG is the first five bytes of a
 * nop of nine. Its last four bytes are a nop by themselves and stay when a call
 * is written over the first five, so a CPU may continue after the fifth byte in
 * both states. TEXT_NOP_JUMP is a jump to the next instruction.
 */
#define TEXT_NOP		0UL
#define TEXT_NOP_LONG		1UL
#define TEXT_NOP_JUMP		2UL

/*
 * nopw disp32(%rax,%rdx,4): the last five bytes of this nop, SIB and disp32,
 * have no effect. The disp32 is BYTES_NOP4. The SIB byte is one that assemblers
 * do not use for a nop, so these five bytes differ from those of any other
 * instruction.
 */
#define TEXT_NOP_LONG_BYTES	{ 0x66, 0x0f, 0x1f, 0x84, 0x90 }

/*
 * nopl %es:disp32(base,index,scale) without its last five bytes, SIB and disp32, which
 * may have any value: so the five bytes that follow these four become part of a
 * nop, whatever they are: these four bytes cover them. The text engine treats a cover
 * as an instruction of four bytes without an effect, at any address, so no other nop
 * may begin with it: the nine-byte nops of assemblers and of the kernel have the prefix
 * 66 or 2e there, never the %es or %ss of a cover.
 */
#define TEXT_COVER_BYTES	{ 0x26, 0x0f, 0x1f, 0x84 }
/* The same with another prefix: the cover of a sealed ENDBR. */
#define TEXT_COVER_SEALED_BYTES	{ 0x36, 0x0f, 0x1f, 0x84 }

/*
 * Bit 0 of any other call target: the place jumps there instead. Not on 32-bit
 * kernels, where targets may have odd addresses.
 */
#define TEXT_BY_JUMP		((unsigned long)IS_ENABLED(CONFIG_X86_64))

/**
 * text_call_or_nop() - generate the call, jump or nop of a five-byte place
 * @insn:	gets CALL_INSN_SIZE bytes
 * @addr:	address of the place
 * @to:		address to call, or to jump to, with TEXT_BY_JUMP; or one of
 *		the nops above
 *
 * Context: Any context, noinstr code included.
 */
static __always_inline
void text_call_or_nop(u8 *insn, unsigned long addr, unsigned long to)
{
	static const u8 nops[][CALL_INSN_SIZE] = {
		[TEXT_NOP]	= { BYTES_NOP5 },
		[TEXT_NOP_LONG]	= TEXT_NOP_LONG_BYTES,
		[TEXT_NOP_JUMP]	= { JMP32_INSN_OPCODE, 0, 0, 0, 0 },
	};

	if (to <= TEXT_NOP_JUMP)
		__builtin_memcpy(insn, nops[to], CALL_INSN_SIZE);
	else if (unlikely(to & TEXT_BY_JUMP))
		__text_gen_insn(insn, JMP32_INSN_OPCODE, (void *)addr,
				(void *)(to & ~TEXT_BY_JUMP), JMP32_INSN_SIZE);
	else
		__text_gen_insn(insn, CALL_INSN_OPCODE, (void *)addr,
				(void *)to, CALL_INSN_SIZE);
}

/* Longest instruction that can be replaced: Jcc with a 32-bit displacement. */
#define TEXT_PATCH_MAX		6

/**
 * struct text_patch_fault - a place that could not be changed
 * @addr:	the place
 * @err:	-EINVAL if it holds other bytes than expected, -EFAULT if there
 *		is no text, -EBUSY if it overlaps another queued change
 * @expected:	bytes that the caller expected
 * @found:	bytes that are there, or that a queued change will put there
 *		(undefined for -EFAULT)
 */
struct text_patch_fault {
	void *addr;
	int err;
	u8 expected[TEXT_PATCH_MAX];
	u8 found[TEXT_PATCH_MAX];
};

/**
 * struct text_patch_tx - an open transaction of one task
 * @fault:	called for each place left out, before the first byte is
 *		written, with text_mutex held; may be NULL. Runs in the task
 *		that adds the change, or in the one that commits: this need not
 *		be the task of the transaction, so @fault cannot rely on locks
 *		that the latter holds. It should only record the fault and must
 *		not call the engine.
 * @first:	the first fault, valid if @nr_faults is not zero
 * @nr_faults:	number of places left out
 *
 * The caller sets @fault before text_patch_begin() (NULL is fine) and reads
 * @first and @nr_faults after text_patch_commit(). All other fields belong to the
 * engine. A transaction is usually on the stack.
 */
struct text_patch_tx {
	void (*fault)(struct text_patch_tx *tx,
		      const struct text_patch_fault *fault);
	struct text_patch_fault first;
	unsigned int nr_faults;
	/* private: text_mutex */
	struct list_head node;
	struct task_struct *task;
	struct text_patch_tx *outer;
};

/**
 * struct text_call - a five-byte place whose call target is to change
 * @addr:	the place
 * @from:	address that it must call before the change, or jump to, with
 *		TEXT_BY_JUMP; or TEXT_NOP, TEXT_NOP_LONG or TEXT_NOP_JUMP
 * @to:		its target after the change, in the same form
 */
struct text_call {
	unsigned long addr, from, to;
};

#ifdef CONFIG_X86_TEXT_PATCH
/* batch.c: transactions */
void text_patch_begin(struct text_patch_tx *tx);
int text_patch_commit(struct text_patch_tx *tx);
void text_patch_flush(void);
int text_patch_add(void *addr, const void *expect, const void *insn,
		   size_t len);
size_t text_patch_add_calls(struct text_patch_tx *tx, const struct text_call *call,
			    size_t stride, size_t nr);
void text_patch_reserve(size_t nr);
const void *text_patch_peek(const void *addr, void *buf, size_t len);

/* True if @bytes are a debugger's breakpoint: a commit leaves the place out, and says so. */
static inline bool text_patch_leaves(const void *bytes)
{
	return *(const u8 *)bytes == INT3_INSN_OPCODE;
}

/* poke.c */
void smp_text_poke_batch_add_known(void *addr, const void *expect,
				   const void *opcode, size_t len,
				   const void *emulate);
#else
/* Without the engine each change is made immediately, by itself. */
static inline void text_patch_flush(void)
{
}

static inline const void *text_patch_peek(const void *addr, void *buf,
					  size_t len)
{
	return addr;
}

static inline bool text_patch_leaves(const void *bytes)
{
	return false;
}

static inline void smp_text_poke_batch_add_known(void *addr, const void *expect,
						 const void *opcode, size_t len,
						 const void *emulate)
{
	smp_text_poke_batch_add(addr, opcode, len, emulate);
}
#endif

#endif /* _ASM_X86_TEXT_TRANSACTION_H */
