/* SPDX-License-Identifier: GPL-2.0 */
/* For the code of trampolines, where there is neither a kernel nor a C library. */
#ifndef _FTRACE_ARM64_SHIM_H
#define _FTRACE_ARM64_SHIM_H

#include "types.h"

#define SZ_128M			0x8000000
#define AARCH64_INSN_SIZE	4
#define FAULT_BRK_IMM		0x100

/* struct __arch_ftrace_regs */
#define FREGS_X0		0
#define FREGS_X2		16
#define FREGS_X4		32
#define FREGS_X6		48
#define FREGS_X8		64
#define FREGS_FP		80
#define FREGS_LR		88
#define FREGS_SP		96
#define FREGS_PC		104
#define FREGS_SIZE		112

#ifdef __ASSEMBLER__
#define SYM_INNER_LABEL(name, linkage)	.global name; name:
#define SYM_CODE_START(name)		.balign 4; SYM_INNER_LABEL(name, )
#define SYM_CODE_END(name)
#define SYM_TYPED_FUNC_START(name)	SYM_CODE_START(name)
#define SYM_FUNC_END(name)
.macro	bti targets
	hint	#34
.endm
#else
#define ERANGE			34
#define GENMASK(h, l)		((u32)(((1ULL << ((h) + 1)) - 1) & ~((1ULL << (l)) - 1)))
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
#endif

#endif /* _FTRACE_ARM64_SHIM_H */
