/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the tests whose instructions the tests patch.
 *
 * Each of the PLACES functions is PLACE_SIZE bytes long. It clears its return
 * value and then runs an instruction of five bytes, which is a nop at first. So
 * it returns 0, or what the function returns that the instruction calls.
 */
#ifndef _X86_TEXT_PATCH_PLACES_H
#define _X86_TEXT_PATCH_PLACES_H

#include <linux/annotate.h>
#include <linux/linkage.h>
#include <linux/static_call_types.h>
#include <linux/stringify.h>
#include <asm/asm.h>
#include <asm/ibt.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

/* Distance between two functions in bytes. */
#ifndef PLACE_SIZE
#define PLACE_SIZE	128
#endif

/* Enough for more pages than one window has, at the default PLACE_SIZE. */
#ifndef PLACES
#define PLACES		2200
#endif

/* Each has a symbol, so that objtool knows it as a function. */
asm(".pushsection .text, \"ax\"\n"
	".altmacro\n"
	".macro test_place nr\n"
	".balign " __stringify(PLACE_SIZE) ", 0xcc\n"
	".type test_place_\\nr, @function\n"
	"test_place_\\nr:\n"
	ASM_ENDBR
	"xorl %eax, %eax\n"
	".byte " __stringify(BYTES_NOP5) "\n"
	ASM_RET
	".size test_place_\\nr, . - test_place_\\nr\n"
	".endm\n"
	".balign 4096\n"
	"test_places:\n"
	".set place, 0\n"
	".rept " __stringify(PLACES) "\n"
	"test_place %place\n"
	".set place, place + 1\n"
	".endr\n"
	".noaltmacro\n"
	".balign 16, 0xcc\n"
	".type test_mark, @function\n"
	"test_mark:\n"
	ASM_ENDBR
	"movl $1, %eax\n"
	ASM_RET
	".size test_mark, . - test_mark\n"
	".popsection\n");

asmlinkage int test_places(void);
asmlinkage int test_mark(void);

#ifdef CONFIG_X86_KERNEL_IBT
#define PLACE_AT	6
#else
#define PLACE_AT	2
#endif

/* The patchable instruction of place @i. */
static inline void *place_insn(unsigned int i)
{
	void *field = test_places;

	/* Or objtool would see the address of an instruction without ENDBR. */
	OPTIMIZER_HIDE_VAR(field);
	return field + i * PLACE_SIZE + PLACE_AT;
}

/* Call place @i; the compiler has not given it a type to check. */
static noinline __nocfi __used int place_call(unsigned int i)
{
	int (*fn)(void) = (void *)test_places + i * PLACE_SIZE;

	OPTIMIZER_HIDE_VAR(fn);
	return fn();
}

/* Objtool asks for a check of the type at each indirect call. */
ANNOTATE_NOCFI_SYM(place_call);

static const u8 place_nop[5] = { BYTES_NOP5 };

/* The call that makes place @i return 1. */
static inline void place_make_call(unsigned int i, u8 *insn)
{
	__text_gen_insn(insn, CALL_INSN_OPCODE, place_insn(i), test_mark, 5);
}

/* Queue a change of place @i to that call, or back to the nop. */
static inline int queue_place(unsigned int i, bool call)
{
	u8 insn[5];

	place_make_call(i, insn);
	return call ? text_patch_add(place_insn(i), place_nop, insn, 5) :
		      text_patch_add(place_insn(i), insn, place_nop, 5);
}

/* The linker's table of the kernel's own static calls. */
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];

#endif /* _X86_TEXT_PATCH_PLACES_H */
