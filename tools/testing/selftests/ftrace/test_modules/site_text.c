// SPDX-License-Identifier: GPL-2.0
/*
 * The text of call sites, written as others than the tracer write it: other
 * bytes, and breakpoints.
 *
 * Breakpoints are written by text_poke_kgdb(), one byte each. Their handler acts
 * as a debugger that continues: the instruction under the breakpoint is executed.
 */
#include <linux/kdebug.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/unaligned.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "states.h"

/* A nop, but not one that the tracer writes. */
const u8 other_nop[SITE_SIZE] = { 0x66, 0x66, 0x66, 0x66, 0x90 };

static struct mutex *text_lock;
static void *(*poke)(void *addr, const void *bytes, size_t len);
static void (*sync_text)(void);

void write_text(unsigned long addr, const void *bytes, size_t len)
{
	mutex_lock(text_lock);
	poke((void *)addr, bytes, len);
	sync_text();
	mutex_unlock(text_lock);
}

/* The breakpoint: its address or 0, the byte under it, how often it trapped. */
unsigned long held_ip;
u8 held_byte;
unsigned int nr_traps;

void set_breakpoint(unsigned long ip)
{
	static const u8 int3 = INT3_INSN_OPCODE;

	held_byte = *(u8 *)ip;
	WRITE_ONCE(held_ip, ip);
	write_text(ip, &int3, 1);
}

void clear_breakpoint(void)
{
	write_text(held_ip, &held_byte, 1);
	WRITE_ONCE(held_ip, 0);
}

static unsigned long destination(unsigned long ip)
{
	return ip + SITE_SIZE + get_unaligned((s32 *)(ip + 1));
}

/* Emulate the instruction under the breakpoint: a call, a jump, or else a nop. */
static int go_on(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	const unsigned long ip = regs->ip - INT3_INSN_SIZE;

	if (event != DIE_INT3 || user_mode(regs) || ip != READ_ONCE(held_ip))
		return NOTIFY_DONE;
	WRITE_ONCE(nr_traps, nr_traps + 1);
	if (held_byte == CALL_INSN_OPCODE)
		int3_emulate_call(regs, ip + SITE_SIZE, destination(ip));
	else if (held_byte == JMP32_INSN_OPCODE)
		regs->ip = destination(ip);
	else
		regs->ip = ip + SITE_SIZE;
	return NOTIFY_STOP;
}

static struct notifier_block go_on_nb = { .notifier_call = go_on, .priority = INT_MAX };

/* The target of the call or jump under the breakpoint; 0: it is a nop. */
unsigned long target_under(void)
{
	if (held_byte != CALL_INSN_OPCODE && held_byte != JMP32_INSN_OPCODE)
		return 0;
	return destination(held_ip);
}

int site_text_init(void)
{
	text_lock = (void *)lookup("text_mutex");
	poke = (void *)lookup("text_poke_kgdb");
	sync_text = (void *)lookup("smp_text_poke_sync_each_cpu");
	if (!text_lock || !poke || !sync_text)
		return -ENOENT;
	return register_die_notifier(&go_on_nb);
}
