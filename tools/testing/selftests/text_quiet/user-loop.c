// SPDX-License-Identifier: GPL-2.0
/*
 * Keep a processor in user mode. With FILE, call getppid() again and again, after
 * pauses of random length, and count the calls that have returned in FILE, a number
 * of 8 bytes.
 *
 * usage: user-loop CPU [FILE]
 *
 * Runs until it is killed. Prints "loop" when it has begun.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The longest pause, in rounds of a loop. */
#define LONGEST 65536

static uint64_t *counter(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *at;

	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)))
		return NULL;
	at = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void pause_for(unsigned int rounds)
{
	while (rounds--)
		asm volatile("");
}

int main(int argc, char **argv)
{
	uint64_t unread = 0, *count = &unread;
	unsigned int random = 1;
	cpu_set_t cpu;

	if (argc < 2 || argc > 3)
		return 2;
	if (argc == 3)
		count = counter(argv[2]);
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[1]), &cpu);
	if (!count || sched_setaffinity(0, sizeof(cpu), &cpu) ||
	    mlockall(MCL_CURRENT | MCL_FUTURE)) {
		perror("user-loop");
		return 1;
	}
	puts("loop");
	fflush(stdout);
	for (;;) {
		random = random * 1103515245 + 12345;
		pause_for(random >> 8 & (LONGEST - 1));
		if (count != &unread) {
			getppid();
			__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
		}
	}
}
