/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints that the torture test hits. They are not events: only the
 * test's probes are attached to them, and are called directly.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tp_torture

#if !defined(_TP_TORTURE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TP_TORTURE_H

#include <linux/tracepoint.h>

/* @magic is the number of the tracepoint: 4 for the faultable one, 99 for the guest's. */
DECLARE_TRACE(tp_torture_0, TP_PROTO(int magic), TP_ARGS(magic));
DECLARE_TRACE(tp_torture_1, TP_PROTO(int magic), TP_ARGS(magic));
DECLARE_TRACE(tp_torture_2, TP_PROTO(int magic), TP_ARGS(magic));
DECLARE_TRACE(tp_torture_3, TP_PROTO(int magic), TP_ARGS(magic));
DECLARE_TRACE_SYSCALL(tp_torture_faultable, TP_PROTO(int magic), TP_ARGS(magic));
DECLARE_TRACE(tp_torture_guest, TP_PROTO(int magic), TP_ARGS(magic));

#endif /* _TP_TORTURE_H */
