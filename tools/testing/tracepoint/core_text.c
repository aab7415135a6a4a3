// SPDX-License-Identifier: GPL-2.0
/*
 * Text of a tracepoint's calls that cannot be changed, and init text that goes.
 */
#include "core_test.h"

static bool published(const struct tracepoint *tp, const void *func)
{
	return tp_funcs_has(tp->funcs, func, NULL);
}

/* A second probe is added, and the text still calls the first. */
static void stuck_detour(void)
{
	struct tracepoint *tp = &points[1];
	struct tracepoint_batch b;
	unsigned int before;

	tracepoint_probe_register(tp, &funcs[0], NULL);
	calls[1].stuck = true;
	before = shim_complaints;
	shim_check(tracepoint_probe_register(tp, &funcs[1], NULL) == -EIO,
		   "a probe that the text forbids is refused");
	shim_check(shim_complaints == before + 2, "which is said");
	shim_check(published(tp, &funcs[0]) && !published(tp, &funcs[1]) &&
		   tp->key.key.live && calls[1].func == &funcs[0],
		   "and nothing changed");
	shim_check(tracepoint_probe_unregister(tp, &funcs[1], NULL) == -ENOENT,
		   "who was refused is not there");

	/*
	 * A batch accepts it, and fails to add it at the commit. That must not affect
	 * two others, whose calls lead to the iterator or are about to.
	 */
	tracepoint_probe_register(&points[2], &funcs[2], NULL);
	tracepoint_probe_unregister(&points[2], &funcs[2], NULL);
	tracepoint_probe_register(&points[3], &funcs[0], NULL);
	tracepoint_batch_begin(&b);
	shim_check(!tracepoint_probe_register(tp, &funcs[1], NULL) &&
		   !tracepoint_probe_register(&points[2], &funcs[1], NULL) &&
		   !tracepoint_probe_register(&points[3], &funcs[1], NULL),
		   "a batch accepts");
	tracepoint_batch_commit(&b);
	shim_check(published(tp, &funcs[0]) && !published(tp, &funcs[1]) &&
		   published(&points[2], &funcs[1]) && points[2].key.key.live &&
		   published(&points[3], &funcs[0]) &&
		   published(&points[3], &funcs[1]),
		   "and takes effect without what the text forbids");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "whose owner may unregister it");

	/* Replace one probe by another. */
	tracepoint_batch_begin(&b);
	tracepoint_probe_unregister(tp, &funcs[0], NULL);
	tracepoint_probe_register(tp, &funcs[1], NULL);
	tracepoint_batch_commit(&b);
	shim_check(!tp->funcs && !tp->key.key.live, "nobody is called instead of another");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "nor told that he was not there");

	/* The text can be changed again. */
	calls[1].stuck = false;
	before = shim_complaints;
	shim_check(!tracepoint_probe_register(tp, &funcs[1], NULL) && tp->key.key.live,
		   "and a probe gets on");
	wait_until_direct();
	shim_check(calls[1].live == &funcs[1] && shim_complaints == before,
		   "text that is right again is changed");
	tracepoint_probe_unregister(tp, &funcs[1], NULL);
	tracepoint_probe_unregister(&points[2], &funcs[1], NULL);
	tracepoint_probe_unregister(&points[3], &funcs[0], NULL);
	tracepoint_probe_unregister(&points[3], &funcs[1], NULL);
	tracepoint_synchronize_unregister();
}

/* A probe of a module is removed, and the text still calls it. */
static void stuck_flip(void)
{
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &funcs[2], NULL);
	calls[1].stuck = true;
	shim_check(!tracepoint_probe_unregister(tp, &funcs[2], NULL),
		   "unregistering does not fail");
	shim_check(!tp->funcs && !tp->key.key.live && calls[1].func == &funcs[2],
		   "nobody gets to the call, and it is on record");
	shim_check(tracepoint_probe_register(tp, &funcs[1], NULL) == -EIO,
		   "nobody gets on");
	calls[1].stuck = false;
	shim_check(!tracepoint_probe_register(tp, &funcs[1], NULL),
		   "until the text is right again");
	tracepoint_probe_unregister(tp, &funcs[1], NULL);

	/* With a regfunc: it must be undone when the probe is refused. */
	tp = &points[0];
	reg_refuses = false;
	tracepoint_probe_register(tp, &funcs[2], NULL);
	calls[0].stuck = true;
	tracepoint_probe_unregister(tp, &funcs[2], NULL);
	shim_check(tracepoint_probe_register(tp, &funcs[1], NULL) == -EIO &&
		   nr_reg[0] == 0, "the regfunc's work is undone");
	calls[0].stuck = false;
	tracepoint_synchronize_unregister();
}

void stuck_text(void)
{
	stuck_detour();
	stuck_flip();
}

/* No call may be left that leads to a function of init text. */
void init_text(void)
{
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &init_func, NULL);
	tracepoint_probe_unregister(tp, &init_func, NULL);
	shim_check(calls[1].live == tp->iterator, "no call leads to init text that goes");
	tracepoint_synchronize_unregister();
}
