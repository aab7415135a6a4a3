// SPDX-License-Identifier: GPL-2.0
/*
 * A breakpoint in kernel text, and what the CPU should have done there.
 *
 * The handler promises that a breakpoint which the engine wrote, or which a CPU
 * believes to have seen where the engine wrote one once, always resolves, and
 * that one which somebody else wrote is left to him. It asks, in this order:
 *
 *   1. the changes that are being made now: old or new, as the moment says;
 *   2. the text: if there is no breakpoint any more, a CPU came late, or runs
 *      a stale translation (emulators do). What stands there is what it should
 *      do, and doing it here ends the matter even if the CPU would run into the
 *      same stale breakpoint again.
 *
 * These two suffice. The engine's breakpoints are in the text only while the
 * changes that they belong to are published, and who reads the text makes sure
 * that no others were published meanwhile. So a breakpoint that is in the text
 * and at none of the places being changed was not written by the engine: it is
 * a kprobe's, the debugger's, or a bug. It may lie at a jump label or at a call
 * site of ftrace all the same, and nobody says so before, so there must be no
 * other source that knows these places. The model in tools/testing/text_patch
 * runs through all of this, traps that come arbitrarily late included.
 *
 * A late trap does not lead to text that is gone: whoever frees text sees to it
 * that no CPU runs there, and the handler is part of running there.
 *
 * All of this runs before the CPU has entered the kernel properly: from NMI,
 * from idle, from user entry code, from the very functions that would be called
 * for help. It calls nothing that can be patched, takes no lock, and writes to
 * memory of its own CPU only.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/barrier.h>

#include "text_patch.h"

static struct text_live live;

DEFINE_PER_CPU(struct text_trap_cpu, text_trap_cpu);

/* Tries at one address before we admit that it leads nowhere. */
#define RESUME_MAX	10000

/**
 * text_live_publish - let the handler know changes that are about to be made
 * @vec:	the changes, sorted by address
 * @nr:		how many
 * @base:	address that they count from
 *
 * Must come before the first breakpoint is written: the release pairs with the
 * acquire in seq_now(), so a CPU that meets the breakpoint sees @vec.
 */
void text_live_publish(const struct text_patch *vec, u32 nr, unsigned long base)
{
	live.vec = vec;
	live.nr = nr;
	live.base = base;
	live.flipped = false;
	/* Pairs with the acquire in seq_now(). */
	smp_store_release(&live.seq, live.seq + 1);
	/* No breakpoint before that, whatever the mapping. */
	smp_wmb();
}

/* The moment: every place now does what it will be. */
void text_live_flip(void)
{
	WRITE_ONCE(live.flipped, true);
}

/*
 * No breakpoint of these changes is left in text. The release pairs with
 * seq_now(): a CPU that does not see the changes any more sees the text without
 * breakpoints.
 */
void text_live_withdraw(void)
{
	/* See above. */
	smp_store_release(&live.seq, live.seq + 1);
}

/*
 * Wait until no handler looks at changes that have been withdrawn.
 *
 * No sync could do that: a CPU on its way off or on line gets no interrupt and
 * can trap.
 *
 * The barrier pairs with the one in poke_int3_handler(): either we see that it
 * is active, or it sees that the changes are withdrawn.
 */
void text_trap_quiesce(void)
{
	int cpu;

	/* See above. */
	smp_mb();
	for_each_possible_cpu(cpu)
		while (READ_ONCE(per_cpu(text_trap_cpu.active, cpu)))
			cpu_relax();
}

/*
 * Has any CPU ever met a breakpoint that was gone? Real CPUs do in the moment in
 * which it goes, and an emulator's at any time, see settle() in commit.c.
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

/* Is there a change being made at @ip, and what should a CPU do there? */
static __always_inline
bool live_effect(unsigned long ip, struct text_effect *now)
{
	const struct text_patch *p;
	const u8 *insn;

	p = text_patch_search(live.vec, live.nr, live.base, ip);
	if (!p)
		return false;

	insn = p->whole && !READ_ONCE(live.flipped) ? p->old : p->act;
	*now = text_effect_of(insn, TEXT_PATCH_MAX);
	return true;
}

/*
 * The breakpoint is gone, but what stands there is not known to us. Let the CPU
 * run it. Should it find a breakpoint there again and again (no real one does),
 * then give up rather than hang.
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

/* The two questions of the file's head. */
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
		 * Text changes only while changes are published. If the same
		 * ones are, or none as before, then what was read is whole.
		 * Pairs with the release in text_live_publish().
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
 * poke_int3_handler - do what the instruction under a breakpoint would have
 * @regs: the registers that the trap saved
 *
 * Context: the trap itself, interrupts off, any context below it.
 * Return: 1 if it is done, 0 if the breakpoint is not the engine's.
 */
noinstr int poke_int3_handler(struct pt_regs *regs)
{
	bool done;

	if (user_mode(regs))
		return 0;

	this_cpu_inc(text_trap_cpu.active);
	/* Pairs with text_trap_quiesce(). */
	smp_mb();
	done = resolve(regs, regs->ip - INT3_INSN_SIZE);
	barrier();
	this_cpu_dec(text_trap_cpu.active);

	return done;
}
