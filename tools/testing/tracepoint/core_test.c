// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching and detaching of probes, kernel/tracepoint/{core,apply,orphan}.c, in
 * user space.
 */
#include "core_test.h"

/* The tracepoint is removed before its probes are unregistered. */
static void orphan(void)
{
	const unsigned int warned = shim_warnings;
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &funcs[0], NULL);
	tracepoint_probe_register(tp, &funcs[1], NULL);
	tracepoint_orphan(tp);
	shim_check(shim_warnings == warned + 2, "orphans are reported");
	shim_check(!tp->funcs && !tp->key.key.enabled, "and off");
	shim_fail_in = 1;
	shim_check(tracepoint_probe_register(tp, &funcs[1], NULL) == -ENOMEM,
		   "another registration may fail");
	shim_fail_in = 0;
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "an orphan may still unregister");
	shim_check(!tracepoint_probe_register(tp, &funcs[0], NULL),
		   "and register anew, should another module come there");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[0], NULL),
		   "and go");
	shim_check(tracepoint_probe_unregister(tp, &funcs[0], NULL) == -ENOENT,
		   "once");
	tracepoint_synchronize_unregister();
}

static const struct {
	void (*run)(void);
	const char *name;
} tests[] = {
	{ random_changes,
	  "the one rule holds through random changes and batches" },
	{ random_changes_without_memory,
	  "each allocation fails, and nothing but that registration" },
	{ orphan,
	  "a tracepoint may go before its probes" },
	{ orphans_are_told_apart,
	  "an orphan is a tracepoint's, a function's and its data's" },
	{ batches_of_two_tasks,
	  "a batch is its task's alone, however many are open" },
	{ evicted_from_a_batch,
	  "a module's probes go, also those that wait for a commit" },
	{ stuck_text,
	  "text that cannot be changed is told, and calls no wrong probe" },
	{ batches_take,
	  "a batch takes one transaction, or two if it needs a detour" },
	{ init_text,
	  "no call is left to lead to init text" },
	{ moments_of_single_changes,
	  "a hit calls the right probes at each moment of a change" },
	{ moments_of_direct_calls,
	  "a call becomes direct after a grace period that no caller waits for" },
	{ direct_calls_take,
	  "all calls that become direct later do so in one transaction" },
	{ moments_of_batches,
	  "a batch waits for its outermost commit, or for who cannot" },
	{ moments_of_orphans_in_batches,
	  "no batch keeps a tracepoint that goes" },
};

int main(void)
{
	unsigned int i;

	make_world();
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		const int before = failures;

		tests[i].run();
		printf("%s - %s\n", failures == before ? "ok" : "not ok",
		       tests[i].name);
	}
	return failures ? 1 : 0;
}
