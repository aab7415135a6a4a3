/* SPDX-License-Identifier: GPL-2.0 */
/* What record slots and found sites need of a kernel beyond what all suites do. */
#ifndef _FTRACE_DISCOVER_SHIM_H
#define _FTRACE_DISCOVER_SHIM_H

#ifndef __ASSEMBLER__
#include "../hooks/shim.h"

int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found);
unsigned long arch_ftrace_recorded_call(unsigned long addr);
bool kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size, unsigned long *offset);
int kernel_text_address(unsigned long addr);

/* Per-CPU variables: ftrace_recorder is the only one. */
#define SHIM_CPUS	3
extern char shim_cpu[SHIM_CPUS][64];

#define DECLARE_PER_CPU_ALIGNED(type, name)	extern type name
#define DEFINE_PER_CPU_ALIGNED(type, name)	type name
#define per_cpu(var, cpu) (*(__typeof__(&(var)))			\
	(shim_cpu[cpu] + ((char *)&(var) - (char *)&ftrace_recorder)))
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)
#define smp_rmb()		__sync_synchronize()

/* Grace periods: a test looks at what there is when they begin. */
void synchronize_rcu_tasks_rude(void);
void synchronize_rcu_tasks(void);

#define scoped_guard(kind, m)						\
	for (struct mutex *_end __attribute__((cleanup(shim_mutex_end))) = \
	     shim_mutex_begin(m), *_once = (m); _once; _once = NULL)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)

static inline void list_splice_tail(struct list_head *list, struct list_head *head)
{
	while (!list_empty(list)) {
		struct list_head *first = list->next;

		list_del(first);
		list_add_tail(first, head);
	}
}

#define set_bit(nr, map)	((map)[(nr) / BITS_PER_LONG] |= 1UL << (nr) % BITS_PER_LONG)
#define bitmap_zero(map, nr)	memset(map, 0, BITS_TO_LONGS(nr) * sizeof(long))

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}
#endif

#endif /* _FTRACE_DISCOVER_SHIM_H */
