/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much kernel as the pure parts of the tracer and their tests need in user
 * space. Memory comes from malloc(), so that the sanitisers see it; any one
 * allocation can be made to fail. What is freed by RCU stays until
 * rcu_barrier(), as it does for a reader.
 */
#ifndef _FTRACE_SHIM_H
#define _FTRACE_SHIM_H

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned int gfp_t;

#define U32_MAX			UINT32_MAX
#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BIT(n)			(1UL << (n))
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define PAGE_SIZE		4096UL

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define static_assert(c)	_Static_assert(c, #c)
#define __maybe_unused		__attribute__((unused))
#define __packed		__attribute__((packed))
#define __pure			__attribute__((pure))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define fallthrough		__attribute__((fallthrough))
#define __rcu
#define noinstr
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define DECLARE_FLEX_ARRAY(type, name) struct { struct { } pad_##name; type name[]; }
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define IS_ENABLED(option)	0
#define IS_ALIGNED(x, a)	(!((x) & ((a) - 1)))

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })

#define struct_size_t(type, member, n) \
	(offsetof(type, member) + sizeof(*((type *)0)->member) * (size_t)(n))
#define struct_size(p, member, n) struct_size_t(__typeof__(*(p)), member, n)

#define WARN_ON_ONCE(c) ({						\
	const bool _c = (c);						\
	if (_c) {							\
		fprintf(stderr, "WARN %s:%d: %s\n", __FILE__, __LINE__, #c); \
		abort();						\
	}								\
	_c; })

/* Bits */
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __fls(x)		((unsigned long)(BITS_PER_LONG - 1 - __builtin_clzl(x)))
#define hweight_long(x)		((unsigned long)__builtin_popcountl(x))

static inline unsigned long find_next_bit(const unsigned long *bits, unsigned long size,
					  unsigned long from)
{
	while (from < size) {
		const unsigned long word = bits[from / BITS_PER_LONG] >> from % BITS_PER_LONG;

		if (word)
			return min(size, from + __ffs(word));
		from = (from / BITS_PER_LONG + 1) * BITS_PER_LONG;
	}
	return size;
}

static inline u32 roundup_pow_of_two(u32 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static inline void memset32(u32 *p, u32 v, size_t n)
{
	while (n--)
		*p++ = v;
}

/* Errors in pointers */
#define MAX_ERRNO		4095
#define ERR_PTR(e)		((void *)(long)(e))
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)
#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))

/* Memory */
#define GFP_KERNEL		1U
#define __GFP_ZERO		2U
#define __GFP_NOFAIL		4U
#define __GFP_NORETRY		8U
#define __GFP_NOWARN		16U

extern long shim_fail_in;	/* this allocation fails, counted from 1; 0: none */
extern bool shim_failed;
void *shim_alloc(size_t size, gfp_t gfp, bool zero);

#define kmalloc(n, gfp)			shim_alloc(n, gfp, false)
#define kzalloc(n, gfp)			shim_alloc(n, gfp, true)
#define kvzalloc(n, gfp)		shim_alloc(n, gfp, true)
#define kvmalloc_array(n, s, gfp)	shim_alloc((n) * (s), gfp, false)
#define kvcalloc(n, s, gfp)		shim_alloc((n) * (s), gfp, true)
#define alloc_pages_exact(n, gfp)	shim_alloc(n, gfp, (gfp) & __GFP_ZERO)
#define vzalloc(n)			shim_alloc(n, GFP_KERNEL, true)
#define kfree(p)			free((void *)(p))
#define kvfree(p)			free((void *)(p))
#define vfree(p)			free((void *)(p))
#define free_pages_exact(p, n)		free(p)
#define is_vmalloc_addr(p)		false
#define kmemleak_alloc(p, n, c, gfp)	((void)0)
#define kmemleak_free(p)		((void)0)

static inline void sort(void *base, size_t nr, size_t size,
			int (*cmp)(const void *, const void *), void *swap)
{
	(void)swap;
	qsort(base, nr, size, cmp);
}

/* References: counted one by one, and never below zero. */
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
	if (r->n++ <= 0)
		abort();
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	if (r->n <= 0)
		abort();
	return !--r->n;
}

/* RCU */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *rcu);
};

void call_rcu(struct rcu_head *rcu, void (*func)(struct rcu_head *rcu));
void rcu_barrier(void);

#define rcu_dereference_raw(p)		READ_ONCE(p)
#define rcu_dereference(p)		READ_ONCE(p)
#define rcu_assign_pointer(p, v)	WRITE_ONCE(p, v)
#define rcu_replace_pointer(p, v, c) ({					\
	__typeof__(p) _old = (p);					\
	(void)(c);							\
	(p) = (v);							\
	_old; })

/* Locks: there is one thread. */
struct mutex {
	bool held;
};

#define DEFINE_MUTEX(name)	struct mutex name

static inline void mutex_lock(struct mutex *m)
{
	if (m->held)
		abort();
	m->held = true;
}

static inline void mutex_unlock(struct mutex *m)
{
	if (!m->held)
		abort();
	m->held = false;
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
#define lockdep_assert_held(m)	do { if (!(m)->held) abort(); } while (0)
#define lockdep_is_held(m)	((m)->held)
#define cond_resched()		((void)0)

/* Lists */
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define list_entry(p, type, member) container_of(p, type, member)
#define list_next_entry(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_for_each_entry(p, head, member)				\
	for (p = list_entry((head)->next, __typeof__(*p), member);	\
	     &p->member != (head); p = list_next_entry(p, member))
#define list_for_each_entry_safe(p, n, head, member)			\
	for (p = list_entry((head)->next, __typeof__(*p), member),	\
	     n = list_next_entry(p, member);				\
	     &p->member != (head); p = n, n = list_next_entry(n, member))

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline void list_add_tail(struct list_head *l, struct list_head *head)
{
	l->prev = head->prev;
	l->next = head;
	head->prev->next = l;
	head->prev = l;
}

static inline void list_del(struct list_head *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = NULL;
	l->prev = NULL;
}

static inline bool list_is_last(const struct list_head *l, const struct list_head *head)
{
	return l->next == head;
}

/* Text */
#define isdigit(c)		((c) >= '0' && (c) <= '9')
#define strscpy(to, from, size)	snprintf(to, size, "%s", from)
#define scnprintf		snprintf

static inline int kstrtoul(const char *s, unsigned int base, unsigned long *result)
{
	char *end;

	errno = 0;
	*result = strtoul(s, &end, base);
	return errno ? -ERANGE : !isdigit(*s) || *end ? -EINVAL : 0;
}

bool __pure glob_match(char const *pat, char const *str);

/* Call sites are as long as on x86. */
#define MCOUNT_INSN_SIZE	5
#define FTRACE_MCOUNT_MAX_OFFSET 4
#define ftrace_call_adjust(ip)	(ip)

/* Symbols: those that a test puts there. */
#define CONFIG_MODULES		1
#define KSYM_NAME_LEN		512
#define SHN_UNDEF		0

typedef struct {
	u32 st_name;
	u16 st_shndx;
	unsigned long st_value, st_size;
} Elf_Sym;

struct mod_kallsyms {
	Elf_Sym *symtab;
	unsigned int num_symtab;
	char *strtab, *typetab;
};

enum module_state { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING };

struct module {
	enum module_state state;
	char name[56];
	struct mod_kallsyms *kallsyms;
};

#define kallsyms_symbol_value(sym) ((sym)->st_value)

static inline bool is_mapping_symbol(const char *name)
{
	return *name == '$';
}

struct kallsyms_walk {
	unsigned int nr, off;
};

void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr);
unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr);
unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name);
bool kallsyms_walk_alias(struct kallsyms_walk *w);
int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data);
int module_kallsyms_on_each_symbol(const char *modname,
				   int (*fn)(void *, const char *, unsigned long), void *data);
unsigned int full_name_hash(const void *salt, const char *name, unsigned int len);
unsigned long ftrace_location(unsigned long ip);
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs);

/* Modules are not there for files of the kernel's that want to be one. */
#define EXPORT_SYMBOL(name)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)

/* KUnit, as far as the tests go: a failed assertion ends its case. */
struct kunit {
	bool failed;
	jmp_buf end;
	void *memory[1024];
	unsigned int nr_memory;
};

struct kunit_case {
	void (*run)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

extern struct kunit_suite *shim_suites;
void shim_say(struct kunit *test, const char *file, int line, const char *fmt, ...) __printf(4, 5);
void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);

#define KUNIT_CASE(fn) { .run = fn, .name = #fn }
#define kunit_test_suite(suite)						\
static void __attribute__((constructor)) add_##suite(void)		\
{									\
	(suite).next = shim_suites;					\
	shim_suites = &(suite);						\
}

#define KUNIT_FAIL(test, ...)	shim_say(test, __FILE__, __LINE__, __VA_ARGS__)
#define SHIM_EXPECT(test, cond) \
	((cond) ? true : (KUNIT_FAIL(test, "%s", #cond), false))
#define SHIM_ASSERT(test, cond) \
	do { if (!SHIM_EXPECT(test, cond)) longjmp((test)->end, 1); } while (0)

#define KUNIT_EXPECT_TRUE(test, c)	SHIM_EXPECT(test, c)
#define KUNIT_EXPECT_FALSE(test, c)	SHIM_EXPECT(test, !(c))
#define KUNIT_EXPECT_EQ(test, a, b)	SHIM_EXPECT(test, (a) == (b))
#define KUNIT_EXPECT_NE(test, a, b)	SHIM_EXPECT(test, (a) != (b))
#define KUNIT_EXPECT_LE(test, a, b)	SHIM_EXPECT(test, (a) <= (b))
#define KUNIT_EXPECT_GE(test, a, b)	SHIM_EXPECT(test, (a) >= (b))
#define KUNIT_EXPECT_GT(test, a, b)	SHIM_EXPECT(test, (a) > (b))
#define KUNIT_EXPECT_PTR_EQ(test, a, b)	SHIM_EXPECT(test, (void *)(a) == (void *)(b))
#define KUNIT_EXPECT_NULL(test, p)	SHIM_EXPECT(test, !(p))
#define KUNIT_EXPECT_NOT_NULL(test, p)	SHIM_EXPECT(test, p)
#define KUNIT_EXPECT_STREQ(test, a, b)	SHIM_EXPECT(test, !strcmp(a, b))
#define KUNIT_ASSERT_FALSE(test, c)	SHIM_ASSERT(test, !(c))
#define KUNIT_ASSERT_EQ(test, a, b)	SHIM_ASSERT(test, (a) == (b))
#define KUNIT_ASSERT_NOT_NULL(test, p)	SHIM_ASSERT(test, p)
#define SHIM_MSG(test, cond, fmt, ...) \
	do { if (!(cond)) KUNIT_FAIL(test, "%s: " fmt, #cond, __VA_ARGS__); } while (0)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)	SHIM_MSG(test, (a) == (b), __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(test, c, ...)	SHIM_MSG(test, c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(test, c, ...)	SHIM_MSG(test, !(c), __VA_ARGS__)

#endif
