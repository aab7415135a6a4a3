/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing in an object's own format; the caller ensures room at @to.
 */
#ifndef MCOUNT_ELF_PUT_H
#define MCOUNT_ELF_PUT_H

#include "elf_view.h"

void elf_put_address(const struct elf_view *view, void *to, uint64_t address);
void elf_put_word(const struct elf_view *view, void *to, uint32_t word);
void elf_put_section(const struct elf_view *view, void *to,
		     const struct elf_section *section);
void elf_put_section_symbol(const struct elf_view *view, void *to, uint32_t section);
bool elf_put_reloc(const struct elf_view *view, void *to, bool rela,
		   const struct elf_reloc *reloc, int64_t addend);
void elf_put_header(struct elf_view *view, uint64_t section_table,
		    uint32_t nr_sections, struct elf_section *null_section);

#endif /* MCOUNT_ELF_PUT_H */
