/* SPDX-License-Identifier: GPL-2.0 */
/* The same on 32 bit, without a C library. */
#define PT_EBX		0
#define PT_ECX		4
#define PT_EDX		8
#define PT_ESI		12
#define PT_EDI		16
#define PT_EBP		20
#define PT_EAX		24
#define PT_DS		28
#define PT_ES		32
#define PT_FS		36
#define PT_GS		40
#define PT_ORIG_EAX	44
#define PT_EIP		48
#define PT_CS		52
#define PT_EFLAGS	56
#define PT_OLDESP	60
#define PT_OLDSS	64
#define __KERNEL_CS	0x60
#define __KERNEL_DS	0x68
#include "frame_macros.S"

	.text
.macro TEMPLATE name:req away=0
	.globl	\name\()_enter, \name\()_calls, \name\()_leave, \name\()_end
\name\()_enter:
	FTRACE_ENTER
\name\()_calls:
	nop
\name\()_leave:
	.if \away
	movl	PT_ORIG_EAX(%esp), %eax
	.endif
	FTRACE_LEAVE \away
\name\()_end:
	ret
.endm

TEMPLATE all
TEMPLATE away 1

	.globl	mixed
mixed:
	FTRACE_ENTER
	movl	$0x77, %ecx
	pushl	%esp
	call	hook
	popl	%ecx
	movl	PT_ORIG_EAX(%esp), %eax
	testl	%eax, %eax
	jnz	1f
	FTRACE_LEAVE
	ret
1:	FTRACE_LEAVE away=1
	ret

	.globl	hook
hook:
	pushl	4(%esp)
	call	record
	movl	$0xdead, (%esp)
	popl	%eax
	movl	%eax, 4(%esp)		/* arguments on the stack are the callee's */
	movl	%eax, %ecx
	movl	%eax, %edx
	stc
	ret

/* call_with(function, registers): eax ebx ecx edx esi edi ebp eflags */
	.globl	call_with, called_from
call_with:
	pushl	%ebx
	pushl	%ebp
	pushl	%esi
	pushl	%edi
	movl	%eax, target
	pushl	28(%edx)
	popfl
	movl	%esp, caller_sp
	movl	(%edx), %eax
	movl	4(%edx), %ebx
	movl	8(%edx), %ecx
	movl	16(%edx), %esi
	movl	20(%edx), %edi
	movl	24(%edx), %ebp
	movl	12(%edx), %edx
	call	*target
called_from:
	popl	%edi
	popl	%esi
	popl	%ebp
	popl	%ebx
	ret

	.globl	body, elsewhere
elsewhere:
	incl	went_elsewhere
body:
	pushfl
	popl	seen + 28
	movl	%eax, seen
	movl	%ebx, seen + 4
	movl	%ecx, seen + 8
	movl	%edx, seen + 12
	movl	%esi, seen + 16
	movl	%edi, seen + 20
	movl	%ebp, seen + 24
	movl	%esp, seen + 32
	ret

	.globl	direct
direct:
	incl	went_direct
	ret

	.globl	_start
_start:
	call	test_main
	movl	%eax, %ebx
	movl	$1, %eax
	int	$0x80

	.data
	.globl	target, seen, caller_sp, went_elsewhere, went_direct
	.balign	4
target:		.long 0
caller_sp:	.long 0
seen:		.fill 9, 4, 0
went_elsewhere:	.long 0
went_direct:	.long 0

	.section .note.GNU-stack, "", @progbits
