// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, for the torture of hooks: hook_target_00() to
 * hook_target_47(), compiled as the kernel is. They differ, or the compiler
 * could merge them.
 */
#include <linux/compiler.h>
#include <linux/stringify.h>

#include "hook_targets.h"

#define TARGET(tens, ones)							\
static noinline unsigned long							\
hook_target_##tens##ones(struct hook_call *call, unsigned long a,		\
			 unsigned long b, unsigned long c,			\
			 unsigned long d, unsigned long e)			\
{										\
	barrier();								\
	return hook_target_answer((tens) * 10 + (ones), call, a, b, c, d, e);	\
}

#define EIGHT(what, tens)							\
	what(tens, 0) what(tens, 1) what(tens, 2) what(tens, 3)			\
	what(tens, 4) what(tens, 5) what(tens, 6) what(tens, 7)

#define ALL(what)								\
	EIGHT(what, 0) what(0, 8) what(0, 9)					\
	EIGHT(what, 1) what(1, 8) what(1, 9)					\
	EIGHT(what, 2) what(2, 8) what(2, 9)					\
	EIGHT(what, 3) what(3, 8) what(3, 9)					\
	EIGHT(what, 4)

ALL(TARGET)

#define ENTRY(tens, ones)							\
	[(tens) * 10 + (ones)] = {							\
		.fn	= hook_target_##tens##ones,				\
		.name	= "hook_target_" __stringify(tens##ones),		\
	},

const struct hook_target hook_targets[HOOK_TARGETS] = {
	ALL(ENTRY)
};

/*
 * In a section that recordmcount does not know. The call becomes a nop, and the loader
 * of modules has to accept the relocation that is left of it.
 */
static void __used __section(".odd.text") odd_section(void)
{
	barrier();
}
