// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel around the code under test, and what is checked in it at each step:
 * at each change of a pointer or of text the one rule, against all arrays that
 * a reader could still have, and that nobody has written into one of those.
 * Text changes when a transaction is flushed or committed or, by another task's
 * commit, as soon as the change is queued. The caller may have a transaction
 * around it all: then a commit does nothing.
 *
 * At each of these moments a hit must call the probes from before the change or
 * those from after it and, when tracepoints_mutex is released, the published ones.
 */
#include <string.h>

#include "core_test.h"

unsigned int shim_warnings, shim_complaints;
bool shim_cpus_held;
static int me;
struct task_struct *current = (struct task_struct *)&me;

int failures;

void shim_check(bool good, const char *what)
{
	if (good)
		return;
	if (failures++ < 10)
		printf("# wrong: %s\n", what);
}

int nr_reg[NR_TP];
bool reg_refuses;

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

/* points[0] has a regfunc, and is faultable. */
static const struct tracepoint_ext ext_0 = { regfunc_0, unregfunc_0, 1 };
struct static_call_key calls[NR_TP];
static int iterators[NR_TP];
struct tracepoint points[NR_TP];

int funcs[4];
int init_func;

bool core_kernel_text(unsigned long addr)
{
	return addr < (unsigned long)&funcs[2] ||
	       addr >= (unsigned long)&funcs[4];
}

bool is_kernel_inittext(unsigned long addr)
{
	return addr == (unsigned long)&init_func;
}

/* The letter of a probe; a capital one if its data is &funcs[1]. */
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

/* What a hit calls now: according to the live text, not to what is requested. */
static void hit(const struct tracepoint *t, char *called)
{
	const struct static_call_key *call = t->static_call_key;

	*called = '\0';
	if (!t->key.key.live || !t->funcs)
		return;
	if (!call || call->live == t->iterator) {
		list_probes(t->funcs, called);
		return;
	}
	*called++ = letter(call->live, t->funcs->data);
	*called = '\0';
}

/* What a hit called when tracepoints_mutex was last released. */
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

/* The SRCU domain of the grace period that ends. */
static struct srcu_struct *waited_for;

struct srcu_struct rcu_tasks_trace_srcu_struct;

bool tracepoint_is_faultable(struct tracepoint *tp)
{
	return tp->ext && tp->ext->faultable;
}

/* Without it modules may be unloaded. */
struct mutex tracepoint_module_list_mutex;

void tp_for_each(void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
	int tp;

	lockdep_assert_held(&tracepoint_module_list_mutex);
	for (tp = 0; tp < HANDMADE; tp++)
		fct(&points[tp], priv);
}

void wait_until_direct(void)
{
	flush_work(&tp_direct_work);
}

/* The SRCU domain that a hit of @tp read-locks. */
static struct srcu_struct *readers(const struct tracepoint *tp)
{
	return tp->ext && tp->ext->faultable ? &rcu_tasks_trace_srcu_struct : &tracepoint_srcu;
}

static void note_moment(char what)
{
	const size_t n = strlen(moments);
	char called[MOST + 1];

	if (!watched || (what == SHIM_GRACE_PERIOD && waited_for != readers(watched)))
		return;
	hit(watched, called);
	snprintf(moments + n, sizeof(moments) - n, "%s%c:%s", n ? " " : "", what,
		 called);
}

/* The arrays that were published at the last step. */
static const struct tracepoint_func *live[NR_TP];

/* Replaced arrays, which a reader may have until the end of a grace period. */
static struct held {
	const struct tracepoint_func *funcs;
	struct tracepoint_func was[MOST + 1];
	bool gone[MOST + 1];
	int tp;
} helds[256];
unsigned int nr_held;

static void hold(int tp, const struct tracepoint_func *old)
{
	struct held *h = &helds[nr_held];

	if (nr_held == 256) {
		synchronize_srcu(&tracepoint_srcu);
		synchronize_rcu_tasks_trace();
	}
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

/* Rules (4) and (5) of apply.c: no probe that stays registered is left out. */
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
		/* Rule (4) of apply.c: only a single probe is called directly. */
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
 * Transactions: that of apply.c, and one that its caller may have around it, to
 * which the faults are then reported.
 */
static struct text_patch_tx *open_tx, *callers_tx;
unsigned int nr_transactions, nr_foreign;
bool others_commit = true;

static bool text_is_queued(void)
{
	bool queued = false;
	int tp;

	for (tp = 0; tp < NR_TP; tp++)
		queued |= points[tp].key.key.queued || calls[tp].queued;
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
		points[tp].key.key.live = points[tp].key.key.enabled;
		points[tp].key.key.queued = false;
	}
	shim_step(SHIM_TEXT);
}

/* Without a transaction text changes at once; with one, if another task commits. */
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
	shim_check(!tx->fault, "a transaction asks for nothing");
	tx->nr_faults = 0;
	open_tx = tx;
}

void text_patch_flush(void)
{
	text_now();
}

/* As in the engine: an inner commit leaves the work to the outer transaction. */
int text_patch_commit(struct text_patch_tx *tx)
{
	shim_check(open_tx == tx, "an open transaction is closed");
	if (!callers_tx)
		text_now();
	open_tx = NULL;
	return tx->nr_faults ? tx->first.err : 0;
}

void caller_begins(struct text_patch_tx *tx)
{
	tx->nr_faults = 0;
	callers_tx = tx;
}

void caller_commits(void)
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

unsigned long get_state_synchronize_srcu(struct srcu_struct *ssp)
{
	return ssp->done + 1;
}

bool poll_state_synchronize_srcu(struct srcu_struct *ssp, unsigned long state)
{
	return state <= ssp->done;
}

/* Readers of the other domain keep their arrays. */
static void end_grace_period(struct srcu_struct *ssp)
{
	unsigned int i, kept = 0;

	waited_for = ssp;
	shim_step(SHIM_GRACE_PERIOD);
	ssp->done++;
	for (i = 0; i < nr_held; i++)
		if (readers(&points[helds[i].tp]) != ssp)
			helds[kept++] = helds[i];
	nr_held = kept;
	while (ssp->callbacks) {
		struct rcu_head *rcu = ssp->callbacks;

		ssp->callbacks = rcu->next;
		rcu->func(rcu);
	}
}

void synchronize_srcu(struct srcu_struct *ssp)
{
	shim_check(!shim_cpus_held, "no grace period under the hotplug lock");
	end_grace_period(ssp);
}

bool others_wait;

/* Arrays that are about to be replaced must survive a grace period that ends now. */
void shim_before_publishing(void)
{
	if (others_wait && rand() % 8 == 0) {
		end_grace_period(&tracepoint_srcu);
		end_grace_period(&rcu_tasks_trace_srcu_struct);
	}
}

void call_srcu(struct srcu_struct *ssp, struct rcu_head *rcu,
	       void (*func)(struct rcu_head *rcu))
{
	rcu->func = func;
	rcu->next = ssp->callbacks;
	ssp->callbacks = rcu;
}

void note_moments_of(const struct tracepoint *tp)
{
	watched = tp;
	*moments = '\0';
}

void expect(const char *what, const char *expected)
{
	const bool good = !strcmp(moments, expected);

	if (!good)
		printf("# %s: \"%s\" instead of \"%s\"\n", what, moments, expected);
	shim_check(good, what);
	*moments = '\0';
}

void make_world(void)
{
	int tp;

	for (tp = 0; tp < NR_TP; tp++) {
		points[tp].iterator = &iterators[tp];
		points[tp].name = "point";
		calls[tp].func = &iterators[tp];
		calls[tp].live = &iterators[tp];
		if (tp != HANDMADE)
			points[tp].static_call_key = &calls[tp];
	}
	points[0].ext = &ext_0;
}
