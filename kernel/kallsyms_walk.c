// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's symbols in order of address.
 *
 * A part of the file that includes it, and not an object of its own: the
 * compressed stream of names is that file's business.
 */
#include <linux/kallsyms_walk.h>

/**
 * kallsyms_walk_start - begin a walk
 * @w: the walk; it is at the first symbol of the last address up to @addr
 * @addr: an address of the kernel's
 */
void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr)
{
	w->nr = get_symbol_pos(addr, NULL, NULL);
	w->off = get_symbol_offset(w->nr);
}

/* Where the name after the one at @off begins. */
static unsigned int next_name(unsigned int off)
{
	const u8 *name = &kallsyms_names[off];

	if (*name & 0x80)
		return off + 2 + ((name[0] & 0x7f) | name[1] << 7);
	return off + 1 + *name;
}

/**
 * kallsyms_walk_to - go on, to the symbol that covers an address
 * @w: the walk; it is at the first symbol of the last address up to @addr
 * @addr: not below the one that was given last
 *
 * Return: The address of that symbol.
 */
unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr)
{
	unsigned long start = kallsyms_sym_address(w->nr);
	unsigned int off = w->off;

	for (unsigned int nr = w->nr + 1; nr < kallsyms_num_syms; nr++) {
		const unsigned long next = kallsyms_sym_address(nr);

		if (next > addr)
			break;
		off = next_name(off);
		if (next != start) {
			w->nr = nr;
			w->off = off;
			start = next;
		}
	}
	return start;
}

/**
 * kallsyms_walk_alias - go on to the next symbol if it has the same address
 * @w: the walk
 *
 * Return: Whether it has.
 */
bool kallsyms_walk_alias(struct kallsyms_walk *w)
{
	if (w->nr + 1 >= kallsyms_num_syms ||
	    kallsyms_sym_address(w->nr + 1) != kallsyms_sym_address(w->nr))
		return false;
	w->off = next_name(w->off);
	w->nr++;
	return true;
}

/**
 * kallsyms_walk_name - the name of the symbol that a walk is at
 * @w: the walk
 * @name: KSYM_NAME_LEN bytes
 *
 * Return: Its length.
 */
unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name)
{
	kallsyms_expand_symbol(w->off, name, KSYM_NAME_LEN);
	return strlen(name);
}
