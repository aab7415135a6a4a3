// SPDX-License-Identifier: GPL-2.0
/*
 * Faults: text that is not as we left it.
 *
 * Whoever else changes text may have a reason, and overwriting the change could
 * break code. A debugger's breakpoint covers the first byte of the call, or all of
 * it, until the debugger restores the bytes: until then the site is held, and each
 * plan checks it again. A site with other bytes is given up and reported; all other
 * sites stay in use.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/printk.h>

#include "fault.h"

unsigned int ftrace_faults;
u32 ftrace_held_sites;

/* A module with nothing but bad sites must not fill the log. */
#define MAX_REPORTS	16

/**
 * ftrace_fault_site() - mark and report a site with unexpected bytes
 * @b: block
 * @i: index of the site in @b
 * @err: -EINVAL unexpected bytes; -EFAULT the bytes cannot be read; -EOPNOTSUPP a
 *	foreign breakpoint, over a call that cannot be redirected
 * @expected: the MCOUNT_INSN_SIZE bytes that should be there; NULL: not known
 * @found: the MCOUNT_INSN_SIZE bytes that are there; ignored for -EFAULT
 *
 * The site is never patched again. The first report since boot is a warning
 * with a backtrace, so that panic_on_warn acts on it.
 *
 * Context: ftrace_lock held, or the block is not published.
 */
void ftrace_fault_site(struct ftrace_site_block *b, u32 i, int err, const u8 *expected,
		       const u8 *found)
{
	void *ip = (void *)ftrace_site_ip(b, i);

	if (b->sites[i].state & FTRACE_SITE_FAULT)
		return;

	ftrace_release_site(b, i);
	WRITE_ONCE(b->sites[i].state, b->sites[i].state | FTRACE_SITE_FAULT);
	if (ftrace_faults++ >= MAX_REPORTS)
		return;

	if (err == -EFAULT)
		pr_warn("faulted on reading [<%p>] %pS, it is not traced from now on\n", ip, ip);
	else
		pr_warn("%s at [<%p>] %pS, it is not traced from now on\n"
			" found:    %*ph\n", err == -EOPNOTSUPP ?
			"breakpoint over a call that stays" : "unexpected bytes",
			ip, ip, MCOUNT_INSN_SIZE, found);
	if (err != -EFAULT && expected)
		pr_warn(" expected: %*ph\n", MCOUNT_INSN_SIZE, expected);
	if (ftrace_faults == MAX_REPORTS)
		pr_warn("that makes %u sites; further ones are not logged\n", MAX_REPORTS);
	WARN_ONCE(1, "ftrace: %pS does not hold what the tracer left there\n", ip);
}

/**
 * ftrace_hold_site() - mark a site as held by a foreign breakpoint
 * @b: block
 * @i: index of the site in @b
 *
 * Logs that once, until the site is released.
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_hold_site(struct ftrace_site_block *b, u32 i)
{
	lockdep_assert_held(&ftrace_lock);

	if (b->sites[i].state & FTRACE_SITE_HELD)
		return;

	WRITE_ONCE(b->sites[i].state, b->sites[i].state | FTRACE_SITE_HELD);
	ftrace_held_sites++;
	pr_notice("%pS has a foreign breakpoint; its hooks wait until it is removed\n",
		  (void *)ftrace_site_ip(b, i));
}

/**
 * ftrace_release_site() - mark a site as no longer held
 * @b: block
 * @i: index of the site in @b
 *
 * Context: ftrace_lock held, or the block is not published.
 */
void ftrace_release_site(struct ftrace_site_block *b, u32 i)
{
	if (!(b->sites[i].state & FTRACE_SITE_HELD))
		return;

	WRITE_ONCE(b->sites[i].state, b->sites[i].state & ~FTRACE_SITE_HELD);
	ftrace_held_sites--;
}

/**
 * ftrace_make_nops() - turn the compiler's calls into nops
 * @b: block; its text is writable, and no other CPU executes it
 *
 * Marks entry sites. Sites with other bytes are kept, marked and reported.
 *
 * Context: ftrace_lock held. Also at boot with interrupts off.
 */
void ftrace_make_nops(struct ftrace_site_block *b)
{
	u8 expected[MCOUNT_INSN_SIZE], found[MCOUNT_INSN_SIZE];
	u32 i;

	for (i = 0; i < b->nr; i++) {
		int kind = arch_ftrace_site_init(ftrace_site_ip(b, i), expected, found);

		if (unlikely(kind < 0))
			ftrace_fault_site(b, i, kind, expected, found);
		else if (kind)
			WRITE_ONCE(b->sites[i].state, b->sites[i].state | FTRACE_SITE_ENTRY);
	}
	arch_ftrace_sites_ready();
}
