/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel of one task, in which nothing happens by itself: grace periods end
 * when somebody waits for one, text changes when a transaction is flushed or
 * committed, and core_test.c looks at each step what a hit would call.
 */
#ifndef _SHIM_H
#define _SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint32_t u32;
typedef uint64_t u64;

#define CONFIG_TRACEPOINTS 1
#define CONFIG_X86_TEXT_PATCH 1
#define IS_ENABLED(option) 1
#define READ_ONCE(x) (x)
#define likely(x) (x)
#define EXPORT_SYMBOL_GPL(symbol)
#define WARN_ON_ONCE(x) (!!(x))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define __rcu
#define __aligned(x) __attribute__((aligned(x)))
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#define struct_size(p, member, nr) \
	(sizeof(*(p)) + (nr) * sizeof(*(p)->member))
#define size_mul(a, b) ((a) * (b))

extern unsigned int shim_warnings;
#define pr_warn(...) ((void)shim_warnings++)

/* Of text that cannot be changed. */
extern unsigned int shim_complaints;
#define pr_err(...) ((void)shim_complaints++)
#define WARN_ONCE(x, ...) (shim_complaints += !!(x))

/* Lists. */
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }

static inline void shim_link(struct list_head *n, struct list_head *before,
			     struct list_head *after)
{
	*n = (struct list_head){ .next = after, .prev = before };
	before->next = n;
	after->prev = n;
}

static inline void list_add(struct list_head *n, struct list_head *head)
{
	shim_link(n, head, head->next);
}

static inline void list_add_tail(struct list_head *n, struct list_head *head)
{
	shim_link(n, head->prev, head);
}

static inline void list_del(struct list_head *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	n->next = NULL;
	n->prev = NULL;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#define shim_entry(at, pos, member) container_of(at, typeof(*(pos)), member)
#define list_for_each_entry(pos, head, member)				\
	for ((pos) = shim_entry((head)->next, pos, member);		\
	     &(pos)->member != (head);					\
	     (pos) = shim_entry((pos)->member.next, pos, member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for ((pos) = shim_entry((head)->next, pos, member);		\
	     (n) = shim_entry((pos)->member.next, pos, member),		\
	     &(pos)->member != (head); (pos) = (n))

/* One lock. */
struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name) struct mutex name

void shim_check(bool good, const char *what);

static inline void mutex_lock(struct mutex *m)
{
	shim_check(!m->held, "a lock is free when it is taken");
	m->held = true;
}

void shim_settled(void);

static inline void mutex_unlock(struct mutex *m)
{
	shim_check(m->held, "a lock is held when it is given back");
	m->held = false;
	shim_settled();
}

#define lockdep_is_held(m) ((m)->held)
#define lockdep_assert_held(m) shim_check((m)->held, "the lock is held")

struct task_struct;
extern struct task_struct *current;

/* Memory. */
#define GFP_KERNEL 0

/* Allocations until one fails; negative: none does. */
extern long shim_alloc_left;

static inline void *kmalloc(size_t size, int gfp)
{
	(void)gfp;
	if (shim_alloc_left >= 0 && shim_alloc_left-- == 0)
		return NULL;
	return malloc(size);
}

static inline void kfree(void *p)
{
	free(p);
}

/* RCU. */
struct rcu_head {
	struct rcu_head *next;
	void *block;
};

unsigned long get_state_synchronize_rcu(void);
void cond_synchronize_rcu(unsigned long state);
void synchronize_rcu(void);
void shim_free_later(struct rcu_head *head, void *block);

/* What has just happened to something that a hit reads. */
enum shim_step {
	SHIM_PUBLISHED = 'P',
	SHIM_TEXT = 'T',
	SHIM_GRACE_PERIOD = 'G',
};

void shim_step(enum shim_step what);

#define kfree_rcu(p, member) shim_free_later(&(p)->member, p)
#define rcu_dereference_protected(p, held) (shim_check(held, #held), (p))
#define rcu_access_pointer(p) (p)
#define rcu_assign_pointer(p, v)					\
do {									\
	(p) = (v);							\
	shim_step(SHIM_PUBLISHED);					\
} while (0)

/* Text: what the owner says that it is, and what it is. */
struct static_key {
	int enabled;
	int live;
	bool queued;
};

struct static_call_key {
	void *func;
	void *live;
	bool queued;
	/* Its places are not what they should be. */
	bool stuck;
};

struct text_patch_tx {
	/* To be set by the owner. */
	void (*fault)(struct text_patch_tx *tx);
	bool strict;
	struct {
		void *addr;
		int err;
	} first;
	unsigned int nr_faults;
};

void text_patch_begin(struct text_patch_tx *tx);
void text_patch_flush(void);
int text_patch_commit(struct text_patch_tx *tx);

extern bool shim_cpus_held;
void shim_cpus_unlock(void);
void shim_text_changed(void);

static inline void cpus_read_lock(void)
{
	shim_check(!shim_cpus_held, "who holds the hotplug lock does not wait for it");
	shim_cpus_held = true;
}

#define cpus_read_unlock() shim_cpus_unlock()

static inline void __static_call_update_cpuslocked(struct static_call_key *key,
						   void *tramp, void *func)
{
	(void)tramp;
	shim_check(shim_cpus_held, "calls change under the hotplug lock");
	shim_check(func, "a call leads somewhere");
	if (key->func == func)
		return;
	key->func = func;
	key->queued = true;
	shim_text_changed();
}

static inline void shim_key(struct static_key *key, int enabled)
{
	shim_check(shim_cpus_held, "keys change under the hotplug lock");
	if (key->enabled == enabled)
		return;
	key->enabled = enabled;
	key->queued = true;
	shim_text_changed();
}

#define static_key_enable_cpuslocked(key) shim_key(key, 1)
#define static_key_disable_cpuslocked(key) shim_key(key, 0)

bool core_kernel_text(unsigned long addr);
bool is_kernel_inittext(unsigned long addr);

#endif
