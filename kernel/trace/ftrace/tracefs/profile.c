// SPDX-License-Identifier: GPL-2.0
/*
 * The function profiler: how often each function was called and, with the graph
 * tracer, how long it took.
 *
 * The profiler uses the filter of the top trace array until function_tracers is
 * used to give it a filter of its own.
 *
 * Each CPU counts in a table of its own, with room for as many functions as
 * there are when the profiler is switched on. A record is taken with interrupts
 * off. An NMI in the middle of that cannot take another; if its function has no
 * record yet, the call is not counted. Records are reused, not freed: readers of
 * trace_stat keep pointers to them in a tree.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../../trace_output.h"
#include "../../trace_stat.h"
#include "doors.h"

struct record {
	struct hlist_node	node;
	struct record		*next;		/* the next one that was taken */
	unsigned long		ip;
	unsigned long		calls;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	u64			time;
	u64			time_squared;
#endif
};

struct chunk {
	struct chunk		*next;
	unsigned int		nr;
	struct record		records[];
};

struct table {
	struct hlist_head	*buckets;	/* 1 << bits of them */
	unsigned int		bits;
	unsigned int		room;		/* records in all chunks */
	struct chunk		*chunks;
	struct chunk		*from;		/* the chunk that records are taken from */
	unsigned int		used;		/* records taken from that chunk */
	struct record		*first, *last;	/* of the records that were taken */
	int			taking;		/* not 0: this CPU is in take() */
	struct tracer_stat	stat;
	char			name[sizeof("function") + 10];
};

static DEFINE_PER_CPU(struct table, tables);

/* Guards @profiling and the tables, except what callbacks write to them. */
static DEFINE_MUTEX(profile_mutex);
static bool profiling;

/* Filters for modules to come, for the profiler's own filter; see struct ftrace_door. */
struct list_head ftrace_profile_mods[2] = {
	LIST_HEAD_INIT(ftrace_profile_mods[0]),
	LIST_HEAD_INIT(ftrace_profile_mods[1]),
};

/* ---- counting; interrupts off ---- */

static struct record *find(struct table *t, unsigned long ip)
{
	struct record *r;

	hlist_for_each_entry_rcu_notrace(r, &t->buckets[hash_long(ip, t->bits)], node) {
		if (r->ip == ip)
			return r;
	}
	return NULL;
}

static struct record *fresh(struct table *t)
{
	while (t->from && t->used == t->from->nr) {
		t->from = t->from->next;
		t->used = 0;
	}
	return t->from ? &t->from->records[t->used++] : NULL;
}

static struct record *take(struct table *t, unsigned long ip)
{
	struct record *r = NULL;

	/* This is an NMI that interrupted take() on this CPU. */
	if (t->taking++)
		goto out;

	/* An NMI may have taken a record for the same function before ->taking was set. */
	barrier();
	r = find(t, ip) ?: fresh(t);
	if (r && !r->ip) {
		r->ip = ip;
		hlist_add_head_rcu(&r->node, &t->buckets[hash_long(ip, t->bits)]);
		/* Pairs with stat_start() and stat_next() on other CPUs. */
		smp_store_release((t->last ? &t->last->next : &t->first), r);
		t->last = r;
	}
	barrier();
out:
	t->taking--;
	return r;
}

static void count(unsigned long ip)
{
	struct table *t;
	struct record *r;
	unsigned long flags;

	local_irq_save(flags);
	t = this_cpu_ptr(&tables);
	if (READ_ONCE(profiling) && t->buckets) {
		r = find(t, ip) ?: take(t, ip);
		if (r)
			r->calls++;
	}
	local_irq_restore(flags);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static bool with_callees = true;	/* the option graph-time */

/**
 * ftrace_graph_graph_time_control() - choose whether times include callees
 * @enable: they do; else the time of callees is subtracted
 *
 * Context: Any context.
 */
void ftrace_graph_graph_time_control(bool enable)
{
	WRITE_ONCE(with_callees, enable);
}

static int profile_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	count(trace->func);
	return 1;
}

/* The square of 4.3 seconds, in ns^2, overflows 64 bits: a task that sleeps is enough. */
static void add_square(struct record *r, u64 time)
{
	u64 square;

	if (check_mul_overflow(time, time, &square) ||
	    check_add_overflow(r->time_squared, square, &r->time_squared))
		r->time_squared = U64_MAX;
}

/* Subtract the time of callees from @time, and add @time to the caller's ->subtime. */
static u64 own_time(u64 time)
{
	struct ftrace_ret_stack *frame;

	frame = ftrace_graph_get_ret_stack(current, 1);
	if (frame)
		frame->subtime += time;

	frame = ftrace_graph_get_ret_stack(current, 0);
	if (!frame || frame->subtime >= time)
		return 0;
	return time - frame->subtime;
}

static void profile_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct table *t;
	struct record *r;
	unsigned long flags;
	u64 time = trace->rettime - trace->calltime;
	bool too_short = tracing_thresh && time < tracing_thresh;

	local_irq_save(flags);
	t = this_cpu_ptr(&tables);
	if (!READ_ONCE(profiling) || !t->buckets)
		goto out;

	if (!READ_ONCE(with_callees))
		time = own_time(time);
	if (too_short)
		goto out;

	/* It was counted on entry. If that was on another CPU, there may be no record here. */
	r = find(t, trace->func);
	if (r) {
		r->time += time;
		add_square(r, time);
	}
out:
	local_irq_restore(flags);
}

static struct fgraph_ops profile_gops = {
	.entryfunc	= profile_entry,
	.retfunc	= profile_return,
	.ops.name	= "trace_profile",
};

struct ftrace_ops *ftrace_profile_ops(void)
{
	return &profile_gops.ops;
}

static int profile_register(void)
{
	return register_ftrace_graph(&profile_gops);
}

static void profile_unregister(void)
{
	unregister_ftrace_graph(&profile_gops);
}

#else

static void profile_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	count(ip);
}

static struct ftrace_ops profile_ops = {
	.func	= profile_call,
	.flags	= FTRACE_OPS_FL_RECURSION,
	.name	= "trace_profile",
};

struct ftrace_ops *ftrace_profile_ops(void)
{
	return &profile_ops;
}

static int profile_register(void)
{
	return register_ftrace_function(&profile_ops);
}

static void profile_unregister(void)
{
	unregister_ftrace_function(&profile_ops);
}

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

/* ---- on and off ---- */

static int table_grow(struct table *t, unsigned int n)
{
	unsigned int bits = max(order_base_2(n) - 1, 4);
	struct hlist_head *buckets;
	struct chunk *chunk;

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

/* Empty a table, and make room for @n functions. No callback uses it now. */
static int table_make(struct table *t, unsigned int n)
{
	struct chunk *chunk;

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

	/* Wait for callbacks from before it was switched off; they have preemption off. */
	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		ret = table_make(&per_cpu(tables, cpu), n);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Choose the profiler's filter: its own if it has one and a tracer is chosen by
 * name, else that of the top trace array.
 */
static int find_home(void)
{
	struct ftrace_ops *ops = ftrace_profile_ops();
	struct ftrace_filter_home *home = &global_ops.own;

	guard(mutex)(&trace_types_lock);
	guard(mutex)(&ftrace_lock);

	if (ftrace_doors_by_name() && ftrace_home_filter(&ops->own) != &ftrace_filter_all)
		home = &ops->own;
	return ftrace_ops_rehome_locked(ops, home);
}

static int profile_start(void)
{
	int ret;

	ret = tables_make();
	if (!ret)
		ret = find_home();
	if (ret)
		return ret;

	WRITE_ONCE(profiling, true);
	ret = profile_register();
	if (ret)
		WRITE_ONCE(profiling, false);
	return ret;
}

static void profile_stop(void)
{
	/* Functions that return after this add no time. */
	WRITE_ONCE(profiling, false);
	profile_unregister();
}

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char buf[] = { READ_ONCE(profiling) ? '1' : '0', '\n' };

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

	if (!!val != profiling) {
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

/* ---- trace_stat/function<CPU> ---- */

static void *stat_start(struct tracer_stat *stat)
{
	/* Pairs with the release in take(): the record is filled in. */
	return smp_load_acquire(&container_of(stat, struct table, stat)->first);
}

static void *stat_next(void *prev, int idx)
{
	struct record *r = prev;

	/* As above. */
	return smp_load_acquire(&r->next);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static int stat_cmp(const void *a, const void *b)
{
	const struct record *l = a, *r = b;

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
static u64 variance(const struct record *r)
{
	const u64 time = READ_ONCE(r->time);
	u64 n = r->calls, squared_mean;

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

static void show_times(struct seq_file *m, const struct record *r)
{
	static struct trace_seq s;	/* guarded by profile_mutex */

	trace_seq_init(&s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(r->time, &s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(div64_ul(r->time, r->calls), &s);
	trace_seq_puts(&s, "    ");
	trace_print_graph_duration(variance(r), &s);
	trace_print_seq(m, &s);
}

#else

static int stat_cmp(const void *a, const void *b)
{
	const struct record *l = a, *r = b;

	return l->calls < r->calls ? -1 : l->calls > r->calls;
}

static int stat_headers(struct seq_file *m)
{
	seq_puts(m,
		 "  Function                               Hit\n"
		 "  --------                               ---\n");
	return 0;
}

static void show_times(struct seq_file *m, const struct record *r)
{
}

#endif

static int stat_show(struct seq_file *m, void *v)
{
	struct record *r = v;
	char name[KSYM_SYMBOL_LEN];

	guard(mutex)(&profile_mutex);

	/* The tables were emptied after the file was opened. */
	if (!r->calls)
		return 0;

	if (!kallsyms_lookup(r->ip, NULL, NULL, NULL, name))
		scnprintf(name, sizeof(name), "0x%lx", r->ip);
	seq_printf(m, "  %-30.30s  %10lu", name, r->calls);
	show_times(m, r);
	seq_putc(m, '\n');
	return 0;
}

static void __init create_stat_file(int cpu)
{
	struct table *t = &per_cpu(tables, cpu);

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
}
