// SPDX-License-Identifier: GPL-2.0
/*
 * Write the instructions of call sites: a BL, or a nop.
 *
 * The generic side decides what a site calls. entry.h explains the MOV before a site; it
 * is written once, at boot or while a module is loaded.
 *
 * text.c explains what other CPUs execute meanwhile, and when they execute the new
 * instruction.
 */
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/cacheflush.h>
#include <asm/fixmap.h>
#include <asm/insn.h>
#include <asm/text-patching.h>
#include <asm/text-quiet.h>

#include "entry.h"
#include "text.h"

static_assert(MCOUNT_INSN_SIZE == AARCH64_INSN_SIZE);
static_assert(MCOUNT_INSN_SIZE <= FTRACE_PATCH_BYTES);

/* What a site can call */

/* Find the PLT entry of the mixed trampoline in the module that has @ip; 0: none. */
static unsigned long plt_of(unsigned long ip)
{
#ifdef CONFIG_MODULES
	const struct module *mod;

	/* The module is not freed: it has a site, and ftrace_lock is held. */
	scoped_guard(rcu)
		mod = __module_text_address(ip);
	if (!mod)
		return 0;
	if (within_module_mem_type(ip, mod, MOD_INIT_TEXT))
		return (unsigned long)&mod->arch.init_ftrace_trampolines[FTRACE_PLT_IDX];
	if (within_module_mem_type(ip, mod, MOD_TEXT))
		return (unsigned long)&mod->arch.ftrace_trampolines[FTRACE_PLT_IDX];
#endif
	return 0;
}

/*
 * Find the address that a site must branch to so that @to is called; 0: none. A BL
 * reaches 128 MB. If @to, a trampoline or the target of a direct call, is further away,
 * the site goes to the mixed trampoline, which calls all hooks and the direct call of the
 * site; if the site's module is too far from that as well, through the module's PLT. The
 * result depends only on the addresses, so it is the same each time a site is checked.
 */
static unsigned long reach(unsigned long ip, unsigned long to)
{
	if (likely(ftrace_in_reach(ip, to)))
		return to;
	to = (unsigned long)ftrace_mixed_caller;
	return ftrace_in_reach(ip, to) ? to : plt_of(ip);
}

/* The instruction of a site; if there is none, AARCH64_BREAK_FAULT, which no site has. */
static u32 site_insn(unsigned long ip, unsigned long target)
{
	if (target == FTRACE_NOP)
		return aarch64_insn_gen_nop();
	target = reach(ip, target);
	if (WARN_ON_ONCE(!target))
		return AARCH64_BREAK_FAULT;
	return aarch64_insn_gen_branch_imm(ip, target, AARCH64_INSN_BRANCH_LINK);
}

void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes)
{
	const __le32 insn = cpu_to_le32(site_insn(ip, target));

	memcpy(bytes, &insn, sizeof(insn));
}

/* The error for an unexpected instruction: -EBUSY for a breakpoint, which replaces all of it. */
static int what_is_wrong(u32 found)
{
	return aarch64_insn_is_brk(found) && found != AARCH64_BREAK_FAULT ? -EBUSY : -EINVAL;
}

/* Pages of sites */

static void leave_out(struct ftrace_patch *patch, int err, __le32 found)
{
	patch->err = err;
	memcpy(patch->found, &found, sizeof(found));
}

/*
 * Patch a site through its alias. The word is compared and written atomically: if a
 * debugger stops the machine in between and sets a breakpoint, that must not be
 * overwritten, and the instruction that it saves must not be out of date later.
 */
static bool patch_site(struct ftrace_patch *patch, __le32 *alias)
{
	const u32 old = site_insn(patch->ip, patch->from);
	const u32 new = site_insn(patch->ip, patch->to);
	u32 found;

	if (old == AARCH64_BREAK_FAULT || new == AARCH64_BREAK_FAULT) {
		leave_out(patch, -EINVAL, READ_ONCE(*alias));
		return false;
	}
	found = le32_to_cpu((__force __le32)cmpxchg_relaxed((__force u32 *)alias,
							    (__force u32)cpu_to_le32(old),
							    (__force u32)cpu_to_le32(new)));
	if (found == old)
		return true;
	leave_out(patch, what_is_wrong(found), cpu_to_le32(found));
	return false;
}

static bool same_page(unsigned long a, unsigned long b)
{
	return !((a ^ b) & PAGE_MASK);
}

/*
 * Patch sites that follow each other in one page: one mapping, at FIX_FTRACE_SITES, which
 * ftrace_lock guards, and one pass of cache maintenance over the lines from the first site
 * to the last. That is by the sites' own addresses, so the alias may be unmapped before.
 * Return: How many sites were in the page.
 */
static size_t patch_page(struct ftrace_patch *p, size_t nr, size_t *left_out)
{
	const unsigned long first = p->ip;
	unsigned long lo = ULONG_MAX, hi = 0;
	__le32 *alias;
	size_t i;

	preempt_disable();
	alias = ftrace_map_text(FIX_FTRACE_SITES, first);
	for (i = 0; i < nr && same_page(first, p[i].ip); i++) {
		if (!alias) {
			p[i].err = -EFAULT;
			++*left_out;
		} else if (patch_site(&p[i], alias + ((long)(p[i].ip - first) / 4))) {
			lo = min(lo, p[i].ip);
			hi = max(hi, p[i].ip + MCOUNT_INSN_SIZE);
		} else {
			++*left_out;
		}
	}
	if (alias)
		clear_fixmap(FIX_FTRACE_SITES);
	if (hi)
		caches_clean_inval_pou(lo, hi);
	preempt_enable();
	return i;
}

/* CPUs must fetch new trampolines anew before the first site leads to one. */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr)
{
	size_t i = 0, left_out = 0;

	cpus_read_lock();	/* see text_poke_sync_kernel() */
	ftrace_sync_tramps();
	while (i < nr) {
		i += patch_page(&patches[i], nr - i, &left_out);
		cond_resched();
	}
	text_poke_sync_kernel();
	cpus_read_unlock();
	return left_out;
}

/* Read a site. Return: 0, or -EFAULT if it is not mapped. */
static int read_site(unsigned long ip, u32 *insn)
{
	__le32 found;

	if (get_kernel_nofault(found, (__le32 *)ip))
		return -EFAULT;
	*insn = le32_to_cpu(found);
	return 0;
}

int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	u32 insn;

	if (read_site(ip, &insn))
		return -EFAULT;
	if (insn == site_insn(ip, target))
		return 0;
	if (found) {
		const __le32 bytes = cpu_to_le32(insn);

		memcpy(found, &bytes, sizeof(bytes));
	}
	return what_is_wrong(insn);
}

/*
 * A breakpoint replaces the whole BL, and the debugger will write the BL back. So the
 * trampoline that it calls becomes a jump to the mixed one: its first instruction, a NOP,
 * is replaced by a B, which may be done while CPUs execute it.
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to)
{
	struct ftrace_tramp_spec spec;
	unsigned long start;
	u32 insn, size;
	int err;

	if (read_site(ip, &insn))
		return -EINVAL;
	if (insn == site_insn(ip, from))
		return -EAGAIN;
	if (what_is_wrong(insn) != -EBUSY)
		return -EINVAL;

	/* Both have the same instruction, which the debugger will write back. */
	if (reach(ip, from) == reach(ip, to))
		return 0;
	if (to != (unsigned long)ftrace_mixed_caller ||
	    !ftrace_tramp_find(from, &start, &size, &spec) || start != from ||
	    !ftrace_in_reach(from, to))
		return -EOPNOTSUPP;

	insn = aarch64_insn_gen_branch_imm(from, to, AARCH64_INSN_BRANCH_NOLINK);
	cpus_read_lock();	/* as in arch_ftrace_patch() */
	err = aarch64_insn_patch_text_nosync((void *)from, insn);
	if (!err)
		text_poke_sync_kernel();
	cpus_read_unlock();
	return err ? -EOPNOTSUPP : 1;
}

/* Boot and modules */

void __init arch_ftrace_init(void)
{
}

/* There are no entry sites. */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end)
{
}

/*
 * The page that MOVs are written to, and the range that has been written since the last
 * cache maintenance. Guarded by ftrace_lock.
 */
static struct {
	unsigned long page;	/* mapped at FIX_FTRACE_SITES; 0: none */
	unsigned long lo, hi;	/* hi == 0: nothing */
} written;

static void finish_page(void)
{
	if (written.page)
		clear_fixmap(FIX_FTRACE_SITES);
	if (written.hi)
		caches_clean_inval_pou(written.lo, written.hi);
	written.page = 0;
	written.hi = 0;
}

/*
 * Where to write the word at @ip. Kernel text is mapped read-only from the start.
 * Interrupts are off at boot, so a writable alias can stay mapped for all sites of a page.
 * A module's text is still writable.
 */
static __le32 *writable(unsigned long ip)
{
	if (!core_kernel_text(ip))
		return (__le32 *)ip;
	if (written.page != (ip & PAGE_MASK)) {
		finish_page();
		written.page = ip & PAGE_MASK;
		ftrace_map_text(FIX_FTRACE_SITES, ip);
	}
	return (__le32 *)(fix_to_virt(FIX_FTRACE_SITES) + offset_in_page(ip));
}

/* The compiler leaves two nops. No CPU executes them yet. */
int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found)
{
	const u32 nop = aarch64_insn_gen_nop();
	const u32 mov = aarch64_insn_gen_move_reg(AARCH64_INSN_REG_9, AARCH64_INSN_REG_LR,
						  AARCH64_INSN_VARIANT_64BIT);
	const unsigned long before = ip - AARCH64_INSN_SIZE;
	u32 insn;

	arch_ftrace_site_bytes(ip, FTRACE_NOP, expected);
	memcpy(found, (void *)ip, MCOUNT_INSN_SIZE);
	if (memcmp(found, expected, MCOUNT_INSN_SIZE))
		return -EINVAL;

	insn = le32_to_cpu(*(__le32 *)before);
	if (insn == mov)
		return 0;
	if (insn != nop)
		return -EINVAL;
	*writable(before) = cpu_to_le32(mov);
	written.lo = written.hi ? min(written.lo, before) : before;
	written.hi = max(written.hi, ip);
	return 0;
}

/* At boot there is no other CPU. Later, others may have fetched a module's text too early. */
void arch_ftrace_sites_ready(void)
{
	finish_page();
	if (system_state != SYSTEM_BOOTING)
		text_poke_sync_kernel();
}

/* Addresses and registers */

/*
 * The compiler records the first nop of a function, the one that becomes the MOV, which is
 * after a BTI, if there is one.
 */
unsigned long ftrace_call_adjust(unsigned long addr)
{
	return addr + AARCH64_INSN_SIZE;
}

/* Is there a BTI at @addr, in text or under a kprobe? */
static bool is_bti(unsigned long addr)
{
	const struct kprobe *probe;
	u32 insn;

	if (read_site(addr, &insn))
		return false;
	probe = aarch64_insn_is_brk(insn) ? get_kprobe((void *)addr) : NULL;
	return aarch64_insn_is_bti(probe ? le32_to_cpu(probe->opcode) : insn);
}

/**
 * arch_ftrace_get_symaddr() - get a function's address from that of its site
 * @fentry_ip: address of the site
 *
 * With CONFIG_ARM64_BTI_KERNEL there is a BTI before the MOV, except in functions that
 * are never called through a register. No function ends with a BTI, so a BTI before the
 * MOV belongs to this function.
 *
 * Context: Any context with preemption off.
 * Return: The function's address.
 */
unsigned long arch_ftrace_get_symaddr(unsigned long fentry_ip)
{
	const unsigned long mov = fentry_ip - AARCH64_INSN_SIZE;

	/* The first function of a module may have nothing before it. */
	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && is_bti(mov - AARCH64_INSN_SIZE))
		return mov - AARCH64_INSN_SIZE;
	return mov;
}

/**
 * ftrace_regs_query_register_offset() - find a register in struct ftrace_regs
 * @name: its name, as in the definition of a probe event
 *
 * Context: Any context.
 * Return: Its offset in bytes, -EINVAL if it is not saved.
 */
int ftrace_regs_query_register_offset(const char *name)
{
	static const struct {
		char name[4];
		u8 offset;
	} others[] = {
		{ "x29", offsetof(struct __arch_ftrace_regs, fp) },
		{ "x30", offsetof(struct __arch_ftrace_regs, lr) },
		{ "lr", offsetof(struct __arch_ftrace_regs, lr) },
		{ "sp", offsetof(struct __arch_ftrace_regs, sp) },
		{ "pc", offsetof(struct __arch_ftrace_regs, pc) },
	};

	if (name[0] == 'x' && name[1] >= '0' && name[1] <= '8' && !name[2])
		return offsetof(struct __arch_ftrace_regs, regs) + 8 * (name[1] - '0');
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(name, others[i].name))
			return others[i].offset;
	}
	return -EINVAL;
}
