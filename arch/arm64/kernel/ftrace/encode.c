// SPDX-License-Identifier: GPL-2.0
/*
 * Generate the code of trampolines.
 *
 *	copied		a nop, saves registers, loads x0, x1, x3 for the first call
 *	generated	loads x2, calls; for each further call, x0, x1, x3 again
 *	copied		restores registers, continues in the function or a direct call
 *	literals	third arguments, and addresses of callbacks that are far away
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/ftrace/arch.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "encode.h"
#include "entry.h"

#define INSN_SIZE	4
#define BRK_FAULT	0xd4202000	/* as AARCH64_BREAK_FAULT */
#define LDR_LITERAL	0x58000000
#define BL		0x94000000
#define BLR_X16		0xd63f0200

static void put(struct ftrace_code *code, u32 insn)
{
	if (code->buf)
		code->buf[code->nr] = insn;
	code->nr++;
}

static void put_part(struct ftrace_code *code, const u32 *part, const u32 *end)
{
	while (part < end)
		put(code, *part++);
}

static void put_literal(struct ftrace_code *code, unsigned int reg, u64 value)
{
	const u32 words = code->literals - code->nr;

	if (code->buf)
		memcpy(code->buf + code->literals, &value, sizeof(value));
	code->literals += sizeof(value) / INSN_SIZE;
	put(code, LDR_LITERAL | (words & GENMASK(18, 0)) << 5 | reg);
}

static void put_bl(struct ftrace_code *code, unsigned long func)
{
	const unsigned long ip = code->ip + code->nr * INSN_SIZE;

	if (code->buf && !ftrace_in_reach(ip, func))
		code->err = -ERANGE;
	put(code, BL | ((func - ip) / INSN_SIZE & GENMASK(25, 0)));
}

/*
 * Generate a trampoline. A callback is called by a BL if @is_near returns true for it,
 * else through x16; so the trampoline's size does not depend on its address. The literals
 * follow the code, so a first pass must count the code's words.
 */
void ftrace_put_tramp(struct ftrace_code *code, const struct ftrace_tramp_spec *spec,
		      bool (*is_near)(unsigned long func))
{
	unsigned int i;

	put_part(code, ftrace_part_enter, ftrace_part_enter_end);
	for (i = 0; i < spec->nr; i++) {
		const unsigned long func = (unsigned long)spec->calls[i].func;

		if (i)
			put_part(code, ftrace_part_again, ftrace_part_again_end);
		put_literal(code, 2, (u64)spec->calls[i].arg);
		if (is_near(func)) {
			put_bl(code, func);
		} else {
			put_literal(code, 16, func);
			put(code, BLR_X16);
		}
	}
	if (spec->direct)
		put_part(code, ftrace_part_away, ftrace_part_away_end);
	else
		put_part(code, ftrace_part_leave, ftrace_part_leave_end);
	/* Align the literals to 8 bytes. No CPU runs this: the last part ends with a branch. */
	if (code->nr % 2)
		put(code, BRK_FAULT);
}
