/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracepoint of LTTng with what the function tracer records: two addresses.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER beside

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "beside-lttng.h"

#if !defined(_BESIDE_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define _BESIDE_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(beside, function,
	LTTNG_UST_TP_ARGS(unsigned long, ip, unsigned long, parent_ip),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(unsigned long, ip, ip)
		lttng_ust_field_integer_hex(unsigned long, parent_ip, parent_ip)
	)
)

#endif

#include <lttng/tracepoint-event.h>
