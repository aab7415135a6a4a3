// SPDX-License-Identifier: GPL-2.0
/*
 * Faults: text that is not as we left it.
 *
 * Whoever wrote there has a reason, and code that would run wrong if we wrote,
 * too. A debugger's breakpoint is over one byte, which the debugger will put
 * back: the site is held until then, and each plan looks at it again. A site
 * with other bytes is given up and reported, and everything else goes on.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/printk.h>

#include "fault.h"

unsigned int ftrace_faults;
u32 ftrace_held_sites;

/* A module that is wrong from end to end shall not fill the log. */
#define MAX_REPORTS	16

/**
 * ftrace_fault_site() - give up a site and say so
 * @b: block
 * @i: index of the site in it
 * @err: -EINVAL other bytes; -EFAULT they cannot be read
 * @expected: MCOUNT_INSN_SIZE bytes
 * @found: as many; not looked at for -EFAULT
 *
 * The first one since boot is a warning with a backtrace, which panic_on_warn
 * acts on.
 *
 * Context: ftrace_lock held, or nobody else knows the block.
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
		pr_warn("unexpected bytes at [<%p>] %pS, it is not traced from now on\n"
			" found:    %*ph\n expected: %*ph\n", ip, ip,
			MCOUNT_INSN_SIZE, found, MCOUNT_INSN_SIZE, expected);
	if (ftrace_faults == MAX_REPORTS)
		pr_warn("that makes %u sites, no more of them are named\n", MAX_REPORTS);
	WARN_ONCE(1, "ftrace: %pS does not hold what the tracer left there\n", ip);
}

/**
 * ftrace_hold_site() - note that another's breakpoint is over a site
 * @b: block
 * @i: index of the site in it
 *
 * It is said once, until the site is released.
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
	pr_notice("%pS has another's breakpoint, its hooks wait until that has gone\n",
		  (void *)ftrace_site_ip(b, i));
}

/**
 * ftrace_release_site() - note that no breakpoint is over a site any more
 * @b: block
 * @i: index of the site in it
 *
 * Context: ftrace_lock held, or nobody else knows the block.
 */
void ftrace_release_site(struct ftrace_site_block *b, u32 i)
{
	if (!(b->sites[i].state & FTRACE_SITE_HELD))
		return;

	WRITE_ONCE(b->sites[i].state, b->sites[i].state & ~FTRACE_SITE_HELD);
	ftrace_held_sites--;
}

/**
 * ftrace_make_nops() - the compiler's calls become nops
 * @b: sites of text that can be written and that nobody runs yet
 *
 * What is neither stays as it is, is marked, and is told of.
 *
 * Context: ftrace_lock held; at boot with interrupts off, too.
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
}
