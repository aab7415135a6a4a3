/* SPDX-License-Identifier: GPL-2.0 */
/* Entry sites, and labels in the assembly files: none of these may be called from C. */
#ifndef _X86_FTRACE_ENTRY_H
#define _X86_FTRACE_ENTRY_H

#include <linux/types.h>

extern const u8 ftrace_mixed_caller[];
extern const u8 ftrace_record_switch[], ftrace_record_depth[], ftrace_record[];
extern const u8 ftrace_template_all_enter[], ftrace_template_all_calls[];
extern const u8 ftrace_template_all_leave[], ftrace_template_all_end[];
extern const u8 ftrace_template_away_enter[], ftrace_template_away_calls[];
extern const u8 ftrace_template_away_leave[], ftrace_template_away_end[];
#ifdef CONFIG_X86_64
extern const u8 ftrace_template_some_enter[], ftrace_template_some_calls[];
extern const u8 ftrace_template_some_leave[], ftrace_template_some_end[];
extern const u8 ftrace_template_bare_enter[], ftrace_template_bare_calls[];
extern const u8 ftrace_template_bare_leave[], ftrace_template_bare_end[];
#endif

/* Sites that include the ENDBR: none, those of sealed functions, all. */
enum ftrace_take { TAKE_NONE, TAKE_SEALED, TAKE_ALL };

/*
 * Which sites may include the ENDBR, if the command line @asked for these. A CPU with
 * @ibt needs an ENDBR unless it is sealed. With @cfi (kCFI, FineIBT) more code depends
 * on the first bytes of a function.
 */
static inline enum ftrace_take ftrace_take_of(enum ftrace_take asked, bool ibt, bool cfi)
{
	if (cfi)
		return TAKE_NONE;
	return ibt && asked == TAKE_ALL ? TAKE_SEALED : asked;
}

/* May a site include the 4 bytes before it? They are an ENDBR (@endbr), or a @sealed one. */
static inline bool ftrace_may_take(enum ftrace_take take, bool endbr, bool sealed)
{
	return take == TAKE_ALL ? endbr : take == TAKE_SEALED && sealed;
}

#endif /* _X86_FTRACE_ENTRY_H */
