// SPDX-License-Identifier: GPL-2.0
/*
 * The function profiler's files: function_profile_enabled, its filter, trace_stat.
 *
 * The profiler uses the filter of the top trace array while it has none of its own.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#include "../../trace_output.h"
#include "../sites/site.h"
#include "profile_hits.h"
#include "tracefs.h"

/* Guards ftrace_profiling and the tables, except what callbacks write to them. */
static DEFINE_MUTEX(profile_mutex);

/* ---- on and off ---- */

static int table_grow(struct profile_table *t, unsigned int n)
{
	unsigned int bits = max(order_base_2(n) - 1, 4);
	struct hlist_head *buckets;
	struct profile_chunk *chunk;

	buckets = kvcalloc(1U << bits, sizeof(*buckets), GFP_KERNEL);
	chunk = kvzalloc(struct_size(chunk, records, n - t->room), GFP_KERNEL);
	if (!buckets || !chunk) {
		kvfree(buckets);
		kvfree(chunk);
		return -ENOMEM;
	}

	kvfree(t->buckets);
	t->buckets = buckets;
	t->bits = bits;
	chunk->nr = n - t->room;
	chunk->next = t->chunks;
	t->chunks = chunk;
	t->room = n;
	return 0;
}

/* Empty a table that no callback uses, and make room for @n functions. */
static int table_make(struct profile_table *t, unsigned int n)
{
	struct profile_chunk *chunk;

	t->first = NULL;
	t->last = NULL;
	for (chunk = t->chunks; chunk; chunk = chunk->next)
		memset(chunk->records, 0, array_size(sizeof(*chunk->records), chunk->nr));
	if (t->buckets)
		memset(t->buckets, 0, sizeof(*t->buckets) << t->bits);

	if (t->room < n && table_grow(t, n))
		return -ENOMEM;

	t->from = t->chunks;
	t->used = 0;
	return 0;
}

static int tables_make(void)
{
	unsigned int n = max(ftrace_update_tot_cnt, 1UL);
	int cpu, ret;

	/* Wait for callbacks of the last profile; they have preemption off. */
	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		ret = table_make(&per_cpu(ftrace_profile_tables, cpu), n);
		if (ret)
			return ret;
	}
	return 0;
}

static int profile_start(void)
{
	int ret;

	ret = tables_make();
	if (ret)
		return ret;

	/* Pairs with the acquire in takes_hits(). */
	smp_store_release(&ftrace_profiling, true);
	ret = ftrace_profile_register();
	if (ret)
		WRITE_ONCE(ftrace_profiling, false);
	return ret;
}

static void profile_stop(void)
{
	/* Functions that return after this add no time. */
	WRITE_ONCE(ftrace_profiling, false);
	ftrace_profile_unregister();
}

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char buf[] = { READ_ONCE(ftrace_profiling) ? '1' : '0', '\n' };

	return simple_read_from_buffer(ubuf, cnt, ppos, buf, sizeof(buf));
}

static ssize_t enabled_write(struct file *file, const char __user *ubuf, size_t cnt,
			     loff_t *ppos)
{
	unsigned long val;
	int ret;

	ret = kstrtoul_from_user(ubuf, cnt, 10, &val);
	if (ret)
		return ret;

	guard(mutex)(&profile_mutex);

	if (!!val != ftrace_profiling) {
		if (val)
			ret = profile_start();
		else
			profile_stop();
		if (ret)
			return ret;
	}
	*ppos += cnt;
	return cnt;
}

static const struct file_operations enabled_fops = {
	.open		= tracing_open_generic,
	.read		= enabled_read,
	.write		= enabled_write,
	.llseek		= default_llseek,
};

/* ---- function_profile_filter and function_profile_notrace ---- */

/* ->i_private is FTRACE_ITER_FILTER or FTRACE_ITER_NOTRACE. */
static int filter_open(struct inode *inode, struct file *file)
{
	return ftrace_regex_open(NULL, ftrace_profile_ops(), (long)inode->i_private, inode, file);
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= ftrace_filter_write,
	.llseek		= tracing_lseek,
	.flush		= ftrace_filter_flush,
	.release	= ftrace_regex_release,
};

/* ---- trace_stat/function<CPU> ---- */

static void *stat_start(struct tracer_stat *stat)
{
	/* Pairs with the release in take(), profile_hits.c: the record is filled in. */
	return smp_load_acquire(&container_of(stat, struct profile_table, stat)->first);
}

static void *stat_next(void *prev, int idx)
{
	struct profile_record *r = prev;

	/* Pairs with take(), as in stat_start(). */
	return smp_load_acquire(&r->next);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static int stat_cmp(const void *a, const void *b)
{
	const struct profile_record *l = a, *r = b;

	return l->time < r->time ? -1 : l->time > r->time;
}

static int stat_headers(struct seq_file *m)
{
	seq_puts(m,
		 "  Function                               Hit    Time            Avg             s^2\n"
		 "  --------                               ---    ----            ---             ---\n");
	return 0;
}

/*
 * The variance of the times, in us^2 * 1000; 0 if the sums are too large for 64
 * bits.
 */
static u64 variance(const struct profile_record *r)
{
	const u64 time = READ_ONCE(r->time);
	u64 n = local_read(&r->calls), squared_mean;

	if (n < 2 || r->time_squared == U64_MAX)
		return 0;
	/* The division below traps if its quotient has more than 64 bits. */
	if (mul_u64_u64_shr(time, time, 64) >= n)
		return 0;
	squared_mean = mul_u64_u64_div_u64(time, time, n);
	/* Happens by rounding, or if a CPU counts meanwhile. */
	if (r->time_squared < squared_mean)
		return 0;
	/* ns^2 to us^2 is a factor of 10^6, and printing divides by 1000. */
	return div64_u64(div64_u64(r->time_squared - squared_mean, n - 1), 1000);
}

static void show_times(struct seq_file *m, const struct profile_record *r)
{
	static struct trace_seq s;	/* guarded by profile_mutex */

	trace_seq_init(&s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(r->time, &s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(div64_ul(r->time, local_read(&r->calls)), &s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(variance(r), &s);
	trace_print_seq(m, &s);
}

static bool too_short(const struct profile_record *r)
{
	return div64_ul(r->time, local_read(&r->calls)) < tracing_thresh;
}

#else

static int stat_cmp(const void *a, const void *b)
{
	const struct profile_record *l = a, *r = b;

	return cmp_int(local_read(&l->calls), local_read(&r->calls));
}

static int stat_headers(struct seq_file *m)
{
	seq_puts(m,
		 "  Function                               Hit\n"
		 "  --------                               ---\n");
	return 0;
}

static void show_times(struct seq_file *m, const struct profile_record *r)
{
}

static bool too_short(const struct profile_record *r)
{
	return false;
}

#endif

/* With the trace option prof-text-offset: the offset in the text, indented once more. */
static bool offset_name(char *name, size_t size, unsigned long ip)
{
	const struct module *mod;

	if (!(trace_get_global_array()->trace_flags & TRACE_ITER(PROF_TEXT_OFFSET)))
		return false;

	if (core_kernel_text(ip)) {
		scnprintf(name, size, "  _text+%#lx", ip - (unsigned long)_text);
		return true;
	}

	guard(rcu)();
	mod = __module_text_address(ip);
	if (mod)
		scnprintf(name, size, "  %s+%#lx", mod->name,
			  ip - (unsigned long)mod->mem[MOD_TEXT].base);
	return mod;
}

static int stat_show(struct seq_file *m, void *v)
{
	struct profile_record *r = v;
	char name[KSYM_SYMBOL_LEN];

	guard(mutex)(&profile_mutex);

	/* The tables were emptied after the file was opened. */
	if (!local_read(&r->calls) || too_short(r))
		return 0;

	if (!offset_name(name, sizeof(name), r->ip) &&
	    !kallsyms_lookup(r->ip, NULL, NULL, NULL, name))
		scnprintf(name, sizeof(name), "0x%lx", r->ip);
	seq_printf(m, "  %-30.30s  %10ld", name, local_read(&r->calls));
	show_times(m, r);
	seq_putc(m, '\n');
	return 0;
}

static void __init create_stat_file(int cpu)
{
	struct profile_table *t = &per_cpu(ftrace_profile_tables, cpu);

	scnprintf(t->name, sizeof(t->name), "function%d", cpu);
	t->stat = (struct tracer_stat){
		.name		= t->name,
		.stat_start	= stat_start,
		.stat_next	= stat_next,
		.stat_cmp	= stat_cmp,
		.stat_headers	= stat_headers,
		.stat_show	= stat_show,
	};
	if (register_stat_tracer(&t->stat))
		pr_warn("ftrace: no trace_stat/%s\n", t->name);
}

void __init ftrace_create_profile_files(struct dentry *parent)
{
	int cpu;

	for_each_possible_cpu(cpu)
		create_stat_file(cpu);
	trace_create_file("function_profile_enabled", TRACE_MODE_WRITE, parent, NULL,
			  &enabled_fops);
	trace_create_file("function_profile_filter", TRACE_MODE_WRITE, parent,
			  (void *)(long)FTRACE_ITER_FILTER, &filter_fops);
	trace_create_file("function_profile_notrace", TRACE_MODE_WRITE, parent,
			  (void *)(long)FTRACE_ITER_NOTRACE, &filter_fops);
}
