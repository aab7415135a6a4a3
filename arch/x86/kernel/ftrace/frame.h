/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack while a trampoline calls its hooks.
 *
 * A function's first instruction calls the trampoline. From the stack pointer
 * upwards:
 *
 *	struct pt_regs		registers for the hooks
 *	FTRACE_AT_IP		address of the site
 *	FTRACE_AT_PARENT	the function's return address before any hook: a hook
 *				may put another one into FTRACE_AT_CALLER
 *	links			frame pointer chain, with CONFIG_FRAME_POINTER
 *	FTRACE_AT_RET		return address into the function
 *	FTRACE_AT_CALLER	the function's return address
 *
 * regs->ip is the return address into the function, regs->sp the address of
 * FTRACE_AT_CALLER, regs->orig_ax is 0. If not all registers are asked for, on
 * 64 bit, regs->cs is 0 and pt_regs lacks ->ss, ->orig_ax, %rbx and %r12 to %r15,
 * which hooks preserve, and %r11 and the flags, which functions do not expect to be
 * preserved.
 */
#ifndef _X86_FTRACE_FRAME_H
#define _X86_FTRACE_FRAME_H

#ifdef CONFIG_X86_64
#define FTRACE_WORD	8
#define FTRACE_REGS	168
#else
#define FTRACE_WORD	4
#define FTRACE_REGS	68
#endif

/* is_last_ftrace_frame() knows the layout of the links. */
#ifdef CONFIG_FRAME_POINTER
#define FTRACE_LINKS	(5 * FTRACE_WORD)
#else
#define FTRACE_LINKS	0
#endif

#define FTRACE_ROOM		(FTRACE_REGS + 2 * FTRACE_WORD)
#define FTRACE_AT_IP		(FTRACE_REGS)
#define FTRACE_AT_PARENT	(FTRACE_REGS + FTRACE_WORD)
#define FTRACE_AT_RET		(FTRACE_ROOM + FTRACE_LINKS)
#define FTRACE_AT_CALLER	(FTRACE_AT_RET + FTRACE_WORD)

/* Size of a call site, a call or a nop, in bytes. */
#define FTRACE_SITE_SIZE	5

#endif /* _X86_FTRACE_FRAME_H */
