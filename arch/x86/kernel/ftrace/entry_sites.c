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
 * A site that is discovered while other code runs cannot be moved: a task may have been
 * preempted between the ENDBR and the call. Such a site stays where the call is.
 * While it is off, it is covered: the ENDBR becomes the first bytes of a nop whose
 * last five are those of the site, whatever these are.
 *
 *	26 0f 1f 84    nopl ...		off and covered: one instruction
 *	0f 1f 44 00 00 (nopl ...)	a nop for a task that arrives from an ENDBR
 *
 *	f3 0f 1e fa    endbr64		on
 *	e8 .. .. .. .. call trampoline
 *
 * In a sealed function the prefix is 36 and not 26: it tells that the bytes before were
 * a sealed ENDBR.
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

#include "entry_sites.h"
#include "site.h"

static enum ftrace_take take __ro_after_init = TAKE_ALL;
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

static bool may_take(unsigned long ip)
{
	return ftrace_may_take(take, is_endbr((u32 *)ip),
			       get_unaligned((const u32 *)ip) == gen_endbr_poison());
}

/*
 * Decide which sites may include the ENDBR. To tell sealed functions from
 * others, this seals them, which otherwise happens when alternatives are
 * applied. Nobody calls these functions indirectly, now or later.
 */
void __init arch_ftrace_init(void)
{
	take = ftrace_take_of(take, boot_cpu_has(X86_FEATURE_IBT), IS_ENABLED(CONFIG_CFI));
	if (take == TAKE_SEALED)
		apply_seal_endbr(__ibt_endbr_seal, __ibt_endbr_seal_end);
}

/*
 * An entry site begins at its ENDBR. Another call does not move it again: there is no
 * second ENDBR before it.
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

static bool is_one_of(const u8 *bytes, const u8 (*heads)[ENDBR_INSN_SIZE])
{
	return !memcmp(bytes, heads[0], ENDBR_INSN_SIZE) ||
	       !memcmp(bytes, heads[1], ENDBR_INSN_SIZE);
}

void arch_ftrace_cover(struct ftrace_patch *sites, size_t nr, bool on)
{
	/* A function's first four bytes, sealed or not: covered, and as they are. */
	static const u8 covered[2][ENDBR_INSN_SIZE] = {
		TEXT_COVER_BYTES, TEXT_COVER_SEALED_BYTES
	};
	u8 bare[2][ENDBR_INSN_SIZE];
	const u8 (*from)[ENDBR_INSN_SIZE] = bare, (*to)[ENDBR_INSN_SIZE] = covered;
	struct text_patch_tx tx = {};

	put_unaligned(gen_endbr(), (u32 *)bare[0]);
	put_unaligned(gen_endbr_poison(), (u32 *)bare[1]);
	if (!on)
		swap(from, to);

	ftrace_text_begin(&tx);
	for (size_t i = 0; i < nr; i++) {
		u8 *at = (u8 *)sites[i].ip - ENDBR_INSN_SIZE;
		const bool sealed = !memcmp(at, from[1], ENDBR_INSN_SIZE);

		text_patch_add(at, from[sealed], to[sealed], ENDBR_INSN_SIZE);
		if (!(i % 1024))
			cond_resched();
	}
	ftrace_text_commit(&tx);

	mutex_lock(&text_mutex);
	for (size_t i = 0; i < nr; i++) {
		text_patch_peek((u8 *)sites[i].ip - ENDBR_INSN_SIZE, sites[i].found,
				CALL_INSN_SIZE);
		sites[i].err = 0;
		if (!is_one_of(sites[i].found, to))
			sites[i].err = sites[i].found[0] == INT3_INSN_OPCODE ? -EBUSY : -EINVAL;
	}
	mutex_unlock(&text_mutex);
}
