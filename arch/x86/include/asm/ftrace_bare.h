/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks of bare trampolines, which make no ftrace_regs, and save only what a C
 * function may change and a traced one may be given in a register: its arguments, and
 * %rax, which counts some of them. A callback has one argument, and finds on the stack,
 * from its return address upwards:
 *
 *	return address into the trampoline
 *	FTRACE_BARE_SAVED registers
 *	return address into the function, after the site
 *	the function's return address
 */
#ifndef _ASM_X86_FTRACE_BARE_H
#define _ASM_X86_FTRACE_BARE_H

#include <asm/ibt.h>

#define FTRACE_BARE_SAVED	7

/* Called directly, so it needs no ENDBR. */
#define __ftrace_bare		__noendbr

/* The two return addresses, as an array. These are macros: each use reads the stack. */
#define ftrace_bare_stack()	((unsigned long *)__builtin_dwarf_cfa() + FTRACE_BARE_SAVED)
#define ftrace_bare_ip()	(ftrace_bare_stack()[0] - MCOUNT_INSN_SIZE)
#define ftrace_bare_parent()	READ_ONCE(ftrace_bare_stack()[1])

#endif /* _ASM_X86_FTRACE_BARE_H */
