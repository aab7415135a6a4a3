// SPDX-License-Identifier: GPL-2.0
/*
 * A linked program that checks its own table.
 *
 * Each entry must be the address of a call to __fentry__, and there must be as many
 * entries as the test says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long __start___mcount_loc[], __stop___mcount_loc[];
extern void __fentry__(void);
extern int ordinary(int x), alone_and_weak(int x), may_be_replaced(int x);

#define untraced __attribute__((no_instrument_function))

untraced int main(int argc, char *argv[])
{
	unsigned long *entry;
	int bad = argc != 2;

	for (entry = __start___mcount_loc; entry < __stop___mcount_loc; entry++) {
		unsigned char *insn = (unsigned char *)*entry;
		int distance;

		memcpy(&distance, insn + 1, sizeof(distance));
		if (*insn != 0xe8 || insn + 5 + distance != (unsigned char *)__fentry__) {
			printf("entry %td: no call at %p\n",
			       entry - __start___mcount_loc, (void *)insn);
			bad = 1;
		}
	}
	if (!bad && entry - __start___mcount_loc != atol(argv[1])) {
		printf("%td entries\n", entry - __start___mcount_loc);
		bad = 1;
	}
	/* the strong definitions of the other object must have been linked */
	if (may_be_replaced(1) != 1001 || alone_and_weak(1) != 2001 || !ordinary(7))
		bad = 1;
	return bad;
}
