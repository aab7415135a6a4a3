// SPDX-License-Identifier: GPL-2.0
/*
 * The patching protocol, run through every interleaving.
 *
 * A writer changes one to three places in the steps of commit.c. A reader, a
 * CPU that runs the places in any order for ever, handles breakpoints in the steps
 * of trap.c, and an NMI that runs a place itself may come between any two of the
 * reader's steps. A place is three bytes: its head and a tail of two, because a
 * tail need not become visible as a whole.
 *
 * Fetching is as weak as it gets: since its last serialising instruction a CPU
 * may have fetched any byte at any time, so it may see any value that the byte
 * has had since. Only syncs make it forget. Data accesses, such as those of the
 * handler, are in order.
 *
 * What must hold in every state:
 *
 *   whole	what runs is the old or the new instruction, never a mix
 *   resolved	an engine's breakpoint has an answer: old or new, too
 *   kept	a debugger's breakpoint goes to the debugger
 *   moment	once a CPU has seen one place new it sees no place old
 *   alive	the handler reads no changes and no text that have been freed
 *   owner	nothing is written into text that has a new owner
 *   done	an instruction that begins after the commit runs as the commit left it
 *
 * The handler knows the changes being made and the text, nothing else: "resolved"
 * shows that these two suffice. A breakpoint that is in the text and not among
 * the changes goes to the debugger, so if one of the engine's could be met like
 * that, "resolved" would break.
 *
 * With "late" a CPU may trap for ever at a breakpoint that it saw once, in spite of
 * syncs, as an emulator with a stale translation does. That must resolve.
 *
 * With "offline" the reader is a CPU that comes up or goes down: no sync waits
 * for it, and it may stay between two of its steps while whole commits pass.
 * It fetches what memory holds, an instruction at a time; no protocol could help
 * a CPU without syncs that runs instructions fetched earlier.
 *
 * With "quiet" the reader goes outside of RCU's view and comes back at any time,
 * and the writer spares it while it is outside: no sync interrupts it. It fetches
 * outside, too, but runs only noinstr places there, and so does an NMI before it has
 * caught up, which is to serialise for the syncs that were missed. A CPU that is
 * interrupted outside enters before it takes the interrupt.
 *
 * With "coming" the reader comes up at some moment. Until it is online it is as
 * with "offline", but what it has fetched may be stale from then on. It is assumed
 * that no NMI runs noinstr places until the CPU has caught up: no protocol could help.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocols.h"

#define MAX_PLACES	3
#define BYTES		3

/* Values of a byte. OTHER: of text that reuses the memory of a place; GONE: freed. */
enum { OLD, TRAP, NEW, OTHER, GONE, MIX };
/* Another answer of the handler: the breakpoint is not the engine's. */
#define PASS MIX

/* Where a context (task or NMI) of the reading CPU is. */
enum at {
	IDLE,		/* between two instructions */
	NUMBER_EARLY,	/* broken on purpose: has read the number outside */
	ENTERED,	/* RCU watches from here on */
	NUMBER_READ,
	NUMBER_STORED,	/* broken on purpose: has not serialised yet */
	SERIALISED,
	HEAD_FETCHED,
	TRAPPED,	/* has met a breakpoint; on the way to the handler */
	IN_HANDLER,	/* has counted itself as active */
	SEQ_READ,
	FOUND,		/* has a pointer to the changes */
	LOOK_AT_TEXT,
	HEAD_READ,
	TEXT_READ,
	ANSWERED,
};

enum { OFFLINE, ONLINE, CAUGHT_UP };

struct context {
	uint8_t at, place, head, seq, vec, text, answer;
	/* When it began: had any place been seen new, was the commit over? */
	uint8_t saw_new, was_over;
	/* A debugger's breakpoint was here at some time, all the time. */
	uint8_t once_foreign, ever_foreign;
	uint8_t number;				/* as read while entering */
};

struct state {
	uint8_t pc, step;
	uint8_t now[MAX_PLACES][BYTES];
	uint8_t may[MAX_PLACES][BYTES];		/* values a fetch may give */
	/* Values before and after the current changes, or the last ones. */
	uint8_t old[MAX_PLACES], new[MAX_PLACES];
	uint8_t want, changing;			/* bits: places */
	uint8_t seq, vec, freed, flipped, parked, seen_new, over;
	uint8_t foreign, gone;			/* bits: places */
	uint8_t in_nmi;
	/* The reader is outside of RCU's view; it was so before the NMI. */
	uint8_t outside, nmi_outside;
	uint8_t online;				/* CAUGHT_UP: at least once */
	/* The number of the last sync, and of the last one that the reader has seen. */
	uint8_t number, number_seen, spared;
	struct context c[2];
};

static const struct protocol *pr;
static int places;
static bool single;				/* one commit, which changes all places */
static const char *broken;
static unsigned long states;

/* How the handler came to its answers, over all states of a protocol. */
enum { BY_CHANGES, BY_TEXT, RESUMED, PASSED, WAYS };
static unsigned long answers[WAYS];

/* How often a sync spared the reader, and the reader caught up. */
static unsigned long spared, caught_up;

/* Visited states, by 64 bit fingerprint. */
static uint64_t *seen;
static size_t seen_size, seen_nr;
static struct state *stack;
static size_t depth, stack_size;

static uint64_t fingerprint(const struct state *s)
{
	const uint8_t *b = (const uint8_t *)s;
	uint64_t h = 0x9e3779b97f4a7c15ULL;
	size_t i;

	for (i = 0; i < sizeof(*s); i++) {
		h = (h ^ b[i]) * 0xff51afd7ed558ccdULL;
		h ^= h >> 29;
	}
	return h | 1;
}

static bool insert(uint64_t *table, size_t size, uint64_t key)
{
	size_t i = (key >> 8) & (size - 1);

	for (; table[i]; i = (i + 1) & (size - 1))
		if (table[i] == key)
			return false;
	table[i] = key;
	return true;
}

static void push(const struct state *s)
{
	size_t i;

	if (2 * seen_nr >= seen_size) {
		uint64_t *bigger = calloc(2 * seen_size, sizeof(*bigger));

		for (i = 0; i < seen_size; i++)
			if (seen[i])
				insert(bigger, 2 * seen_size, seen[i]);
		free(seen);
		seen = bigger;
		seen_size *= 2;
	}
	if (!insert(seen, seen_size, fingerprint(s)))
		return;
	seen_nr++;
	if (depth == stack_size) {
		stack_size *= 2;
		stack = realloc(stack, stack_size * sizeof(*stack));
	}
	stack[depth++] = *s;
}

static void fail(const char *what)
{
	if (!broken)
		broken = what;
}

static bool has(uint8_t set, int place)
{
	return set >> place & 1;
}

static void store(struct state *s, int place, int byte, int v)
{
	s->now[place][byte] = v;
	s->may[place][byte] |= 1 << v;
}

/* Writes of the engine, which must not go to text of another owner. */
static void engine_store(struct state *s, int place, int byte, int v)
{
	if (!has(s->changing, place))
		return;
	if (s->now[place][byte] == OTHER || s->now[place][byte] == GONE)
		fail("owner");
	store(s, place, byte, v);
}

static void serialise(struct state *s)
{
	int i, b;

	for (i = 0; i < places; i++)
		for (b = 0; b < BYTES; b++) {
			const bool stale = pr->late && b == 0 &&
					   (s->may[i][b] & 1 << TRAP);

			s->may[i][b] = 1 << s->now[i][b] |
				       (stale ? 1 << TRAP : 0);
		}
}

/* Could the reader take an interrupt? No sync waits for a CPU that is not online. */
static bool interruptible(const struct state *s)
{
	return pr->offline || (!s->in_nmi && s->c[0].at == IDLE);
}

static bool in_handler(const struct context *c)
{
	return c->at >= IN_HANDLER;
}

static bool runs(const struct state *s, int place)
{
	return (s->c[0].at != IDLE && s->c[0].place == place) ||
	       (s->in_nmi && s->c[1].place == place);
}

/*
 * Choose the changes to be made: those whose text is as expected. It is not if
 * there is a debugger's breakpoint, or text of another owner.
 */
static void publish(struct state *s)
{
	int i;

	s->changing = 0;
	for (i = 0; i < places; i++) {
		const bool ours = s->now[i][0] == OLD || s->now[i][0] == NEW;

		if (!has(s->want, i) || !(ours || pr->no_verify))
			continue;
		s->changing |= 1 << i;
		s->old[i] = s->new[i];
		s->new[i] = s->old[i] == OLD ? NEW : OLD;
	}
	s->vec++;
	s->flipped = 0;
}

static void debugger(struct state *s, int place, bool on)
{
	int i;

	if (on)
		s->foreign |= 1 << place;
	else
		s->foreign &= ~(1 << place);
	store(s, place, 0, on ? TRAP : s->new[place]);
	for (i = 0; i < 2; i++)
		if (s->c[i].place == place && s->c[i].at != IDLE) {
			s->c[i].once_foreign |= on;
			s->c[i].ever_foreign &= on;
		}
}

/* Write all bytes at once: no CPU runs them, and freeing text includes a sync. */
static void fill(struct state *s, int place, int v)
{
	int b;

	for (b = 0; b < BYTES; b++)
		s->now[place][b] = v;
	serialise(s);
}

/* One step of the writer, unless it has to wait. */
static void step_writer(const struct state *from)
{
	struct state t = *from;
	const enum op op = pr->op[from->pc];
	const int i = from->step / BYTES, b = from->step % BYTES;
	const int last_place = places - 1;
	int last = 0;

	switch (op) {
	case ONLY_FIRST:
		t.want = 1;
		break;
	case ONLY_LAST:
		t.want = 1 << last_place;
		break;
	case PUBLISH:		/* the changes, then the sequence */
		if (from->step)
			t.seq++;
		else
			publish(&t);
		last = 1;
		break;
	case SEQ_FIRST:
		if (from->step)
			publish(&t);
		else
			t.seq++;
		last = 1;
		break;
	case WITHDRAW:
		t.seq++;
		break;
	case FLIP:
		t.flipped = 1;
		break;
	case FREE:
		t.freed = t.vec;
		break;
	case SYNC:
		if (!interruptible(from))
			return;
		serialise(&t);
		break;
	case RAISE:
		t.number++;
		break;
	case LOOK:
		t.spared = from->outside || !from->online;
		spared += t.spared;
		break;
	case SEND:
	case SEND_ALL:
		if (op == SEND ? from->spared : !from->online)
			break;
		if (!interruptible(from) || from->outside)
			return;
		serialise(&t);
		t.number_seen = t.number;
		break;
	case PARK:
		if (!interruptible(from))
			return;
		t.parked = !pr->offline;
		break;
	case PARKED_SYNC:
		if (from->in_nmi && !pr->offline)
			return;
		serialise(&t);
		break;
	case UNPARK:
		if (from->in_nmi && !pr->offline)
			return;
		t.parked = 0;
		serialise(&t);
		break;
	case QUIESCE:
		if (in_handler(&from->c[0]) ||
		    (from->in_nmi && in_handler(&from->c[1])))
			return;
		break;
	case TRAPS:
		/* Not yet published: take all places that are wanted. */
		if (!(t.seq & 1))
			t.changing = t.want;
		engine_store(&t, from->step, 0, TRAP);
		last = places - 1;
		break;
	case HEADS:
	case SETTLE:		/* the same again: makes emulators drop translations */
		engine_store(&t, from->step, 0, t.new[from->step]);
		last = places - 1;
		break;
	case TAILS:
		engine_store(&t, from->step / 2, 1 + from->step % 2,
			     t.new[from->step / 2]);
		last = 2 * places - 1;
		break;
	case BOTH:		/* tail, tail, head */
		engine_store(&t, i, (b + 1) % BYTES, t.new[i]);
		last = BYTES * places - 1;
		break;
	case HEADS_THEN_TAILS:
		engine_store(&t, i, b, t.new[i]);
		last = BYTES * places - 1;
		break;
	case DEBUG_ON:
		debugger(&t, last_place, true);
		break;
	case DEBUG_OFF:
		debugger(&t, last_place, false);
		break;
	case RETARGET:
		if (!from->step)
			t.new[last_place] = t.new[last_place] == OLD ? NEW : OLD;
		store(&t, last_place, 1 + from->step, t.new[last_place]);
		last = 1;
		break;
	case LEAVE:
		/* Whoever frees text makes sure that no CPU runs it. */
		if (runs(from, last_place) && !pr->hasty_owner)
			return;
		t.gone |= 1 << last_place;
		fill(&t, last_place, GONE);
		break;
	case REUSE:
		t.gone &= ~(1 << last_place);
		fill(&t, last_place, OTHER);
		break;
	case END:
		return;
	}

	if (from->step < last) {
		t.step++;
	} else {
		t.step = 0;
		t.pc++;
		t.over = pr->op[t.pc] == END;
	}
	push(&t);
}

/* A context ends an instruction, which had the effect of value @v. */
static void finish(struct state *t, struct context *c, int v)
{
	const int should = t->now[c->place][0] == OTHER ? OTHER :
							  t->new[c->place];

	if (single && v == NEW)
		t->seen_new = 1;
	if (single && v == OLD && c->saw_new)
		fail("moment");
	if (c->was_over && v != should && !has(t->foreign, c->place))
		fail("done");
	memset(c, 0, sizeof(*c));
	if (c == &t->c[1]) {
		t->in_nmi = 0;
		t->outside = t->nmi_outside;
		t->nmi_outside = 0;
	}
	push(t);
}

/* Fetch a whole instruction at once: "whole" breaks if memory holds a mix. */
static bool fetched_as_memory_is(const struct state *s, int place, int v)
{
	const uint8_t *now = s->now[place];

	if (now[0] != v)
		return false;
	if (v != TRAP && (now[1] != v || now[2] != v))
		fail("whole");
	return true;
}

static void begin(const struct state *from, int which, int place)
{
	const bool waited_for = !pr->offline && from->online;
	int v;

	if (has(from->gone, place))
		return;
	for (v = OLD; v <= OTHER; v++) {
		struct state t = *from;
		struct context *c = &t.c[which];
		const bool stale = pr->late && v == TRAP;

		if (!(from->may[place][0] & 1 << v))
			continue;
		if (!waited_for && !stale && !fetched_as_memory_is(from, place, v))
			continue;
		memset(c, 0, sizeof(*c));
		c->place = place;
		c->saw_new = from->seen_new;
		c->was_over = from->over;
		c->once_foreign = has(from->foreign, place);
		c->ever_foreign = c->once_foreign;
		c->head = v;
		c->at = v == TRAP ? TRAPPED : waited_for ? HEAD_FETCHED :
			ANSWERED;
		c->answer = v;
		if (which && !t.in_nmi) {
			t.in_nmi = 1;
			t.nmi_outside = t.outside;
		}
		push(&t);
	}
}

static bool is_noinstr(int place)
{
	return has(pr->noinstr, place);
}

/* The reader comes online, goes outside or comes back. */
static void cross(const struct state *from)
{
	struct state t = *from;
	struct context *c = &t.c[0];

	if (t.online && !t.outside) {
		t.outside = 1;
	} else if (pr->early_number) {
		c->number = t.number;
		c->at = NUMBER_EARLY;
	} else {
		t.outside = 0;
		t.online = t.online ?: ONLINE;
		c->at = pr->no_catch_up ? IDLE : ENTERED;
	}
	push(&t);
}

/* An NMI begins; it can run any place once it has caught up. */
static void begin_nmi(const struct state *from)
{
	struct state t = *from;

	t.in_nmi = 1;
	t.nmi_outside = t.outside;
	t.outside = 0;
	t.c[1].at = pr->no_catch_up || (pr->nmi_trusts && !from->outside) ?
		IDLE : ENTERED;
	push(&t);
}

/* One step of entering RCU's view; at the end the context is between instructions. */
static void step_entry(struct state *t, struct context *c)
{
	switch (c->at) {
	case NUMBER_EARLY:
		t->outside = 0;
		t->online = t->online ?: ONLINE;
		c->at = NUMBER_READ;
		break;
	case ENTERED:
		c->number = t->number;
		c->at = NUMBER_READ;
		break;
	case NUMBER_READ:
		if (c->number == t->number_seen) {
			memset(c, 0, sizeof(*c));
		} else if (pr->store_first) {
			t->number_seen = c->number;
			c->at = NUMBER_STORED;
		} else {
			serialise(t);
			c->at = SERIALISED;
		}
		break;
	case NUMBER_STORED:
		serialise(t);
		memset(c, 0, sizeof(*c));
		break;
	case SERIALISED:
		caught_up++;
		t->number_seen = pr->read_again ? t->number : c->number;
		memset(c, 0, sizeof(*c));
		break;
	}
	if (c == &t->c[0] && c->at == IDLE)
		t->online = CAUGHT_UP;
	push(t);
}

/* The answer of trap.c once it has read the text. */
static void answer_by_text(const struct state *s, struct context *c)
{
	c->answer = c->text;
	if (c->text == MIX)
		fail("resolved");
	if (c->text == TRAP)
		c->answer = pr->tables ? s->new[c->place] : PASS;
	answers[c->answer == PASS ? PASSED : c->answer == OTHER ? RESUMED :
		BY_TEXT]++;
}

/* Is the answer of the handler right? */
static void judge(const struct context *c)
{
	if (c->head != TRAP)
		return;
	if (c->answer == PASS && !c->once_foreign)
		fail("resolved");
	if (c->answer != PASS && c->ever_foreign)
		fail("kept");
}

/* One step of context @which, which is running. */
static void step_context(const struct state *from, int which)
{
	struct state t = *from;
	struct context *c = &t.c[which];
	const uint8_t *now = t.now[c->place];
	int i, a, b;

	switch (c->at) {
	case IDLE:
		for (i = 0; i < places; i++)
			if (!from->outside || is_noinstr(i))
				begin(from, which, i);
		if (pr->quiet && !which)
			cross(from);
		return;
	case NUMBER_EARLY:
	case ENTERED:
	case NUMBER_READ:
	case NUMBER_STORED:
	case SERIALISED:
		step_entry(&t, c);
		return;
	case HEAD_FETCHED:
		/* Both bytes of the tail, in every way that they may be seen now. */
		for (a = OLD; a <= GONE; a++)
			for (b = OLD; b <= GONE; b++) {
				if (!(t.may[c->place][1] & 1 << a) ||
				    !(t.may[c->place][2] & 1 << b))
					continue;
				if (a == GONE || b == GONE)
					fail("alive");
				else if (a != c->head || b != c->head)
					fail("whole");
			}
		finish(&t, c, c->head);
		return;
	case TRAPPED:
		c->at = IN_HANDLER;
		break;
	case IN_HANDLER:
		c->seq = t.seq;
		c->at = SEQ_READ;
		break;
	case SEQ_READ:
		c->vec = t.vec;
		c->at = c->seq & 1 ? FOUND : LOOK_AT_TEXT;
		break;
	case FOUND:
		/* The changes must be those that were published, and not freed. */
		if (t.vec != c->vec || t.freed >= c->vec)
			fail("alive");
		if (has(t.changing, c->place)) {
			answers[BY_CHANGES]++;
			c->answer = (t.flipped ? t.new : t.old)[c->place];
			c->at = ANSWERED;
		} else {
			c->at = LOOK_AT_TEXT;
		}
		break;
	case LOOK_AT_TEXT:
		if (pr->no_text)
			fail("resolved");
		if (now[0] == GONE)
			fail("alive");
		c->text = now[0];
		c->at = HEAD_READ;
		break;
	case HEAD_READ:
		if (c->text != TRAP && (now[1] != c->text || now[2] != c->text))
			c->text = MIX;
		c->at = TEXT_READ;
		break;
	case TEXT_READ:
		if (t.seq != c->seq && !pr->no_recheck) {
			c->text = 0;
			c->at = IN_HANDLER;
			break;
		}
		answer_by_text(&t, c);
		c->at = ANSWERED;
		break;
	case ANSWERED:
		judge(c);
		finish(&t, c, c->answer);
		return;
	}
	push(&t);
}

static void count_commits(void)
{
	const enum op *op;
	int commits = 0;

	single = true;
	for (op = pr->op; *op != END; op++) {
		commits += *op == PUBLISH || *op == SEQ_FIRST;
		if (*op >= ONLY_FIRST)
			single = false;
	}
	single = single && commits == 1;
}

/*
 * A protocol that holds shows nothing if what it is for never happened. Return:
 * what has not happened, or NULL.
 */
static const char *not_met(void)
{
	const enum op *op;

	if (!answers[BY_CHANGES])
		return "no breakpoint was answered by the changes";
	if ((pr->late || pr->offline) && !answers[BY_TEXT])
		return "no breakpoint was answered by the text";
	for (op = pr->op; *op != END; op++) {
		if (*op == LOOK && !spared)
			return "the reader was never spared";
		if (*op == LOOK && !caught_up)
			return "the reader never caught up";
		if (*op == DEBUG_ON && !answers[PASSED])
			return "no debugger's breakpoint was met";
		if (*op == REUSE && pr->late && !answers[RESUMED])
			return "no breakpoint was met in reused text";
	}
	return NULL;
}

static void explore(void)
{
	struct state s = {};
	int i, b;

	for (i = 0; i < places; i++) {
		for (b = 0; b < BYTES; b++)
			s.may[i][b] = 1 << OLD;
		s.want |= 1 << i;
	}
	seen_nr = depth = 0;
	memset(seen, 0, seen_size * sizeof(*seen));
	broken = NULL;
	s.online = pr->coming ? OFFLINE : CAUGHT_UP;
	count_commits();
	push(&s);

	while (depth && !broken) {
		s = stack[--depth];
		states++;
		step_writer(&s);
		if (s.in_nmi) {
			step_context(&s, 1);
			continue;
		}
		if (!s.parked)
			step_context(&s, 0);
		if (pr->quiet)
			begin_nmi(&s);
		for (i = 0; i < places; i++)
			if (!pr->quiet || (is_noinstr(i) && s.online != ONLINE))
				begin(&s, 1, i);
	}
}

int main(int argc, char **argv)
{
	const int most = argc > 1 ? atoi(argv[1]) : MAX_PLACES;
	unsigned int i;
	int bad = 0;

	seen_size = 1 << 16;
	seen = calloc(seen_size, sizeof(*seen));
	stack_size = 1 << 16;
	stack = malloc(stack_size * sizeof(*stack));

	for (i = 0; i < nr_protocols; i++) {
		const char *caught = NULL;
		bool ok;

		pr = &protocols[i];
		states = 0;
		memset(answers, 0, sizeof(answers));
		spared = 0;
		caught_up = 0;
		for (places = 1; places <= most && !caught; places++) {
			explore();
			caught = broken;
		}
		if (pr->must_break)
			ok = caught && !strcmp(caught, pr->must_break);
		else
			ok = !caught && !not_met();
		bad += !ok;
		printf("%s - model: %s%s%s\n", ok ? "ok" : "not ok",
		       pr->must_break ? "broken on purpose: " : "", pr->name,
		       pr->must_break ? " is caught" : " holds");
		printf("# %lu states, %s; answered by changes %lu, by text %lu, ",
		       states, caught ? caught : "nothing broken",
		       answers[BY_CHANGES], answers[BY_TEXT]);
		printf("resumed %lu, passed on %lu\n", answers[RESUMED],
		       answers[PASSED]);
		if (pr->quiet)
			printf("# spared %lu, caught up %lu\n", spared,
			       caught_up);
		if (!pr->must_break && !caught && not_met())
			printf("# %s\n", not_met());
		fflush(stdout);
	}
	free(seen);
	free(stack);
	return !!bad;
}
