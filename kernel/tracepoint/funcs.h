/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of probes: operations on them, and the memory that holds them.
 *
 * Uses neither locks nor tracepoints; tools/testing/tracepoint compiles it in
 * user space.
 */
#ifndef _KERNEL_TRACEPOINT_FUNCS_H
#define _KERNEL_TRACEPOINT_FUNCS_H

#include <linux/rcupdate.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>

/**
 * struct tp_block - memory of one or two arrays of probes
 * @rcu:	frees the block, and all that follow by @next, after a grace period
 * @next:	another block to free with this one, replaced in the same step
 * @idle:	grace period after which no CPU reads the unpublished half
 * @room:	number of probes that fit into one half, without the end marker
 * @half:	the arrays
 *
 * Removing a probe needs memory for the smaller array, but must not fail. So a
 * block with room for more than one probe has a second half of the same size,
 * which is used only if an allocation fails. (Removing the only probe needs no
 * array.)
 *
 * The @data of an array's end marker points to its block.
 */
struct tp_block {
	struct rcu_head rcu;
	struct tp_block *next;
	unsigned long idle;
	unsigned int room;
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
