/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much kernel as ring_buffer.c needs to run in user space, with one CPU. All
 * operations on counters that writers share call seam() first, where a test lets
 * interrupts and readers in.
 */
#ifndef _RECORDING_SHIM_H
#define _RECORDING_SHIM_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef int64_t s64;
typedef uint32_t __u32;
typedef unsigned long long __u64;
typedef unsigned int gfp_t, __poll_t;
#define U16_MAX ((u16)~0u)
typedef long loff_t_;
#define loff_t loff_t_

#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define noinline		__attribute__((__noinline__))
#define __aligned(n)		__attribute__((__aligned__(n)))
#define __init
#define __saves_registers
#define call_saves_registers(func, arg)	((func)(arg))
#define __counted_by(n)
#define fallthrough		__attribute__((__fallthrough__))
#define __percpu
#define notrace
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define EXPORT_SYMBOL_GPL(x)
#define NOKPROBE_SYMBOL(x)
#define KERN_WARNING		""
#define _RET_IP_		0UL
#define _THIS_IP_		0UL


#define SEAM_CONFIG_CONFIG_RING_BUFFER_ALLOW_SWAP		1
#ifdef CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS
#define SEAM_CONFIG_CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS	1
#else
#define SEAM_CONFIG_CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS	0
#endif
#define SEAM_CONFIG_CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG		1
#define SEAM_CONFIG_CONFIG_GENERIC_ATOMIC64			0
#define SEAM_CONFIG_CONFIG_MITIGATION_RETPOLINE			0
#define SEAM_CONFIG_CONFIG_PREEMPTION				1
#define SEAM_CONFIG_CONFIG_PREEMPT_COUNT			1
#define SEAM_CONFIG_CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING	0
#define SEAM_CONFIG_CONFIG_PREEMPT_RT				shim_rt
#define IS_ENABLED(option)	SEAM_CONFIG_##option
#define CONFIG_RING_BUFFER_ALLOW_SWAP	1
#define CONFIG_64BIT			1
#define CONFIG_RING_BUFFER		1
#define CONFIG_SMP		1

/* Where interrupts and readers come in. */
enum seam_op { SEAM_ONCE, SEAM_READ, SEAM_SET, SEAM_ADD, SEAM_ADD_RETURN, SEAM_CMPXCHG, SEAM_BARRIER, SEAM_CLOCK };
#ifdef BENCH
#define seam(op, where)		((void)0)
#define barrier()		asm volatile("" ::: "memory")
#else
void seam(enum seam_op op, const void *where);
#define barrier()		seam(SEAM_BARRIER, NULL)
#endif
#define smp_mb()		barrier()
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()

#define READ_ONCE(x)		(seam(SEAM_ONCE, &(x)), *(const volatile __typeof__(x) *)&(x))
#define data_race(x)		READ_ONCE(x)
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define OPTIMIZER_HIDE_VAR(v)	asm("" : "+r" (v))
#define __same_type(a, b)	__builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define sizeof_field(t, f)	sizeof(((t *)0)->f)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1UL << (n))
#define ALIGN(x, a)		(((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define DIV_ROUND_UP(a, b)	(((a) + (b) - 1) / (b))
#define min(a, b)		({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b)		({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define struct_size(p, m, n)	(sizeof(*(p)) + (n) * sizeof(*(p)->m))
#define flex_array_size(p, m, n) ((n) * sizeof(*(p)->m))
#define is_signed_type(t)	((t)-1 < (t)1)
#define round_up(x, y)		ALIGN(x, y)

#define MAX_ERRNO		4095
#define ERR_PTR(e)		((void *)(long)(e))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)
#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))

void warned(const char *file, int line, const char *what);
#define WARN_ON(c) ({ const bool _c = (c); if (_c) warned(__FILE__, __LINE__, #c); _c; })
#define WARN_ON_ONCE		WARN_ON
#define WARN_ONCE(c, ...)	WARN_ON(c)
#define WARN(c, ...)		WARN_ON(c)
#define pr_cont(...)		((void)0)
#define pr_warn(...)		((void)0)
#define pr_info(...)		((void)0)
#define pr_err(...)		((void)0)
#define pr_warn_ratelimited(...) ((void)0)
#define cond_resched()		((void)0)
#define might_sleep()		((void)0)
#define udelay(n)		((void)0)
#define sched_clock_stable()	true

/* Atomic operations: one CPU */
typedef struct { int counter; } atomic_t;
typedef struct { long a; } local_t;
typedef struct { s64 a; } local64_t;
#define ATOMIC_INIT(i)		{ (i) }

#define atomic_read(p)		READ_ONCE((p)->counter)
#define atomic_read_acquire	atomic_read
#define atomic_set(p, v)	((p)->counter = (v))
#define atomic_inc(p)		((void)(p)->counter++)
#define atomic_dec(p)		((void)(p)->counter--)
#define atomic_add(i, p)	((void)((p)->counter += (i)))
#define atomic_sub(i, p)	((void)((p)->counter -= (i)))
#define atomic_inc_return(p)	(++(p)->counter)
#define atomic_fetch_inc_release(p) ((p)->counter++)
#define atomic_try_cmpxchg(p, old, new) \
	((p)->counter == (int)*(old) ? ((p)->counter = (new), true) : (*(old) = (p)->counter, false))
#define cmpxchg(p, old, new) ({						\
	seam(SEAM_CMPXCHG, p);						\
	__typeof__(*(p)) _was = *(p);					\
	if (_was == (__typeof__(_was))(old))				\
		*(p) = (new);						\
	_was; })
#define try_cmpxchg(p, old, new) ({					\
	seam(SEAM_CMPXCHG, p);						\
	const bool _same = *(p) == *(old);				\
	if (_same)							\
		*(p) = (new);						\
	else								\
		*(old) = *(p);						\
	_same; })

#define local_op(op, p)		seam(op, p)
static inline long local_read(const local_t *l) { local_op(SEAM_READ, l); return READ_ONCE(l->a); }
static inline void local_set(local_t *l, long v) { local_op(SEAM_SET, l); WRITE_ONCE(l->a, v); }
static inline void local_add(long i, local_t *l) { local_op(SEAM_ADD, l); l->a += i; }
static inline void local_sub(long i, local_t *l) { local_op(SEAM_ADD, l); l->a -= i; }
#define local_inc(l)		local_add(1, l)
#define local_dec(l)		local_sub(1, l)
static inline long local_add_return(long i, local_t *l)
{
	local_op(SEAM_ADD_RETURN, l);
	return l->a += i;
}
static inline bool local_try_cmpxchg(local_t *l, long *old, long new)
{
	local_op(SEAM_CMPXCHG, l);
	if (l->a == *old) {
		l->a = new;
		return true;
	}
	*old = l->a;
	return false;
}
static inline long local_cmpxchg(local_t *l, long old, long new)
{
	local_try_cmpxchg(l, &old, new);
	return old;
}
static inline s64 local64_read(const local64_t *l) { local_op(SEAM_READ, l); return READ_ONCE(l->a); }
static inline void local64_set(local64_t *l, s64 v) { local_op(SEAM_SET, l); WRITE_ONCE(l->a, v); }

/* Contexts. The test sets the count. */
extern unsigned int shim_preempt_count;
#define NMI_MASK		0xf00000u
#define HARDIRQ_MASK		0x0f0000u
#define SOFTIRQ_MASK		0x00ff00u
#define SOFTIRQ_OFFSET		0x000100u
extern bool shim_rt;
#define softirq_count()		\
	((shim_rt ? current->softirq_disable_cnt : preempt_count()) & SOFTIRQ_MASK)
#define preempt_count()		shim_preempt_count
#define CONFIG_X86		1
#define PREEMPT_ENABLED		(1ul << 63)
#define __preempt_count		(shim_preempt_count | (shim_preempt_resched ? 0 : PREEMPT_ENABLED))
#define raw_cpu_read(v)		(v)
#define preempt_disable_notrace() ((void)shim_preempt_count++)
#define preempt_enable_notrace() ((void)shim_preempt_count--)
#define preempt_disable		preempt_disable_notrace
#define preempt_enable		preempt_enable_notrace
#define PREEMPT_MASK		0x0000ffu
#define PREEMPT_OFFSET		0x000001u
#define HARDIRQ_OFFSET		0x010000u
#define hardirq_count()		(preempt_count() & HARDIRQ_MASK)
#define in_nmi()		(shim_preempt_count & NMI_MASK)
static inline unsigned char interrupt_context_level(void)
{
	const unsigned int pc = shim_preempt_count;

	return !!(pc & NMI_MASK) + !!(pc & (NMI_MASK | HARDIRQ_MASK)) +
	       !!(pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}
#define smp_processor_id()	0
#define raw_smp_processor_id()	0
#define migrate_disable()	((void)0)
#define migrate_enable()	((void)0)

/* Locks: nobody to keep out */
struct lock_class_key { int none; };
typedef struct { int none; } raw_spinlock_t, arch_spinlock_t;
struct mutex { int none; };
#define __ARCH_SPIN_LOCK_UNLOCKED	{ 0 }
#define raw_spin_lock_init(l)		((void)(l))
#define lockdep_set_class(l, k)		((void)(k))
#define raw_spin_lock(l)		((void)(l))
#define raw_spin_unlock(l)		((void)(l))
#define raw_spin_trylock(l)		true
#define raw_spin_lock_irq(l)		((void)(l))
#define raw_spin_unlock_irq(l)		((void)(l))
#define raw_spin_lock_irqsave(l, f)	((void)(l), (f) = 0)
#define raw_spin_unlock_irqrestore(l, f) ((void)(l), (void)(f))
#define arch_spin_lock(l)		((void)(l))
#define arch_spin_unlock(l)		((void)(l))
#define local_irq_save(f)		((f) = 0)
#define local_irq_restore(f)		((void)(f))
#define mutex_init(m)			((void)(m))
#define mutex_lock(m)			((void)(m))
#define mutex_unlock(m)			((void)(m))
#define lockdep_assert_held(m)		((void)0)
#define lockdep_assert_cpus_held()	((void)0)
#define cpus_read_lock()		((void)0)
#define cpus_read_unlock()		((void)0)
#define synchronize_rcu()		((void)0)
#define guard(what)			guard_##what
#define guard_preempt()			((void)0)
#define guard_preempt_notrace()		((void)0)
#define guard_mutex(m)			((void)(m))
#define guard_raw_spinlock(l)		((void)(l))
#define guard_raw_spinlock_irqsave(l)	((void)(l))
#define guard_cpus_read_lock()		((void)0)
#define DEFINE_GUARD(...)
#define scoped_guard(what, l)		for (bool _one = ((void)(l), true); _one; _one = false)
#define __free(what)
#define return_ptr(p)			return p
#define __must_hold(l)
#define __acquires(l)
#define __releases(l)

/* Memory */
#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define GFP_KERNEL		0
#define GFP_USER		0
#define __GFP_RETRY_MAYFAIL	0
#define __GFP_COMP		0
#define __GFP_ZERO		0
#define __GFP_NORETRY		0
struct page;
#define cache_line_size()	64
#define cpu_to_node(c)		0
#define kzalloc(n, f)		calloc(1, n)
#define kzalloc_node(n, f, c)	calloc(1, n)
#define kmalloc(n, f)		calloc(1, n)
#define kcalloc(n, s, f)	calloc(n, s)
#define kzalloc_obj(p, ...)	((__typeof__(p) *)calloc(1, sizeof(p)))
#define kzalloc_objs(p, n, ...)	((__typeof__(p) *)calloc(n, sizeof(p)))
#define kmalloc_obj		kzalloc_obj
#define kfree(p)		free(p)
void *shim_pages(unsigned int order);
#define alloc_pages_node(c, f, order)	((struct page *)shim_pages(order))
#define alloc_page(f)		((struct page *)shim_pages(0))
#define page_address(p)		((void *)(p))
#define page_to_virt(p)		((void *)(p))
#define virt_to_page(p)		((struct page *)(p))
#define page_ref_count(p)	1
#define free_pages(a, order)	free((void *)(a))
#define free_page(a)		free((void *)(a))
#define si_mem_available()	(1L << 30)
#define set_current_oom_origin() ((void)0)
#define clear_current_oom_origin() ((void)0)
#define flush_kernel_vmap_range(a, n) ((void)0)
#define flush_dcache_folio(f)	((void)0)
#define arch_ring_buffer_flush_range(a, b) ((void)0)
#define size_add(a, b)		((a) + (b))
#define size_mul(a, b)		((a) * (b))
#define gfpflags_allow_blocking(f) true
#define fatal_signal_pending(t)	false
struct vm_area_struct;

static inline bool test_bit(long nr, const unsigned long *map)
{
	return map[nr / 64] >> nr % 64 & 1;
}
#define set_bit(nr, map)	((map)[(nr) / 64] |= 1UL << (nr) % 64)
#define bitmap_alloc(n, f)	((unsigned long *)calloc(((n) + 63) / 64, 8))
#define bitmap_clear(m, a, n)	memset(m, 0, ((n) + 7) / 8)
#define bitmap_free(m)		free(m)

/* Lists, with links that ring_buffer.c tags */
struct list_head { struct list_head *next, *prev; };
struct hlist_node { struct hlist_node *next, **pprev; };
#define LIST_HEAD(l)		struct list_head l = { &(l), &(l) }
#define INIT_LIST_HEAD(l)	((l)->next = (l)->prev = (l))
#define list_entry(p, t, m)	container_of(p, t, m)
#define list_empty(l)		((l)->next == (l))
static inline void list_add(struct list_head *new, struct list_head *head)
{
	head->next->prev = new;
	new->next = head->next;
	new->prev = head;
	head->next = new;
}
#define list_add_tail(new, head) list_add(new, (head)->prev)
static inline void list_del(struct list_head *l)
{
	l->next->prev = l->prev;
	l->prev->next = l->next;
}
#define list_del_init(l)	do { list_del(l); INIT_LIST_HEAD(l); } while (0)
#define list_for_each(p, head)	for ((p) = (head)->next; (p) != (head); (p) = (p)->next)
#define list_for_each_entry(p, head, m)					\
	for ((p) = list_entry((head)->next, __typeof__(*(p)), m);	\
	     &(p)->m != (head); (p) = list_entry((p)->m.next, __typeof__(*(p)), m))
#define list_for_each_entry_safe(p, n, head, m)				\
	for ((p) = list_entry((head)->next, __typeof__(*(p)), m),	\
	     (n) = list_entry((p)->m.next, __typeof__(*(p)), m);	\
	     &(p)->m != (head);						\
	     (p) = (n), (n) = list_entry((n)->m.next, __typeof__(*(n)), m))

/* CPUs: there is number 0 */
struct cpumask {
	bool set;
};

typedef struct cpumask cpumask_var_t[1];
#define nr_cpu_ids		1
#define cpu_online_mask		NULL
#define cpu_online(c)		true
#define zalloc_cpumask_var(m, f) ((*(m))->set = false, true)
#define free_cpumask_var(m)	((void)(m))
#define cpumask_set_cpu(c, m)	((m)->set = true)
#define cpumask_test_cpu(c, m)	((c) == 0 && (m)->set)
#define for_each_cpu(c, m)	for ((c) = 0; (c) < 1; (c)++)
#define for_each_cpu_and(c, m, n) for ((c) = 0; (c) < 1; (c)++)
#define CPUHP_TRACE_RB_PREPARE	0
#define cpuhp_state_add_instance(s, n)	((void)(n), 0)
#define cpuhp_state_remove_instance(s, n) ((void)(n))

#define housekeeping_any_cpu(t)	0
#define SYSTEM_BOOTING		2
#define SYSTEM_RUNNING		1
#define system_state		0
#define on_each_cpu(f, d, w)	((void)(f))
#define on_each_cpu_cond(c, f, d, w)	((void)(c), (void)(f), (void)(d))
#define ct_rcu_watching_cpu_acquire(c)	0
#define CT_RCU_WATCHING		1
#define is_idle_task(t)		false
#define DEFINE_PER_CPU(t, n)	t n
#define DECLARE_PER_CPU(t, n)	extern t n
#define __this_cpu_write(v, x)	((v) = (x))
#define this_cpu_ptr(p)		(p)

/* Work, waiting, notifying */
struct irq_work { void (*func)(struct irq_work *work); };
typedef struct { int none; } wait_queue_head_t;
struct wait_queue_head { int none; };
#define wait_queue_head_t	struct wait_queue_head
struct work_struct { void (*func)(struct work_struct *work); };
struct completion { int none; };
struct notifier_block { int (*notifier_call)(struct notifier_block *nb, unsigned long e, void *d); };
extern unsigned long shim_wakes;
#define NOTIFY_DONE		0
#define atomic_notifier_chain_register(l, n)	((void)(n))
#define atomic_notifier_chain_unregister(l, n)	((void)(n))
#define INIT_WORK(w, f)		((w)->func = (f))
#define init_completion(c)	((void)(c))
#define complete(c)		((void)(c))
#define wait_for_completion(c)	((void)(c))
#define schedule_work_on(c, w)	((w)->func(w))
#define init_irq_work(w, f)	((w)->func = (f))
#define irq_work_sync(w)	((void)(w))
#define irq_work_queue(w)	((void)(w), shim_wakes++, true)
#define irq_work_queue_on(w, c)	((void)(w), shim_wakes++, true)
#define init_waitqueue_head(w)	((void)(w))
#define wake_up_all(w)		((void)(w))
#define wait_event_interruptible(w, c) ((void)(w), (c), 0)
#define poll_wait(f, w, p)	((void)(w))
#define EPOLLIN			1
#define EPOLLRDNORM		2
#define EPOLLERR		4
struct file { void *private_data; };
typedef struct poll_table_struct { int none; } poll_table;
struct seq_file { void *private; };
struct seq_operations { void *start, *next, *stop, *show; };
#define seq_printf(...)		((void)0)
#define seq_open(f, o)		(-ENOSYS)
struct trace_seq;
#define trace_seq_puts(...)	((void)0)
#define trace_seq_putc(...)	((void)0)
#define trace_seq_printf(...)	((void)0)
#define trace_seq_has_overflowed(s) false

/* The clock */
u64 shim_clock(void);
#define trace_clock_local	shim_clock
#define sched_clock_noinstr	shim_clock
#ifdef BENCH
/* The time stamp counter, scaled as the kernel does. */
static inline u64 sched_clock_inline(void)
{
	return __builtin_ia32_rdtsc() * 437 >> 10;
}
#else
#define sched_clock_inline	shim_clock
#endif
#define sched_clock		shim_clock

/* Of <uapi/linux/trace_mmap.h> */
struct trace_buffer_meta {
	__u32	meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	struct { __u64 lost_events; __u32 id, read; } reader;
	__u64	flags, entries, overrun, read, pages_lost, pages_touched;
};
#endif
