/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacing the hook of a registered ops by another one.
 */
#ifndef _FTRACE_SWAP_H
#define _FTRACE_SWAP_H

#include "hook.h"

int ftrace_update_pid_hooks(void);

#endif /* _FTRACE_SWAP_H */
