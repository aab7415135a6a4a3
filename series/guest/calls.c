// SPDX-License-Identifier: GPL-2.0
/*
 * The workload of other-clients: a program that sleeps as often as it is asked to.
 */
#include <stdlib.h>
#include <time.h>

static void call(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

int main(int argc, char **argv)
{
	for (int n = atoi(argv[1]); n > 0; n--)
		call();
	return 0;
}
