/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's integers, attributes and accesses. Needs no C library. */
#ifndef _SHIM_TYPES_H
#define _SHIM_TYPES_H

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;

/* The C library's headers take them from <linux/types.h>, for which this stands. */
typedef int __s32;
typedef unsigned int __u32;
typedef unsigned long long __u64;

#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX
#define S32_MAX			INT32_MAX
#define S32_MIN			INT32_MIN

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __aligned(x)		__attribute__((aligned(x)))
#define __maybe_unused		__attribute__((unused))
#define __packed		__attribute__((packed))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define __pure			__attribute__((pure))
#define fallthrough		__attribute__((fallthrough))
#define static_assert(c)	_Static_assert(c, #c)
#define __init
#define __rcu
#define noinstr
#define notrace
#define noinline		__attribute__((__noinline__))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define smp_load_acquire(p)	READ_ONCE(*(p))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

#endif /* __ASSEMBLER__ */

#endif /* _SHIM_TYPES_H */
