/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_TYPES_H
#define _SHIM_TYPES_H

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
#endif

#endif
