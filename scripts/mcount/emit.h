/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The object with its table: what the old file becomes, in memory.
 *
 * Building changes the caller's copy of the object and adds a tail; no file is
 * touched. An image is whole or it is not there at all.
 */
#ifndef MCOUNT_EMIT_H
#define MCOUNT_EMIT_H

#include "elf_view.h"
#include "machine.h"
#include "sites.h"

/* The new file: @keep bytes of the view's, then the tail. */
struct image {
	bool changed;		/* false: the old file is as it should be */
	size_t keep;
	unsigned char *tail;
	size_t tail_size;
};

int emit_build(struct image *image, struct elf_view *view, const struct machine *machine,
	       const struct sites *sites, struct elf_fault *fault);
void emit_free(struct image *image);

#endif /* MCOUNT_EMIT_H */
