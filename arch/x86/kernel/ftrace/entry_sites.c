// SPDX-License-Identifier: GPL-2.0
/*
 * Entry sites: call sites that include the ENDBR before the call.
 *
 * If IBT is compiled in, most functions begin with an ENDBR before the call. If
 * no CPU checks that ENDBR, since the CPU has no IBT or objtool has found that
 * nobody takes the function's address, the site includes it and is an entry
 * site:
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
 * The last four bytes never change, and are a nop for a CPU that returns to
 * them.
 *
 * A site that is found while others run cannot be moved: a task may have been
 * preempted between the ENDBR and the call. Such a site stays where the call is.
 * While it is off, it is covered: the ENDBR becomes the first bytes of a nop whose
 * last five are those of the site, whatever these are.
 *
 *	66 0f 1f 84    nopw ...		off and covered: one instruction
 *	0f 1f 44 00 00 (nopl ...)	a nop for a task that arrives from an ENDBR
 *
 *	f3 0f 1e fa    endbr64		on
 *	e8 .. .. .. .. call trampoline
 */
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
#include <asm/text-transaction.h>

/* Sites that include the ENDBR: none, those of sealed functions, all. */
static enum { TAKE_NONE, TAKE_SEALED, TAKE_ALL } take __ro_after_init = TAKE_ALL;
static const char *const takes[] __initconst = { "off", "sealed", "all" };

static int __init set_take(char *text)
{
	/* @text is NULL if the parameter has no value. */
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

/* What functions that may_take() begin with. */
static u32 taken_head(void)
{
	return take == TAKE_SEALED ? gen_endbr_poison() : gen_endbr();
}

static bool may_take(unsigned long ip)
{
	switch (take) {
	case TAKE_ALL:
		return is_endbr((u32 *)ip);
	case TAKE_SEALED:
		return get_unaligned((const u32 *)ip) == gen_endbr_poison();
	default:
		return false;
	}
}

/*
 * Decide which sites may include the ENDBR. To tell sealed functions from
 * others, this seals them, which otherwise happens when alternatives are
 * applied. Nobody calls these functions indirectly, now or later.
 *
 * With kCFI no site includes it: kCFI has more rules for the beginning of a
 * function.
 */
void __init arch_ftrace_init(void)
{
	if (IS_ENABLED(CONFIG_CFI))
		take = TAKE_NONE;
	if (take == TAKE_ALL && boot_cpu_has(X86_FEATURE_IBT))
		take = TAKE_SEALED;
	if (take == TAKE_SEALED)
		apply_seal_endbr(__ibt_endbr_seal, __ibt_endbr_seal_end);
}

/*
 * An entry site begins at its ENDBR. What has been moved once stays: before an
 * ENDBR there is no other.
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

bool arch_ftrace_may_cover(unsigned long ip)
{
	return may_take(ip - ENDBR_INSN_SIZE);
}

void arch_ftrace_cover(struct ftrace_patch *sites, size_t nr, bool on)
{
	static const u8 cover[] = TEXT_COVER_BYTES;
	struct text_patch_tx tx = {};
	u8 endbr[ENDBR_INSN_SIZE];
	const u8 *from, *to;

	static_assert(sizeof(cover) == sizeof(endbr));
	put_unaligned(taken_head(), (u32 *)endbr);
	from = on ? endbr : cover;
	to = on ? cover : endbr;

	text_patch_begin(&tx);
	for (size_t i = 0; i < nr; i++) {
		text_patch_add((void *)sites[i].ip - sizeof(endbr), from, to, sizeof(endbr));
		if (!(i % 1024))
			cond_resched();
	}
	text_patch_commit(&tx);
	if (tx.outer)
		text_patch_flush();

	mutex_lock(&text_mutex);
	for (size_t i = 0; i < nr; i++) {
		text_patch_peek((void *)sites[i].ip - sizeof(endbr), sites[i].found,
				sizeof(endbr));
		sites[i].err = 0;
		if (!memcmp(sites[i].found, to, sizeof(endbr)))
			continue;
		sites[i].err = sites[i].found[0] == INT3_INSN_OPCODE ? -EBUSY : -EINVAL;
	}
	mutex_unlock(&text_mutex);
}
