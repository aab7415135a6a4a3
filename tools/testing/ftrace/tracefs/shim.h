/* SPDX-License-Identifier: GPL-2.0 */
/* What words that wait need of a kernel beyond what sites and names do. */
#ifndef _FTRACE_TRACEFS_SHIM_H
#define _FTRACE_TRACEFS_SHIM_H

#include "../sites/shim.h"

#define __init
#define ____cacheline_aligned
#define pr_warn(...)		shim_warn(__VA_ARGS__)
void shim_warn(const char *fmt, ...) __printf(1, 2);

#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? PTR_ERR(p) : 0)
#define ERR_CAST(p)		((void *)(p))

/* Bits */
#define round_up(n, to)		(((n) + (to) - 1) / (to) * (to))
#define bitmap_copy(to, from, n) memcpy(to, from, BITS_TO_LONGS(n) * sizeof(long))
#define test_bit(nr, map)	(!!((map)[(nr) / BITS_PER_LONG] & BIT((nr) % BITS_PER_LONG)))
#define __set_bit(nr, map)	((map)[(nr) / BITS_PER_LONG] |= BIT((nr) % BITS_PER_LONG))
#define __clear_bit(nr, map)	((map)[(nr) / BITS_PER_LONG] &= ~BIT((nr) % BITS_PER_LONG))
#define for_each_set_bit(nr, map, size)					\
	for ((nr) = find_next_bit(map, size, 0); (nr) < (size);		\
	     (nr) = find_next_bit(map, size, (nr) + 1))

static inline void bitmap_clear(unsigned long *map, unsigned int first, unsigned int nr)
{
	while (nr--)
		__clear_bit(first + nr, map);
}

/* Lists */
#define list_for_each_entry_reverse(p, head, member)			\
	for (p = list_entry((head)->prev, __typeof__(*p), member);	\
	     &p->member != (head); p = list_prev_entry(p, member))

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	while (!list_empty(list)) {
		struct list_head *last = list->prev;

		list_del(last);
		list_add(last, head);
	}
}

/* In place of hooks/slot.h: a slot is a filter. */
#define _FTRACE_SLOT_H

struct ftrace_filter;

struct ftrace_filter_slot {
	struct ftrace_filter *filter;
};

struct ftrace_filter *ftrace_slot_filter(struct ftrace_filter_slot *slot);
int ftrace_slot_set_locked(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);
void ftrace_slot_foresee(struct ftrace_filter_slot *slot, struct ftrace_filter *filter);

#endif /* _FTRACE_TRACEFS_SHIM_H */
