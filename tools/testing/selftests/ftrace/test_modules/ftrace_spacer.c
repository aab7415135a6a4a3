// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves a hole of some pages when it goes, where the text of ftrace_init_text
 * that is freed fits in, and the text that stays does not.
 */
#include <linux/module.h>

asm(".pushsection .text, \"ax\", @progbits; .skip 0x20000, 0xcc; .popsection");

MODULE_DESCRIPTION("Takes the place of some pages of text");
MODULE_LICENSE("GPL");
