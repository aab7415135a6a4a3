// SPDX-License-Identifier: GPL-2.0
/*
 * Something is done again and again, each time with another one of the
 * kernel's allocations for it failing, until there is no such any more.
 * After success the result must be what was asked for; after an error everything
 * must be as before.
 *
 * usage: fail_session write FILE FIRST TEXT [UNDO]
 *        fail_session mkdir DIRECTORY MOST
 *
 * "write" opens FILE, which an earlier session has set to FIRST, writes TEXT and
 * closes it. The open has O_TRUNC unless UNDO is given, which is written, without
 * O_TRUNC, before FIRST each time. "mkdir" creates an instance, which takes some
 * thousand allocations; only the first MOST fail in turn.
 *
 * Needs the module ftrace_defects. To be linked statically.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST	100000
#define SIZE	65536

static int fail;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void arm(int n)
{
	char text[16];

	if (write(fail, text, snprintf(text, sizeof(text), "%d", n)) < 0)
		die("arm");
}

/* Has the armed allocation been reached? */
static bool disarm(void)
{
	char c = 0;

	if (read(fail, &c, 1) != 1)
		die("disarm");
	return c == '1';
}

static void look(const char *path, char *to)
{
	const int fd = open(path, O_RDONLY);
	ssize_t n, have = 0;

	if (fd < 0)
		die(path);
	while (have < SIZE - 1 && (n = read(fd, to + have, SIZE - 1 - have)) > 0)
		have += n;
	to[have] = '\0';
	close(fd);
}

/* A session from open to close. Return: 0 or the first error. */
static int session(const char *path, const char *text, int how)
{
	const int fd = open(path, O_WRONLY | how);
	int err = 0;

	if (fd < 0)
		return errno;
	while (*text && !err) {
		const ssize_t n = write(fd, text, strlen(text));

		if (n < 0)
			err = errno;
		else
			text += n;
	}
	if (close(fd) && !err)
		err = errno;
	return err;
}

static void session_or_die(const char *path, const char *text, int how)
{
	errno = session(path, text, how);
	if (errno)
		die(text);
}

/* Print @why it went wrong or, if it did not, how many allocations failed. */
static int verdict(const char *why, int n, int refused)
{
	if (!why && n < 2)
		why = "no allocation has failed";
	if (why)
		printf("allocation %d: %s\n", n, why);
	else
		printf("%d allocations failed in turn, %d times that was said\n", n - 1, refused);
	return !!why;
}

static int try_write(char **arg, int args)
{
	static char before[SIZE], after[SIZE], now[SIZE];
	const char *path = arg[0], *first = arg[1], *text = arg[2];
	const char *undo = args > 3 ? arg[3] : NULL;
	const int how = undo ? 0 : O_TRUNC;
	const char *why = NULL;
	int n, refused = 0;

	/* First without failures, to know both states. */
	session_or_die(path, first, O_TRUNC);
	look(path, before);
	session_or_die(path, text, how);
	look(path, after);
	if (!strcmp(before, after))
		return verdict("it changes nothing", 0, 0);

	for (n = 1; n < MOST; n++) {
		bool came;
		int err;

		if (undo)
			session(path, undo, 0);
		session_or_die(path, first, O_TRUNC);
		look(path, now);
		if (strcmp(now, before)) {
			why = "what was there could not be had again";
			break;
		}

		arm(n);
		err = session(path, text, how);
		came = disarm();

		look(path, now);
		refused += !!err;
		if (err && strcmp(now, before))
			why = "there was an error, and something has changed";
		else if (!err && strcmp(now, after))
			why = "there was no error, and it is not as it should be";
		else if (err && !came)
			why = "there was an error without a reason";
		if (why || !came)
			break;
	}
	if (undo)
		session(path, undo, 0);
	session(path, "", O_TRUNC);
	return verdict(why, n, refused);
}

static int try_mkdir(const char *path, int most)
{
	const char *why = NULL;
	int n, refused = 0;

	for (n = 1; n <= most; n++) {
		bool came;
		int err;

		arm(n);
		err = mkdir(path, 0755) ? errno : 0;
		came = disarm();

		refused += !!err;
		if (err && !access(path, F_OK))
			why = "there was an error, and it is there";
		else if (!err && rmdir(path))
			why = "it cannot be removed";
		if (why || !came)
			break;
	}
	if (!why && (mkdir(path, 0755) || rmdir(path)))
		why = "afterwards it cannot be made";
	return verdict(why, n, refused);
}

int main(int argc, char **argv)
{
	fail = open("/dev/ftrace_fail", O_RDWR);
	if (fail < 0)
		die("/dev/ftrace_fail");
	if (argc == 4 && !strcmp(argv[1], "mkdir"))
		return try_mkdir(argv[2], atoi(argv[3]));
	if (argc >= 5 && argc <= 6 && !strcmp(argv[1], "write"))
		return try_write(argv + 2, argc - 2);
	fprintf(stderr, "usage: see the head of %s\n", __FILE__);
	return 2;
}
