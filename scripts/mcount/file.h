/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object on disk: read whole, replaced whole.
 *
 * A reader of the name sees the old file or the new one, never a part of
 * either, and other names of the old file keep it. The enemy is time: the file
 * may change or go away while its new contents are being made.
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
	struct stat stat;		/* as it was when it was read */
};

int file_read(struct file *file, const char *path, struct elf_fault *fault);
int file_replace(const struct file *file, const struct image *image,
		 struct elf_fault *fault);
void file_free(struct file *file);

#endif /* MCOUNT_FILE_H */
