// SPDX-License-Identifier: GPL-2.0
/*
 * Says how many thousand times a second this processor's time stamp counter
 * counts, for a guest that has no other clock to measure it by.
 */
#include <stdio.h>
#include <time.h>

static long long nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	long long begin = nanoseconds(), now;
	unsigned long long count = __builtin_ia32_rdtsc();

	do
		now = nanoseconds();
	while (now - begin < 50000000);
	printf("%llu\n", (__builtin_ia32_rdtsc() - count) * 1000000 / (now - begin));
}
