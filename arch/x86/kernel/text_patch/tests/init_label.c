// SPDX-License-Identifier: GPL-2.0
/*
 * Thousands of labels in init text, see init_text.c: enough for this module to
 * become live while they are being queued.
 */
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/module.h>

#include "init_text.h"

#define ONE(n)	((n) += static_branch_unlikely(&text_patch_init_key) ? 1 : 0)
#define FOUR(n)		do { ONE(n); ONE(n); ONE(n); ONE(n); } while (0)
#define X16(n)		do { FOUR(n); FOUR(n); FOUR(n); FOUR(n); } while (0)
#define X64(n)		do { X16(n); X16(n); X16(n); X16(n); } while (0)
#define X256(n)		do { X64(n); X64(n); X64(n); X64(n); } while (0)
#define X1024(n)	do { X256(n); X256(n); X256(n); X256(n); } while (0)

#define LABELS	4096

static noinline unsigned int __init taken(void)
{
	unsigned int n = 0;

	X1024(n);
	X1024(n);
	X1024(n);
	X1024(n);
	return n;
}

static int __init init_label_init(void)
{
	return text_patch_init_race(THIS_MODULE, LABELS, taken);
}
module_init(init_label_init);

static void __exit init_label_exit(void)
{
}
module_exit(init_label_exit);

MODULE_DESCRIPTION("Has labels in its init text");
MODULE_LICENSE("GPL");
