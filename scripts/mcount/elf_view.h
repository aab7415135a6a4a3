/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A view of a relocatable object.
 *
 * Code that reads sections, symbols and relocations by a view needs to know
 * neither the width of the object's addresses nor its byte order, and sees no
 * raw file offset. The object may be damaged: no number in it is used before it
 * has been checked against the number of bytes in the file.
 */
#ifndef MCOUNT_ELF_VIEW_H
#define MCOUNT_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SHT_CREL
#define SHT_CREL		0x40000014
#endif
#ifndef SHT_LLVM_ADDRSIG
#define SHT_LLVM_ADDRSIG	0x6fff4c03
#endif
/* Before LLVM 13; since then it has another type, and relocations instead of numbers. */
#define SHT_LLVM_OLD_CALL_GRAPH_PROFILE	0x6fff4c02

/* What is wrong with an object; @section is "" if the fault is not in one section. */
struct elf_fault {
	char section[64];
	char reason[128];
};

/* A section header, whatever its width in the file. */
struct elf_section {
	uint32_t name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint32_t info;
	uint64_t align;
	uint64_t entsize;
};

/* A symbol; @section is 0 if it is defined in no section of this object. */
struct elf_symbol {
	uint32_t name;
	uint8_t info;
	uint32_t section;
	uint64_t value;
};

struct elf_reloc {
	uint64_t offset;
	uint32_t symbol;
	uint32_t type;
};

/*
 * One object. The bytes belong to the caller and must stay until the view is
 * closed; elf_view_open() fills the rest, which does not change afterwards.
 * Each section with bytes in the file lies completely inside @bytes.
 */
struct elf_view {
	unsigned char *bytes;
	size_t size;
	bool wide;			/* 64-bit addresses */
	bool big;			/* most significant byte first */
	uint16_t machine;
	uint32_t nr_sections;
	uint32_t names;			/* index of the table of section names */
	uint32_t symtab;		/* 0: the object has no symbols */
	uint32_t symtab_shndx;		/* 0: no symbol needs a wide section index */
	uint32_t nr_symbols;
	struct elf_section *sections;
};

/* The bytes of one section of instructions */
struct elf_code {
	unsigned char *bytes;
	uint64_t size;
	bool big;
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#ifndef __printf
#define __printf(n, a)	__attribute__((format(printf, n, a)))
#endif

int elf_fault_set(struct elf_fault *fault, const char *reason, ...) __printf(2, 3);
int elf_fault_in(struct elf_fault *fault, const struct elf_view *view,
		 uint32_t section, const char *reason, ...) __printf(4, 5);

int elf_view_open(struct elf_view *view, void *bytes, size_t size,
		  struct elf_fault *fault);
void elf_view_close(struct elf_view *view);

/* Sections */
const char *elf_section_name(const struct elf_view *view, uint32_t section);
bool elf_section_code(const struct elf_view *view, uint32_t section,
		      struct elf_code *code);
bool elf_section_is_reloc(const struct elf_view *view, uint32_t section);
uint64_t elf_content_end(const struct elf_view *view, uint32_t skip, uint32_t skip_too);

/* Symbols */
void elf_symbol_get(const struct elf_view *view, uint32_t index,
		    struct elf_symbol *symbol);
const char *elf_symbol_name(const struct elf_view *view,
			    const struct elf_symbol *symbol);
uint32_t elf_symbol_wide_index(const struct elf_view *view, uint32_t index);

/* Relocations */
int elf_relocs_check(const struct elf_view *view, uint32_t section,
		     uint64_t *count, struct elf_fault *fault);
void elf_reloc_get(const struct elf_view *view, uint32_t section, uint64_t index,
		   struct elf_reloc *reloc);
void elf_reloc_set_type(struct elf_view *view, uint32_t section, uint64_t index,
			uint32_t type);
bool elf_reloc_set_symbol(struct elf_view *view, uint32_t section, uint64_t index,
			  uint32_t symbol);

/* Sizes in this object's format, in bytes */
size_t elf_address_size(const struct elf_view *view);
size_t elf_header_size(const struct elf_view *view);
size_t elf_section_size(const struct elf_view *view);
size_t elf_symbol_size(const struct elf_view *view);
size_t elf_reloc_size(const struct elf_view *view, bool rela);

/* Reading and writing instructions; the caller has checked the bounds */
uint16_t elf_code_half(const struct elf_code *code, uint64_t at);
uint32_t elf_code_word(const struct elf_code *code, uint64_t at);
void elf_code_set_half(const struct elf_code *code, uint64_t at, uint16_t half);
void elf_code_set_word(const struct elf_code *code, uint64_t at, uint32_t word);
bool elf_code_has(const struct elf_code *code, uint64_t at, int64_t from, uint64_t len);

#endif /* MCOUNT_ELF_VIEW_H */
