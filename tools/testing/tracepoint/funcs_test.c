// SPDX-License-Identifier: GPL-2.0
/*
 * kernel/tracepoint/funcs.c in user space, against a plain model.
 *
 * Random probes are added and removed as in core.c: a new array takes the place
 * of the old one, which stays readable until the next "grace period". The same
 * walk is done again with every Nth allocation failing, for each N: an addition
 * may then fail and must change nothing, a removal must not fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "funcs.h"

#define MOST 12
#define STEPS 400

/* The expected array. */
static struct tracepoint_func want[MOST];
static unsigned int nr_want;

static struct tracepoint_func *live;
static int failures;
static unsigned int nr_halves;

static int probe_funcs[4];

#define check(cond)							\
do {									\
	if (!(cond)) {							\
		failures++;						\
		printf("# line %d: %s\n", __LINE__, #cond);		\
	}								\
} while (0)

static void want_add(const struct tracepoint_func *p)
{
	unsigned int i = nr_want++;

	for (; i && want[i - 1].prio < p->prio; i--)
		want[i] = want[i - 1];
	want[i] = *p;
}

static void want_remove(unsigned int i)
{
	memmove(&want[i], &want[i + 1], (--nr_want - i) * sizeof(*want));
}

static void compare(const struct tracepoint_func *have)
{
	unsigned int i;

	check(tp_funcs_count(have) == nr_want);
	for (i = 0; i < nr_want; i++) {
		check(have[i].func == want[i].func);
		check(have[i].data == want[i].data);
		check(have[i].prio == want[i].prio);
		check(tp_funcs_has(have, want[i].func, want[i].data));
	}
	check(!tp_funcs_has(have, &failures, NULL));
}

static struct tracepoint_func snapshot[MOST + 1];

static void snapshot_take(const struct tracepoint_func *old)
{
	if (old)
		memcpy(snapshot, old, (tp_funcs_count(old) + 1) * sizeof(*old));
}

/* A reader still has @old: it must be unchanged. Then free it. */
static void retire(struct tracepoint_func *old,
		   const struct tracepoint_func *new)
{
	if (!old)
		return;
	check(!memcmp(snapshot, old, (tp_funcs_count(old) + 1) * sizeof(*old)));
	if (!new || tp_funcs_block(new) != tp_funcs_block(old))
		kfree(tp_funcs_block(old));
	else
		nr_halves++;
}

static void add(void)
{
	struct tracepoint_func p = {
		.func = &probe_funcs[rand() % 4],
		.data = &want[rand() % 3],
		.prio = rand() % 5 - 2,
	};
	struct tracepoint_func *new;

	if (nr_want == MOST || tp_funcs_has(live, p.func, p.data))
		return;
	snapshot_take(live);
	new = tp_funcs_add(live, &p);
	if (!new) {
		compare(live);
		return;
	}
	want_add(&p);
	retire(live, new);
	live = new;
}

static void take_away(void)
{
	const unsigned int i = nr_want ? rand() % nr_want : 0;
	struct tracepoint_func *new = NULL, p;

	if (!nr_want)
		return;
	p = want[i];
	snapshot_take(live);
	if (nr_want > 1) {
		new = tp_funcs_alloc_less(live);
		if (!new)
			new = tp_funcs_other_half(live);
		tp_funcs_copy_without(new, live, p.func, p.data);
		check(tp_funcs_same_first(new, live) == (i != 0));
	}
	want_remove(i);
	retire(live, new);
	live = new;
	/* As in a batch: an array that is not published yet is changed in place. */
	if (nr_want > 2 && rand() % 4 == 0) {
		p = want[nr_want / 2];
		want_remove(nr_want / 2);
		tp_funcs_copy_without(live, live, p.func, p.data);
	}
}

static long walk(unsigned int seed, long fail_at)
{
	unsigned int i;

	srand(seed);
	nr_want = 0;
	live = NULL;
	shim_fail_in = fail_at + 1;
	for (i = 0; i < STEPS; i++) {
		/* Not only once: let every Nth allocation fail. */
		if (!shim_fail_in)
			shim_fail_in = fail_at + 1;
		if (rand() % 2)
			add();
		else
			take_away();
		compare(live);
	}
	shim_fail_in = 0;
	while (nr_want)
		take_away();
	check(!live);
	return failures;
}

static void say(const char *name, int failed_before)
{
	printf("%s - %s\n", failures == failed_before ? "ok" : "not ok", name);
}

int main(void)
{
	int before = 0;
	long n;

	for (n = 0; n < 50; n++)
		walk(n, -1);
	say("probes keep their order through random additions and removals", before);

	before = failures;
	for (n = 0; n < 200; n++)
		walk(n % 7, n);
	say("every nth allocation fails and no removal does", before);

	before = failures;
	check(nr_halves > 100);
	say("the spare half is used when memory is short", before);
	return failures ? 1 : 0;
}
