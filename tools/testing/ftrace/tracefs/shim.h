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

/* Bits */
#define round_up(n, to)		(((n) + (to) - 1) / (to) * (to))
#define bitmap_copy(to, from, n) memcpy(to, from, BITS_TO_LONGS(n) * sizeof(long))
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

/* Hash tables */
#define hlist_node		list_head
#define DEFINE_HASHTABLE(name, bits) struct list_head name[1 << (bits)]
#define hash_bucket(table, key) hash_bucket_of(&(table)[(key) % ARRAY_SIZE(table)])
#define hash_add(table, node, key) list_add_tail(node, hash_bucket(table, key))
#define hash_del(node)		list_del(node)
#define hash_for_each_possible(table, p, member, key)			\
	list_for_each_entry(p, hash_bucket(table, key), member)

static inline struct list_head *hash_bucket_of(struct list_head *head)
{
	if (!head->next)
		INIT_LIST_HEAD(head);
	return head;
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

#ifdef WORDS	/* for words.c, which needs no sites */
#define __user
#define KSYM_SYMBOL_LEN		(KSYM_NAME_LEN + 100)
#define isspace(c)		((c) && strchr(" \t\n\v\f\r", c))
#define copy_from_user(to, from, n) (memcpy(to, from, n), 0)
#undef strscpy
#define strscpy(to, from)	shim_strscpy(to, from, sizeof(to))

static inline ssize_t shim_strscpy(char *to, const char *from, size_t size)
{
	return snprintf(to, size, "%s", from) < size ? 0 : -E2BIG;
}
#endif

#ifdef REASONS	/* for error_log.c, which looks at what there is at an address */
#define shim_guard_preempt()	((void)0)
#define __noinstr_text_start	((char *)0x1000)
#define __noinstr_text_end	((char *)0x2000)
#define __entry_text_start	((char *)0x2000)
#define __entry_text_end	((char *)0x3000)

enum system_states { SYSTEM_BOOTING, SYSTEM_SCHEDULING, SYSTEM_FREEING_INITMEM, SYSTEM_RUNNING };
extern enum system_states system_state;

struct trace_array;
bool is_kernel_inittext(unsigned long addr);
int core_kernel_text(unsigned long addr);
struct module *__module_text_address(unsigned long addr);
void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd, const char **errs,
		     u8 type, u16 pos);
#endif

#ifdef MODS	/* for filter_mods.c only, which needs no modules to be there */
#undef CONFIG_MODULES

static inline char *kstrdup(const char *text, gfp_t gfp)
{
	char *copy = kzalloc(strlen(text) + 1, gfp);

	return copy ? strcpy(copy, text) : NULL;
}

/* In place of kernel/trace/trace.h */
struct ftrace_mod_load {
	struct list_head list;
	char *func, *module;
};

struct trace_array {
	struct list_head mod_trace, mod_notrace;
};

struct ftrace_ops {
	void *private;
};

extern struct ftrace_ops global_ops;
struct trace_array *trace_get_global_array(void);
void ftrace_init_trace_array(struct trace_array *tr);
struct ftrace_filter_slot *ftrace_ops_slot(struct ftrace_ops *ops);

/* In place of profile_hits.h */
#define _FTRACE_PROFILE_HITS_H

/* How many names were compared. */
extern unsigned long shim_compared;
#define strcmp(a, b)		(shim_compared++, (strcmp)(a, b))
#endif

#endif /* _FTRACE_TRACEFS_SHIM_H */
