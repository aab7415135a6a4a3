/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of a module: each is a file in /sys/module/MODULE/parameters. Reading it
 * runs the case, and says "ok" or what was wrong.
 *
 * Symbols that are not exported are looked up by name: the parameter "lookup" is
 * the address of kallsyms_lookup_name().
 */
#ifndef _FTRACE_DEFECTS_CASES_H
#define _FTRACE_DEFECTS_CASES_H

#include <linux/compiler.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/types.h>

extern unsigned long (*lookup)(const char *name);

/* Evaluates to the kernel function @name, as a pointer of @type. */
#define kernel_function(type, name) ((type)lookup(name))

/* Runs the function in ->arg, which returns NULL or what was wrong. */
extern const struct kernel_param_ops case_ops;

#define CASE(name)	module_param_cb(name, &case_ops, name, 0400)

/* A function to hook. */
#define TARGET(name)					\
static noinline void name(void)				\
{							\
	/* Not to be optimised away. */			\
	barrier();					\
}

static inline unsigned long site_of(void *func)
{
	return kernel_function(unsigned long (*)(unsigned long), "ftrace_location")
		((unsigned long)func);
}

/* A nop of five bytes, or the first five bytes of a nop of nine. */
static inline bool is_nop(unsigned long ip)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const u8 entry_nop[] = { 0x66, 0x0f, 0x1f, 0x84, 0x90 };

	return !memcmp((void *)ip, nop, sizeof(nop)) ||
	       !memcmp((void *)ip, entry_nop, sizeof(entry_nop));
}

#endif /* _FTRACE_DEFECTS_CASES_H */
