/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_TYPES_H
#define _SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t u32;
typedef uint64_t u64;

#define __rcu
#define __aligned(x) __attribute__((aligned(x)))
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))

#endif
