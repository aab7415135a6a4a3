/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The object with its tables, in memory.
 *
 * Building changes the caller's copy of the object and adds a tail; it writes no file.
 * If it fails, no part of the image may be used.
 */
#ifndef MCOUNT_EMIT_H
#define MCOUNT_EMIT_H

#include "elf_view.h"
#include "machine.h"
#include "sites.h"

/* The new file: the first @keep bytes of the view, then the tail. */
struct image {
	bool changed;		/* false: the old file needs no change */
	size_t keep;
	unsigned char *tail;
	size_t tail_size;
};

/* Where an object comes from. */
struct origin {
	const char *path;	/* without ".o" */
	const char *module;	/* that the object is part of, or its own name */
};

#define FILES_TABLE	"__mcount_files"

int emit_build(struct image *image, struct elf_view *view, const struct machine *machine,
	       const struct sites *sites, const struct origin *origin, struct elf_fault *fault);
void emit_free(struct image *image);

#endif /* MCOUNT_EMIT_H */
