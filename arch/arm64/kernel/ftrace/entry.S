/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry points of traced functions: the mixed trampoline, which serves any set of
 * hooks; the parts that all other trampolines are made of; and return_to_handler,
 * which functions return to under the graph tracer. entry.h draws the stack.
 *
 * Unwinders need to know no address here: all code keeps the chain of frame records
 * intact while it calls other code.
 */
#include <linux/cfi_types.h>

#include <asm/assembler.h>

#include "entry.h"

/* A kprobe here would recurse: the functions that handle breakpoints are traced. */
	.section ".kprobes.text", "ax"

/* Save x0 to x7 by STP, or restore them by LDP. */
.macro FTRACE_ARGS op:req
	\op	x0, x1, [sp, #FREGS_X0]
	\op	x2, x3, [sp, #FREGS_X2]
	\op	x4, x5, [sp, #FREGS_X4]
	\op	x6, x7, [sp, #FREGS_X6]
.endm

/* Make the frame. Then x0 is the site, x1 the function's return address, x3 the registers. */
.macro FTRACE_ENTER
	mov	x10, sp
	sub	sp, sp, #FTRACE_ROOM
	FTRACE_ARGS stp
	stp	x8, xzr, [sp, #FREGS_X8]	/* no direct call yet */
	stp	x29, x9, [sp, #FREGS_FP]
	stp	x10, x30, [sp, #FREGS_SP]
	stp	x29, x9, [sp, #FTRACE_AT_FUNC]
	add	x29, sp, #FTRACE_AT_FUNC
	stp	x29, x30, [sp, #FTRACE_AT_OWN]
	add	x29, sp, #FTRACE_AT_OWN
	sub	x0, x30, #AARCH64_INSN_SIZE
	mov	x1, x9
	mov	x3, sp
.endm

/* Remove the frame and go to regs->pc: by default in the function, after the site. */
.macro FTRACE_LEAVE
	FTRACE_ARGS ldp
	ldr	x8, [sp, #FREGS_X8]
	ldp	x29, x30, [sp, #FREGS_FP]
	ldr	x9, [sp, #FREGS_PC]
	add	sp, sp, #FTRACE_ROOM
	/*
	 * A RET and not a BR: it takes the entry of the site's BL from the CPU's return
	 * stack, and its target needs no BTI.
	 */
	ret	x9
.endm

/*
 * Remove the frame and go to the direct call first, as if the site had called it. The
 * branch is through x17, so a BTI C is enough at the target.
 */
.macro FTRACE_LEAVE_AWAY
	FTRACE_ARGS ldp
	ldp	x8, x17, [sp, #FREGS_X8]
	ldp	x29, x9, [sp, #FREGS_FP]
	ldr	x30, [sp, #FREGS_PC]
	add	sp, sp, #FTRACE_ROOM
	br	x17
.endm

SYM_TYPED_FUNC_START(ftrace_stub)
	ret
SYM_FUNC_END(ftrace_stub)

/* A direct call target that does nothing. */
SYM_CODE_START(ftrace_stub_direct_tramp)
	bti	c
	mov	x16, x30	/* the function */
	mov	x30, x9		/* its caller */
	ret	x16
SYM_CODE_END(ftrace_stub_direct_tramp)

/*
 * Calls all hooks of the site. Sites of modules that are out of reach of a BL come here
 * through the module's PLT, by BR x16.
 */
SYM_CODE_START(ftrace_mixed_caller)
	bti	c
	FTRACE_ENTER
	mov	x2, xzr
	bl	ftrace_dispatch_mixed
	ldr	x17, [sp, #FREGS_X8 + 8]
	cbnz	x17, .Ldirect
	FTRACE_LEAVE
.Ldirect:
	FTRACE_LEAVE_AWAY
SYM_CODE_END(ftrace_mixed_caller)

/*
 * The parts. A trampoline is entered by a BL of the site, so it needs no BTI; its first
 * instruction is a nop, which arch_ftrace_site_retarget() may replace by a jump.
 */
.macro FTRACE_PART name:req code:req
SYM_CODE_START(ftrace_part_\name)
	\code
SYM_INNER_LABEL(ftrace_part_\name\()_end, SYM_L_GLOBAL)
	brk	#FAULT_BRK_IMM
SYM_CODE_END(ftrace_part_\name)
.endm

.macro FTRACE_NOP_ENTER
	nop
	FTRACE_ENTER
.endm

/* Load the arguments again for another call: a hook may have changed the registers. */
.macro FTRACE_AGAIN
	ldr	x0, [sp, #FTRACE_AT_OWN + 8]
	ldr	x1, [sp, #FTRACE_AT_FUNC + 8]
	sub	x0, x0, #AARCH64_INSN_SIZE
	mov	x3, sp
.endm

FTRACE_PART enter FTRACE_NOP_ENTER
FTRACE_PART again FTRACE_AGAIN
FTRACE_PART leave FTRACE_LEAVE
FTRACE_PART away FTRACE_LEAVE_AWAY

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * Traced functions return to here under the graph tracer, which knows the caller's
 * address. The saved frame pointer and link register are a frame record. It has the
 * address of this code, as the record of the returned function had, until C code stores
 * the caller's. An unwinder that finds this code's address asks the graph tracer, which
 * must still have the caller's then.
 */
SYM_CODE_START(return_to_handler)
	adr	x9, return_to_handler
	mov	x10, sp
	sub	sp, sp, #FREGS_SIZE
	FTRACE_ARGS stp
	stp	x8, xzr, [sp, #FREGS_X8]
	stp	x29, x9, [sp, #FREGS_FP]
	stp	x10, x9, [sp, #FREGS_SP]
	add	x29, sp, #FREGS_FP
	mov	x0, sp
	bl	ftrace_return_to_handler

	FTRACE_ARGS ldp
	ldp	x29, x30, [sp, #FREGS_FP]
	add	sp, sp, #FREGS_SIZE
	ret
SYM_CODE_END(return_to_handler)
#endif
