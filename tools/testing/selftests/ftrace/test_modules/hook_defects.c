// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks and filters that modules set: where an IPMODIFY hook may come to, what
 * is left of a filter without memory, what a mapper frees, and how a hook leaves
 * a tracer that was killed.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>

#include "defects.h"

TARGET(defect_target_direct)
TARGET(defect_target_other)
TARGET(defect_target_0)
TARGET(defect_target_1)
TARGET(defect_target_2)
TARGET(defect_target_3)
TARGET(defect_target_4)
TARGET(defect_target_5)

static void (*const targets[])(void) = {
	defect_target_0, defect_target_1, defect_target_2, defect_target_3, defect_target_4,
	defect_target_5,
};

/* Add the targets to the filter of a hook, or replace the filter by them. */
static int filter_targets(struct ftrace_ops *ops, bool reset)
{
	char glob[] = "defect_target_[0-9]";

	return ftrace_set_filter(ops, glob, strlen(glob), reset);
}

static unsigned int nr_calls;

static void count_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	nr_calls++;
}

/* Call all targets. Return: how often the hook was called. */
static unsigned int targets_called(void)
{
	unsigned int i;

	nr_calls = 0;
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		targets[i]();
	return nr_calls;
}

/* The target of a direct call: it returns to the function. */
static notrace void call_nothing(void)
{
}

static void change_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			   struct ftrace_regs *fregs)
{
}

static const char *ipmodify_on_direct(void)
{
	static struct ftrace_ops direct, mover = {
		.func	= change_nothing,
		.flags	= FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS,
	};
	const char *why = NULL;

	if (ftrace_set_filter_ip(&direct, site_of(defect_target_direct), 0, 0) ||
	    register_ftrace_direct(&direct, (unsigned long)call_nothing))
		return "there is no direct call";
	if (ftrace_set_filter_ip(&mover, site_of(defect_target_direct), 0, 0))
		why = "a filter cannot be set";
	else if (register_ftrace_function(&mover) != -EBUSY)
		why = "an IPMODIFY hook was registered where a direct call is";
	else if (ftrace_set_filter_ip(&mover, site_of(defect_target_other), 0, 1) ||
		 register_ftrace_function(&mover))
		why = "an IPMODIFY hook was not registered elsewhere";
	if (!why) {
		if (ftrace_set_filter_ip(&mover, site_of(defect_target_direct), 0, 0) != -EBUSY)
			why = "a registered IPMODIFY hook came to where a direct call is";
		unregister_ftrace_function(&mover);
	}
	ftrace_free_filter(&mover);
	unregister_ftrace_direct(&direct, (unsigned long)call_nothing, true);
	return why;
}

CASE(ipmodify_on_direct);

typedef void *(*make_mapper_t)(void);
typedef int (*add_word_t)(void *mapper, unsigned long ip, void *data);
typedef void (*free_mapper_t)(void *mapper, int (*free)(void *data));

static void *word_freed;

static int note_word(void *data)
{
	word_freed = data;
	return 0;
}

static const char *mapper_words(void)
{
	make_mapper_t make = kernel_function(make_mapper_t, "allocate_ftrace_func_mapper");
	add_word_t add = kernel_function(add_word_t, "ftrace_func_mapper_add_ip");
	free_mapper_t drop = kernel_function(free_mapper_t, "free_ftrace_func_mapper");
	void *mapper = make();

	if (!mapper || add(mapper, site_of(defect_target_0), &nr_calls))
		return "there is no mapper";
	word_freed = NULL;
	drop(mapper, note_word);
	return word_freed == &nr_calls ? NULL : "another word was freed than was added";
}

CASE(mapper_words);

static const char *try_filter(struct ftrace_ops *ops, long n, bool *again)
{
	const char *why = NULL;
	unsigned int called;
	int err;

	if (ftrace_set_filter_ip(ops, site_of(defect_target_other), 0, 0))
		return "a filter cannot be set";

	fail_alloc_arm(n);
	err = filter_targets(ops, false);
	*again = fail_alloc_disarm();

	if (register_ftrace_function(ops))
		return "a hook cannot be registered";
	called = targets_called();
	defect_target_other();
	if (nr_calls != called + 1)
		why = "what was in the filter before is not called";
	else if (err && called)
		why = "functions are called whose names were refused";
	else if (!err && called != ARRAY_SIZE(targets))
		why = "functions are not called whose names were taken";
	unregister_ftrace_function(ops);
	return why;
}

static const char *filter_enomem(void)
{
	const char *why = NULL;
	bool again = true;
	long n;

	for (n = 1; again && !why; n++) {
		/* A new one each time: not every tracer lets an ftrace_ops be reused. */
		struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);

		if (!ops)
			return "there is no memory";
		ops->func = count_call;
		why = try_filter(ops, n, &again);
		ftrace_free_filter(ops);
		kfree(ops);
	}
	if (!why && n < 3)
		why = "no allocation has failed";
	return why;
}

CASE(filter_enomem);

/* To be run last: the tracer is dead afterwards. */
static const char *dead_tracer(void)
{
	static struct ftrace_ops ops = { .func = count_call };
	int err;

	if (filter_targets(&ops, true) ||
	    register_ftrace_function(&ops))
		return "a hook cannot be registered";
	if (targets_called() != ARRAY_SIZE(targets))
		return "a hook is not called";
	kernel_function(void (*)(void), "ftrace_kill")();
	err = unregister_ftrace_function(&ops);
	if (err != -ENODEV)
		return "it was not told that the tracer is dead";
	return targets_called() ? "a hook is called after it was unregistered" : NULL;
}

CASE(dead_tracer);
