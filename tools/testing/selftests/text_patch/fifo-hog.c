// SPDX-License-Identifier: GPL-2.0
/*
 * Keep a processor busy at a real-time priority, with short breaks: whatever
 * runs there at an ordinary priority is preempted again and again.
 *
 * usage: fifo-hog CPU BUSY BREAK	(both in microseconds)
 *
 * Runs until it is killed. Prints "hog" when it has begun.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct sched_param fifo = { .sched_priority = 50 };
	struct timespec pause = { };
	cpu_set_t cpu;
	long long end;

	if (argc != 4)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[1]), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		perror("fifo-hog");
		return 1;
	}
	pause.tv_nsec = atoi(argv[3]) * 1000L;
	puts("hog");
	fflush(stdout);
	for (;;) {
		end = now() + atoi(argv[2]) * 1000LL;
		while (now() < end)
			;
		nanosleep(&pause, NULL);
	}
}
