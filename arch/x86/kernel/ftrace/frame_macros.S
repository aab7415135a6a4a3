/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make and remove the frame of a trampoline.
 *
 * Used by the mixed trampoline and by the templates that other trampolines are
 * generated from. While the frame exists the stack pointer does not move, so
 * that an unwinder, which does not know generated code, can look at the
 * template instead.
 */
#include "frame.h"

#ifdef CONFIG_X86_64

/*
 * Make two frames for unwinders that follow frame pointers. The function has
 * not made its own frame yet; without these two its caller would be skipped.
 */
.macro FTRACE_LINK_FRAMES
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	pushq	2*8(%rsp)		/* the function's return address */
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	3*8(%rsp)		/* return address into the function */
	pushq	%rbp
	movq	%rsp, %rbp
#endif
.endm

/* Make the frame. Then %rdi is the site, %rsi the function's return address. */
.macro FTRACE_ENTER all:req
	FTRACE_LINK_FRAMES
	.if \all
	pushfq				/* at FTRACE_AT_PARENT for now */
	subq	$(FTRACE_ROOM - 8), %rsp
	.else
	subq	$(FTRACE_ROOM), %rsp
	.endif
	movq	%rdi, RDI(%rsp)
	movq	%rsi, RSI(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rcx, RCX(%rsp)
	movq	%r8, R8(%rsp)
	movq	%r9, R9(%rsp)
	movq	%rax, RAX(%rsp)
	movq	%r10, R10(%rsp)
#ifdef CONFIG_FRAME_POINTER
	movq	(FTRACE_AT_RET - 8)(%rsp), %rax
	movq	%rax, RBP(%rsp)
#else
	movq	%rbp, RBP(%rsp)
#endif
	.if \all
	movq	%r11, R11(%rsp)
	movq	%rbx, RBX(%rsp)
	movq	%r12, R12(%rsp)
	movq	%r13, R13(%rsp)
	movq	%r14, R14(%rsp)
	movq	%r15, R15(%rsp)
	movq	FTRACE_AT_PARENT(%rsp), %rax
	movq	%rax, EFLAGS(%rsp)
	movq	$__KERNEL_CS, CS(%rsp)
	movq	$__KERNEL_DS, SS(%rsp)
	movq	$0, ORIG_RAX(%rsp)
	.else
	movq	$0, CS(%rsp)
	.endif
	leaq	FTRACE_AT_CALLER(%rsp), %rax
	movq	%rax, RSP(%rsp)
	movq	FTRACE_AT_RET(%rsp), %rdi
	movq	%rdi, RIP(%rsp)
	subq	$FTRACE_SITE_SIZE, %rdi
	movq	FTRACE_AT_CALLER(%rsp), %rsi
.endm

/* The frame of a bare trampoline: FTRACE_BARE_SAVED words, see <asm/ftrace_bare.h>. */
.macro FTRACE_BARE_ENTER
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%rax
.endm

.macro FTRACE_BARE_LEAVE
	popq	%rax
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
.endm

/*
 * Add an entry to the CPU's return stack, for a RET that goes to an address that no
 * CALL has pushed. That RET is mispredicted, but it takes this entry and not the
 * one of a caller. Flags stay.
 */
.macro FTRACE_REBALANCE
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lrebalanced\@
	int3
.Lrebalanced\@:
	leaq	8(%rsp), %rsp
.endm

/*
 * Remove the frame. Hooks may have changed all registers except the stack pointer,
 * and the address at which the function continues. With @away, %rax is an
 * address to go to first: it is put below the function's address.
 */
.macro FTRACE_LEAVE all:req away=0
	.if \away
	movq	%rax, (FTRACE_AT_RET - 8)(%rsp)
	.endif
	movq	RIP(%rsp), %rax
	movq	%rax, FTRACE_AT_RET(%rsp)
	.if \all
	movq	EFLAGS(%rsp), %rax
	.if \away
	movq	%rax, FTRACE_AT_IP(%rsp)
	.else
	movq	%rax, FTRACE_AT_PARENT(%rsp)
	.endif
	movq	R15(%rsp), %r15
	movq	R14(%rsp), %r14
	movq	R13(%rsp), %r13
	movq	R12(%rsp), %r12
	movq	RBX(%rsp), %rbx
	movq	R11(%rsp), %r11
	.endif
	movq	RBP(%rsp), %rbp
	movq	R10(%rsp), %r10
	movq	RAX(%rsp), %rax
	movq	R9(%rsp), %r9
	movq	R8(%rsp), %r8
	movq	RCX(%rsp), %rcx
	movq	RDX(%rsp), %rdx
	movq	RSI(%rsp), %rsi
	movq	RDI(%rsp), %rdi
	.if \all
	.if \away
	addq	$(FTRACE_ROOM - 16), %rsp
	.else
	addq	$(FTRACE_ROOM - 8), %rsp
	.endif
	popfq
	.else
	addq	$(FTRACE_ROOM), %rsp
	.endif
#if FTRACE_LINKS
	leaq	FTRACE_LINKS(%rsp), %rsp
#endif
	.if \away
	FTRACE_REBALANCE
	.endif
.endm

#else /* CONFIG_X86_32 */

.macro FTRACE_LINK_FRAMES
#ifdef CONFIG_FRAME_POINTER
	pushl	%ebp
	pushl	2*4(%esp)		/* the function's return address */
	pushl	%ebp
	movl	%esp, %ebp
	pushl	3*4(%esp)		/* return address into the function */
	pushl	%ebp
	movl	%esp, %ebp
#endif
.endm

/* As on 64 bit with all registers. Then %eax is the site, %edx the return address. */
.macro FTRACE_ENTER
	FTRACE_LINK_FRAMES
	pushfl				/* at FTRACE_AT_PARENT for now */
	subl	$(FTRACE_ROOM - 4), %esp
	movl	%eax, PT_EAX(%esp)
	movl	%ebx, PT_EBX(%esp)
	movl	%ecx, PT_ECX(%esp)
	movl	%edx, PT_EDX(%esp)
	movl	%esi, PT_ESI(%esp)
	movl	%edi, PT_EDI(%esp)
#ifdef CONFIG_FRAME_POINTER
	movl	(FTRACE_AT_RET - 4)(%esp), %eax
	movl	%eax, PT_EBP(%esp)
#else
	movl	%ebp, PT_EBP(%esp)
#endif
	movl	%ds, %eax
	movl	%eax, PT_DS(%esp)
	movl	%es, %eax
	movl	%eax, PT_ES(%esp)
	movl	%fs, %eax
	movl	%eax, PT_FS(%esp)
	movl	$0, PT_GS(%esp)
	movl	$0, PT_ORIG_EAX(%esp)
	movl	$__KERNEL_CS, PT_CS(%esp)
	movl	$__KERNEL_DS, PT_OLDSS(%esp)
	movl	FTRACE_AT_PARENT(%esp), %eax
	movl	%eax, PT_EFLAGS(%esp)
	leal	FTRACE_AT_CALLER(%esp), %eax
	movl	%eax, PT_OLDESP(%esp)
	movl	FTRACE_AT_RET(%esp), %eax
	movl	%eax, PT_EIP(%esp)
	subl	$FTRACE_SITE_SIZE, %eax
	movl	FTRACE_AT_CALLER(%esp), %edx
.endm

/* As on 64 bit. */
.macro FTRACE_REBALANCE
	call	.Lrebalanced\@
	int3
.Lrebalanced\@:
	leal	4(%esp), %esp
.endm

/* As on 64 bit; with @away, %eax is that address. Segment registers are not restored. */
.macro FTRACE_LEAVE away=0
	.if \away
	movl	%eax, (FTRACE_AT_RET - 4)(%esp)
	.endif
	movl	PT_EIP(%esp), %eax
	movl	%eax, FTRACE_AT_RET(%esp)
	movl	PT_EFLAGS(%esp), %eax
	.if \away
	movl	%eax, FTRACE_AT_IP(%esp)
	.else
	movl	%eax, FTRACE_AT_PARENT(%esp)
	.endif
	movl	PT_EBP(%esp), %ebp
	movl	PT_EDI(%esp), %edi
	movl	PT_ESI(%esp), %esi
	movl	PT_EDX(%esp), %edx
	movl	PT_ECX(%esp), %ecx
	movl	PT_EBX(%esp), %ebx
	movl	PT_EAX(%esp), %eax
	.if \away
	addl	$(FTRACE_ROOM - 8), %esp
	.else
	addl	$(FTRACE_ROOM - 4), %esp
	.endif
	popfl
#if FTRACE_LINKS
	leal	FTRACE_LINKS(%esp), %esp
#endif
	.if \away
	FTRACE_REBALANCE
	.endif
.endm

#endif /* CONFIG_X86_64 */
