// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of discovery: __fentry__ jumps to the recorder, or returns.
 *
 * The text engine changes it while it is run by other CPUs, by NMI handlers, and by
 * functions that the engine itself calls. Each of these finds the nop, the jump, or a
 * breakpoint that acts as one of them.
 */
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

#include "entry.h"
#include "frame.h"
#include "site.h"

static_assert(JMP32_INSN_SIZE == FTRACE_SITE_SIZE);

/*
 * At boot this is called before the kernel decides whether to track the call depth.
 * A call that is not accounted for only makes it refill the return stack buffer
 * earlier. ftraced calls this again once that is decided.
 */
void arch_ftrace_discover(bool on)
{
	const u8 *recorder = boot_cpu_has(X86_FEATURE_CALL_DEPTH) ? ftrace_record_depth :
								     ftrace_record;
	static const u8 nop[] = { BYTES_NOP5 };
	void *at = (void *)ftrace_record_switch;
	u8 jump[JMP32_INSN_SIZE];
	struct text_patch_tx tx = {};

	__text_gen_insn(jump, JMP32_INSN_OPCODE, at, recorder, sizeof(jump));
	ftrace_text_begin(&tx);
	text_patch_add(at, NULL, on ? jump : nop, sizeof(jump));
	ftrace_text_commit(&tx);
}

bool arch_ftrace_calls_fentry(unsigned long ip)
{
	u8 call[CALL_INSN_SIZE];

	__text_gen_insn(call, CALL_INSN_OPCODE, (void *)ip, (void *)MCOUNT_ADDR, sizeof(call));
	return !memcmp(call, (void *)ip, sizeof(call));
}

unsigned long arch_ftrace_recorded_call(unsigned long addr)
{
	return addr - FTRACE_SITE_SIZE;
}
