// SPDX-License-Identifier: GPL-2.0
/*
 * Defects that the classic function tracer has, and that only kernel code can
 * meet. Each case is a file in /sys/module/ftrace_defects/parameters: reading
 * it runs the case, and says "ok" or what was wrong.
 *
 * /dev/ftrace_fail makes allocations fail: write the number of the one that
 * shall, counted from there; reading says whether it has come, and ends that.
 * Once "y" was written to the parameter "only_function_files", they are counted
 * from where the files of a new instance begin that are the function tracer's.
 * It needs no fault injection in the kernel: allocators are hooked like any
 * function, and sent elsewhere.
 *
 * Builds against any kernel of this age, ours or not. What modules cannot link
 * to is found by name: "lookup" is the address of kallsyms_lookup_name().
 */
#include <linux/completion.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

static unsigned long (*lookup)(const char *name);
static ulong lookup_at;
module_param_named(lookup, lookup_at, ulong, 0);

/* Evaluates to the function of this name, of @type. */
#define kernel_function(type, name) ((type)lookup(name))

/* A thread that has come as far as @in; kthread_stop_put() is for the caller. */
static struct task_struct *start(int (*fn)(void *), const char *name, struct completion *in)
{
	struct task_struct *task = kthread_create(fn, NULL, "%s", name);

	if (!IS_ERR(task)) {
		get_task_struct(task);
		wake_up_process(task);
		wait_for_completion(in);
	}
	return task;
}

/* ---- allocations that fail ---- */

static struct task_struct *fail_task;
static long fail_in;
static bool failed, counting;

static bool only_function_files;
module_param(only_function_files, bool, 0600);

/* What allocators are sent to. */
static notrace void *no_memory(void)
{
	return NULL;
}

static notrace void fail_call(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			      struct ftrace_regs *fregs)
{
	if (READ_ONCE(fail_task) != current || !counting || !in_task())
		return;
	/* Of all that is in the list below, it is the second argument. */
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

/* Not a function that can be traced. */
static struct kprobe begin_probe = {
	.symbol_name	= "ftrace_create_function_files",
	.pre_handler	= begin_call,
};

static char *const allocators[] = {
	"__kmalloc_noprof", "__kmalloc_cache_noprof", "__kmalloc_node_noprof",
	"__kmalloc_cache_node_noprof", "__kmalloc_node_track_caller_noprof",
	"__kmalloc_large_noprof", "__kmalloc_large_node_noprof", "kmem_cache_alloc_noprof",
	"kmem_cache_alloc_node_noprof",
};

/* The @n-th allocation of this task from now on fails. */
static void arm(long n)
{
	fail_in = n;
	failed = false;
	counting = !only_function_files;
	barrier();
	WRITE_ONCE(fail_task, current);
}

/* Has it? */
static bool disarm(void)
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
	arm(n);
	return cnt;
}

static ssize_t fail_read(struct file *file, char __user *ubuf, size_t cnt, loff_t *ppos)
{
	if (!cnt)
		return 0;
	return put_user(disarm() ? '1' : '0', ubuf) ?: 1;
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

static int fail_start(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(allocators); i++) {
		/* An unused one may have been left out. */
		if (lookup(allocators[i]))
			err = err ?: ftrace_set_filter(&fail_ops, allocators[i],
						       strlen(allocators[i]), 0);
	}
	err = err ?: register_ftrace_function(&fail_ops);
	err = err ?: register_kprobe(&begin_probe);
	/* A machine of ours has one purpose: what is there stays. */
	return err ?: misc_register(&fail_device);
}

/* ---- functions to hook ---- */

#define TARGET(name)					\
static noinline void name(void)				\
{							\
	/* As if somebody needed it. */			\
	barrier();					\
}

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

/* Comes to what the hook has already, or in its place. */
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

/* How many calls of the hook come from those functions. */
static unsigned int targets_called(void)
{
	unsigned int i;

	nr_calls = 0;
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		targets[i]();
	return nr_calls;
}

static unsigned long site_of(void *func)
{
	return kernel_function(unsigned long (*)(unsigned long), "ftrace_location")
		((unsigned long)func);
}

/* ---- e: who is hooked already may not come to where he is excluded ---- */

/* A direct call: it goes back to the function. */
static notrace void call_nothing(void)
{
}

static void change_nothing(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			   struct ftrace_regs *fregs)
{
}

static const char *share_is_checked_for_those_already_hooked(void)
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

/* ---- j: a mapper's words are what its free function gets ---- */

typedef void *(*make_mapper_t)(void);
typedef int (*add_word_t)(void *mapper, unsigned long ip, void *data);
typedef void (*free_mapper_t)(void *mapper, int (*free)(void *data));

static void *word_freed;

static int note_word(void *data)
{
	word_freed = data;
	return 0;
}

static const char *mapper_frees_words(void)
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

/* ---- k: a filter that says it is set is ---- */

static const char *try_filter(struct ftrace_ops *ops, long n, bool *again)
{
	const char *why = NULL;
	unsigned int called;
	int err;

	if (ftrace_set_filter_ip(ops, site_of(defect_target_other), 0, 0))
		return "a filter cannot be set";

	arm(n);
	err = filter_targets(ops, false);
	*again = disarm();

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

static const char *filters_without_memory(void)
{
	const char *why = NULL;
	bool again = true;
	long n;

	for (n = 1; again && !why; n++) {
		/* Another one each time: not all can be used again. */
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

/* ---- m: a trampoline is known for as long as somebody is in it ---- */

static DECLARE_COMPLETION(tramp_entered);
static bool text_is_nop, caller_known;

static noinline int defect_tramp_caller(void)
{
	defect_target_0();
	/* No tail call. */
	barrier();
	return 0;
}

/* One of five bytes, or the first five of one of nine. */
static bool is_nop(unsigned long ip)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const u8 entry_nop[] = { 0x66, 0x0f, 0x1f, 0x84, 0x90 };

	return !memcmp((void *)ip, nop, sizeof(nop)) ||
	       !memcmp((void *)ip, entry_nop, sizeof(entry_nop));
}

static bool caller_is_in_stack(void)
{
	unsigned long stack[32];
	char name[KSYM_NAME_LEN];
	unsigned int i, nr = stack_trace_save(stack, ARRAY_SIZE(stack), 0);

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%ps", (void *)stack[i]);
		if (strstarts(name, "defect_tramp_caller"))
			return true;
	}
	return false;
}

/* Comes back when the hook is off all text, and its owner waits for us. */
static void stay_in_tramp(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
			  struct ftrace_regs *fregs)
{
	const unsigned long late = jiffies + 20 * HZ;

	caller_known = caller_is_in_stack();
	complete(&tramp_entered);
	while (!is_nop(ip) && time_before(jiffies, late))
		cpu_relax();
	text_is_nop = is_nop(ip);
	caller_known = caller_known && caller_is_in_stack();
}

static int call_tramp(void *unused)
{
	defect_tramp_caller();
	return 0;
}

static const char *trampolines_are_known_until_they_are_left(void)
{
	static struct ftrace_ops ops = { .func = stay_in_tramp };
	struct task_struct *task;

	ops.flags = 0;
	if (ftrace_set_filter_ip(&ops, site_of(defect_target_0), 0, 0) ||
	    register_ftrace_function(&ops))
		return "a hook cannot be registered";
	reinit_completion(&tramp_entered);
	task = start(call_tramp, "defect_tramp", &tramp_entered);
	if (IS_ERR(task)) {
		unregister_ftrace_function(&ops);
		return "there is no thread";
	}
	unregister_ftrace_function(&ops);
	kthread_stop_put(task);
	ftrace_free_filter(&ops);

	if (!text_is_nop)
		return "the hook did not leave the text";
	return caller_known ? NULL : "from a trampoline that is being left, the stack is lost";
}

/* ---- o: a graph hook that was not registered is not called ---- */

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
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

static int graph_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 1;
}

static void graph_leave(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

static int wrong_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	nr_wrong++;
	return 0;
}

static void wrong_leave(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	nr_wrong++;
}

static struct fgraph_ops right_graph = { .entryfunc = graph_enter, .retfunc = graph_leave };
static struct fgraph_ops wrong_graph = { .entryfunc = wrong_enter, .retfunc = wrong_leave };

/* A function sleeps whose hook has gone; another hook fails to come; it wakes. */
static const char *graph_round(int (*reg)(struct fgraph_ops *), void (*unreg)(struct fgraph_ops *))
{
	const char *why = NULL;
	struct task_struct *task;
	int i;

	reinit_completion(&sleeper_in);
	reinit_completion(&sleeper_go);
	if (reg(&right_graph))
		return "a graph hook cannot be registered";
	task = start(sleeper, "defect_graph", &sleeper_in);
	if (IS_ERR(task)) {
		unreg(&right_graph);
		return "there is no thread";
	}
	unreg(&right_graph);

	/* Twice: three registrations a round, and so each of the 16 slots in time. */
	for (i = 0; i < 2 && !why; i++) {
		int err;

		arm(1);
		err = reg(&wrong_graph);
		if (!disarm())
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

static const char *graph_hooks_fail_without_a_trace(void)
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
#else
static const char *graph_hooks_fail_without_a_trace(void)
{
	return NULL;
}
#endif

/* ---- s: who unregisters is not called any more, come what may ---- */

/* The last case of a machine's life. */
static const char *hooks_leave_a_dead_tracer(void)
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

/* ---- r: event_mutex, held for as long as a file says so ---- */

static DECLARE_COMPLETION(mutex_held);
static DECLARE_COMPLETION(mutex_go);
static struct task_struct *mutex_task;

static int hold_mutex(void *unused)
{
	struct mutex *mutex = (struct mutex *)lookup("event_mutex");

	mutex_lock(mutex);
	complete(&mutex_held);
	wait_for_completion(&mutex_go);
	mutex_unlock(mutex);
	return 0;
}

static int hold_set(const char *text, const struct kernel_param *kp)
{
	bool hold;

	if (kstrtobool(text, &hold))
		return -EINVAL;
	if (hold && !mutex_task) {
		struct task_struct *task = start(hold_mutex, "defect_mutex", &mutex_held);

		if (IS_ERR(task))
			return PTR_ERR(task);
		mutex_task = task;
	} else if (!hold && mutex_task) {
		complete(&mutex_go);
		kthread_stop_put(mutex_task);
		mutex_task = NULL;
	}
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold_event_mutex, &hold_ops, NULL, 0200);

/* ---- the cases' files ---- */

static int case_get(char *buf, const struct kernel_param *kp)
{
	const char *(*run)(void) = kp->arg;
	const char *why = run();

	return sysfs_emit(buf, "%s\n", why ?: "ok");
}

static const struct kernel_param_ops case_ops = { .get = case_get };

module_param_cb(share_is_checked_for_those_already_hooked, &case_ops,
		share_is_checked_for_those_already_hooked, 0400);
module_param_cb(mapper_frees_words, &case_ops, mapper_frees_words, 0400);
module_param_cb(filters_without_memory, &case_ops, filters_without_memory, 0400);
module_param_cb(trampolines_are_known_until_they_are_left, &case_ops,
		trampolines_are_known_until_they_are_left, 0400);
module_param_cb(graph_hooks_fail_without_a_trace, &case_ops,
		graph_hooks_fail_without_a_trace, 0400);
module_param_cb(hooks_leave_a_dead_tracer, &case_ops, hooks_leave_a_dead_tracer, 0400);

static int __init defects_init(void)
{
	if (!lookup_at)
		return -EINVAL;
	lookup = (void *)lookup_at;
	return fail_start();
}
module_init(defects_init);

MODULE_DESCRIPTION("Cases of the function tracer for which it takes a module");
MODULE_LICENSE("GPL");
