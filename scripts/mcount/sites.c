// SPDX-License-Identifier: GPL-2.0
/*
 * Find the sites: the symbol by its name, its relocations, and the calls among
 * them.
 *
 * Most objects have no such symbol and take one walk over their symbols. The
 * others also take one walk over the relocations of their code.
 */
#include <stdlib.h>
#include <string.h>

#include "sites.h"

/* The few symbols of an object that a traced function may call. */
struct callees {
	uint32_t *symbol;	/* ascending */
	size_t nr;
	size_t room;
};

/* Make room for one more element; *room counts elements of @each bytes. */
static bool grow(void **array, size_t nr, size_t *room, size_t each)
{
	size_t more = *room ? 2 * *room : 64;
	void *larger;

	if (nr < *room)
		return true;
	if (more > SIZE_MAX / 2 / each)
		return false;
	larger = realloc(*array, more * each);
	if (!larger)
		return false;
	*array = larger;
	*room = more;
	return true;
}

/**
 * sites_may_be_in() - test whether a section's code may be traced
 * @section_name: the name
 *
 * Sections that the linker may discard are not in the list, nor is code that runs
 * where the tracer cannot: patching a site there would be useless or unsafe.
 *
 * Return: true if calls in the section are sites.
 */
bool sites_may_be_in(const char *section_name)
{
	static const char * const exact[] = {
		".cpuidle.text", ".init.text", ".irqentry.text", ".kprobes.text",
		".ref.text", ".sched.text", ".softirqentry.text", ".spinlock.text",
	};
	size_t i;

	if (!strncmp(section_name, ".text", strlen(".text")))
		return true;
	for (i = 0; i < ARRAY_SIZE(exact); i++)
		if (!strcmp(section_name, exact[i]))
			return true;
	return false;
}

static int find_callees(struct callees *callees, const struct elf_view *view,
			const struct machine *machine, struct elf_fault *fault)
{
	struct elf_symbol symbol;
	const char *name;
	uint32_t i;

	for (i = 1; i < view->nr_symbols; i++) {
		elf_symbol_get(view, i, &symbol);
		name = elf_symbol_name(view, &symbol);
		if (!name)
			return elf_fault_in(fault, view, view->symtab,
					    "symbol %u: name lies outside its table", i);
		if (!machine_is_symbol(machine, name))
			continue;
		if (!grow((void **)&callees->symbol, callees->nr, &callees->room,
			  sizeof(*callees->symbol)))
			return elf_fault_set(fault, "out of memory");
		callees->symbol[callees->nr++] = i;
	}
	return 0;
}

static bool is_callee(const struct callees *callees, uint32_t symbol)
{
	size_t low = 0, high = callees->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (callees->symbol[middle] == symbol)
			return true;
		if (callees->symbol[middle] < symbol)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool add_site(struct sites *sites, uint32_t section, uint64_t offset)
{
	if (!grow((void **)&sites->site, sites->nr_sites, &sites->room_sites,
		  sizeof(*sites->site)))
		return false;
	sites->site[sites->nr_sites++] = (struct site){ section, offset };
	return true;
}

static bool add_stray(struct sites *sites, const struct stray *stray)
{
	if (!grow((void **)&sites->stray, sites->nr_strays, &sites->room_strays,
		  sizeof(*sites->stray)))
		return false;
	sites->stray[sites->nr_strays++] = *stray;
	return true;
}

/* Collect the calls in one relocation section, as sites or as strays. */
static int search(struct sites *sites, const struct elf_view *view,
		  const struct machine *machine, const struct callees *callees,
		  uint32_t relocs, struct elf_fault *fault)
{
	uint32_t target = view->sections[relocs].info;
	uint64_t i, count, site;
	struct elf_reloc reloc;
	struct elf_code code;
	bool traced, added;

	if (target >= view->nr_sections)
		return elf_fault_in(fault, view, relocs, "relocates a section that is not there");
	if (!elf_section_code(view, target, &code))
		return 0;
	if (elf_relocs_check(view, relocs, &count, fault))
		return -1;

	traced = sites_may_be_in(elf_section_name(view, target));
	for (i = 0; i < count; i++) {
		elf_reloc_get(view, relocs, i, &reloc);
		if (reloc.symbol >= view->nr_symbols)
			return elf_fault_in(fault, view, relocs,
					    "relocation %llu has no symbol",
					    (unsigned long long)i);
		if (!is_callee(callees, reloc.symbol))
			continue;
		if (reloc.offset >= code.size)
			return elf_fault_in(fault, view, relocs,
					    "relocation %llu lies outside its section",
					    (unsigned long long)i);
		if (!machine_is_call(machine, &code, reloc.type, reloc.offset, &site))
			continue;
		if (traced) {
			if (!sites->nr_sites)
				sites->rela = view->sections[relocs].type == SHT_RELA;
			added = add_site(sites, target, site);
		} else {
			added = add_stray(sites, &(struct stray){
				target, relocs, i, reloc.offset });
		}
		if (!added)
			return elf_fault_set(fault, "out of memory");
	}
	return 0;
}

/* Collect the functions that begin with an entry nop; it has no relocation. */
static int search_entries(struct sites *sites, const struct elf_view *view,
			  const struct machine *machine, struct elf_fault *fault)
{
	struct elf_symbol symbol;
	struct elf_code code;
	uint32_t i;

	for (i = 1; i < view->nr_symbols; i++) {
		elf_symbol_get(view, i, &symbol);
		if (ELF32_ST_TYPE(symbol.info) != STT_FUNC ||
		    !elf_section_code(view, symbol.section, &code) ||
		    !sites_may_be_in(elf_section_name(view, symbol.section)) ||
		    !machine_is_entry_nop(machine, &code, symbol.value))
			continue;
		sites->rela = true;
		if (!add_site(sites, symbol.section, symbol.value))
			return elf_fault_set(fault, "out of memory");
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct site *l = a, *r = b;

	if (l->section != r->section)
		return l->section < r->section ? -1 : 1;
	return (l->offset > r->offset) - (l->offset < r->offset);
}

/* Sort and remove duplicates. Compilers mostly write relocations in order. */
static void put_in_order(struct sites *sites)
{
	struct site *s = sites->site;
	size_t i, kept = 1;

	for (i = 1; i < sites->nr_sites; i++)
		if (compare(&s[i - 1], &s[i]) >= 0)
			break;
	if (i >= sites->nr_sites)
		return;

	qsort(s, sites->nr_sites, sizeof(*s), compare);
	for (i = 1; i < sites->nr_sites; i++)
		if (compare(&s[kept - 1], &s[i]))
			s[kept++] = s[i];
	sites->nr_sites = kept;
}

static bool has_table(const struct elf_view *view)
{
	uint32_t i;

	for (i = 1; i < view->nr_sections; i++)
		if (!strcmp(elf_section_name(view, i), SITES_TABLE))
			return true;
	return false;
}

/**
 * sites_collect() - find the calls of an object
 * @sites: filled; free it in any case
 * @view: the object
 * @machine: its machine
 * @fault: filled when the object is refused
 *
 * An object that already has its table gets no sites and no strays.
 *
 * Return: 0, or -1 with @fault filled.
 */
int sites_collect(struct sites *sites, const struct elf_view *view,
		  const struct machine *machine, struct elf_fault *fault)
{
	struct callees callees = { 0 };
	struct elf_code code;
	int err = 0;
	uint32_t i;

	memset(sites, 0, sizeof(*sites));
	if (has_table(view))
		return 0;
	err = find_callees(&callees, view, machine, fault);
	for (i = 1; !err && callees.nr && i < view->nr_sections; i++) {
		if (elf_section_is_reloc(view, i))
			err = search(sites, view, machine, &callees, i, fault);
		else if (view->sections[i].type == SHT_CREL &&
			 elf_section_code(view, view->sections[i].info, &code))
			err = elf_fault_in(fault, view, i, "has compressed relocations");
	}
	free(callees.symbol);
	if (!err && machine->entry_nop)
		err = search_entries(sites, view, machine, fault);
	if (!err)
		put_in_order(sites);
	return err;
}

/**
 * sites_free() - free what sites_collect() allocated
 * @sites: filled by sites_collect(), whatever it returned
 */
void sites_free(struct sites *sites)
{
	free(sites->site);
	free(sites->stray);
	memset(sites, 0, sizeof(*sites));
}
