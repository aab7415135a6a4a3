// SPDX-License-Identifier: GPL-2.0
/*
 * One function of every kind that call sites come from.
 *
 * Compiled for each architecture with a compiler at hand. On the host's it is also
 * linked with program.c, which runs ordinary(). Every section that may be traced has a
 * function here, and so have some that may not.
 */
#define in(name)	__attribute__((section(name), noinline))
#define weak		__attribute__((weak))
#define cold		__attribute__((cold, noinline))

extern int elsewhere(int x);
int counter;

static cold int unlikely_part(int x)
{
	return elsewhere(x) + 1;
}

static __attribute__((noinline)) int local_part(int x)
{
	return elsewhere(x) * 3;
}

weak int may_be_replaced(int x)
{
	return local_part(x) + 2;
}

int ordinary(int x)
{
	if (x > 100)
		return unlikely_part(x);
	return may_be_replaced(x) + local_part(x + 1);
}

weak in(".init.text") int weak_setup(int x) { return elsewhere(x); }
static in(".init.text") int setup(int x) { return elsewhere(x + 1); }
weak in(".sched.text") int weak_in_its_section(int x) { return elsewhere(x + 2); }
in(".text.chosen") int chosen(int x) { return setup(x) + elsewhere(x); }
weak in(".text.weak_only") int alone_and_weak(int x) { return elsewhere(x); }
in(".ref.text") int ref(int x) { return weak_setup(x) + elsewhere(x); }
in(".spinlock.text") int spin(int x) { return elsewhere(x + 3); }
in(".irqentry.text") int irq(int x) { return elsewhere(x + 4); }
in(".softirqentry.text") int softirq(int x) { return elsewhere(x + 5); }
in(".kprobes.text") int probe(int x) { return elsewhere(x + 6); }
in(".cpuidle.text") int idle(int x) { return elsewhere(x + 7); }

/* not to be traced */
in(".exit.text") int leave(int x) { counter++; return elsewhere(x + 8); }
in(".noinstr.text") int quiet(int x) { return elsewhere(x + 9); }
in(".entry.text") int enter(int x) { return elsewhere(x + 10); }
in(".init.textual") int sounds_alike(int x) { return elsewhere(x + 11); }

/* with a frame, arguments, and a call in the middle of a larger function */
long sum(long a, long b, long c, const long *list, int n)
{
	long buffer[32], total = a + b * c;
	int i;

	for (i = 0; i < n && i < 32; i++)
		buffer[i] = list[i] + elsewhere(i);
	for (i = 0; i < n && i < 32; i++)
		total += buffer[i];
	return total;
}
