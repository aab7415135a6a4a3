// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes at all, taken for an object.
 *
 * Runs all of the tool except file access: open, collect and build, in memory.
 * The sanitizers find memory errors. The one assertion is that an object which
 * got its table, and can be read again, has no call sites left to record.
 *
 * Built with FUZZ_STANDALONE it runs the files on its command line instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_view.h"
#include "emit.h"
#include "machine.h"
#include "sites.h"

static void again(const unsigned char *head, const struct image *image)
{
	size_t size = image->keep + image->tail_size;
	unsigned char *whole = malloc(size);
	struct elf_fault fault;
	struct elf_view view;
	struct sites sites = { 0 };

	memcpy(whole, head, image->keep);
	if (image->tail_size)
		memcpy(whole + image->keep, image->tail, image->tail_size);
	if (!elf_view_open(&view, whole, size, &fault) &&
	    !sites_collect(&sites, &view, machine_find(view.machine), &fault) &&
	    image->tail_size && sites.nr_sites)
		abort();
	sites_free(&sites);
	elf_view_close(&view);
	free(whole);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	unsigned char *bytes = malloc(size ? size : 1);
	const struct machine *machine;
	struct elf_fault fault;
	struct elf_view view;
	struct sites sites = { 0 };
	struct image image = { 0 };
	const struct origin origin = { "fs/ext4/inode", "ext4" };

	memcpy(bytes, data, size);
	if (elf_view_open(&view, bytes, size, &fault))
		goto out;
	machine = machine_find(view.machine);
	if (machine &&
	    !sites_collect(&sites, &view, machine, &fault) &&
	    !emit_build(&image, &view, machine, &sites, size % 2 ? &origin : NULL, &fault) &&
	    image.changed)
		again(bytes, &image);
out:
	emit_free(&image);
	sites_free(&sites);
	elf_view_close(&view);
	free(bytes);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char *argv[])
{
	static unsigned char bytes[1 << 20];
	int i;

	for (i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");

		if (!f)
			return 1;
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), f));
		fclose(f);
	}
	return 0;
}
#endif
