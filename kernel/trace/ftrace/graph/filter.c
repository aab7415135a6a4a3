// SPDX-License-Identifier: GPL-2.0
/*
 * Search for what a graph tracer begins with, and what it leaves out.
 */
#include <linux/kprobes.h>

#include "../../trace.h"

struct fgraph_set __rcu *fgraph_top_sets[2];	/* [L, read with preemption off] */

/**
 * fgraph_set_has() - test whether a function is in a set
 * @set: the set
 * @ip: address of the function's call to the tracer
 *
 * Context: Any context, preemption off.
 * Return: True if it is.
 */
bool fgraph_set_has(const struct fgraph_set *set, unsigned long ip)
{
	u32 low = 0, high = set->nr;

	if (!fgraph_set_maybe(set, ip))
		return false;
	while (low < high) {
		const u32 mid = (low + high) / 2;

		if (set->ip[mid] == ip)
			return true;
		if (set->ip[mid] < ip)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}
NOKPROBE_SYMBOL(fgraph_set_has);	/* called before any test against recursion */
