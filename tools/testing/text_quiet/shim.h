/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel that spare.c gives the engine's own quiet.c: four CPUs in one thread. */
#ifndef _TEXT_QUIET_SHIM_H
#define _TEXT_QUIET_SHIM_H

#include "../text_patch/shim.h"

#define CPUS			4

typedef struct {
	long n;
} atomic_long_t;

#define raw_atomic_long_read(a)	((a)->n)
#define atomic_long_inc_return(a) (++(a)->n)

/* Per-CPU variables are arrays. */
extern int this_cpu;
#define DECLARE_PER_CPU(type, name)		extern type name[CPUS]
#define DECLARE_PER_CPU_READ_MOSTLY		DECLARE_PER_CPU
#define DEFINE_PER_CPU_READ_MOSTLY(type, name)	type name[CPUS]
#define raw_cpu_read(name)			((name)[this_cpu])
#define raw_cpu_write(name, v)			((name)[this_cpu] = (v))
#define __cacheline_aligned_in_smp
#define __ro_after_init
#define __init
#define noinstr

typedef unsigned long pte_t;

int kstrtobool(const char *word, bool *answer);
extern int warned;
#define pr_warn(fmt, ...)	((void)(fmt), warned++)
#define __setup(word, function)	int (*const at_boot)(char *) = function;

#define CT_RCU_WATCHING		BIT(2)
int ct_rcu_watching_cpu_acquire(int cpu);
bool rcu_is_watching_curr_cpu(void);
#define raw_smp_processor_id()	this_cpu
extern int offline_cpu;
#define arch_cpu_is_offline(cpu) ((cpu) == offline_cpu)
void sync_core(void);
void on_each_cpu(void (*func)(void *info), void *info, bool wait);
void on_each_cpu_cond(bool (*cond)(int cpu, void *info), void (*func)(void *info),
		      void *info, bool wait);

/* The kernel's text. */
#define _stext			((char *)0x81000000UL)
#define _etext			((char *)0x81400000UL)
#define __entry_text_start	((char *)0x81100000UL)
#define __entry_text_end	((char *)0x81101000UL)
#define __noinstr_text_start	((char *)0x81200000UL)
#define __noinstr_text_end	((char *)0x81202000UL)

enum { MOD_TEXT, MOD_INIT_TEXT, MOD_TYPES };

struct module_memory {
	void *base;
	unsigned int size;
};

struct module {
	struct module_memory mem[MOD_TYPES];
	void *noinstr_text_start;
	unsigned int noinstr_text_size;
};

struct module *__module_address(unsigned long addr);

#endif /* _TEXT_QUIET_SHIM_H */
