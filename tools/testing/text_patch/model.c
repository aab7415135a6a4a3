// SPDX-License-Identifier: GPL-2.0
/*
 * The patching protocol, run through every interleaving.
 *
 * A writer changes one to three places in the steps of commit.c. A reader, a
 * CPU that runs the places in any order for ever, does so in the steps of
 * trap.c, and an NMI that runs a place itself may come between any two of the
 * reader's steps. A place is three bytes: its head and a tail of two, for a
 * tail need not arrive as a whole.
 *
 * Fetching is as weak as it gets: since its last serialising instruction a CPU
 * may have fetched any byte at any time, so it may see any value that the byte
 * has had since. Only syncs make it forget. Data, as the handler reads it, is
 * in order.
 *
 * What must hold in every state:
 *
 *   whole	what runs is the old or the new instruction, never a mix
 *   resolved	a breakpoint has an answer, and that one is old or new too
 *   moment	once a CPU has seen one place new it sees no place old
 *   alive	the handler does not look at changes that have been freed
 *   done	what begins after the commit is over is new
 *
 * With "late" a CPU may run into a breakpoint that it saw once for ever after,
 * syncs or not: what an emulator's stale translation does. That must resolve.
 *
 * And because a model that cannot fail shows nothing, the same is run with
 * protocols that are broken on purpose. Each must be caught.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLACES	3
#define BYTES		3

/* Values of a byte. */
enum { OLD, TRAP, NEW };

/* The writer's steps. ALL stands for one step for each place (and byte). */
enum op {
	PUBLISH, TRAPS, SYNC, FLIP, TAILS, HEADS, WITHDRAW, QUIESCE, FREE,
	PARK, PARKED_SYNC, UNPARK, BOTH, HEADS_THEN_TAILS, END,
};

struct protocol {
	const char *name;
	const char *must_break;		/* NULL: must hold */
	bool late;
	bool no_recheck;
	bool no_text;
	enum op op[32];
};

#define BREAKPOINT PUBLISH, TRAPS, SYNC, FLIP, TAILS, SYNC, HEADS, WITHDRAW, \
		   SYNC, QUIESCE, FREE
#define STOPPED	   PUBLISH, TRAPS, PARK, PARKED_SYNC, FLIP, TAILS, PARKED_SYNC, \
		   HEADS, WITHDRAW, UNPARK, QUIESCE, FREE

static const struct protocol protocols[] = {
	{ "breakpoint", .op = { BREAKPOINT, END } },
	{ "breakpoint, there and back", .op = { BREAKPOINT, BREAKPOINT, END } },
	{ "breakpoint, late traps", .late = true, .op = { BREAKPOINT, END } },
	{ "stop_machine", .op = { STOPPED, END } },
	{ "stop_machine, there and back", .op = { STOPPED, STOPPED, END } },
	{ "stop_machine, late traps", .late = true, .op = { STOPPED, END } },

	{ "no breakpoints", "whole",
	  .op = { PUBLISH, FLIP, TAILS, SYNC, HEADS, WITHDRAW, SYNC, END } },
	{ "no breakpoints under stop_machine", "whole",
	  .op = { PUBLISH, PARK, FLIP, BOTH, WITHDRAW, UNPARK, END } },
	{ "no sync after the tails under stop_machine", "whole",
	  .op = { PUBLISH, TRAPS, PARK, PARKED_SYNC, FLIP, BOTH, WITHDRAW,
		  UNPARK, QUIESCE, FREE, END } },
	{ "no sync after the breakpoints under stop_machine", "whole",
	  .op = { PUBLISH, TRAPS, PARK, FLIP, TAILS, PARKED_SYNC, HEADS,
		  WITHDRAW, UNPARK, QUIESCE, FREE, END } },
	{ "no sync after the breakpoints", "whole",
	  .op = { PUBLISH, TRAPS, FLIP, TAILS, SYNC, HEADS, WITHDRAW, SYNC,
		  QUIESCE, FREE, END } },
	{ "no sync after the tails", "whole",
	  .op = { PUBLISH, TRAPS, SYNC, FLIP, TAILS, HEADS, WITHDRAW, SYNC,
		  QUIESCE, FREE, END } },
	{ "heads before tails", "whole",
	  .op = { PUBLISH, TRAPS, SYNC, FLIP, HEADS_THEN_TAILS, WITHDRAW, SYNC,
		  QUIESCE, FREE, END } },
	{ "breakpoints before they are published", "resolved",
	  .op = { TRAPS, PUBLISH, SYNC, FLIP, TAILS, SYNC, HEADS, WITHDRAW,
		  SYNC, QUIESCE, FREE, END } },
	{ "withdrawn before the heads", "resolved",
	  .op = { PUBLISH, TRAPS, SYNC, FLIP, TAILS, SYNC, WITHDRAW, HEADS,
		  SYNC, QUIESCE, FREE, END } },
	{ "late traps without a look at the text", "resolved",
	  .late = true, .no_text = true, .op = { BREAKPOINT, END } },
	{ "no second look at the sequence", "resolved",
	  .late = true, .no_recheck = true, .op = { BREAKPOINT, BREAKPOINT, END } },
	{ "flipped before all have trapped", "moment",
	  .op = { PUBLISH, FLIP, TRAPS, SYNC, TAILS, SYNC, HEADS, WITHDRAW,
		  SYNC, QUIESCE, FREE, END } },
	{ "flipped after the heads", "moment",
	  .op = { PUBLISH, TRAPS, SYNC, TAILS, SYNC, HEADS, FLIP, WITHDRAW,
		  SYNC, QUIESCE, FREE, END } },
	{ "freed without a wait", "alive",
	  .op = { PUBLISH, TRAPS, SYNC, FLIP, TAILS, SYNC, HEADS, WITHDRAW,
		  FREE, SYNC, END } },
};

/* Where a context (task or NMI) of the reading CPU is. */
enum at {
	IDLE,		/* between two instructions */
	HEAD_FETCHED,
	IN_HANDLER,	/* has counted itself as active */
	SEQ_READ,
	FOUND,		/* has the changes in its hands */
	HEAD_READ,
	TEXT_READ,
	ANSWERED,
};

struct context {
	uint8_t at, place, head, seq, text, answer;
	/* When it began: had new been seen, was the commit over? */
	uint8_t saw_new, was_over;
};

struct state {
	uint8_t pc, step;
	uint8_t now[MAX_PLACES][BYTES];
	uint8_t may[MAX_PLACES][BYTES];		/* values a fetch may give */
	uint8_t seq, flipped, freed, parked, seen_new, commits, over;
	uint8_t in_nmi;
	struct context c[2];
};

static const struct protocol *pr;
static int places;
static const char *broken;
static unsigned long states;

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

/* The value that this commit's old and new have: a second one goes back. */
static int value(const struct state *s, bool new)
{
	return (s->commits & 1) ? (new ? OLD : NEW) : (new ? NEW : OLD);
}

static void store(struct state *s, int place, int byte, int v)
{
	s->now[place][byte] = v;
	s->may[place][byte] |= 1 << v;
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

/* Would an interrupt be taken? */
static bool interruptible(const struct state *s)
{
	return !s->in_nmi && s->c[0].at == IDLE;
}

/* One step of the writer, if it can make one. */
static void step_writer(const struct state *from)
{
	struct state t = *from;
	const enum op op = pr->op[from->pc];
	const int new = value(from, true);
	const int i = from->step / BYTES, b = from->step % BYTES;
	int last = 0;

	switch (op) {
	case PUBLISH:
		t.seq++;
		t.flipped = t.freed = 0;
		break;
	case WITHDRAW:
		t.seq++;
		break;
	case FLIP:
		t.flipped = 1;
		break;
	case FREE:
		t.freed = 1;
		break;
	case SYNC:
		if (!interruptible(from))
			return;
		serialise(&t);
		break;
	case PARK:
		if (!interruptible(from))
			return;
		t.parked = 1;
		break;
	case PARKED_SYNC:
		if (from->in_nmi)
			return;
		serialise(&t);
		break;
	case UNPARK:
		if (from->in_nmi)
			return;
		t.parked = 0;
		serialise(&t);
		break;
	case QUIESCE:
		if (from->c[0].at >= IN_HANDLER ||
		    (from->in_nmi && from->c[1].at >= IN_HANDLER))
			return;
		break;
	case TRAPS:
		store(&t, from->step, 0, TRAP);
		last = places - 1;
		break;
	case HEADS:
		store(&t, from->step, 0, new);
		last = places - 1;
		break;
	case TAILS:
		store(&t, from->step / 2, 1 + from->step % 2, new);
		last = 2 * places - 1;
		break;
	case BOTH:		/* tail, tail, head */
		store(&t, i, (b + 1) % BYTES, new);
		last = BYTES * places - 1;
		break;
	case HEADS_THEN_TAILS:
		store(&t, i, b, new);
		last = BYTES * places - 1;
		break;
	case END:
		return;
	}

	if (from->step < last) {
		t.step++;
	} else {
		t.step = 0;
		t.pc++;
		if (pr->op[t.pc] == END || pr->op[t.pc] == PUBLISH) {
			t.commits++;
			t.over = pr->op[t.pc] == END;
		}
	}
	push(&t);
}

/* A context ends an instruction with the effect of value @v. */
static void finish(struct state *t, struct context *c, int v)
{
	const bool back = t->commits && pr->op[t->pc] != END;

	if (v == NEW && !back)
		t->seen_new = 1;
	/* Only a single commit goes one way. */
	if (v == OLD && c->saw_new && t->commits <= 1 && !back &&
	    value(t, true) != OLD && !t->over)
		fail("moment");
	if (v == OLD && c->saw_new && t->over && t->commits == 1)
		fail("moment");
	if (c->was_over && v != ((t->commits & 1) ? NEW : OLD))
		fail("done");
	memset(c, 0, sizeof(*c));
	if (c == &t->c[1])
		t->in_nmi = 0;
	push(t);
}

static void begin(const struct state *from, int which, int place)
{
	int v;

	for (v = OLD; v <= NEW; v++) {
		struct state t = *from;
		struct context *c = &t.c[which];

		if (!(from->may[place][0] & 1 << v))
			continue;
		memset(c, 0, sizeof(*c));
		c->place = place;
		c->saw_new = from->seen_new;
		c->was_over = from->over;
		c->head = v;
		c->at = v == TRAP ? IN_HANDLER : HEAD_FETCHED;
		if (which)
			t.in_nmi = 1;
		push(&t);
	}
}

/* One step of context @which, which is running. */
static void step_context(const struct state *from, int which)
{
	struct state t = *from;
	struct context *c = &t.c[which];
	int i, a, b;

	switch (c->at) {
	case IDLE:
		for (i = 0; i < places; i++)
			begin(from, which, i);
		return;
	case HEAD_FETCHED:
		/* The tail as it may be seen now; both bytes as the head. */
		for (a = OLD; a <= NEW; a++)
			for (b = OLD; b <= NEW; b++) {
				if (!(t.may[c->place][1] & 1 << a) ||
				    !(t.may[c->place][2] & 1 << b))
					continue;
				if (a != c->head || b != c->head)
					fail("whole");
			}
		finish(&t, c, c->head);
		return;
	case IN_HANDLER:
		c->seq = t.seq;
		c->at = SEQ_READ;
		break;
	case SEQ_READ:
		if (c->seq & 1) {
			if (t.freed)
				fail("alive");
			c->answer = value(&t, t.flipped);
			c->at = ANSWERED;
		} else if (pr->no_text) {
			fail("resolved");
		} else {
			c->text = t.now[c->place][0];
			c->at = HEAD_READ;
		}
		break;
	case HEAD_READ:
		if (c->text != TRAP && (t.now[c->place][1] != c->text ||
					t.now[c->place][2] != c->text))
			c->text = 3;	/* a mix */
		c->at = TEXT_READ;
		break;
	case TEXT_READ:
		if (t.seq != c->seq && !pr->no_recheck) {
			c->text = 0;
			c->at = IN_HANDLER;
			break;
		}
		if (c->text == TRAP || c->text == 3)
			fail("resolved");
		c->answer = c->text;
		c->at = ANSWERED;
		break;
	case ANSWERED:
		finish(&t, c, c->answer);
		return;
	}
	push(&t);
}

static void explore(void)
{
	struct state s = {};
	int i, b;

	for (i = 0; i < places; i++)
		for (b = 0; b < BYTES; b++)
			s.may[i][b] = 1 << OLD;
	seen_nr = depth = 0;
	memset(seen, 0, seen_size * sizeof(*seen));
	broken = NULL;
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
		for (i = 0; i < places; i++)
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

	for (i = 0; i < sizeof(protocols) / sizeof(*protocols); i++) {
		const char *caught = NULL;
		bool ok;

		pr = &protocols[i];
		states = 0;
		for (places = 1; places <= most && !caught; places++) {
			explore();
			caught = broken;
		}
		if (pr->must_break)
			ok = caught && !strcmp(caught, pr->must_break);
		else
			ok = !caught;
		bad += !ok;
		printf("%s - model: %s%s%s\n", ok ? "ok" : "not ok",
		       pr->must_break ? "broken on purpose: " : "", pr->name,
		       pr->must_break ? " is caught" : " holds");
		printf("# %lu states, %s\n", states,
		       caught ? caught : "nothing broken");
		fflush(stdout);
	}
	free(seen);
	free(stack);
	return !!bad;
}
