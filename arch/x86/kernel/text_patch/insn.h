/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decode and emulate instructions.
 *
 * Only the few instructions that kernel text is patched with. Pure: uses no memory
 * except its arguments, takes no locks, runs in any context. All functions are inline,
 * because the breakpoint handler uses them and must not call other code. The
 * user-space tests compile this file as it is.
 */
#ifndef _X86_TEXT_PATCH_INSN_H
#define _X86_TEXT_PATCH_INSN_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

/**
 * enum text_effect_kind - effect of an instruction on the CPU
 * @TEXT_UNKNOWN: not an instruction that text is patched with
 * @TEXT_TRAP:	a breakpoint, which is not emulated
 * @TEXT_NEXT:	none; continue after the instruction
 * @TEXT_ZERO:	clear the accumulator (a static call that returns 0)
 * @TEXT_JUMP:	continue at the end of the instruction plus the displacement
 * @TEXT_BRANCH: as @TEXT_JUMP if the condition holds, else as @TEXT_NEXT
 * @TEXT_CALL:	push the return address, then as @TEXT_JUMP
 * @TEXT_RETURN: pop the address to continue at
 */
enum text_effect_kind {
	TEXT_UNKNOWN,
	TEXT_TRAP,
	TEXT_NEXT,
	TEXT_ZERO,
	TEXT_JUMP,
	TEXT_BRANCH,
	TEXT_CALL,
	TEXT_RETURN,
};

/**
 * struct text_effect - a decoded instruction
 * @disp:	displacement from the end of the instruction
 * @kind:	effect, an enum text_effect_kind
 * @cc:		condition of TEXT_BRANCH: the low nibble of the opcode
 * @len:	length in bytes, 0 for TEXT_UNKNOWN
 */
struct text_effect {
	s32 disp;
	u8 kind;
	u8 cc;
	u8 len;
};

static __always_inline s32 text_disp32(const u8 *b)
{
	return (s32)(READ_ONCE(b[0]) | (u32)READ_ONCE(b[1]) << 8 |
		     (u32)READ_ONCE(b[2]) << 16 | (u32)READ_ONCE(b[3]) << 24);
}

/* Compare @len bytes. A loop, because memcmp() would be a call. */
static __always_inline
bool text_insn_is(const u8 *b, const u8 *insn, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		if (READ_ONCE(b[i]) != insn[i])
			return false;
	return true;
}

/*
 * Test for four bytes without an effect at the beginning of a function: an ENDBR, as
 * compiled or sealed, or a cover (TEXT_COVER_BYTES). @op is the first byte, @op2 the
 * second one if @op is 0x0f. The ENDBR is compared byte by byte: a constant of all
 * four bytes would be an ENDBR in this code.
 */
static __always_inline bool text_is_head(const u8 *b, u8 op, u8 op2)
{
	const u8 cover[] = TEXT_COVER_BYTES, sealed[] = TEXT_COVER_SEALED_BYTES;

	if (op == 0xf3)
		return READ_ONCE(b[1]) == 0x0f && READ_ONCE(b[2]) == 0x1e &&
		       READ_ONCE(b[3]) == 0xfa;
	if (op2 == 0x1f)
		return READ_ONCE(b[2]) == 0x40 && READ_ONCE(b[3]) == 0xd6;
	return text_insn_is(b, cover, sizeof(cover)) || text_insn_is(b, sealed, sizeof(sealed));
}

/*
 * Decode the instruction in the @max bytes at @b. In live text they may change
 * meanwhile: resolve() in trap.c checks that and decodes again. Bytes after the
 * end of the instruction are not read, since text may end at the end of its last
 * mapped page.
 */
static __always_inline
struct text_effect text_effect_of(const u8 *b, unsigned int max)
{
	const u8 nop2[] = { BYTES_NOP2 };
	const u8 nop5[] = { BYTES_NOP5 };
	/* The four bytes after these five are a nop, too. */
	const u8 nop_long[] = TEXT_NOP_LONG_BYTES;
	/* xorl %eax, %eax with three prefixes: see static_call.c */
	const u8 zero[] = { 0x2e, 0x2e, 0x2e, 0x31, 0xc0 };
	struct text_effect e = { .kind = TEXT_UNKNOWN };
	const u8 op = max ? READ_ONCE(b[0]) : 0;
	const u8 op2 = op == 0x0f && max > 1 ? READ_ONCE(b[1]) : 0;

	if (max >= 1 && op == INT3_INSN_OPCODE) {
		e.kind = TEXT_TRAP;
		e.len = 1;
	} else if (max >= 1 && op == RET_INSN_OPCODE) {
		e.kind = TEXT_RETURN;
		e.len = 1;
	} else if (max >= 5 && op == CALL_INSN_OPCODE) {
		e.kind = TEXT_CALL;
		e.len = 5;
		e.disp = text_disp32(b + 1);
	} else if (max >= 5 && op == JMP32_INSN_OPCODE) {
		e.kind = TEXT_JUMP;
		e.len = 5;
		e.disp = text_disp32(b + 1);
	} else if (max >= 2 && op == JMP8_INSN_OPCODE) {
		e.kind = TEXT_JUMP;
		e.len = 2;
		e.disp = (s8)READ_ONCE(b[1]);
	} else if (max >= 2 && (op & 0xf0) == 0x70) {
		e.kind = TEXT_BRANCH;
		e.cc = op & 0xf;
		e.len = 2;
		e.disp = (s8)READ_ONCE(b[1]);
	} else if (max >= 6 && (op2 & 0xf0) == 0x80) {
		e.kind = TEXT_BRANCH;
		e.cc = op2 & 0xf;
		e.len = 6;
		e.disp = text_disp32(b + 2);
	} else if (max >= 5 && (text_insn_is(b, nop5, 5) ||
				text_insn_is(b, nop_long, 5))) {
		e.kind = TEXT_NEXT;
		e.len = 5;
	} else if (max >= 5 && text_insn_is(b, zero, 5)) {
		e.kind = TEXT_ZERO;
		e.len = 5;
	} else if (max >= 4 && text_is_head(b, op, op2)) {
		e.kind = TEXT_NEXT;
		e.len = 4;
	} else if (max >= 2 && text_insn_is(b, nop2, 2)) {
		e.kind = TEXT_NEXT;
		e.len = 2;
	}

	return e;
}

/*
 * Test whether @len bytes at @b can replace an instruction: they must be one
 * known instruction. A return or jump may be shorter if breakpoints fill the
 * rest, because no CPU continues after it. A breakpoint may not.
 */
static __always_inline
bool text_insn_fits(const u8 *b, unsigned int len)
{
	const struct text_effect e = text_effect_of(b, len);
	unsigned int i;

	if (e.kind == TEXT_UNKNOWN || len > TEXT_PATCH_MAX)
		return false;
	if (e.kind != TEXT_RETURN && e.kind != TEXT_JUMP)
		return e.len == len;
	for (i = e.len; i < len; i++)
		if (b[i] != INT3_INSN_OPCODE)
			return false;
	return true;
}

/*
 * Emulate instruction @e, which is at address @insn, on @regs.
 *
 * Return: False, with @regs unchanged, for TEXT_UNKNOWN and TEXT_TRAP.
 */
static __always_inline
bool text_effect_act(struct pt_regs *regs, unsigned long insn,
		     const struct text_effect *e)
{
	const unsigned long next = insn + e->len;

	switch (e->kind) {
	case TEXT_NEXT:
		int3_emulate_jmp(regs, next);
		return true;
	case TEXT_ZERO:
		regs->ax = 0;
		int3_emulate_jmp(regs, next);
		return true;
	case TEXT_JUMP:
		int3_emulate_jmp(regs, next + e->disp);
		return true;
	case TEXT_BRANCH:
		int3_emulate_jcc(regs, e->cc, next, e->disp);
		return true;
	case TEXT_CALL:
		int3_emulate_push(regs, next);
		int3_emulate_jmp(regs, next + e->disp);
		return true;
	case TEXT_RETURN:
		int3_emulate_ret(regs);
		return true;
	}
	return false;
}

#endif /* _X86_TEXT_PATCH_INSN_H */
