// SPDX-License-Identifier: GPL-2.0
/*
 * The breakpoint handler: emulate the instruction that a breakpoint replaces.
 *
 * The handler resolves every breakpoint that the engine wrote, including one
 * that it has removed but a CPU still sees, and leaves breakpoints of others to
 * their owners. It looks, in this order, at
 *
 *   1. the changes of the current walk: the old or the new instruction, depending
 *      on the flip;
 *   2. the text: if it has no breakpoint any more, a CPU traps late or runs a
 *      stale translation (emulators do). The handler emulates the instruction
 *      that is there, which helps even if the CPU traps at the same stale
 *      breakpoint again.
 *
 * These two suffice. The engine's breakpoints are in the text only while their
 * changes are published, and after reading the text the handler checks that no
 * others were published meanwhile. So a breakpoint that is in the text and at
 * none of the places being changed was not written by the engine: it belongs to
 * a kprobe or the debugger, or is a bug. Such a breakpoint may be at a jump
 * label or at a call site of ftrace, and its owner does not announce it, so the
 * handler must not consult the tables of jump labels or ftrace. The model in
 * tools/testing/text_patch explores all of this, including traps that are
 * arbitrarily late.
 *
 * A late trap is never in text that has been freed: code that frees text must ensure
 * that no CPU runs in it, and a CPU in the handler counts as running in it.
 *
 * The handler runs before the CPU has entered the kernel properly: from NMI,
 * from idle, from user entry code, from functions that it would otherwise call.
 * It calls nothing that can be patched, takes no lock, and writes only to
 * memory of its own CPU.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/barrier.h>

#include "text_patch.h"

static struct text_live live;

DEFINE_PER_CPU(struct text_trap_cpu, text_trap_cpu);

/* Traps in a row at one address before the handler gives up. */
#define RESUME_MAX	10000

/**
 * text_live_publish() - publish changes to the handler
 * @vec:	the changes, sorted by address
 * @nr:		number of changes
 * @base:	address that they are relative to
 *
 * Call this before the first breakpoint is written, and after text_trap_quiesce() for
 * the previous changes: then no handler reads the fields that this writes.
 *
 * Context: Any context. Caller holds text_mutex.
 */
void text_live_publish(const struct text_patch *vec, u32 nr, unsigned long base)
{
	live.vec = vec;
	live.nr = nr;
	live.base = base;
	live.flipped = false;
	/* Orders the fields before @seq. Pairs with the acquire in seq_now(). */
	smp_store_release(&live.seq, live.seq + 1);
	/*
	 * Orders @seq before the first breakpoint, by whatever mapping that is
	 * written: a CPU that traps at one sees @seq. Pairs with the smp_rmb() in
	 * resolve().
	 */
	smp_wmb();
}

/* The flip: from here on every place acts as its new instruction. */
void text_live_flip(void)
{
	WRITE_ONCE(live.flipped, true);
}

/* Withdraw the published changes when no breakpoint of them is left in the text. */
void text_live_withdraw(void)
{
	/*
	 * Pairs with the acquire in seq_now(): a CPU that sees the changes withdrawn
	 * sees the text without their breakpoints.
	 */
	smp_store_release(&live.seq, live.seq + 1);
}

/*
 * Wait until no handler reads changes that have been withdrawn. A sync could
 * not do that: a CPU that is going offline or coming online does not get its
 * interrupt but can trap.
 */
void text_trap_quiesce(void)
{
	int cpu;

	/*
	 * Pairs with smp_text_poke_int3_handler(): either this sees that the handler
	 * is active, or the handler sees that the changes are withdrawn.
	 */
	smp_mb();
	for_each_possible_cpu(cpu)
		while (READ_ONCE(per_cpu(text_trap_cpu.active, cpu)))
			cpu_relax();
}

/*
 * Has any CPU ever trapped at a breakpoint that was gone? Real CPUs do so only
 * just after its removal, emulated CPUs at any time; see translates_text() in
 * commit.c.
 */
bool text_trap_any_late(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(text_trap_cpu.late, cpu)))
			return true;
	return false;
}

static __always_inline unsigned int seq_now(void)
{
	/* Pairs with the releases that publish and withdraw. */
	return smp_load_acquire(&live.seq);
}

/*
 * Find the change at @ip in the current walk, and the instruction to emulate.
 *
 * Return: False if there is no such change.
 */
static __always_inline
bool live_effect(unsigned long ip, struct text_effect *now)
{
	const struct text_patch *p;
	const u8 *insn;

	p = text_patch_search(live.vec, live.nr, live.base, ip);
	if (!p)
		return false;

	/* Decode @len bytes only: those after them do not belong to the instruction. */
	insn = p->whole && !READ_ONCE(live.flipped) ? p->old : p->act;
	*now = text_effect_of(insn, p->len);
	return true;
}

/*
 * The breakpoint is gone, and the engine does not know the instruction that is
 * there. Let the CPU run it. If the CPU traps there again and again, which no
 * real CPU does, give up rather than hang.
 */
static __always_inline bool resume_at(struct pt_regs *regs, unsigned long ip)
{
	if (this_cpu_read(text_trap_cpu.resume_ip) != ip) {
		this_cpu_write(text_trap_cpu.resume_ip, ip);
		this_cpu_write(text_trap_cpu.resume_nr, 0);
	}
	this_cpu_inc(text_trap_cpu.resume_nr);
	if (this_cpu_read(text_trap_cpu.resume_nr) > RESUME_MAX)
		return false;

	this_cpu_inc(text_trap_cpu.resumed);
	int3_emulate_jmp(regs, ip);
	return true;
}

/* Resolve a trap by the changes, else by the text; see the top of this file. */
static __always_inline bool resolve(struct pt_regs *regs, unsigned long ip)
{
	struct text_effect now;
	unsigned int seq;

	for (;;) {
		seq = seq_now();
		if ((seq & 1) && live_effect(ip, &now)) {
			this_cpu_inc(text_trap_cpu.live);
			return text_effect_act(regs, ip, &now);
		}

		now = text_effect_of((const u8 *)ip, TEXT_PATCH_MAX);
		/*
		 * Places change only while changes are published. If @seq is
		 * still the same, the bytes that were read belong together,
		 * except for the first one, which may be a foreign breakpoint.
		 * Pairs with the smp_wmb() in text_live_publish().
		 */
		smp_rmb();
		if (likely(seq_now() == seq))
			break;
	}

	if (now.kind == TEXT_UNKNOWN)
		return resume_at(regs, ip);
	if (now.kind == TEXT_TRAP)
		return false;
	this_cpu_inc(text_trap_cpu.late);
	return text_effect_act(regs, ip, &now);
}

/**
 * smp_text_poke_int3_handler() - emulate the instruction under a breakpoint
 * @regs:	registers that the trap saved
 *
 * Context: The #BP trap, interrupts off. Any context may have been interrupted.
 * Return: 1 if the instruction was emulated or will be run again, 0 if the
 *	   breakpoint is not the engine's.
 */
noinstr int smp_text_poke_int3_handler(struct pt_regs *regs)
{
	bool done;

	if (user_mode(regs))
		return 0;
	if (IS_ENABLED(CONFIG_DEBUG_ENTRY))
		WARN_ON_ONCE(!text_is_caught_up(regs->ip - INT3_INSN_SIZE));

	this_cpu_inc(text_trap_cpu.active);
	/* Pairs with text_trap_quiesce(). */
	smp_mb();
	done = resolve(regs, regs->ip - INT3_INSN_SIZE);
	barrier();
	this_cpu_dec(text_trap_cpu.active);

	return done;
}
