// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of call sites: a call, or a nop of the same length.
 *
 * What a site calls is the generic side's business. Here it is written, by the
 * text engine.
 *
 * Where IBT is compiled in, most functions begin with an ENDBR before the call.
 * If no CPU looks at it, since the CPU has no IBT or objtool has found nobody
 * who takes the function's address, then the site takes it along:
 *
 *	f3 0f 1e fa    endbr64		as compiled
 *	e8 .. .. .. .. call __fentry__
 *
 *	66 0f 1f 84 90 nopw ...		off: one instruction, as without a tracer
 *	0f 1f 40 00
 *
 *	e8 .. .. .. .. call trampoline	on
 *	0f 1f 40 00    nopl 0(%rax)
 *
 * The last four bytes never change, and are a nop for whoever returns to them.
 */
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

#include "frame.h"

/* Sites that are queued before others get a chance to take text_mutex. */
#define TURN	1024

static const u8 nop[] = { BYTES_NOP5 };
/* What is behind the first five bytes of an entry site, on or off. */
static const u8 entry_end[] = { BYTES_NOP4 };

static_assert(sizeof(nop) == FTRACE_SITE_SIZE);
static_assert(CALL_INSN_SIZE == FTRACE_SITE_SIZE);
static_assert(MCOUNT_INSN_SIZE == FTRACE_SITE_SIZE);
static_assert(FTRACE_NOP == TEXT_NOP && FTRACE_NOP_ENTRY == TEXT_NOP_LONG);

static_assert(MCOUNT_INSN_SIZE <= FTRACE_PATCH_BYTES);

/* A transaction of ours, and whose sites it is about. */
struct site_tx {
	struct text_patch_tx tx;
	struct ftrace_patch *patches;
	size_t nr;
	size_t hint;
	size_t left_out;
};

/* What is wrong with five bytes that are not the expected ones. */
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
 * Faults come in address order, and sites mostly do, so the one that is looked
 * for is found after the one before.
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
 * With text_mutex held, in whatever task commits the engine's queue: only takes
 * notes. The transaction is open until its own task has had text_mutex again,
 * so it is still there.
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

/*
 * Inside of somebody else's bracket faults are told to him, when he commits.
 * Our caller must know now.
 */
static noinline bool joined_patch_fits(struct site_tx *tx,
				       struct ftrace_patch *patch,
				       const u8 *expected)
{
	u8 found[FTRACE_SITE_SIZE];

	text_patch_peek((void *)patch->ip, found, sizeof(found));
	if (!memcmp(found, expected, sizeof(found)))
		return true;
	leave_out(tx, patch, -EINVAL, expected, found);
	return false;
}

/*
 * The bytes can have changed between that look and the commit. What is not there
 * now was left out.
 */
static noinline void joined_patches_arrived(struct site_tx *tx)
{
	u8 old[FTRACE_SITE_SIZE], new[FTRACE_SITE_SIZE], found[FTRACE_SITE_SIZE];

	mutex_lock(&text_mutex);
	for (size_t i = 0; i < tx->nr; i++) {
		struct ftrace_patch *p = &tx->patches[i];

		text_call_or_nop(new, p->ip, p->to);
		text_patch_peek((void *)p->ip, found, sizeof(found));
		if (p->err || !memcmp(found, new, sizeof(found)) ||
		    what_is_wrong(new, found) == -EBUSY)
			continue;
		text_call_or_nop(old, p->ip, p->from);
		leave_out(tx, p, -EINVAL, old, found);
	}
	mutex_unlock(&text_mutex);
}

static __always_inline
void add_patch(struct site_tx *tx, struct ftrace_patch *p, bool joined)
{
	const unsigned int told = tx->tx.nr_faults;
	u8 old[FTRACE_SITE_SIZE];
	int err;

	if (unlikely(joined)) {
		text_call_or_nop(old, p->ip, p->from);
		if (!joined_patch_fits(tx, p, old))
			return;
	}

	err = text_patch_add_call(&tx->tx, (void *)p->ip, p->from, p->to);
	if (unlikely(err) && tx->tx.nr_faults == told) {
		text_call_or_nop(old, p->ip, p->from);
		leave_out(tx, p, err, old, (u8 *)p->ip);
	}
}

/**
 * arch_ftrace_patch - change what sites call
 * @patches:	the sites; in ascending order costs least. ->err has to be 0
 * @nr:		how many
 *
 * One transaction of the text engine: all of it is live on return. Until then a
 * CPU may find some sites changed and others not. A site whose bytes are not what
 * its patch says is left out, with the reason in ->err and the bytes in ->found.
 *
 * Context: ftrace_lock held, may sleep; at boot with interrupts off, too.
 *	    Takes text_mutex.
 * Return: how many were left out.
 */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr)
{
	struct site_tx tx = {
		.tx.fault = note_fault,
		.patches = patches,
		.nr = nr,
	};
	size_t i, turn;
	bool joined;

	text_patch_begin(&tx.tx);
	joined = tx.tx.outer;
	for (i = 0; i < nr; ) {
		turn = min_t(size_t, nr, i + TURN);
		mutex_lock(&text_mutex);
		if (!i)
			text_patch_reserve(nr);
		for (; i < turn; i++)
			add_patch(&tx, &patches[i], joined);
		mutex_unlock(&text_mutex);
		cond_resched();
	}
	text_patch_commit(&tx.tx);
	/* What was called before may be freed a grace period from now. */
	if (joined) {
		text_patch_flush();
		joined_patches_arrived(&tx);
	}
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

/**
 * arch_ftrace_site_check - compare a site with what it should hold
 * @ip:		the site
 * @target:	what it should call, or its kind of nop
 * @found:	gets FTRACE_SITE_SIZE bytes that are there; or NULL
 *
 * Context: ftrace_lock held, may sleep. Takes text_mutex.
 * Return: 0; -EBUSY another's breakpoint is over the first byte, and the rest is
 *	   as it should be; -EINVAL other bytes.
 */
int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found)
{
	u8 bytes[FTRACE_SITE_SIZE];
	int err;

	mutex_lock(&text_mutex);
	err = check_locked(ip, target, found ?: bytes);
	mutex_unlock(&text_mutex);
	return err;
}

/**
 * arch_ftrace_site_retarget - change a call under another's breakpoint
 * @ip:		the site
 * @from:	what it calls
 * @to:		what it shall call; neither is a nop
 *
 *	cc f1 f2 f3 f4	a breakpoint over "call @from"
 *	cc t1 t2 t3 t4	...over "call @to"
 *	   sync		no CPU holds a byte of the old rest
 *	e8 t1 t2 t3 t4	when the debugger puts back the byte that it saved
 *
 * Nobody executes the four bytes while the first one is a breakpoint. It cannot
 * go meanwhile: the debugger neither sets nor clears one while text_mutex is
 * held (arch/x86/kernel/kgdb.c).
 *
 * Context: ftrace_lock held, may sleep. Takes text_mutex.
 * Return: 0; -EAGAIN the breakpoint is gone; -EINVAL other bytes. On error
 *	   nothing changed.
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to)
{
	u8 found[FTRACE_SITE_SIZE], new[FTRACE_SITE_SIZE];
	int err;

	if (WARN_ON_ONCE(from <= TEXT_NOP_LONG || to <= TEXT_NOP_LONG))
		return -EINVAL;

	text_call_or_nop(new, ip, to);
	mutex_lock(&text_mutex);
	err = check_locked(ip, from, found);
	if (err == -EBUSY) {
		text_poke((void *)ip + 1, new + 1, FTRACE_SITE_SIZE - 1);
		text_poke_sync();
		err = 0;
	} else if (!err) {
		err = -EAGAIN;
	}
	mutex_unlock(&text_mutex);
	return err;
}

/**
 * arch_ftrace_site_bytes - say what a site holds
 * @ip:		the site
 * @target:	what it calls, or its kind of nop
 * @bytes:	gets FTRACE_SITE_SIZE bytes
 *
 * Context: any.
 */
void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes)
{
	text_call_or_nop(bytes, ip, target);
}

static bool is_endbr_at(unsigned long ip)
{
	return is_endbr(get_unaligned((const u32 *)ip));
}

#ifdef CONFIG_X86_KERNEL_IBT
extern s32 __ibt_endbr_seal[], __ibt_endbr_seal_end[];

/* Whose ENDBR is taken: nobody's, that of sealed functions, everybody's. */
static enum { TAKE_NONE, TAKE_SEALED, TAKE_ALL } take __ro_after_init = TAKE_ALL;
static const char *const takes[] __initconst = { "off", "sealed", "all" };

static int __init set_take(char *text)
{
	/* Without a value, there is no text. */
	if (text && !strcmp(text, "off"))
		take = TAKE_NONE;
	else if (text && !strcmp(text, "sealed"))
		take = TAKE_SEALED;
	else
		pr_warn("ftrace_entry: \"%s\" is neither \"off\" nor \"sealed\", using %s\n",
			text ?: "", takes[take]);
	return 0;
}
early_param("ftrace_entry", set_take);

static bool may_take(unsigned long ip)
{
	switch (take) {
	case TAKE_ALL:
		return is_endbr_at(ip);
	case TAKE_SEALED:
		return get_unaligned((const u32 *)ip) == gen_endbr_poison();
	default:
		return false;
	}
}

/**
 * arch_ftrace_init - find out whose ENDBR may be taken
 *
 * To tell sealed functions from others they are sealed now, which otherwise
 * happens with the alternatives. Nobody calls them indirectly, today or then.
 *
 * kCFI has more to say about the beginning of a function than this knows.
 *
 * Context: boot, one CPU, interrupts off; before the first site is made a nop.
 */
void __init arch_ftrace_init(void)
{
	if (IS_ENABLED(CONFIG_CFI_CLANG))
		take = TAKE_NONE;
	if (take == TAKE_ALL && boot_cpu_has(X86_FEATURE_IBT))
		take = TAKE_SEALED;
	if (take == TAKE_SEALED)
		apply_seal_endbr(__ibt_endbr_seal, __ibt_endbr_seal_end);
}
#else
static bool may_take(unsigned long ip)
{
	return false;
}

/* See the other one: there is nothing to take. */
void __init arch_ftrace_init(void)
{
}
#endif

/**
 * arch_ftrace_sites_place - move entry sites to where they will begin
 * @ips:	addresses of calls, as recorded; some get smaller, in order
 * @n:		how many
 * @start:	the first address of the text that is there to be looked at
 * @end:	one past its last one; addresses outside stay as they are
 *
 * Context: as arch_ftrace_site_init(). Twice does no harm.
 */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end)
{
	for (size_t i = 0; i < n; i++) {
		if (ips[i] < start + ENDBR_INSN_SIZE || ips[i] >= end)
			continue;
		if (may_take(ips[i] - ENDBR_INSN_SIZE))
			ips[i] -= ENDBR_INSN_SIZE;
	}
}

/**
 * arch_ftrace_site_init - make the compiler's call a nop
 * @ip:		the site, in text that can be written and that no CPU runs yet
 * @expected:	gets the bytes of the compiler's call
 * @found:	gets the bytes that were there
 *
 * A nop that is there already is fine: the compiler or objtool was quicker.
 *
 * Context: boot with one CPU, or while a module is loaded. Text is written as
 *	    ordinary memory.
 * Return: 0; 1: it is an entry site; -EINVAL, there is something else, which
 *	   is left alone.
 */
int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found)
{
	const bool entry = is_endbr_at(ip);
	const unsigned long call = entry ? ip + ENDBR_INSN_SIZE : ip;

	text_call_or_nop(expected, call, MCOUNT_ADDR);
	__builtin_memcpy(found, (void *)call, FTRACE_SITE_SIZE);

	if (__builtin_memcmp(found, nop, FTRACE_SITE_SIZE) &&
	    __builtin_memcmp(found, expected, FTRACE_SITE_SIZE))
		return -EINVAL;

	/*
	 * This CPU notices: it has jumped and will jump many times before it
	 * gets there. NMIs and machine checks are the caller's to exclude.
	 */
	text_call_or_nop((u8 *)ip, ip, entry ? TEXT_NOP_LONG : TEXT_NOP);
	if (entry)
		__builtin_memcpy((void *)ip + FTRACE_SITE_SIZE, entry_end, sizeof(entry_end));
	return entry;
}
