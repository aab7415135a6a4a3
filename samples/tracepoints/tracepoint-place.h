/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declaring tracepoints: names, types of the arguments, and nothing else.
 *
 * A file that includes this can hit one with trace_sample_lunch_tp(dish, guests)
 * and attach a probe with register_trace_sample_lunch_tp(). The compiler checks
 * both.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sample

#if !defined(_SAMPLE_TRACEPOINT_PLACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SAMPLE_TRACEPOINT_PLACE_H

#include <linux/tracepoint.h>

DECLARE_TRACE(sample_lunch,
	      TP_PROTO(const char *dish, int guests),
	      TP_ARGS(dish, guests));

/* Its probes are called only where the condition holds. */
DECLARE_TRACE_CONDITION(sample_seconds,
			TP_PROTO(const char *dish, int left),
			TP_ARGS(dish, left),
			TP_CONDITION(left > 0));

#endif /* _SAMPLE_TRACEPOINT_PLACE_H */
