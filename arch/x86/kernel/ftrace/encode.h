/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generate the calls of a trampoline, and its last instruction.
 *
 * Pure: no input but the arguments, no output but bytes. The user-space tests
 * compile this file as it is and run the generated code.
 */
#ifndef _X86_FTRACE_ENCODE_H
#define _X86_FTRACE_ENCODE_H

#include <linux/types.h>

/**
 * struct ftrace_code - code that is being generated
 * @at:		where to write the next byte; NULL to count only
 * @end:	one past the last byte of the buffer
 * @ip:		address at which the byte at @at will run
 * @err:	0, -ENOSPC if the buffer is full, -ERANGE if a target is too far
 *		away. Nothing is written once it is set.
 */
struct ftrace_code {
	u8 *at;
	u8 *end;
	unsigned long ip;
	int err;
};

/* Size of the last instruction: a jump, or a return padded with traps. */
#define FTRACE_TAIL_SIZE	5

/* Maximum size of the code that accounts for a call, with debug counters. */
#define FTRACE_ACCOUNT_MAX	64

/**
 * struct ftrace_tramp_cpu - how a CPU's mitigations change calls and returns
 * @account:	write to @insn the code that accounts for a call, to run at @ip, if
 *		call depth is tracked; returns its size, at most FTRACE_ACCOUNT_MAX
 * @return_thunk: returns the thunk that code at @ip must return through, 0 for a RET
 */
struct ftrace_tramp_cpu {
	unsigned int (*account)(u8 *insn, unsigned long ip);
	unsigned long (*return_thunk)(unsigned long ip);
};

struct ftrace_tramp_spec;

void ftrace_put_tramp(struct ftrace_code *code, const struct ftrace_tramp_spec *spec,
		      const struct ftrace_tramp_cpu *cpu);
void ftrace_put(struct ftrace_code *code, const void *bytes, size_t len);
void ftrace_put_keep(struct ftrace_code *code);
void ftrace_put_args(struct ftrace_code *code, bool first, unsigned long arg);
void ftrace_put_call(struct ftrace_code *code, unsigned long func);
void ftrace_put_bare_arg(struct ftrace_code *code, unsigned long arg);
void ftrace_put_return(struct ftrace_code *code, unsigned long thunk);

#endif /* _X86_FTRACE_ENCODE_H */
