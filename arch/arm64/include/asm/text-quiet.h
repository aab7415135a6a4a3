/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a CPU catches up with syncs that spared it, as RCU did not watch it.
 */
#ifndef _ASM_ARM64_TEXT_QUIET_H
#define _ASM_ARM64_TEXT_QUIET_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu-defs.h>
#include <asm/barrier.h>
#include <asm/percpu.h>

extern atomic_long_t text_sync_nr;
DECLARE_PER_CPU_READ_MOSTLY(long, text_sync_seen);

void text_poke_sync_kernel(void);

/**
 * sync_core_catch_up() - execute an ISB if a sync has spared this CPU
 *
 * Call this before any code that can be patched, and after a full barrier that follows
 * the store by which RCU watches the CPU. The barrier pairs with the one in
 * text_poke_sync_kernel(): either the writer sees that RCU watches and sends its
 * interrupt, or this sees the number of the writer's sync. In the latter case the branch
 * that depends on the load orders the ISB after it, and the code that follows is fetched
 * after the ISB.
 *
 * An NMI between that barrier and this call finds that RCU is watching. So each NMI
 * calls this, whatever it has interrupted.
 *
 * Context: noinstr. Preemption is off. Any context may have been interrupted.
 */
static __always_inline void sync_core_catch_up(void)
{
	const long nr = raw_atomic_long_read(&text_sync_nr);

	if (unlikely(nr != raw_cpu_read(text_sync_seen))) {
		isb();	/* a compiler barrier, too: the number is stored last */
		raw_cpu_write(text_sync_seen, nr);
	}
}

#endif /* _ASM_ARM64_TEXT_QUIET_H */
