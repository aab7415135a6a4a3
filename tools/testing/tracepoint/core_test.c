// SPDX-License-Identifier: GPL-2.0
/*
 * kernel/tracepoint/core.c in user space: random registrations, batches,
 * modules that go, and allocations that fail.
 *
 * At each change of a pointer or of text the one rule is checked against all
 * arrays that a reader could still have, and that nobody has written into one
 * of those. Text changes when a transaction is flushed or committed or, by
 * somebody else's commit, as soon as the change is queued. The caller may have
 * a transaction around it all: then a commit does nothing.
 *
 * At each of these moments a hit calls the probes from before the change or
 * those from after it, and when the lock is given back, those that are
 * published. Whenever nothing is pending, arrays, keys and calls must be what
 * has been asked for.
 */
#include <string.h>

#include "core.c"

unsigned int shim_warnings, shim_complaints;
bool shim_cpus_held;
static int me, other;
struct task_struct *current = (struct task_struct *)&me;

static int failures;
static unsigned int nr_refused;

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

/* Functions, of which the last two are a module's, and one of init text. */
static int funcs[4];
static int init_func;

bool core_kernel_text(unsigned long addr)
{
	return addr < (unsigned long)&funcs[2] ||
	       addr >= (unsigned long)&funcs[4];
}

bool is_kernel_inittext(unsigned long addr)
{
	return addr == (unsigned long)&init_func;
}

/* One letter for a probe, a capital one if it has the second kind of data. */
static char letter(const void *func, const void *data)
{
	char c = func == &init_func ? 'i' : 'a' + ((const int *)func - funcs);

	return data == &funcs[1] ? c - 'a' + 'A' : c;
}

static void list_probes(const struct tracepoint_func *p, char *list)
{
	for (; p && p->func; p++)
		*list++ = letter(p->func, p->data);
	*list = '\0';
}

/* What a hit at this moment calls: by live text, not by what is on record. */
static void hit(const struct tracepoint *t, char *called)
{
	const struct static_call_key *call = t->static_call_key;

	*called = '\0';
	if (!t->key.live || !t->funcs)
		return;
	if (!call || call->live == t->iterator) {
		list_probes(t->funcs, called);
		return;
	}
	*called++ = letter(call->live, t->funcs->data);
	*called = '\0';
}

/* What a hit called when tracepoints_mutex was last given back. */
static char settled[NR_TP][MOST + 1];

static void check_hit(int tp)
{
	char now[MOST + 1], published[MOST + 1];

	hit(&points[tp], now);
	list_probes(points[tp].funcs, published);
	shim_check(!strcmp(now, published) || !strcmp(now, settled[tp]),
		   "a hit calls the probes from before or those from after");
}

void shim_settled(void)
{
	char published[MOST + 1];
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		hit(&points[tp], settled[tp]);
		list_probes(points[tp].funcs, published);
		shim_check(!strcmp(settled[tp], published),
			   "a hit calls what is published when a change is over");
	}
}

/* The moments of a change of @watched, each with what a hit calls then. */
static const struct tracepoint *watched;
static char moments[256];

static void note_moment(char what)
{
	const size_t n = strlen(moments);
	char called[MOST + 1];

	if (!watched)
		return;
	hit(watched, called);
	snprintf(moments + n, sizeof(moments) - n, "%s%c:%s", n ? " " : "", what,
		 called);
}

/* What was published at the last step. */
static const struct tracepoint_func *live[NR_TP];

/* Arrays that were replaced and that a reader may have until a grace period. */
static struct held {
	const struct tracepoint_func *funcs;
	struct tracepoint_func was[MOST + 1];
	bool gone[MOST + 1];
	int tp;
} helds[256];
static unsigned int nr_held;

static unsigned long gp_done = 1;

static void hold(int tp, const struct tracepoint_func *old)
{
	struct held *h = &helds[nr_held];

	if (nr_held == 256)
		synchronize_rcu();
	h = &helds[nr_held++];
	h->funcs = old;
	h->tp = tp;
	memset(h->gone, 0, sizeof(h->gone));
	memcpy(h->was, old, (tp_funcs_count(old) + 1) * sizeof(*old));
}

static void check_rule(int tp, const struct tracepoint_func *funcs)
{
	const struct tracepoint *t = &points[tp];

	if (!funcs || !t->static_call_key ||
	    t->static_call_key->live == t->iterator)
		return;
	shim_check(funcs->func == t->static_call_key->live,
		   "a direct call has no array that begins with another probe");
}

/* (4) and (5): who was there all the time is not left out. */
static void check_missed(struct held *h)
{
	const struct tracepoint *t = &points[h->tp];
	unsigned int i;

	for (i = 0; h->was[i].func; i++) {
		h->gone[i] |= !tp_funcs_has(live[h->tp], h->was[i].func,
					    h->was[i].data);
		shim_check(!i || h->gone[i] || !t->static_call_key ||
			   t->static_call_key->live == t->iterator,
			   "a direct call leaves nobody out who stays");
	}
}

void shim_step(enum shim_step what)
{
	unsigned int i;
	int tp;

	note_moment(what);
	for (tp = 0; tp < NR_TP; tp++) {
		if (live[tp] && live[tp] != points[tp].funcs)
			hold(tp, live[tp]);
		live[tp] = points[tp].funcs;
		check_hit(tp);
		check_rule(tp, live[tp]);
		/* (4): nobody but the first is called directly. */
		if (live[tp] && live[tp][1].func && points[tp].static_call_key)
			shim_check(points[tp].static_call_key->live ==
				   points[tp].iterator,
				   "several probes are called by the iterator");
	}
	for (i = 0; i < nr_held; i++) {
		struct held *h = &helds[i];

		check_rule(h->tp, h->funcs);
		check_missed(h);
		shim_check(!memcmp(h->was, h->funcs,
				   (tp_funcs_count(h->was) + 1) * sizeof(*h->was)),
			   "nobody writes into an array that may be read");
	}
}

/*
 * Transactions: the one of core.c, and one that its caller may have around it,
 * which is told of faults then.
 */
static struct text_patch_tx *open_tx, *callers_tx;
static unsigned int nr_transactions, nr_foreign;
static bool others_commit = true;

static bool text_is_queued(void)
{
	bool queued = false;
	int tp;

	for (tp = 0; tp < NR_TP; tp++)
		queued |= points[tp].key.queued || calls[tp].queued;
	return queued;
}

static void text_fault(void *addr)
{
	struct text_patch_tx *tx = callers_tx ? callers_tx : open_tx;

	tx->nr_faults++;
	tx->first.addr = addr;
	tx->first.err = -EINVAL;
}

static void text_now(void)
{
	int tp;

	if (!text_is_queued())
		return;
	shim_check(shim_cpus_held, "text changes under the hotplug lock");
	nr_transactions++;
	for (tp = 0; tp < NR_TP; tp++) {
		struct static_call_key *call = &calls[tp];

		if (call->queued && call->stuck && call->live != call->func)
			text_fault(&call->live);
		else if (call->queued)
			call->live = call->func;
		call->queued = false;
		points[tp].key.live = points[tp].key.enabled;
		points[tp].key.queued = false;
	}
	shim_step(SHIM_TEXT);
}

/* Nobody waits for the commit, but now and then somebody else has one. */
void shim_text_changed(void)
{
	const bool open = open_tx || callers_tx;

	if (open && !(others_commit && rand() % 8 == 0))
		return;
	nr_foreign += open;
	text_now();
}

void text_patch_begin(struct text_patch_tx *tx)
{
	shim_check(!open_tx, "one transaction at a time");
	shim_check(!tx->fault && !tx->strict, "a transaction asks for nothing");
	tx->nr_faults = 0;
	open_tx = tx;
}

void text_patch_flush(void)
{
	text_now();
}

/* As the engine does: inside of another transaction it leaves the work to it. */
int text_patch_commit(struct text_patch_tx *tx)
{
	shim_check(open_tx == tx, "an open transaction is closed");
	if (!callers_tx)
		text_now();
	open_tx = NULL;
	return tx->nr_faults ? tx->first.err : 0;
}

static void caller_begins(struct text_patch_tx *tx)
{
	tx->nr_faults = 0;
	callers_tx = tx;
}

static void caller_commits(void)
{
	shim_check(!text_is_queued(), "nothing is left to the caller's commit");
	callers_tx = NULL;
}

void shim_cpus_unlock(void)
{
	shim_check(shim_cpus_held, "the hotplug lock is held when it is given back");
	shim_check(!text_is_queued(), "nothing is queued without the hotplug lock");
	shim_check(!open_tx, "no transaction stays open");
	shim_cpus_held = false;
}

unsigned long get_state_synchronize_rcu(void)
{
	return gp_done + 1;
}

void synchronize_rcu(void)
{
	shim_check(!shim_cpus_held, "no grace period under the hotplug lock");
	shim_step(SHIM_GRACE_PERIOD);
	gp_done++;
	nr_held = 0;
	rcu_barrier();
}

void cond_synchronize_rcu(unsigned long state)
{
	if (state > gp_done)
		synchronize_rcu();
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
	shim_check(!err || there || !shim_fail_in ||
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
		shim_check(t->key.enabled == !!nr_want[tp] &&
			   t->key.live == t->key.enabled, "the key fits");
		shim_check(!t->pending, "nothing is pending");
		if (t->static_call_key && nr_want[tp] == 1)
			shim_check(t->static_call_key->live == t->funcs->func,
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
	struct text_patch_tx outer;
	int i, tp;

	srand(seed);
	for (i = 0; i < 60; i++) {
		if (!shim_fail_in)
			shim_fail_in = fail_at + 1;
		if (rand() % 8 == 0)
			caller_begins(&outer);
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
		if (callers_tx)
			caller_commits();
		compare_all();
	}
	shim_fail_in = 0;
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

static bool published(const struct tracepoint *tp, const void *func)
{
	return tp_funcs_has(tp->funcs, func, NULL);
}

/* A second probe comes, and the text goes on calling the first. */
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
		   tp->key.live && calls[1].func == &funcs[0],
		   "and nothing changed");
	shim_check(tracepoint_probe_unregister(tp, &funcs[1], NULL) == -ENOENT,
		   "who was refused is not there");

	/*
	 * In a batch it has been accepted already. Others are not in its way: one
	 * whose call leads to the iterator, and one whose call is about to.
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
		   published(&points[2], &funcs[1]) && points[2].key.live &&
		   published(&points[3], &funcs[0]) &&
		   published(&points[3], &funcs[1]),
		   "and takes effect without what the text forbids");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "whose owner may unregister it");

	/* One probe for another. */
	tracepoint_batch_begin(&b);
	tracepoint_probe_unregister(tp, &funcs[0], NULL);
	tracepoint_probe_register(tp, &funcs[1], NULL);
	tracepoint_batch_commit(&b);
	shim_check(!tp->funcs && !tp->key.live, "nobody is called instead of another");
	shim_check(!tracepoint_probe_unregister(tp, &funcs[1], NULL),
		   "nor told that he was not there");

	/* The place has been repaired. */
	calls[1].stuck = false;
	before = shim_complaints;
	shim_check(!tracepoint_probe_register(tp, &funcs[1], NULL) &&
		   tp->key.live && calls[1].live == &funcs[1] &&
		   shim_complaints == before, "text that is right again is changed");
	tracepoint_probe_unregister(tp, &funcs[1], NULL);
	tracepoint_probe_unregister(&points[2], &funcs[1], NULL);
	tracepoint_probe_unregister(&points[3], &funcs[0], NULL);
	tracepoint_probe_unregister(&points[3], &funcs[1], NULL);
	tracepoint_synchronize_unregister();
}

/* A probe of a module goes, and the text goes on calling it. */
static void stuck_flip(void)
{
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &funcs[2], NULL);
	calls[1].stuck = true;
	shim_check(!tracepoint_probe_unregister(tp, &funcs[2], NULL),
		   "unregistering does not fail");
	shim_check(!tp->funcs && !tp->key.live && calls[1].func == &funcs[2],
		   "nobody gets to the call, and it is on record");
	shim_check(tracepoint_probe_register(tp, &funcs[1], NULL) == -EIO,
		   "nobody gets on");
	calls[1].stuck = false;
	shim_check(!tracepoint_probe_register(tp, &funcs[1], NULL),
		   "until the text is right again");
	tracepoint_probe_unregister(tp, &funcs[1], NULL);

	/* With the regfunc; it is told of each that comes and goes. */
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

/* Transactions, each of two syncs, that a batch takes. */
static unsigned int transactions_of(int adds_second, int adds_first)
{
	struct tracepoint_batch b;
	unsigned int before;

	/* No call is left that leads to another function. */
	for (before = 0; before < HANDMADE; before++) {
		tracepoint_probe_register(&points[before], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[before], &funcs[1], NULL);
	}
	tracepoint_probe_register(&points[1], &funcs[0], NULL);
	tracepoint_probe_register(&points[2], &funcs[0], NULL);
	before = nr_transactions - nr_foreign;
	tracepoint_batch_begin(&b);
	if (adds_second) {
		tracepoint_probe_register(&points[1], &funcs[1], NULL);
		tracepoint_probe_register(&points[2], &funcs[1], NULL);
	}
	if (adds_first) {
		tracepoint_probe_register(&points[0], &funcs[1], NULL);
		tracepoint_probe_register(&points[3], &funcs[1], NULL);
	}
	tracepoint_batch_commit(&b);
	before = nr_transactions - nr_foreign - before;
	tracepoint_batch_begin(&b);
	if (adds_second) {
		tracepoint_probe_unregister(&points[1], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[2], &funcs[1], NULL);
	}
	if (adds_first) {
		tracepoint_probe_unregister(&points[0], &funcs[1], NULL);
		tracepoint_probe_unregister(&points[3], &funcs[1], NULL);
	}
	tracepoint_probe_unregister(&points[1], &funcs[0], NULL);
	tracepoint_probe_unregister(&points[2], &funcs[0], NULL);
	tracepoint_batch_commit(&b);
	tracepoint_synchronize_unregister();
	return before;
}

static void batches_take(void)
{
	int i;

	reg_refuses = false;
	for (i = 0; i < 20; i++) {
		shim_check(transactions_of(0, 1) <= 1, "first probes: one transaction");
		shim_check(transactions_of(1, 0) <= 1, "second probes: one");
		shim_check(transactions_of(1, 1) <= 2, "both: two");
		shim_check(transactions_of(0, 0) == 0, "nothing: none");
	}
}

/* A function of init text must not be left in the text's calls. */
static void init_text(void)
{
	struct tracepoint *tp = &points[1];

	tracepoint_probe_register(tp, &init_func, NULL);
	tracepoint_probe_unregister(tp, &init_func, NULL);
	shim_check(calls[1].live == tp->iterator, "no call leads to init text that goes");
	tracepoint_synchronize_unregister();
}

/* What happened since the last call, moment by moment. */
static void expect(const char *what, const char *expected)
{
	const bool good = !strcmp(moments, expected);

	if (!good)
		printf("# %s: \"%s\" instead of \"%s\"\n", what, moments, expected);
	shim_check(good, what);
	*moments = '\0';
}

static void put_on(struct tracepoint *tp, int func)
{
	shim_check(!tracepoint_probe_register(tp, &funcs[func], NULL),
		   "it gets on");
}

static void take_off(struct tracepoint *tp, int func)
{
	shim_check(!tracepoint_probe_unregister(tp, &funcs[func], NULL),
		   "it gets off");
}

/* Its call leads to the iterator, and no grace period is due. */
static void watch(struct tracepoint *tp)
{
	put_on(tp, 2);
	take_off(tp, 2);
	tracepoint_synchronize_unregister();
	watched = tp;
	*moments = '\0';
}

/*
 * P: published, T: text is live, G: a grace period is awaited; behind it, whom
 * a hit calls. The probes are a and b, and A is a with other data.
 */
static void single_changes(struct tracepoint *tp)
{
	struct tracepoint_batch b;

	watch(tp);
	put_on(tp, 0);
	expect("the first probe", "P: T:a");
	put_on(tp, 1);
	expect("a second one", "T:a P:ab");
	take_off(tp, 1);
	expect("the second goes", "P:a T:a");
	put_on(tp, 1);
	expect("a second one again", "T:a P:ab");
	take_off(tp, 0);
	expect("the first goes", "P:b G:b T:b");
	tracepoint_batch_begin(&b);
	take_off(tp, 1);
	put_on(tp, 0);
	expect("nothing before the commit", "");
	tracepoint_batch_commit(&b);
	expect("one for another", "T:b P:a G:a T:a");
	take_off(tp, 0);
	expect("the last goes", "P: T:");
	put_on(tp, 0);
	expect("the same comes back", "P: T:a");
	take_off(tp, 0);
	expect("and goes", "P: T:");
	put_on(tp, 1);
	expect("another comes, where the call has stayed", "T: P: G: T:b");
	take_off(tp, 1);
	tracepoint_synchronize_unregister();
	expect("it goes, and that is awaited", "P: T: G:");
	put_on(tp, 0);
	expect("another comes, and nobody has an old array", "T: P: T:a");
	tracepoint_probe_register(tp, &funcs[0], &funcs[1]);
	expect("the same function with other data", "T:a P:aA");
	take_off(tp, 0);
	expect("the first of one function goes", "P:A G:A T:A");
	tracepoint_probe_unregister(tp, &funcs[0], &funcs[1]);
	expect("and the second", "P: T:");
	watched = NULL;
}

/* What a batch puts off, and who does not let it. */
static void batched_changes(struct tracepoint *tp)
{
	struct tracepoint_batch outer, inner;

	watch(tp);
	tracepoint_batch_begin(&outer);
	put_on(tp, 0);
	tracepoint_batch_begin(&inner);
	put_on(tp, 1);
	tracepoint_batch_commit(&inner);
	expect("an inner batch joins the outer one", "");
	tracepoint_batch_commit(&outer);
	expect("which takes effect", "P: T:ab");

	tracepoint_batch_begin(&outer);
	take_off(tp, 0);
	take_off(tp, 1);
	expect("a batch is open", "");
	tracepoint_synchronize_unregister();
	expect("who waits lets it take effect before", "P: T: G:");
	tracepoint_batch_commit(&outer);
	expect("and nothing is left of it", "");
	tracepoint_synchronize_unregister();
	expect("who waits waits", "G:");

	tracepoint_batch_begin(&outer);
	put_on(tp, 0);
	tracepoint_batch_leave(&outer);
	expect("a batch is left behind", "");
	tracepoint_flush();
	expect("and flushed", "P: T:a");
	take_off(tp, 0);
	watched = NULL;
}

/* Nothing that it knows of may point to it when its module goes. */
static void orphans_in_batches(struct tracepoint *tp)
{
	const unsigned int warned = shim_warnings;
	struct tracepoint_batch b;

	watch(tp);
	tracepoint_batch_begin(&b);
	put_on(tp, 0);
	tracepoint_orphan(tp);
	expect("a batch's probe comes and goes", "P: T:a P: T:");
	shim_check(!tp->pending && shim_warnings == warned + 1,
		   "no batch knows the tracepoint any more");
	tracepoint_batch_commit(&b);
	expect("the commit does not touch it", "");
	take_off(tp, 0);

	put_on(tp, 0);
	expect("a probe", "P: T:a");
	tracepoint_batch_begin(&b);
	tracepoint_orphan(tp);
	expect("it goes in spite of the batch", "P: T:");
	shim_check(!tp->pending && shim_warnings == warned + 2,
		   "no batch knows the tracepoint any more");
	tracepoint_batch_commit(&b);
	expect("the commit does not touch it", "");
	take_off(tp, 0);
	watched = NULL;
}

/* Alone, and with the caller's transaction around it, which changes nothing. */
static void moment_by_moment(void (*changes)(struct tracepoint *tp))
{
	struct text_patch_tx outer;

	others_commit = false;
	changes(&points[1]);
	caller_begins(&outer);
	changes(&points[1]);
	caller_commits();
	others_commit = true;
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
		calls[tp].live = &iterators[tp];
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

	before = failures;
	stuck_detour();
	stuck_flip();
	say("text that cannot be changed is told, and calls no wrong probe", before);

	before = failures;
	batches_take();
	shim_check(nr_foreign > 10, "others committed, too");
	say("a batch takes one transaction, or two if it needs a detour", before);

	before = failures;
	init_text();
	say("no call is left to lead to init text", before);

	before = failures;
	moment_by_moment(single_changes);
	say("a hit calls the right probes at each moment of a change", before);

	before = failures;
	moment_by_moment(batched_changes);
	say("a batch waits for its outermost commit, or for who cannot", before);

	before = failures;
	moment_by_moment(orphans_in_batches);
	say("no batch keeps a tracepoint that goes", before);
	return failures ? 1 : 0;
}
