/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stack while a trampoline calls its hooks, and what entry.S and C code share.
 *
 * A site has two instructions. The second one, which is patched, is at the site's
 * address:
 *
 *	mov  x9, x30		the function's return address
 *	bl   trampoline		x30: the function's address after the site
 *
 * A trampoline may change x9 to x17. From the stack pointer upwards:
 *
 *	struct ftrace_regs	registers for the hooks
 *	FTRACE_AT_OWN		frame record: FTRACE_AT_FUNC, address after the site
 *	FTRACE_AT_FUNC		frame record: the caller's, the function's return address
 *
 * The function has made no frame record yet; without the second one, unwinders would
 * skip its caller. Hooks may change everything in struct ftrace_regs except the stack
 * pointer. They must not change the records: further calls get their arguments from
 * these.
 */
#ifndef _ARM64_FTRACE_ENTRY_H
#define _ARM64_FTRACE_ENTRY_H

#define FTRACE_AT_OWN		FREGS_SIZE
#define FTRACE_AT_FUNC		(FREGS_SIZE + 16)
#define FTRACE_ROOM		(FREGS_SIZE + 32)

#ifndef __ASSEMBLER__
#include <linux/sizes.h>
#include <linux/types.h>

/* Parts of trampolines: copied, never run in place. */
extern const u32 ftrace_part_enter[], ftrace_part_enter_end[];
extern const u32 ftrace_part_again[], ftrace_part_again_end[];
extern const u32 ftrace_part_leave[], ftrace_part_leave_end[];
extern const u32 ftrace_part_away[], ftrace_part_away_end[];

/* True if a B or BL at @ip can go to @to. */
static inline bool ftrace_in_reach(unsigned long ip, unsigned long to)
{
	const long offset = to - ip;

	return offset >= -SZ_128M && offset < SZ_128M;
}
#endif

#endif /* _ARM64_FTRACE_ENTRY_H */
