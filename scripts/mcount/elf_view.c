// SPDX-License-Identifier: GPL-2.0
/*
 * The only code that turns an object's numbers into addresses in memory.
 *
 * Opening a view decodes every section header once and checks that the
 * section's bytes are in the file; later accesses only use indexes that were
 * checked. Two numbers from the file are never added before the check, but
 * compared with the space that is left, so that no sum can overflow, however
 * the file is damaged.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_layout.h"
#include "elf_view.h"

static bool fits(uint64_t offset, uint64_t len, uint64_t size)
{
	return offset <= size && len <= size - offset;
}

/**
 * elf_fault_set() - report a fault of an object as a whole
 * @fault: filled with the reason
 * @reason: as for printf()
 *
 * Return: -1, so that the caller can set the fault and return in one statement.
 */
int elf_fault_set(struct elf_fault *fault, const char *reason, ...)
{
	va_list args;

	fault->section[0] = '\0';
	va_start(args, reason);
	vsnprintf(fault->reason, sizeof(fault->reason), reason, args);
	va_end(args);
	return -1;
}

/* Copy a section's name for a one-line message, '?' for unprintable bytes. */
static void label(const struct elf_view *view, uint32_t section, char *to, size_t room)
{
	const char *name = elf_section_name(view, section);
	const char *end = (const char *)view->bytes + view->size;
	size_t i;

	if (!name || !*name) {
		snprintf(to, room, "[%u]", section);
		return;
	}
	for (i = 0; i < room - 1 && name + i < end && name[i]; i++)
		to[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '?';
	to[i] = '\0';
}

/**
 * elf_fault_in() - report a fault of one section
 * @fault: filled with the section and the reason
 * @view: the object
 * @section: index of the section; shown by name if it has one
 * @reason: as for printf()
 *
 * Return: -1, so that the caller can set the fault and return in one statement.
 */
int elf_fault_in(struct elf_fault *fault, const struct elf_view *view,
		 uint32_t section, const char *reason, ...)
{
	va_list args;

	label(view, section, fault->section, sizeof(fault->section));
	va_start(args, reason);
	vsnprintf(fault->reason, sizeof(fault->reason), reason, args);
	va_end(args);
	return -1;
}

static void load_section(const struct elf_view *view, const unsigned char *p,
			 struct elf_section *s)
{
	bool wide = view->wide;

	s->name = load32(view, p);
	s->type = load32(view, p + 4);
	s->flags = load_address(view, p + 8);
	s->addr = load_address(view, p + (wide ? 16 : 12));
	s->offset = load_address(view, p + (wide ? 24 : 16));
	s->size = load_address(view, p + (wide ? 32 : 20));
	s->link = load32(view, p + (wide ? 40 : 24));
	s->info = load32(view, p + (wide ? 44 : 28));
	s->align = load_address(view, p + (wide ? 48 : 32));
	s->entsize = load_address(view, p + (wide ? 56 : 36));
}

static bool has_bytes(const struct elf_section *s)
{
	return s->type != SHT_NULL && s->type != SHT_NOBITS;
}

static bool is_strings(const struct elf_view *view, uint32_t section)
{
	const struct elf_section *s;

	if (section == 0 || section >= view->nr_sections)
		return false;
	s = &view->sections[section];
	return s->type == SHT_STRTAB && s->size > 0 &&
	       view->bytes[s->offset + s->size - 1] == '\0';
}

static int open_header(struct elf_view *view, struct elf_fault *fault)
{
	const unsigned char *p = view->bytes;

	if (view->size < EI_NIDENT || memcmp(p, ELFMAG, SELFMAG))
		return elf_fault_set(fault, "not an ELF file");
	if (p[EI_CLASS] != ELFCLASS32 && p[EI_CLASS] != ELFCLASS64)
		return elf_fault_set(fault, "unknown ELF class %u", p[EI_CLASS]);
	if (p[EI_DATA] != ELFDATA2LSB && p[EI_DATA] != ELFDATA2MSB)
		return elf_fault_set(fault, "unknown byte order %u", p[EI_DATA]);
	if (p[EI_VERSION] != EV_CURRENT)
		return elf_fault_set(fault, "unknown ELF version %u", p[EI_VERSION]);

	view->wide = p[EI_CLASS] == ELFCLASS64;
	view->big = p[EI_DATA] == ELFDATA2MSB;
	if (view->size < elf_header_size(view))
		return elf_fault_set(fault, "truncated ELF header");
	if (load16(view, p + EHDR_TYPE) != ET_REL)
		return elf_fault_set(fault, "not a relocatable object");
	if (load16(view, p + (view->wide ? EHDR64_EHSIZE : EHDR32_EHSIZE)) !=
	    elf_header_size(view))
		return elf_fault_set(fault, "odd ELF header size");
	view->machine = load16(view, p + EHDR_MACHINE);
	return 0;
}

static int open_sections(struct elf_view *view, struct elf_fault *fault)
{
	const unsigned char *p = view->bytes;
	bool wide = view->wide;
	uint64_t table = load_address(view, p + (wide ? EHDR64_SHOFF : EHDR32_SHOFF));
	uint64_t nr = load16(view, p + (wide ? EHDR64_SHNUM : EHDR32_SHNUM));
	uint32_t names = load16(view, p + (wide ? EHDR64_SHSTRNDX : EHDR32_SHSTRNDX));
	struct elf_section null_section;
	uint32_t i;

	if (table == 0 && nr == 0)
		return 0;
	if (load16(view, p + (wide ? EHDR64_SHENTSIZE : EHDR32_SHENTSIZE)) !=
	    elf_section_size(view))
		return elf_fault_set(fault, "odd section header size");
	if (!fits(table, elf_section_size(view), view->size))
		return elf_fault_set(fault, "section headers lie outside the file");

	load_section(view, p + table, &null_section);
	if (nr == 0)
		nr = null_section.size;
	if (names == SHN_XINDEX)
		names = null_section.link;
	if (nr == 0 || nr > UINT32_MAX - 4 ||
	    nr > (view->size - table) / elf_section_size(view))
		return elf_fault_set(fault, "section headers lie outside the file");

	view->sections = malloc(nr * sizeof(*view->sections));
	if (!view->sections)
		return elf_fault_set(fault, "out of memory");
	view->nr_sections = nr;
	for (i = 0; i < nr; i++)
		load_section(view, p + table + i * elf_section_size(view),
			     &view->sections[i]);

	for (i = 1; i < nr; i++) {
		const struct elf_section *s = &view->sections[i];

		if (has_bytes(s) && !fits(s->offset, s->size, view->size))
			return elf_fault_in(fault, view, i, "lies outside the file");
	}
	if (!is_strings(view, names))
		return elf_fault_set(fault, "no table of section names");
	view->names = names;
	for (i = 0; i < nr; i++)
		if (!elf_section_name(view, i))
			return elf_fault_in(fault, view, i, "name lies outside its table");
	return 0;
}

static int open_symbols(struct elf_view *view, struct elf_fault *fault)
{
	const struct elf_section *s;
	uint32_t i;

	for (i = 1; i < view->nr_sections; i++) {
		s = &view->sections[i];
		if (s->type != SHT_SYMTAB)
			continue;
		if (view->symtab)
			return elf_fault_in(fault, view, i, "second symbol table");
		if (s->entsize != elf_symbol_size(view) || s->size % s->entsize ||
		    s->size / s->entsize > UINT32_MAX / 2)
			return elf_fault_in(fault, view, i, "odd symbol size");
		if (s->size && !is_strings(view, s->link))
			return elf_fault_in(fault, view, i, "no table of symbol names");
		if (s->info > s->size / s->entsize)
			return elf_fault_in(fault, view, i, "more local symbols than symbols");
		/* sh_info counts the local symbols, the null symbol included. */
		if (s->size && !s->info)
			return elf_fault_in(fault, view, i, "does not count its null symbol");
		view->symtab = i;
		view->nr_symbols = s->size / s->entsize;
	}
	for (i = 1; i < view->nr_sections; i++) {
		s = &view->sections[i];
		if (s->type != SHT_SYMTAB_SHNDX || s->link != view->symtab)
			continue;
		if (view->symtab_shndx)
			return elf_fault_in(fault, view, i, "second table of section indexes");
		if (s->size / 4 < view->nr_symbols)
			return elf_fault_in(fault, view, i, "shorter than the symbol table");
		view->symtab_shndx = i;
	}
	return 0;
}

/**
 * elf_view_open() - read and check an object's headers
 * @view: filled
 * @bytes: the whole file; belongs to the caller, referenced by the view
 * @size: number of bytes
 * @fault: filled when the object is refused
 *
 * Return: 0, or -1 with @fault filled. Close the view in either case.
 */
int elf_view_open(struct elf_view *view, void *bytes, size_t size,
		  struct elf_fault *fault)
{
	memset(view, 0, sizeof(*view));
	view->bytes = bytes;
	view->size = size;
	if (open_header(view, fault) || open_sections(view, fault))
		return -1;
	return open_symbols(view, fault);
}

/**
 * elf_view_close() - free what a view allocated
 * @view: opened or refused; its @bytes are not freed
 */
void elf_view_close(struct elf_view *view)
{
	free(view->sections);
	view->sections = NULL;
}

/**
 * elf_section_name() - get the name of a section
 * @view: the object
 * @section: its index
 *
 * Return: the name; NULL if @section does not exist or its name lies outside
 *	   the table of names.
 */
const char *elf_section_name(const struct elf_view *view, uint32_t section)
{
	const struct elf_section *table;

	if (!view->names || section >= view->nr_sections)
		return NULL;
	table = &view->sections[view->names];
	if (view->sections[section].name >= table->size)
		return NULL;
	return (const char *)view->bytes + table->offset + view->sections[section].name;
}

/**
 * elf_section_code() - get the bytes of a section of instructions
 * @view: the object
 * @section: its index, which need not exist
 * @code: filled on success
 *
 * Return: true if the section exists and has instructions in this file.
 */
bool elf_section_code(const struct elf_view *view, uint32_t section,
		      struct elf_code *code)
{
	const struct elf_section *s;

	if (section == 0 || section >= view->nr_sections)
		return false;
	s = &view->sections[section];
	if (s->type != SHT_PROGBITS || !(s->flags & SHF_EXECINSTR))
		return false;
	code->bytes = view->bytes + s->offset;
	code->size = s->size;
	code->big = view->big;
	return true;
}

/**
 * elf_section_is_reloc() - test whether a section has relocations
 * @view: the object
 * @section: its index
 *
 * Return: true for SHT_REL and SHT_RELA that refer to the symbol table.
 */
bool elf_section_is_reloc(const struct elf_view *view, uint32_t section)
{
	const struct elf_section *s = &view->sections[section];

	return (s->type == SHT_REL || s->type == SHT_RELA) && view->symtab &&
	       s->link == view->symtab;
}

/**
 * elf_content_end() - find the end of the bytes that sections still need
 * @view: the object
 * @skip: a section that is about to be written elsewhere
 * @skip_too: another one, or 0
 *
 * Return: offset of the first byte after the ELF header and all other sections.
 */
uint64_t elf_content_end(const struct elf_view *view, uint32_t skip, uint32_t skip_too)
{
	uint64_t end = elf_header_size(view);
	uint32_t i;

	for (i = 1; i < view->nr_sections; i++) {
		const struct elf_section *s = &view->sections[i];

		if (i == skip || i == skip_too || !has_bytes(s))
			continue;
		if (s->offset + s->size > end)
			end = s->offset + s->size;
	}
	return end;
}

/**
 * elf_symbol_get() - read a symbol
 * @view: the object
 * @index: less than @view->nr_symbols
 * @symbol: filled
 */
void elf_symbol_get(const struct elf_view *view, uint32_t index,
		    struct elf_symbol *symbol)
{
	const unsigned char *p = view->bytes + view->sections[view->symtab].offset +
				 index * elf_symbol_size(view);
	uint32_t section;

	symbol->name = load32(view, p);
	if (view->wide) {
		symbol->info = p[4];
		section = load16(view, p + 6);
		symbol->value = load64(view, p + 8);
	} else {
		symbol->value = load32(view, p + 4);
		symbol->info = p[12];
		section = load16(view, p + 14);
	}
	if (section == SHN_XINDEX)
		section = elf_symbol_wide_index(view, index);
	else if (section >= SHN_LORESERVE)
		section = 0;
	symbol->section = section < view->nr_sections ? section : 0;
}

/**
 * elf_symbol_wide_index() - read a section index too large for a symbol
 * @view: the object
 * @index: of the symbol, less than @view->nr_symbols
 *
 * Return: the symbol's entry in the table of wide indexes, 0 without such a table.
 */
uint32_t elf_symbol_wide_index(const struct elf_view *view, uint32_t index)
{
	if (!view->symtab_shndx)
		return 0;
	return load32(view, view->bytes + view->sections[view->symtab_shndx].offset +
			    (uint64_t)index * 4);
}

/**
 * elf_symbol_name() - get the name of a symbol
 * @view: the object
 * @symbol: one of its symbols
 *
 * Return: the name, or NULL if it lies outside the table of names.
 */
const char *elf_symbol_name(const struct elf_view *view,
			    const struct elf_symbol *symbol)
{
	const struct elf_section *table =
		&view->sections[view->sections[view->symtab].link];

	if (symbol->name >= table->size)
		return NULL;
	return (const char *)view->bytes + table->offset + symbol->name;
}

/**
 * elf_relocs_check() - check and count the entries of a relocation section
 * @view: the object
 * @section: index of a SHT_REL or SHT_RELA section
 * @count: filled with the number of relocations
 * @fault: filled when the section is refused
 *
 * Return: 0, or -1 with @fault filled.
 */
int elf_relocs_check(const struct elf_view *view, uint32_t section,
		     uint64_t *count, struct elf_fault *fault)
{
	const struct elf_section *s = &view->sections[section];
	size_t each = elf_reloc_size(view, s->type == SHT_RELA);

	if (s->entsize != each || s->size % each)
		return elf_fault_in(fault, view, section, "odd relocation size");
	*count = s->size / each;
	return 0;
}

static unsigned char *reloc_at(const struct elf_view *view, uint32_t section,
			       uint64_t index)
{
	const struct elf_section *s = &view->sections[section];

	return view->bytes + s->offset +
	       index * elf_reloc_size(view, s->type == SHT_RELA);
}

/**
 * elf_reloc_get() - read a relocation
 * @view: the object
 * @section: a section that elf_relocs_check() accepted
 * @index: less than its count
 * @reloc: filled
 */
void elf_reloc_get(const struct elf_view *view, uint32_t section, uint64_t index,
		   struct elf_reloc *reloc)
{
	const unsigned char *p = reloc_at(view, section, index);

	if (splits_info(view)) {
		reloc->offset = load64(view, p);
		reloc->symbol = load32(view, p + 8);
		reloc->type = p[15];
	} else if (view->wide) {
		uint64_t info = load64(view, p + 8);

		reloc->offset = load64(view, p);
		reloc->symbol = info >> 32;
		/* the upper bytes of a sparc64 type are a second addend */
		reloc->type = view->machine == EM_SPARCV9 ? info & 0xff : info;
	} else {
		uint32_t info = load32(view, p + 4);

		reloc->offset = load32(view, p);
		reloc->symbol = info >> 8;
		reloc->type = info & 0xff;
	}
}

/**
 * elf_reloc_set_type() - change a relocation's type, but not its symbol
 * @view: the object, whose bytes change
 * @section: a section that elf_relocs_check() accepted
 * @index: less than its count
 * @type: the new type
 */
void elf_reloc_set_type(struct elf_view *view, uint32_t section, uint64_t index,
			uint32_t type)
{
	unsigned char *p = reloc_at(view, section, index);

	if (splits_info(view)) {
		memset(p + 12, 0, 3);
		p[15] = type;
	} else if (view->wide) {
		store64(view, p + 8, (load64(view, p + 8) & ~0xffffffffULL) | type);
	} else {
		store32(view, p + 4, (load32(view, p + 4) & ~0xffU) | type);
	}
}

/**
 * elf_reloc_set_symbol() - change a relocation's symbol, but not its type
 * @view: the object, whose bytes change
 * @section: a section that elf_relocs_check() accepted
 * @index: less than its count
 * @symbol: the new symbol
 *
 * Return: true if the symbol's number fits into the object's format.
 */
bool elf_reloc_set_symbol(struct elf_view *view, uint32_t section, uint64_t index,
			  uint32_t symbol)
{
	unsigned char *p = reloc_at(view, section, index);

	if (splits_info(view)) {
		store32(view, p + 8, symbol);
	} else if (view->wide) {
		store64(view, p + 8, (uint64_t)symbol << 32 |
				     (load64(view, p + 8) & 0xffffffff));
	} else {
		if (symbol > 0xffffff)
			return false;
		store32(view, p + 4, symbol << 8 | (load32(view, p + 4) & 0xff));
	}
	return true;
}

/* Bytes of an address: 4 or 8. */
size_t elf_address_size(const struct elf_view *view)
{
	return view->wide ? 8 : 4;
}

/* Bytes of the ELF header. */
size_t elf_header_size(const struct elf_view *view)
{
	return view->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

/* Bytes of a section header. */
size_t elf_section_size(const struct elf_view *view)
{
	return view->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Bytes of a symbol. */
size_t elf_symbol_size(const struct elf_view *view)
{
	return view->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

/* Bytes of a relocation; with @rela it has an addend of its own. */
size_t elf_reloc_size(const struct elf_view *view, bool rela)
{
	return elf_address_size(view) * (rela ? 3 : 2);
}

/**
 * elf_code_has() - test whether bytes lie inside a section
 * @code: the section's bytes
 * @at: offset in the section
 * @from: first byte, relative to @at
 * @len: number of bytes
 *
 * Return: true if all of them lie inside the section.
 */
bool elf_code_has(const struct elf_code *code, uint64_t at, int64_t from, uint64_t len)
{
	if (at > code->size)
		return false;
	if (from < 0 && at < (uint64_t)-from)
		return false;
	return fits(at + from, len, code->size);
}

static const struct elf_view *order(const struct elf_code *code)
{
	static const struct elf_view little = { .big = false };
	static const struct elf_view big = { .big = true };

	return code->big ? &big : &little;
}

/**
 * elf_code_half() - read two bytes of instructions
 * @code: the section's bytes
 * @at: offset that elf_code_has() accepted
 *
 * Return: the number, read in the object's byte order.
 */
uint16_t elf_code_half(const struct elf_code *code, uint64_t at)
{
	return load16(order(code), code->bytes + at);
}

/**
 * elf_code_word() - read four bytes of instructions
 * @code: the section's bytes
 * @at: offset that elf_code_has() accepted
 *
 * Return: the number, read in the object's byte order.
 */
uint32_t elf_code_word(const struct elf_code *code, uint64_t at)
{
	return load32(order(code), code->bytes + at);
}

/**
 * elf_code_set_half() - write two bytes of instructions
 * @code: the section's bytes
 * @at: offset that elf_code_has() accepted
 * @half: the number
 */
void elf_code_set_half(const struct elf_code *code, uint64_t at, uint16_t half)
{
	store16(order(code), code->bytes + at, half);
}

/**
 * elf_code_set_word() - write four bytes of instructions
 * @code: the section's bytes
 * @at: offset that elf_code_has() accepted
 * @word: the number
 */
void elf_code_set_word(const struct elf_code *code, uint64_t at, uint32_t word)
{
	store32(order(code), code->bytes + at, word);
}
