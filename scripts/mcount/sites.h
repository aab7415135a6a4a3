/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call sites: the places in one object where a traced function calls mcount.
 *
 * Collecting does not change the object. Sites are ordered as the table is, by section
 * and then by offset, without duplicates. A call in a section that must not be traced
 * is not a site but a stray; strays are listed separately, to be turned into nops or
 * warned about.
 */
#ifndef MCOUNT_SITES_H
#define MCOUNT_SITES_H

#include "elf_view.h"
#include "machine.h"

#define SITES_TABLE	"__mcount_loc"

struct site {
	uint32_t section;
	uint64_t offset;
};

/* A call that will not be traced: relocation @index of section @relocs */
struct stray {
	uint32_t section;
	uint32_t relocs;
	uint64_t index;
	uint64_t at;
};

/* All sites and strays of one object; none if it already has a table. */
struct sites {
	struct site *site;
	size_t nr_sites;
	size_t room_sites;
	struct stray *stray;
	size_t nr_strays;
	size_t room_strays;
	bool rela;		/* the object's relocations carry their addend */
};

int sites_collect(struct sites *sites, const struct elf_view *view,
		  const struct machine *machine, struct elf_fault *fault);
void sites_free(struct sites *sites);
bool sites_may_be_in(const char *section_name);

#endif /* MCOUNT_SITES_H */
