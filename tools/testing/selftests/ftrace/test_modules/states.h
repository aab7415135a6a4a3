/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of the module ftrace_states, and what each has for the others.
 */
#ifndef _FTRACE_STATES_H
#define _FTRACE_STATES_H

#include <linux/ftrace.h>

#include "cases.h"

#define SITE_SIZE	5

/* site_text.c */
extern unsigned long held_ip;
extern u8 held_byte;
extern unsigned int nr_traps;
extern const u8 other_nop[SITE_SIZE];

void write_text(unsigned long addr, const void *bytes, size_t len);
void set_breakpoint(unsigned long ip);
void clear_breakpoint(void);
unsigned long target_under(void);
int site_text_init(void);

/* states_hooks.c */
extern unsigned int nr_calls;

void count_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		struct ftrace_regs *fregs);
unsigned int calls_of(void (*func)(void));
struct ftrace_ops *make_ops(void *func, ftrace_func_t call, unsigned long flags);
struct ftrace_ops *hook(void *func);
void unhook(struct ftrace_ops *ops);
bool change_elsewhere(void);
const char *is_exact(void (*func)(void));

/* fault_states.c */
bool make_faulty(void *func);

#endif /* _FTRACE_STATES_H */
