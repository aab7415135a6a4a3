/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What combos, plans and commits need of a kernel beyond what sites and sets
 * do: hooks as they are declared, and the parts of an architecture.
 */
#ifndef _FTRACE_SHIM_CHANGE_H
#define _FTRACE_SHIM_CHANGE_H

#include "shim.h"

typedef int64_t s64;
typedef int16_t s16;
typedef struct { int unused; } spinlock_t;

#define U16_MAX			UINT16_MAX
#define __init
#define notrace
#define DEFINE_SPINLOCK(name)	spinlock_t name
#define spin_lock(l)		((void)(l))
#define spin_unlock(l)		((void)(l))
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define swap(a, b) do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)
#define pr_warn(...)		((void)0)
#define kstrtouint(s, base, p)	({ unsigned long _v; int _e = kstrtoul(s, base, &_v); *(p) = _v; _e; })

#define kmalloc_array(n, s, gfp) kmalloc((n) * (s), gfp)
#define kcalloc(n, s, gfp)	kzalloc((n) * (s), gfp)
#define rcu_dereference_protected(p, c)	(p)
#define kfree_rcu(p, member)	kfree(p)

/* Bits */
#define DECLARE_BITMAP(name, bits) \
	unsigned long name[DIV_ROUND_UP(bits, 8 * sizeof(long))]
#define __set_bit(n, map)	((map)[(n) / BITS_PER_LONG] |= 1UL << (n) % BITS_PER_LONG)
#define __clear_bit(n, map)	((map)[(n) / BITS_PER_LONG] &= ~(1UL << (n) % BITS_PER_LONG))

static inline unsigned long find_next_zero_bit(const unsigned long *bits, unsigned long size,
					       unsigned long from)
{
	while (from < size && bits[from / BITS_PER_LONG] >> from % BITS_PER_LONG & 1)
		from++;
	return from;
}

/* Hashes */
#define hash_long(v, bits)	((unsigned long)((v) * 0x61C8864680B583EBULL) >> (64 - (bits)) % 64)
#define hash_min(v, bits)	(((v) * 0x61C8864680B583EBULL) >> (64 - (bits)))
#define HASH_BITS(table)	(__builtin_ctzl(ARRAY_SIZE(table)))
#define DEFINE_HASHTABLE(name, bits) struct hlist_head name[1 << (bits)]

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void hlist_del(struct hlist_node *n)
{
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
}

#define hlist_entry_safe(p, type, member) \
	({ struct hlist_node *_p = (p); _p ? container_of(_p, type, member) : NULL; })
#define hlist_for_each_entry(p, head, member)					\
	for (p = hlist_entry_safe((head)->first, __typeof__(*p), member); p;	\
	     p = hlist_entry_safe(p->member.next, __typeof__(*p), member))

/* Lists */
static inline void list_add(struct list_head *l, struct list_head *head)
{
	list_add_tail(l, head->next);
}

#define list_add_rcu		list_add

/* Hooks */
struct module;
struct ftrace_regs;
struct ftrace_ops;
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

enum {
	FTRACE_OPS_FL_DYNAMIC	= BIT(1),
	FTRACE_OPS_FL_KEPT	= BIT(9),
	FTRACE_OPS_FL_IPMODIFY	= BIT(12),
	FTRACE_OPS_FL_DIRECT	= BIT(17),
};

struct ftrace_filter;
struct ftrace_filter_slot {
	struct ftrace_filter	*filter;
	struct hlist_node	listed;
	struct hlist_head	users;
};

struct ftrace_ops {
	ftrace_func_t		func;
	unsigned long		flags;
	struct ftrace_filter_slot *slot, own;
};

void ftrace_graph_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *slots,
		       struct ftrace_regs *fregs);
#undef IS_ENABLED
#define IS_ENABLED(option)	1	/* CONFIG_FUNCTION_GRAPH_TRACER */

#endif /* _FTRACE_SHIM_CHANGE_H */
