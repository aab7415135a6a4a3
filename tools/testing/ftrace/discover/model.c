// SPDX-License-Identifier: GPL-2.0
/*
 * Record slots, run through every interleaving.
 *
 * There is one bucket, and three addresses that belong to it: a function of the
 * kernel, one of a module, and a place that is no call but is recorded, too. A
 * task and an NMI on top of it on one CPU, and a task on another CPU that has
 * the same table, call functions at any time, four calls in all, and record them
 * in the steps of record_macros.S. The taker works in the steps of ftraced. The
 * loader unloads the module when nobody is in its text, and loads another one
 * into the same range, whose function at this address may never run.
 *
 * What must hold in every state:
 *
 *	kept		a recorder only writes to a slot that is free
 *	mistaken	a site is only added if its function has run, and this
 *			function: not one that was at its address before
 *	forgotten	when all is quiet, and no more was counted than was seen,
 *			no slot has an address that could be added
 *	settled		a function that is in no slot, and for which no call was
 *			skipped, has its nop once it has run
 *
 * In the second part, CPUs change over from the large table of the boot to
 * smaller ones: no recorder may reach beyond a table, or into one that is freed.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Changes to the protocol, each of which breaks it. */
enum {
	RIGHT,
	PLAIN_STORE,		/* instead of cmpxchg */
	COUNT_FIRST,		/* a slot is counted before it is filled */
	READ_LATE,		/* the taker reads the count after the slots */
	NO_PURGE,		/* unloading leaves the slots alone */
	PURGE_EARLY,		/* ... looks at them while the module still runs */
	NO_LOCK,		/* a module may go between taking and adding */
	RELEASE_ALL,		/* the taker frees all slots, not those that it took */
	NO_VERIFY,		/* the taker adds what is no call */
	ONE_GRACE,		/* tables: the mask and the table change at once */
	NO_GRACE,		/* tables: the old one is freed at once */
	VARIANTS
};

static const char *const names[VARIANTS] = {
	[PLAIN_STORE]	= "a slot is overwritten",
	[COUNT_FIRST]	= "counted before it is filled",
	[READ_LATE]	= "count read too late",
	[NO_PURGE]	= "slots of a module that is gone",
	[PURGE_EARLY]	= "slots looked at too early",
	[NO_LOCK]	= "module goes during a round",
	[RELEASE_ALL]	= "a slot that was not taken is freed",
	[NO_VERIFY]	= "not a call",
	[ONE_GRACE]	= "old mask with the small table",
	[NO_GRACE]	= "table freed under a recorder",
};

static int variant;
static const char *broken;

/* ---- every state that can be reached ---- */

#define STATE_SIZE	40

struct state {
	uint8_t b[STATE_SIZE];
};

static struct state *queue;
static size_t head, tail, room;
static uint64_t *seen;
static size_t seen_size;

static uint64_t fingerprint(const struct state *s)
{
	uint64_t h = 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < STATE_SIZE; i += 8) {
		uint64_t word;

		memcpy(&word, s->b + i, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	return h | 1;
}

static bool insert(uint64_t key)
{
	size_t i = (key >> 8) & (seen_size - 1);

	for (; seen[i]; i = (i + 1) & (seen_size - 1)) {
		if (seen[i] == key)
			return false;
	}
	seen[i] = key;
	return true;
}

static void push(const void *state)
{
	struct state s;

	memcpy(&s, state, sizeof(s));
	if (!insert(fingerprint(&s)))
		return;
	if (tail == room) {
		room = room ? 2 * room : 1 << 16;
		queue = realloc(queue, room * sizeof(*queue));
	}
	queue[tail++] = s;
	if (2 * tail > seen_size) {
		size_t i;

		free(seen);
		seen_size *= 2;
		seen = calloc(seen_size, sizeof(*seen));
		for (i = 0; i < tail; i++)
			insert(fingerprint(&queue[i]));
	}
}

/* Runs @next for each state that can be reached from @first, until one is bad. */
static size_t explore(const void *first, void (*next)(const void *))
{
	head = 0;
	tail = 0;
	broken = NULL;
	free(seen);
	seen_size = 1 << 16;
	seen = calloc(seen_size, sizeof(*seen));
	push(first);
	while (head < tail && !broken) {
		const struct state s = queue[head++];

		next(&s);
	}
	return tail;
}

static void must(bool holds, const char *what)
{
	if (!holds)
		broken = what;
}

/* ---- recorders, the taker, the loader ---- */

/* Number of calls of functions that are no nops yet. */
#ifndef CALLS
#define CALLS	4
#endif

enum { NONE, CORE, ODD, MODULE, ADDRS };
/* What is at an address: a call of __fentry__, a nop, or something else. */
enum { CALL, NOP, ELSE };

enum { IDLE, COMPARE_0, COMPARE_1, STORE_0, STORE_1, COUNT, SKIP };
enum { TASK, NMI, OTHER_CPU, RECORDERS };

enum { SLEEPS, READS, TAKES_0, TAKES_1, READS_LATE, ADDS, RELEASES };
enum { LOADED, PURGES_0, PURGES_1, GONE };

struct recorder {
	uint8_t at, addr, counted;
};

struct world {
	uint8_t slot[2];
	uint8_t text[ADDRS];
	uint8_t owner;			/* which module is there, 0 or 1 */
	uint8_t ran[ADDRS];		/* by the owner, for MODULE */
	uint8_t skipped[ADDRS];
	uint8_t uncounted;		/* stored, less what the taker has seen counted */
	struct recorder r[RECORDERS];
	uint8_t taker, counted, took[2];
	uint8_t loader;
	uint8_t calls;			/* that were made */
};

_Static_assert(sizeof(struct world) <= STATE_SIZE, "a state");

static void go(const struct world *w)
{
	struct state s = { { 0 } };

	memcpy(&s, w, sizeof(*w));
	push(&s);
}

static void record_step(struct world w, int who)
{
	struct recorder *r = &w.r[who];
	const int way = r->at == STORE_1;

	switch (r->at) {
	case COMPARE_0:
		r->at = w.slot[0] == r->addr ? IDLE : COMPARE_1;
		break;
	case COMPARE_1:
		r->at = w.slot[1] == r->addr ? IDLE : STORE_0;
		if (variant == COUNT_FIRST && r->at == STORE_0 && !r->counted) {
			w.uncounted++;
			r->counted = 1;
		}
		break;
	case STORE_0:
	case STORE_1:
		if (!w.slot[way] || (variant == PLAIN_STORE && way)) {
			must(!w.slot[way], "kept");
			w.slot[way] = r->addr;
			r->at = r->counted ? IDLE : COUNT;
		} else if (w.slot[way] == r->addr) {
			r->at = IDLE;
		} else {
			r->at = way ? SKIP : STORE_1;
		}
		break;
	case COUNT:
		w.uncounted++;
		r->at = IDLE;
		break;
	case SKIP:
		w.skipped[r->addr] = 1;
		r->at = IDLE;
		break;
	}
	if (r->at == IDLE)
		*r = (struct recorder){ 0 };
	go(&w);
}

static void record(const struct world *w)
{
	int who, addr;

	for (who = 0; who < RECORDERS; who++) {
		/* An NMI runs to its end before the task under it continues. */
		if (who == TASK && w->r[NMI].at)
			continue;
		if (w->r[who].at) {
			record_step(*w, who);
			continue;
		}
		for (addr = CORE; addr < ADDRS; addr++) {
			struct world next = *w;

			if (addr == MODULE && w->loader != LOADED &&
			    !(variant == PURGE_EARLY && w->loader != GONE))
				continue;
			if (w->text[addr] != (addr == ODD ? ELSE : CALL) || w->calls == CALLS)
				continue;
			next.calls++;
			next.ran[addr] = 1;
			next.r[who] = (struct recorder){ .at = COMPARE_0, .addr = addr };
			go(&next);
		}
	}
}

static void add(struct world *w, int addr)
{
	if (addr == NONE)
		return;
	if (w->text[addr] == ELSE) {
		must(variant != NO_VERIFY, "mistaken");
		return;		/* stays in its slot */
	}
	must(w->ran[addr], "mistaken");
	if (addr == MODULE)
		must(w->loader != GONE, "mistaken");
	w->text[addr] = NOP;
}

/* What is not a call stays in its slot; all other slots are released. */
static void release(struct world *w, int way)
{
	const int addr = w->took[way];

	if (variant == RELEASE_ALL)
		w->slot[way] = NONE;
	else if (addr != NONE && w->text[addr] != ELSE)
		w->slot[way] = NONE;
	w->took[way] = NONE;
}

static void take(const struct world *w)
{
	struct world next = *w;

	switch (w->taker) {
	case SLEEPS:
		/* Woken when the count differs; takes the lock. */
		if (!w->uncounted || (w->loader != LOADED && w->loader != GONE))
			return;
		next.taker = variant == READ_LATE ? TAKES_0 : READS;
		break;
	case READS:
		next.counted = w->uncounted;
		next.taker = TAKES_0;
		break;
	case TAKES_0:
		next.took[0] = w->slot[0];
		next.taker = TAKES_1;
		break;
	case TAKES_1:
		next.took[1] = w->slot[1];
		next.taker = variant == READ_LATE ? READS_LATE : ADDS;
		break;
	case READS_LATE:
		next.counted = w->uncounted;
		next.taker = ADDS;
		break;
	case ADDS:
		add(&next, w->took[0]);
		add(&next, w->took[1]);
		next.taker = RELEASES;
		break;
	case RELEASES:
		release(&next, 0);
		release(&next, 1);
		next.uncounted -= w->counted;
		next.counted = 0;
		next.taker = SLEEPS;
		break;
	}
	go(&next);
}

static bool runs(const struct world *w, int addr)
{
	int who;

	for (who = 0; who < RECORDERS; who++) {
		if (w->r[who].at && w->r[who].addr == addr)
			return true;
	}
	return false;
}

static void load(const struct world *w)
{
	struct world next = *w;

	switch (w->loader) {
	case LOADED:
		/* The first module is unloaded, the second one stays. Both wait for the lock. */
		if (w->owner || (w->taker && variant != NO_LOCK))
			return;
		if (runs(w, MODULE) && variant != PURGE_EARLY)
			return;
		next.loader = variant == NO_PURGE ? GONE : PURGES_0;
		break;
	case PURGES_0:
		if (w->slot[0] == MODULE)
			next.slot[0] = NONE;
		next.loader = PURGES_1;
		break;
	case PURGES_1:
		if (w->slot[1] == MODULE)
			next.slot[1] = NONE;
		next.loader = GONE;
		break;
	case GONE:
		if (runs(w, MODULE))
			return;
		next.owner = 1;
		next.loader = LOADED;
		next.ran[MODULE] = 0;
		next.skipped[MODULE] = 0;
		next.text[MODULE] = CALL;
		go(&next);
		next.text[MODULE] = ELSE;
		break;
	}
	if (next.loader == GONE)
		next.text[MODULE] = ELSE;
	go(&next);
}

static void check(const struct world *w)
{
	int who, addr;

	for (who = 0; who < RECORDERS; who++) {
		if (w->r[who].at)
			return;
	}
	if (w->taker || w->uncounted || w->loader != LOADED)
		return;
	for (addr = CORE; addr < ADDRS; addr++) {
		const bool in = w->slot[0] == addr || w->slot[1] == addr;

		must(!in || w->text[addr] == ELSE, "forgotten");
		must(!w->ran[addr] || w->text[addr] != CALL || w->skipped[addr], "settled");
	}
}

static void next_world(const void *state)
{
	struct world w;

	memcpy(&w, state, sizeof(w));
	check(&w);
	record(&w);
	take(&w);
	load(&w);
}

/* ---- from the large table to a small one ---- */

enum { LARGE, SMALL };
enum { MASK = 1, TABLE, USE };
enum { BOOT, MASK_SET, MASK_WAITED, TABLE_SET, TABLE_WAITED, FREED };

struct change {
	uint8_t mask, table, freed, at;
	uint8_t before;			/* bits: recorders that the grace period waits for */
	struct {
		uint8_t at, mask, table;
	} r[2];
};

static void go_on(const struct change *c)
{
	struct state s = { { 0 } };

	memcpy(&s, c, sizeof(*c));
	push(&s);
}

static void use(struct change c, int who)
{
	switch (c.r[who].at) {
	case 0:
		c.r[who].at = MASK;
		break;
	case MASK:
		c.r[who].mask = c.mask;
		c.r[who].at = TABLE;
		break;
	case TABLE:
		c.r[who].table = c.table;
		c.r[who].at = USE;
		break;
	case USE:
		must(c.r[who].mask == SMALL || c.r[who].table == LARGE, "beyond a table");
		must(c.r[who].table == SMALL || !c.freed, "freed");
		memset(&c.r[who], 0, sizeof(c.r[who]));
		c.before &= ~(1 << who);
		break;
	}
	go_on(&c);
}

static void change(struct change c)
{
	const uint8_t running = (c.r[0].at ? 1 : 0) | (c.r[1].at ? 2 : 0);

	switch (c.at) {
	case BOOT:
		c.mask = SMALL;
		c.before = variant == ONE_GRACE ? 0 : running;
		break;
	case MASK_SET:
	case TABLE_SET:
		if (c.before)
			return;
		break;
	case MASK_WAITED:
		c.table = SMALL;
		c.before = variant == NO_GRACE ? 0 : running;
		break;
	case TABLE_WAITED:
		c.freed = 1;
		break;
	case FREED:
		return;
	}
	c.at++;
	go_on(&c);
}

static void next_change(const void *state)
{
	struct change c;

	memcpy(&c, state, sizeof(c));
	use(c, 0);
	use(c, 1);
	change(c);
}

/* ---- */

static size_t all_worlds(void)
{
	const struct world w = { .text = { [ODD] = ELSE } };
	struct state s = { { 0 } };

	memcpy(&s, &w, sizeof(w));
	return explore(&s, next_world);
}

static size_t all_changes(void)
{
	const struct state s = { { 0 } };

	return explore(&s, next_change);
}

static int failures;

static void say(bool good, const char *name)
{
	printf("%sok - %s\n", good ? "" : "not ", name);
	failures += !good;
}

int main(void)
{
	size_t n;

	n = all_worlds();
	say(!broken, "nothing is lost and nothing is mistaken");
	printf("# %zu states%s%s\n", n, broken ? ", broken: " : "", broken ?: "");
	n = all_changes();
	say(!broken, "no recorder is outside of its table");
	printf("# %zu states%s%s\n", n, broken ? ", broken: " : "", broken ?: "");

	for (variant = RIGHT + 1; variant < VARIANTS; variant++) {
		char name[80];

		if (variant < ONE_GRACE)
			all_worlds();
		else
			all_changes();
		snprintf(name, sizeof(name), "found: %s", names[variant]);
		say(broken, name);
		printf("# %s\n", broken ?: "not found");
	}
	return failures != 0;
}
