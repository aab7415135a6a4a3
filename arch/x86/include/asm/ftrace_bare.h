/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks of bare trampolines, which save no registers: the compiler has each callback
 * preserve those that it uses. It has no arguments but what lies on the stack, from its
 * return address upwards:
 *
 *	return address into the trampoline, where the instruction before the call has
 *	the callback's argument
 *	return address into the function, behind the site
 *	the function's return address
 */
#ifndef _ASM_X86_FTRACE_BARE_H
#define _ASM_X86_FTRACE_BARE_H

#include <asm/ibt.h>
#include <asm/inline_clock.h>

/* Called directly, so it needs no ENDBR. */
#define __ftrace_bare		__saves_registers __noendbr

/* The two return addresses, as an array. Macros, which read them each time. */
#define ftrace_bare_stack()	((unsigned long *)__builtin_dwarf_cfa())
#define ftrace_bare_ip()	(ftrace_bare_stack()[0] - MCOUNT_INSN_SIZE)
#define ftrace_bare_parent()	(ftrace_bare_stack()[1])

/* The last eight bytes of the instruction before a call of five bytes */
#define ftrace_bare_arg()	(*(void **)(__builtin_return_address(0) - 5 - 8))

#endif /* _ASM_X86_FTRACE_BARE_H */
