// SPDX-License-Identifier: GPL-2.0
/*
 * What an object like the kernel's ftrace.o does: it knows the address that
 * traced functions call, keeps it, compares with it, and never calls it.
 */
#ifndef CALLEE
#define CALLEE _mcount
#endif

extern void CALLEE(void);

unsigned long kept = (unsigned long)CALLEE;
void (*list[])(void) = { CALLEE, CALLEE };

int is_callee(unsigned long address)
{
	return address == (unsigned long)CALLEE;
}

unsigned long distance(unsigned long address)
{
	return address - (unsigned long)CALLEE;
}

__attribute__((section(".exit.text"))) unsigned long also_here(void)
{
	return (unsigned long)CALLEE;
}
