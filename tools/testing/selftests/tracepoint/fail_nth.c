// SPDX-License-Identifier: GPL-2.0
/*
 * Write into a file while the kernel's Nth allocation for us fails, for every N
 * from the first to the last that there is. After each write UNDO is
 * written, and then the file CHECK must read as at the beginning. It is an error
 * if no allocation failed, because then nothing was tested, or if no write returned
 * an error, unless "needs-nothing" says that VALUE can do without memory.
 *
 * usage: fail_nth FILE VALUE UNDO CHECK [needs-nothing]
 *
 * Needs CONFIG_FAULT_INJECTION and CONFIG_FAILSLAB. To be linked statically.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 100000

static int fail_nth;

/* For files that are opened while no allocation fails. */
static int open_or_die(const char *path, int how)
{
	const int fd = open(path, how);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void arm(int n)
{
	char text[16];

	if (pwrite(fail_nth, text, snprintf(text, sizeof(text), "%d", n), 0) < 0) {
		perror("fail-nth");
		exit(1);
	}
}

/* Has the armed allocation been reached? */
static int disarm(void)
{
	char text[16] = "";
	int left = -1;

	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	arm(0);
	return left == 0;
}

static void look(const char *path, char *to, size_t size)
{
	const int fd = open_or_die(path, O_RDONLY);
	const ssize_t n = read(fd, to, size - 1);

	if (n < 0) {
		perror(path);
		exit(1);
	}
	to[n] = '\0';
	close(fd);
}

int main(int argc, char **argv)
{
	char first[256], now[256];
	int n, came = 1, failed = 0, refused = 0, wrong = 0;

	if (argc != 5 && (argc != 6 || strcmp(argv[5], "needs-nothing"))) {
		fprintf(stderr, "usage: fail_nth FILE VALUE UNDO CHECK [needs-nothing]\n");
		return 2;
	}
	fail_nth = open_or_die("/proc/thread-self/fail-nth", O_RDWR);
	look(argv[4], first, sizeof(first));
	for (n = 1; came && n < MOST; n++) {
		const int fd = open_or_die(argv[1], O_WRONLY);

		arm(n);
		if (write(fd, argv[2], strlen(argv[2])) < 0)
			refused++;
		came = disarm();
		failed += came;
		if (write(fd, argv[3], strlen(argv[3])) < 0)
			wrong++;
		close(fd);
		look(argv[4], now, sizeof(now));
		if (strcmp(first, now)) {
			printf("# allocation %d: \"%s\" became \"%s\"\n", n, first, now);
			wrong++;
		}
	}
	if (came) {
		printf("# there is no end of allocations\n");
		wrong++;
	}
	if (!failed || (!refused && argc == 5)) {
		printf("# nothing was tried: are failures injected?\n");
		wrong++;
	}
	printf("%s - %s %s: %d allocations failed in turn, %d writes said so\n",
	       wrong ? "not ok" : "ok", argv[1], argv[2], failed, refused);
	return wrong != 0;
}
