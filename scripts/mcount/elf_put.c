// SPDX-License-Identifier: GPL-2.0
/*
 * Writing in an object's own format.
 *
 * elf_put_header() changes the object itself; the other functions write to the
 * caller's memory. A number too large for its field is written to the wider field
 * that the format has for it, or is refused.
 */
#include <string.h>

#include "elf_layout.h"
#include "elf_put.h"

/**
 * elf_put_address() - write an address
 * @view: the object whose format to use
 * @to: elf_address_size() bytes of room
 * @address: truncated to the width of the object
 */
void elf_put_address(const struct elf_view *view, void *to, uint64_t address)
{
	if (view->wide)
		store64(view, to, address);
	else
		store32(view, to, address);
}

/**
 * elf_put_word() - write a 32-bit number
 * @view: the object whose format to use
 * @to: four bytes of room
 * @word: the number
 */
void elf_put_word(const struct elf_view *view, void *to, uint32_t word)
{
	store32(view, to, word);
}

/**
 * elf_put_section() - write a section header
 * @view: the object whose format to use
 * @to: elf_section_size() bytes of room
 * @section: the header
 */
void elf_put_section(const struct elf_view *view, void *to,
		     const struct elf_section *section)
{
	size_t each = elf_address_size(view);
	unsigned char *p = to;

	store32(view, p, section->name);
	store32(view, p + 4, section->type);
	p += 8;
	elf_put_address(view, p, section->flags);
	elf_put_address(view, p + each, section->addr);
	elf_put_address(view, p + 2 * each, section->offset);
	elf_put_address(view, p + 3 * each, section->size);
	p += 4 * each;
	store32(view, p, section->link);
	store32(view, p + 4, section->info);
	p += 8;
	elf_put_address(view, p, section->align);
	elf_put_address(view, p + each, section->entsize);
}

/**
 * elf_put_section_symbol() - write a section symbol
 * @view: the object whose format to use
 * @to: elf_symbol_size() bytes of room
 * @section: index of the section; from SHN_LORESERVE on the caller must also
 *	write it into the table of wide indexes
 */
void elf_put_section_symbol(const struct elf_view *view, void *to, uint32_t section)
{
	uint16_t narrow = section < SHN_LORESERVE ? section : SHN_XINDEX;
	unsigned char *p = to;

	memset(p, 0, elf_symbol_size(view));
	p[view->wide ? 4 : 12] = ELF32_ST_INFO(STB_LOCAL, STT_SECTION);
	store16(view, p + (view->wide ? 6 : 14), narrow);
}

/**
 * elf_put_reloc() - write a relocation
 * @view: the object whose format to use
 * @to: elf_reloc_size() bytes of room
 * @rela: whether it has an addend of its own
 * @reloc: offset, symbol and type
 * @addend: ignored unless @rela
 *
 * Return: true if the symbol's number fits into the object's format.
 */
bool elf_put_reloc(const struct elf_view *view, void *to, bool rela,
		   const struct elf_reloc *reloc, int64_t addend)
{
	size_t each = elf_address_size(view);
	unsigned char *p = to;

	elf_put_address(view, p, reloc->offset);
	if (splits_info(view)) {
		store32(view, p + 8, reloc->symbol);
		memset(p + 12, 0, 3);
		p[15] = reloc->type;
	} else if (view->wide) {
		store64(view, p + 8, (uint64_t)reloc->symbol << 32 | reloc->type);
	} else {
		if (reloc->symbol > 0xffffff)
			return false;
		store32(view, p + 4, reloc->symbol << 8 | reloc->type);
	}
	if (rela)
		elf_put_address(view, p + 2 * each, addend);
	return true;
}

/**
 * elf_put_header() - point the ELF header to a new table of section headers
 * @view: the object, whose bytes change
 * @section_table: offset of the new table
 * @nr_sections: number of headers in it
 * @null_section: header 0, which gets @nr_sections if the ELF header cannot hold it
 */
void elf_put_header(struct elf_view *view, uint64_t section_table,
		    uint32_t nr_sections, struct elf_section *null_section)
{
	unsigned char *p = view->bytes;
	bool fit = nr_sections < SHN_LORESERVE;

	elf_put_address(view, p + (view->wide ? EHDR64_SHOFF : EHDR32_SHOFF),
			section_table);
	store16(view, p + (view->wide ? EHDR64_SHNUM : EHDR32_SHNUM),
		fit ? nr_sections : 0);
	if (!fit)
		null_section->size = nr_sections;
}
