/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What combos, plans and commits need of a kernel beyond what sites and sets
 * do: hooks as they are declared, and the parts of an architecture.
 */
#ifndef _FTRACE_HOOKS_SHIM_H
#define _FTRACE_HOOKS_SHIM_H

#define IS_ENABLED(option)	shim_##option
#define CONFIG_FTRACE_DISCOVER	1
#define CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS		1
#define shim_CONFIG_FTRACE_DISCOVER			1
#define shim_CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS	1
#define shim_CONFIG_FUNCTION_GRAPH_TRACER		1
#ifndef SOME_REGS
#define shim_CONFIG_DYNAMIC_FTRACE_WITH_REGS		1
#else
#define shim_CONFIG_DYNAMIC_FTRACE_WITH_REGS		0
#endif
#define MCOUNT_ADDR		0xfe00UL

#include "../sites/shim.h"

typedef struct { int unused; } spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name
#define spin_lock(l)		((void)(l))
#define spin_unlock(l)		((void)(l))
#define pr_warn(...)		((void)0)
#define kstrtouint(s, base, p)	({ unsigned long _v; int _e = kstrtoul(s, base, &_v); *(p) = _v; _e; })

/* Bits */
#define DECLARE_BITMAP(name, bits) \
	unsigned long name[DIV_ROUND_UP(bits, 8 * sizeof(long))]
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

static inline void hlist_del_init(struct hlist_node *n)
{
	if (!n->pprev)
		return;
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->pprev = NULL;
}

#define hlist_entry_safe(p, type, member) \
	({ struct hlist_node *_p = (p); _p ? container_of(_p, type, member) : NULL; })
#define hlist_for_each_entry(p, head, member)					\
	for (p = hlist_entry_safe((head)->first, __typeof__(*p), member); p;	\
	     p = hlist_entry_safe(p->member.next, __typeof__(*p), member))

/* Hooks */
struct module;
struct ftrace_regs;
struct ftrace_ops;
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

enum {
	FTRACE_OPS_FL_ENABLED	= BIT(0),
	FTRACE_OPS_FL_DYNAMIC	= BIT(1),
	FTRACE_OPS_FL_SAVE_REGS	= BIT(2),
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED = BIT(3),
	FTRACE_OPS_FL_DELETED	= BIT(7),
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
	ftrace_func_t		func, saved_func;
	void			*private;
	unsigned long		flags;
	unsigned long		direct_call;
	struct ftrace_filter_slot *slot, own;
	struct ftrace_hook	*hook;
	struct hlist_node	user;
};

struct ftrace_func_entry {
	struct hlist_node	hlist;
	unsigned long		ip, direct;
};

struct ftrace_hash {
	struct hlist_head	entries;
	u32			count;
};

void ftrace_free_filter(struct ftrace_ops *ops);

/* No ops is the kernel's own data. */
extern char shim_data[];
#define _sdata			shim_data
#define _edata			shim_data
#define __bss_start		shim_data
#define __bss_stop		shim_data

#define mutex_is_locked(m)	((m)->held)
#define list_del_rcu		list_del
#define ftrace_is_jmp(addr)	((addr) & 1)
#define ftrace_jmp_set(addr)	((addr) | 1)
#define ftrace_jmp_get(addr)	((addr) & ~1UL)
#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? (int)PTR_ERR(p) : 0)
#endif /* _FTRACE_HOOKS_SHIM_H */
