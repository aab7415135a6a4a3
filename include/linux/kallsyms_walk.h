/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's symbols in order of address, for those who have many addresses
 * in that order: a merge, where looking up each one would start afresh. The
 * symbols of modules are not among them.
 */
#ifndef _LINUX_KALLSYMS_WALK_H
#define _LINUX_KALLSYMS_WALK_H

struct kallsyms_walk {
	unsigned int	nr;	/* which symbol it is at */
	unsigned int	off;	/* where that one's name begins, compressed */
};

void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr);
unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr);
unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name);
bool kallsyms_walk_alias(struct kallsyms_walk *w);

#endif /* _LINUX_KALLSYMS_WALK_H */
