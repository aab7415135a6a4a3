/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a CPU catches up with syncs that spared it, as RCU did not watch it.
 *
 * See Documentation/arch/x86/text-quiet.rst.
 */
#ifndef _ASM_X86_TEXT_QUIET_H
#define _ASM_X86_TEXT_QUIET_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu-defs.h>
#include <asm/percpu.h>

extern atomic_long_t text_sync_nr;
DECLARE_PER_CPU_READ_MOSTLY(long, text_sync_seen);

void text_catch_up(long nr);
void text_poke_sync_kernel(void);

/**
 * sync_core_catch_up() - serialise this CPU if a sync has spared it
 *
 * Call this before any code that can be patched, and after a full barrier that follows
 * the store by which RCU watches the CPU or the CPU is marked online. The barrier pairs
 * with the one in text_sync(): either the writer sees that store and sends its
 * interrupt, or this sees the number of the writer's sync.
 *
 * An NMI between that barrier and this call finds that RCU is watching. So each NMI
 * calls this, whatever it has interrupted.
 *
 * Context: noinstr. Preemption is off. Any context may have been interrupted.
 */
static __always_inline void sync_core_catch_up(void)
{
	const long nr = raw_atomic_long_read(&text_sync_nr);

	if (unlikely(nr != raw_cpu_read(text_sync_seen)))
		text_catch_up(nr);
}

#endif /* _ASM_X86_TEXT_QUIET_H */
