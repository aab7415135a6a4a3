/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nanoseconds an event: a program's result, with its spread.
 */
#ifndef _BESIDE_H
#define _BESIDE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BESIDE_ROUNDS	9

static double beside_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int beside_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Say what one of @events costs: @run writes @nr of them in a loop of its own. */
static void beside(void (*run)(unsigned long nr), unsigned long nr)
{
	double ns[BESIDE_ROUNDS];
	int i;

	run(nr / 10);
	for (i = 0; i < BESIDE_ROUNDS; i++) {
		ns[i] = beside_now();
		run(nr);
		ns[i] = (beside_now() - ns[i]) / nr;
	}
	qsort(ns, BESIDE_ROUNDS, sizeof(*ns), beside_order);
	printf("%.1f ns (%.1f to %.1f)\n", ns[BESIDE_ROUNDS / 2], ns[0], ns[BESIDE_ROUNDS - 1]);
}

#endif
