// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the recorder's assembly one instruction at a time, beside the taker's
 * code. Between any two instructions an NMI may call functions itself, the
 * taker may take or release, or the task may continue on another CPU.
 */
#include <asm/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "records.h"

struct ftrace_recorder {
	unsigned long *slots;
	unsigned long stored, skipped;
};

struct machine {
	u64 ax, bx, cx, dx, si, di, bp, r8, r9, r10, r12, r13, r14, r15, sp;
};

extern u8 fentry[], fentry_end[], functions[];
extern struct machine seen;
extern u64 caller_sp;
extern u32 nested;
void call_with(void *function, const struct machine *m, u64 flags);
void call_nested(void *function);

#define TF		0x100
#define FLAGS		0x202
#define CPUS		2
#define BUCKETS		4

/* The recorder that the assembly names; each CPU's own one is %gs further. */
struct ftrace_recorder ftrace_recorder;
u32 ftrace_recorder_mask;
static struct ftrace_recorder recorders[CPUS];
static struct ftrace_records *tables[CPUS];
static LIST_HEAD(all_tables);

/* The function @i, and where its call returns to. 0, 4, 8 and 12 share a bucket. */
static void *function(int i)
{
	return functions + 16 * i;
}

static unsigned long address(int i)
{
	return (unsigned long)function(i) + 5;
}

static unsigned long *slot(int cpu, int i, int way)
{
	return &tables[cpu]->slots[(address(i) & ftrace_recorder_mask) / sizeof(long) + way];
}

static void on_cpu(int cpu)
{
	const unsigned long gs = (unsigned long)&recorders[cpu] - (unsigned long)&ftrace_recorder;

	if (syscall(SYS_arch_prctl, ARCH_SET_GS, gs))
		exit(2);
}

/* One test of many runs: what happens between two instructions, and when. */
enum { NOTHING, CALL_SAME, CALL_OTHER, CALL_TWO, TAKE, MIGRATE, EVENTS };

static int events[2];			/* the second may be the release */
static unsigned int when[2];
static unsigned int steps;
static struct ftrace_take take;
static bool taken;
static unsigned long counted;		/* what the taker read before it took */
static unsigned long released;
static bool found;			/* the taker has had the function's address */

static unsigned long stored(void)
{
	return recorders[0].stored + recorders[1].stored;
}

static unsigned long skipped(void)
{
	return recorders[0].skipped + recorders[1].skipped;
}

static void call_function(int i)
{
	nested++;
	call_nested(function(i));
	nested--;
}

static void take_all(void)
{
	counted = stored();
	if (ftrace_take_make(&take, &all_tables))
		exit(2);
	for (u32 i = 0; i < take.nr; i++)
		found |= take.records[i].addr == address(0);
	taken = true;
}

static void release_all(void)
{
	if (!taken)
		return;
	released += take.nr;
	ftrace_take_release(&take, 0, take.nr);
	ftrace_take_drop(&take);
	taken = false;
}

static void happen(int event)
{
	switch (event) {
	case CALL_SAME:
		call_function(0);
		break;
	case CALL_OTHER:
		call_function(4);
		break;
	case CALL_TWO:
		call_function(4);
		call_function(8);
		break;
	case TAKE:
		if (taken)
			release_all();
		else
			take_all();
		break;
	case MIGRATE:
		on_cpu(1);
		break;
	}
}

static void step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const u64 ip = uc->uc_mcontext.gregs[REG_RIP];
	int i;

	if (ip < (u64)fentry || ip >= (u64)fentry_end) {
		if (steps)
			uc->uc_mcontext.gregs[REG_EFL] &= ~TF;
		return;
	}
	for (i = 0; i < 2; i++) {
		if (events[i] && when[i] == steps)
			happen(events[i]);
	}
	steps++;
}

static const char *name;
static bool good;
static int failures;

static void begin(const char *what)
{
	name = what;
	good = true;
}

static void end(void)
{
	printf("%sok - %s\n", good ? "" : "not ", name);
	failures += !good;
}

static void expect(bool cond, const char *what, unsigned long got)
{
	if (cond)
		return;
	if (good)
		printf("# %s: %s, %ld; events %d at %u, %d at %u of %u\n", name, what,
		       (long)got, events[0], when[0], events[1], when[1], steps);
	good = false;
}

static void reset(void)
{
	int cpu;

	on_cpu(0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		memset(tables[cpu]->slots, 0, tables[cpu]->nr * sizeof(long));
		recorders[cpu] = (struct ftrace_recorder){ .slots = tables[cpu]->slots };
	}
	taken = false;
	found = false;
	released = 0;
	counted = 0;
	events[0] = NOTHING;
	events[1] = NOTHING;
	steps = 0;
}

static const struct machine before = {
	.ax = 0x1001, .bx = 0x1002, .cx = 0x1003, .dx = 0x1004, .si = 0x1005,
	.di = 0x1006, .bp = 0x1007, .r8 = 0x1008, .r9 = 0x1009, .r10 = 0x100a,
	.r12 = 0x100c, .r13 = 0x100d, .r14 = 0x100e, .r15 = 0x100f,
};

/* Call function @i step by step; it must see the caller's registers. */
static void run(int i)
{
	struct machine want = before;

	memset(&seen, 0, sizeof(seen));
	steps = 0;
	call_with(function(i), &before, FLAGS | TF);
	want.sp = caller_sp - 8;
	expect(!memcmp(&seen, &want, sizeof(seen)), "registers differ", seen.ax);
}

static void test_stores(void)
{
	begin("first_call_stores_its_address");
	reset();
	run(0);
	expect(*slot(0, 0, 0) == address(0), "first slot", *slot(0, 0, 0));
	expect(!*slot(0, 0, 1), "second slot", *slot(0, 0, 1));
	expect(stored() == 1, "stored", stored());
	expect(!skipped(), "skipped", skipped());
	expect(ftrace_records_filled(&all_tables) == 1, "filled", 1);
	expect(steps <= 60, "instructions", steps);
	printf("# %u instructions\n", steps);
	run(4);
	expect(*slot(0, 0, 1) == address(4), "second slot", *slot(0, 0, 1));
	expect(stored() == 2, "stored", stored());
	expect(steps <= 60, "instructions", steps);
	printf("# %u instructions for the second slot\n", steps);
	run(1);
	expect(*slot(0, 1, 0) == address(1), "another bucket", *slot(0, 1, 0));
	end();
}

static void test_known(void)
{
	begin("call_that_is_in_a_slot_takes_12_instructions");
	reset();
	run(0);
	run(4);
	run(0);
	expect(steps <= 12, "instructions, first slot", steps);
	printf("# %u instructions for the first slot\n", steps);
	run(4);
	expect(steps <= 12, "instructions, second slot", steps);
	printf("# %u instructions for the second slot\n", steps);
	expect(stored() == 2 && !skipped(), "stored", stored());
	end();
}

static void test_full(void)
{
	begin("call_without_a_free_slot_is_skipped");
	reset();
	run(0);
	run(4);
	run(8);
	expect(steps <= 60, "instructions", steps);
	printf("# %u instructions\n", steps);
	expect(skipped() == 1, "skipped", skipped());
	expect(stored() == 2, "stored", stored());
	expect(*slot(0, 0, 0) == address(0), "first slot", *slot(0, 0, 0));
	expect(*slot(0, 0, 1) == address(4), "second slot", *slot(0, 0, 1));

	take_all();
	release_all();
	run(8);
	expect(*slot(0, 0, 0) == address(8), "found at its next execution", *slot(0, 0, 0));
	end();
}

static void test_reuse(void)
{
	begin("second_slot_is_found_with_the_first_one_free");
	reset();
	run(0);
	run(4);
	*slot(0, 0, 0) = 0;
	run(4);
	expect(!*slot(0, 0, 0), "first slot", *slot(0, 0, 0));
	expect(stored() == 2, "stored", stored());
	expect(steps <= 12, "instructions", steps);
	end();
}

/* What holds after every run. */
static void check(void)
{
	const unsigned long filled = ftrace_records_filled(&all_tables);
	int cpu, i;
	bool in = false;

	for (cpu = 0; cpu < CPUS; cpu++) {
		for (i = 0; i < tables[cpu]->nr; i++) {
			const unsigned long addr = tables[cpu]->slots[i];
			const unsigned long nr = (addr - address(0)) / 16;

			in |= addr == address(0);
			expect(!addr || (nr <= 12 && addr == address(nr)), "no address", addr);
		}
	}
	expect(stored() == filled + released, "stored, but neither in a slot nor released",
	       stored());
	expect(in || found || skipped(), "lost", address(0));
	if (taken)
		expect(counted - released <= take.nr, "counted, but not taken", counted);
	release_all();
}

/* Slots of the bucket before a run: bits, first and second. */
static void fill(int bits)
{
	if (bits & 1)
		call_function(12);
	if (bits & 2) {
		if (!(bits & 1)) {
			call_function(12);
			call_function(8);
			*slot(0, 0, 0) = 0;
			released++;
		} else {
			call_function(8);
		}
	}
}

/* One event after @i instructions, another one after @j. */
static void run_with(int bits, int again, int a, unsigned int i, int b, unsigned int j)
{
	reset();
	fill(bits);
	if (again)
		call_function(0);
	events[0] = a;
	events[1] = b;
	when[0] = i;
	when[1] = j;
	run(0);
	check();
}

static unsigned int length(int bits, int again)
{
	reset();
	fill(bits);
	if (again)
		call_function(0);
	run(0);
	return steps;
}

/* Each event at each instruction, alone and with another one after it. */
static void test_every(void)
{
	unsigned int runs = 0, bits, a, i, j;

	begin("anything_may_happen_between_two_instructions");
	for (bits = 0; bits < 8; bits++) {
		const int again = bits >> 2;
		const unsigned int n = length(bits & 3, again) + 4;

		for (a = CALL_SAME; a < EVENTS; a++) {
			for (i = 0; i < n; i++, runs++)
				run_with(bits & 3, again, a, i, NOTHING, 0);
		}
		for (a = CALL_TWO; a < EVENTS; a++) {
			for (i = 0; i < n; i++)
				for (j = i; j < n; j++, runs++)
					run_with(bits & 3, again, a, i, TAKE, j);
		}
	}
	printf("# %u runs\n", runs);
	end();
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = step, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int cpu;

	ftrace_recorder_mask = ftrace_records_mask(BUCKETS);
	for (cpu = 0; cpu < CPUS; cpu++) {
		tables[cpu] = ftrace_records_make(BUCKETS);
		list_add_tail(&tables[cpu]->list, &all_tables);
	}
	sigaction(SIGTRAP, &sa, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);

	test_stores();
	test_known();
	test_full();
	test_reuse();
	test_every();
	return failures != 0;
}
