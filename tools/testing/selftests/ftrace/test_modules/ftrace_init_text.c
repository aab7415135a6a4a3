// SPDX-License-Identifier: GPL-2.0
/*
 * Many functions that are freed after initialisation, and a timer that looks
 * up the address of one that stays all the while. The lookup must never fail. The
 * timer also interrupts the task that removes functions from the table.
 *
 * "looked" counts the lookups, "missed" those that failed. "below" says whether the
 * freed text lies below the text that stays. Only then can a table in order of
 * address have to move the entries that stay, the last one farthest.
 */
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned long (*location)(unsigned long ip);
static ulong location_at;
module_param_named(location, location_at, ulong, 0);

static uint missed, looked;
static bool below;
module_param(missed, uint, 0400);
module_param(looked, uint, 0400);
module_param(below, bool, 0400);

static struct hrtimer timer;

#define PERIOD (50 * NSEC_PER_USEC)

/* Functions that are freed: few enough to share a piece of the table with those that stay. */
#define GOES(name) static noinline void __init __used name(void) { barrier(); }
#define GOES_8(name)							\
	GOES(name##0) GOES(name##1) GOES(name##2) GOES(name##3)		\
	GOES(name##4) GOES(name##5) GOES(name##6) GOES(name##7)
#define GOES_64(name)							\
	GOES_8(name##0) GOES_8(name##1) GOES_8(name##2) GOES_8(name##3)	\
	GOES_8(name##4) GOES_8(name##5) GOES_8(name##6) GOES_8(name##7)

GOES_64(goes_0) GOES_64(goes_1) GOES_64(goes_2)
GOES_8(goes_30) GOES_8(goes_31) GOES_8(goes_32) GOES_8(goes_33)

/* Keeps the text that stays from fitting into the hole that ftrace_spacer leaves. */
asm(".pushsection .text, \"ax\", @progbits; .skip 0x40000, 0xcc; .popsection");

static unsigned long last_function;

static enum hrtimer_restart look(struct hrtimer *t)
{
	looked++;
	if (!location(last_function))
		missed++;
	hrtimer_forward_now(t, ns_to_ktime(PERIOD));
	return HRTIMER_RESTART;
}

static void init_text_exit(void)
{
	hrtimer_cancel(&timer);
}
module_exit(init_text_exit);

static int __init init_text_init(void)
{
	if (!location_at)
		return -EINVAL;
	location = (void *)location_at;
	last_function = max_t(unsigned long, (unsigned long)look, (unsigned long)init_text_exit);
	if (!location(last_function))
		return -ENOENT;
	below = (unsigned long)init_text_init < (unsigned long)look;
	hrtimer_setup(&timer, look, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&timer, ns_to_ktime(PERIOD), HRTIMER_MODE_REL_HARD);
	return 0;
}
module_init(init_text_init);

MODULE_DESCRIPTION("Functions that go, and one that stays and is looked for");
MODULE_LICENSE("GPL");
