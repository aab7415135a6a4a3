// SPDX-License-Identifier: GPL-2.0
/* Write a word into a file; print the clock before the open and after the close. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
	long long begin;
	ssize_t done;
	int fd;

	if (argc != 3)
		return 2;
	begin = now();
	fd = open(argv[2], O_WRONLY | O_TRUNC);
	if (fd < 0)
		return 1;
	done = write(fd, argv[1], strlen(argv[1]));
	if (close(fd) || done != (ssize_t)strlen(argv[1]))
		return 1;
	printf("%lld %lld\n", begin, now());
	return 0;
}
