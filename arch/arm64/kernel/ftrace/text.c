// SPDX-License-Identifier: GPL-2.0
/*
 * Write kernel text, and have all CPUs fetch it anew.
 *
 * Which instructions may be replaced while other CPUs execute them, and what these CPUs
 * execute then, is in the section "Concurrent modification and execution of
 * instructions" of the Arm ARM: each of B, BL, NOP, BRK and some others may replace
 * another of these; a CPU executes the old or the new one, and need not be stopped
 * meanwhile. It executes the new one once
 *
 *	1. the word is stored, which is single-copy atomic as it is aligned,
 *	2. its data cache line is cleaned to the point of unification, and a DSB has
 *	   completed that,
 *	3. its instruction cache line is invalidated, which is broadcast to the inner
 *	   shareable domain, and a DSB has completed that,
 *	4. the CPU that executes it has had a context synchronization event.
 *
 * caches_clean_inval_pou() does 2 and 3 where the caches need it (CTR_EL0.IDC, DIC). It
 * is ordered after the stores before it: a DC CVAU comes after a store by the same CPU to
 * the same line, by whatever alias; if caches need no cleaning, a DSB takes its place.
 *
 * A CPU that RCU does not watch, idle or in user mode without a tick, runs noinstr, entry
 * and cpuidle text, and the middle of cpu_suspend() and of what it calls for PSCI. None of
 * that has sites, nor static keys whose changes spare it. It gets no interrupt, but has its
 * event for 4 before it runs anything else, see <asm/text-quiet.h>. Syncs are numbered for
 * that. A CPU in a KVM guest does get an interrupt.
 *
 * Not tested on arm64 hardware: emulators do not show what happens without 2 to 4.
 */
#include <linux/cache.h>
#include <linux/context_tracking.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/fixmap.h>
#include <asm/text-quiet.h>

#include "text.h"

/* Each entry to the kernel reads this, so no data that is written may share its line. */
atomic_long_t text_sync_nr __cacheline_aligned_in_smp;
DEFINE_PER_CPU_READ_MOSTLY(long, text_sync_seen);

/**
 * ftrace_map_text() - map a page of text writable
 * @slot: fixmap slot to use; clear_fixmap() unmaps it
 * @addr: an address in the page, in the kernel's text or in vmalloc space
 *
 * Preemption must stay off until the page is unmapped and the caches are clean:
 * __set_pte() and the DC CVAU order accesses of this CPU only.
 *
 * Context: Preemption is off. The caller owns @slot.
 * Return: The alias of @addr, NULL if @addr is not mapped.
 */
__le32 *ftrace_map_text(enum fixed_addresses slot, unsigned long addr)
{
	struct page *page;
	phys_addr_t phys;

	if (core_kernel_text(addr)) {
		phys = __pa_symbol(addr);
	} else {
		page = vmalloc_to_page((void *)addr);
		if (!page)
			return NULL;
		phys = page_to_phys(page);
	}
	__set_fixmap(slot, phys & PAGE_MASK, FIXMAP_PAGE_NORMAL);
	return (__le32 *)(__fix_to_virt(slot) + offset_in_page(addr));
}

/*
 * The interrupt itself is a context synchronization event, as all exceptions are: the
 * kernel never clears SCTLR_EL1.EIS. The ISB in here is for the CPU that sends the
 * interrupts, which gets none and need not be the one that wrote.
 */
static void forget(void *unused)
{
	sync_core_catch_up();
}

/* With VHE, the code that enters a guest and handles its exits is ordinary text. */
static bool may_run_text(int cpu, void *unused)
{
	const int state = atomic_read_acquire(&per_cpu(context_tracking, cpu).state);

	return (state & CT_RCU_WATCHING) || (state & CT_STATE_MASK) == CT_STATE_GUEST;
}

/**
 * text_poke_sync_kernel() - have all CPUs fetch kernel text that has been written
 *
 * For text that is not noinstr, entry or cpuidle text. On return each online CPU has had a
 * context synchronization event after the cache maintenance before this call, or RCU does
 * not watch it: then it will have one before it runs such text.
 *
 * A CPU that comes up executes sites before it is online, and gets no interrupt then. So
 * a caller that changes sites must hold the CPU hotplug lock.
 *
 * Context: Process context, interrupts on (except at boot).
 */
void text_poke_sync_kernel(void)
{
	/*
	 * A full barrier: orders the DSBs before the reads of the CPUs' state. Pairs
	 * with the one before sync_core_catch_up().
	 */
	(void)atomic_long_inc_return(&text_sync_nr);
	on_each_cpu_cond(may_run_text, forget, NULL, true);
}
