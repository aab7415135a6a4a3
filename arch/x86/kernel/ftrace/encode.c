// SPDX-License-Identifier: GPL-2.0
/*
 * Generate the instructions of trampolines.
 *
 * Between the two copied parts of a trampoline (see frame.h) the stack pointer
 * points at the registers. If there is more than one call to make, the
 * arguments that the first part has left in registers are kept in the frame:
 *
 *	64 bit					32 bit
 *	mov  %rdi, AT_IP(%rsp)			mov  %eax, AT_IP(%esp)
 *	mov  %rsi, AT_PARENT(%rsp)		mov  %edx, AT_PARENT(%esp)
 *
 *	mov  AT_IP(%rsp), %rdi		2nd	mov  AT_IP(%esp), %eax
 *	mov  AT_PARENT(%rsp), %rsi	2nd	mov  AT_PARENT(%esp), %edx
 *	mov  $arg, %rdx				mov  $arg, %ecx
 *	mov  %rsp, %rcx				push %esp
 *	call func				call func
 *						pop  %ecx
 *
 * The calls of a bare trampoline (<asm/ftrace_bare.h>), on 64 bit, have one argument:
 *
 *	mov  $arg, %rdi
 *	call func
 *
 * The parent is not read from the function's return address slot again: an
 * earlier call may have put another address there.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "encode.h"
#include "frame.h"

#define CALL	0xe8
#define JMP	0xe9
#define RET	0xc3
#define INT3	0xcc

/* Append bytes, or only count them. */
void ftrace_put(struct ftrace_code *code, const void *bytes, size_t len)
{
	if (code->err)
		return;
	if (code->at && code->end - code->at < len) {
		code->err = -ENOSPC;
		return;
	}
	if (code->at) {
		memcpy(code->at, bytes, len);
		code->at += len;
	}
	code->ip += len;
}

/* Append a call or jump to @to. */
static void put_branch(struct ftrace_code *code, u8 opcode, unsigned long to)
{
	const long disp = to - (code->ip + 5);
	const s32 disp32 = disp;
	u8 insn[5] = { opcode };

	if (disp != disp32 && code->at && !code->err)
		code->err = -ERANGE;
	memcpy(insn + 1, &disp32, sizeof(disp32));
	ftrace_put(code, insn, sizeof(insn));
}

/*
 * Append the end of a trampoline: a jump to @thunk, which returns; or if that is 0, a
 * return, padded to the size of a jump that may replace it later.
 */
void ftrace_put_return(struct ftrace_code *code, unsigned long thunk)
{
	static const u8 insn[FTRACE_TAIL_SIZE] = { RET, INT3, INT3, INT3, INT3 };

	if (thunk)
		put_branch(code, JMP, thunk);
	else
		ftrace_put(code, insn, sizeof(insn));
}

#ifdef CONFIG_X86_64
/* Keep the site and the parent in the frame, for further calls. */
void ftrace_put_keep(struct ftrace_code *code)
{
	static const u8 insns[] = {
		0x48, 0x89, 0xbc, 0x24, FTRACE_AT_IP, 0, 0, 0,
		0x48, 0x89, 0xb4, 0x24, FTRACE_AT_PARENT, 0, 0, 0,
	};

	ftrace_put(code, insns, sizeof(insns));
}

#define REG_RDX	2
#define REG_RDI	7

/* Load an argument into a register, by the shortest instruction. */
static void put_arg(struct ftrace_code *code, u8 reg, unsigned long arg)
{
	u8 insn[10];

	if (arg == (u32)arg) {
		insn[0] = 0xb8 + reg;			/* mov imm32, %e.. */
		memcpy(insn + 1, &arg, 4);
		ftrace_put(code, insn, 5);
	} else if ((long)arg == (s32)arg) {
		insn[0] = 0x48;				/* mov simm32, %r.. */
		insn[1] = 0xc7;
		insn[2] = 0xc0 + reg;
		memcpy(insn + 3, &arg, 4);
		ftrace_put(code, insn, 7);
	} else {
		insn[0] = 0x48;				/* mov imm64, %r.. */
		insn[1] = 0xb8 + reg;
		memcpy(insn + 2, &arg, 8);
		ftrace_put(code, insn, 10);
	}
}

/* Load the arguments of a call. For the first call, two are in registers already. */
void ftrace_put_args(struct ftrace_code *code, bool first, unsigned long arg)
{
	static const u8 again[] = {
		0x48, 0x8b, 0xbc, 0x24, FTRACE_AT_IP, 0, 0, 0,
		0x48, 0x8b, 0xb4, 0x24, FTRACE_AT_PARENT, 0, 0, 0,
	};
	static const u8 regs[] = { 0x48, 0x89, 0xe1 };	/* mov %rsp, %rcx */

	if (!first)
		ftrace_put(code, again, sizeof(again));
	put_arg(code, REG_RDX, arg);
	ftrace_put(code, regs, sizeof(regs));
}

void ftrace_put_call(struct ftrace_code *code, unsigned long func)
{
	put_branch(code, CALL, func);
}

/* Load the argument of a bare callback. */
void ftrace_put_bare_arg(struct ftrace_code *code, unsigned long arg)
{
	put_arg(code, REG_RDI, arg);
}
#else
void ftrace_put_keep(struct ftrace_code *code)
{
	static const u8 insns[] = {
		0x89, 0x44, 0x24, FTRACE_AT_IP,
		0x89, 0x54, 0x24, FTRACE_AT_PARENT,
	};

	ftrace_put(code, insns, sizeof(insns));
}

void ftrace_put_args(struct ftrace_code *code, bool first, unsigned long arg)
{
	static const u8 again[] = {
		0x8b, 0x44, 0x24, FTRACE_AT_IP,
		0x8b, 0x54, 0x24, FTRACE_AT_PARENT,
	};
	static const u8 regs[] = { 0x54 };		/* push %esp */
	u8 insn[5] = { 0xb9 };				/* mov imm32, %ecx */

	if (!first)
		ftrace_put(code, again, sizeof(again));
	memcpy(insn + 1, &arg, 4);
	ftrace_put(code, insn, sizeof(insn));
	ftrace_put(code, regs, sizeof(regs));
}

void ftrace_put_call(struct ftrace_code *code, unsigned long func)
{
	static const u8 pop[] = { 0x59 };		/* pop %ecx */

	put_branch(code, CALL, func);
	ftrace_put(code, pop, sizeof(pop));
}
#endif
