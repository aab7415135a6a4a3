// SPDX-License-Identifier: GPL-2.0
/* The pure parts of the x86 text engine in user space, under sanitisers. */

#include "insn.h"
#include "queue.c"

struct text_case_ctx {
	void *memory[4096];
	unsigned int nr;
	unsigned int failed;
	uint64_t dice;
};

static void *tc_alloc(struct text_case_ctx *ctx, size_t size)
{
	BUG_ON(ctx->nr == ARRAY_SIZE(ctx->memory));
	return ctx->memory[ctx->nr++] = malloc(size);
}

static u32 tc_rand(struct text_case_ctx *ctx)
{
	ctx->dice = ctx->dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return ctx->dice >> 33;
}

#define TC_TRUE(ctx, cond)						\
do {									\
	if (!(cond) && !(ctx)->failed++)				\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
} while (0)

#include "tests/cases.h"

#ifdef __x86_64__
/* Are the sixteen conditions emulated as the CPU evaluates them? */
static void tc_conditions_as_the_cpu_has_them(struct text_case_ctx *ctx)
{
	static const unsigned long bits[] = {
		X86_EFLAGS_CF, X86_EFLAGS_PF, X86_EFLAGS_ZF, X86_EFLAGS_SF,
		X86_EFLAGS_OF,
	};
	unsigned int f, i;

	for (f = 0; f < 32; f++) {
		unsigned long flags = 0x202;
		u8 set[16];

		for (i = 0; i < 5; i++)
			if (f & 1 << i)
				flags |= bits[i];
#define SETCC(n, name) \
		asm volatile ("push %1; popf; set" name " %0" \
			      : "=q" (set[n]) : "r" (flags) : "cc", "memory")
		SETCC(0, "o"); SETCC(1, "no"); SETCC(2, "b"); SETCC(3, "nb");
		SETCC(4, "z"); SETCC(5, "nz"); SETCC(6, "be"); SETCC(7, "a");
		SETCC(8, "s"); SETCC(9, "ns"); SETCC(10, "p"); SETCC(11, "np");
		SETCC(12, "l"); SETCC(13, "ge"); SETCC(14, "le"); SETCC(15, "g");
		for (i = 0; i < 16; i++)
			TC_TRUE(ctx, __emulate_cc(flags, i) == set[i]);
	}
}
#endif

/* Random bytes: no read out of bounds, and a length that fits the kind. */
static void tc_decode_survives_noise(struct text_case_ctx *ctx)
{
	unsigned int i, k;

	for (i = 0; i < 2000000; i++) {
		const unsigned int len = tc_rand(ctx) % 7;
		u8 *b = malloc(len ? len : 1);
		struct text_effect e;

		for (k = 0; k < len; k++)
			b[k] = tc_rand(ctx) % 4 ? tc_rand(ctx) :
			       (const u8 []){ 0xe8, 0x0f, 0x2e, 0xcc, 0x66,
					      0x90, 0x1f, 0x44 }[tc_rand(ctx) % 8];
		e = text_effect_of(b, len);
		TC_TRUE(ctx, e.len <= len && !e.len == (e.kind == TEXT_UNKNOWN));
		free(b);
	}
}

static int run(const char *name, void (*body)(struct text_case_ctx *))
{
	struct text_case_ctx *ctx = calloc(1, sizeof(*ctx));
	int failed;

	ctx->dice = 42;
	body(ctx);
	failed = ctx->failed;
	printf("%s - %s\n", failed ? "not ok" : "ok", name);
	while (ctx->nr)
		free(ctx->memory[--ctx->nr]);
	free(ctx);
	return !!failed;
}

int main(void)
{
	unsigned int i;
	int bad = 0;

	for (i = 0; i < ARRAY_SIZE(text_cases); i++)
		bad += run(text_cases[i].name, text_cases[i].run);
#ifdef __x86_64__
	bad += run("conditions_as_the_cpu_has_them",
		   tc_conditions_as_the_cpu_has_them);
#endif
	bad += run("decode_survives_noise", tc_decode_survives_noise);
	return !!bad;
}
