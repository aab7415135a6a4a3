// SPDX-License-Identifier: GPL-2.0
/*
 * Whose batch it is, what an eviction finds in one, and which note is whose:
 * what one task with one batch and one orphan does not tell.
 */
#include "core_test.h"

static int other;

/* Does a hit of @tp call funcs[@func] and nothing else; nothing at all if @func < 0? */
static bool calls_only(const struct tracepoint *tp, int func)
{
	if (func < 0)
		return !tp->funcs && !tp->key.key.live;
	return tp->funcs && tp->key.key.live && tp->funcs[0].func == &funcs[func] &&
	       !tp->funcs[1].func;
}

static struct task_struct *become(struct task_struct *task)
{
	struct task_struct *me = current;

	current = task;
	return me;
}

void batches_of_two_tasks(void)
{
	struct tracepoint *mine = &points[1], *theirs = &points[2];
	struct tracepoint_batch outer, b;
	struct task_struct *me;
	int later;

	others_commit = false;
	/* A task without a batch changes probes at once, even if others have one open. */
	tracepoint_batch_begin(&b);
	me = become((struct task_struct *)&other);
	shim_check(!tracepoint_probe_register(theirs, &funcs[0], NULL), "it gets on");
	shim_check(calls_only(theirs, 0), "nobody else's batch delays a probe");
	shim_check(!tracepoint_probe_unregister(theirs, &funcs[0], NULL), "it gets off");
	shim_check(calls_only(theirs, -1), "nobody else's batch keeps a probe");
	become(me);
	tracepoint_batch_commit(&b);

	/* With both open both wait, each for its own commit or for the first commit of all. */
	for (later = 0; later < 2; later++) {
		tracepoint_batch_begin(&outer);
		become((struct task_struct *)&other);
		tracepoint_batch_begin(&b);
		if (later)
			shim_check(!tracepoint_probe_register(theirs, &funcs[1], NULL),
				   "it gets on");
		become(me);
		shim_check(!tracepoint_probe_register(mine, &funcs[0], NULL), "it gets on");
		shim_check(calls_only(mine, -1), "the batch that was opened first delays");
		become((struct task_struct *)&other);
		if (!later)
			shim_check(!tracepoint_probe_register(theirs, &funcs[1], NULL),
				   "it gets on");
		shim_check(calls_only(theirs, -1), "the batch that was opened last delays");
		tracepoint_batch_commit(&b);
		shim_check(calls_only(theirs, 1), "what is committed is called");
		become(me);
		tracepoint_batch_commit(&outer);
		shim_check(calls_only(mine, 0), "in the end both are called");

		tracepoint_probe_unregister(mine, &funcs[0], NULL);
		tracepoint_probe_unregister(theirs, &funcs[1], NULL);
		tracepoint_synchronize_unregister();
	}
	others_commit = true;
}

/* After 1000 calls the answer is no, so that an endless search ends. */
static bool is_func(const void *func, void *arg)
{
	static unsigned int asked;

	return func == arg && asked++ < 1000;
}

void evicted_from_a_batch(void)
{
	const unsigned int warned = shim_warnings;
	struct tracepoint *tp = &points[1];
	struct tracepoint_batch b;

	others_commit = false;
	/* Nothing is published yet. */
	tracepoint_batch_begin(&b);
	tracepoint_probe_register(tp, &funcs[2], NULL);
	shim_check(tracepoint_evict(tp, is_func, &funcs[2]) == 1,
		   "a probe that waits for its batch is evicted");
	tracepoint_batch_commit(&b);
	shim_check(calls_only(tp, -1), "and does not come with the commit");
	shim_check(shim_warnings == warned + 1, "and that is told");

	/* Another probe is published, and the module's function is there twice. */
	tracepoint_probe_register(tp, &funcs[0], NULL);
	tracepoint_batch_begin(&b);
	tracepoint_probe_register(tp, &funcs[2], NULL);
	tracepoint_probe_register(tp, &funcs[2], &funcs[1]);
	tracepoint_batch_leave(&b);
	shim_check(tracepoint_evict(tp, is_func, &funcs[2]) == 2,
		   "probes of a batch that was left are evicted");
	tracepoint_flush();
	shim_check(calls_only(tp, 0), "and the other one stays");

	/* A published probe whose removal is pending does not count any more. */
	tracepoint_batch_begin(&b);
	tracepoint_probe_unregister(tp, &funcs[0], NULL);
	shim_check(tracepoint_evict(tp, is_func, &funcs[0]) == 0,
		   "a probe that was unregistered is not evicted");
	tracepoint_batch_commit(&b);
	shim_check(calls_only(tp, -1), "and goes with the commit");
	tracepoint_synchronize_unregister();
	others_commit = true;
}

static int unregister(struct tracepoint *tp, int func, void *data)
{
	return tracepoint_probe_unregister(tp, &funcs[func], data);
}

void orphans_are_told_apart(void)
{
	struct tracepoint *one = &points[1], *two = &points[2];

	tracepoint_probe_register(one, &funcs[0], NULL);
	tracepoint_probe_register(one, &funcs[0], &funcs[1]);
	tracepoint_probe_register(two, &funcs[0], NULL);
	tracepoint_orphan(one);
	tracepoint_orphan(two);

	shim_check(unregister(one, 0, &funcs[3]) == -ENOENT, "with other data it is none");
	shim_check(unregister(one, 1, NULL) == -ENOENT, "another function is none");
	shim_check(unregister(two, 0, &funcs[1]) == -ENOENT, "it is not one of both points");
	shim_check(!unregister(two, 0, NULL), "the second point's goes");
	shim_check(unregister(two, 0, NULL) == -ENOENT, "once, and not for the first one's");
	shim_check(!unregister(one, 0, &funcs[1]), "the one with data goes");
	shim_check(unregister(one, 0, &funcs[1]) == -ENOENT, "once, and not for the other");
	shim_check(!unregister(one, 0, NULL), "the one without goes");
	shim_check(unregister(one, 0, NULL) == -ENOENT, "once");
	tracepoint_synchronize_unregister();
}
