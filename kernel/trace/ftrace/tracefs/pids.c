// SPDX-License-Identifier: GPL-2.0
/*
 * PID filters: the tasks that the function tracers of a trace array trace.
 *
 * Each CPU has a word for each trace array that says whether its current task
 * is traced; a probe on sched_switch updates it. While there is a list, hooks
 * with FTRACE_OPS_FL_PID read that word before their callback; without a list
 * they call it directly.
 */
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <trace/events/sched.h>

#include "../../trace.h"
#include "../graph/slots.h"
#include "../hooks/ops.h"
#include "tracefs.h"

enum which {
	PIDS,
	NO_PIDS,
};

/* Guards changes of tr->function_pids and tr->function_no_pids. Taken before ftrace_lock. */
static DEFINE_MUTEX(pid_mutex);

static struct trace_pid_list __rcu **list_of(struct trace_array *tr, enum which which)
{
	return which == PIDS ? &tr->function_pids : &tr->function_no_pids;
}

static struct trace_pid_list *get_list(struct trace_array *tr, enum which which)
{
	return rcu_dereference_protected(*list_of(tr, which), lockdep_is_held(&pid_mutex));
}

static void follow_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state)
{
	struct trace_array *tr = data;
	struct trace_pid_list *pids = rcu_dereference_sched(tr->function_pids);
	struct trace_pid_list *no_pids = rcu_dereference_sched(tr->function_no_pids);
	bool ignore = trace_ignore_this_task(pids, no_pids, next);

	this_cpu_write(tr->array_buffer.data->ftrace_ignore_pid,
		       ignore ? FTRACE_PID_IGNORE : next->pid);
}

static void follow_fork(void *data, struct task_struct *self, struct task_struct *task)
{
	struct trace_array *tr = data;

	/* The lists are freed after an RCU grace period. */
	guard(preempt)();
	trace_filter_add_remove_task(rcu_dereference_sched(tr->function_pids), self, task);
	trace_filter_add_remove_task(rcu_dereference_sched(tr->function_no_pids), self, task);
}

static void follow_exit(void *data, struct task_struct *task)
{
	follow_fork(data, NULL, task);
}

/**
 * ftrace_pid_follow_fork() - update the lists when tasks are forked and freed
 * @tr: the trace array with the lists
 * @enable: true to start the updates, false to stop them
 *
 * Children of listed tasks are added; freed tasks are removed.
 *
 * Context: Process context. May sleep.
 * Return: 0, or -ENOMEM if there is no memory for a probe; then there is none.
 */
int ftrace_pid_follow_fork(struct trace_array *tr, bool enable)
{
	int ret = 0;

	if (enable) {
		ret = register_trace_sched_process_fork(follow_fork, tr);
		if (ret)
			return ret;
		ret = register_trace_sched_process_free(follow_exit, tr);
		if (ret)
			unregister_trace_sched_process_fork(follow_fork, tr);
	} else {
		unregister_trace_sched_process_fork(follow_fork, tr);
		unregister_trace_sched_process_free(follow_exit, tr);
	}
	return ret;
}

/* Write what follow_switch() would have written for the current task. */
static void look_at_current(void *data)
{
	struct trace_array *tr = data;
	struct trace_pid_list *pids, *no_pids;
	int pid = FTRACE_PID_TRACE;

	/* Interrupts are off, and the lists are freed after a grace period. */
	pids = rcu_dereference_sched(tr->function_pids);
	no_pids = rcu_dereference_sched(tr->function_no_pids);
	if (pids || no_pids) {
		pid = trace_ignore_this_task(pids, no_pids, current) ?
			FTRACE_PID_IGNORE : current->pid;
	}
	this_cpu_write(tr->array_buffer.data->ftrace_ignore_pid, pid);
}

static void trace_all_tasks(struct trace_array *tr)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(tr->array_buffer.data, cpu)->ftrace_ignore_pid = FTRACE_PID_TRACE;
}

static int update_hooks(void)
{
	int ret;

	guard(mutex)(&ftrace_lock);

	ret = ftrace_update_pid_hooks();
	if (!ret)
		fgraph_update();
	return ret;
}

/*
 * Publish @list in place of the old one, which is freed. The words of the CPUs
 * are valid before a hook starts to read them, and stay so until hooks have
 * stopped reading them.
 */
static int replace(struct trace_array *tr, enum which which, struct trace_pid_list *list)
{
	struct trace_pid_list *old = get_list(tr, which);
	bool other = get_list(tr, which == PIDS ? NO_PIDS : PIDS);
	int ret;

	lockdep_assert_held(&pid_mutex);

	rcu_assign_pointer(*list_of(tr, which), list);

	if (list && !old && !other) {
		ret = register_trace_sched_switch(follow_switch, tr);
		if (ret)
			goto undo;
	}
	if (list || other)
		on_each_cpu(look_at_current, tr, 1);

	/* If this fails when the last list is removed, hooks keep a check that all tasks pass. */
	ret = update_hooks();
	if (ret && list && !old && !other) {
		unregister_trace_sched_switch(follow_switch, tr);
		goto undo;
	}

	if (!list && !other) {
		unregister_trace_sched_switch(follow_switch, tr);
		tracepoint_synchronize_unregister();
		trace_all_tasks(tr);
	}
	if (old) {
		synchronize_rcu();
		trace_pid_list_free(old);
	}
	return 0;

undo:
	/* There was no list of either kind. */
	RCU_INIT_POINTER(*list_of(tr, which), NULL);
	tracepoint_synchronize_unregister();
	trace_all_tasks(tr);
	trace_pid_list_free(list);
	return ret;
}

static void clear(struct trace_array *tr, enum which which)
{
	guard(mutex)(&pid_mutex);

	if (get_list(tr, which))
		replace(tr, which, NULL);
}

/**
 * ftrace_clear_pids() - remove the PID filters of a trace array
 * @tr: the trace array
 *
 * Context: Process context. May sleep. Takes pid_mutex and ftrace_lock.
 */
void ftrace_clear_pids(struct trace_array *tr)
{
	clear(tr, PIDS);
	clear(tr, NO_PIDS);
}

/* ---- the files ---- */

/* ->private of the seq_file. */
struct pids_file {
	struct trace_array	*tr;
	enum which		which;
};

/* The iterator's value for "no pid". Its other values are small numbers. */
static char no_list;

static void *pids_start(struct seq_file *m, loff_t *pos)
	__acquires(RCU_SCHED)
{
	const struct pids_file *f = m->private;
	struct trace_pid_list *list;

	mutex_lock(&pid_mutex);
	rcu_read_lock_sched();

	list = get_list(f->tr, f->which);
	if (!list)
		return *pos ? NULL : &no_list;
	return trace_pid_start(list, pos);
}

static void *pids_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct pids_file *f = m->private;

	if (v == &no_list) {
		++*pos;
		return NULL;
	}
	return trace_pid_next(get_list(f->tr, f->which), v, pos);
}

static void pids_stop(struct seq_file *m, void *v)
	__releases(RCU_SCHED)
{
	rcu_read_unlock_sched();
	mutex_unlock(&pid_mutex);
}

static int pids_show(struct seq_file *m, void *v)
{
	if (v != &no_list)
		return trace_pid_show(m, v);
	seq_puts(m, "no pid\n");
	return 0;
}

static const struct seq_operations pids_seq_ops = {
	.start	= pids_start,
	.next	= pids_next,
	.stop	= pids_stop,
	.show	= pids_show,
};

static int pids_open(struct inode *inode, struct file *file, enum which which)
{
	struct trace_array *tr = inode->i_private;
	struct pids_file *f;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;

	f = __seq_open_private(file, &pids_seq_ops, sizeof(*f));
	if (!f) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	f->tr = tr;
	f->which = which;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		clear(tr, which);
	return 0;
}

static int yes_open(struct inode *inode, struct file *file)
{
	return pids_open(inode, file, PIDS);
}

static int no_open(struct inode *inode, struct file *file)
{
	return pids_open(inode, file, NO_PIDS);
}

/* Take all numbers of one write, or none. */
static ssize_t pids_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	const struct seq_file *m = file->private_data;
	const struct pids_file *f = m->private;
	struct trace_pid_list *list;
	ssize_t taken;
	int ret;

	if (!cnt)
		return 0;

	guard(mutex)(&pid_mutex);

	taken = trace_pid_write(get_list(f->tr, f->which), &list, ubuf, cnt);
	if (taken < 0)
		return taken;

	/* White space written to an empty list makes no list. */
	if (list || get_list(f->tr, f->which)) {
		ret = replace(f->tr, f->which, list);
		if (ret)
			return ret;
	}
	*ppos += taken;
	return taken;
}

static int pids_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release_private(inode, file);
}

static const struct file_operations yes_fops = {
	.open		= yes_open,
	.read		= seq_read,
	.write		= pids_write,
	.llseek		= tracing_lseek,
	.release	= pids_release,
};

static const struct file_operations no_fops = {
	.open		= no_open,
	.read		= seq_read,
	.write		= pids_write,
	.llseek		= tracing_lseek,
	.release	= pids_release,
};

void ftrace_create_pid_files(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("set_ftrace_pid", TRACE_MODE_WRITE, parent, tr, &yes_fops);
	trace_create_file("set_ftrace_notrace_pid", TRACE_MODE_WRITE, parent, tr, &no_fops);
}
