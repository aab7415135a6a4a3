// SPDX-License-Identifier: GPL-2.0
/*
 * Select the method, breakpoint or stop_machine, and show the engine's
 * statistics.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "text_patch.h"

static const char * const methods[] = { "breakpoint", "stop_machine" };

/* Index into methods[], written under text_mutex. */
static int method;

/* Is stop_machine the method of the current commit? Caller holds text_mutex. */
bool text_method_is_stop_machine(void)
{
	return method == 1;
}

#if IS_ENABLED(CONFIG_X86_TEXT_PATCH_KUNIT_TEST)
void text_method_set(bool stop_machine)
{
	mutex_lock(&text_mutex);
	method = stop_machine;
	mutex_unlock(&text_mutex);
}
#endif

/*
 * text_patch=breakpoint|stop_machine. Any other word is reported in the boot
 * log and changes nothing.
 */
static int __init set_method_at_boot(char *word)
{
	const int chosen = match_string(methods, ARRAY_SIZE(methods), word);

	if (chosen < 0)
		pr_warn("text_patch: no method \"%s\", using %s\n", word,
			methods[method]);
	else
		method = chosen;
	return 1;
}
__setup("text_patch=", set_method_at_boot);

#ifdef CONFIG_TRACING
static int method_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++)
		seq_printf(m, i == method ? "%s[%s]" : "%s%s", i ? " " : "",
			   methods[i]);
	seq_putc(m, '\n');
	return 0;
}

static ssize_t method_write(struct file *file, const char __user *from,
			    size_t count, loff_t *pos)
{
	char word[16];
	int chosen;

	if (count >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, from, count))
		return -EFAULT;
	word[count] = '\0';

	chosen = match_string(methods, ARRAY_SIZE(methods), strim(word));
	if (chosen < 0)
		return -EINVAL;

	mutex_lock(&text_mutex);
	method = chosen;
	mutex_unlock(&text_mutex);
	return count;
}

static int method_open(struct inode *inode, struct file *file)
{
	const int err = security_locked_down(LOCKDOWN_TRACEFS);

	if (err)
		return err;
	return single_open(file, method_show, NULL);
}

static const struct file_operations method_fops = {
	.open		= method_open,
	.read		= seq_read,
	.write		= method_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init make_method_file(void)
{
	tracefs_create_file("text_patch_method", 0600, NULL, NULL,
			    &method_fops);
	return 0;
}
late_initcall(make_method_file);
#endif /* CONFIG_TRACING */

#ifdef CONFIG_DEBUG_FS
static int stats_show(struct seq_file *m, void *unused)
{
	const struct text_commit_stat *s = &text_commit_stat;
	struct text_trap_cpu sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct text_trap_cpu *t = per_cpu_ptr(&text_trap_cpu, cpu);

		sum.live += t->live;
		sum.late += t->late;
		sum.resumed += t->resumed;
	}
	seq_printf(m, "transactions %lu\nplaces %lu\nsyncs %lu\nspared %lu\nwindows %lu\nchunks %lu\nfaults %lu\nearly %lu\nsettled %lu\n",
		   s->transactions, s->places, s->syncs, s->spared, s->windows,
		   s->chunks, s->faults, s->early, s->settled);
	seq_printf(m, "walk_ns %llu\nwalk_ns_max %llu\n", s->walk_ns,
		   s->walk_ns_max);
	seq_printf(m, "traps_live %lu\ntraps_late %lu\ntraps_resumed %lu\n",
		   sum.live, sum.late, sum.resumed);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int __init make_stats_file(void)
{
	debugfs_create_file("text_patch_stats", 0400, arch_debugfs_dir, NULL,
			    &stats_fops);
	/* A separate file, because it can be written: 0 resets the maximum. */
	debugfs_create_u64("text_patch_walk_ns_max", 0600, arch_debugfs_dir,
			   &text_commit_stat.walk_ns_max);
	return 0;
}
late_initcall(make_stats_file);
#endif /* CONFIG_DEBUG_FS */
