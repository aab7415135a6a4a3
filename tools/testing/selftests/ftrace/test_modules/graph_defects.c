// SPDX-License-Identifier: GPL-2.0
/*
 * A graph hook that could not be registered is not called.
 */
#include <linux/ftrace.h>
#include <linux/kthread.h>

#include "defects.h"

static DECLARE_COMPLETION(sleeper_in);
static DECLARE_COMPLETION(sleeper_go);
static unsigned int nr_wrong;

static noinline int defect_target_sleeps(void)
{
	complete(&sleeper_in);
	wait_for_completion(&sleeper_go);
	return 0;
}

static int sleeper(void *unused)
{
	return defect_target_sleeps();
}

static int graph_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	return 1;
}

static void graph_leave(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs)
{
}

static int wrong_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	nr_wrong++;
	return 0;
}

static void wrong_leave(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			struct ftrace_regs *fregs)
{
	nr_wrong++;
}

static struct fgraph_ops right_graph = { .entryfunc = graph_enter, .retfunc = graph_leave };
static struct fgraph_ops wrong_graph = { .entryfunc = wrong_enter, .retfunc = wrong_leave };

/* Unregister a hook while its function sleeps, fail to register another, wake it. */
static const char *graph_round(int (*reg)(struct fgraph_ops *), void (*unreg)(struct fgraph_ops *))
{
	const char *why = NULL;
	struct task_struct *task;
	int i;

	reinit_completion(&sleeper_in);
	reinit_completion(&sleeper_go);
	if (reg(&right_graph))
		return "a graph hook cannot be registered";
	task = start_task(sleeper, "defect_graph", &sleeper_in);
	if (IS_ERR(task)) {
		unreg(&right_graph);
		return "there is no thread";
	}
	unreg(&right_graph);

	/* Twice: with three registrations a round, 16 rounds use each of the 16 slots. */
	for (i = 0; i < 2 && !why; i++) {
		int err;

		fail_alloc_arm(1);
		err = reg(&wrong_graph);
		if (!fail_alloc_disarm())
			why = "no allocation has failed";
		else if (!err)
			why = "a graph hook was registered without memory";
		if (!err)
			unreg(&wrong_graph);
	}
	complete(&sleeper_go);
	kthread_stop_put(task);
	if (!why && nr_wrong)
		why = "a graph hook is called that could not be registered";
	return why;
}

static const char *refused_graph_hook(void)
{
	int (*reg)(struct fgraph_ops *gops) =
		kernel_function(int (*)(struct fgraph_ops *), "register_ftrace_graph");
	void (*unreg)(struct fgraph_ops *gops) =
		kernel_function(void (*)(struct fgraph_ops *), "unregister_ftrace_graph");
	const char *why = NULL;
	int i;

	if (ftrace_set_filter_ip(&right_graph.ops, site_of(defect_target_sleeps), 0, 1) ||
	    ftrace_set_filter_ip(&wrong_graph.ops, site_of(defect_target_sleeps), 0, 1))
		return "a filter cannot be set";
	nr_wrong = 0;
	for (i = 0; i < 16 && !why; i++)
		why = graph_round(reg, unreg);
	ftrace_free_filter(&right_graph.ops);
	ftrace_free_filter(&wrong_graph.ops);
	return why;
}

CASE(refused_graph_hook);
