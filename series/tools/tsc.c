// SPDX-License-Identifier: GPL-2.0
/*
 * Says how many thousand times a second this processor's time stamp counter
 * counts, for a guest that has no other clock to measure it by.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static long long nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	long long begin = nanoseconds(), now;
	unsigned long long count = __rdtsc();

	do
		now = nanoseconds();
	while (now - begin < 50000000);
	printf("%llu\n", (__rdtsc() - count) * 1000000 / (now - begin));
}
