// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail on demand. It needs no fault injection in the kernel:
 * an IPMODIFY hook redirects the allocators to a function that returns NULL.
 *
 * Write N to /dev/ftrace_fail, and the writing task's Nth allocation from then on
 * fails. A read returns 1 if it has failed, else 0, and ends the counting. With
 * the parameter "only_function_files" counting begins only where a new instance
 * gets the files of the function tracer.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "defects.h"

static struct task_struct *fail_task;
static long fail_in;
static bool failed, counting;

static bool only_function_files;
module_param(only_function_files, bool, 0600);

/* Runs instead of an allocator. */
static notrace void *no_memory(void)
{
	return NULL;
}

static notrace void fail_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			      struct ftrace_regs *fregs)
{
	if (READ_ONCE(fail_task) != current || !counting || !in_task())
		return;
	/* The second argument, without SLAB_BUCKETS and KMALLOC_PARTITION_CACHES. */
	if (ftrace_regs_get_argument(fregs, 1) & __GFP_NOFAIL)
		return;
	if (--fail_in)
		return;
	failed = true;
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)no_memory);
}

static struct ftrace_ops fail_ops = {
	.func	= fail_call,
	.flags	= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int begin_call(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(fail_task) == current)
		counting = true;
	return 0;
}

/* A kprobe, as this function cannot be traced. */
static struct kprobe begin_probe = {
	.symbol_name	= "ftrace_create_function_files",
	.pre_handler	= begin_call,
};

static char *const allocators[] = {
	"__kmalloc_noprof", "__kmalloc_cache_noprof", "__kmalloc_node_noprof",
	"__kmalloc_cache_node_noprof", "__kmalloc_node_track_caller_noprof",
	"__kmalloc_large_noprof", "__kmalloc_large_node_noprof", "kmem_cache_alloc_noprof",
	"kmem_cache_alloc_node_noprof", "__kvmalloc_node_noprof",
	"execmem_alloc", "execmem_alloc_rw",
};

/* Let the @n-th allocation of this task from now on fail. */
void fail_alloc_arm(long n)
{
	fail_in = n;
	failed = false;
	counting = !only_function_files;
	barrier();
	WRITE_ONCE(fail_task, current);
}

/* Stop counting. Return: true if the allocation has failed. */
bool fail_alloc_disarm(void)
{
	WRITE_ONCE(fail_task, NULL);
	barrier();
	return failed;
}

static ssize_t fail_write(struct file *file, const char __user *ubuf, size_t cnt, loff_t *ppos)
{
	char text[16] = "";
	long n;

	if (cnt >= sizeof(text) || copy_from_user(text, ubuf, cnt) || kstrtol(text, 0, &n) || n < 1)
		return -EINVAL;
	fail_alloc_arm(n);
	return cnt;
}

static ssize_t fail_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	if (!cnt)
		return 0;
	return put_user(fail_alloc_disarm() ? '1' : '0', ubuf) ?: 1;
}

static const struct file_operations fail_fops = {
	.owner	= THIS_MODULE,
	.read	= fail_read,
	.write	= fail_write,
};

static struct miscdevice fail_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ftrace_fail",
	.fops	= &fail_fops,
};

#define FAILS(allocation) ({		\
	void *p;			\
					\
	fail_alloc_arm(1);		\
	p = (allocation);		\
	fail_alloc_disarm();		\
	kvfree(p);			\
	!p;				\
})

/* Allocators get new names now and then: see that none has been forgotten. */
static bool all_can_fail(void)
{
	size_t size = 24;

	OPTIMIZER_HIDE_VAR(size);
	return FAILS(kmalloc(24, GFP_KERNEL)) && FAILS(kmalloc(size, GFP_KERNEL)) &&
	       FAILS(kvmalloc(size, GFP_KERNEL)) && FAILS(kstrdup("some", GFP_KERNEL));
}

int fail_alloc_init(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(allocators); i++) {
		/* One that is not used may not have been linked in. */
		if (lookup(allocators[i]))
			err = err ?: ftrace_set_filter(&fail_ops, allocators[i],
						       strlen(allocators[i]), 0);
	}
	err = err ?: register_ftrace_function(&fail_ops);
	if (!err && !all_can_fail()) {
		unregister_ftrace_function(&fail_ops);
		err = -EINVAL;
	}
	err = err ?: register_kprobe(&begin_probe);
	/* No unwinding on other errors: the machine runs only these tests. */
	return err ?: misc_register(&fail_device);
}
