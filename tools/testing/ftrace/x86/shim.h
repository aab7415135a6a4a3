/* SPDX-License-Identifier: GPL-2.0 */
/* For the code of trampolines, also where there is no C library. */
#ifndef _FTRACE_X86_SHIM_H
#define _FTRACE_X86_SHIM_H

#include "types.h"

#ifndef __ASSEMBLER__
#if __STDC_HOSTED__
#include <string.h>
#else
/* A freestanding test defines these itself. */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
#endif
#endif

#endif /* _FTRACE_X86_SHIM_H */
