/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an architecture supplies, and all of it: no weak functions, a missing
 * one is a link error. The generic side owns every flag and every list.
 */
#ifndef _LINUX_FTRACE_ARCH_H
#define _LINUX_FTRACE_ARCH_H

#include <linux/types.h>

struct ftrace_ops;
struct ftrace_regs;

/* One call in a trampoline: func(ip, parent_ip, arg, fregs). */
struct ftrace_tramp_call {
	void		*func;
	void		*arg;
};

struct ftrace_tramp_spec {
	const struct ftrace_tramp_call *calls;
	unsigned int	nr;		/* at least 1 */
	bool		regs;		/* full pt_regs, else partial ones (x86: cs is 0) */
	unsigned long	direct;		/* where to go at the end instead of returning */
};

/*
 * Bytes of the image, or 0 where none can be built.
 * arch_ftrace_tramp_build() writes into @buf the code that will run at @ip.
 * Return: 0, -ERANGE where a call does not reach.
 */
size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec);
int arch_ftrace_tramp_build(void *buf, unsigned long ip, const struct ftrace_tramp_spec *spec);

/*
 * A trampoline that was made at boot, before everything about the CPU was
 * known, is finished by this, on behalf of ftrace_tramp_settle().
 */
void arch_ftrace_tramp_settle(unsigned long ip, u32 size);

/* Executable memory for trampolines: one page, filled with traps, not writable. */
void *arch_ftrace_page_alloc(void);
void arch_ftrace_page_free(void *page);
/* Copies @buf to @dst in such a page; works at boot, and after the kernel is sealed. */
int arch_ftrace_page_write(void *dst, const void *buf, size_t len);
void arch_ftrace_page_trap(void *dst, size_t len);	/* traps there again */
void arch_ftrace_page_seal(void *page);		/* for pages made before mark_rodata_ro() */

/* The trampoline in the kernel's text that calls ftrace_dispatch_mixed() with full regs. */
unsigned long arch_ftrace_mixed(void);

/* What a site calls that calls nothing; and one that is an entry site, see below. */
#define FTRACE_NOP		0UL
#define FTRACE_NOP_ENTRY	1UL

/* MCOUNT_INSN_SIZE of no architecture is more; two longs and this fill words. */
#define FTRACE_PATCH_BYTES	6

/**
 * struct ftrace_patch - a change of one site
 * @ip:		the site
 * @from:	what it calls, or its kind of nop
 * @to:		what it shall call, or its kind of nop
 * @err:	set by arch_ftrace_patch(): 0, it is changed; otherwise it was left
 *		out. -EBUSY: another's breakpoint is over its first byte, and the
 *		rest is as @from says; -EINVAL: other bytes; -EFAULT: they cannot
 *		be read
 * @found:	the bytes of a site that was left out, but for -EFAULT
 */
struct ftrace_patch {
	unsigned long	ip;
	unsigned long	from, to;
	s16		err;
	u8		found[FTRACE_PATCH_BYTES];
};

/*
 * Verifies all, writes all, in one transaction. Cannot fail half way: a site
 * with other bytes than expected is left out. Another task may do the work, and
 * takes notes in ->err and ->found; they are the caller's when this returns.
 * Context: ftrace_lock held, may sleep; at boot with interrupts off, too.
 * Return: how many sites were left out.
 */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr);

/*
 * Does the site hold what it holds when it calls @target (or is that nop)?
 * @found: FTRACE_PATCH_BYTES for the bytes if not, or NULL.
 * Context: ftrace_lock held, may sleep.
 * Return: 0, or as struct ftrace_patch's @err.
 */
int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found);

/*
 * Another's breakpoint is over the first byte of a call to @from: the rest is
 * changed, so that the site calls @to when the breakpoint goes, and whoever
 * executes the call in its place calls @to from now on. Neither is a nop.
 * Context: ftrace_lock held, may sleep.
 * Return: 0; -EAGAIN there is no breakpoint any more, nothing was changed;
 * -EINVAL other bytes, nothing was changed.
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to);

/* The MCOUNT_INSN_SIZE bytes that the site holds when it calls @target. For messages. */
void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes);

/* Before the first of these two is called, and before there are other CPUs. */
void arch_ftrace_init(void);

/*
 * A site may take along an instruction before it that nobody needs; it is an
 * entry site then, begins where the function does, and is one nop when it is
 * off. This moves the addresses of such sites among those that lie in
 * [@start, @end); their order stays. Text is as the compiler left it, or as
 * arch_ftrace_site_init() did.
 */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end);

/*
 * The compiler's call becomes a nop, in text that no CPU runs yet (boot, a
 * module before it is executable). A nop that is there already is fine.
 * Return: 0; 1 it is an entry site; -EINVAL other bytes (left alone; copied to
 * @found).
 */
int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found);

/*
 * The generic side answers, in any context, NMI and oops included: the
 * trampoline around @ip. Those that are no longer called are found until they
 * are free.
 */
bool ftrace_tramp_find(unsigned long ip, unsigned long *start, u32 *size, bool *regs);
/* For the architecture: once mitigations are chosen; and in mark_rodata_ro(). */
void ftrace_tramp_settle(void);
void ftrace_tramp_seal(void);

#endif /* _LINUX_FTRACE_ARCH_H */
