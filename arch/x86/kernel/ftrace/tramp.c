// SPDX-License-Identifier: GPL-2.0
/*
 * Make trampolines, and allocate pages for them.
 *
 *	copied from a template		saves registers, makes pt_regs
 *	generated			one call after the other
 *	copied from the template	restores registers
 *	generated			returns, maybe to a direct call first
 *
 * All calls are direct, so they need no ENDBR, no retpoline and no kCFI type.
 * The stack pointer does not move in the generated part; unwinders look at the
 * template for it.
 */
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "encode.h"
#include "entry.h"
#include "frame.h"

static_assert(sizeof(struct pt_regs) == FTRACE_REGS);
static_assert(sizeof(long) == FTRACE_WORD);

struct ftrace_template {
	const u8 *enter;
	const u8 *calls;
	const u8 *leave;
	const u8 *end;
};

static const struct ftrace_template template_all = {
	ftrace_template_all_enter, ftrace_template_all_calls,
	ftrace_template_all_leave, ftrace_template_all_end,
};

#ifdef CONFIG_X86_64
static const struct ftrace_template template_some = {
	ftrace_template_some_enter, ftrace_template_some_calls,
	ftrace_template_some_leave, ftrace_template_some_end,
};

static const struct ftrace_template template_bare = {
	ftrace_template_bare_enter, ftrace_template_bare_calls,
	ftrace_template_bare_leave, ftrace_template_bare_end,
};
#else
/* On 32 bit all registers are saved, whatever a callback has asked for. */
#define template_some	template_all
#define template_bare	template_all
#endif

static const struct ftrace_template template_away = {
	ftrace_template_away_enter, ftrace_template_away_calls,
	ftrace_template_away_leave, ftrace_template_away_end,
};

static const struct ftrace_template *template_of(const struct ftrace_tramp_spec *spec)
{
	if (spec->direct)
		return &template_away;
	if (spec->bare)
		return &template_bare;
	return spec->regs ? &template_all : &template_some;
}

static unsigned int account(u8 *insn, unsigned long ip)
{
	u8 *end = insn;

	x86_call_depth_emit_accounting(&end, NULL, (void *)ip);
	return end - insn;
}

static unsigned long return_thunk(unsigned long ip)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	if (cpu_wants_rethunk_at((void *)ip))
		return (unsigned long)x86_return_thunk;
#endif
	return 0;
}

static const struct ftrace_tramp_cpu booted_cpu = { account, return_thunk };

static void put_account(struct ftrace_code *code, const struct ftrace_tramp_cpu *cpu)
{
	u8 insn[FTRACE_ACCOUNT_MAX];

	ftrace_put(code, insn, cpu->account(insn, code->ip));
}

/*
 * Generate a trampoline for a CPU that accounts for calls and returns as @cpu says.
 * Its size depends neither on its address nor on how it returns.
 */
void ftrace_put_tramp(struct ftrace_code *code, const struct ftrace_tramp_spec *spec,
		      const struct ftrace_tramp_cpu *cpu)
{
	const struct ftrace_template *t = template_of(spec);
	unsigned int i;

	ftrace_put(code, t->enter, t->calls - t->enter);
	/* For the site's call. A RET to a direct call takes it back; the target accounts again. */
	put_account(code, cpu);
	if (spec->nr > 1 && !spec->bare)
		ftrace_put_keep(code);
	for (i = 0; i < spec->nr; i++) {
		struct ftrace_tramp_call call = spec->calls[i];

		if (spec->bare && ftrace_bare_call(&call, spec->nr == 1))
			ftrace_put_bare_arg(code, (unsigned long)call.arg);
		else
			ftrace_put_args(code, i == 0, (unsigned long)call.arg);
		put_account(code, cpu);
		ftrace_put_call(code, (unsigned long)call.func);
	}
	ftrace_put(code, t->leave, t->end - t->leave);
	ftrace_put_return(code, cpu->return_thunk(code->ip));
}

size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = { };

	ftrace_put_tramp(&code, spec, &booted_cpu);
	return code.ip <= PAGE_SIZE ? code.ip : 0;
}

int arch_ftrace_tramp_build(void *buf, unsigned long ip,
			    const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = {
		.at = buf,
		.end = buf + arch_ftrace_tramp_size(spec),
		.ip = ip,
	};

	ftrace_put_tramp(&code, spec, &booted_cpu);
	return code.err;
}

/**
 * ftrace_tramp_template() - find the template of an address in a trampoline
 * @ip:		an address
 *
 * For unwinders: at @ip in a trampoline the stack has the same layout as at the
 * returned address in the kernel's own text.
 *
 * Context: Any context.
 * Return: The address in the template, 0 if @ip is not in a trampoline.
 */
unsigned long ftrace_tramp_template(unsigned long ip)
{
	const struct ftrace_template *t;
	struct ftrace_tramp_spec spec;
	unsigned long start, done, left;
	u32 size;

	if (!ftrace_tramp_find(ip, &start, &size, &spec))
		return 0;

	t = template_of(&spec);
	done = ip - start;
	left = size - done;
	if (done < t->calls - t->enter)
		return (unsigned long)t->enter + done;
	if (left <= FTRACE_TAIL_SIZE)
		return (unsigned long)t->end;
	left -= FTRACE_TAIL_SIZE;
	if (left <= t->end - t->leave)
		return (unsigned long)t->end - left;
	return (unsigned long)t->calls;
}

unsigned long arch_ftrace_mixed(void)
{
	return (unsigned long)ftrace_mixed_caller;
}

/*
 * With execmem's ROX cache, the page is part of a huge page that is full of breakpoints
 * and never writable where it is run: making one page writable would split the huge
 * page. text_poke_copy() writes it through a mapping of its own.
 *
 * Without that cache, make a page read-only and executable. While the kernel boots,
 * mappings cannot be split yet, so the page stays writable until
 * arch_ftrace_page_seal().
 */
void *arch_ftrace_page_alloc(void)
{
	void *page;
	int err;

	if (execmem_is_rox(EXECMEM_FTRACE))
		return execmem_alloc(EXECMEM_FTRACE, PAGE_SIZE);

	page = execmem_alloc_rw(EXECMEM_FTRACE, PAGE_SIZE);
	if (!page)
		return NULL;

	memset(page, INT3_INSN_OPCODE, PAGE_SIZE);
	if (system_state == SYSTEM_BOOTING)
		err = set_memory_x((unsigned long)page, 1);
	else
		err = set_memory_rox((unsigned long)page, 1);
	if (err) {
		execmem_free(page);
		return NULL;
	}
	return page;
}

void arch_ftrace_page_free(void *page)
{
	execmem_free(page);
}

int arch_ftrace_page_write(void *dst, const void *buf, size_t len)
{
	return text_poke_copy(dst, buf, len) ? 0 : -EINVAL;
}

void arch_ftrace_page_trap(void *dst, size_t len)
{
	text_poke_set(dst, INT3_INSN_OPCODE, len);
}

void arch_ftrace_page_seal(void *page)
{
	if (!execmem_is_rox(EXECMEM_FTRACE))
		WARN_ON_ONCE(set_memory_ro((unsigned long)page, 1));
}

#ifdef CONFIG_MITIGATION_RETHUNK
/*
 * The first trampolines are made before the kernel decides how functions
 * return: replace a plain return by a jump to the return thunk.
 */
void arch_ftrace_tramp_settle(unsigned long ip, u32 size)
{
	const unsigned long tail = ip + size - FTRACE_TAIL_SIZE;
	struct ftrace_code code = {
		.ip = tail,
	};
	u8 plain[FTRACE_TAIL_SIZE], wanted[FTRACE_TAIL_SIZE];

	code.at = plain;
	code.end = plain + sizeof(plain);
	ftrace_put_return(&code, 0);
	if (memcmp((void *)tail, plain, sizeof(plain)))
		return;

	code = (struct ftrace_code){
		.at = wanted,
		.end = wanted + sizeof(wanted),
		.ip = tail,
	};
	ftrace_put_return(&code, return_thunk(tail));
	if (code.err || !memcmp(plain, wanted, sizeof(plain)))
		return;
	mutex_lock(&text_mutex);
	smp_text_poke_single((void *)tail, wanted, sizeof(wanted), NULL);
	mutex_unlock(&text_mutex);
}
#else
void arch_ftrace_tramp_settle(unsigned long ip, u32 size)
{
}
#endif

/*
 * Runs after alternatives have been applied: only then is it decided how functions
 * return. Not part of set_ftrace_ops_ro(), which is not called with rodata=off.
 */
static int __init settle_boot_tramps(void)
{
	ftrace_settle();
	return 0;
}
early_initcall(settle_boot_tramps);

/* Called when the kernel's read-only data becomes read-only. */
void set_ftrace_ops_ro(void)
{
	ftrace_tramp_seal();
}
