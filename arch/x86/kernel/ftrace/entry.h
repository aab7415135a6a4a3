/* SPDX-License-Identifier: GPL-2.0 */
/* Labels in the assembly files: none of these may be called from C. */
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

#endif /* _X86_FTRACE_ENTRY_H */
