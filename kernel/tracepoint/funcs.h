/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of probes: what may be made of one, and where it lies.
 *
 * Pure: no locks, no tracepoints. tools/testing/tracepoint compiles it in user
 * space as it is.
 */
#ifndef _KERNEL_TRACEPOINT_FUNCS_H
#define _KERNEL_TRACEPOINT_FUNCS_H

#include <linux/rcupdate.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

/**
 * struct tp_block - memory of an array of probes, or of two
 * @rcu:	to free it when nobody reads any more
 * @idle:	grace period after which nobody reads the half that was left
 * @room:	probes that fit into one half, the end marker not counted
 * @halves:	1 or 2
 * @half:	the arrays
 *
 * Taking a probe away needs memory for the smaller array, and must not fail
 * for want of it. So a block with more than one probe has a second half of
 * the same size, which stands empty until the day the allocator says no.
 * (With one probe there is nothing left to be stored when it goes.)
 *
 * The end marker of an array points to its block with @data.
 */
struct tp_block {
	struct rcu_head rcu;
	unsigned long idle;
	unsigned int room;
	unsigned int halves;
	struct tracepoint_func half[];
};

bool tp_funcs_has(const struct tracepoint_func *funcs, const void *func,
		  const void *data);
unsigned int tp_funcs_count(const struct tracepoint_func *funcs);
bool tp_funcs_same_first(const struct tracepoint_func *a,
			 const struct tracepoint_func *b);
struct tp_block *tp_funcs_block(const struct tracepoint_func *funcs);
struct tracepoint_func *tp_funcs_other_half(const struct tracepoint_func *funcs);
struct tracepoint_func *tp_funcs_add(const struct tracepoint_func *old,
				     const struct tracepoint_func *probe);
struct tracepoint_func *tp_funcs_alloc_less(const struct tracepoint_func *old);
void tp_funcs_copy_without(struct tracepoint_func *to,
			   const struct tracepoint_func *from,
			   const void *func, const void *data);

#endif /* _KERNEL_TRACEPOINT_FUNCS_H */
