// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a tracepoint of LTTng-UST.
 *
 * usage: beside-lttng NR	while a session has enabled it
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "beside-lttng.h"
#include "beside.h"

static void run(unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		lttng_ust_tracepoint(beside, function, i, i);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!lttng_ust_tracepoint_enabled(beside, function)) {
		fprintf(stderr, "no session has enabled the tracepoint\n");
		return 1;
	}
	beside(run, strtoul(argv[1], NULL, 0));
	return 0;
}
