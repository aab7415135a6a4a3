/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool must know about a machine: one row of a table.
 *
 * A row has the names of the profiling symbols, the relocation types that call
 * one of them, and the type of a pointer. Porting to a new machine adds a row.
 * Code that only takes the symbol's address is not a site; if it may use the same
 * relocation type as a call, the row has a test that reads the instruction.
 */
#ifndef MCOUNT_MACHINE_H
#define MCOUNT_MACHINE_H

#include "elf_view.h"

/*
 * Does the relocation at @at of @code belong to a call? If so, set *site to the
 * first byte that the kernel will patch.
 */
typedef bool (*call_test)(const struct elf_code *code, uint64_t at, uint64_t *site);

/* A relocation type of calls; without a test all its relocations are calls. */
struct call_form {
	uint32_t type;
	call_test test;
};

enum { MAX_SYMBOLS = 4, MAX_FORMS = 6, ENTRY_NOP_SIZE = 6 };

struct machine {
	uint16_t id;			/* EM_* */
	uint32_t pointer32;		/* type of a pointer, by address width; 0: none */
	uint32_t pointer64;
	bool moves_functions;		/* a function symbol's value is not its first byte */
	const char *symbols[MAX_SYMBOLS];
	struct call_form forms[MAX_FORMS];
	/* A nop that functions may begin with instead of a call, or NULL */
	const unsigned char *entry_nop;
	/* Turn the call into a nop, or change nothing and return false. */
	bool (*silence)(const struct elf_code *code, uint64_t at);
	uint32_t none;			/* type of a relocation that does nothing */
};

const struct machine *machine_find(uint16_t id);
uint32_t machine_pointer(const struct machine *machine, bool wide);
bool machine_is_symbol(const struct machine *machine, const char *name);
bool machine_is_entry_nop(const struct machine *machine, const struct elf_code *code,
			  uint64_t at);
bool machine_is_call(const struct machine *machine, const struct elf_code *code,
		     uint32_t type, uint64_t at, uint64_t *site);

#endif /* MCOUNT_MACHINE_H */
