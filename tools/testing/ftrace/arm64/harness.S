/* SPDX-License-Identifier: GPL-2.0 */
/* Calls a function with all registers known, and looks at them where that arrives. */

	.bss
	.balign	16
	.global	seen, kept
seen:	.skip	33 * 8		/* x0 to x30, sp, how it arrived */
kept:	.skip	13 * 8

	.text
	.global	_start
_start:
	bl	main
	mov	x8, #93
	svc	#0

/* call_with(function, registers): @registers are x0 to x29 */
	.global	call_with
call_with:
	adrp	x9, kept
	add	x9, x9, :lo12:kept
	stp	x19, x20, [x9]
	stp	x21, x22, [x9, #16]
	stp	x23, x24, [x9, #32]
	stp	x25, x26, [x9, #48]
	stp	x27, x28, [x9, #64]
	stp	x29, x30, [x9, #80]
	mov	x10, sp
	str	x10, [x9, #96]
	mov	x30, x1
	mov	x16, x0
	ldp	x0, x1, [x30]
	ldp	x2, x3, [x30, #16]
	ldp	x4, x5, [x30, #32]
	ldp	x6, x7, [x30, #48]
	ldr	x8, [x30, #64]
	ldp	x18, x19, [x30, #144]
	ldp	x20, x21, [x30, #160]
	ldp	x22, x23, [x30, #176]
	ldp	x24, x25, [x30, #192]
	ldp	x26, x27, [x30, #208]
	ldp	x28, x29, [x30, #224]
	blr	x16
	.global	called_from
called_from:
	b	back

	.global	other_parent
other_parent:
	adrp	x9, went_other
	mov	w10, #1
	str	w10, [x9, :lo12:went_other]
back:
	adrp	x9, kept
	add	x9, x9, :lo12:kept
	ldp	x19, x20, [x9]
	ldp	x21, x22, [x9, #16]
	ldp	x23, x24, [x9, #32]
	ldp	x25, x26, [x9, #48]
	ldp	x27, x28, [x9, #64]
	ldp	x29, x30, [x9, #80]
	ldr	x10, [x9, #96]
	mov	sp, x10
	ret

/* Where calls arrive: after a site, elsewhere, or in a direct call. */
.macro	ARRIVE name how
	.global	\name
\name:
	mov	x17, #\how
	b	arrived
.endm
ARRIVE	body 1
ARRIVE	elsewhere 2
ARRIVE	direct 3
arrived:
	adrp	x16, seen
	add	x16, x16, :lo12:seen
	stp	x0, x1, [x16]
	stp	x2, x3, [x16, #16]
	stp	x4, x5, [x16, #32]
	stp	x6, x7, [x16, #48]
	stp	x8, x9, [x16, #64]
	stp	x18, x19, [x16, #144]
	stp	x20, x21, [x16, #160]
	stp	x22, x23, [x16, #176]
	stp	x24, x25, [x16, #192]
	stp	x26, x27, [x16, #208]
	stp	x28, x29, [x16, #224]
	str	x30, [x16, #240]
	mov	x9, sp
	str	x9, [x16, #248]
	str	x17, [x16, #256]
	cmp	x17, #3
	b.ne	1f
	ldr	x30, [x16, #72]		/* the direct call returns to the function's caller */
1:	ret

/* A callback: calls C code, and then overwrites all registers that it may change. */
.macro	CALLBACK name to
	.global	\name
\name:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	\to
	mov	x1, #0x5c01
	mov	x2, x1
	mov	x3, x1
	mov	x4, x1
	mov	x5, x1
	mov	x6, x1
	mov	x7, x1
	mov	x8, x1
	mov	x9, x1
	mov	x10, x1
	mov	x11, x1
	mov	x12, x1
	mov	x13, x1
	mov	x14, x1
	mov	x15, x1
	mov	x16, x1
	mov	x17, x1
	ldp	x29, x30, [sp], #16
	ret
.endm
CALLBACK hook record
CALLBACK ftrace_dispatch_mixed record
CALLBACK ftrace_return_to_handler record_return
