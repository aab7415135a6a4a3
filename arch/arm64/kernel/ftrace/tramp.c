// SPDX-License-Identifier: GPL-2.0
/*
 * Make trampolines, and allocate pages for them.
 *
 *	copied		a nop, saves registers, loads x0, x1, x3 for the first call
 *	generated	loads x2, calls; for each further call, x0, x1, x3 again
 *	copied		restores registers, goes on
 *	literals	third arguments, and addresses of callbacks in modules
 *
 * All pages are in reach of the kernel's text (EXECMEM_FTRACE), so its callbacks are
 * called by a BL. Those of modules may be too far away: they are called through x16.
 * Which of the two it is depends on the callback only, so the size of a trampoline does
 * not depend on its address.
 */
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "entry.h"

/* entry.S relies on these: pairs of registers are loaded and stored at once. */
static_assert(offsetof(struct __arch_ftrace_regs, lr) ==
	      offsetof(struct __arch_ftrace_regs, fp) + 8);
static_assert(offsetof(struct __arch_ftrace_regs, pc) ==
	      offsetof(struct __arch_ftrace_regs, sp) + 8);
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static_assert(offsetof(struct __arch_ftrace_regs, direct_tramp) ==
	      offsetof(struct __arch_ftrace_regs, regs[8]) + 8);
#endif

/*
 * Code that is being generated. Without a buffer, words are only counted; literals have
 * their place when it is known how many words of code there are.
 */
struct code {
	__le32		*buf;		/* or NULL */
	unsigned long	ip;		/* where @buf will run */
	unsigned int	nr;		/* words so far */
	unsigned int	literals;	/* word at which the next literal is */
	int		err;
};

static void put(struct code *code, u32 insn)
{
	if (code->buf)
		code->buf[code->nr] = cpu_to_le32(insn);
	code->nr++;
}

static void put_part(struct code *code, const u32 *part, const u32 *end)
{
	if (code->buf)
		memcpy(code->buf + code->nr, part, (end - part) * sizeof(*part));
	code->nr += end - part;
}

/* Load a literal: LDR Xt, label */
static void put_literal(struct code *code, unsigned int reg, u64 value)
{
	const unsigned int words = code->literals - code->nr;

	put(code, 0x58000000 | (words & GENMASK(18, 0)) << 5 | reg);
	if (code->buf)
		memcpy(code->buf + code->literals, &value, sizeof(value));
	code->literals += 2;
}

static void put_call(struct code *code, const struct ftrace_tramp_call *call)
{
	const unsigned long func = (unsigned long)call->func;
	const unsigned long ip = code->ip + code->nr * AARCH64_INSN_SIZE;

	put_literal(code, 2, (u64)call->arg);
	if (!core_kernel_text(func)) {
		put_literal(code, 16, func);
		put(code, aarch64_insn_gen_branch_reg(AARCH64_INSN_REG_16,
						      AARCH64_INSN_BRANCH_LINK));
	} else if (!code->buf) {
		put(code, 0);
	} else if (ftrace_in_reach(ip + AARCH64_INSN_SIZE, func)) {
		put(code, aarch64_insn_gen_branch_imm(ip + AARCH64_INSN_SIZE, func,
						      AARCH64_INSN_BRANCH_LINK));
	} else {
		code->err = -ERANGE;
	}
}

static void put_code(struct code *code, const struct ftrace_tramp_spec *spec)
{
	unsigned int i;

	put_part(code, ftrace_part_enter, ftrace_part_enter_end);
	for (i = 0; i < spec->nr; i++) {
		if (i)
			put_part(code, ftrace_part_again, ftrace_part_again_end);
		put_call(code, &spec->calls[i]);
	}
	if (spec->direct)
		put_part(code, ftrace_part_away, ftrace_part_away_end);
	else
		put_part(code, ftrace_part_leave, ftrace_part_leave_end);
	/* Literals are aligned, and no CPU runs into them. */
	if (code->nr % 2)
		put(code, AARCH64_BREAK_FAULT);
}

/* Generate @spec's code only, to see where its literals begin and end. */
static struct code count(const struct ftrace_tramp_spec *spec)
{
	struct code code = { };

	put_code(&code, spec);
	return code;
}

size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec)
{
	const struct code code = count(spec);
	const size_t size = (code.nr + code.literals) * AARCH64_INSN_SIZE;

	return size <= PAGE_SIZE ? size : 0;
}

int arch_ftrace_tramp_build(void *buf, unsigned long ip,
			    const struct ftrace_tramp_spec *spec)
{
	struct code code = {
		.buf = buf,
		.ip = ip,
		.literals = count(spec).nr,
	};

	put_code(&code, spec);
	return code.err;
}

unsigned long arch_ftrace_mixed(void)
{
	return (unsigned long)ftrace_mixed_caller;
}

/* Executable memory can be had after the core_initcalls. */
static bool memory_ready __ro_after_init;

/* Memory that is never writable where it is run, and is written through another mapping. */
void *arch_ftrace_page_alloc(void)
{
	void *page;

	if (!memory_ready)
		return NULL;
	page = execmem_alloc(EXECMEM_FTRACE, PAGE_SIZE);
	if (page)
		aarch64_insn_set(page, AARCH64_BREAK_FAULT, PAGE_SIZE);
	return page;
}

void arch_ftrace_page_free(void *page)
{
	execmem_free(page);
}

/*
 * Both clean and invalidate the caches for the written lines and then kick all CPUs,
 * see site.c. So a CPU that is led to the code by a BL that is written afterwards does
 * not execute what it has fetched there before.
 */
int arch_ftrace_page_write(void *dst, const void *buf, size_t len)
{
	return aarch64_insn_copy(dst, (void *)buf, len) ? 0 : -EINVAL;
}

void arch_ftrace_page_trap(void *dst, size_t len)
{
	aarch64_insn_set(dst, AARCH64_BREAK_FAULT, len);
}

/* Pages are read-only from the start, and no code depends on what boot decides. */
void arch_ftrace_page_seal(void *page)
{
}

void arch_ftrace_tramp_settle(unsigned long ip, u32 size)
{
}

static int __init trampolines_ready(void)
{
	memory_ready = true;
	ftrace_settle();
	return 0;
}
postcore_initcall(trampolines_ready);
