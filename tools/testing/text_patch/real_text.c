// SPDX-License-Identifier: GPL-2.0
/*
 * Generate the text that real.c changes.
 *
 * Each place follows an instruction that loads a value and is followed by one
 * that stores it. What the place does changes that value: it calls a function
 * that loads another one, jumps over such a load, clears it, or does nothing.
 * Gaps between places are jumped over and filled with breakpoints, so that a
 * wrong displacement traps.
 */
#include <sys/mman.h>
#include <unistd.h>
#include "real_text.h"

#define TEXT_SIZE		(192 * PAGE_SIZE)
#define LINE			64

struct place real_place[REAL_PLACES];
struct lane real_lane[REAL_LANES];
const char * const real_kinds[NR_KINDS] = {
	[KIND_CALL]	= "nop or call",
	[KIND_LONG]	= "long nop or call",
	[KIND_ZERO]	= "zero or call",
	[KIND_JUMP]	= "nop or jump",
	[KIND_JUMP2]	= "nop or jump, 2 bytes",
	[KIND_BRANCH]	= "conditional jump",
	[KIND_RETURN]	= "return or jump",
};

u8 *real_text, *real_text_end;
int real_text_file;

static u8 *writable;		/* the same text, mapped writable */
static u32 at;			/* where the next instruction goes */
static unsigned long called[2];	/* functions that load 1 and 2 */

/* The upper bits of Knuth's linear congruential generator. */
u32 real_dice(u64 *dice, u32 sides)
{
	*dice = *dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*dice >> 33) % sides;
}

static unsigned long here(void)
{
	return (unsigned long)real_text + at;
}

static void put(const void *bytes, u32 len)
{
	BUG_ON(at + len > TEXT_SIZE);
	memcpy(writable + at, bytes, len);
	at += len;
}

#define PUT(...)	put((const u8 []){ __VA_ARGS__ }, sizeof((u8 []){ __VA_ARGS__ }))

static void put_load(u8 value)
{
	PUT(0xb8, value, 0, 0, 0);		/* mov $value, %eax */
}

static void put_store(u32 index)
{
	PUT(0x88, 0x87);			/* mov %al, index(%rdi) */
	put(&index, 4);
}

/* Continue @len bytes further on: a jump, or nops if there is no room for one. */
static void skip(u32 len)
{
	const s32 disp = len - JMP32_INSN_SIZE;

	if (len >= JMP32_INSN_SIZE) {
		PUT(JMP32_INSN_OPCODE);
		put(&disp, 4);
		at += disp;
	} else {
		while (len--)
			PUT(0x90);
	}
}

static void insn(struct place *p, u8 value, const void *bytes)
{
	memcpy(p->insn[p->nr], bytes, p->len);
	p->value[p->nr++] = value;
}

static void towards(struct place *p, u8 value, unsigned long to)
{
	u8 bytes[CALL_INSN_SIZE];

	p->to[p->nr] = to;
	text_call_or_nop(bytes, p->addr, to);
	insn(p, value, bytes);
}

static void calls(struct place *p)
{
	towards(p, 1, called[0]);
	towards(p, 2, called[1]);
}

static void branch(struct place *p, u8 value, u8 cc, s32 disp)
{
	u8 bytes[TEXT_PATCH_MAX] = { 0x0f, 0x80 | cc };

	memcpy(bytes + 2, &disp, 4);
	insn(p, value, bytes);
}

/* Write a place and the instructions around it, see the head of this file. */
static void put_place(struct place *p, u32 index, u64 *dice)
{
	static const u8 zero[] = { 0x2e, 0x2e, 0x2e, 0x31, 0xc0 };
	static const u8 nop2[] = { BYTES_NOP2 }, jump2[] = { JMP8_INSN_OPCODE, 5 };
	/* By hand, as TEXT_BY_JUMP needs even targets. */
	static const u8 jump[] = { JMP32_INSN_OPCODE, 5, 0, 0, 0 };
	static const u8 padded[] = { RET_INSN_OPCODE, 0xcc, 0xcc, 0xcc, 0xcc };
	/* Conditions that hold after a register was cleared. */
	static const u8 taken[] = { 0x1, 0x3, 0x4, 0x6, 0x9, 0xa, 0xd, 0xe };
	const u8 cc = taken[real_dice(dice, ARRAY_SIZE(taken))];

	put_load(7);
	if (p->kind == KIND_RETURN)
		PUT(CALL_INSN_OPCODE, 2, 0, 0, 0, JMP8_INSN_OPCODE, 5);
	else if (p->kind == KIND_BRANCH)
		PUT(0x31, 0xc9);		/* xor %ecx, %ecx */
	p->addr = here();
	p->line = p->addr / LINE != (p->addr + p->len - 1) / LINE;
	p->page = p->addr / PAGE_SIZE != (p->addr + p->len - 1) / PAGE_SIZE;

	switch (p->kind) {
	case KIND_CALL:
		towards(p, 7, index & 1 ? TEXT_NOP : TEXT_NOP_JUMP);
		calls(p);
		break;
	case KIND_LONG:
		towards(p, 7, TEXT_NOP_LONG);
		calls(p);
		break;
	case KIND_ZERO:
		insn(p, 0, zero);
		calls(p);
		break;
	case KIND_JUMP:
		towards(p, 8, TEXT_NOP);
		insn(p, 7, jump);
		break;
	case KIND_JUMP2:
		insn(p, 8, nop2);
		insn(p, 7, jump2);
		break;
	case KIND_BRANCH:
		branch(p, 8, cc, 5);
		branch(p, 7, cc, 8);
		branch(p, 9, cc ^ 1, 8);
		break;
	case KIND_RETURN:
		insn(p, 7, padded);
		towards(p, 1, called[0] | TEXT_BY_JUMP);
		towards(p, 2, called[1] | TEXT_BY_JUMP);
		break;
	}

	put(p->insn[0], p->len);
	if (p->kind == KIND_LONG)
		PUT(BYTES_NOP4);
	if (p->kind == KIND_JUMP || p->kind == KIND_JUMP2 || p->kind == KIND_BRANCH)
		put_load(8);
	if (p->kind == KIND_BRANCH)
		PUT(0x83, 0xc0, 1);		/* add $1, %eax */
	put_store(index);
}

/*
 * Choose where the next place goes: anywhere, or so that it crosses a cache line
 * or, now and then, a page.
 */
static void put_space(const struct place *p, u32 index, u64 *dice)
{
	/* The bytes that put_place() writes before the place. */
	const u32 before = 5 + (p->kind == KIND_RETURN ? 7 : p->kind == KIND_BRANCH ? 2 : 0);
	const u32 unit = index % 8 == 5 ? PAGE_SIZE : LINE;
	const u32 inside = 1 + real_dice(dice, p->len - 1);

	if (index % 8 < 3)
		skip(real_dice(dice, 24));
	else
		skip((0u - inside - before - at) % unit);
}

static void put_lane(struct lane *lane, u32 first, u32 nr, u64 *dice)
{
	u32 i;

	at = (at + LINE) & ~(LINE - 1);
	*lane = (struct lane) { .run = (void *)here(), .first = first, .nr = nr };
	for (i = 0; i < nr; i++) {
		struct place *p = &real_place[first + i];

		p->kind = i % NR_KINDS;
		p->len = p->kind == KIND_JUMP2 ? 2 : p->kind == KIND_BRANCH ? 6 : 5;
		put_space(p, i, dice);
		put_place(p, i, dice);
	}
	PUT(RET_INSN_OPCODE);
}

/* Map the text twice, executable and writable, and fill it. */
void real_text_make(void)
{
	u64 dice = 1;
	u32 i;

	real_text_file = memfd_create("text", MFD_CLOEXEC);
	if (real_text_file < 0 || ftruncate(real_text_file, TEXT_SIZE))
		real_fail(VERDICT_MET, "no memory file");
	writable = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, real_text_file, 0);
	real_text = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, real_text_file, 0);
	if (writable == MAP_FAILED || real_text == MAP_FAILED)
		real_fail(VERDICT_MET, "text cannot be mapped");
	real_text_end = real_text + TEXT_SIZE;
	memset(writable, INT3_INSN_OPCODE, TEXT_SIZE);

	for (i = 0; i < ARRAY_SIZE(called); i++) {
		at += 32;
		called[i] = here();
		put_load(i + 1);
		PUT(RET_INSN_OPCODE);
	}
	put_lane(&real_lane[0], 0, 8, &dice);
	put_lane(&real_lane[1], 8, 64, &dice);
	put_lane(&real_lane[2], 72, REAL_PLACES - 72, &dice);
}
