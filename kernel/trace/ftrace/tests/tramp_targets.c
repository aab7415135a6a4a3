// SPDX-License-Identifier: GPL-2.0
/* Functions with call sites, for the tests of trampolines: compiled as the kernel is. */
#include <linux/compiler.h>

#include "tramp_targets.h"

noinline long tramp_target(long a, long b)
{
	barrier();
	return a - b;
}

/* Not a tail call, so that this function is on the stack. */
noinline long tramp_target_caller(long a, long b)
{
	const long r = tramp_target(a, b);

	barrier();
	return r;
}
