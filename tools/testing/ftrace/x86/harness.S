/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The templates, and a function that is called with every register known.
 */
#define __FRAME_OFFSETS
#include <asm/ptrace-abi.h>
#define __KERNEL_CS	0x10
#define __KERNEL_DS	0x18
#define ANNOTATE_INTRA_FUNCTION_CALL
#include "frame_macros.S"

	.text

.macro TEMPLATE name:req all:req away=0
	.globl	\name\()_enter, \name\()_calls, \name\()_leave, \name\()_end
\name\()_enter:
	FTRACE_ENTER \all
\name\()_calls:
	nop
\name\()_leave:
	.if \away
	movq	ORIG_RAX(%rsp), %rax
	.endif
	FTRACE_LEAVE \all \away
\name\()_end:
	ret
.endm

TEMPLATE some 0
TEMPLATE all 1
TEMPLATE away 1 1

	.globl	bare_enter, bare_leave, bare_end
bare_enter:
	FTRACE_BARE_ENTER
bare_leave:
	FTRACE_BARE_LEAVE
bare_end:
	ret
#define BARE_SAVED	(7 * 8)

/* Like the mixed trampoline: calls record(), and goes where orig_ax says unless that is 0. */
	.globl	mixed
mixed:
	FTRACE_ENTER 1
	movq	$0x77, %rdx
	movq	%rsp, %rcx
	call	hook
	movq	ORIG_RAX(%rsp), %rax
	testq	%rax, %rax
	jnz	1f
	FTRACE_LEAVE 1
	ret
1:	FTRACE_LEAVE 1 1
	ret

/* What a hook may do to the registers of its caller. */
	.globl	hook
hook:
	pushq	%rbx
	movq	%rsp, %rbx
	andq	$-16, %rsp		/* the kernel needs no alignment */
	call	record
	movq	%rbx, %rsp
	popq	%rbx
spoil:
	movq	$0x0dead0, %rax
	movq	$0x0dead1, %rcx
	movq	$0x0dead2, %rdx
	movq	$0x0dead3, %rsi
	movq	$0x0dead4, %rdi
	movq	$0x0dead5, %r8
	movq	$0x0dead6, %r9
	movq	$0x0dead7, %r10
	movq	$0x0dead8, %r11
	stc
	ret

/* A bare hook: its argument, and what it finds above what the trampoline has saved. */
	.globl	bare
bare:
	movq	nr_bare(%rip), %rcx
	incq	nr_bare(%rip)
	shlq	$5, %rcx
	movq	%rdi, bare_seen(%rcx)
	movq	(BARE_SAVED + 8)(%rsp), %rax
	movq	%rax, (bare_seen + 8)(%rcx)
	movq	(BARE_SAVED + 16)(%rsp), %rax
	movq	%rax, (bare_seen + 16)(%rcx)
	leaq	(BARE_SAVED + 16)(%rsp), %rax
	movq	%rax, (bare_seen + 24)(%rcx)
	jmp	spoil

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
	\insn %r11, 80
	\insn %r12, 88
	\insn %r13, 96
	\insn %r14, 104
	\insn %r15, 112
	\insn %rsi, 32
.endm
.macro LOAD reg at
	movq	\at(%rsi), \reg
.endm
.macro STORE reg at
	movq	\reg, (seen + \at)(%rip)
.endm

/* call_with(function, registers) */
	.globl	call_with, called_from
call_with:
	.irp	reg, rbx, rbp, r12, r13, r14, r15
	pushq	%\reg
	.endr
	movq	%rdi, target(%rip)
	pushq	120(%rsi)
	popfq
	movq	%rsp, caller_sp(%rip)
	EACH LOAD
	call	*target(%rip)
called_from:
	.irp	reg, r15, r14, r13, r12, rbp, rbx
	popq	%\reg
	.endr
	ret

/* The rest of the function behind the site, and another place to go. */
	.globl	body, elsewhere
elsewhere:
	incl	went_elsewhere(%rip)
body:
	pushfq
	popq	(seen + 120)(%rip)
	EACH STORE
	movq	%rsp, (seen + 128)(%rip)
	cld
	ret

/* A direct call: gets the function's stack with a return address into it on top. */
	.globl	direct
direct:
	pushfq
	incl	went_direct(%rip)
	popfq
	pushq	%rax
	movq	8(%rsp), %rax
	movq	%rax, direct_ret(%rip)
	popq	%rax
	ret

/* As return_to_handler: goes on where the caller of call_with() is. */
	.globl	other_parent
other_parent:
	incl	went_other(%rip)
	jmp	called_from

	.data
	.globl	target, seen, caller_sp, went_elsewhere, went_direct, went_other
	.globl	direct_ret, nr_bare, bare_seen
	.balign	8
target:		.quad 0
caller_sp:	.quad 0
direct_ret:	.quad 0
seen:		.fill 17, 8, 0
nr_bare:	.quad 0
bare_seen:	.fill 64, 8, 0
went_elsewhere:	.long 0
went_direct:	.long 0
went_other:	.long 0

	.section .note.GNU-stack, "", @progbits
