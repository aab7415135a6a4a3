// SPDX-License-Identifier: GPL-2.0
/*
 * kernel/tracepoint/core.c in user space: random registrations, batches,
 * modules that go, and allocations that fail.
 *
 * At each change of a pointer or of a call the one rule is checked against all
 * arrays that a reader could still have, and that nobody has written into one
 * of those. Whenever nothing is pending, arrays, keys and calls must be what
 * has been asked for.
 */
#include <string.h>

#include "../../../kernel/tracepoint/core.c"

long shim_alloc_left = -1;
unsigned int shim_warnings;
static int me, other;
struct task_struct *current = (struct task_struct *)&me;

static int failures;
static unsigned int nr_refused, nr_waits;

void shim_check(bool good, const char *what)
{
	if (good)
		return;
	if (failures++ < 10)
		printf("# wrong: %s\n", what);
}

#define NR_TP 5
#define MOST 5
#define HANDMADE 4	/* the last one has no call */

/* What is asked for: the probes of each tracepoint in their order. */
static struct tracepoint_func want[NR_TP][MOST];
static unsigned int nr_want[NR_TP];

static int nr_reg[NR_TP];
static bool reg_refuses;

static int regfunc_0(void)
{
	if (reg_refuses)
		return -EBUSY;
	nr_reg[0]++;
	return 0;
}

static void unregfunc_0(void)
{
	nr_reg[0]--;
}

static const struct tracepoint_ext ext_0 = { regfunc_0, unregfunc_0 };
static struct static_call_key calls[NR_TP];
static int iterators[NR_TP];
static struct tracepoint points[NR_TP];

/* Functions, of which the last two are a module's. */
static int funcs[4];

bool core_kernel_text(unsigned long addr)
{
	return addr < (unsigned long)&funcs[2] ||
	       addr >= (unsigned long)&funcs[4];
}

/* Arrays that were replaced and that a reader may have until a grace period. */
static struct held {
	const struct tracepoint_func *funcs;
	struct tracepoint_func was[MOST + 1];
	int tp;
	unsigned long gp;
} helds[256];
static unsigned int nr_held;
static const struct tracepoint_func *live[NR_TP];

static unsigned long gp_done = 1;
static struct rcu_head *to_free;

static void hold(int tp, const struct tracepoint_func *old)
{
	struct held *h = &helds[nr_held];

	if (nr_held == 256)
		synchronize_rcu();
	h = &helds[nr_held++];
	h->funcs = old;
	h->tp = tp;
	memcpy(h->was, old, (tp_funcs_count(old) + 1) * sizeof(*old));
}

static void check_rule(int tp, const struct tracepoint_func *funcs)
{
	const struct tracepoint *t = &points[tp];

	if (!funcs || !t->static_call_key ||
	    t->static_call_key->func == t->iterator)
		return;
	shim_check(funcs->func == t->static_call_key->func,
		   "a direct call has no array that begins with another probe");
}

void shim_step(void)
{
	unsigned int i;
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		if (live[tp] && live[tp] != points[tp].funcs)
			hold(tp, live[tp]);
		live[tp] = points[tp].funcs;
		check_rule(tp, live[tp]);
		/* (4): nobody but the first is called directly. */
		if (live[tp] && live[tp][1].func && points[tp].static_call_key)
			shim_check(points[tp].static_call_key->func ==
				   points[tp].iterator,
				   "several probes are called by the iterator");
	}
	for (i = 0; i < nr_held; i++) {
		const struct held *h = &helds[i];

		check_rule(h->tp, h->funcs);
		shim_check(!memcmp(h->was, h->funcs,
				   (tp_funcs_count(h->was) + 1) * sizeof(*h->was)),
			   "nobody writes into an array that may be read");
	}
}

unsigned long get_state_synchronize_rcu(void)
{
	return gp_done + 1;
}

void synchronize_rcu(void)
{
	shim_step();
	nr_waits++;
	gp_done++;
	nr_held = 0;
	while (to_free) {
		struct rcu_head *head = to_free;

		to_free = head->next;
		free(head->block);
	}
}

void cond_synchronize_rcu(unsigned long state)
{
	if (state > gp_done)
		synchronize_rcu();
}

void shim_free_later(struct rcu_head *head, void *block)
{
	head->block = block;
	head->next = to_free;
	to_free = head;
}

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
	const bool there = find_want(tp, p.func, p.data) >= 0;
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
	shim_check(!err || there || shim_alloc_left < 0 ||
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

/* The module goes whose functions are the last two. */
static void evict_all(void)
{
	unsigned int i;
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		tracepoint_evict(&points[tp], of_the_module, NULL);
		for (i = 0; i < nr_want[tp];)
			if (of_the_module(want[tp][i].func, NULL))
				want_remove(tp, i);
			else
				i++;
	}
	tracepoint_synchronize_unregister();
	for (tp = 0; tp < HANDMADE; tp++)
		shim_check(!of_the_module(calls[tp].func, NULL),
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
		shim_check(t->key.enabled == !!nr_want[tp], "the key fits");
		shim_check(!t->pending, "nothing is pending");
		if (t->static_call_key && nr_want[tp] == 1)
			shim_check(t->static_call_key->func == t->funcs->func,
				   "one probe is called directly");
	}
	shim_check(nr_reg[0] == !!nr_want[0], "the regfunc was told");
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
		/* Somebody else comes along, who cannot wait. */
		current = (struct task_struct *)&other;
		change_some(1);
		current = (struct task_struct *)&me;
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
	int i, tp;

	srand(seed);
	for (i = 0; i < 60; i++) {
		if (fail_at >= 0 && shim_alloc_left < 0)
			shim_alloc_left = fail_at;
		switch (rand() % 6) {
		case 0:
			evict_all();
			break;
		case 1:
			tracepoint_synchronize_unregister();
			break;
		case 2:
			change_some(3);
			break;
		default:
			batch();
		}
		compare_all();
	}
	shim_alloc_left = -1;
	for (tp = 0; tp < NR_TP; tp++)
		while (nr_want[tp])
			take_away(tp);
	compare_all();
	tracepoint_synchronize_unregister();
}

/* The tracepoint goes first; its probe does not know. */
static void orphan(void)
{
	const unsigned int warned = shim_warnings;
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &funcs[0], NULL);
	tracepoint_probe_register(tp, &funcs[1], NULL);
	tracepoint_orphan(tp);
	shim_check(shim_warnings == warned + 2, "orphans are reported");
	shim_check(!tp->funcs && !tp->key.enabled, "and off");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "an orphan may unregister");
	shim_check(!tracepoint_probe_register(tp, &funcs[0], NULL),
		   "and register anew, should another module come there");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[0], NULL),
		   "and go");
	shim_check(tracepoint_probe_unregister(tp, &funcs[0], NULL) == -ENOENT,
		   "once");
	tracepoint_synchronize_unregister();
}

static void say(const char *name, int failed_before)
{
	printf("%s - %s\n", failures == failed_before ? "ok" : "not ok", name);
}

int main(void)
{
	int before = 0, tp;
	long n;

	for (tp = 0; tp < NR_TP; tp++) {
		points[tp].iterator = &iterators[tp];
		points[tp].name = "point";
		calls[tp].func = &iterators[tp];
		if (tp != HANDMADE)
			points[tp].static_call_key = &calls[tp];
	}
	points[0].ext = &ext_0;

	for (n = 0; n < 300; n++)
		walk(n, -1);
	say("the one rule holds through random changes and batches", before);

	before = failures;
	nr_refused = 0;
	for (n = 0; n < 300; n++)
		walk(n % 11, n % 60);
	shim_check(nr_refused > 300, "allocations did fail");
	say("each allocation fails, and nothing but that registration", before);

	before = failures;
	orphan();
	say("a tracepoint may go before its probes", before);
	return failures ? 1 : 0;
}
