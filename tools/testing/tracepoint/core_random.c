// SPDX-License-Identifier: GPL-2.0
/*
 * Random registrations, batches, modules that go, and allocations that fail.
 * Whenever nothing is pending, arrays, keys and calls must be as requested.
 */
#include <string.h>

#include "core_test.h"

static unsigned int nr_refused;

/* The expected probes of each tracepoint, in the order of their calls. */
static struct tracepoint_func want[NR_TP][MOST];
static unsigned int nr_want[NR_TP];

static int find_want(int tp, const void *func, const void *data)
{
	unsigned int i;

	for (i = 0; i < nr_want[tp]; i++)
		if (want[tp][i].func == func && want[tp][i].data == data)
			return i;
	return -1;
}

static void want_add(int tp, const struct tracepoint_func *p)
{
	unsigned int i = nr_want[tp]++;

	for (; i && want[tp][i - 1].prio < p->prio; i--)
		want[tp][i] = want[tp][i - 1];
	want[tp][i] = *p;
}

static void want_remove(int tp, unsigned int i)
{
	memmove(&want[tp][i], &want[tp][i + 1],
		(--nr_want[tp] - i) * sizeof(**want));
}

static void add(int tp)
{
	struct tracepoint_func p = {
		.func = &funcs[rand() % 4],
		.data = &funcs[rand() % 2],
		.prio = rand() % 3,
	};
	const bool there = find_want(tp, p.func, p.data) >= 0, scarce = shim_fail_in;
	int err;

	if (nr_want[tp] == MOST)
		return;
	reg_refuses = rand() % 8 == 0;
	err = tracepoint_probe_register_prio_may_exist(&points[tp], p.func,
						       p.data, p.prio);
	if (there)
		shim_check(err == -EEXIST, "who is there is not added");
	else if (err)
		nr_refused++;
	else
		want_add(tp, &p);
	shim_check(!err || there || (err == -ENOMEM && scarce && !shim_fail_in) ||
		   (err == -EBUSY && reg_refuses && tp == 0),
		   "only memory and regfuncs refuse");
}

static void take_away(int tp)
{
	const unsigned int i = nr_want[tp] ? rand() % nr_want[tp] : 0;
	struct tracepoint_func p;

	if (!nr_want[tp]) {
		shim_check(tracepoint_probe_unregister(&points[tp], &funcs[0],
						       NULL) == -ENOENT,
			   "who is not there cannot go");
		return;
	}
	p = want[tp][i];
	want_remove(tp, i);
	shim_check(!tracepoint_probe_unregister(&points[tp], p.func, p.data),
		   "unregistering does not fail");
}

static bool of_the_module(const void *func, void *unused)
{
	(void)unused;
	return func == &funcs[2] || func == &funcs[3];
}

/* Unload the module that has the last two functions. */
static void evict_all(void)
{
	unsigned int i;
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		unsigned int nr = tracepoint_evict(&points[tp], of_the_module, NULL);

		for (i = 0; i < nr_want[tp];)
			if (of_the_module(want[tp][i].func, NULL)) {
				want_remove(tp, i);
				nr--;
			} else {
				i++;
			}
		shim_check(nr == 0, "as many are evicted as are said to be");
	}
	tracepoint_synchronize_unregister();
	shim_check(!nr_held, "nobody has an array from before the wait");
	for (tp = 0; tp < HANDMADE; tp++)
		shim_check(!of_the_module(calls[tp].live, NULL),
			   "no call leads into a module that is gone");
}

static void compare_all(void)
{
	unsigned int i;
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		const struct tracepoint *t = &points[tp];

		shim_check(tp_funcs_count(t->funcs) == nr_want[tp],
			   "as many probes as were asked for");
		for (i = 0; i < nr_want[tp] && t->funcs; i++)
			shim_check(!memcmp(&t->funcs[i].func, &want[tp][i].func,
					   2 * sizeof(void *)),
				   "the probes that were asked for, in order");
		shim_check(t->key.key.enabled == !!nr_want[tp] &&
			   t->key.key.live == t->key.key.enabled, "the key fits");
		shim_check(!t->pending, "nothing is pending");
		if (t->static_call_key && nr_want[tp] == 1)
			shim_check(t->static_call_key->live == t->funcs->func ||
				   t->static_call_key->live == t->iterator,
				   "one probe is called directly or by the iterator");
	}
	shim_check(nr_reg[0] == !!nr_want[0], "the regfunc was told");
}

static void expect_direct_calls(void)
{
	int tp;

	wait_until_direct();
	for (tp = 0; tp < HANDMADE; tp++)
		if (nr_want[tp] == 1)
			shim_check(calls[tp].live == points[tp].funcs->func,
				   "one probe is called directly in the end");
}

static void change_some(int steps)
{
	while (steps--) {
		const int tp = rand() % NR_TP;

		if (rand() % 2)
			add(tp);
		else
			take_away(tp);
		if (tp == HANDMADE)
			shim_check(tp_funcs_count(points[tp].funcs) == nr_want[tp],
				   "what was made at run time does not wait");
	}
}

static int other;

static void batch(void)
{
	struct tracepoint_batch outer, inner;

	tracepoint_batch_begin(&outer);
	change_some(rand() % 12);
	if (rand() % 3 == 0) {
		tracepoint_batch_begin(&inner);
		change_some(rand() % 6);
		tracepoint_batch_commit(&inner);
	}
	if (rand() % 4 == 0) {
		/* Another task, which has no batch, changes something meanwhile. */
		struct task_struct *me = current;

		current = (struct task_struct *)&other;
		change_some(1);
		current = me;
	}
	if (rand() % 2) {
		tracepoint_batch_commit(&outer);
	} else {
		tracepoint_batch_leave(&outer);
		tracepoint_flush();
	}
}

static void walk(unsigned int seed, long fail_at)
{
	struct text_patch_tx outer;
	bool inside;
	int i, tp;

	srand(seed);
	for (i = 0; i < 60; i++) {
		if (!shim_fail_in)
			shim_fail_in = fail_at + 1;
		inside = rand() % 8 == 0;
		if (inside)
			caller_begins(&outer);
		switch (rand() % 7) {
		case 0:
			evict_all();
			break;
		case 1:
			tracepoint_synchronize_unregister();
			break;
		case 2:
			change_some(3);
			break;
		case 3:
			wait_until_direct();
			break;
		default:
			batch();
		}
		if (inside)
			caller_commits();
		compare_all();
		/* Not if allocations fail: without memory a call does not become direct. */
		if (fail_at < 0 && rand() % 2)
			expect_direct_calls();
	}
	shim_fail_in = 0;
	for (tp = 0; tp < NR_TP; tp++)
		while (nr_want[tp])
			take_away(tp);
	compare_all();
	tracepoint_synchronize_unregister();
}

void random_changes(void)
{
	long n;

	for (n = 0; n < 300; n++) {
		others_wait = n % 2;
		walk(n, -1);
	}
	others_wait = false;
}

void random_changes_without_memory(void)
{
	long n;

	nr_refused = 0;
	for (n = 0; n < 300; n++)
		walk(n % 11, n % 60);
	shim_check(nr_refused > 300, "allocations did fail");
}
