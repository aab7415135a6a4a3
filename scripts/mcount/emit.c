// SPDX-License-Identifier: GPL-2.0
/*
 * Appending the table of call sites, and that of files.
 *
 * Sections keep their offsets, so all references into the file stay valid. Only
 * the table of section names, the section headers and, if it needs more symbols,
 * the symbol table have to grow; they are written again after everything else.
 * If they were at the end of the file, as assemblers write them, their old bytes are
 * overwritten:
 *
 *	before:	header | sections ... | names | headers
 *	after:	header | sections ... | __mcount_loc | its relocations | names' | headers'
 *
 * If the object's origin is given, __mcount_files and its relocations come before the
 * names. It has an entry for each section with sites: the addresses of the section's
 * first byte and of the byte after its last, then two strings, padded with zeros to the
 * size of an address. The strings are the object's path without ".o" and its module's
 * name; both are empty if they are the same as in the entry before.
 *
 * An entry of __mcount_loc is the address of a site, so it needs a symbol at a
 * constant distance from the site. A weak symbol is unsuitable: the linker may use
 * another object's. The section symbol is best, any local symbol in the section is
 * as good, a global one is sufficient. Assemblers omit unused section symbols, so
 * a section with only weak functions may have no suitable symbol; it gets a
 * section symbol here. Local symbols precede global ones, so the global ones move
 * up, and every symbol number in the object must be adjusted. Nothing simpler
 * keeps the object's meaning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_put.h"
#include "emit.h"

/*
 * How suitable a symbol is as the base of entries. WANTED marks a section that
 * has sites but no suitable symbol yet.
 */
enum rank { NO_BASE, WANTED, GLOBAL_BASE, LOCAL_BASE, SECTION_BASE };

struct base {
	uint32_t symbol;
	enum rank rank;
};

/* A table of addresses and, of files, strings; and its offset in the new file */
struct table {
	const char *name;
	uint64_t size;
	uint64_t nr_addresses;
	uint64_t offset;
	uint64_t relocs;
};

enum { SITES, FILES, NR_TABLES };

/* State of building one object */
struct emit {
	struct elf_view *view;
	const struct machine *machine;
	const struct sites *sites;
	const struct origin *origin;	/* NULL: no table of files */
	struct elf_fault *fault;
	struct table table[NR_TABLES];
	unsigned int nr_tables;
	struct base *base;		/* by section number */
	uint32_t first_global;		/* before any symbol is added */
	uint32_t nr_added;		/* section symbols to add */
	struct elf_section *headers;	/* of the new file */
	uint32_t nr_headers;
};

/* Offsets of the other parts of the tail, from the start of the file */
struct layout {
	uint64_t symbols;
	uint64_t wide_indexes;
	uint64_t names;
	uint64_t headers;
	uint64_t end;
};

static enum rank rank_of(const struct emit *emit, const struct elf_symbol *symbol)
{
	switch (ELF32_ST_TYPE(symbol->info)) {
	case STT_SECTION:
		return SECTION_BASE;
	case STT_NOTYPE:
	case STT_OBJECT:
		break;
	case STT_FUNC:
		if (emit->machine->moves_functions)
			return NO_BASE;
		break;
	default:		/* an indirect function's value is its resolver */
		return NO_BASE;
	}
	switch (ELF32_ST_BIND(symbol->info)) {
	case STB_LOCAL:
		return LOCAL_BASE;
	case STB_GLOBAL:
		return GLOBAL_BASE;
	default:
		return NO_BASE;
	}
}

/* Choose a base symbol for each section (used if it has sites); number the added symbols. */
static int choose_bases(struct emit *emit)
{
	const struct elf_view *view = emit->view;
	const struct sites *sites = emit->sites;
	struct elf_symbol symbol;
	uint32_t i;
	size_t n;

	emit->base = calloc(view->nr_sections, sizeof(*emit->base));
	if (!emit->base)
		return elf_fault_set(emit->fault, "out of memory");
	for (n = 0; n < sites->nr_sites; n++)
		emit->base[sites->site[n].section].rank = WANTED;

	for (i = 1; i < view->nr_symbols; i++) {
		struct base *base;
		enum rank rank;

		elf_symbol_get(view, i, &symbol);
		base = &emit->base[symbol.section];
		rank = rank_of(emit, &symbol);
		if (rank > base->rank)
			*base = (struct base){ i, rank };
	}

	emit->first_global = view->sections[view->symtab].info;
	for (i = 1; i < view->nr_sections; i++)
		if (emit->base[i].rank == WANTED)
			emit->base[i].symbol = emit->first_global + emit->nr_added++;
	if (emit->nr_added > UINT32_MAX / 2)
		return elf_fault_set(emit->fault, "too many symbols");
	for (i = 1; i < view->nr_sections; i++)
		if (emit->base[i].rank > WANTED && emit->base[i].symbol >= emit->first_global)
			emit->base[i].symbol += emit->nr_added;
	return 0;
}

static int renumber_relocs(struct emit *emit, uint32_t section)
{
	struct elf_view *view = emit->view;
	struct elf_reloc reloc;
	uint64_t i, count;

	if (elf_relocs_check(view, section, &count, emit->fault))
		return -1;
	for (i = 0; i < count; i++) {
		elf_reloc_get(view, section, i, &reloc);
		if (reloc.symbol < emit->first_global)
			continue;
		if (reloc.symbol >= view->nr_symbols ||
		    !elf_reloc_set_symbol(view, section, i, reloc.symbol + emit->nr_added))
			return elf_fault_in(emit->fault, view, section,
					    "relocation %llu has no symbol",
					    (unsigned long long)i);
	}
	return 0;
}

/* Adjust all numbers of global symbols outside the symbol table. */
static int renumber(struct emit *emit)
{
	const struct elf_view *view = emit->view;
	uint32_t i;

	for (i = 1; i < view->nr_sections; i++) {
		struct elf_section *s = &emit->headers[i];

		if (s->link != view->symtab || i == view->symtab)
			continue;
		switch (s->type) {
		case SHT_REL:
		case SHT_RELA:
			if (renumber_relocs(emit, i))
				return -1;
			break;
		case SHT_GROUP:
			if (s->info >= emit->first_global)
				s->info += emit->nr_added;
			break;
		case SHT_LLVM_ADDRSIG:	/* a hint; without the link it is ignored */
			s->link = 0;
			break;
		case SHT_CREL:
		case SHT_LLVM_OLD_CALL_GRAPH_PROFILE:
		case SHT_HASH:
			return elf_fault_in(emit->fault, view, i,
					    "holds numbers of symbols that have to change");
		}
	}
	return 0;
}

static uint64_t align_up(uint64_t at, uint64_t to)
{
	return (at + to - 1) & ~(to - 1);
}

static const char *prefix(const struct emit *emit)
{
	return emit->sites->rela ? ".rela" : ".rel";
}

/* One string names both: a section's name is the end of its relocation section's name. */
static uint64_t new_names_size(const struct emit *emit)
{
	uint64_t size = 0;
	unsigned int t;

	for (t = 0; t < emit->nr_tables; t++)
		size += strlen(prefix(emit)) + strlen(emit->table[t].name) + 1;
	return size;
}

/* Size of the strings of the first entry of the table of files, with padding. */
static uint64_t strings_size(const struct emit *emit)
{
	return align_up(strlen(emit->origin->path) + 1 + strlen(emit->origin->module) + 1,
			elf_address_size(emit->view));
}

static bool is_first_of_section(const struct sites *sites, size_t i)
{
	return !i || sites->site[i].section != sites->site[i - 1].section;
}

static void size_tables(struct emit *emit)
{
	const uint64_t each = elf_address_size(emit->view);
	const struct sites *sites = emit->sites;
	struct table *files = &emit->table[FILES];
	size_t i;

	emit->nr_tables = emit->origin ? 2 : 1;
	emit->table[SITES] = (struct table){ .name = SITES_TABLE,
		.size = sites->nr_sites * each, .nr_addresses = sites->nr_sites };
	if (!emit->origin)
		return;
	*files = (struct table){ .name = FILES_TABLE };
	for (i = 0; i < sites->nr_sites; i++) {
		if (!is_first_of_section(sites, i))
			continue;
		files->size += 2 * each + (i ? each : strings_size(emit));
		files->nr_addresses += 2;
	}
}

/* All sizes are of data that is in memory, so no sum here can overflow. */
static int lay_out(struct emit *emit, struct layout *l, uint64_t *keep)
{
	const struct elf_view *view = emit->view;
	uint64_t each = elf_address_size(view), at;
	uint64_t nr_symbols = (uint64_t)view->nr_symbols + emit->nr_added;
	uint64_t names_size = view->sections[view->names].size + new_names_size(emit);
	unsigned int t;

	*keep = elf_content_end(view, view->names, emit->nr_added ? view->symtab : 0);
	at = align_up(*keep, each);
	for (t = 0; t < emit->nr_tables; t++) {
		struct table *table = &emit->table[t];

		table->offset = at;
		table->relocs = at + table->size;
		at = table->relocs +
		     table->nr_addresses * elf_reloc_size(view, emit->sites->rela);
	}
	l->symbols = at;
	l->wide_indexes = l->symbols;
	if (emit->nr_added)
		l->wide_indexes += nr_symbols * elf_symbol_size(view);
	l->names = l->wide_indexes;
	if (emit->nr_added && view->symtab_shndx)
		l->names += nr_symbols * 4;
	l->headers = align_up(l->names + names_size, each);
	l->end = l->headers + (uint64_t)emit->nr_headers * elf_section_size(view);
	if (names_size > UINT32_MAX || (!view->wide && l->end > UINT32_MAX) ||
	    l->end > SIZE_MAX / 2)
		return elf_fault_set(emit->fault, "has no room for the table");
	return 0;
}

static void fill_headers(struct emit *emit, const struct layout *l)
{
	const struct elf_view *view = emit->view;
	uint64_t each = elf_address_size(view);
	size_t reloc = elf_reloc_size(view, emit->sites->rela);
	struct elf_section *names = &emit->headers[view->names];
	struct elf_section *symtab = &emit->headers[view->symtab];
	struct elf_section *header = &emit->headers[view->nr_sections];
	uint64_t name = names->size;
	unsigned int t;

	for (t = 0; t < emit->nr_tables; t++) {
		const struct table *table = &emit->table[t];

		*header++ = (struct elf_section){
			.name = name + strlen(prefix(emit)),
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC,
			.offset = table->offset,
			.size = table->size,
			.align = each,
		};
		*header++ = (struct elf_section){
			.name = name,
			.type = emit->sites->rela ? SHT_RELA : SHT_REL,
			.flags = SHF_INFO_LINK,
			.offset = table->relocs,
			.size = table->nr_addresses * reloc,
			.link = view->symtab,
			.info = view->nr_sections + 2 * t,
			.align = each,
			.entsize = reloc,
		};
		name += strlen(prefix(emit)) + strlen(table->name) + 1;
	}
	names->offset = l->names;
	names->size = name;
	if (!emit->nr_added)
		return;
	symtab->offset = l->symbols;
	symtab->size += emit->nr_added * elf_symbol_size(view);
	symtab->info += emit->nr_added;
	if (view->symtab_shndx) {
		emit->headers[view->symtab_shndx].offset = l->wide_indexes;
		emit->headers[view->symtab_shndx].size =
			((uint64_t)view->nr_symbols + emit->nr_added) * 4;
	}
}

/* State of writing the addresses of a table, one after the other */
struct pen {
	struct emit *emit;
	unsigned char *table, *relocs;
	uint32_t section;		/* of the last address */
	struct elf_reloc reloc;		/* to write next */
	uint64_t base;			/* value of the base symbol */
};

static struct pen pen_on(struct emit *emit, struct image *image, unsigned int t)
{
	return (struct pen){
		.emit = emit,
		.table = image->tail + (emit->table[t].offset - image->keep),
		.relocs = image->tail + (emit->table[t].relocs - image->keep),
		.reloc.type = machine_pointer(emit->machine, emit->view->wide),
	};
}

static void skip(struct pen *pen, uint64_t bytes)
{
	pen->table += bytes;
	pen->reloc.offset += bytes;
}

static int put_address(struct pen *pen, uint32_t section, uint64_t offset)
{
	const struct emit *emit = pen->emit;
	const struct elf_view *view = emit->view;
	bool rela = emit->sites->rela;

	if (section != pen->section) {
		const struct base *base = &emit->base[section];
		struct elf_symbol symbol = { 0 };

		if (base->rank > WANTED)
			elf_symbol_get(view, base->symbol - (base->symbol >= emit->first_global ?
							     emit->nr_added : 0), &symbol);
		pen->section = section;
		pen->reloc.symbol = base->symbol;
		pen->base = symbol.value;
	}
	elf_put_address(view, pen->table, rela ? 0 : offset - pen->base);
	if (!elf_put_reloc(view, pen->relocs, rela, &pen->reloc, offset - pen->base))
		return elf_fault_in(emit->fault, view, section,
					    "number of its symbol is too large");
	pen->relocs += elf_reloc_size(view, rela);
	skip(pen, elf_address_size(view));
	return 0;
}

static int fill_sites(struct emit *emit, struct image *image)
{
	struct pen pen = pen_on(emit, image, SITES);
	size_t i;

	for (i = 0; i < emit->sites->nr_sites; i++)
		if (put_address(&pen, emit->sites->site[i].section, emit->sites->site[i].offset))
			return -1;
	return 0;
}

static int fill_files(struct emit *emit, struct image *image)
{
	struct pen pen = pen_on(emit, image, FILES);
	const struct sites *sites = emit->sites;
	size_t i;

	for (i = 0; i < sites->nr_sites; i++) {
		uint32_t section = sites->site[i].section;

		if (!is_first_of_section(sites, i))
			continue;
		if (put_address(&pen, section, 0) ||
		    put_address(&pen, section, emit->view->sections[section].size))
			return -1;
		if (!i) {
			strcpy((char *)pen.table, emit->origin->path);
			strcpy((char *)pen.table + strlen(emit->origin->path) + 1,
			       emit->origin->module);
		}
		skip(&pen, i ? elf_address_size(emit->view) : strings_size(emit));
	}
	return 0;
}

/* Copy the symbol table; the new symbols are put after the last local one. */
static int fill_symbols(struct emit *emit, unsigned char *symbols, unsigned char *wide)
{
	const struct elf_view *view = emit->view;
	const unsigned char *old = view->bytes + view->sections[view->symtab].offset;
	size_t each = elf_symbol_size(view);
	uint32_t i, first = emit->first_global;

	memcpy(symbols, old, first * each);
	memcpy(symbols + (first + (size_t)emit->nr_added) * each, old + first * each,
	       (view->nr_symbols - first) * each);
	for (i = 1; i < view->nr_sections; i++) {
		if (emit->base[i].rank != WANTED)
			continue;
		if (i >= SHN_LORESERVE && !view->symtab_shndx)
			return elf_fault_in(emit->fault, view, i,
					    "number of the section is too large for a symbol");
		elf_put_section_symbol(view, symbols + emit->base[i].symbol * each, i);
	}
	if (!view->symtab_shndx)
		return 0;
	for (i = 0; i < view->nr_symbols; i++)
		elf_put_word(view, wide + 4 * (i + (i < first ? 0 : (size_t)emit->nr_added)),
			     elf_symbol_wide_index(view, i));
	for (i = SHN_LORESERVE; i < view->nr_sections; i++)
		if (emit->base[i].rank == WANTED)
			elf_put_word(view, wide + 4 * (size_t)emit->base[i].symbol, i);
	return 0;
}

static int fill_tail(struct emit *emit, struct image *image, const struct layout *l)
{
	struct elf_view *view = emit->view;
	const struct elf_section *names = &view->sections[view->names];
	unsigned char *tail = image->tail, *name;
	unsigned int t;
	uint32_t i;

	if (fill_sites(emit, image) || (emit->origin && fill_files(emit, image)))
		return -1;
	if (emit->nr_added &&
	    fill_symbols(emit, tail + (l->symbols - image->keep),
			 tail + (l->wide_indexes - image->keep)))
		return -1;
	memcpy(tail + (l->names - image->keep), view->bytes + names->offset, names->size);
	name = tail + (l->names - image->keep) + names->size;
	for (t = 0; t < emit->nr_tables; t++)
		name += sprintf((char *)name, "%s%s", prefix(emit), emit->table[t].name) + 1;

	elf_put_header(view, l->headers, emit->nr_headers, &emit->headers[0]);
	tail += l->headers - image->keep;
	for (i = 0; i < emit->nr_headers; i++, tail += elf_section_size(view))
		elf_put_section(view, tail, &emit->headers[i]);
	return 0;
}

static int append_table(struct emit *emit, struct image *image)
{
	struct elf_view *view = emit->view;
	struct layout layout;
	uint64_t keep;

	if (!machine_pointer(emit->machine, view->wide))
		return elf_fault_set(emit->fault, "no %u-bit objects on machine %u",
				     view->wide ? 64 : 32, view->machine);
	if (choose_bases(emit))
		return -1;

	size_tables(emit);
	emit->nr_headers = view->nr_sections + 2 * emit->nr_tables;
	emit->headers = malloc(emit->nr_headers * sizeof(*emit->headers));
	if (!emit->headers)
		return elf_fault_set(emit->fault, "out of memory");
	memcpy(emit->headers, view->sections, view->nr_sections * sizeof(*emit->headers));

	if (lay_out(emit, &layout, &keep))
		return -1;
	image->keep = keep;
	image->tail_size = layout.end - keep;
	image->tail = calloc(1, image->tail_size);
	if (!image->tail)
		return elf_fault_set(emit->fault, "out of memory");

	if (emit->nr_added && renumber(emit))
		return -1;
	fill_headers(emit, &layout);
	return fill_tail(emit, image, &layout);
}

/* Turn strays into nops if the machine supports that: they will not be traced. */
static bool silence_strays(struct elf_view *view, const struct machine *machine,
			   const struct sites *sites)
{
	struct elf_code code;
	bool changed = false;
	size_t i;

	for (i = 0; machine->silence && i < sites->nr_strays; i++) {
		const struct stray *stray = &sites->stray[i];

		if (!elf_section_code(view, stray->section, &code) ||
		    !machine->silence(&code, stray->at))
			continue;
		elf_reloc_set_type(view, stray->relocs, stray->index, machine->none);
		changed = true;
	}
	return changed;
}

/**
 * emit_build() - build the object with its table
 * @image: filled; free it in any case
 * @view: the object; its bytes are changed and are part of the image
 * @machine: its machine
 * @sites: its sites and strays
 * @origin: where it comes from; NULL: without a table of files
 * @fault: filled when the object is refused
 *
 * Return: 0, or -1 with @fault filled.
 */
int emit_build(struct image *image, struct elf_view *view, const struct machine *machine,
	       const struct sites *sites, const struct origin *origin, struct elf_fault *fault)
{
	struct emit emit = {
		.view = view, .machine = machine, .sites = sites, .origin = origin, .fault = fault,
	};
	int err = 0;

	*image = (struct image){ .keep = view->size };
	image->changed = silence_strays(view, machine, sites);
	if (sites->nr_sites) {
		image->changed = true;
		err = append_table(&emit, image);
	}
	free(emit.base);
	free(emit.headers);
	return err;
}

/**
 * emit_free() - free what emit_build() allocated
 * @image: filled by emit_build(), whatever it returned
 */
void emit_free(struct image *image)
{
	free(image->tail);
	*image = (struct image){ 0 };
}
