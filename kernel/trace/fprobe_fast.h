/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function's only fprobe, on the short way through the graph tracer. See
 * fprobe_fast.c.
 */
#ifndef _FPROBE_FAST_H
#define _FPROBE_FAST_H

#include <linux/fprobe.h>
#include <linux/ftrace.h>

/* What fprobe_enter_alone() has decided. */
enum fprobe_alone {
	FPROBE_NOT_WANTED,	/* no fprobe wants the return */
	FPROBE_WANTED,
	FPROBE_GENERAL,		/* nothing was done: fprobe_fgraph_entry() has to */
};

#ifdef CONFIG_FPROBE
/* The graph tracer's callbacks of all fprobes that want returns. */
int fprobe_fgraph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs);
void fprobe_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
		   struct ftrace_regs *fregs);
#endif

#if defined(CONFIG_FPROBE) && defined(CONFIG_FTRACE_COMBO)
enum fprobe_alone fprobe_enter_alone(unsigned long func, unsigned long *word);
void fprobe_leave_alone(unsigned long word, unsigned long func, unsigned long ret_ip,
			struct ftrace_regs *fregs);

static __always_inline bool fprobe_is_entry(const void *callback)
{
	return callback == fprobe_fgraph_entry;
}

static __always_inline bool fprobe_is_return(const void *callback)
{
	return callback == fprobe_return;
}
#else
static __always_inline bool fprobe_is_entry(const void *callback)
{
	return false;
}

static __always_inline bool fprobe_is_return(const void *callback)
{
	return false;
}

static inline enum fprobe_alone fprobe_enter_alone(unsigned long func, unsigned long *word)
{
	return FPROBE_GENERAL;
}

static inline void fprobe_leave_alone(unsigned long word, unsigned long func,
				      unsigned long ret_ip, struct ftrace_regs *fregs)
{
}
#endif

#endif
