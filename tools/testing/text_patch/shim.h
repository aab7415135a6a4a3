/* SPDX-License-Identifier: GPL-2.0 */
/* What the pure files of the text engine need beyond what all suites do. */
#ifndef _TEXT_PATCH_SHIM_H
#define _TEXT_PATCH_SHIM_H

#include "kernel.h"

#define OPTIMIZER_HIDE_VAR(v)	__asm__ ("" : "=r" (v) : "0" (v))

#define X86_EFLAGS_CF		0x001UL
#define X86_EFLAGS_PF		0x004UL
#define X86_EFLAGS_ZF		0x040UL
#define X86_EFLAGS_SF		0x080UL
#define X86_EFLAGS_OF		0x800UL

struct pt_regs {
	unsigned long ax, ip, sp, flags;
};

struct mm_struct;
struct task_struct;

#endif /* _TEXT_PATCH_SHIM_H */
