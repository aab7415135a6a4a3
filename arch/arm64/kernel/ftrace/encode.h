/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generate the code of trampolines.
 *
 * Pure: no input but the arguments and the parts in entry.S, no output but words. A test
 * in user space compiles this as it is and runs the generated code.
 */
#ifndef _ARM64_FTRACE_ENCODE_H
#define _ARM64_FTRACE_ENCODE_H

#include <linux/types.h>

struct ftrace_tramp_spec;

/**
 * struct ftrace_code - code that is being generated
 * @buf: where the code is written, or NULL to count only
 * @ip: address at which @buf will run
 * @nr: number of words of code so far
 * @literals: index of the word for the next literal; literals follow all code
 * @err: 0, or -ERANGE if a call does not reach its target
 */
struct ftrace_code {
	u32		*buf;
	unsigned long	ip;
	unsigned int	nr;
	unsigned int	literals;
	int		err;
};

void ftrace_put_tramp(struct ftrace_code *code, const struct ftrace_tramp_spec *spec,
		      bool (*is_near)(unsigned long func));

#endif /* _ARM64_FTRACE_ENCODE_H */
