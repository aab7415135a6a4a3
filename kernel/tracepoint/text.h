/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text transactions, where the architecture has them: all keys and calls that
 * a task changes between begin and commit become live at the commit, in any
 * order and with few cross-CPU syncs.
 *
 * Without them, some architectures have one sync for all keys, arch_jump_label_hold(),
 * and on others each change is live at once: the result is the same, with more syncs.
 * But there the target of a static call may be data that a CPU has loaded, or text
 * that it has fetched: hence tp_text_settle() after the commit, before another array
 * is published.
 */
#ifndef _KERNEL_TRACEPOINT_TEXT_H
#define _KERNEL_TRACEPOINT_TEXT_H

#ifdef CONFIG_X86_TEXT_PATCH
#include <linux/list.h>
#include <asm/text-transaction.h>

/* Nothing to do: the commit has synced the CPUs. */
static inline void tp_text_settle(void)
{
}
#else
#include <linux/context_tracking_state.h>
#include <linux/jump_label.h>
#include <linux/smp.h>

/* Text that cannot be changed is not reported: there are no faults. */
struct text_patch_tx {
	struct {
		void *addr;
		int err;
	} first;
	unsigned int nr_faults;
};

/* tracepoints_mutex serialises transactions. */
static inline void text_patch_begin(struct text_patch_tx *tx)
{
#ifdef arch_jump_label_hold
	arch_jump_label_hold();
#endif
}

static inline void text_patch_flush(void)
{
}

static inline int text_patch_commit(struct text_patch_tx *tx)
{
#ifdef arch_jump_label_hold
	arch_jump_label_release();
#endif
	return 0;
}

/* A CPU that RCU does not watch, as an idle one, is in no hit. */
static inline bool tp_may_be_hit(int cpu, void *unused)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return ct_rcu_watching_cpu_acquire(cpu) & CT_RCU_WATCHING;
#else
	return true;
#endif
}

static inline void tp_met(void *unused)
{
}

/*
 * A hit loads the array before the target, but no barrier orders the two loads. After
 * the interrupt, a CPU that has yet to load the array will load the target, too. See
 * tools/testing/tracepoint/model.c.
 */
static inline void tp_text_settle(void)
{
	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		return;
	/*
	 * Targets are stored before the state of CPUs is read: one that is not watched yet
	 * sees them once it is. Pairs with the full barrier in ct_state_inc().
	 */
	smp_mb();
	on_each_cpu_cond(tp_may_be_hit, tp_met, NULL, true);
}
#endif

#endif /* _KERNEL_TRACEPOINT_TEXT_H */
