/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorder, as __fentry__ jumps to it, and functions that call __fentry__.
 * Variables of a CPU are relative to %gs, as in the kernel.
 */
#define PER_CPU_VAR(var)	%gs:(var)(%rip)
#define RET			ret
#include "record_macros.S"

	.text
	.globl	fentry, fentry_end
fentry:
	jmp	1f
	.balign	16
1:	FTRACE_RECORD
fentry_end:

	.balign	16
	/* functions[i]() is at functions + 16 * i. */
	.globl	functions
functions:
	.rept	16
	call	fentry
	jmp	body
	.balign	16
	.endr

.macro EACH insn
	\insn %rax, 0
	\insn %rbx, 8
	\insn %rcx, 16
	\insn %rdx, 24
	\insn %rdi, 40
	\insn %rbp, 48
	\insn %r8, 56
	\insn %r9, 64
	\insn %r10, 72
	\insn %r12, 80
	\insn %r13, 88
	\insn %r14, 96
	\insn %r15, 104
	\insn %rsi, 32
.endm
.macro LOAD reg at
	movq	\at(%rsi), \reg
.endm
.macro STORE reg at
	movq	\reg, (seen + \at)(%rip)
.endm

/* call_with(function, registers, flags): single steps if the flags have TF */
	.globl	call_with
call_with:
	.irp	reg, rbx, rbp, r12, r13, r14, r15
	pushq	%\reg
	.endr
	movq	%rdi, target(%rip)
	movq	%rsp, caller_sp(%rip)
	movq	%rdx, flags(%rip)
	EACH LOAD
	pushq	flags(%rip)
	popfq
	call	*target(%rip)
	.irp	reg, r15, r14, r13, r12, rbp, rbx
	popq	%\reg
	.endr
	ret

/* A call as from an interrupt: all registers stay. */
	.globl	call_nested
call_nested:
	call	*%rdi
	ret

/* The rest of all functions. */
body:
	cmpl	$0, nested(%rip)
	jne	1f
	EACH STORE
	movq	%rsp, (seen + 112)(%rip)
1:	ret

	.data
	.globl	seen, caller_sp, nested
	.balign	8
target:		.quad 0
caller_sp:	.quad 0
flags:		.quad 0
seen:		.fill 15, 8, 0
nested:		.long 0

	.section .note.GNU-stack, "", @progbits
