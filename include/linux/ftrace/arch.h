/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that an architecture supplies. There are no weak functions: a
 * missing one is a link error. The generic code owns all flags and lists.
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
	unsigned long	direct;		/* address to jump to at the end, 0: return */
};

/*
 * The size of the image in bytes, 0 if none can be built.
 * arch_ftrace_tramp_build() writes the code that will run at @ip into @buf.
 * Return: 0 on success, -ERANGE if a call cannot reach its target.
 */
size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec);
int arch_ftrace_tramp_build(void *buf, unsigned long ip, const struct ftrace_tramp_spec *spec);

/*
 * Finish a trampoline that was made at boot, before everything about the CPU
 * was known. Called by ftrace_tramp_settle().
 */
void arch_ftrace_tramp_settle(unsigned long ip, u32 size);

/* One page of executable memory for trampolines, filled with traps, not writable. */
void *arch_ftrace_page_alloc(void);
void arch_ftrace_page_free(void *page);
/* Copies @buf to @dst in such a page; works at boot, and after the kernel is sealed. */
int arch_ftrace_page_write(void *dst, const void *buf, size_t len);
void arch_ftrace_page_trap(void *dst, size_t len);	/* fills the range with traps */
void arch_ftrace_page_seal(void *page);		/* makes a boot-time page read-only */

/* The trampoline in the kernel's text that calls ftrace_dispatch_mixed() with full regs. */
unsigned long arch_ftrace_mixed(void);

/* What a site that is off "calls": a nop, or the nop of an entry site, see below. */
#define FTRACE_NOP		0UL
#define FTRACE_NOP_ENTRY	1UL

/* At least MCOUNT_INSN_SIZE on any architecture; makes struct ftrace_patch fill whole words. */
#define FTRACE_PATCH_BYTES	6

/**
 * struct ftrace_patch - a change of one site
 * @ip: address of the site
 * @from: what it calls now, or its kind of nop
 * @to: what it shall call, or its kind of nop
 * @err: set by arch_ftrace_patch(): 0 if the site was changed, else the site
 *	was left out. -EBUSY: a foreign breakpoint is on its first byte, the other
 *	bytes are as @from says; -EINVAL: unexpected bytes; -EFAULT: the bytes
 *	cannot be read
 * @found: the bytes of a site that was left out, except for -EFAULT
 */
struct ftrace_patch {
	unsigned long	ip;
	unsigned long	from, to;
	s16		err;
	u8		found[FTRACE_PATCH_BYTES];
};

/*
 * Verify and write all sites in one transaction. Cannot fail half way: a site
 * with unexpected bytes is left out. Another task may do the work and set ->err
 * and ->found; both are final when this returns.
 * Context: ftrace_lock held. May sleep. Also at boot with interrupts off.
 * Return: the number of sites left out.
 */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr);

/*
 * Check that a site holds the bytes of a call to @target, or of that kind of
 * nop.
 * @found: FTRACE_PATCH_BYTES bytes, set to those of the site if it does not; or
 *	NULL.
 * Context: ftrace_lock held. May sleep.
 * Return: 0 if it does, else as ->err in struct ftrace_patch.
 */
int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found);

/*
 * A foreign breakpoint is on the first byte of a call to @from. Change the
 * bytes after it so that the site calls @to once the breakpoint is removed.
 * Until then, whoever emulates the call in place of the breakpoint calls @to
 * from now on. Neither @from nor @to is a nop.
 * Context: ftrace_lock held. May sleep.
 * Return: 0 on success; -EAGAIN if there is no breakpoint any more, -EINVAL if
 * there are unexpected bytes. On error nothing changed.
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to);

/* The MCOUNT_INSN_SIZE bytes of a site that calls @target. For messages. */
void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes);

/*
 * Called once at boot, before arch_ftrace_sites_place() and
 * arch_ftrace_site_init(), and before other CPUs are started.
 */
void arch_ftrace_init(void);

/*
 * An entry site includes the instruction before the call, if nothing needs
 * that. So it begins where the function does, and is one nop when it is off.
 * This moves the addresses of such sites among those in [@start, @end); the
 * order of addresses stays. Text is as compiled, or as left by
 * arch_ftrace_site_init().
 */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end);

/*
 * Turn the compiler's call into a nop, in text that no CPU runs yet (boot, or a
 * module before it is executable). A nop that is already there is fine.
 * Return: 0 on success, 1 for an entry site, -EINVAL if there are other bytes:
 * they are kept, and copied to @found.
 */
int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found);

/*
 * Supplied by the generic code, for any context including NMI and oops: the
 * trampoline that contains @ip. Retired ones are found until they are freed.
 */
bool ftrace_tramp_find(unsigned long ip, unsigned long *start, u32 *size, bool *regs);
/* Called by the architecture once mitigations are chosen, and in mark_rodata_ro(). */
void ftrace_tramp_settle(void);
void ftrace_tramp_seal(void);

#endif /* _LINUX_FTRACE_ARCH_H */
