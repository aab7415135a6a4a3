// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an object and putting another one in its place.
 *
 * The file is read rather than mapped: a mapping of a file that somebody cuts
 * short kills the process that looks at it, and we promise a message instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file.h"

/* All pages at once: a fault for each of them costs more than the reading. */
static void *get_room(size_t size)
{
	void *room = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static int read_all(struct file *file, int fd, struct elf_fault *fault)
{
	size_t done = 0;

	while (done < file->size) {
		ssize_t n = read(fd, file->bytes + done, file->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return elf_fault_set(fault, "cannot read: %s", strerror(errno));
		if (n == 0)
			return elf_fault_set(fault, "became shorter while being read");
		done += n;
	}
	return 0;
}

/**
 * file_read - read an object
 * @file: to fill; free it in any case
 * @path: its name, kept by reference
 * @fault: filled on failure
 *
 * Return: 0, or -1 with @fault filled.
 */
int file_read(struct file *file, const char *path, struct elf_fault *fault)
{
	int fd, err = -1;

	*file = (struct file){ .path = path };
	/* O_NONBLOCK: opening a pipe must not wait for somebody to fill it */
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
	file->bytes = get_room(file->size);
	if (!file->bytes) {
		elf_fault_set(fault, "out of memory");
		goto out;
	}
	err = read_all(file, fd, fault);
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

/* Is the name still that of the file we read? A link has to lead to it. */
static bool is_same(const struct file *file)
{
	struct stat now;

	return !stat(file->path, &now) && now.st_dev == file->stat.st_dev &&
	       now.st_ino == file->stat.st_ino && now.st_size == file->stat.st_size &&
	       now.st_mtim.tv_sec == file->stat.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == file->stat.st_mtim.tv_nsec;
}

static bool may_write(const struct file *file)
{
	/* root may write everything, but read-only is read-only */
	return (file->stat.st_mode & 0222) && !access(file->path, W_OK);
}

/**
 * file_replace - put an image in an object's place
 * @file: what was read
 * @image: what to write; its first part is in @file->bytes
 * @fault: filled on failure
 *
 * The new file takes over the name and the mode. On failure the old file is as
 * it was, and nothing else is left behind.
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
	char *other;
	int fd, err = -1;

	if (!is_same(file))
		return elf_fault_set(fault, "changed while being worked on");
	if (!may_write(file))
		return elf_fault_set(fault, "is read-only");
	other = malloc(length + sizeof(suffix));
	if (!other)
		return elf_fault_set(fault, "out of memory");
	memcpy(other, file->path, length);
	memcpy(other + length, suffix, sizeof(suffix));

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
	if (close(fd)) {	/* a full disk may show up only here */
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
	free(other);
	return err;
}

/**
 * file_free - give back what reading allocated
 * @file: filled by file_read(), whatever it returned
 */
void file_free(struct file *file)
{
	if (file->bytes)
		munmap(file->bytes, file->size ? file->size : 1);
	file->bytes = NULL;
}
