// SPDX-License-Identifier: GPL-2.0
/*
 * What the macros of <linux/tracepoint.h> make of a place: what it checks and
 * read-locks, in which order, while the tracepoint is on and while it is off.
 *
 * f: might_fault(); w: tests whether RCU watches; o: tests whether the CPU is
 * online; s: a reader of SRCU; t: of RCU Tasks Trace; p: a probe is called;
 * !: a warning.
 */
#include <stdio.h>
#include <string.h>

#include <linux/tracepoint.h>

struct srcu_struct {
	int unused;
} tracepoint_srcu;

static char did[64];
static const char *fails = "";
static int failures;

void note(char what)
{
	did[strlen(did)] = what;
}

bool holds(char what)
{
	note(what);
	return !strchr(fails, what);
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	static struct tracepoint_func funcs[2][2];
	static int nr;

	funcs[nr][0] = (struct tracepoint_func){ .func = probe, .data = data };
	tp->funcs = funcs[nr++];
	tp->key.enabled = true;
	return 0;
}

int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio)
{
	return tracepoint_probe_register(tp, probe, data);
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	tp->key.enabled = false;
	return 0;
}

DECLARE_TRACE_CONDITION(plain, TP_PROTO(int value), TP_ARGS(value), TP_CONDITION(value));
DECLARE_TRACE_SYSCALL(faultable, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(plain_tp, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE_SYSCALL(faultable_tp, NULL, NULL, TP_PROTO(int value), TP_ARGS(value));

static void probe(void *data, int value)
{
	note('p');
}

static void place(const char *what, const char *expected)
{
	const bool good = !strcmp(did, expected);

	failures += !good;
	printf("%s - places: %s\n", good ? "ok" : "not ok", what);
	if (!good)
		printf("# \"%s\" instead of \"%s\"\n", did, expected);
	memset(did, 0, sizeof(did));
}

int main(void)
{
	trace_plain_tp(1);
	place("one that is off still asks whether RCU watches", "ow");
	trace_faultable_tp(1);
	place("a faultable one that is off asks whether it may fault", "fw");
	fails = "w";
	trace_plain_tp(1);
	trace_faultable_tp(1);
	place("both warn where RCU does not watch", "ow!fw!");
	fails = "";

	register_trace_plain_tp(probe, NULL);
	register_trace_faultable_tp(probe, NULL);
	trace_plain_tp(1);
	place("one that is on is a reader of SRCU", "ospow");
	trace_plain_tp(0);
	place("its condition is asked first", "oo");
	trace_faultable_tp(1);
	place("a faultable one that is on is a reader of RCU Tasks Trace", "ftpw");
	trace_call__plain_tp(1);
	trace_call__faultable_tp(1);
	place("a place that has tested the key asks the same", "ospftp");

	fails = "o";
	trace_plain_tp(1);
	place("no probe on a CPU that is not online", "oo");
	return failures != 0;
}
