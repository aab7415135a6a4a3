// SPDX-License-Identifier: GPL-2.0
/*
 * recordmcount: add the table of call sites to freshly compiled objects.
 *
 *	recordmcount [-w] [-m MODULE] file.o...
 *
 * Each file gets its table, or needs none, or is refused with one line on
 * stderr and left unchanged. After a refused file the others are still
 * processed, and the exit status is 1. -w also prints a line for each section whose
 * calls are not recorded. -m also adds a table of the sections that have calls, with
 * the file's path and the module's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_view.h"
#include "emit.h"
#include "file.h"
#include "machine.h"
#include "sites.h"

static void complain(const char *path, const struct elf_fault *fault)
{
	if (*fault->section)
		fprintf(stderr, "recordmcount: %s: section %s: %s\n", path,
			fault->section, fault->reason);
	else
		fprintf(stderr, "recordmcount: %s: %s\n", path, fault->reason);
}

/* Strays are ordered by relocation section, so those of one are adjacent. */
static void warn_of_strays(const char *path, const struct elf_view *view,
			   const struct sites *sites)
{
	struct elf_fault note;
	size_t i, first = 0;

	for (i = 1; i <= sites->nr_strays; i++) {
		if (i < sites->nr_strays &&
		    sites->stray[i].relocs == sites->stray[first].relocs)
			continue;
		elf_fault_in(&note, view, sites->stray[first].section,
			     "%zu call%s not traceable", i - first,
			     i - first > 1 ? "s are" : " is");
		complain(path, &note);
		first = i;
	}
}

static char *path_of_source(const char *path)
{
	size_t len = strlen(path);

	if (len > 2 && !strcmp(path + len - 2, ".o"))
		len -= 2;
	return strndup(path, len);
}

static int record(const char *path, bool warn, const char *module, struct elf_fault *fault)
{
	char *source = path_of_source(path);
	struct origin origin = { source, module };
	const struct machine *machine;
	struct elf_view view = { 0 };
	struct sites sites = { 0 };
	struct image image = { 0 };
	struct file file;
	int err;

	err = file_read(&file, path, fault);
	if (err)
		goto out;
	err = elf_view_open(&view, file.bytes, file.size, fault);
	if (err)
		goto out;
	machine = machine_find(view.machine);
	if (!machine) {
		err = elf_fault_set(fault, "unknown machine %u", view.machine);
		goto out;
	}
	err = sites_collect(&sites, &view, machine, fault);
	if (err)
		goto out;
	if (warn)
		warn_of_strays(path, &view, &sites);
	if (!source) {
		err = elf_fault_set(fault, "out of memory");
		goto out;
	}
	err = emit_build(&image, &view, machine, &sites, module ? &origin : NULL, fault);
	if (!err && image.changed)
		err = file_replace(&file, &image, fault);
out:
	emit_free(&image);
	sites_free(&sites);
	elf_view_close(&view);
	file_free(&file);
	free(source);
	return err;
}

static int explain(void)
{
	fputs("usage: recordmcount [-w] [-m MODULE] file.o...\n", stderr);
	return 1;
}

int main(int argc, char *argv[])
{
	struct elf_fault fault;
	const char *module = NULL;
	bool warn = false;
	int opt, status = 0;

	while ((opt = getopt(argc, argv, "wm:")) != -1) {
		if (opt == 'm')
			module = optarg;
		else if (opt == 'w')
			warn = true;
		else
			return explain();
	}
	if (optind == argc)
		return explain();

	for (; optind < argc; optind++) {
		if (!record(argv[optind], warn, module, &fault))
			continue;
		complain(argv[optind], &fault);
		status = 1;
	}
	return status;
}
