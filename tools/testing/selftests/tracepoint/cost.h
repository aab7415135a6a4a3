/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What something costs: nanoseconds, and the function call interrupts that all
 * CPUs get meanwhile.
 */
#ifndef _TRACEPOINT_COST_H
#define _TRACEPOINT_COST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cost {
	long long begin;
	long interrupts;
};

static long long cost_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The sum of their line in /proc/interrupts; its label depends on the architecture. */
static long cost_interrupts(void)
{
	char line[4096], *p, *end;
	FILE *f = fopen("/proc/interrupts", "r");
	long sum = 0, n;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		p = strchr(line, ':');
		if (!p || !strstr(p, "Function call interrupts"))
			continue;
		for (p++; n = strtol(p, &end, 10), end != p; p = end)
			sum += n;
	}
	fclose(f);
	return sum;
}

static void cost_begin(struct cost *c)
{
	c->interrupts = cost_interrupts();
	c->begin = cost_now();
}

static void cost_end(const struct cost *c, const char *what)
{
	const long long ns = cost_now() - c->begin;

	printf("%-34s %12lld ns %7ld IPIs\n", what, ns,
	       cost_interrupts() - c->interrupts);
}

#endif /* _TRACEPOINT_COST_H */
