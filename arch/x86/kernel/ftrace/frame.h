/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lies on the stack while a trampoline calls its hooks.
 *
 * A trampoline is called from the first instruction of a function. Upwards from
 * the stack pointer:
 *
 *	struct pt_regs		what the hooks get
 *	FTRACE_AT_IP		where the site is
 *	FTRACE_AT_PARENT	the function's return address as it was: a hook may
 *				put another one into its slot
 *	links			of the frame pointer chain, if there is one
 *	FTRACE_AT_RET		return address into the function
 *	FTRACE_AT_CALLER	the function's return address
 *
 * regs->ip is the return address into the function, regs->sp the address of
 * FTRACE_AT_CALLER. Registers that hooks need not preserve and functions do not
 * expect to be preserved are left out, %r11 and the flags among them, unless
 * all are asked for; regs->cs is 0 then. regs->orig_ax is 0.
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

/* See is_last_ftrace_frame(), which knows the frame links. */
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

/* A call site: call or nop of so many bytes. */
#define FTRACE_SITE_SIZE	5

#endif /* _X86_FTRACE_FRAME_H */
