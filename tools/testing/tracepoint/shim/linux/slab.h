/* SPDX-License-Identifier: GPL-2.0 */
/* The allocator of the kernel, as far as kernel/tracepoint/funcs.c knows it. */
#ifndef _SHIM_SLAB_H
#define _SHIM_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL 0

/* Allocations until one fails; negative: none does. */
extern long shim_alloc_left;

static inline void *kmalloc(size_t size, int gfp)
{
	if (shim_alloc_left >= 0 && shim_alloc_left-- == 0)
		return NULL;
	return malloc(size);
}

static inline void kfree(void *p)
{
	free(p);
}

#endif
