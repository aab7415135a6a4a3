/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event ftrace_hooked.
 */
#ifndef _FTRACE_HOOKED_H
#define _FTRACE_HOOKED_H

#include "plan.h"

#ifdef CONFIG_FTRACE_HOOKED_EVENT
void ftrace_tell_hooked(const struct ftrace_change *changes, unsigned int nr);
#else
static inline void ftrace_tell_hooked(const struct ftrace_change *changes, unsigned int nr)
{
}
#endif

#endif /* _FTRACE_HOOKED_H */
