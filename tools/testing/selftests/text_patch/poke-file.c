// SPDX-License-Identifier: GPL-2.0
/*
 * Write a word, or what stands in a list, into a file, or read a file to its
 * end; print the clock before the open and after the close, and how many
 * function-call interrupts there were on all processors between the two. They are
 * counted here, because starting a process causes some, too.
 *
 * usage: poke-file WORD FILE | poke-file -l LIST FILE | poke-file -r FILE
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The sum of the line of function-call interrupts; its label depends on the architecture. */
static long interrupts(void)
{
	static char text[65536];
	ssize_t n, len = 0;
	long sum = 0, more;
	char *at, *end;
	int fd;

	fd = open("/proc/interrupts", O_RDONLY);
	if (fd < 0)
		return 0;
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	close(fd);
	text[len] = '\0';
	at = strstr(text, "Function call interrupts");
	if (at) {
		*at = '\0';
		at = strrchr(text, ':');
	}
	for (at = at ? at + 1 : text + len; ; at = end) {
		more = strtol(at, &end, 10);
		if (end == at)
			return sum;
		sum += more;
	}
}

static char *contents(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st))
		exit(1);
	text = malloc(st.st_size + 1);
	if (!text || read(fd, text, st.st_size) != st.st_size)
		exit(1);
	close(fd);
	*len = st.st_size;
	return text;
}

/* As cat does: the kernel may accept fewer bytes than it is given. */
static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			return -1;
		text += n;
		len -= n;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const int reads = argc == 3 && !strcmp(argv[1], "-r");
	const int list = argc == 4 && !strcmp(argv[1], "-l");
	static char buf[65536];
	long long begin, end;
	char *text;
	size_t len;
	long irqs;
	int fd;

	if (argc != 3 && !list)
		return 2;
	if (list) {
		text = contents(argv[2], &len);
	} else {
		text = argv[1];
		len = strlen(text);
	}
	irqs = interrupts();
	begin = now();
	if (reads) {
		ssize_t n;

		fd = open(argv[2], O_RDONLY);
		if (fd < 0)
			return 1;
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			;
		if (n < 0 || close(fd))
			return 1;
	} else {
		fd = open(argv[argc - 1], O_WRONLY | O_TRUNC);
		if (fd < 0 || write_all(fd, text, len) || close(fd))
			return 1;
	}
	end = now();
	printf("%lld %lld %ld\n", begin, end, interrupts() - irqs);
	return 0;
}
