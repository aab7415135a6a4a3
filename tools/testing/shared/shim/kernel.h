/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much kernel as several suites in user space need, with one thread. Memory
 * comes from malloc(), so that the sanitisers see it, and any one allocation can
 * be made to fail. What is freed by RCU stays until rcu_barrier(), as for a
 * reader. Locks only check their use: an error ends the program.
 *
 * Each suite has a shim.h with what only that suite needs. It includes this file
 * and may before that define what is in #ifndef here.
 */
#ifndef _SHIM_KERNEL_H
#define _SHIM_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include "types.h"

#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define BIT(n)			(1UL << (n))
#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))

#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)

#ifndef IS_ENABLED
#define IS_ENABLED(option)	0
#endif

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define min3(a, b, c)		min(min(a, b), c)
#define swap(a, b) do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)

#define BUG_ON(c)		do { if (c) abort(); } while (0)
#ifndef WARN_ON_ONCE
#define WARN_ON_ONCE(c) ({						\
	const bool _c = (c);						\
	if (_c) {							\
		fprintf(stderr, "WARN %s:%d: %s\n", __FILE__, __LINE__, #c); \
		abort();						\
	}								\
	_c; })
#endif

static inline void sort(void *base, size_t nr, size_t size,
			int (*cmp)(const void *, const void *), void *swap)
{
	(void)swap;
	qsort(base, nr, size, cmp);
}

/* Errors in pointers */
#define MAX_ERRNO		4095
#define ERR_PTR(e)		((void *)(long)(e))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)
#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))
#define ERR_CAST(p)		((void *)(p))

/* Sizes: an overflow gives SIZE_MAX, which no allocation can satisfy. */
static inline size_t size_mul(size_t a, size_t b)
{
	size_t product;

	return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static inline size_t size_add(size_t a, size_t b)
{
	size_t sum;

	return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

#define struct_size(p, member, n) \
	size_add(sizeof(*(p)), size_mul(sizeof(*(p)->member), n))
#define struct_size_t(type, member, n)	struct_size((type *)NULL, member, n)
#define DECLARE_FLEX_ARRAY(type, name) struct { struct { } pad_##name; type name[]; }

/* Memory */
typedef unsigned int gfp_t;

#define GFP_KERNEL		1U
#define __GFP_ZERO		2U
#define __GFP_NOFAIL		4U
#define __GFP_NORETRY		8U
#define __GFP_NOWARN		16U

extern long shim_fail_in;	/* this allocation fails, counted from 1; 0: none */
extern bool shim_failed;
void *shim_alloc(size_t size, gfp_t gfp, bool zero);
/* Memory of alloc_pages_exact() and vmalloc(), which kfree() cannot free. */
void *shim_pages(size_t size, gfp_t gfp, bool vmalloc);
void shim_free_pages(void *p, size_t size, bool vmalloc);
bool shim_is_vmalloc(const void *p);

/* __GFP_NOFAIL is allowed for at most two pages. */
#define shim_kmalloc(n, gfp, zero) \
	({ BUG_ON((gfp) & __GFP_NOFAIL && (n) > 2 * PAGE_SIZE); shim_alloc(n, gfp, zero); })
#define kmalloc(n, gfp)			shim_kmalloc(n, gfp, false)
#define kzalloc(n, gfp)			shim_kmalloc(n, gfp, true)
/* The flags are optional, and GFP_KERNEL by default. */
#define shim_second(a, b, ...)		(b)
#define kmalloc_obj(p, ...) \
	((__typeof__(p) *)kmalloc(sizeof(p), shim_second(0, ##__VA_ARGS__, GFP_KERNEL, 0)))
#define kzalloc_obj(p, ...) \
	((__typeof__(p) *)kzalloc(sizeof(p), shim_second(0, ##__VA_ARGS__, GFP_KERNEL, 0)))
#define kmalloc_array(n, s, gfp)	shim_alloc(size_mul(n, s), gfp, false)
#define kcalloc(n, s, gfp)		shim_alloc(size_mul(n, s), gfp, true)
#define kvzalloc(n, gfp)		shim_alloc(n, gfp, true)
#define kvmalloc_array			kmalloc_array
#define kvcalloc			kcalloc
#define alloc_pages_exact(n, gfp)	shim_pages(n, gfp, false)
#define vzalloc(n)			shim_pages(n, GFP_KERNEL | __GFP_ZERO, true)
#define kfree(p)			free((void *)(p))
#define kvfree				kfree
#define vfree(p)			shim_free_pages(p, 0, true)
#define free_pages_exact(p, n)		shim_free_pages(p, n, false)
#define is_vmalloc_addr(p)		shim_is_vmalloc(p)
#define kmemleak_alloc(p, n, c, gfp)	((void)0)
#define kmemleak_free(p)		((void)0)

/* RCU */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *rcu);
};

void call_rcu(struct rcu_head *rcu, void (*func)(struct rcu_head *rcu));
void rcu_barrier(void);

/* Passes the offset of the rcu_head in the object instead of a function. */
#define kfree_rcu(p, member) \
	call_rcu(&(p)->member, (void (*)(struct rcu_head *))offsetof(__typeof__(*(p)), member))

#define rcu_access_pointer(p)		(p)
#define rcu_dereference_raw(p)		READ_ONCE(p)
#define rcu_dereference(p)		READ_ONCE(p)
#ifndef rcu_dereference_protected
#define rcu_dereference_protected(p, c)	(p)
#endif
#ifndef rcu_assign_pointer
#define rcu_assign_pointer(p, v)	WRITE_ONCE(p, v)
#endif
#define rcu_replace_pointer(p, v, c) ({					\
	__typeof__(p) _old = (p);					\
	(void)(c);							\
	(p) = (v);							\
	_old; })

/* Locks */
struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name)	struct mutex name

#ifndef shim_unlocked
#define shim_unlocked()		((void)0)
#endif

static inline void mutex_lock(struct mutex *m)
{
	BUG_ON(m->held);
	m->held = true;
}

static inline void mutex_unlock(struct mutex *m)
{
	BUG_ON(!m->held);
	m->held = false;
	shim_unlocked();
}

static inline void shim_mutex_end(struct mutex **m)
{
	mutex_unlock(*m);
}

static inline struct mutex *shim_mutex_begin(struct mutex *m)
{
	mutex_lock(m);
	return m;
}

#define guard(kind)		shim_guard_##kind
#define shim_guard_mutex(m) \
	struct mutex *_guard __attribute__((cleanup(shim_mutex_end))) = shim_mutex_begin(m)
#define shim_guard_rcu()	((void)0)
#define lockdep_assert_held(m)	BUG_ON(!(m)->held)
#define lockdep_is_held(m)	((m)->held)
#define cond_resched()		((void)0)

/* Reference counts: must not be taken from zero, or go below zero. */
typedef struct {
	int n;
} refcount_t;

#define REFCOUNT_INIT(v) { v }

static inline void refcount_set(refcount_t *r, int n)
{
	r->n = n;
}

static inline void refcount_inc(refcount_t *r)
{
	BUG_ON(r->n++ <= 0);
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	BUG_ON(r->n <= 0);
	return !--r->n;
}

/* Lists */
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define list_entry(p, type, member) container_of(p, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)
#define list_next_entry(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_for_each_entry(p, head, member)				\
	for (p = list_entry((head)->next, __typeof__(*p), member);	\
	     &p->member != (head); p = list_next_entry(p, member))
#define list_prev_entry(p, member) list_entry((p)->member.prev, __typeof__(*(p)), member)
#define list_entry_is_head(p, head, member) (&(p)->member == (head))
#define list_for_each_entry_from(p, head, member)			\
	for (; &p->member != (head); p = list_next_entry(p, member))
#define list_for_each_entry_safe_reverse(p, n, head, member)		\
	for (p = list_entry((head)->prev, __typeof__(*p), member),	\
	     n = list_prev_entry(p, member);				\
	     &p->member != (head); p = n, n = list_prev_entry(n, member))
#define list_for_each_entry_safe(p, n, head, member)			\
	for (p = list_entry((head)->next, __typeof__(*p), member),	\
	     n = list_next_entry(p, member);				\
	     &p->member != (head); p = n, n = list_next_entry(n, member))

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline void list_add(struct list_head *l, struct list_head *head)
{
	l->prev = head;
	l->next = head->next;
	head->next->prev = l;
	head->next = l;
}

static inline void list_add_tail(struct list_head *l, struct list_head *head)
{
	list_add(l, head->prev);
}

#define list_add_rcu		list_add

static inline void list_del(struct list_head *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = NULL;
	l->prev = NULL;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline bool list_is_last(const struct list_head *l, const struct list_head *head)
{
	return l->next == head;
}

static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) ? 0 : strlen(prefix);
}

#endif /* _SHIM_KERNEL_H */
