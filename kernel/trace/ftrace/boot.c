// SPDX-License-Identifier: GPL-2.0
/*
 * Boot of the function tracer.
 *
 * ftrace_init() runs on one CPU with interrupts off, before there is another
 * task. It finds the call sites, makes them nops, and applies the filters of
 * the command line. If it fails, the kernel boots without a function tracer.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "../trace.h"
#include "../trace_fast.h"
#include "discover/ftraced.h"
#include "hooks/plan.h"
#include "hooks/slot.h"
#include "hooks/tramp.h"
#include "sites/fault.h"
#include "sites/names.h"
#include "tracefs/filter_mods.h"
#include "tracefs/tracefs.h"
#include "tracefs/waiting.h"
#include "tracefs/words.h"

extern unsigned long __start_mcount_loc[];
extern unsigned long __stop_mcount_loc[];

/* ---- the command line ---- */

/* True if the command line has a filter: then self tests cannot expect all functions. */
bool ftrace_filter_param __initdata;

static char filter_text[COMMAND_LINE_SIZE] __initdata;
static char notrace_text[COMMAND_LINE_SIZE] __initdata;

static int __init set_filter_text(char *text)
{
	ftrace_filter_param = true;
	trace_append_boot_param(filter_text, text, ',', sizeof(filter_text));
	return 1;
}
__setup("ftrace_filter=", set_filter_text);

static int __init set_notrace_text(char *text)
{
	ftrace_filter_param = true;
	trace_append_boot_param(notrace_text, text, ',', sizeof(notrace_text));
	return 1;
}
__setup("ftrace_notrace=", set_notrace_text);

#ifdef CONFIG_FTRACE_DISCOVER
static int __init set_discover(char *unused)
{
	ftraced_discover_all();
	return 0;
}
early_param("ftrace_discover", set_discover);
#endif

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static char graph_filter_text[COMMAND_LINE_SIZE] __initdata;
static char graph_notrace_text[COMMAND_LINE_SIZE] __initdata;

static int __init set_graph_filter_text(char *text)
{
	trace_append_boot_param(graph_filter_text, text, ',', sizeof(graph_filter_text));
	return 1;
}
__setup("ftrace_graph_filter=", set_graph_filter_text);

static int __init set_graph_notrace_text(char *text)
{
	trace_append_boot_param(graph_notrace_text, text, ',', sizeof(graph_notrace_text));
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

/**
 * ftrace_set_early_word() - change a filter at boot
 * @ops: the ops
 * @word: a name, a pattern or, if @ops is that of a trace array, FUNC:mod:MODULE; written
 *	to, and restored
 * @enable: true: functions to trace; false: functions to leave out
 *
 * Context: Boot, before modules are loaded. Process context. May sleep. Takes
 * direct_mutex for an exclusive ops, and ftrace_lock.
 * Return: 0 on success, or if the word waits; -EINVAL if nothing matches; else as
 * ftrace_set_filter_ip(). If there is no memory for the word to wait, the functions that
 * it matches may be in the filter all the same; if there is none for a filter that traces
 * nothing, the word may wait all the same; on other errors nothing changed.
 */
int __init ftrace_set_early_word(struct ftrace_ops *ops, char *word, bool enable)
{
	char *command = ftrace_word_command(word);
	int found, waits, err;

	if (!command) {
		found = enable ? ftrace_set_filter(ops, word, strlen(word), 0) :
				 ftrace_set_notrace(ops, word, strlen(word), 0);
		waits = ftrace_slot_waiting_early(ftrace_ops_slot(ops), word, !enable);
		return waits < 0 ? waits : waits && found == -EINVAL ? 0 : found;
	}

	if (!str_has_prefix(command, ":mod:") || !command[5])
		return -EINVAL;
	*command = '\0';
	err = ftrace_mods_early(ops, word, command + 5, !enable);
	*command = ':';
	return err;
}

/**
 * ftrace_set_early_filter() - set a filter from the command line
 * @ops: the ops
 * @buf: words with commas between them: names, patterns, and FUNC:mod:MODULE for
 *	a module that is not loaded yet; modified
 * @enable: 1: functions to trace; 0: functions to leave out
 *
 * A word that matches nothing is skipped, with a warning.
 *
 * Context: Boot, process context. May sleep.
 */
void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *buf, int enable)
{
	const char *file = ops == &global_ops ? "ftrace" : "stacktrace";
	char *word;
	int ret;

	while ((word = strsep(&buf, ","))) {
		ret = ftrace_set_early_word(ops, word, enable);
		if (ret)
			pr_warn("%s_%s=: \"%s\" is no function to trace, error %d: passed over\n",
				file, enable ? "filter" : "notrace", word, ret);
	}
}

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

/* Add the call sites that were recorded at build time. */
static int __init add_recorded(void)
{
	return add_text(_stext, _etext, false) ?: add_text(_sinittext, _einittext, true);
}

/**
 * ftrace_init() - find the call sites and make them nops
 *
 * With ftrace_discover on the command line, or if the build has recorded no sites, they
 * are discovered when they are executed. If memory is short, the function tracer is
 * disabled for good.
 *
 * Context: Boot, one CPU, interrupts off. Takes ftrace_lock.
 */
void __init ftrace_init(void)
{
	const unsigned long n = __stop_mcount_loc - __start_mcount_loc;
	const u64 start = ftrace_now(raw_smp_processor_id());
	int err;

	if (IS_ENABLED(CONFIG_FTRACE_SORT_STARTUP_TEST))
		check_order(__start_mcount_loc, n);

	if (!n)
		ftraced_discover_all();
	if (ftraced_discovers_all)
		pr_info("call sites are discovered at run time\n");
	else
		pr_info("allocating %lu entries in %lu pages\n", n,
			DIV_ROUND_UP(n * sizeof(struct ftrace_site), PAGE_SIZE));

	arch_ftrace_init();
#ifdef FTRACE_BARE
	ftrace_bare_calls = trace_fast_bare_call;
#endif
	ftrace_combo_init();
	mutex_lock(&ftrace_lock);
	err = ftraced_discovers_all ? ftraced_boot() : add_recorded();
	mutex_unlock(&ftrace_lock);

	if (err) {
		pr_err("no memory for the call sites, there is no function tracer\n");
		ftrace_disabled = true;
		return;
	}

	ftrace_update_time = ftrace_now(raw_smp_processor_id()) - start;
	pr_info("allocated %ld pages with %ld groups\n",
		ftrace_number_of_pages, ftrace_number_of_groups);
	filters();
}

/**
 * ftrace_settle() - finish what was made early at boot
 *
 * The architecture calls this once everything that the code of trampolines depends on is
 * decided and executable memory can be allocated. Sites that were on the mixed combo
 * for lack of that memory move to combos with trampolines of their own.
 *
 * Context: Process context. May sleep. Takes tramp_mutex, then ftrace_lock.
 */
void ftrace_settle(void)
{
	ftrace_tramp_settle();
	guard(mutex)(&ftrace_lock);
	ftrace_commit_mixed();
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
