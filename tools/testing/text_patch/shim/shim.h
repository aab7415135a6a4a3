/* SPDX-License-Identifier: GPL-2.0 */
/* As much kernel as the pure files of the text engine need in user space. */
#ifndef _TEXT_PATCH_SHIM_H
#define _TEXT_PATCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int8_t s8;
typedef int32_t s32;

#define __packed		__attribute__((packed))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(v)	__asm__ ("" : "=r" (v) : "0" (v))
#define BUG_ON(c)		do { if (c) abort(); } while (0)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))

#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))

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
struct list_head {
	struct list_head *next, *prev;
};

static inline void sort(void *base, size_t nr, size_t size,
			int (*cmp)(const void *, const void *), void *swap)
{
	(void)swap;
	qsort(base, nr, size, cmp);
}

#endif
