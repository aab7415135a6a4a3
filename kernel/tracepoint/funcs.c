// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of probes.
 *
 * An array is allocated, filled and published. From then on any CPU may read it
 * at any time, until a grace period after another array has replaced it; it
 * never changes. See struct tp_block for removing a probe without memory.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "funcs.h"

static bool tp_func_is(const struct tracepoint_func *p, const void *func,
		       const void *data)
{
	return p->func == func && p->data == data;
}

/* Find (@func, @data) in an array. Return: The probe, or the end marker. */
static const struct tracepoint_func *
tp_funcs_find(const struct tracepoint_func *p, const void *func,
	      const void *data)
{
	while (p->func && !tp_func_is(p, func, data))
		p++;
	return p;
}

/**
 * tp_funcs_has() - test whether an array has a probe
 * @funcs: array or NULL
 * @func:  function
 * @data:  its first argument
 *
 * Context: Any context. The caller keeps the array from being freed.
 * Return: True if the array has it.
 */
bool tp_funcs_has(const struct tracepoint_func *funcs, const void *func,
		  const void *data)
{
	return funcs && tp_funcs_find(funcs, func, data)->func;
}

/* Number of probes in an array, 0 for NULL. */
unsigned int tp_funcs_count(const struct tracepoint_func *funcs)
{
	unsigned int nr = 0;

	while (funcs && funcs[nr].func)
		nr++;
	return nr;
}

/**
 * tp_funcs_same_first() - test whether two arrays begin with the same probe
 * @a: array or NULL
 * @b: array or NULL
 *
 * Context: Any context. The caller keeps the arrays from being freed.
 * Return: True if both have probes and the first ones have the same function
 *	   and data.
 */
bool tp_funcs_same_first(const struct tracepoint_func *a,
			 const struct tracepoint_func *b)
{
	return a && b && tp_func_is(a, b->func, b->data);
}

/* The block that holds an array. */
struct tp_block *tp_funcs_block(const struct tracepoint_func *funcs)
{
	return funcs[tp_funcs_count(funcs)].data;
}

static void tp_funcs_end(struct tracepoint_func *end, struct tp_block *block)
{
	*end = (struct tracepoint_func){ .data = block };
}

/* Allocate an empty array for @room probes. Return: The array, NULL without memory. */
static struct tracepoint_func *tp_funcs_alloc(unsigned int room)
{
	const size_t halves = room > 1 ? 2 : 1;
	struct tp_block *block;

	block = kmalloc(struct_size(block, half, halves * (room + 1)), GFP_KERNEL);
	if (!block)
		return NULL;
	block->idle = 0;
	block->room = room;
	tp_funcs_end(block->half, block);
	return block->half;
}

/**
 * tp_funcs_other_half() - get room for a smaller array without allocating
 * @funcs: array of two probes or more
 *
 * Context: Any context. The caller ensures that no CPU reads the other half any
 *	    more: see @idle of struct tp_block.
 * Return: An empty array in the other half of the block.
 */
struct tracepoint_func *tp_funcs_other_half(const struct tracepoint_func *funcs)
{
	struct tp_block *block = tp_funcs_block(funcs);
	struct tracepoint_func *other = block->half;

	if (funcs == other)
		other += block->room + 1;
	tp_funcs_end(other, block);
	return other;
}

/**
 * tp_funcs_add() - make an array with one more probe
 * @old:   array or NULL
 * @probe: the probe, which is not in @old
 *
 * The probe is placed after those of equal priority and before all lower ones.
 *
 * Context: Process context. May sleep.
 * Return: A new array, NULL if there is no memory.
 */
struct tracepoint_func *tp_funcs_add(const struct tracepoint_func *old,
				     const struct tracepoint_func *probe)
{
	struct tracepoint_func *new, *to;

	new = tp_funcs_alloc(tp_funcs_count(old) + 1);
	if (!new)
		return NULL;

	to = new;
	while (old && old->func && old->prio >= probe->prio)
		*to++ = *old++;
	*to++ = *probe;
	while (old && old->func)
		*to++ = *old++;
	tp_funcs_end(to, container_of(new, struct tp_block, half[0]));
	return new;
}

/**
 * tp_funcs_alloc_less() - allocate room for all probes of an array but one
 * @old: array of two probes or more
 *
 * Context: Process context. May sleep.
 * Return: An empty array, NULL if there is no memory.
 */
struct tracepoint_func *tp_funcs_alloc_less(const struct tracepoint_func *old)
{
	return tp_funcs_alloc(tp_funcs_count(old) - 1);
}

/**
 * tp_funcs_copy_without() - copy all probes but one
 * @to:   array with room for them; may be @from if @from is unpublished
 * @from: array that has the probe
 * @func: function of the probe to leave out
 * @data: its first argument
 *
 * Context: Any context.
 */
void tp_funcs_copy_without(struct tracepoint_func *to,
			   const struct tracepoint_func *from,
			   const void *func, const void *data)
{
	struct tp_block *block = tp_funcs_block(to);

	for (; from->func; from++) {
		if (!tp_func_is(from, func, data))
			*to++ = *from;
	}
	tp_funcs_end(to, block);
}
