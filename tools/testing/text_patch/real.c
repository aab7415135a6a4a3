// SPDX-License-Identifier: GPL-2.0
/*
 * The text engine on this machine's processor, in user space.
 *
 * The engine's own files change text that is mapped twice, while threads run
 * it. SIGTRAP is the breakpoint trap, membarrier() the sync, and signals that
 * timers send are NMIs, which run the same text. So each step of the protocol is
 * tried with the fetches of a real CPU, which no emulator has.
 *
 * A reader runs a function of many places and judges what each of them did:
 *
 *  - It was an instruction that the place had between the last commit that was
 *    complete before the reader began and the last one that began before the
 *    reader was done.
 *  - Within a walk, the changes of a commit that are made together, once a place has
 *    acted as new, no later place acts as old.
 *
 * After the readers have ended, the writer itself runs all text after each window
 * that it closes, so that each step of each method is judged whatever the CPU does.
 *
 * usage: real [SECONDS]; it ends at the first wrong verdict.
 */
#include <cpuid.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "real_text.h"
#include "text_patch.h"

static const char * const verdicts[NR_VERDICTS] = {
	[VERDICT_WHOLE]	   = "each place is old or new, and new after its commit",
	[VERDICT_MOMENT]   = "a walk flips at once for each reader",
	[VERDICT_RESOLVED] = "each breakpoint resolves",
	[VERDICT_COMMITS]  = "each commit succeeds",
	[VERDICT_MET]	   = "readers met all that they can meet",
	[VERDICT_STEPS]	   = "each method takes its steps, and is right after each",
	[VERDICT_LOST]	   = "bytes that arrive elsewhere stop the machine",
	[VERDICT_FAULTS]   = "what cannot be changed is left out, and reported",
};

#define NS		1000000000ULL
#define NMI_NS		70000
/* More time on slow machines, until readers have met all. */
#define MORE_NS		(20 * NS)
#define READERS_MAX	8
#define GROUPS		24
/* How many commits are remembered for readers. */
#define ROWS		4096
#define SAMPLES		65536
/* A limit of places in a walk, so that a commit makes several walks. */
#define FEW_PLACES	37
#define WINDOWS		2048

/* How walks are made in take_steps(), and what prevents the other method. */
enum how {
	NO_STEPS,
	BY_BREAKPOINTS,
	TRANSLATED,	/* late traps were seen: places are written twice */
	/* stop_machine() is chosen, */
	HEARD,		/* but perf listens to text changes, */
	HOTPLUG,	/* CPU hotplug is in progress, */
	NOT_STOPPED,	/* stop_machine() fails, */
	STOPPED,	/* or it is used. */
	NR_HOW
};

/* What every place does after one commit. */
struct row {
	bool one_walk;
	u8 value[REAL_PLACES];
};

struct reader {
	pthread_t thread;
	u64 dice;
	u64 floor;		/* the last commit of which it saw anything */
	unsigned long passes;
	unsigned long calls;
	unsigned long mixed;	/* passes that saw old and new of one walk */
	unsigned long after;	/* passes during which nothing was changed */
	unsigned long lost;	/* passes too long to be judged */
} __aligned(64);

/* Places that are changed together, in address order. */
struct group {
	u64 ns;		/* duration of their last commit, at most 1 ms */
	u32 nr;
	u16 place[REAL_PLACES];
};

struct window {
	u32 nr;
	pte_t ptes[TEXT_WINDOW_PAGES];
	unsigned long addr;
};

__thread unsigned int real_cpu;
unsigned int real_nr_cpus;
u8 real_percpu[REAL_CPUS][REAL_PERCPU] __aligned(64);
struct mutex text_mutex;	/* the engine's; one thread takes it */
struct mm_struct *text_poke_mm;
unsigned long text_poke_mm_addr;

static struct reader readers[READERS_MAX + 1];	/* by CPU; 0: the writer and its NMIs */
static unsigned int nr_readers;
static struct row rows[ROWS];
static struct group groups[GROUPS];
static struct window text_windows[WINDOWS];
static u8 state[REAL_PLACES], before[REAL_PLACES];
/* The last commit that began, the last that is complete. Rows are written before. */
static u64 begun __aligned(64);
static u64 done;
static bool stop __aligned(64);
static u64 start_ns, deadline;
static u64 patches, sync_ns;
/* Times of which the median is printed, as preemption would distort the mean. */
static struct samples {
	unsigned long nr;
	u64 ns[SAMPLES];
} sync_times, place_times, walk_times;
static unsigned long nmis, nmis_in_traps;
static u64 cpus_used;
static __thread unsigned int in_trap;
static u32 most_places;
static enum how how;
/* Windows opened by take_steps(); how many before one that maps other memory, -1: none. */
static unsigned long opened;
static unsigned long lost_in = -1UL;
static u8 elsewhere[TEXT_WINDOW_PAGES * PAGE_SIZE];
static unsigned long perf_events, cores_synced;
static __thread bool is_writer;
unsigned int real_hotplug_locks;
atomic_t nr_text_poke_events;

u64 local_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

static void sample(struct samples *s, u64 ns)
{
	s->ns[s->nr++ % SAMPLES] = ns;
}

static int compare_ns(const void *a, const void *b)
{
	return (*(const u64 *)a > *(const u64 *)b) - (*(const u64 *)a < *(const u64 *)b);
}

static unsigned long long median(struct samples *s)
{
	const unsigned long nr = min_t(unsigned long, s->nr, SAMPLES);

	qsort(s->ns, nr, sizeof(*s->ns), compare_ns);
	return s->ns[nr / 2];
}

void real_fail(enum verdict verdict, const char *fmt, ...)
{
	static int first;
	char why[300];
	va_list args;
	sigset_t all;

	/* An NMI on this thread could fail, too, and would wait for ever. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (__atomic_exchange_n(&first, 1, __ATOMIC_SEQ_CST))
		for (;;)
			pause();
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	dprintf(1, "not ok - real: %s\n# after %.1f ms, %llu commits: %s\n", verdicts[verdict],
		(local_clock() - start_ns) / 1e6, (unsigned long long)begun, why);
	_exit(1);
}

void real_relax(void)
{
	static __thread unsigned int spins;

	if (++spins % 1024)
		__builtin_ia32_pause();
	else
		sched_yield();
}

void real_panics(void)
{
	if (lost_in != -1UL)
		_exit(0);
}

bool text_method_is_stop_machine(void)
{
	return how >= HEARD;
}

bool real_is_guest(void)
{
	return how == TRANSLATED;
}

bool real_hotplug(void)
{
	return how == HOTPLUG;
}

/* In each round the stopped CPUs must do this before the writer does. */
void real_sync_core(void)
{
	const unsigned long nr = __atomic_add_fetch(&cores_synced, 1, __ATOMIC_SEQ_CST);

	if (is_writer && nr % real_nr_cpus)
		real_fail(VERDICT_STEPS, "the writer goes on, and a stopped CPU has old bytes");
}

/*
 * Windows: writable mappings of text, made at first use and then kept. Unmapping
 * would interrupt the other CPUs, which then forget what they fetched.
 */
pte_t text_page_pte(unsigned long addr)
{
	return (pte_t){ addr };
}

static struct window *find_window(const pte_t *ptes, u32 nr)
{
	u32 i = (ptes[0].addr / PAGE_SIZE * 31 + ptes[nr - 1].addr / PAGE_SIZE * 7 + nr) % WINDOWS;
	u32 tries;

	for (tries = 0; tries < WINDOWS; tries++, i = (i + 1) % WINDOWS) {
		struct window *w = &text_windows[i];

		if (!w->nr || (w->nr == nr && !memcmp(w->ptes, ptes, nr * sizeof(*ptes))))
			return w;
	}
	real_fail(VERDICT_MET, "too many windows");
}

static void map_window(struct window *w, const pte_t *ptes, u32 nr)
{
	const size_t size = TEXT_WINDOW_PAGES * PAGE_SIZE;
	u8 *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u32 i;

	for (i = 0; at != MAP_FAILED && i < nr; i++)
		if (mmap(at + i * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, real_text_file,
			 ptes[i].addr - (unsigned long)real_text) == MAP_FAILED)
			break;
	if (i < nr)
		real_fail(VERDICT_MET, "a window cannot be mapped");
	memcpy(w->ptes, ptes, nr * sizeof(*ptes));
	w->addr = (unsigned long)at;
	w->nr = nr;
}

void text_window_open(struct text_hold *hold, const pte_t *ptes, u32 nr)
{
	struct window *w = find_window(ptes, nr);

	if (!w->nr)
		map_window(w, ptes, nr);
	text_poke_mm_addr = w->addr;
	is_writer = true;
	if (opened++ == lost_in)
		text_poke_mm_addr = (unsigned long)elsewhere;
}

static long sync_cores(void)
{
	return syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

void smp_text_poke_sync_each_cpu(void)
{
	const u64 begin = local_clock();

	if (sync_cores())
		real_fail(VERDICT_MET, "membarrier fails");
	sync_ns += local_clock() - begin;
	sample(&sync_times, local_clock() - begin);
}

static const struct place *find_place(unsigned long addr)
{
	u32 i;

	for (i = 0; i < REAL_PLACES; i++)
		if (addr - real_place[i].addr < real_place[i].len)
			return &real_place[i];
	return NULL;
}

static const char *where(unsigned long addr)
{
	const struct place *p = find_place(addr);
	static char text[80];

	if (!p)
		return "no place";
	snprintf(text, sizeof(text), "place %td (%s%s) at +%lu", p - real_place,
		 real_kinds[p->kind], p->page ? ", crosses a page" :
		 p->line ? ", crosses a line" : "", addr - p->addr);
	return text;
}

/* Trace decoders need the event while the breakpoint is in the text. */
void perf_event_text_poke(const void *addr, const void *old, size_t old_len,
			  const void *new, size_t new_len)
{
	const struct place *p = find_place((unsigned long)addr);
	const u32 place = p - real_place;

	perf_events++;
	if (!p || old_len != p->len || new_len != p->len || *(const u8 *)addr != INT3_INSN_OPCODE ||
	    memcmp(old, p->insn[before[place]], old_len) ||
	    memcmp(new, p->insn[state[place]], new_len))
		real_fail(VERDICT_STEPS, "perf is told something else, or not in time, of %s",
			  where((unsigned long)addr));
}

/* The first commit from @k to @hi after which @place acts as @seen; ~0 if none. */
static u64 first_fit(u32 place, u8 seen, u64 k, u64 hi)
{
	for (; k <= hi; k++)
		if (rows[k % ROWS].value[place] == seen)
			return k;
	return ~0ULL;
}

/* Is it too late to judge? Rows may have been overwritten. */
static bool overrun(u64 lo)
{
	return READ_ONCE(begun) - lo >= ROWS - 2;
}

/*
 * Judge what a run of @lane left in @seen, between commits @lo and @hi. If each
 * commit was one walk, later places must not act as of earlier commits.
 *
 * Return: the last commit of which something was seen.
 */
static u64 judge(struct reader *r, const struct lane *lane, const u8 *seen, u64 lo, u64 hi)
{
	bool one_walk = true;
	u64 k, now = lo;
	u32 i;

	if (overrun(lo)) {
		r->lost++;
		return lo;
	}
	for (k = lo + 1; k <= hi; k++)
		one_walk &= rows[k % ROWS].one_walk;
	for (i = 0; i < lane->nr; i++) {
		const u32 place = lane->first + i;
		const u64 fit = first_fit(place, seen[i], one_walk ? now : lo, hi);
		bool known;

		if (fit != ~0ULL) {
			if (one_walk && i && fit != now)
				r->mixed++;
			if (one_walk)
				now = fit;
			continue;
		}
		known = first_fit(place, seen[i], lo, hi) != ~0ULL;
		if (overrun(lo)) {
			r->lost++;
			return lo;
		}
		real_fail(known ? VERDICT_MOMENT : VERDICT_WHOLE,
			  "%s acted as state %u, after commit %llu before %llu; an earlier place as of %llu; commit %llu there: %u",
			  where(real_place[place].addr), seen[i], (unsigned long long)lo,
			  (unsigned long long)hi + 1, (unsigned long long)now,
			  (unsigned long long)hi, rows[hi % ROWS].value[place]);
	}
	return now;
}

/* Run one function of the text and judge it. */
static void run_lane(struct reader *r, const struct lane *lane, u8 *seen, bool nmi)
{
	u64 lo, hi, last;

	/* Pairs with change(): the text is that of commit @done, or newer. */
	lo = smp_load_acquire(&done);
	/* It must not see older text than before. */
	lo = max(lo, r->floor);
	lane->run(seen);
	/* Fetch the text before @begun is read. */
	__builtin_ia32_lfence();
	/* Pairs with change(): no newer text has been seen. */
	hi = smp_load_acquire(&begun);

	last = judge(r, lane, seen, lo, hi);
	if (nmi)
		return;
	r->floor = last;
	r->calls += lane->nr;
	r->after += hi == lo;
	/* Pairs with all_readers(). */
	smp_store_release(&r->passes, r->passes + 1);
}

static void pass(struct reader *r, u64 *dice, u8 *seen, bool nmi)
{
	const u32 throw = real_dice(dice, 10);

	run_lane(r, &real_lane[throw < 6 ? 0 : throw < 9 ? 1 : 2], seen, nmi);
}

void text_window_close(const struct text_hold *hold, u32 nr)
{
	u8 seen[REAL_PLACES];
	u32 i;

	/* Writes without a window must crash. */
	text_poke_mm_addr = 0;
	barrier();
	for (i = 0; how && lost_in == -1UL && i < REAL_LANES; i++)
		run_lane(&readers[real_cpu], &real_lane[i], seen, true);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct pt_regs regs = {
		.ax = gregs[REG_RAX], .ip = gregs[REG_RIP],
		.sp = gregs[REG_RSP], .flags = gregs[REG_EFL],
	};

	in_trap++;
	barrier();
	if (!smp_text_poke_int3_handler(&regs))
		real_fail(VERDICT_RESOLVED, "the trap at %s was not",
			  where(regs.ip - INT3_INSN_SIZE));
	barrier();
	in_trap--;
	gregs[REG_RAX] = regs.ax;
	gregs[REG_RIP] = regs.ip;
	gregs[REG_RSP] = regs.sp;
}

/* An NMI, on a reader or, in the middle of a commit, on the writer. */
static void on_nmi(int sig, siginfo_t *info, void *context)
{
	static __thread u64 dice;
	u8 seen[REAL_PLACES];

	if (!dice)
		dice = real_cpu + 99;
	__atomic_add_fetch(in_trap ? &nmis_in_traps : &nmis, 1, __ATOMIC_RELAXED);
	pass(&readers[real_cpu], &dice, seen, true);
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	const unsigned long ip = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	real_fail(VERDICT_WHOLE, "a reader ended by signal %d at text+%#lx, %s", sig,
		  ip - (unsigned long)real_text, where(ip));
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	const struct sigaction act = {
		.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags,
	};

	sigaction(sig, &act, NULL);
}

/* A timer that sends this thread NMIs. */
static timer_t nmi_timer(void)
{
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	timer_t timer;

	to._sigev_un._tid = syscall(__NR_gettid);
	if (timer_create(CLOCK_MONOTONIC, &to, &timer))
		real_fail(VERDICT_MET, "no timer");
	return timer;
}

/* Send one after @ns, then one every @every ns; 0: no more. */
static void send_nmis(timer_t timer, long ns, long every)
{
	const struct itimerspec when = { { 0, every }, { 0, ns } };

	timer_settime(timer, 0, &when, NULL);
}

static void *read_text_always(void *arg)
{
	struct reader *r = arg;
	u8 seen[REAL_PLACES];
	timer_t timer;

	real_cpu = r - readers;
	r->dice = real_cpu;
	timer = nmi_timer();
	send_nmis(timer, NMI_NS, NMI_NS);
	while (!READ_ONCE(stop)) {
		pass(r, &r->dice, seen, false);
		if (!(r->passes % 256))
			__atomic_fetch_or(&cpus_used, 1ULL << sched_getcpu() % 64,
					  __ATOMIC_RELAXED);
	}
	timer_delete(timer);
	return NULL;
}

/* Eight single places, each function, all places, and random places. */
static void make_groups(u64 *dice)
{
	u32 g, i;

	for (g = 0; g < GROUPS; g++) {
		struct group *to = &groups[g];

		for (i = 0; i < REAL_PLACES; i++) {
			const struct lane *lane = &real_lane[g - 8];
			bool in = true;

			if (g < 8)
				in = i == g;
			else if (g < 8 + REAL_LANES)
				in = i - lane->first < lane->nr;
			else if (g > 8 + REAL_LANES)
				in = !real_dice(dice, g % 2 ? 2 : 8);
			if (in)
				to->place[to->nr++] = i;
		}
	}
}

/* Calls that are queued together by text_patch_add_calls(). */
static struct text_call calls[REAL_PLACES];
static size_t nr_calls;

static void add_calls(struct text_patch_tx *tx)
{
	size_t nr;

	mutex_lock(&text_mutex);
	nr = text_patch_add_calls(tx, calls, sizeof(*calls), nr_calls);
	mutex_unlock(&text_mutex);
	if (nr < nr_calls)
		real_fail(VERDICT_COMMITS, "%s cannot be queued", where(calls[nr].addr));
	nr_calls = 0;
}

static bool is_call(u32 place)
{
	return real_place[place].kind == KIND_CALL || real_place[place].kind == KIND_LONG;
}

/* Queue one change; calls are collected for add_calls(). */
static void add(struct text_patch_tx *tx, u32 place, u8 from, u8 to, bool known)
{
	struct place *p = &real_place[place];
	void *addr = (void *)p->addr;
	int err;

	if (is_call(place)) {
		calls[nr_calls++] = (struct text_call){ p->addr, p->to[from], p->to[to] };
		return;
	}
	add_calls(tx);
	err = text_patch_add(addr, known ? p->insn[from] : NULL, p->insn[to], p->len);
	if (err)
		real_fail(VERDICT_COMMITS, "%s cannot be queued: %d", where(p->addr), err);
}

/* The @i-th of @nr in an order: down, up and back down, or, mostly, up. */
static u32 in_order(u64 order, u32 nr, u32 i)
{
	switch (order) {
	case 0:
		return nr - 1 - i;
	case 1:
		return 2 * i < nr ? 2 * i : 2 * (nr - 1 - i) + 1;
	default:
		return i;
	}
}

/* Queue a change of a place to another state, and note it in @row. */
static void add_other(struct text_patch_tx *tx, struct row *row, u32 place, bool known, u64 *dice)
{
	const u8 nr = real_place[place].nr, from = state[place];
	const u8 to = (from + 1 + real_dice(dice, nr - 1)) % nr;

	add(tx, place, from, to, known);
	before[place] = from;
	state[place] = to;
	row->value[place] = real_place[place].value[to];
}

/* Change all places of a group to something else by one transaction. */
static void change(struct group *g, u64 *dice, u32 walk_places, timer_t timer)
{
	const u64 order = real_dice(dice, 4);
	const bool known = real_dice(dice, 8);
	struct text_patch_tx tx = {};
	const u64 k = done + 1;
	struct row *row = &rows[k % ROWS];
	u64 begin, committed, syncs = sync_ns, walks = text_commit_stat.walk_ns;
	const unsigned long chunks = text_commit_stat.chunks;
	u32 i;

	*row = rows[done % ROWS];
	row->one_walk = g->nr <= walk_places;
	text_walk_places = walk_places;

	begin = local_clock();
	text_patch_begin(&tx);
	/* All in the order of the group, or all calls first. */
	for (i = 0; i < g->nr; i++) {
		const u32 place = g->place[in_order(order, g->nr, i)];

		if (known || is_call(place))
			add_other(&tx, row, place, known, dice);
	}
	add_calls(&tx);
	for (i = 0; i < g->nr && !known; i++)
		if (!is_call(g->place[i]))
			add_other(&tx, row, g->place[i], known, dice);
	/* Pairs with run_lane(): the row is written. */
	smp_store_release(&begun, k);
	/* An NMI at any moment of the commit: with one CPU, readers do not run then. */
	committed = local_clock();
	if (!how)
		send_nmis(timer, 1 + real_dice(dice, 1000 + g->ns), 0);
	if (text_patch_commit(&tx))
		real_fail(VERDICT_COMMITS, "%s has a fault", where((unsigned long)tx.first.addr));
	if ((text_commit_stat.chunks - chunks) * walk_places < g->nr)
		real_fail(VERDICT_COMMITS, "a walk takes more than %u places", walk_places);
	if (text_commit_stat.walk_ns - walks > local_clock() - begin)
		real_fail(VERDICT_COMMITS, "its walks take longer than all of it");
	g->ns = min_t(u64, local_clock() - committed, NS / 1000);
	/* Pairs with run_lane(): the text is written. */
	smp_store_release(&done, k);
	patches += g->nr;
	if (g->nr < 64)
		return;
	syncs = sync_ns - syncs;
	sample(&place_times, (local_clock() - begin - syncs) / g->nr);
	sample(&walk_times, (text_commit_stat.walk_ns - walks - syncs) / g->nr);
}

static struct reader all_readers(void)
{
	struct reader sum = {};
	unsigned int i;

	for (i = 0; i < real_nr_cpus; i++) {
		/* Pairs with run_lane(): the pass has been judged. */
		sum.passes += smp_load_acquire(&readers[i].passes);
		sum.calls += readers[i].calls;
		sum.mixed += readers[i].mixed;
		sum.after += readers[i].after;
		sum.lost += readers[i].lost;
	}
	return sum;
}

static struct text_trap_cpu all_traps(void)
{
	struct text_trap_cpu sum = {};
	unsigned int i;

	for (i = 0; i < real_nr_cpus; i++) {
		const struct text_trap_cpu *t = per_cpu_ptr(&text_trap_cpu, i);

		sum.live += t->live;
		sum.late += t->late;
		sum.resumed += t->resumed;
	}
	return sum;
}

/* A run that met less than this would show too little. */
static bool has_met_all(void)
{
	const struct reader sum = all_readers();

	return sum.mixed && sum.after && sum.lost < sum.passes / 10 && all_traps().live &&
	       nmis && nmis_in_traps;
}

/* Let readers run whole passes while nothing changes. */
static void wait_for_readers(void)
{
	const unsigned long passes = all_readers().passes;

	while (all_readers().passes - passes < 2 * nr_readers && local_clock() < deadline)
		cpu_relax();
}

static void *change_text(void *arg)
{
	u64 dice = 7;
	timer_t timer;

	make_groups(&dice);
	timer = nmi_timer();
	while (local_clock() < deadline ||
	       (!has_met_all() && local_clock() < deadline + MORE_NS)) {
		change(&groups[real_dice(&dice, GROUPS)], &dice,
		       real_dice(&dice, 8) ? most_places : FEW_PLACES, timer);
		if (!real_dice(&dice, 4))
			wait_for_readers();
	}
	timer_delete(timer);
	WRITE_ONCE(stop, true);
	return NULL;
}

static struct {
	int (*fn)(void *data);
	void *data;
} stopper;

static void *stop_cpu(void *arg)
{
	real_cpu = (struct reader *)arg - readers;
	stopper.fn(stopper.data);
	is_writer = false;
	return NULL;
}

static void join(pthread_t thread, u64 ns, const char *what)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ns / NS + 1;
	if (pthread_timedjoin_np(thread, NULL, &until))
		real_fail(VERDICT_WHOLE, "%s does not end", what);
}

/* All CPUs run @fn, in any order. */
int real_stop_machine(int (*fn)(void *data), void *data)
{
	unsigned int i;

	if (how != STOPPED)
		return -EBUSY;
	stopper.fn = fn;
	stopper.data = data;
	for (i = 0; i <= nr_readers; i++)
		pthread_create(&readers[i].thread, NULL, stop_cpu, &readers[i]);
	for (i = 0; i <= nr_readers; i++)
		join(readers[i].thread, 20 * NS, "a stopped CPU");
	return 0;
}

/* Change everything, in walks of at most @places, and run it after each step. */
static void take_steps(enum how way, u32 places)
{
	struct group *all = &groups[8 + REAL_LANES];
	const struct text_commit_stat was = text_commit_stat;
	const unsigned long syncs = sync_times.nr;
	unsigned long walks, windows;
	u64 dice = places;

	how = way;
	opened = 0;
	perf_events = 0;
	cores_synced = 0;
	atomic_set(&nr_text_poke_events, way == HEARD);
	change(all, &dice, places, NULL);

	walks = text_commit_stat.chunks - was.chunks;
	windows = text_commit_stat.windows - was.windows;
	if (windows < 2 || opened != windows * (way == TRANSLATED ? 5 : 3))
		real_fail(VERDICT_STEPS, "%u: %lu of %lu windows opened", way, opened, windows);
	if (sync_times.nr - syncs != walks * (way == STOPPED ? 0 : way == TRANSLATED ? 3 : 2))
		real_fail(VERDICT_STEPS, "%u: %lu syncs", way, sync_times.nr - syncs);
	if (cores_synced != (way == STOPPED ? 3 * walks * real_nr_cpus : 0))
		real_fail(VERDICT_STEPS, "%u: %lu of stopped CPUs", way, cores_synced);
	if (perf_events != (way == HEARD ? all->nr : 0) || real_hotplug_locks)
		real_fail(VERDICT_STEPS, "%u: %lu events, locked %u times", way, perf_events,
			  real_hotplug_locks);
	how = NO_STEPS;
}

/* Does the engine panic if the window opened after @nr others maps other memory? */
static void lose_bytes(unsigned long nr)
{
	const size_t size = real_text_end - real_text;
	u8 *text = malloc(size);
	pid_t child;
	int status;

	memcpy(text, real_text, size);
	child = fork();
	if (!child) {
		lost_in = nr;
		take_steps(BY_BREAKPOINTS, most_places);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || status)
		real_fail(VERDICT_LOST, "not after %lu windows", nr);
	/* The child shares the text, and ended in the middle of a commit. */
	if (pwrite(real_text_file, text, size, 0) != (ssize_t)size)
		real_fail(VERDICT_LOST, "the text cannot be written");
	free(text);
}

static void take_all_steps(void)
{
	unsigned long last;
	u32 way;

	/* As if the last CPU had seen a late trap. */
	per_cpu(text_trap_cpu.late, nr_readers) = 1;
	for (way = BY_BREAKPOINTS; way < NR_HOW; way++) {
		/* Walks are shorter while perf listens. */
		take_steps(way, way == HEARD ? most_places / 16 : most_places);
		take_steps(way, way == HEARD ? most_places / 16 : FEW_PLACES);
	}
	take_steps(BY_BREAKPOINTS, most_places);
	last = opened - 1;
	lose_bytes(0);
	lose_bytes(1);
	lose_bytes(last);
}

static int faults[8];

static void note_fault(struct text_patch_tx *tx, const struct text_patch_fault *fault)
{
	faults[tx->nr_faults - 1] = fault->err;
}

/* Change two places in a transaction with four changes that are not possible. */
static void leave_out(void)
{
	static const int expected[ARRAY_SIZE(faults)] = { -EBUSY, -EINVAL, -EFAULT, -EFAULT };
	struct text_patch_tx tx = { .fault = note_fault };
	const struct place *p = &real_place[1], *other = &real_place[8];
	struct row *row = &rows[(done + 1) % ROWS];
	u8 seen[REAL_PLACES];

	*row = rows[done % ROWS];
	begun = done + 1;
	text_patch_begin(&tx);
	for (u32 i = 0; i < 2; i++) {
		const struct place *q = &real_place[i];
		const u8 to = (state[i] + 1) % q->nr;

		row->value[i] = q->value[to];
		add(&tx, i, state[i], to, true);
	}
	add_calls(&tx);
	if (text_patch_add((void *)p->addr + 2, NULL, other->insn[0], other->len) ||
	    text_patch_add((void *)other->addr, p->insn[0], other->insn[0], other->len) ||
	    text_patch_add(real_text_end - 2, NULL, other->insn[0], other->len) ||
	    text_patch_add(real_text_end + PAGE_SIZE, NULL, other->insn[0], other->len))
		real_fail(VERDICT_FAULTS, "a change cannot be queued");
	if (text_patch_commit(&tx) != -EBUSY || memcmp(faults, expected, sizeof(faults)) ||
	    tx.first.addr != (void *)p->addr + 2)
		real_fail(VERDICT_FAULTS, "%u faults: %d %d %d %d", tx.nr_faults, faults[0],
			  faults[1], faults[2], faults[3]);
	done = begun;
	run_lane(&readers[0], &real_lane[0], seen, true);
	run_lane(&readers[0], &real_lane[1], seen, true);
}

/* Does a reader end a pass within 20 us, on another CPU? */
static bool is_awake(void)
{
	const unsigned long passes = all_readers().passes;
	const u64 until = local_clock() + 20000;

	while (all_readers().passes == passes)
		if (local_clock() > until)
			return false;
	/* After that it may have run on this CPU. */
	return local_clock() <= until;
}

/* The median cost of a sync; if @awake, of one that has to interrupt a reader. */
static unsigned long long price_of_sync(bool awake)
{
	static struct samples times;
	const u64 until = local_clock() + NS / 4;

	times.nr = 0;
	while (times.nr < 5000 && local_clock() < until) {
		const bool before = !awake || is_awake();
		const u64 begin = local_clock(), ns = (sync_cores(), local_clock() - begin);

		if (before && (!awake || is_awake()))
			sample(&times, ns);
	}
	return median(&times);
}

/* Print the CPU model, as in /proc/cpuinfo. */
static void print_machine(void)
{
	char line[200], *name;
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "model name", 10))
			continue;
		name = strchr(line, ':');
		printf("# real: on %s", name ? name + 2 : line);
		break;
	}
	if (f)
		fclose(f);
}

/* Does QEMU emulate this CPU? Its fetches would show nothing. */
static bool is_emulated(void)
{
	unsigned int ax, bx, cx, dx;

	if (!__get_cpuid(1, &ax, &bx, &cx, &dx) || !(cx >> 31))
		return false;
	__cpuid(0x40000000, ax, bx, cx, dx);
	return !memcmp(&bx, "TCGT", 4);
}

static void report(double seconds, unsigned long long sync_alone, unsigned long long sync_awake)
{
	const struct text_commit_stat *s = &text_commit_stat;
	struct text_trap_cpu traps = all_traps();
	struct reader sum = all_readers();

	printf("# real: %llu patches in %.1f s, by %lu walks and %lu syncs of %llu transactions\n",
	       (unsigned long long)patches, seconds, s->chunks, s->syncs, (unsigned long long)done);
	printf("# real: medians: a place %llu ns, of which the walk %llu ns\n",
	       median(&place_times), median(&walk_times));
	printf("# real: medians: a sync %llu ns in walks, %llu ns beside a reader, %llu ns alone\n",
	       median(&sync_times), sync_awake, sync_alone);
	printf("# real: %u readers on %d CPUs, %lu places run in %lu passes\n", nr_readers,
	       __builtin_popcountll(cpus_used), sum.calls, sum.passes);
	printf("# real: %lu passes saw a flip, %lu no change, %lu were not judged\n",
	       sum.mixed, sum.after, sum.lost);
	printf("# real: %lu traps, %lu of them late, %lu resumed\n",
	       traps.live + traps.late + traps.resumed, traps.late, traps.resumed);
	printf("# real: %lu NMIs, %lu of them in a trap\n", nmis + nmis_in_traps, nmis_in_traps);
	if (!has_met_all())
		real_fail(VERDICT_MET, "see above");
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 2;
	unsigned long long sync_alone, sync_awake;
	const char *why;
	pthread_t writer;
	unsigned int i;

	why = is_emulated() ? "an emulated processor" :
	      syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) ?
	      "no membarrier(SYNC_CORE)" : NULL;
	for (i = 0; why && i < NR_VERDICTS; i++)
		printf("ok - real: %s # SKIP %s\n", verdicts[i], why);
	if (why)
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	print_machine();
	nr_readers = min_t(unsigned int, max(2L, sysconf(_SC_NPROCESSORS_ONLN)), READERS_MAX);
	real_nr_cpus = nr_readers + 1;
	BUG_ON(__stop_percpu - __start_percpu > REAL_PERCPU);
	handle(SIGTRAP, on_trap, SA_NODEFER);
	handle(SIGUSR1, on_nmi, 0);
	handle(SIGSEGV, on_crash, 0);
	handle(SIGBUS, on_crash, 0);
	handle(SIGILL, on_crash, 0);
	real_text_make();
	for (i = 0; i < REAL_PLACES; i++)
		rows[0].value[i] = real_place[i].value[0];
	rows[0].one_walk = true;
	most_places = text_walk_places;

	sync_alone = price_of_sync(false);
	for (i = 1; i <= nr_readers; i++)
		pthread_create(&readers[i].thread, NULL, read_text_always, &readers[i]);
	sync_awake = price_of_sync(true);
	start_ns = local_clock();
	deadline = start_ns + seconds * NS;
	pthread_create(&writer, NULL, change_text, NULL);
	/* With a timeout, as a thread may be caught in wrong text for ever. */
	join(writer, deadline - start_ns + MORE_NS + 20 * NS, "the writer");
	for (i = 1; i <= nr_readers; i++)
		join(readers[i].thread, 20 * NS, "a reader");

	report((local_clock() - start_ns) / 1e9, sync_alone, sync_awake);
	take_all_steps();
	leave_out();
	for (i = 0; i < NR_VERDICTS; i++)
		printf("ok - real: %s\n", verdicts[i]);
	return 0;
}
