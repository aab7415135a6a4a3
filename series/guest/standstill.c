// SPDX-License-Identifier: GPL-2.0
/*
 * For how long a processor stands still, or is in traps, while something else is
 * done: the longest time from one system call of a task there to the next.
 *
 * usage: standstill CPU COMMAND...
 *
 * Runs the command, on another processor, and says that time in nanoseconds, and
 * the longest one of as many system calls without it.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Until @child has ended, if there is one, else until @calls were made. */
static long long longest(pid_t child, unsigned long *calls)
{
	long long most = 0, last = now(), this;
	unsigned long n;
	siginfo_t info;

	for (n = 0; child || n < *calls; n++) {
		syscall(SYS_getppid);
		this = now();
		if (this - last > most)
			most = this - last;
		last = this;
		if (!child || n % 64)
			continue;
		info.si_pid = 0;
		if (waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		last = now();
	}
	*calls = n;
	return most;
}

int main(int argc, char **argv)
{
	struct sched_param fifo = { .sched_priority = 50 };
	unsigned long calls;
	long long meanwhile;
	int cpu, status;
	pid_t child;

	if (argc < 3)
		return 2;
	cpu = atoi(argv[1]);
	child = fork();
	if (!child) {
		if (!stay_on(!cpu))
			execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || stay_on(cpu) || mlockall(MCL_CURRENT) ||
	    sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		perror("standstill");
		return 1;
	}
	meanwhile = longest(child, &calls);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
		return 1;
	printf("%lld %lld\n", meanwhile, longest(0, &calls));
	return 0;
}
