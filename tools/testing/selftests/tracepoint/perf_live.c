// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a tracepoint that are opened disabled: none is live before it is
 * enabled, and each is live when the call returns that enables it, by whichever
 * of the five ways. Prints "ok - way" or "not ok - way" for each, and exits with 1
 * if one is not ok.
 *
 * To be linked statically.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "/sys/kernel/tracing/events/sched/sched_switch/id"

static int failures;

static int open_event(uint32_t type, uint64_t config, int disabled, int on_exec,
		      int leader)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = disabled,
		.enable_on_exec = on_exec,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0) {
		perror("perf_event_open");
		/* by_exec() takes this as an event that counted before. */
		exit(2);
	}
	return fd;
}

static int sched_switch(void)
{
	FILE *f = fopen(ID, "r");
	int id;

	if (!f || fscanf(f, "%d", &id) != 1) {
		perror(ID);
		exit(1);
	}
	fclose(f);
	return id;
}

/*
 * Does the event count a sleep of this task? Even on a busy machine the timer should
 * not expire before the task is switched out. Return: 1 or 0; -1 if @fd cannot be read.
 */
static int counts(int fd)
{
	uint64_t before, after;

	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return -1;
	usleep(100000);
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		return -1;
	return after != before;
}

static void result(const char *way, int before, int after)
{
	const int good = before == 0 && after == 1;

	printf("%s - %s\n", good ? "ok" : "not ok", way);
	if (!good)
		printf("# counts before: %d, after: %d\n", before, after);
	failures += !good;
}

static void by_ioctl(int id)
{
	const int fd = open_event(PERF_TYPE_TRACEPOINT, id, 1, 0, -1);
	const int before = counts(fd);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	result("enabled by ioctl", before, counts(fd));
	close(fd);
}

static void by_prctl(int id)
{
	const int fd = open_event(PERF_TYPE_TRACEPOINT, id, 1, 0, -1);
	const int before = counts(fd);

	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	result("enabled by prctl", before, counts(fd));
	close(fd);
}

/*
 * Leader and member are enabled together, by the leader. Both are tracepoints:
 * a group that mixes PMUs is not rescheduled when a member is enabled.
 */
static void by_group(int id)
{
	const int leader = open_event(PERF_TYPE_TRACEPOINT, id, 1, 0, -1);
	const int fd = open_event(PERF_TYPE_TRACEPOINT, id, 1, 0, leader);
	const int before = counts(fd);

	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	result("enabled with its group", before, counts(fd));
	close(fd);
	close(leader);
}

/* The member is opened enabled, and waits only for its leader. */
static void by_leader(int id)
{
	const int leader = open_event(PERF_TYPE_SOFTWARE,
				      PERF_COUNT_SW_TASK_CLOCK, 1, 0, -1);
	const int fd = open_event(PERF_TYPE_TRACEPOINT, id, 0, 0, leader);
	const int before = counts(fd);

	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	result("enabled by its leader", before, counts(fd));
	close(fd);
	close(leader);
}

static void by_exec(int id, char *self)
{
	char number[16];
	int fd, before, status;
	pid_t child = fork();

	if (!child) {
		fd = open_event(PERF_TYPE_TRACEPOINT, id, 1, 1, -1);
		before = counts(fd);
		snprintf(number, sizeof(number), "%d", fd);
		execl("/proc/self/exe", self, number, before ? "1" : "0", NULL);
		_exit(2);
	}
	if (waitpid(child, &status, 0) != child)
		status = -1;
	result("enabled by exec", WEXITSTATUS(status) & 2 ? 1 : 0,
	       WEXITSTATUS(status) & 1);
}

int main(int argc, char **argv)
{
	const int id = argc > 1 ? 0 : sched_switch();

	/* by_exec(): this is the program after exec. */
	if (argc > 2)
		return 2 * atoi(argv[2]) + (counts(atoi(argv[1])) == 1);

	by_ioctl(id);
	by_prctl(id);
	by_group(id);
	by_leader(id);
	setvbuf(stdout, NULL, _IONBF, 0);
	by_exec(id, argv[0]);
	return failures != 0;
}
