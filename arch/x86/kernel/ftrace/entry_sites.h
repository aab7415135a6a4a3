/* SPDX-License-Identifier: GPL-2.0 */
/* Which call sites may include the ENDBR before the call. */
#ifndef _X86_FTRACE_ENTRY_SITES_H
#define _X86_FTRACE_ENTRY_SITES_H

#include <linux/types.h>

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

#endif /* _X86_FTRACE_ENTRY_SITES_H */
