// SPDX-License-Identifier: GPL-2.0
/*
 * Write the bytes of call sites: a call or jump, or a nop of the same length.
 *
 * The generic side decides what a site calls. This file has the text engine write it.
 */
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

#include "frame.h"
#include "site.h"

/* Number of sites to queue before text_mutex is dropped for other tasks. */
#define TURN	1024

static const u8 nop[] = { BYTES_NOP5 };
/* The bytes after the first five of an entry site, on or off. */
static const u8 entry_end[] = { BYTES_NOP4 };

static_assert(sizeof(nop) == FTRACE_SITE_SIZE);
static_assert(CALL_INSN_SIZE == FTRACE_SITE_SIZE);
static_assert(MCOUNT_INSN_SIZE == FTRACE_SITE_SIZE);
static_assert(FTRACE_NOP == TEXT_NOP && FTRACE_NOP_ENTRY == TEXT_NOP_LONG);
static_assert(FTRACE_NOP_JUMP == TEXT_NOP_JUMP);

static_assert(MCOUNT_INSN_SIZE <= FTRACE_PATCH_BYTES);

/* A struct ftrace_patch begins with the fields of a struct text_call. */
static_assert(offsetof(struct ftrace_patch, ip) == offsetof(struct text_call, addr));
static_assert(offsetof(struct ftrace_patch, from) == offsetof(struct text_call, from));
static_assert(offsetof(struct ftrace_patch, to) == offsetof(struct text_call, to));

/* A transaction, and the patches that it makes. */
struct site_tx {
	struct text_patch_tx tx;
	struct ftrace_patch *patches;
	size_t nr;
	size_t hint;
	size_t left_out;
};

/*
 * The error for five bytes that are not the expected ones: -EBUSY if only a
 * breakpoint is over the first one, else -EINVAL.
 */
static int what_is_wrong(const u8 *expected, const u8 *found)
{
	if (found[0] == INT3_INSN_OPCODE &&
	    !memcmp(expected + 1, found + 1, FTRACE_SITE_SIZE - 1))
		return -EBUSY;
	return -EINVAL;
}

static void leave_out(struct site_tx *tx, struct ftrace_patch *patch, int err,
		      const u8 *expected, const u8 *found)
{
	patch->err = err == -EFAULT ? err : what_is_wrong(expected, found);
	memcpy(patch->found, found, FTRACE_SITE_SIZE);
	tx->left_out++;
}

/*
 * Find the patch of the site at @ip. Faults come in address order, and so do
 * most patches, so the search starts at the one found before.
 */
static struct ftrace_patch *patch_at(struct site_tx *tx, unsigned long ip)
{
	size_t i, n;

	for (n = 0, i = tx->hint; n < tx->nr; n++, i++) {
		if (i == tx->nr)
			i = 0;
		if (tx->patches[i].ip == ip) {
			tx->hint = i;
			return &tx->patches[i];
		}
	}
	return NULL;
}

/*
 * Record a fault. Runs with text_mutex held, in the task that adds the change or in one
 * that commits. The latter may be another task, but the transaction still exists: its
 * owner takes text_mutex to close it.
 */
static void note_fault(struct text_patch_tx *tx,
		       const struct text_patch_fault *fault)
{
	struct site_tx *site_tx = container_of(tx, struct site_tx, tx);
	struct ftrace_patch *patch;

	patch = patch_at(site_tx, (unsigned long)fault->addr);
	if (!WARN_ON_ONCE(!patch))
		leave_out(site_tx, patch, fault->err, fault->expected, fault->found);
}

/* Queue patches. Return: How many have been queued or left out. */
static size_t add_patches(struct site_tx *tx, struct ftrace_patch *p, size_t nr)
{
	const unsigned int told = tx->tx.nr_faults;
	u8 old[FTRACE_SITE_SIZE];
	size_t n;

	n = text_patch_add_calls(&tx->tx, (struct text_call *)p, sizeof(*p), nr);
	if (likely(n == nr))
		return n;
	if (tx->tx.nr_faults == told) {
		p += n;
		text_call_or_nop(old, p->ip, p->from);
		leave_out(tx, p, -EINVAL, old, (u8 *)p->ip);
	}
	return n + 1;
}

/*
 * Open a transaction for text that CPUs run before they are online, when no sync waits
 * for them: sites, and the code that sites call. So no CPU may come up until the commit.
 */
void ftrace_text_begin(struct text_patch_tx *tx)
{
	cpus_read_lock();
	text_patch_begin(tx);
	/* An outer one would get the faults, and decide when the changes are live. */
	WARN_ON_ONCE(tx->outer);
}

void ftrace_text_commit(struct text_patch_tx *tx)
{
	text_patch_commit(tx);
	cpus_read_unlock();
}

/*
 * All patches are one transaction. The old call targets may be freed a grace period
 * after it.
 */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr)
{
	struct site_tx tx = {
		.tx.fault = note_fault,
		.patches = patches,
		.nr = nr,
	};
	size_t i = 0;

	ftrace_text_begin(&tx.tx);
	while (i < nr) {
		const size_t turn = min_t(size_t, nr, i + TURN);

		mutex_lock(&text_mutex);
		if (!i)
			text_patch_reserve(nr);
		while (i < turn)
			i += add_patches(&tx, &patches[i], turn - i);
		mutex_unlock(&text_mutex);
		cond_resched();
	}
	ftrace_text_commit(&tx.tx);
	return tx.left_out;
}

static int check_locked(unsigned long ip, unsigned long target, u8 *found)
{
	u8 expected[FTRACE_SITE_SIZE];

	text_call_or_nop(expected, ip, target);
	text_patch_peek((void *)ip, found, FTRACE_SITE_SIZE);
	if (!memcmp(expected, found, FTRACE_SITE_SIZE))
		return 0;
	return what_is_wrong(expected, found);
}

int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	u8 bytes[FTRACE_SITE_SIZE];
	int err;

	mutex_lock(&text_mutex);
	err = check_locked(ip, target, found ?: bytes);
	mutex_unlock(&text_mutex);
	return err;
}

/*
 *	cc f1 f2 f3 f4	a breakpoint over "call from"
 *	   sync		no CPU holds the first byte from before the breakpoint
 *	cc t1 t2 t3 t4	...over "call to"
 *	   sync		no CPU holds a byte of the old rest
 *	e8 t1 t2 t3 t4	once the debugger has written back the byte that it saved
 *
 * The same with e9, the byte of a jump and of FTRACE_NOP_JUMP:
 *
 *	e9 00 00 00 00	continue after the site
 *
 * No CPU executes the other four bytes while the first one is a breakpoint. The
 * breakpoint stays meanwhile: the debugger neither sets nor clears one while
 * text_mutex is held (arch/x86/kernel/kgdb.c).
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to)
{
	u8 found[FTRACE_SITE_SIZE], old[FTRACE_SITE_SIZE], new[FTRACE_SITE_SIZE];
	struct text_patch_tx tx = {};
	int err;

	text_call_or_nop(old, ip, from);
	text_call_or_nop(new, ip, to);
	if (WARN_ON_ONCE(from <= TEXT_NOP_JUMP || old[0] != new[0]))
		return -EINVAL;

	ftrace_text_begin(&tx);
	mutex_lock(&text_mutex);
	err = check_locked(ip, from, found);
	if (err == -EBUSY) {
		smp_text_poke_sync_each_cpu();
		text_poke((void *)ip + 1, new + 1, FTRACE_SITE_SIZE - 1);
		smp_text_poke_sync_each_cpu();
		err = 0;
	} else if (!err) {
		err = -EAGAIN;
	}
	mutex_unlock(&text_mutex);
	ftrace_text_commit(&tx);
	return err;
}

void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes)
{
	text_call_or_nop(bytes, ip, target);
}

int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found)
{
	const bool entry = is_endbr((u32 *)ip);
	const unsigned long call = entry ? ip + ENDBR_INSN_SIZE : ip;

	text_call_or_nop(expected, call, MCOUNT_ADDR);
	__builtin_memcpy(found, (void *)call, FTRACE_SITE_SIZE);

	if (__builtin_memcmp(found, nop, FTRACE_SITE_SIZE) &&
	    __builtin_memcmp(found, expected, FTRACE_SITE_SIZE))
		return -EINVAL;

	/*
	 * This CPU executes jumps before it runs the site, so it fetches the
	 * new bytes. The caller makes sure that NMIs and machine checks do not
	 * run the site.
	 */
	text_call_or_nop((u8 *)ip, ip, entry ? TEXT_NOP_LONG : TEXT_NOP);
	if (entry)
		__builtin_memcpy((void *)ip + FTRACE_SITE_SIZE, entry_end, sizeof(entry_end));
	return entry;
}

void arch_ftrace_sites_ready(void)
{
}

#ifndef CONFIG_FTRACE_ENTRY_SITES
void __init arch_ftrace_init(void)
{
}

/* No site includes the instruction before the call. */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end)
{
}

bool arch_ftrace_may_cover(unsigned long ip)
{
	return false;
}

void arch_ftrace_cover(struct ftrace_patch *sites, size_t nr, bool on)
{
}
#endif
