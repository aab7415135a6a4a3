// SPDX-License-Identifier: GPL-2.0
/*
 * Make the same system calls some times while tracing_on is set, and print the
 * nanoseconds that they took, and how many events the buffers have then. They are
 * to be empty before, as some tracers empty them when tracing_on is set.
 *
 * usage: record-rounds ROUNDS TRACING_ON STATS...
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long rounds(long nr, int in, int out)
{
	const long long begin = now();
	char c;

	while (nr--) {
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			exit(1);
		syscall(SYS_getppid);
	}
	return now() - begin;
}

static long long recorded(char **stats)
{
	static const char *const counts[] = { "entries: ", "overrun: ", "dropped events: ", "read events: " };
	long long sum = 0;
	char line[256];
	unsigned int i;
	FILE *f;

	for (; *stats; stats++) {
		f = fopen(*stats, "r");
		if (!f)
			exit(1);
		while (fgets(line, sizeof(line), f))
			for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
				if (!strncmp(line, counts[i], strlen(counts[i])))
					sum += atoll(line + strlen(counts[i]));
		fclose(f);
	}
	return sum;
}

int main(int argc, char **argv)
{
	const int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);
	long long ns, events;
	long nr;
	int on;

	if (argc < 4)
		return 2;
	nr = atol(argv[1]);
	on = open(argv[2], O_WRONLY);
	if (in < 0 || out < 0 || on < 0 || write(on, "0", 1) != 1)
		return 1;
	rounds(nr, in, out);
	if (write(on, "1", 1) != 1)
		return 1;
	ns = rounds(nr, in, out);
	if (write(on, "0", 1) != 1)
		return 1;
	events = recorded(argv + 3);
	printf("%lld %lld\n", ns, events);
	return 0;
}
