/* SPDX-License-Identifier: GPL-2.0 */
/* Transactions of the text engine that change what CPUs run on their way up. */
#ifndef _X86_FTRACE_SITE_H
#define _X86_FTRACE_SITE_H

struct text_patch_tx;

void ftrace_text_begin(struct text_patch_tx *tx);
void ftrace_text_commit(struct text_patch_tx *tx);

#endif /* _X86_FTRACE_SITE_H */
