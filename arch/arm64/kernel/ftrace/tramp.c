// SPDX-License-Identifier: GPL-2.0
/*
 * Make trampolines, and allocate pages for them.
 *
 * All pages are within reach of a BL from the kernel's text (EXECMEM_FTRACE) if that is
 * smaller than 128 MB, and its callbacks are called by a BL. encode.c generates the code.
 */
#include <linux/cleanup.h>
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <asm/cacheflush.h>
#include <asm/fixmap.h>
#include <asm/insn.h>
#include <asm/text-quiet.h>

#include "encode.h"
#include "entry.h"
#include "text.h"

/* entry.S relies on these: pairs of registers are loaded and stored at once. */
static_assert(offsetof(struct __arch_ftrace_regs, lr) ==
	      offsetof(struct __arch_ftrace_regs, fp) + 8);
static_assert(offsetof(struct __arch_ftrace_regs, pc) ==
	      offsetof(struct __arch_ftrace_regs, sp) + 8);
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static_assert(offsetof(struct __arch_ftrace_regs, direct_tramp) ==
	      offsetof(struct __arch_ftrace_regs, regs[8]) + 8);
#endif

/* Callbacks in the kernel's own text are near; those of modules may be too far away. */
static bool is_near(unsigned long func)
{
	return core_kernel_text(func);
}

/* Count the words of a trampoline. */
static struct ftrace_code count(const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = { };

	ftrace_put_tramp(&code, spec, is_near);
	return code;
}

size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec)
{
	const struct ftrace_code code = count(spec);
	const size_t size = (code.nr + code.literals) * AARCH64_INSN_SIZE;

	return size <= PAGE_SIZE ? size : 0;
}

int arch_ftrace_tramp_build(void *buf, unsigned long ip,
			    const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = {
		.buf = buf,
		.ip = ip,
		.literals = count(spec).nr,
	};

	ftrace_put_tramp(&code, spec, is_near);
	return code.err;
}

unsigned long arch_ftrace_mixed(void)
{
	return (unsigned long)ftrace_mixed_caller;
}

/* Executable memory is available after the core_initcalls. */
static bool memory_ready __ro_after_init;

/* Write code, or traps if @code is NULL, through a writable alias in the fixmap. */
static bool write_code(void *dst, const u32 *code, size_t len)
{
	u32 *alias;

	guard(preempt)();
	alias = (__force u32 *)ftrace_map_text(FIX_FTRACE_TRAMP, (unsigned long)dst);
	if (!alias)
		return false;
	if (code)
		memcpy(alias, code, len);
	else
		memset32(alias, AARCH64_BREAK_FAULT, len / AARCH64_INSN_SIZE);
	clear_fixmap(FIX_FTRACE_TRAMP);
	caches_clean_inval_pou((unsigned long)dst, (unsigned long)dst + len);
	return true;
}

void *arch_ftrace_page_alloc(void)
{
	void *page;

	if (!memory_ready)
		return NULL;
	page = execmem_alloc(EXECMEM_FTRACE, PAGE_SIZE);
	if (!page)
		return NULL;
	/* For the alias in the linear map: with rodata=full this makes it read-only. */
	if (set_memory_rox((unsigned long)page, 1) || !write_code(page, NULL, PAGE_SIZE)) {
		execmem_free(page);
		return NULL;
	}
	return page;
}

void arch_ftrace_page_free(void *page)
{
	execmem_free(page);
}

/* True if code has been written since the last sync. Set with tramp_mutex held. */
static bool fresh;

int arch_ftrace_page_write(void *dst, const void *buf, size_t len)
{
	if (!write_code(dst, buf, len))
		return -EINVAL;
	WRITE_ONCE(fresh, true);
	return 0;
}

/**
 * ftrace_sync_tramps() - have all CPUs fetch the trampolines that were written
 *
 * A CPU may have fetched the bytes that were there before. One sync is enough for all
 * trampolines, if it comes before the first BL to one of them.
 *
 * Context: As text_poke_sync_kernel(). Caller holds ftrace_lock.
 */
void ftrace_sync_tramps(void)
{
	if (xchg(&fresh, false))
		text_poke_sync_kernel();
}

void arch_ftrace_page_trap(void *dst, size_t len)
{
	write_code(dst, NULL, len);
}

/* Pages are read-only from the start, and their code does not depend on decisions at boot. */
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
