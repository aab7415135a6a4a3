// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of the cases, each on one function.
 */
#include <linux/slab.h>

#include "states.h"

TARGET(states_target_elsewhere)

unsigned int nr_calls;

void count_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		struct ftrace_regs *fregs)
{
	WRITE_ONCE(nr_calls, nr_calls + 1);
}

/* READ_ONCE() and WRITE_ONCE(): the compiler does not see that hooks run in func(). */
unsigned int calls_of(void (*func)(void))
{
	WRITE_ONCE(nr_calls, 0);
	func();
	return READ_ONCE(nr_calls);
}

struct ftrace_ops *make_ops(void *func, ftrace_func_t call, unsigned long flags)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);

	if (!ops)
		return NULL;
	ops->func = call;
	ops->flags = flags;
	if (ftrace_set_filter_ip(ops, site_of(func), 0, 0)) {
		kfree(ops);
		return NULL;
	}
	return ops;
}

struct ftrace_ops *hook(void *func)
{
	struct ftrace_ops *ops = make_ops(func, count_call, 0);

	if (ops && register_ftrace_function(ops)) {
		ftrace_free_filter(ops);
		kfree(ops);
		return NULL;
	}
	return ops;
}

/* Overwrite and free the hook as soon as it is unregistered, as any owner may. */
void unhook(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
	ftrace_free_filter(ops);
	memset(ops, 0x6b, sizeof(*ops));
	kfree(ops);
}

/* Change hooks of another function, so that the tracer commits. */
bool change_elsewhere(void)
{
	struct ftrace_ops *ops = hook(states_target_elsewhere);

	if (ops)
		unhook(ops);
	return ops;
}

/* After a breakpoint on @func: hooks can be registered and unregistered as usual. */
const char *is_exact(void (*func)(void))
{
	struct ftrace_ops *ops;

	if (calls_of(func))
		return "a hook is called that nobody registered";
	if (!change_elsewhere())
		return "a hook cannot be registered elsewhere";
	if (!is_nop(site_of(func)))
		return "the site is not a nop again after the breakpoint went";
	ops = hook(func);
	if (!ops)
		return "a hook cannot be registered after the breakpoint went";
	if (calls_of(func) != 1) {
		unhook(ops);
		return "a hook is not called after the breakpoint went";
	}
	unhook(ops);
	return is_nop(site_of(func)) ? NULL : "the site is not a nop at the end";
}
