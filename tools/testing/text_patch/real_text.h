/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text for real.c to change: functions that are nothing but places. What each
 * place does leaves a byte in the caller's buffer.
 */
#ifndef _TEXT_PATCH_REAL_TEXT_H
#define _TEXT_PATCH_REAL_TEXT_H

#include "real.h"
#include <asm/text-transaction.h>

#define REAL_PLACES		712
#define REAL_STATES		3

enum place_kind {
	KIND_CALL, KIND_LONG, KIND_ZERO, KIND_JUMP, KIND_JUMP2, KIND_BRANCH, KIND_RETURN,
	NR_KINDS,
};

/**
 * struct place - an instruction to be changed
 * @addr:	its address
 * @kind:	an enum place_kind
 * @len:	its length
 * @line:	it crosses a cache line
 * @page:	it crosses a page
 * @nr:		number of instructions that it may have
 * @insn:	these instructions
 * @value:	what each of them leaves in the buffer
 * @to:		each of them in the form of struct text_call (KIND_CALL, KIND_LONG)
 */
struct place {
	unsigned long addr;
	u8 kind;
	u8 len;
	bool line;
	bool page;
	u8 nr;
	u8 insn[REAL_STATES][TEXT_PATCH_MAX];
	u8 value[REAL_STATES];
	unsigned long to[REAL_STATES];
};

/* A function of adjacent places. Short ones are run most often. */
struct lane {
	void (*run)(u8 *seen);
	u32 first;
	u32 nr;
};

#define REAL_LANES		3

extern struct place real_place[REAL_PLACES];
extern struct lane real_lane[REAL_LANES];
extern const char * const real_kinds[NR_KINDS];

extern int real_text_file;

void real_text_make(void);
u32 real_dice(u64 *dice, u32 sides);

#endif /* _TEXT_PATCH_REAL_TEXT_H */
