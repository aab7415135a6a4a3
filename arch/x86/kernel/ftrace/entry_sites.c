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
 */
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>

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
