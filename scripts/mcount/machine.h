/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool must know about a machine: one row, nothing else.
 *
 * A row names the profiling symbols, lists the relocation types that make a
 * call of one of them, and the type that makes a pointer. Porting to a new
 * machine is adding a row. The enemy is a reference that only looks like a
 * call: code that takes the symbol's address must not be taken for a site, so
 * a row whose relocation types leave room for doubt brings a test that reads
 * the instruction.
 */
#ifndef MCOUNT_MACHINE_H
#define MCOUNT_MACHINE_H

#include "elf_view.h"

/*
 * Does the relocation at @at of @code belong to a call? If so *site becomes
 * the first byte of what the kernel will patch.
 */
typedef bool (*call_test)(const struct elf_code *code, uint64_t at, uint64_t *site);

/* A relocation type that may stand in a call; without a test it always does. */
struct call_form {
	uint32_t type;
	call_test test;
};

enum { MAX_SYMBOLS = 4, MAX_FORMS = 6, ENTRY_NOP_SIZE = 6 };

struct machine {
	uint16_t id;			/* EM_* */
	uint32_t pointer32;		/* type of a pointer, per class; 0: no such class */
	uint32_t pointer64;
	bool moves_functions;		/* a function symbol's value is not its address */
	const char *symbols[MAX_SYMBOLS];
	struct call_form forms[MAX_FORMS];
	/* Some compilers can leave a nop of six bytes where a function begins. */
	const unsigned char *entry_nop;
	/* Turn the call into a nop, or leave the bytes alone and return false. */
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
