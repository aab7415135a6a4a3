/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the two modules of the test of init text, see init_text.c.
 */
#ifndef _X86_TEXT_PATCH_INIT_TEXT_H
#define _X86_TEXT_PATCH_INIT_TEXT_H

#include <linux/jump_label.h>

struct module;

DECLARE_STATIC_KEY_FALSE(text_patch_init_key);

int text_patch_init_race(const struct module *mod, unsigned int nr,
			 unsigned int (*taken)(void));

#endif /* _X86_TEXT_PATCH_INIT_TEXT_H */
