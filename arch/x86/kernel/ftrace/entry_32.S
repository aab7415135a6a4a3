/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry points of traced functions, on 32 bit. The 64 bit file has the reasons.
 */
#include <linux/export.h>
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/ftrace.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include "frame_macros.S"

	.section .text, "ax"

SYM_FUNC_START(ftrace_stub)
	RET
SYM_FUNC_END(ftrace_stub)

/* Called only by functions that run before ftrace_init(). */
SYM_FUNC_START(__fentry__)
	RET
SYM_FUNC_END(__fentry__)
_ASM_NOKPROBE(__fentry__)
EXPORT_SYMBOL(__fentry__)

/* A direct call target that does nothing. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	RET
SYM_FUNC_END(ftrace_stub_direct_tramp)
_ASM_NOKPROBE(ftrace_stub_direct_tramp)

/* Calls all hooks of the site, and then its direct call, if any. */
SYM_CODE_START(ftrace_mixed_caller)
	FTRACE_ENTER
	xorl	%ecx, %ecx
	pushl	%esp			/* the registers, fourth argument */
	call	ftrace_dispatch_mixed
	popl	%ecx

	movl	PT_ORIG_EAX(%esp), %eax
	testl	%eax, %eax
	jnz	.Ldirect
	FTRACE_LEAVE
	RET

.Ldirect:
	FTRACE_LEAVE away=1
	RET
SYM_CODE_END(ftrace_mixed_caller)
_ASM_NOKPROBE(ftrace_mixed_caller)

/* The templates. Copied up to _calls, and from _leave to _end. */
.macro FTRACE_TEMPLATE name:req away=0
SYM_CODE_START(\name)
SYM_INNER_LABEL(\name\()_enter, SYM_L_GLOBAL)
	FTRACE_ENTER
SYM_INNER_LABEL(\name\()_calls, SYM_L_GLOBAL)
	nop
SYM_INNER_LABEL(\name\()_leave, SYM_L_GLOBAL)
	.if \away
	movl	PT_ORIG_EAX(%esp), %eax
	.endif
	FTRACE_LEAVE \away
SYM_INNER_LABEL(\name\()_end, SYM_L_GLOBAL)
	RET
SYM_CODE_END(\name)
.endm

FTRACE_TEMPLATE ftrace_template_all
FTRACE_TEMPLATE ftrace_template_away away=1

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
#ifdef CONFIG_FRAME_POINTER
#define FTRACE_BELOW	4
#else
#define FTRACE_BELOW	0
#endif

/* As in entry_64.S. */
SYM_CODE_START(return_to_handler)
	pushl	$return_to_handler
#ifdef CONFIG_FRAME_POINTER
	pushl	%ebp
	movl	%esp, %ebp
#endif
	subl	$FTRACE_REGS, %esp
	movl	%eax, PT_EAX(%esp)
	movl	%edx, PT_EDX(%esp)
#ifdef CONFIG_FRAME_POINTER
	movl	(%ebp), %eax
	movl	%eax, PT_EBP(%esp)
#else
	movl	%ebp, PT_EBP(%esp)
#endif
	/* The address above the slot, as for the caller: unwinders start from these registers. */
	leal	(FTRACE_REGS + FTRACE_BELOW + 4)(%esp), %eax
	movl	%eax, PT_OLDESP(%esp)
	movl	$return_to_handler, PT_EIP(%esp)
	movl	$0, PT_CS(%esp)
	movl	$0, PT_ORIG_EAX(%esp)
	movl	%esp, %eax
	call	ftrace_return_to_handler

	movl	PT_EDX(%esp), %edx
	movl	PT_EAX(%esp), %eax
	movl	PT_EBP(%esp), %ebp
	addl	$(FTRACE_REGS + FTRACE_BELOW), %esp
	/* The function's RET took an entry and came here. */
	FTRACE_REBALANCE
	RET
SYM_CODE_END(return_to_handler)
_ASM_NOKPROBE(return_to_handler)
#endif
