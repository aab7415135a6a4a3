/* SPDX-License-Identifier: GPL-2.0 */
/* What <linux/tracepoint.h> is made of, for a program that hits tracepoints. */
#ifndef _TRACEPOINT_PLACES_H
#define _TRACEPOINT_PLACES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#define CONFIG_TRACEPOINTS 1
#define CONFIG_LOCKDEP 1
#define IS_ENABLED(option) option
#define __rcu
#define notrace
#define __used __attribute__((used))
#define __aligned(n) __attribute__((aligned(n)))
#define __section(name) __attribute__((section(name)))
#define CFI_NOSEAL(function)

typedef unsigned int u32;

struct module;
struct notifier_block;

struct list_head {
	struct list_head *next, *prev;
};

struct rcu_head {
	struct rcu_head *next;
};

typedef void (*rcu_callback_t)(struct rcu_head *rcu);

static inline void call_rcu_tasks_trace(struct rcu_head *rcu, rcu_callback_t func)
{
}

#define rcu_dereference_raw(p) (p)

struct srcu_struct;

static inline void call_srcu(struct srcu_struct *ssp, struct rcu_head *rcu,
			     rcu_callback_t func)
{
}

struct static_key_false {
	bool enabled;
};

#define STATIC_KEY_FALSE_INIT { false }
#define static_branch_unlikely(branch) ((branch)->enabled)

struct static_call_key {
	void *func;
};

#define STATIC_CALL_KEY(name) key_of_##name
#define STATIC_CALL_TRAMP_ADDR(name) NULL
#define DECLARE_STATIC_CALL(name, function) \
	extern struct static_call_key STATIC_CALL_KEY(name)
#define DEFINE_STATIC_CALL(name, function) struct static_call_key STATIC_CALL_KEY(name) = { function };

/* They record what a hit does, in order: see places_test.c. */
void note(char what);
bool holds(char what);

#define guard(kind) guard_##kind
#define guard_srcu_fast_notrace(ssp) note('s')
#define guard_rcu_tasks_trace() note('t')
#define might_fault() note('f')
#define rcu_is_watching() holds('w')
#define cpu_online(cpu) holds('o')
#define raw_smp_processor_id() 0
#define WARN_ONCE(x, ...) ((x) ? note('!') : (void)0)

#endif /* _TRACEPOINT_PLACES_H */
