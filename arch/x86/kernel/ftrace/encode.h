/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generated part of a trampoline: its calls, and its last instruction.
 *
 * Pure: bytes in, bytes out. The user-space tests compile it as it is, and run
 * what it makes.
 */
#ifndef _X86_FTRACE_ENCODE_H
#define _X86_FTRACE_ENCODE_H

#include <linux/types.h>

/**
 * struct ftrace_code - code that is being written
 * @at:		where its next byte goes; NULL: only count
 * @end:	one past the last byte of room
 * @ip:		where the byte at @at will run
 * @err:	0; -ENOSPC no more room; -ERANGE something is too far away.
 *		Nothing is written once it is set.
 */
struct ftrace_code {
	u8 *at;
	u8 *end;
	unsigned long ip;
	int err;
};

/* The last instruction: a jump, or a return and traps. */
#define FTRACE_TAIL_SIZE	5

void ftrace_put(struct ftrace_code *code, const void *bytes, size_t len);
void ftrace_put_keep(struct ftrace_code *code);
void ftrace_put_args(struct ftrace_code *code, bool first, unsigned long arg);
void ftrace_put_call(struct ftrace_code *code, unsigned long func);
void ftrace_put_jump(struct ftrace_code *code, unsigned long to);
void ftrace_put_return(struct ftrace_code *code);

#endif /* _X86_FTRACE_ENCODE_H */
