/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_OVERFLOW_H
#define _SHIM_OVERFLOW_H

#include <stddef.h>
#include <stdint.h>

static inline size_t size_mul(size_t a, size_t b)
{
	size_t product;

	return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static inline size_t shim_struct_size(size_t head, size_t each, size_t nr)
{
	size_t body = size_mul(each, nr), sum;

	return __builtin_add_overflow(head, body, &sum) ? SIZE_MAX : sum;
}

#define struct_size(p, member, nr) \
	shim_struct_size(sizeof(*(p)), sizeof(*(p)->member), nr)

#endif
