/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FTRACE_TRAMP_TARGETS_H
#define _FTRACE_TRAMP_TARGETS_H

long tramp_target(long a, long b);
long tramp_target_caller(long a, long b);

#endif /* _FTRACE_TRAMP_TARGETS_H */
