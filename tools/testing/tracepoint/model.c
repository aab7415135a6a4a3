// SPDX-License-Identifier: GPL-2.0
/*
 * The protocol of kernel/tracepoint/apply.c, walked through completely: one CPU
 * that hits a tracepoint again and again, and a writer who changes its probes
 * in every possible order, one or two at a time, in the three steps of a change;
 * or none, where a call may become direct later.
 * All interleavings are visited, and each hit is judged:
 *
 *   - a probe is called with its own data,
 *   - and only if it was registered at some moment of the hit,
 *   - and always if it was registered all the while.
 *
 * One CPU is enough: CPUs that hit do not see each other, and more of them can
 * only make a grace period longer. Text that is being changed gives the old or
 * the new instruction at each fetch, even the new one first and then the old one:
 * that is more than any real CPU may do. And a hit may load the target of the call
 * before the array, until all CPUs are interrupted after the target has left a function.
 *
 * usage: model [WRONG]
 *
 * WRONG breaks one rule, which must be found: no-detour, no-wait, func-only,
 * second-direct, no-settle, settle-once (only after a detour). The exit status is
 * 0 if no hit went wrong.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Probes 0 and 1 are one function with two data, 2 is another function. */
#define NR_PROBES 3
enum { ITERATOR, FUNC_F, FUNC_G };
static const uint8_t func_of[NR_PROBES] = { FUNC_F, FUNC_F, FUNC_G };
/* F is the kernel's: a call to it may stay when it is off. G is a module's. */
static bool func_stays(uint8_t func) { return func == FUNC_F; }

/* The array is a string of probes: digits 1..3 of base 4, first one lowest. */
static unsigned int first(uint8_t array) { return (array & 3) - 1; }
static unsigned int count(uint8_t a) { return a ? 1 + count(a >> 2) : 0; }
static uint8_t members(uint8_t a)
{
	return a ? (1 << first(a)) | members(a >> 2) : 0;
}

static uint8_t without(uint8_t a, unsigned int p)
{
	if (!a)
		return 0;
	if (first(a) == p)
		return a >> 2;
	return (a & 3) | without(a >> 2, p) << 2;
}

static uint8_t insert(uint8_t a, unsigned int p, unsigned int pos)
{
	const unsigned int low = (1 << 2 * pos) - 1;

	return (a & low) | (p + 1) << 2 * pos | (a & ~low) << 2;
}

struct text { uint8_t was, will; };

enum { W_IDLE, W_DETOUR, W_DETOUR_LIVE, W_PUBLISH, W_CALL, W_KEY, W_LIVE };
enum { R_IDLE, R_KEY, R_LATE, R_FUNCS, R_CALL, R_ITERATE };

struct state {
	uint8_t writer, reader;
	uint8_t funcs, next;		/* arrays: published, to be published */
	struct text target, key;
	uint8_t sure, maybe;		/* bits: registered for sure, possibly */
	uint8_t stale;			/* the reader may have an array from before */
	uint8_t must, may, held;	/* the reader: must call, may call; its array */
	uint8_t early;			/* the target that it has loaded, plus one */
};

static const char *wrong = "";
static bool is_wrong(const char *rule) { return !strcmp(wrong, rule); }

static uint8_t best_target(const struct state *s, uint8_t array)
{
	if (array)
		return count(array) > 1 ? ITERATOR : func_of[first(array)];
	return func_stays(s->target.will) ? s->target.will : ITERATOR;
}

static bool needs_detour(const struct state *s)
{
	if (!s->next || s->target.will == ITERATOR || is_wrong("no-detour"))
		return false;
	if (is_wrong("second-direct") &&
	    s->target.will == func_of[first(s->next)])
		return false;
	return s->target.will != best_target(s, s->next);
}

static bool may_call(const struct state *s, uint8_t target)
{
	return target == ITERATOR || target == s->target.will || !s->stale ||
	       is_wrong("no-wait");
}

static bool same_first(uint8_t a, uint8_t b)
{
	if (!a || !b)
		return false;
	if (is_wrong("func-only"))
		return func_of[first(a)] == func_of[first(b)];
	return first(a) == first(b);
}

static bool in_section(const struct state *s)
{
	return s->reader >= R_FUNCS;
}

/* Visited states, and the queue of those to be explored. */
#define TABLE (1u << 22)
static struct state table[TABLE];
static bool used[TABLE];
static uint32_t queue[TABLE];
static unsigned int nr_states, nr_done;
static unsigned long nr_hits;
static int faults;

static void visit(const struct state *s)
{
	const uint8_t *byte = (const uint8_t *)s;
	uint32_t h = 2166136261u;
	unsigned int i;

	for (i = 0; i < sizeof(*s); i++)
		h = (h ^ byte[i]) * 16777619u;
	for (h %= TABLE; used[h]; h = (h + 1) % TABLE)
		if (!memcmp(&table[h], s, sizeof(*s)))
			return;
	if (nr_states == TABLE - 1) {
		fprintf(stderr, "model: too many states\n");
		exit(2);
	}
	used[h] = true;
	table[h] = *s;
	queue[nr_states++] = h;
}

static void fault(const struct state *s, const char *what)
{
	if (!faults++)
		printf("# %s: published %o next %o held %o target %u/%u key %u/%u must %x may %x\n",
		       what, s->funcs, s->next, s->held, s->target.was,
		       s->target.will, s->key.was, s->key.will, s->must, s->may);
}

/* The hit is over, and has called the probes in @called. */
static void end_hit(struct state s, uint8_t called)
{
	nr_hits++;
	if (s.must & ~called)
		fault(&s, "a registered probe was not called");
	if (called & ~s.may)
		fault(&s, "an unregistered probe was called");
	s.reader = R_IDLE;
	s.must = s.may = s.held = s.early = 0;
	s.stale = 0;
	visit(&s);
}

static void call(const struct state *s, uint8_t target)
{
	struct state n = *s;

	if (target == ITERATOR) {
		n.reader = R_ITERATE;
		n.held = n.early = 0;
		visit(&n);
		return;
	}
	if (func_of[first(s->held)] != target)
		fault(s, "a probe was called with another one's data");
	end_hit(n, 1 << first(s->held));
}

static void read_key(struct state s, uint8_t on)
{
	if (!on) {
		end_hit(s, 0);
		return;
	}
	s.reader = R_LATE;
	visit(&s);
}

static void load_early(struct state s, uint8_t target)
{
	s.early = target + 1;
	visit(&s);
}

static void step_reader(const struct state *s)
{
	struct state n = *s;

	if (s->reader >= R_KEY && s->reader <= R_FUNCS && !s->early) {
		load_early(n, s->target.was);
		load_early(n, s->target.will);
	}
	switch (s->reader) {
	case R_IDLE:
		n.reader = R_KEY;
		n.must = s->sure;
		visit(&n);
		break;
	case R_KEY:
		read_key(n, s->key.was);
		read_key(n, s->key.will);
		break;
	case R_LATE:
		n.reader = R_FUNCS;
		n.may = s->maybe;
		visit(&n);
		break;
	case R_FUNCS:
		if (!s->funcs) {
			end_hit(n, 0);
			break;
		}
		n.reader = R_CALL;
		n.held = s->funcs;
		visit(&n);
		break;
	case R_CALL:
		call(s, s->early ? s->early - 1 : s->target.was);
		call(s, s->early ? s->early - 1 : s->target.will);
		break;
	case R_ITERATE:
		end_hit(n, members(s->funcs));
		break;
	}
}

/* The text of the target is live, and no hit has an older target than the iterator. */
static void make_live(struct state *s, bool detour)
{
	const bool left = s->target.was != ITERATOR;

	if (s->target.was == s->target.will)
		return;
	s->target.was = s->target.will;
	if (!is_wrong("no-settle") && left && (detour || !is_wrong("settle-once")))
		s->early = 0;
}

/* A change begins: the probes that it removes are no longer registered for sure. */
static void begin_change(const struct state *s, uint8_t next)
{
	struct state n = *s;

	n.next = next;
	n.writer = W_DETOUR;
	n.sure &= members(next);
	n.must &= n.sure;
	n.maybe |= members(next);
	if (in_section(s))
		n.may |= members(next);
	visit(&n);
}

/* Begin a change to each array that differs in one or two probes. */
static void choose(const struct state *s, uint8_t array, unsigned int depth)
{
	unsigned int p, pos;

	if (depth && array != s->funcs)
		begin_change(s, array);
	if (depth == 2)
		return;
	for (p = 0; p < NR_PROBES; p++) {
		if (members(array) & 1 << p) {
			choose(s, without(array, p), depth + 1);
			continue;
		}
		for (pos = 0; pos <= count(array); pos++)
			choose(s, insert(array, p, pos), depth + 1);
	}
}

static void step_writer(const struct state *s)
{
	struct state n = *s;

	n.writer++;
	switch (s->writer) {
	case W_IDLE:
		choose(s, s->funcs, 0);
		if (count(s->funcs) == 1 && s->target.will == ITERATOR)
			begin_change(s, s->funcs);
		return;
	case W_DETOUR:
		if (needs_detour(s))
			n.target.will = ITERATOR;
		break;
	case W_DETOUR_LIVE:
		make_live(&n, true);
		break;
	case W_PUBLISH:
		n.funcs = s->next;
		if (s->funcs && !same_first(s->funcs, s->next))
			n.stale = in_section(s);
		break;
	case W_CALL:
		if (may_call(s, best_target(s, s->next)))
			n.target.will = best_target(s, s->next);
		break;
	case W_KEY:
		n.key.will = !!s->next;
		break;
	case W_LIVE:
		make_live(&n, false);
		n.key.was = n.key.will;
		n.sure = n.maybe = members(s->next);
		n.next = 0;
		n.writer = W_IDLE;
		break;
	}
	visit(&n);
}

int main(int argc, char **argv)
{
	struct state s = { };

	if (argc > 1)
		wrong = argv[1];
	visit(&s);
	while (nr_done < nr_states) {
		s = table[queue[nr_done++]];
		step_writer(&s);
		step_reader(&s);
	}
	printf("# %u states, %lu hits, %d wrong\n", nr_states, nr_hits, faults);
	return faults ? 1 : 0;
}
