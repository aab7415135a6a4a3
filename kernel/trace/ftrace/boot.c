// SPDX-License-Identifier: GPL-2.0
/*
 * Boot, the sysctl kernel.ftrace_enabled, and ftrace_kill().
 *
 * ftrace_init() runs on one CPU with interrupts off, before there is another
 * task. It finds the call sites, makes them nops, and applies the filters of
 * the command line. If it fails, the kernel boots without a function tracer.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/sysctl.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "tracefs/doors.h"
#include "sites/fault.h"
#include "hooks/ops.h"
#include "hooks/tramp.h"

extern unsigned long __start_mcount_loc[];
extern unsigned long __stop_mcount_loc[];

/* ---- the command line ---- */

/* The command line has a filter, so self tests cannot expect all functions. */
bool ftrace_filter_param __initdata;

static char filter_text[COMMAND_LINE_SIZE] __initdata;
static char notrace_text[COMMAND_LINE_SIZE] __initdata;
static char graph_filter_text[COMMAND_LINE_SIZE] __initdata;
static char graph_notrace_text[COMMAND_LINE_SIZE] __initdata;

static int __init set_filter_text(char *text)
{
	ftrace_filter_param = true;
	strscpy(filter_text, text, sizeof(filter_text));
	return 1;
}
__setup("ftrace_filter=", set_filter_text);

static int __init set_notrace_text(char *text)
{
	ftrace_filter_param = true;
	strscpy(notrace_text, text, sizeof(notrace_text));
	return 1;
}
__setup("ftrace_notrace=", set_notrace_text);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

extern unsigned int fgraph_max_depth;

static int __init set_graph_filter_text(char *text)
{
	strscpy(graph_filter_text, text, sizeof(graph_filter_text));
	return 1;
}
__setup("ftrace_graph_filter=", set_graph_filter_text);

static int __init set_graph_notrace_text(char *text)
{
	strscpy(graph_notrace_text, text, sizeof(graph_notrace_text));
	return 1;
}
__setup("ftrace_graph_notrace=", set_graph_notrace_text);

static int __init set_graph_max_depth(char *text)
{
	if (kstrtouint(text, 0, &fgraph_max_depth))
		pr_warn("ftrace_graph_max_depth=: \"%s\" is no number, using %u\n", text,
			fgraph_max_depth);
	return 1;
}
__setup("ftrace_graph_max_depth=", set_graph_max_depth);

static void __init graph_filters(void)
{
	if (graph_filter_text[0])
		ftrace_graph_early_filter(graph_filter_text, 1);
	if (graph_notrace_text[0])
		ftrace_graph_early_filter(graph_notrace_text, 0);
}

#else
static void __init graph_filters(void)
{
}
#endif

static void __init filters(void)
{
	if (filter_text[0])
		ftrace_set_early_filter(&global_ops, filter_text, 1);
	if (notrace_text[0])
		ftrace_set_early_filter(&global_ops, notrace_text, 0);
	graph_filters();
}

/* ---- the sites ---- */

static void __init check_order(const unsigned long *ips, unsigned long n)
{
	unsigned long i;

	for (i = 1; i < n; i++) {
		if (ips[i - 1] <= ips[i])
			continue;
		pr_warn("[%lu] %pS at %lx is not in order with %pS at %lx\n", i,
			(void *)ips[i - 1], ips[i - 1], (void *)ips[i], ips[i]);
		return;
	}
}

static int __init add_text(const char *start, const char *end, bool init)
{
	const unsigned long n = __stop_mcount_loc - __start_mcount_loc;
	struct ftrace_site_block *b;
	int err;

	arch_ftrace_sites_place(__start_mcount_loc, n, (unsigned long)start,
				(unsigned long)end);
	b = ftrace_site_block_make(NULL, init, __start_mcount_loc, n, (unsigned long)start,
				   (unsigned long)end, 0);
	if (IS_ERR_OR_NULL(b))
		return PTR_ERR(b);

	ftrace_make_nops(b);
	err = ftrace_site_block_publish(b);
	if (err)
		ftrace_site_block_discard(b);
	return err ?: ftrace_names_check_block(b);
}

/**
 * ftrace_init() - find the call sites and make them nops
 *
 * If it runs out of memory, the function tracer is off for good.
 *
 * Context: Boot, one CPU, interrupts off. Takes ftrace_lock.
 */
void __init ftrace_init(void)
{
	const unsigned long n = __stop_mcount_loc - __start_mcount_loc;
	int err;

	if (IS_ENABLED(CONFIG_FTRACE_SORT_STARTUP_TEST))
		check_order(__start_mcount_loc, n);

	pr_info("allocating %lu entries in %lu pages\n", n,
		DIV_ROUND_UP(n * sizeof(struct ftrace_site), PAGE_SIZE));

	arch_ftrace_init();
	mutex_lock(&ftrace_lock);
	err = ftrace_combo_init();
	if (!err)
		err = add_text(_stext, _etext, false);
	if (!err)
		err = add_text(_sinittext, _einittext, true);
	mutex_unlock(&ftrace_lock);

	if (err) {
		pr_err("no memory for the call sites, there is no function tracer\n");
		ftrace_disabled = true;
		return;
	}

	pr_info("allocated %ld pages with %ld groups\n",
		ftrace_number_of_pages, ftrace_number_of_groups);
	filters();
}

/**
 * ftrace_free_init_mem() - forget the call sites of the kernel's init text
 *
 * Context: Boot, process context. Takes ftrace_lock.
 */
void __init ftrace_free_init_mem(void)
{
	ftrace_boot_snapshot();
	ftrace_free_mem(NULL, __init_begin, __init_end);
}

/* ---- trace arrays ---- */

/**
 * ftrace_init_global_array_ops() - set up the ops of the top trace array
 * @tr: the top trace array
 *
 * Context: Boot.
 */
void __init ftrace_init_global_array_ops(struct trace_array *tr)
{
	tr->ops = &global_ops;
	global_ops.private = tr;
	ftrace_init_trace_array(tr);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	init_array_fgraph_ops(tr, &global_ops);
#endif
}

/**
 * ftrace_init_array_ops() - set the callback of a trace array's ops
 * @tr: trace array
 * @func: the callback
 *
 * Context: Process context. The ops is not registered.
 */
void ftrace_init_array_ops(struct trace_array *tr, ftrace_func_t func)
{
	/* If a callback is still set, the previous tracer did not clean up. */
	if (tr->flags & TRACE_ARRAY_FL_GLOBAL)
		WARN_ON_ONCE(tr->ops->func != ftrace_stub);

	tr->ops->func = func;
	tr->ops->private = tr;
}

/**
 * ftrace_reset_array_ops() - clear the callback of a trace array's ops
 * @tr: trace array
 *
 * Context: Process context. The ops is not registered.
 */
void ftrace_reset_array_ops(struct trace_array *tr)
{
	tr->ops->func = ftrace_stub;
}

/* ---- the end ---- */

/**
 * ftrace_kill() - refuse every new hook from now on, for good
 *
 * Text stays as it is. An ops can still be unregistered, which returns -ENODEV.
 *
 * Context: Any context.
 */
void ftrace_kill(void)
{
	WRITE_ONCE(ftrace_disabled, true);
	WRITE_ONCE(ftrace_enabled, 0);
	kprobe_ftrace_kill();
}

/**
 * ftrace_is_dead() - test whether the tracer was disabled for good
 *
 * Context: Any context.
 * Return: 1 after ftrace_kill() or a failed ftrace_init(), else 0.
 */
int ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_disabled);
}

/* ---- kernel.ftrace_enabled ---- */

#ifdef CONFIG_SYSCTL

static bool is_permanent(void)
{
	struct ftrace_hook *hook;

	list_for_each_entry(hook, &ftrace_hooks, list)
		if (hook->ops->flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	return false;
}

/* Hooks stay registered; only the text of their sites changes. */
static int switch_all(bool on)
{
	struct ftrace_plan plan;
	int err;

	if (!on && is_permanent())
		return -EBUSY;

	err = ftrace_plan_rebuild(&plan, NULL, on);
	if (err)
		return err;
	WRITE_ONCE(ftrace_text_on, on);
	ftrace_plan_commit(&plan);
	return 0;
}

static int enabled_sysctl(const struct ctl_table *table, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	int before, err;

	mutex_lock(&ftrace_lock);
	before = ftrace_enabled;
	err = ftrace_dead() ?: proc_dointvec(table, write, buffer, lenp, ppos);
	if (!err && write && ftrace_text_on != !!ftrace_enabled) {
		err = switch_all(ftrace_enabled);
		if (err)
			ftrace_enabled = before;
	}
	mutex_unlock(&ftrace_lock);
	return err;
}

static struct ctl_table sysctls[] = {
	{
		.procname	= "ftrace_enabled",
		.data		= &ftrace_enabled,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= enabled_sysctl,
	},
};

static int __init register_sysctls(void)
{
	register_sysctl_init("kernel", sysctls);
	return 0;
}
late_initcall(register_sysctls);

#endif /* CONFIG_SYSCTL */
