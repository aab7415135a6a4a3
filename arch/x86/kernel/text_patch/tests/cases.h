/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases for the pure parts: decoding, emulation, the queue, the windows.
 *
 * Written once and run twice: by KUnit in the kernel, and in user space under
 * the address and undefined behaviour sanitisers (tools/testing/text_patch). A
 * file that includes this one defines
 *
 *   struct text_case_ctx			argument of every case
 *   TC_TRUE(ctx, cond)			expect that @cond is true
 *   tc_alloc(ctx, size)			memory that is freed after the case
 *   tc_rand(ctx)				random numbers
 */
#ifndef _X86_TEXT_PATCH_CASES_H
#define _X86_TEXT_PATCH_CASES_H

static struct text_effect tc_decode(struct text_case_ctx *ctx, const u8 *b,
				    unsigned int len)
{
	/* Memory of exactly this size: reading one byte more is a fault. */
	u8 *exact = tc_alloc(ctx, len);

	memcpy(exact, b, len);
	return text_effect_of(exact, len);
}

#define TC_DECODE(ctx, want_kind, want_len, want_disp, ...)		\
do {									\
	const u8 bytes_[] = { __VA_ARGS__ };				\
	const struct text_effect e_ =					\
		tc_decode(ctx, bytes_, sizeof(bytes_));			\
									\
	TC_TRUE(ctx, e_.kind == (want_kind));				\
	TC_TRUE(ctx, e_.len == (want_len));				\
	TC_TRUE(ctx, e_.disp == (want_disp));				\
} while (0)

static void tc_decode_knows_what_is_patched(struct text_case_ctx *ctx)
{
	TC_DECODE(ctx, TEXT_TRAP, 1, 0, 0xcc);
	TC_DECODE(ctx, TEXT_RETURN, 1, 0, 0xc3);
	TC_DECODE(ctx, TEXT_CALL, 5, 0x12345678, 0xe8, 0x78, 0x56, 0x34, 0x12);
	TC_DECODE(ctx, TEXT_CALL, 5, -5, 0xe8, 0xfb, 0xff, 0xff, 0xff);
	TC_DECODE(ctx, TEXT_JUMP, 5, -1, 0xe9, 0xff, 0xff, 0xff, 0xff);
	TC_DECODE(ctx, TEXT_JUMP, 2, -2, 0xeb, 0xfe);
	TC_DECODE(ctx, TEXT_JUMP, 2, 127, 0xeb, 0x7f);
	TC_DECODE(ctx, TEXT_BRANCH, 2, -128, 0x74, 0x80);
	TC_DECODE(ctx, TEXT_BRANCH, 6, 0x100, 0x0f, 0x8f, 0, 1, 0, 0);
	TC_DECODE(ctx, TEXT_NEXT, 5, 0, BYTES_NOP5);
	TC_DECODE(ctx, TEXT_NEXT, 2, 0, BYTES_NOP2);
	TC_DECODE(ctx, TEXT_NEXT, 5, 0, 0x66, 0x0f, 0x1f, 0x84, 0x90);
	TC_DECODE(ctx, TEXT_ZERO, 5, 0, 0x2e, 0x2e, 0x2e, 0x31, 0xc0);
}

/* A function's ENDBR, the nop of a sealed one, and covers: four bytes, whatever follows. */
static void tc_decode_knows_heads(struct text_case_ctx *ctx)
{
	/* Not constant, or the compiler could make an ENDBR of them. */
	static u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x90 };
	struct text_effect e;

	TC_DECODE(ctx, TEXT_NEXT, 4, 0, 0x0f, 0x1f, 0x40, 0xd6);
	TC_DECODE(ctx, TEXT_NEXT, 4, 0, 0x26, 0x0f, 0x1f, 0x84);
	TC_DECODE(ctx, TEXT_NEXT, 4, 0, 0x36, 0x0f, 0x1f, 0x84);
	TC_DECODE(ctx, TEXT_NEXT, 4, 0, 0x26, 0x0f, 0x1f, 0x84, 0xe8);
	e = text_effect_of(endbr, sizeof(endbr));
	TC_TRUE(ctx, e.kind == TEXT_NEXT && e.len == 4);
	TC_TRUE(ctx, text_insn_fits(endbr, 4) && !text_insn_fits(endbr, 5));
	e = text_effect_of(endbr, 3);
	TC_TRUE(ctx, e.kind == TEXT_UNKNOWN);
	endbr[3] ^= 1;
	e = text_effect_of(endbr, sizeof(endbr));
	TC_TRUE(ctx, e.kind == TEXT_UNKNOWN);
	endbr[3] ^= 1;
}

/*
 * The handler decodes text at any address. So whatever an assembler or the kernel
 * itself puts anywhere as a nop is known as a whole or not at all.
 */
static void tc_decode_cuts_no_nop(struct text_case_ctx *ctx)
{
	static const struct {
		u8 len;
		u8 bytes[11];
	} nops[] = {
		{ 1, { BYTES_NOP1 } }, { 2, { BYTES_NOP2 } }, { 3, { BYTES_NOP3 } },
		{ 4, { BYTES_NOP4 } }, { 5, { BYTES_NOP5 } }, { 6, { BYTES_NOP6 } },
		{ 7, { BYTES_NOP7 } }, { 8, { BYTES_NOP8 } },
#ifdef CONFIG_64BIT
		{ 9, { BYTES_NOP9 } }, { 10, { BYTES_NOP10 } }, { 11, { BYTES_NOP11 } },
#endif
		/* gas and the compilers, where these differ from the kernel. */
		{ 2, { 0x66, 0x90 } },
		{ 6, { 0x66, 0x0f, 0x1f, 0x44 } },
		{ 9, { 0x66, 0x0f, 0x1f, 0x84 } },
		{ 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84 } },
		{ 11, { 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nops); i++) {
		/* The handler looks at no more bytes than these. */
		const struct text_effect late = text_effect_of(nops[i].bytes, TEXT_PATCH_MAX);

		TC_TRUE(ctx, late.kind == TEXT_UNKNOWN || late.len == nops[i].len);
		TC_TRUE(ctx, late.kind == TEXT_UNKNOWN || late.kind == TEXT_NEXT);
	}
}

static void tc_decode_refuses_the_rest(struct text_case_ctx *ctx)
{
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x90);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x55, 0x48, 0x89, 0xe5);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0xe8, 1, 2, 3);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0xeb);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x0f, 0x84, 1, 2, 3);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x0f, 0x1f, 0x44, 0x00, 0x01);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x2e, 0x2e, 0x2e, 0x31, 0xc8);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x66, 0x0f, 0x1f);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x0f, 0x1f, 0x40, 0xd7);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0xcd, 0x03);
	/* What static calls of WARN() and of a native unlock may be turned into. */
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x67, 0x48, 0x0f, 0xb9, 0x3a);
	TC_DECODE(ctx, TEXT_UNKNOWN, 0, 0, 0x3e, 0x3e, 0xc6, 0x07, 0x00);
	TC_TRUE(ctx, text_effect_of(NULL, 0).kind == TEXT_UNKNOWN);
}

static void tc_generated_decodes_to_itself(struct text_case_ctx *ctx)
{
	int i;

	for (i = 0; i < 200; i++) {
		const unsigned long at = 0x1000000 + tc_rand(ctx) % 0x1000000;
		const unsigned long to = 0x1000000 + tc_rand(ctx) % 0x1000000;
		const u8 op = i % 2 ? CALL_INSN_OPCODE : JMP32_INSN_OPCODE;
		struct text_effect e;
		u8 buf[5];

		__text_gen_insn(buf, op, (void *)at, (void *)to, 5);
		e = text_effect_of(buf, 5);
		TC_TRUE(ctx, e.kind == (i % 2 ? TEXT_CALL : TEXT_JUMP));
		TC_TRUE(ctx, at + e.len + (long)e.disp == to);

		e.disp = (s8)tc_rand(ctx);
		__text_gen_insn(buf, JMP8_INSN_OPCODE, (void *)at,
				(void *)(at + 2 + (long)e.disp), 2);
		TC_TRUE(ctx, text_effect_of(buf, 2).disp == e.disp);
	}
}

static void tc_place_is(struct text_case_ctx *ctx, unsigned long at, unsigned long target,
			u8 kind, unsigned long next)
{
	u8 buf[CALL_INSN_SIZE];
	struct text_effect e;

	text_call_or_nop(buf, at, target);
	e = text_effect_of(buf, sizeof(buf));
	TC_TRUE(ctx, e.kind == kind && e.len == sizeof(buf));
	TC_TRUE(ctx, at + e.len + (long)e.disp == next);
}

static void tc_places_call_jump_or_continue(struct text_case_ctx *ctx)
{
	int i;

	for (i = 0; i < 200; i++) {
		const unsigned long at = 0x1000000 + tc_rand(ctx) % 0x1000000;
		const unsigned long to = 0x1000000 + tc_rand(ctx) % 0x800000 * 2;

		tc_place_is(ctx, at, to, TEXT_CALL, to);
		if (TEXT_BY_JUMP)
			tc_place_is(ctx, at, to | TEXT_BY_JUMP, TEXT_JUMP, to);
		else
			tc_place_is(ctx, at, to | 1, TEXT_CALL, to | 1);
		tc_place_is(ctx, at, TEXT_NOP, TEXT_NEXT, at + CALL_INSN_SIZE);
		tc_place_is(ctx, at, TEXT_NOP_LONG, TEXT_NEXT, at + CALL_INSN_SIZE);
		tc_place_is(ctx, at, TEXT_NOP_JUMP, TEXT_JUMP, at + CALL_INSN_SIZE);
	}
}

static void tc_fits_is_one_instruction(struct text_case_ctx *ctx)
{
	const u8 call[] = { 0xe8, 0, 0, 0, 0, 0x90, 0x90 };
	const u8 ret[] = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
	const u8 ret_nop[] = { 0xc3, 0x90 };
	const u8 jmp8[] = { 0xeb, 0x10, 0xcc, 0xcc, 0xcc };
	const u8 trap[] = { 0xcc, 0xcc };
	const u8 jcc[] = { 0x0f, 0x85, 1, 2, 3, 4 };

	TC_TRUE(ctx, text_insn_fits(call, 5));
	TC_TRUE(ctx, !text_insn_fits(call, 4));
	TC_TRUE(ctx, !text_insn_fits(call, 6));
	TC_TRUE(ctx, !text_insn_fits(call, 7));
	TC_TRUE(ctx, text_insn_fits(ret, 1));
	TC_TRUE(ctx, text_insn_fits(ret, 5));
	TC_TRUE(ctx, !text_insn_fits(ret_nop, 2));
	TC_TRUE(ctx, text_insn_fits(jmp8, 2));
	TC_TRUE(ctx, text_insn_fits(jmp8, 5));
	TC_TRUE(ctx, text_insn_fits(trap, 1));
	TC_TRUE(ctx, !text_insn_fits(trap, 2));
	TC_TRUE(ctx, text_insn_fits(jcc, 6));
	TC_TRUE(ctx, !text_insn_fits(jcc, 5));
}

/* Registers, and the stack that they point into. */
struct tc_cpu {
	struct pt_regs regs;
	unsigned long stack[4];
};

static void tc_boot(struct tc_cpu *cpu, unsigned long insn)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->regs.ip = insn + INT3_INSN_SIZE;
	cpu->regs.sp = (unsigned long)&cpu->stack[2];
	cpu->regs.ax = 0x55;
	cpu->stack[2] = 0x7777;
}

static bool tc_run(struct tc_cpu *cpu, unsigned long insn, const u8 *b,
		   unsigned int len)
{
	const struct text_effect e = text_effect_of(b, len);

	return text_effect_act(&cpu->regs, insn, &e);
}

static void tc_acting_moves_the_cpu(struct text_case_ctx *ctx)
{
	const unsigned long ip = 0x400000;
	const u8 call[] = { 0xe8, 0x10, 0, 0, 0 };
	const u8 jmp[] = { 0xe9, 0xf0, 0xff, 0xff, 0xff };
	const u8 jmp8[] = { 0xeb, 0xfe };
	const u8 ret[] = { 0xc3 };
	const u8 nop5[] = { BYTES_NOP5 };
	const u8 nop2[] = { BYTES_NOP2 };
	const u8 zero[] = { 0x2e, 0x2e, 0x2e, 0x31, 0xc0 };
	const u8 trap[] = { 0xcc };
	struct tc_cpu cpu;
	unsigned long top;

	tc_boot(&cpu, ip);
	top = cpu.regs.sp;
	TC_TRUE(ctx, tc_run(&cpu, ip, call, 5));
	TC_TRUE(ctx, cpu.regs.ip == ip + 5 + 0x10);
	TC_TRUE(ctx, cpu.regs.sp == top - sizeof(long));
	TC_TRUE(ctx, cpu.stack[1] == ip + 5);

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, jmp, 5));
	TC_TRUE(ctx, cpu.regs.ip == ip + 5 - 0x10 && cpu.regs.sp == top);

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, jmp8, 2) && cpu.regs.ip == ip);

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, ret, 1));
	TC_TRUE(ctx, cpu.regs.ip == 0x7777);
	TC_TRUE(ctx, cpu.regs.sp == top + sizeof(long));

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, nop5, 5) && cpu.regs.ip == ip + 5);
	TC_TRUE(ctx, cpu.regs.ax == 0x55);
	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, nop2, 2) && cpu.regs.ip == ip + 2);

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, tc_run(&cpu, ip, zero, 5));
	TC_TRUE(ctx, cpu.regs.ip == ip + 5 && cpu.regs.ax == 0);

	tc_boot(&cpu, ip);
	TC_TRUE(ctx, !tc_run(&cpu, ip, trap, 1));
	TC_TRUE(ctx, cpu.regs.ip == ip + 1);
}

/* The truth table of the 16 conditions, from the architecture's formulas. */
static bool tc_condition(u8 cc, bool cf, bool pf, bool zf, bool sf, bool of)
{
	const bool t[8] = {
		of, cf, zf, cf || zf, sf, pf, sf != of, zf || sf != of,
	};

	return cc & 1 ? !t[cc / 2] : t[cc / 2];
}

static void tc_branches_by_every_condition(struct text_case_ctx *ctx)
{
	const unsigned long ip = 0x400000;
	struct tc_cpu cpu;
	int cc, f;

	for (cc = 0; cc < 16; cc++) {
		const u8 near[] = { 0x0f, 0x80 | cc, 0x00, 0x01, 0, 0 };
		const u8 brief[] = { 0x70 | cc, 0x40 };

		for (f = 0; f < 32; f++) {
			const unsigned long flags =
				(f & 1 ? X86_EFLAGS_CF : 0) |
				(f & 2 ? X86_EFLAGS_PF : 0) |
				(f & 4 ? X86_EFLAGS_ZF : 0) |
				(f & 8 ? X86_EFLAGS_SF : 0) |
				(f & 16 ? X86_EFLAGS_OF : 0);
			const bool yes = tc_condition(cc, f & 1, f & 2, f & 4,
						      f & 8, f & 16);

			tc_boot(&cpu, ip);
			cpu.regs.flags = flags;
			TC_TRUE(ctx, tc_run(&cpu, ip, near, 6));
			TC_TRUE(ctx, cpu.regs.ip == ip + 6 + (yes ? 0x100 : 0));

			tc_boot(&cpu, ip);
			cpu.regs.flags = flags;
			TC_TRUE(ctx, tc_run(&cpu, ip, brief, 2));
			TC_TRUE(ctx, cpu.regs.ip == ip + 2 + (yes ? 0x40 : 0));
		}
	}
}

#define TC_BASE	0x10000000UL

static struct text_queue *tc_queue(struct text_case_ctx *ctx, u32 cap)
{
	struct text_queue *q = tc_alloc(ctx, sizeof(*q));

	text_queue_init(q, TC_BASE, tc_alloc(ctx, cap * sizeof(*q->vec)), cap);
	return q;
}

static struct text_patch *tc_put(struct text_queue *q, unsigned long addr,
				 u8 len)
{
	struct text_patch *p = text_queue_put(q, addr);

	if (p)
		p->len = len;
	return p;
}

static void tc_ascending_is_never_sorted(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 8);
	int i;

	for (i = 0; i < 8; i++)
		TC_TRUE(ctx, tc_put(q, TC_BASE + 16 * i, 5));
	TC_TRUE(ctx, q->sorted && q->nr == 8);
	TC_TRUE(ctx, !tc_put(q, TC_BASE + 1000, 5));
	TC_TRUE(ctx, q->nr == 8);
	text_queue_clear(q);
	TC_TRUE(ctx, q->nr == 0 && !text_queue_find(q, TC_BASE));
}

static void tc_any_order_ends_sorted(struct text_case_ctx *ctx)
{
	const u32 n = 3000;
	struct text_queue *q = tc_queue(ctx, n);
	u32 i;

	for (i = 0; i < n; i++) {
		/* On both sides of the base; no place twice. */
		const unsigned long addr = TC_BASE - 8 * 4096 +
					   8 * (tc_rand(ctx) % 8192);

		if (text_queue_find(q, addr))
			continue;
		TC_TRUE(ctx, tc_put(q, addr, 1 + addr / 8 % 5));
		TC_TRUE(ctx, text_queue_find(q, addr));
		TC_TRUE(ctx, !text_queue_find(q, addr + 4));
	}
	for (i = 0; i < q->nr; i++)
		TC_TRUE(ctx, text_queue_find(q, text_patch_addr(&q->vec[i],
								q->base)) ==
			     &q->vec[i]);

	text_queue_sort(q);
	for (i = 1; i < q->nr; i++)
		TC_TRUE(ctx, q->vec[i - 1].rel < q->vec[i].rel);
	for (i = 0; i < q->nr; i++) {
		const unsigned long addr = text_patch_addr(&q->vec[i], q->base);

		TC_TRUE(ctx, q->vec[i].len == 1 + addr / 8 % 5);
		TC_TRUE(ctx, text_patch_search(q->vec, q->nr, q->base, addr) ==
			     &q->vec[i]);
		TC_TRUE(ctx, !text_patch_search(q->vec, q->nr, q->base,
						addr + 1));
	}
	TC_TRUE(ctx, !text_patch_search(q->vec, 0, q->base, TC_BASE));
	TC_TRUE(ctx, !text_patch_search(q->vec, q->nr, q->base, 0));
}

static void tc_moved_queue_finds_the_same(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 4);
	struct text_patch *bigger = tc_alloc(ctx, 8 * sizeof(*bigger));
	int i;

	for (i = 4; i; i--)
		tc_put(q, TC_BASE + i * 64, 5);
	text_queue_move(q, bigger, 8);
	TC_TRUE(ctx, q->nr == 4 && q->cap == 8);
	for (i = 4; i; i--)
		TC_TRUE(ctx, text_queue_find(q, TC_BASE + i * 64) >= bigger);
	TC_TRUE(ctx, tc_put(q, TC_BASE, 5));
}

static void tc_queue_leaves_its_order_and_finds_all(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 200);
	int i;

	for (i = 0; i < 100; i++) {
		TC_TRUE(ctx, tc_put(q, TC_BASE + i * 16, 5));
		TC_TRUE(ctx, q->sorted);
	}
	for (i = 0; i < 99; i++) {
		TC_TRUE(ctx, tc_put(q, TC_BASE + i * 16 + 8, 5));
		TC_TRUE(ctx, !q->sorted);
	}
	/* The chains are kept even if an address is above all others. */
	TC_TRUE(ctx, tc_put(q, TC_BASE + 4096 * 16, 5));
	TC_TRUE(ctx, !q->sorted);
	for (i = 0; i < 199; i++)
		TC_TRUE(ctx, text_queue_find(q, TC_BASE + i * 8));
	TC_TRUE(ctx, text_queue_find(q, TC_BASE + 4096 * 16));
	TC_TRUE(ctx, !text_queue_put(q, TC_BASE - 16));
}

static void tc_squeezed_queue_forgets_only_the_dropped(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 300);
	int i;

	for (i = 0; i < 300; i++)
		tc_put(q, TC_BASE + i * 8, 5)->drop = i % 3 == 1;
	text_queue_squeeze(q);
	TC_TRUE(ctx, q->nr == 200);
	for (i = 0; i < 300; i++)
		TC_TRUE(ctx, !text_queue_find(q, TC_BASE + i * 8) ==
			     (i % 3 == 1));
	text_queue_clear(q);
	for (i = 0; i < 300; i++)
		TC_TRUE(ctx, !text_queue_find(q, TC_BASE + i * 8));
}

/*
 * Check that the windows together cover every byte of every change exactly
 * once. They are planned for walks of @most changes.
 */
static void tc_check_windows(struct text_case_ctx *ctx, struct text_queue *q,
			     u32 most)
{
	unsigned long *pages = tc_alloc(ctx, TEXT_WINDOW_PAGES * sizeof(long));
	u32 next = 0, end = 0, i, k;
	struct text_window w;

	while (next < q->nr) {
		const u32 first = next;

		if (first == end)
			end = q->nr - first < most ? q->nr : first + most;
		next = text_window_plan(q, first, end, &w, pages);
		TC_TRUE(ctx, next > first && next <= end);
		TC_TRUE(ctx, w.first == first && w.nr == next - first);
		TC_TRUE(ctx, w.nr <= TEXT_WINDOW_PLACES);
		TC_TRUE(ctx, w.pages >= 1 && w.pages <= TEXT_WINDOW_PAGES);
		for (i = 1; i < w.pages; i++)
			TC_TRUE(ctx, pages[i - 1] < pages[i]);
		for (i = first; i < next; i++) {
			const struct text_patch *p = &q->vec[i];
			const unsigned long addr = text_patch_addr(p, q->base);

			for (k = 0; k < p->len; k++) {
				const unsigned long off =
					(addr & ~PAGE_MASK) + k;
				const u32 slot = (p->at + k) / PAGE_SIZE;

				TC_TRUE(ctx, slot < w.pages);
				TC_TRUE(ctx, pages[slot] + off % PAGE_SIZE ==
					     addr + k);
			}
		}
		/* The window ended because the next change does not fit. */
		if (next < end)
			TC_TRUE(ctx, w.nr == TEXT_WINDOW_PLACES || w.pages > TEXT_WINDOW_PAGES - 2);
	}
}

static void tc_windows_cover_all(struct text_case_ctx *ctx)
{
	int round;

	for (round = 0; round < 40; round++) {
		/* From dense to one per page, often across a page boundary. */
		const unsigned long step = 1UL << (3 + round % 11);
		struct text_queue *q = tc_queue(ctx, 600);
		unsigned long addr = TC_BASE + tc_rand(ctx) % PAGE_SIZE;

		while (tc_put(q, addr, 2 + tc_rand(ctx) % 5)) {
			addr += 6 + tc_rand(ctx) % step;
			if (tc_rand(ctx) % 8 == 0)
				addr = (addr | ~PAGE_MASK) - 1 -
					tc_rand(ctx) % 3 + PAGE_SIZE;
		}
		tc_check_windows(ctx, q, q->nr);
		tc_check_windows(ctx, q, 1 + tc_rand(ctx) % 100);
	}
}

static void tc_window_of_crossers_is_full_early(struct text_case_ctx *ctx)
{
	struct text_queue *q = tc_queue(ctx, 100);
	int i;

	/* Every change uses two pages that no other one uses. */
	for (i = 0; i < 100; i++)
		tc_put(q, TC_BASE + 4 * i * PAGE_SIZE + PAGE_SIZE - 2, 5);
	tc_check_windows(ctx, q, q->nr);
	tc_check_windows(ctx, q, 3);
}

/* Each window shares a page with the one before, and wastes a slot. */
static void tc_windows_that_share_a_page(struct text_case_ctx *ctx)
{
	u32 first;

	for (first = 1; first < 400; first += 7) {
		struct text_queue *q = tc_queue(ctx, first + 400);
		unsigned long addr = TC_BASE;
		u32 i;

		for (i = 0; i < first; i++, addr += PAGE_SIZE)
			tc_put(q, addr, 5);
		for (i = 0; i < 400; i++, addr += PAGE_SIZE)
			tc_put(q, addr + PAGE_SIZE - 2, 5);
		tc_check_windows(ctx, q, q->nr);
	}
}

#include "queue_cases.h"

struct text_case {
	const char *name;
	void (*run)(struct text_case_ctx *ctx);
};

#define TEXT_CASE(n)	{ #n, tc_##n }

static const struct text_case text_cases[] = {
	TEXT_CASE(decode_knows_what_is_patched),
	TEXT_CASE(decode_knows_heads),
	TEXT_CASE(decode_cuts_no_nop),
	TEXT_CASE(decode_refuses_the_rest),
	TEXT_CASE(generated_decodes_to_itself),
	TEXT_CASE(places_call_jump_or_continue),
	TEXT_CASE(fits_is_one_instruction),
	TEXT_CASE(acting_moves_the_cpu),
	TEXT_CASE(branches_by_every_condition),
	TEXT_CASE(ascending_is_never_sorted),
	TEXT_CASE(any_order_ends_sorted),
	TEXT_CASE(each_order_of_six_ends_sorted),
	TEXT_CASE(moved_queue_finds_the_same),
	TEXT_CASE(queue_leaves_its_order_and_finds_all),
	TEXT_CASE(squeezed_queue_forgets_only_the_dropped),
	TEXT_CASE(windows_cover_all),
	TEXT_CASE(window_of_crossers_is_full_early),
	TEXT_CASE(windows_that_share_a_page),
	TEXT_CASE(only_what_ends_may_be_filled_up),
	TEXT_CASE(a_new_record_has_no_flags),
	TEXT_CASE(squeezed_out_of_order_finds_the_rest),
	TEXT_CASE(records_three_gigabytes_apart),
	TEXT_CASE(places_in_a_range),
	TEXT_CASE(a_place_up_to_the_end_takes_one_page),
	TEXT_CASE(windows_have_all_their_pages),
};

#endif /* _X86_TEXT_PATCH_CASES_H */
