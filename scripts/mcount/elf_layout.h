/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers in an object's bytes.
 *
 * They are read and written in the object's byte order, whether or not that is
 * the host's, and need not be aligned. The caller must have checked that the bytes
 * exist.
 */
#ifndef MCOUNT_ELF_LAYOUT_H
#define MCOUNT_ELF_LAYOUT_H

#include <string.h>

#include "elf_view.h"

/* Byte offsets in the ELF headers of both classes */
enum {
	EHDR32_SHOFF = 32,	EHDR64_SHOFF = 40,
	EHDR32_EHSIZE = 40,	EHDR64_EHSIZE = 52,
	EHDR32_SHENTSIZE = 46,	EHDR64_SHENTSIZE = 58,
	EHDR32_SHNUM = 48,	EHDR64_SHNUM = 60,
	EHDR32_SHSTRNDX = 50,	EHDR64_SHSTRNDX = 62,
	EHDR_TYPE = 16,
	EHDR_MACHINE = 18,
};

/* Does the object's byte order differ from the host's? */
static inline bool is_foreign(const struct elf_view *view)
{
	const bool we_are_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return view->big != we_are_big;
}

static inline uint16_t load16(const struct elf_view *view, const unsigned char *p)
{
	return view->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static inline uint32_t load32(const struct elf_view *view, const unsigned char *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	if (is_foreign(view))
		word = __builtin_bswap32(word);
	return word;
}

static inline uint64_t load64(const struct elf_view *view, const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	if (is_foreign(view))
		word = __builtin_bswap64(word);
	return word;
}

static inline uint64_t load_address(const struct elf_view *view, const unsigned char *p)
{
	return view->wide ? load64(view, p) : load32(view, p);
}

static inline void store16(const struct elf_view *view, unsigned char *p, uint16_t half)
{
	p[view->big ? 0 : 1] = half >> 8;
	p[view->big ? 1 : 0] = half;
}

static inline void store32(const struct elf_view *view, unsigned char *p, uint32_t word)
{
	if (is_foreign(view))
		word = __builtin_bswap32(word);
	memcpy(p, &word, sizeof(word));
}

static inline void store64(const struct elf_view *view, unsigned char *p, uint64_t word)
{
	if (is_foreign(view))
		word = __builtin_bswap64(word);
	memcpy(p, &word, sizeof(word));
}

/* A 64-bit MIPS object splits r_info into a word and four single bytes. */
static inline bool splits_info(const struct elf_view *view)
{
	return view->machine == EM_MIPS && view->wide;
}

#endif /* MCOUNT_ELF_LAYOUT_H */
