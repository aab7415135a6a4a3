/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that the torture of hooks calls. The answer of each depends on
 * its number and on all its arguments.
 */
#ifndef _FTRACE_HOOK_TARGETS_H
#define _FTRACE_HOOK_TARGETS_H

#define HOOK_TARGETS	48

struct hook_call;

typedef unsigned long (*hook_target_fn)(struct hook_call *call, unsigned long a,
					unsigned long b, unsigned long c,
					unsigned long d, unsigned long e);

struct hook_target {
	hook_target_fn	fn;
	const char	*name;
};

extern const struct hook_target hook_targets[HOOK_TARGETS];

/* What target @nr answers. */
static inline unsigned long hook_target_answer(unsigned int nr, struct hook_call *call,
					       unsigned long a, unsigned long b,
					       unsigned long c, unsigned long d,
					       unsigned long e)
{
	return nr + (unsigned long)call + a + 3 * b + 5 * c + 7 * d + 11 * e;
}

#endif /* _FTRACE_HOOK_TARGETS_H */
