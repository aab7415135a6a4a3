// SPDX-License-Identifier: GPL-2.0
/*
 * What a graph tracer does about a function, by the sets of its trace array or of the
 * top one, and by what the task has begun with.
 */
#include <stdio.h>
#include <stdlib.h>

#include "graph/filter.h"
#include "graph/filter.c"

static int bad, failed;

static void expect(bool good, int line)
{
	if (!good && !bad++)
		printf("# %s:%d\n", __FILE__, line);
}

#define EXPECT(cond)	expect(cond, __LINE__)

#define MOST	200U
#define BITS	2048U		/* more than eight for each member */

unsigned int fgraph_max_depth;
unsigned long tracing_thresh;
static struct task_struct task;
struct task_struct *current = &task;
static unsigned long words[FTRACE_GRAPH_SLOTS];
static bool in_irq, irq_bit;

bool in_hardirq(void)
{
	return in_irq;
}

void set_irq_bit(bool on)
{
	irq_bit = on;
}

static struct fgraph_set *make(u32 nr, const unsigned long *ips)
{
	struct fgraph_set *set = calloc(1, sizeof(*set) + nr * sizeof(long));

	set->mask = BITS - 1;
	set->maybe = calloc(BITS / 8, 1);
	for (; set->nr < nr; set->nr++) {
		const u32 bit = fgraph_set_bit(set, ips[set->nr]);

		set->ip[set->nr] = ips[set->nr];
		set->maybe[bit / BITS_PER_LONG] |= 1UL << bit % BITS_PER_LONG;
	}
	return set;
}

static void drop(struct fgraph_set *set)
{
	free(set->maybe);
	free(set);
}

static void begin(void)
{
	memset(words, 0, sizeof(words));
	task.ret_stack = words;
	memset(fgraph_top_sets, 0, sizeof(fgraph_top_sets));
	fgraph_max_depth = 0;
	bad = 0;
}

static void good(const char *name)
{
	printf("%s - sets: %s\n", bad ? "not ok" : "ok", name);
	failed |= bad;
}

static void no_function_of_a_set_is_missed(void)
{
	unsigned long ips[MOST], ip = 0x1000;
	unsigned int others = 0;
	struct fgraph_set *set;

	begin();
	srand(1);
	for (u32 i = 0; i < MOST; i++)
		ips[i] = ip += 16 * (1 + rand() % 100) + rand() % 5;
	set = make(MOST, ips);
	for (u32 i = 0; i < MOST; i++) {
		EXPECT(fgraph_set_maybe(set, ips[i]) && fgraph_set_has(set, ips[i]));
		/* No member, though its bit may be set: members are 16 bytes apart. */
		EXPECT(!fgraph_set_has(set, ips[i] + 8) && !fgraph_set_has(set, ips[i] - 8));
		others += fgraph_set_maybe(set, ip + 16 * (i + 1));
	}
	/* The bits are worth something. */
	EXPECT(others < MOST / 4);
	drop(set);
	good("no function of a set is missed");
}

#define ONLY	0x1000UL
#define EXCEPT	0x2010UL
#define OTHER	0x3020UL
#define TWIN	(ONLY + 16UL * BITS)	/* in no set, and has the bit of one that is */
#define BEGUN	(TRACE_GRAPH_FL | 5UL << FGRAPH_BEGUN_SHIFT)

static const struct {
	bool only, except;
	unsigned long word, ip;
	enum fgraph_verdict verdict, found;	/* before and after a search */
} verdicts[] = {
	{ false, false, 0, OTHER, FGRAPH_RECORD, FGRAPH_RECORD },
	{ true, false, 0, OTHER, FGRAPH_PASS_OVER, FGRAPH_PASS_OVER },
	{ true, false, 0, ONLY, FGRAPH_LOOK_UP, FGRAPH_BEGIN },
	{ true, false, BEGUN, OTHER, FGRAPH_RECORD, FGRAPH_RECORD },
	{ true, false, BEGUN, ONLY, FGRAPH_RECORD, FGRAPH_RECORD },
	{ false, true, 0, OTHER, FGRAPH_RECORD, FGRAPH_RECORD },
	{ false, true, 0, EXCEPT, FGRAPH_LOOK_UP, FGRAPH_LOOK_UP },
	{ false, true, TRACE_GRAPH_NOTRACE, OTHER, FGRAPH_PASS_OVER, FGRAPH_PASS_OVER },
	{ false, true, TRACE_GRAPH_NOTRACE, EXCEPT, FGRAPH_PASS_OVER, FGRAPH_PASS_OVER },
	{ true, true, BEGUN, EXCEPT, FGRAPH_LOOK_UP, FGRAPH_LOOK_UP },
	{ true, true, BEGUN | TRACE_GRAPH_NOTRACE, ONLY, FGRAPH_PASS_OVER, FGRAPH_PASS_OVER },
	{ true, true, 0, EXCEPT, FGRAPH_LOOK_UP, FGRAPH_LOOK_UP },
	{ true, true, 0, OTHER, FGRAPH_PASS_OVER, FGRAPH_PASS_OVER },
	{ true, false, 0, TWIN, FGRAPH_LOOK_UP, FGRAPH_PASS_OVER },
	{ true, true, 0, TWIN + EXCEPT - ONLY, FGRAPH_LOOK_UP, FGRAPH_PASS_OVER },
	{ true, true, BEGUN, TWIN + EXCEPT - ONLY, FGRAPH_LOOK_UP, FGRAPH_RECORD },
	{ false, true, 0, TWIN + EXCEPT - ONLY, FGRAPH_LOOK_UP, FGRAPH_RECORD },
};

/* @own: the sets are the instance's, and the top trace array has others. */
static void each_verdict(bool own)
{
	const unsigned long only = ONLY, except = EXCEPT, other = OTHER;
	struct fgraph_set *sets[2] = { make(1, &only), make(1, &except) };
	struct fgraph_set *others = make(1, &other), *none = make(0, NULL);
	struct trace_array tr = { };

	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		struct fgraph_set **place = own ? tr.graph_sets : fgraph_top_sets;

		place[0] = verdicts[i].only ? sets[0] : NULL;
		place[1] = verdicts[i].except ? sets[1] : NULL;
		if (own && verdicts[i].only)
			fgraph_top_sets[0] = others;
		EXPECT(fgraph_judge(&tr, verdicts[i].word, verdicts[i].ip) == verdicts[i].verdict);
		EXPECT(fgraph_look_up(&tr, verdicts[i].word, verdicts[i].ip) == verdicts[i].found);
		fgraph_top_sets[0] = own ? NULL : fgraph_top_sets[0];
	}
	/* All functions of the set are gone. */
	tr.graph_sets[0] = none;
	tr.graph_sets[1] = NULL;
	fgraph_top_sets[1] = NULL;
	EXPECT(fgraph_judge(&tr, 0, ONLY) == FGRAPH_PASS_OVER);
	drop(sets[0]);
	drop(sets[1]);
	drop(others);
	drop(none);
}

static void a_set_of_the_instance_comes_first(void)
{
	begin();
	each_verdict(true);
	good("a set of the instance comes first");
}

static void without_one_it_is_that_of_the_top(void)
{
	begin();
	each_verdict(false);
	good("without one it is that of the top");
}

static void what_was_begun_ends_at_its_depth(void)
{
	static const int depths[] = { 0, 1, 3, 4, 5, 8, 63 };
	const unsigned long only = ONLY;
	struct trace_array tr = { .graph_sets = { make(1, &only) } };
	struct fgraph_ops gops = { .private = &tr, .idx = 2 };
	unsigned long *word = &words[2];

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		struct ftrace_graph_ent entry = { .func = OTHER, .depth = depths[i] };

		EXPECT(!ftrace_graph_addr(&gops, &entry) && !*word);
		entry.func = ONLY;
		in_irq = i & 1;
		EXPECT(ftrace_graph_addr(&gops, &entry) && (*word & TRACE_GRAPH_FL));
		EXPECT(irq_bit == in_irq);
		EXPECT(ftrace_graph_entered(&gops, &entry, 1) && (*word & TRACE_GRAPH_FL));
		for (int depth = 0; depth < 70; depth++) {
			struct ftrace_graph_ret ret = { .func = ONLY, .depth = depth };

			if (depth == depths[i])
				continue;
			ftrace_graph_addr_finish(&gops, &ret);
			EXPECT(*word & TRACE_GRAPH_FL);
		}
		*word |= TRACE_GRAPH_NOTRACE;
		ftrace_graph_addr_finish(&gops, &(struct ftrace_graph_ret) { .depth = depths[i] });
		EXPECT(*word == TRACE_GRAPH_NOTRACE);
		*word = 0;
	}
	for (u32 i = 0; i < FTRACE_GRAPH_SLOTS; i++)
		EXPECT(!words[i]);
	drop(tr.graph_sets[0]);
	good("what was begun ends at its depth");
}

static void what_is_not_recorded_has_not_begun(void)
{
	const unsigned long only = ONLY;
	struct trace_array tr = { .graph_sets = { make(1, &only) } };
	struct fgraph_ops gops = { .private = &tr };
	struct ftrace_graph_ent entry = { .func = ONLY, .depth = 6 };
	struct ftrace_graph_ent inner = { .func = OTHER, .depth = 7 };

	begin();
	EXPECT(ftrace_graph_addr(&gops, &entry));
	EXPECT(!ftrace_graph_entered(&gops, &inner, 0) && (words[0] & TRACE_GRAPH_FL));
	EXPECT(!ftrace_graph_entered(&gops, &entry, 0) && !words[0]);
	drop(tr.graph_sets[0]);
	good("what is not recorded has not begun");
}

static void a_depth_of_the_instance_comes_first(void)
{
	struct trace_array tr = { };

	begin();
	fgraph_max_depth = 3;
	EXPECT(fgraph_depth_of(&tr) == 3 && fgraph_depth_of(NULL) == 3);
	tr.graph_depth = 7;
	EXPECT(fgraph_depth_of(&tr) == 7);
	tracing_thresh = 5;
	EXPECT(fgraph_thresh_of(&tr) == 5);
	tr.graph_thresh = 9;
	EXPECT(fgraph_thresh_of(&tr) == 9);
	tracing_thresh = 0;
	tr.graph_thresh = 0;
	good("a depth of the instance comes first");
}

int main(void)
{
	no_function_of_a_set_is_missed();
	a_set_of_the_instance_comes_first();
	without_one_it_is_that_of_the_top();
	what_was_begun_ends_at_its_depth();
	what_is_not_recorded_has_not_begun();
	a_depth_of_the_instance_comes_first();
	return !!failed;
}
