// SPDX-License-Identifier: GPL-2.0
/*
 * Syncs, and how they spare the CPUs that RCU does not watch: those that are idle,
 * and with context tracking those that run user code or a guest.
 *
 * Such a CPU runs noinstr, entry and cpuidle text only. If there has been a sync
 * meanwhile, it catches up: it serialises before it runs anything else. Syncs are
 * numbered, and each CPU keeps the number of the last one that it has had. A change
 * of noinstr, entry or cpuidle text needs a sync of all CPUs.
 *
 * The model in tools/testing/text_patch explores this, with NMIs in between.
 */
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/context_tracking.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <asm/sections.h>
#include <asm/sync_core.h>
#include <asm/text-quiet.h>

#include "text_patch.h"

/* Each entry to the kernel reads this, so no data that is written may share its line. */
atomic_long_t text_sync_nr __cacheline_aligned_in_smp;
DEFINE_PER_CPU_READ_MOSTLY(long, text_sync_seen);

/* Number of the last sync that has returned. */
static long text_synced_nr;

static bool quiet __ro_after_init = true;

/* text_patch_quiet=0|1 */
static int __init set_quiet_at_boot(char *word)
{
	if (kstrtobool(word, &quiet))
		pr_warn("text_patch_quiet: \"%s\" is neither 0 nor 1\n", word);
	return 1;
}
__setup("text_patch_quiet=", set_quiet_at_boot);

/*
 * Serialise this CPU, and note that it has had sync @nr. The number is stored last, and is
 * not read again: an NMI in between catches up for itself, and a sync that begins in
 * between must still be caught up with.
 */
noinstr void text_catch_up(long nr)
{
	/* A compiler barrier, too. */
	sync_core();
	raw_cpu_write(text_sync_seen, nr);
}

static void forget(void *unused)
{
	text_catch_up(raw_atomic_long_read(&text_sync_nr));
}

static bool is_watched(int cpu, void *unused)
{
	/* The lowest bit says whether RCU watches, those above it are a counter. */
	if (ct_rcu_watching_cpu_acquire(cpu) & CT_RCU_WATCHING)
		return true;
	text_commit_stat.spared++;
	return false;
}

/**
 * text_sync() - serialise CPUs after a change of text
 * @everywhere:	sync CPUs that RCU does not watch, too
 *
 * On return each CPU that is online has executed a serialising instruction after
 * everything that was written before the call or, unless @everywhere, will do so
 * before it runs anything but noinstr, entry and cpuidle text. A CPU that comes online
 * later does so when it comes online.
 *
 * Context: Process context, interrupts on (except at early boot).
 */
void text_sync(bool everywhere)
{
	long nr;

	/*
	 * A full barrier: orders the new bytes before the reads of the CPUs'
	 * state. Pairs with the one before sync_core_catch_up(). Needed even if
	 * no CPU is spared: those that come online meanwhile get no interrupt.
	 */
	nr = atomic_long_inc_return(&text_sync_nr);
	if (everywhere || !quiet)
		on_each_cpu(forget, NULL, true);
	else
		on_each_cpu_cond(is_watched, forget, NULL, true);
	/* After each CPU's text_sync_seen. Pairs with the acquire in text_is_caught_up(). */
	smp_store_release(&text_synced_nr, nr);
}

static __always_inline bool is_in(unsigned long ip, const char *start,
				  const char *end)
{
	return ip >= (unsigned long)start && ip < (unsigned long)end;
}

/**
 * text_is_caught_up() - has this CPU caught up with all syncs that have returned?
 * @ip:		address that it runs at
 *
 * For a check with CONFIG_DEBUG_ENTRY: without it, a CPU that runs stale instructions
 * may go unnoticed for years.
 *
 * A sync does not include CPUs that are offline. These catch up when they come online.
 *
 * Context: noinstr. Any context may have been interrupted.
 * Return: false if the CPU should have caught up before it came to @ip.
 */
noinstr bool text_is_caught_up(unsigned long ip)
{
	/* Read this first: the CPU may catch up with a sync that returns in between. */
	const long nr = smp_load_acquire(&text_synced_nr);

	return raw_cpu_read(text_sync_seen) - nr >= 0 ||
	       !rcu_is_watching_curr_cpu() ||
	       arch_cpu_is_offline(raw_smp_processor_id()) ||
	       is_in(ip, __noinstr_text_start, __noinstr_text_end) ||
	       is_in(ip, __entry_text_start, __entry_text_end);
}

/**
 * smp_text_poke_sync_each_cpu() - serialise all CPUs after a change of text
 *
 * On return each CPU that is online has executed a serialising instruction after
 * everything that was written before the call, and has left all code that it ran
 * with interrupts off, breakpoint handlers included.
 *
 * Context: Process context, interrupts on (except at early boot).
 */
void smp_text_poke_sync_each_cpu(void)
{
	text_sync(true);
}

/**
 * text_poke_sync_kernel() - serialise CPUs after a change of kernel text
 *
 * As smp_text_poke_sync_each_cpu(), but for changes of kernel text that is not
 * noinstr, entry or cpuidle text: spares CPUs that RCU does not watch.
 *
 * Context: Process context, interrupts on (except at early boot).
 */
void text_poke_sync_kernel(void)
{
	text_sync(false);
}

#ifdef CONFIG_MODULES
/* Is any of the changes in [@i, @end) in noinstr text of a module? */
static bool any_in_modules(const struct text_patch *vec, u32 i, u32 end,
			   unsigned long base)
{
	guard(rcu)();
	while (i < end) {
		const unsigned long addr = text_patch_addr(vec + i, base);
		const struct module *mod = __module_address(addr);
		const struct module_memory *text;
		unsigned long start;

		i++;
		if (!mod)
			continue;
		start = (unsigned long)mod->noinstr_text_start;
		if (text_patch_any_in(vec, end, base, start,
				      start + mod->noinstr_text_size))
			return true;
		text = &mod->mem[MOD_TEXT];
		start = (unsigned long)text->base;
		/* The other changes in this module's text need not be checked. */
		if (addr - start < text->size)
			i = text_patch_from(vec, end, base, start + text->size);
	}
	return false;
}
#else
static bool any_in_modules(const struct text_patch *vec, u32 i, u32 end,
			   unsigned long base)
{
	return false;
}
#endif

/**
 * text_sync_is_for_all() - is text changed that runs while RCU does not watch?
 * @vec:	the changes, sorted by address
 * @nr:		number of changes
 * @base:	address that they are relative to
 *
 * Context: Process context. Caller holds text_mutex.
 * Return: true if a CPU that RCU does not watch may run one of the places.
 */
bool text_sync_is_for_all(const struct text_patch *vec, u32 nr,
			  unsigned long base)
{
	const u32 below = text_patch_from(vec, nr, base, (unsigned long)_stext);
	const u32 above = text_patch_from(vec, nr, base, (unsigned long)_etext);

	return text_patch_any_in(vec, nr, base,
				 (unsigned long)__noinstr_text_start,
				 (unsigned long)__noinstr_text_end) ||
	       text_patch_any_in(vec, nr, base,
				 (unsigned long)__entry_text_start,
				 (unsigned long)__entry_text_end) ||
	       any_in_modules(vec, 0, below, base) ||
	       any_in_modules(vec, above, nr, base);
}
