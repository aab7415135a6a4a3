/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry points of traced functions: __fentry__, which the compiler's call goes
 * to until boot makes it a nop; the mixed trampoline, which serves any set of
 * hooks; the templates of all other trampolines; and return_to_handler, which
 * functions return to under the graph tracer. No kprobe may be set here: the code that
 * handles it is traced, and would come back here.
 */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/ftrace.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

#include "frame_macros.S"
#include "record_macros.S"

	.code64
	.section .text, "ax"

SYM_TYPED_FUNC_START(ftrace_stub)
	RET
SYM_FUNC_END(ftrace_stub)

EXPORT_SYMBOL(__fentry__)
/*
 * Called by functions that run before ftrace_init(), and by those that are not
 * discovered yet. These calls go through no accounting thunk, so the accounting is
 * done here. While callers are recorded, the nop is a jump to the recorder; see
 * discover.c.
 */
SYM_FUNC_START(__fentry__)
	ANNOTATE_NOENDBR
#ifdef CONFIG_FTRACE_DISCOVER
SYM_INNER_LABEL(ftrace_record_switch, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.byte	BYTES_NOP5
#endif
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(__fentry__)
_ASM_NOKPROBE(__fentry__)

#ifdef CONFIG_FTRACE_DISCOVER
/* For CPUs that track the depth of calls; others skip the nop. */
SYM_FUNC_START(ftrace_record_depth)
	ANNOTATE_NOENDBR
	CALL_DEPTH_ACCOUNT
SYM_INNER_LABEL(ftrace_record, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	FTRACE_RECORD
SYM_FUNC_END(ftrace_record_depth)
_ASM_NOKPROBE(ftrace_record_depth)
_ASM_NOKPROBE(ftrace_record)
#endif

/* A direct call target that does nothing. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	ANNOTATE_NOENDBR
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(ftrace_stub_direct_tramp)
_ASM_NOKPROBE(ftrace_stub_direct_tramp)

/*
 * Calls all hooks of the site. If a hook has stored the address of a direct call
 * in regs->orig_ax, that is then called as if by the site itself.
 */
SYM_CODE_START(ftrace_mixed_caller)
	UNWIND_HINT_FUNC
	ANNOTATE_NOENDBR
	CALL_DEPTH_ACCOUNT
	FTRACE_ENTER all=1
	xorl	%edx, %edx
	movq	%rsp, %rcx
	call	ftrace_dispatch_mixed

	movq	ORIG_RAX(%rsp), %rax
	testq	%rax, %rax
	jnz	.Ldirect
	FTRACE_LEAVE all=1
	RET

.Ldirect:
	FTRACE_LEAVE all=1 away=1
	/*
	 * Not a jump through a register: that would need a thunk, and ENDBR at
	 * its target. Where call depth is tracked this RET counts: it takes back
	 * what was accounted for the site's call, and the target accounts for
	 * that call once more, as if the site had called it.
	 *
	 * Unwinders skip the target's address, as it is no return address. At the
	 * RET of a function objtool would expect one there; this is SYM_CODE.
	 */
	RET
SYM_CODE_END(ftrace_mixed_caller)
_ASM_NOKPROBE(ftrace_mixed_caller)

/*
 * The templates. They never run but are copied up to _calls, and from _leave to
 * _end; the calls and the last instruction are generated. For an address in a copy,
 * the unwinder looks up the corresponding one here. With @away, the last of the calls has
 * stored the address to go to first in regs->orig_ax.
 */
.macro FTRACE_TEMPLATE name:req all:req away=0
SYM_FUNC_START(\name)
SYM_INNER_LABEL(\name\()_enter, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	FTRACE_ENTER \all
SYM_INNER_LABEL(\name\()_calls, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	nop
SYM_INNER_LABEL(\name\()_leave, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.if \away
	movq	ORIG_RAX(%rsp), %rax
	.endif
	FTRACE_LEAVE \all \away
SYM_INNER_LABEL(\name\()_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	.if \away
	/* In place of the RET: unwinders skip the address that it would go to. */
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=16 type=UNWIND_HINT_TYPE_CALL
	ud2
	.else
	RET
	.endif
SYM_FUNC_END(\name)
STACK_FRAME_NON_STANDARD_FP(\name)
.endm

/* The template of bare trampolines, see <asm/ftrace_bare.h>. */
SYM_FUNC_START(ftrace_template_bare)
SYM_INNER_LABEL(ftrace_template_bare_enter, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	FTRACE_BARE_ENTER
SYM_INNER_LABEL(ftrace_template_bare_calls, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	nop
SYM_INNER_LABEL(ftrace_template_bare_leave, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	FTRACE_BARE_LEAVE
SYM_INNER_LABEL(ftrace_template_bare_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	RET
SYM_FUNC_END(ftrace_template_bare)
STACK_FRAME_NON_STANDARD_FP(ftrace_template_bare)

FTRACE_TEMPLATE ftrace_template_some all=0
FTRACE_TEMPLATE ftrace_template_all all=1
FTRACE_TEMPLATE ftrace_template_away all=1 away=1

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * Traced functions return to here under the graph tracer, which knows the
 * caller's address. The slot that the return has popped is pushed again with
 * the same value: an unwinder that finds it asks the graph tracer for the
 * caller, until C code has stored the caller's address there.
 */
SYM_CODE_START(return_to_handler)
	UNWIND_HINT_UNDEFINED
	ANNOTATE_NOENDBR
	pushq	$return_to_handler
	UNWIND_HINT_FUNC
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	movq	%rsp, %rbp
#define FTRACE_BELOW	8
#else
#define FTRACE_BELOW	0
#endif
	subq	$FTRACE_REGS, %rsp
	movq	%rax, RAX(%rsp)
	movq	%rdx, RDX(%rsp)
#ifdef CONFIG_FRAME_POINTER
	movq	(%rbp), %rdi
	movq	%rdi, RBP(%rsp)
#else
	movq	%rbp, RBP(%rsp)
#endif
	/* The address above the slot, as for the caller: unwinders start from these registers. */
	leaq	(FTRACE_REGS + FTRACE_BELOW + 8)(%rsp), %rdi
	movq	%rdi, RSP(%rsp)
	movq	-8(%rdi), %rdi
	movq	%rdi, RIP(%rsp)
	movq	$0, CS(%rsp)
	movq	%rsp, %rdi
	call	ftrace_return_to_handler

	movq	RDX(%rsp), %rdx
	movq	RAX(%rsp), %rax
	movq	RBP(%rsp), %rbp
	addq	$(FTRACE_REGS + FTRACE_BELOW), %rsp
	/* The function's RET took an entry and came here. */
	FTRACE_REBALANCE
	CALL_DEPTH_ACCOUNT
	RET
SYM_CODE_END(return_to_handler)
_ASM_NOKPROBE(return_to_handler)
#endif
