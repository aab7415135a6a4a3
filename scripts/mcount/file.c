// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an object and replacing it.
 *
 * The file is mapped, because most of its bytes are only copied to the new
 * file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file.h"

/*
 * Path of the mapped file. If another process truncates the file, reading the lost
 * bytes raises SIGBUS; the handler can only report that and exit.
 */
static const char *mapped_path;

static void on_sigbus(int signal)
{
	static const char before[] = "recordmcount: ";
	static const char after[] = ": cannot be read, or became shorter\n";
	const char *path = mapped_path;
	struct iovec part[] = {
		{ (void *)before, sizeof(before) - 1 },
		{ (void *)path, path ? strlen(path) : 0 },
		{ (void *)after, sizeof(after) - 1 },
	};

	(void)signal;
	if (writev(STDERR_FILENO, part, 3) < 0)
		_exit(2);
	_exit(1);
}

/* Map privately: changes of the mapping do not reach the file. */
static int map(struct file *file, int fd, struct elf_fault *fault)
{
	struct sigaction action = { .sa_handler = on_sigbus };
	void *bytes;

	if (!file->size)	/* mmap() refuses it; elf_view_open() reports it */
		return 0;
	mapped_path = file->path;
	sigaction(SIGBUS, &action, NULL);
	bytes = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED && errno == ENOMEM)
		return elf_fault_set(fault, "out of memory");
	if (bytes == MAP_FAILED)
		return elf_fault_set(fault, "cannot read: %s", strerror(errno));
	file->bytes = bytes;
	return 0;
}

/**
 * file_read() - read an object
 * @file: filled; free it in any case
 * @path: name of the file; referenced by @file
 * @fault: filled on failure
 *
 * Return: 0, or -1 with @fault filled.
 */
int file_read(struct file *file, const char *path, struct elf_fault *fault)
{
	int fd, err = -1;

	*file = (struct file){ .path = path };
	/* O_NONBLOCK: opening a pipe must not wait for a writer */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return elf_fault_set(fault, "cannot open: %s", strerror(errno));
	if (fstat(fd, &file->stat)) {
		elf_fault_set(fault, "cannot read: %s", strerror(errno));
		goto out;
	}
	if (!S_ISREG(file->stat.st_mode)) {
		elf_fault_set(fault, "not a regular file");
		goto out;
	}
	file->size = file->stat.st_size;
	err = map(file, fd, fault);
out:
	close(fd);
	return err;
}

static bool write_all(int fd, struct iovec *part, int nr)
{
	while (nr) {
		ssize_t n = writev(fd, part, nr);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		while (nr && (size_t)n >= part->iov_len) {
			n -= part->iov_len;
			part++;
			nr--;
		}
		if (nr) {
			part->iov_base = (char *)part->iov_base + n;
			part->iov_len -= n;
		}
	}
	return true;
}

/* Does the path, links followed, still lead to the file read, unchanged? */
static bool is_same(const struct file *file)
{
	struct stat now;

	return !stat(file->path, &now) && now.st_dev == file->stat.st_dev &&
	       now.st_ino == file->stat.st_ino && now.st_size == file->stat.st_size &&
	       now.st_mtim.tv_sec == file->stat.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == file->stat.st_mtim.tv_nsec;
}

/*
 * Block the signals by which users and make end the tool, while there is a temporary
 * file; resume_signals() delivers them. Writing one object takes too little time to be
 * worth interrupting. With SIGXFSZ ignored, the limit on file sizes is an error of
 * write(), like a full disk.
 */
static void hold_signals(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGHUP);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGQUIT);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, before);
	signal(SIGXFSZ, SIG_IGN);
}

static void resume_signals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/**
 * file_replace() - replace an object by an image
 * @file: filled by file_read()
 * @image: what to write; its first part is in @file->bytes
 * @fault: filled on failure
 *
 * The new file gets the name and the mode of the old one. On failure the old
 * file is unchanged and no temporary file is left. If SIGHUP, SIGINT, SIGQUIT or SIGTERM
 * ends the tool, the name leads to the old file or to the new one, and no temporary file
 * is left.
 *
 * Return: 0, or -1 with @fault filled.
 */
int file_replace(const struct file *file, const struct image *image,
		 struct elf_fault *fault)
{
	struct iovec part[] = {
		{ file->bytes, image->keep },
		{ image->tail, image->tail_size },
	};
	static const char suffix[] = ".rcXXXXXX";
	size_t length = strlen(file->path);
	sigset_t before;
	char *other;
	int fd, err = -1;

	if (!is_same(file))
		return elf_fault_set(fault, "changed while being worked on");
	other = malloc(length + sizeof(suffix));
	if (!other)
		return elf_fault_set(fault, "out of memory");
	memcpy(other, file->path, length);
	memcpy(other + length, suffix, sizeof(suffix));

	hold_signals(&before);
	fd = mkostemp(other, O_CLOEXEC);
	if (fd < 0) {
		elf_fault_set(fault, "cannot create %s: %s",
			      strrchr(other, '/') ? strrchr(other, '/') + 1 : other,
			      strerror(errno));
		goto out_free;
	}
	if (!write_all(fd, part, 2) || fchmod(fd, file->stat.st_mode & 07777)) {
		elf_fault_set(fault, "cannot write: %s", strerror(errno));
		close(fd);
		goto out_unlink;
	}
	if (close(fd)) {	/* some file systems report a full disk only here */
		elf_fault_set(fault, "cannot write: %s", strerror(errno));
		goto out_unlink;
	}
	if (!is_same(file)) {
		elf_fault_set(fault, "changed while being worked on");
		goto out_unlink;
	}
	if (rename(other, file->path)) {
		elf_fault_set(fault, "cannot replace: %s", strerror(errno));
		goto out_unlink;
	}
	err = 0;
	goto out_free;

out_unlink:
	unlink(other);
out_free:
	resume_signals(&before);
	free(other);
	return err;
}

/**
 * file_free() - free what file_read() allocated
 * @file: filled by file_read(), whatever it returned
 */
void file_free(struct file *file)
{
	if (file->bytes)
		munmap(file->bytes, file->size);
	file->bytes = NULL;
	mapped_path = NULL;
}
