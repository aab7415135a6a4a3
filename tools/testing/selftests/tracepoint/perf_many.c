// SPDX-License-Identifier: GPL-2.0
/*
 * All events of a system by perf, the way "perf record -a -e 'SYSTEM:*'" does
 * it: opened disabled, one by one and on each CPU, enabled, then closed.
 *
 * usage: perf_many SYSTEM [ROUNDS [LEAST]]
 *
 * Prints what each step cost, in nanoseconds and in function call interrupts. Fails
 * if all events together count fewer than LEAST (5) hits while tasks are forked and
 * reaped, or any hit while they are disabled. The kernel may still be freeing the
 * events of one round when the next begins.
 *
 * To be linked statically.
 */
#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cost.h"

#define EVENTS "/sys/kernel/tracing/events"
#define MOST 16384

static int fds[MOST];
static unsigned int nr_fds;
static int failures;

static void fail(const char *what, long n)
{
	printf("not ok - %s (%ld)\n", what, n);
	failures++;
}

static int id_of(const char *system, const char *event)
{
	char path[512];
	FILE *f;
	int id;

	snprintf(path, sizeof(path), EVENTS "/%s/%s/id", system, event);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &id) != 1)
		id = -1;
	fclose(f);
	return id;
}

static void open_on(int id, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || nr_fds == MOST) {
		perror("perf_event_open");
		exit(1);
	}
	fds[nr_fds++] = fd;
}

/* Read the ids first, so that the times do not include tracefs. */
static unsigned int find_events(const char *system, int *ids)
{
	char path[256];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), EVENTS "/%s", system);
	dir = opendir(path);
	while (dir && nr < MOST && (entry = readdir(dir))) {
		const int id = id_of(system, entry->d_name);

		if (id < 0)
			continue;
		ids[nr++] = id;
	}
	if (dir)
		closedir(dir);
	return nr;
}

static uint64_t counted(void)
{
	uint64_t sum = 0, one;
	unsigned int i;

	for (i = 0; i < nr_fds; i++) {
		if (read(fds[i], &one, sizeof(one)) != sizeof(one)) {
			fail("read", i);
			break;
		}
		sum += one;
	}
	return sum;
}

/* Make system calls and task switches. */
static void work(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		const pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void all(unsigned long request)
{
	unsigned int i;

	for (i = 0; i < nr_fds; i++) {
		if (ioctl(fds[i], request, 0)) {
			fail("ioctl", i);
			break;
		}
	}
}

static void round_of(const int *ids, unsigned int nr, int cpus, uint64_t least)
{
	struct cost cost;
	unsigned int i;
	uint64_t before;
	int cpu;

	cost_begin(&cost);
	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < cpus; cpu++)
			open_on(ids[i], cpu);
	cost_end(&cost, "perf opens");

	work();
	if (counted())
		fail("a disabled event counts", counted());

	cost_begin(&cost);
	all(PERF_EVENT_IOC_ENABLE);
	cost_end(&cost, "perf enables");

	work();
	all(PERF_EVENT_IOC_DISABLE);
	before = counted();
	if (before < least)
		fail("enabled events count too little", before);
	work();
	if (counted() != before)
		fail("an event counts on", counted());

	cost_begin(&cost);
	while (nr_fds)
		close(fds[--nr_fds]);
	cost_end(&cost, "perf closes");
}

int main(int argc, char **argv)
{
	const struct rlimit many = { MOST + 64, MOST + 64 };
	const int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int rounds = argc > 2 ? atoi(argv[2]) : 2;
	const int least = argc > 3 ? atoi(argv[3]) : 5;
	static int ids[MOST];
	unsigned int nr;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "usage: perf_many SYSTEM [ROUNDS [LEAST]]\n");
		return 2;
	}
	setrlimit(RLIMIT_NOFILE, &many);
	nr = find_events(argv[1], ids);
	if (!nr) {
		fprintf(stderr, "%s has no events\n", argv[1]);
		return 1;
	}
	printf("%u events of %s on %d CPUs\n", nr, argv[1], cpus);
	while (rounds--)
		round_of(ids, nr, cpus, least);
	printf("%s - events of %s by perf\n", failures ? "not ok" : "ok", argv[1]);
	return failures != 0;
}
