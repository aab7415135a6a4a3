// SPDX-License-Identifier: GPL-2.0
/*
 * A function's only fprobe, on the short way through the graph tracer.
 *
 * Most often one fprobe is on a function, and wants its return and nothing else. What
 * it keeps until then is one word, which a frame of the shadow stack has room for. So
 * graph/call.c gives the word and gets the answer, with no list to size, to fill and
 * to read again. All other cases are left to fprobe_fgraph_entry(); what it keeps in
 * one word looks the same, so its frames may return on the short way, too.
 *
 * Included by fprobe.c, whose private structures it uses.
 */
#include <linux/context_tracking_state.h>

#include "fprobe_fast.h"

/* As rcu_is_watching(), with preemption off. */
static __always_inline bool fprobe_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return ct_rcu_watching();
#else
	return rcu_is_watching();
#endif
}

/* True if @fp does nothing on entry, and keeps nothing for the return. */
static __always_inline bool fprobe_wants_return_only(struct fprobe *fp)
{
	return fp->exit_handler && !fp->entry_handler && !fp->entry_data_size &&
	       !fprobe_shared_with_kprobes(fp);
}

/**
 * fprobe_enter_alone() - enter a function that only fprobes watch
 * @func: the function
 * @word: what fprobe_leave_alone() is to be given
 *
 * Context: Any context, preemption off.
 * Return: FPROBE_WANTED and @word if the function has one fprobe, for its return;
 * FPROBE_NOT_WANTED if it has none, or a disabled one, or RCU is not watching; else
 * FPROBE_GENERAL.
 */
enum fprobe_alone fprobe_enter_alone(unsigned long func, unsigned long *word)
{
	const struct fprobe_hlist_node *node;
	struct rhlist_head *head;
	struct fprobe *fp;

	if (FPROBE_HEADER_SIZE_IN_LONG != 1)
		return FPROBE_GENERAL;
	if (unlikely(!fprobe_rcu_is_watching()))
		return FPROBE_NOT_WANTED;

	head = rhltable_lookup(&fprobe_ip_table, &func, fprobe_rht_params);
	if (unlikely(!head))
		return FPROBE_NOT_WANTED;
	if (unlikely(rcu_access_pointer(head->next)))
		return FPROBE_GENERAL;

	node = container_of(head, struct fprobe_hlist_node, hlist);
	fp = READ_ONCE(node->fp);
	if (unlikely(!fp || fprobe_disabled(fp)))
		return FPROBE_NOT_WANTED;
	if (unlikely(!fprobe_wants_return_only(fp)))
		return FPROBE_GENERAL;
	return likely(write_fprobe_header(word, fp, 0)) ? FPROBE_WANTED : FPROBE_NOT_WANTED;
}
NOKPROBE_SYMBOL(fprobe_enter_alone);

/**
 * fprobe_leave_alone() - call the exit handler of a function's only fprobe
 * @word: what fprobe_enter_alone() has written, or fprobe_fgraph_entry() in one word
 * @func: the function
 * @ret_ip: where it returns to
 * @fregs: registers
 *
 * Does nothing if the fprobe was unregistered or disabled meanwhile, or registered again
 * without an exit handler or with data from its entry handler.
 *
 * Context: Any context, preemption off.
 */
void fprobe_leave_alone(unsigned long word, unsigned long func, unsigned long ret_ip,
			struct ftrace_regs *fregs)
{
	unsigned int words;
	struct fprobe *fp;

	if (FPROBE_HEADER_SIZE_IN_LONG != 1 || unlikely(!fprobe_rcu_is_watching()))
		return;

	/* As fprobe_return() does: the preempt_count of events includes it. */
	guard(rcu_sched_notrace)();
	read_fprobe_header(&word, &fp, &words);
	if (likely(fprobe_registered(fp)) && !fprobe_disabled(fp) && fp->exit_handler &&
	    !fp->entry_data_size)
		fp->exit_handler(fp, func, ret_ip, fregs, NULL);
}
NOKPROBE_SYMBOL(fprobe_leave_alone);
