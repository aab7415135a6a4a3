/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object on disk: read as a whole, replaced as a whole.
 *
 * A reader of the path sees the old file or the new one, never a part of
 * either; other hard links keep the old file. Other processes may change or
 * remove the file while its new contents are built.
 */
#ifndef MCOUNT_FILE_H
#define MCOUNT_FILE_H

#include <sys/stat.h>

#include "elf_view.h"
#include "emit.h"

struct file {
	const char *path;
	unsigned char *bytes;
	size_t size;
	struct stat stat;		/* taken when the file was read */
};

int file_read(struct file *file, const char *path, struct elf_fault *fault);
int file_replace(const struct file *file, const struct image *image,
		 struct elf_fault *fault);
void file_free(struct file *file);

#endif /* MCOUNT_FILE_H */
