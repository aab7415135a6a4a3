/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Record a call of __fentry__: store the address to which it returns in a record
 * slot, see kernel/trace/ftrace/discover/records.h.
 *
 * This runs in any context, and an NMI may run it between any two of its
 * instructions. A task may be preempted in it and continue on another CPU. So a
 * slot is only written by a locked cmpxchg, and a count by one instruction.
 *
 * Functions do not expect %r11 and the flags to be preserved.
 */

/* Offsets in struct ftrace_recorder. */
#define RECORDER_SLOTS		0
#define RECORDER_STORED		8
#define RECORDER_SKIPPED	16

/*
 * Takes 10 or 12 instructions, with the jump to here and the RET, for an address that
 * is in the first or the second slot of its bucket.
 */
.macro FTRACE_RECORD
	pushq	%rax
	movq	8(%rsp), %rax			/* where the call returns to */
	movl	%eax, %r11d
	andl	ftrace_recorder_mask(%rip), %r11d
	addq	PER_CPU_VAR(ftrace_recorder + RECORDER_SLOTS), %r11
	cmpq	%rax, (%r11)
	je	.Lknown
	cmpq	%rax, 8(%r11)
	jne	.Lstore
.Lknown:
	popq	%rax
	RET

	/*
	 * cmpxchg stores %rcx if the slot is %rax, 0; else %rax gets the slot's
	 * address. That is the same one if an interrupt, or a CPU with the same
	 * table, has stored it since the comparison.
	 */
.Lstore:
	pushq	%rcx
	movq	%rax, %rcx
	xorl	%eax, %eax
	lock cmpxchgq %rcx, (%r11)
	je	.Lstored
	cmpq	%rcx, %rax
	je	.Lleave
	xorl	%eax, %eax
	lock cmpxchgq %rcx, 8(%r11)
	je	.Lstored
	cmpq	%rcx, %rax
	je	.Lleave
	incq	PER_CPU_VAR(ftrace_recorder + RECORDER_SKIPPED)
.Lleave:
	popq	%rcx
	popq	%rax
	RET

.Lstored:
	incq	PER_CPU_VAR(ftrace_recorder + RECORDER_STORED)
	popq	%rcx
	popq	%rax
	RET
.endm
