// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines in the kernel: the arguments and the stack of callbacks, and that
 * trampolines' memory is freed.
 */
#include <kunit/test.h>
#include <linux/error-injection.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/set_memory.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../hooks/combo.h"
#include "../hooks/retire.h"
#include "../hooks/tramp.h"
#include "tramp_targets.h"

#define MANY	8
#define DEPTH	32

/* A hook, and what its callback got. */
struct tramp_hook {
	struct ftrace_ops	ops;
	unsigned int		calls;
	unsigned int		order;		/* number of its call among all calls */
	unsigned long		ip, parent;
	bool			regs;
	long			arg0, arg1;
	unsigned long		stack[DEPTH];
	unsigned int		depth;
};

static struct tramp_hook *hooks;
static unsigned int all_calls;

static void hook_func(unsigned long ip, unsigned long parent, struct ftrace_ops *op,
		      struct ftrace_regs *fregs)
{
	struct tramp_hook *h = container_of(op, struct tramp_hook, ops);

	h->calls++;
	h->order = all_calls++;
	h->ip = ip;
	h->parent = parent;
	h->regs = ftrace_get_regs(fregs);
	h->arg0 = ftrace_regs_get_argument(fregs, 0);
	h->arg1 = ftrace_regs_get_argument(fregs, 1);
	h->depth = stack_trace_save(h->stack, DEPTH, 0);
}

/* The flag that asks for all registers, if there are trampolines that save them. */
#define ALL_REGS	(IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) ? FTRACE_OPS_FL_SAVE_REGS : 0)

static unsigned long site_of(void *func)
{
	return ftrace_location((unsigned long)func);
}

static void hook_on(struct kunit *test, struct tramp_hook *h, unsigned long flags)
{
	h->ops.func = hook_func;
	h->ops.flags = flags;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&h->ops, site_of(tramp_target), 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&h->ops));
}

static void hook_off(struct kunit *test, struct tramp_hook *h)
{
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&h->ops));
	ftrace_free_filter(&h->ops);
}

static void expect_call(struct kunit *test, const struct tramp_hook *h, bool regs)
{
	KUNIT_EXPECT_EQ(test, 1, h->calls);
	KUNIT_EXPECT_EQ(test, site_of(tramp_target), h->ip);
	KUNIT_EXPECT_EQ(test, (unsigned long)tramp_target, ftrace_get_symaddr(h->ip));
	KUNIT_EXPECT_TRUE(test, tramp_ip_is_in(h->parent, tramp_target_caller));
	KUNIT_EXPECT_EQ(test, 42, h->arg0);
	KUNIT_EXPECT_EQ(test, 7, h->arg1);
	if (regs)
		KUNIT_EXPECT_TRUE(test, h->regs);
	KUNIT_EXPECT_TRUE(test, tramp_stack_is_good(h->stack, h->depth));
}

/* One call with @nr hooks. The latest hook is called first. */
static void call_with(struct kunit *test, unsigned int nr, unsigned long flags)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		hook_on(test, &hooks[i], flags);
	if (!ftrace_combo_cap)
		KUNIT_EXPECT_EQ(test, 1, ftrace_combo_mixed_sites());
	all_calls = 0;
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	for (i = 0; i < nr; i++) {
		expect_call(test, &hooks[i], flags & FTRACE_OPS_FL_SAVE_REGS);
		KUNIT_EXPECT_EQ(test, nr - 1 - i, hooks[i].order);
	}
	for (i = 0; i < nr; i++)
		hook_off(test, &hooks[i]);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	KUNIT_EXPECT_EQ(test, nr, all_calls);
}

static void one_hook(struct kunit *test)
{
	call_with(test, 1, 0);
}

static void one_hook_with_regs(struct kunit *test)
{
	if (!ALL_REGS)
		kunit_skip(test, "hooks that ask for all registers are refused");
	call_with(test, 1, FTRACE_OPS_FL_SAVE_REGS);
}

static void many_hooks(struct kunit *test)
{
	call_with(test, MANY, 0);
}

static void many_hooks_with_regs(struct kunit *test)
{
	if (!ALL_REGS)
		kunit_skip(test, "hooks that ask for all registers are refused");
	call_with(test, MANY, FTRACE_OPS_FL_SAVE_REGS);
}

/* Without room for a combo, the site gets the mixed combo. */
static void mixed_hooks(struct kunit *test)
{
	const unsigned int cap = ftrace_combo_cap;

	ftrace_combo_cap = 0;
	call_with(test, MANY, ALL_REGS);
	KUNIT_EXPECT_EQ(test, 0, ftrace_combo_mixed_sites());
	ftrace_combo_cap = cap;
}

/* There was no trampoline for the hook when it was registered. */
static void mixed_hooks_settle(struct kunit *test)
{
	const unsigned int cap = ftrace_combo_cap;

	ftrace_combo_cap = 0;
	hook_on(test, &hooks[0], 0);
	ftrace_combo_cap = cap;
	KUNIT_EXPECT_EQ(test, 1, ftrace_combo_mixed_sites());
	ftrace_settle();
	KUNIT_EXPECT_EQ(test, 0, ftrace_combo_mixed_sites());
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
	expect_call(test, &hooks[0], false);
	hook_off(test, &hooks[0]);
}

/* On arm64 with BTI, the first instruction is not the one that is the site. */
static void function_is_known_under_a_kprobe(struct kunit *test)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)tramp_target };
	unsigned long func;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "there are no kprobes");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	/* As in a callback. */
	preempt_disable();
	func = ftrace_get_symaddr(site_of(tramp_target));
	preempt_enable();
	unregister_kprobe(&kp);
	KUNIT_EXPECT_EQ(test, (unsigned long)tramp_target, func);
}

static unsigned int entered, left;

/* As bpf_override_return() in a program of a session does. */
static int override_entry(struct fprobe *fp, unsigned long ip, unsigned long parent,
			  struct ftrace_regs *fregs, void *data)
{
	struct pt_regs partial = { }, *regs = ftrace_partial_regs(fregs, &partial);

	regs_set_return_value(regs, -5);
	override_function_with_return(regs);
	ftrace_partial_regs_update(fregs, regs);
	entered++;
	return 0;
}

static void override_exit(struct fprobe *fp, unsigned long ip, unsigned long parent,
			  struct ftrace_regs *fregs, void *data)
{
	left++;
}

/* Of more calls than a shadow stack has frames, none may leave a frame. */
static void overridden_functions_return_to_their_probes(struct kunit *test)
{
	struct fprobe fp = { .entry_handler = override_entry, .exit_handler = override_exit };
	unsigned long ip = (unsigned long)tramp_target;
	unsigned int i, overridden = 0;

	if (!IS_ENABLED(CONFIG_FPROBE) || !IS_ENABLED(CONFIG_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "nothing overrides functions");
	entered = 0;
	left = 0;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&fp, &ip, 1));
	for (i = 0; i < 200; i++)
		overridden += tramp_target_caller(42, 7) == -5;
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&fp));
	KUNIT_EXPECT_EQ(test, 200, overridden);
	KUNIT_EXPECT_EQ(test, 200, entered);
	KUNIT_EXPECT_EQ(test, 200, left);
	KUNIT_EXPECT_EQ(test, 35, tramp_target_caller(42, 7));
}

/* Make a trampoline that no site calls. */
static struct ftrace_tramp *make_one(struct kunit *test, unsigned int nr)
{
	struct ftrace_tramp_call calls[MANY] = { };
	struct ftrace_tramp_spec spec = { .calls = calls, .nr = nr };
	struct ftrace_tramp *tramp;
	unsigned int i;

	for (i = 0; i < nr; i++)
		calls[i] = (struct ftrace_tramp_call){ hook_func, &hooks[i].ops };
	mutex_lock(&ftrace_lock);
	tramp = ftrace_tramp_make(&spec);
	mutex_unlock(&ftrace_lock);
	KUNIT_ASSERT_NOT_NULL(test, tramp);
	return tramp;
}

static unsigned int nr_freed;

struct tramp_to_free {
	struct ftrace_retired	retired;
	struct ftrace_tramp	*tramp;
};

static void free_tramp(struct ftrace_retired *r)
{
	nr_freed++;
	ftrace_tramp_free(container_of(r, struct tramp_to_free, retired)->tramp);
}

static void packed_found_and_given_back(struct kunit *test)
{
	const unsigned long before = ftrace_tramp_pages();
	const unsigned int nr = 64;
	struct tramp_to_free *tramps = kunit_kcalloc(test, nr, sizeof(*tramps), GFP_KERNEL);
	unsigned long start, last;
	struct ftrace_tramp_spec spec;
	unsigned int i;
	u32 size;

	KUNIT_ASSERT_NOT_NULL(test, tramps);
	for (i = 0; i < nr; i++)
		tramps[i].tramp = make_one(test, 1);
	KUNIT_EXPECT_LE(test, ftrace_tramp_pages() - before, 8);

	nr_freed = 0;
	last = tramps[nr - 1].tramp->ip;
	for (i = 0; i < nr; i++) {
		const unsigned long ip = tramps[i].tramp->ip;

		KUNIT_EXPECT_TRUE(test, ftrace_tramp_find(ip, &start, &size, &spec));
		KUNIT_EXPECT_EQ(test, ip, start);
		KUNIT_EXPECT_EQ(test, tramps[i].tramp->size, size);
		KUNIT_EXPECT_TRUE(test, ftrace_tramp_find(ip + size - 1, &start, &size, &spec));
		KUNIT_EXPECT_EQ(test, ip, start);
		ftrace_retire(&tramps[i].retired, free_tramp);
	}
	ftrace_retire_wait();
	KUNIT_EXPECT_EQ(test, nr, nr_freed);
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(last));
	KUNIT_EXPECT_LE(test, ftrace_tramp_pages(), before + 1);
}

static bool is_listed(unsigned long ip)
{
	unsigned long at = 0;
	u32 size;

	for (unsigned int n = 0; at != ip && !ftrace_tramp_nth(n, &at, &size); n++)
		;
	return at == ip;
}

static void retired_ones_are_found_until_they_are_free(struct kunit *test)
{
	struct tramp_to_free one = { .tramp = make_one(test, 2) };
	struct ftrace_tramp *other = make_one(test, 2);
	const unsigned long ip = one.tramp->ip;

	KUNIT_EXPECT_TRUE(test, is_listed(ip));
	ftrace_tramp_unlist(one.tramp);
	KUNIT_EXPECT_FALSE(test, is_listed(ip));
	KUNIT_EXPECT_TRUE(test, is_listed(other->ip));
	ftrace_tramp_free(other);
	/* With preemption off, this task holds up the tasks grace period. */
	preempt_disable();
	ftrace_retire(&one.retired, free_tramp);
	KUNIT_EXPECT_TRUE(test, is_ftrace_trampoline(ip));
	preempt_enable();
	ftrace_retire_wait();
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(ip));
}

/* Neither where they run, nor in the direct map, if they are in it. */
static void they_cannot_be_written(struct kunit *test)
{
	struct ftrace_tramp *tramp;
	struct page *page;
	void *code;
	u32 same;

	if (!IS_ENABLED(CONFIG_STRICT_KERNEL_RWX) || !rodata_enabled || !can_set_direct_map())
		kunit_skip(test, "kernel memory is not protected");
	tramp = make_one(test, 1);
	code = (void *)tramp->ip;
	same = *(u32 *)code;
	KUNIT_EXPECT_NE(test, 0, copy_to_kernel_nofault(code, &same, sizeof(same)));
	page = vmalloc_to_page(code);
	KUNIT_EXPECT_NOT_NULL(test, page);
	if (page && !PageHighMem(page)) {
		code = page_address(page) + offset_in_page(code);
		KUNIT_EXPECT_NE(test, 0, copy_to_kernel_nofault(code, &same, sizeof(same)));
	}
	ftrace_tramp_free(tramp);
}

static void too_long_is_refused(struct kunit *test)
{
	/* Each call is an instruction, at least, and all together have to fit into a page. */
	const unsigned int nr = PAGE_SIZE / MCOUNT_INSN_SIZE + 1;
	struct ftrace_tramp_call *calls = kunit_kcalloc(test, nr, sizeof(*calls), GFP_KERNEL);
	struct ftrace_tramp_spec spec = { .calls = calls, .nr = nr };

	KUNIT_ASSERT_NOT_NULL(test, calls);
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_NULL(test, ftrace_tramp_make(&spec));
	mutex_unlock(&ftrace_lock);
}

static void out_of_reach_is_refused(struct kunit *test)
{
	/* Not near 0 either: the kernel is at the other end, and addresses wrap. */
	struct ftrace_tramp_call call = { .func = (void *)(1UL << (BITS_PER_LONG - 2)) };
	struct ftrace_tramp_spec spec = { .calls = &call, .nr = 1 };

	if (!IS_ENABLED(CONFIG_X86_64))
		kunit_skip(test, "everything is within reach");
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_NULL(test, ftrace_tramp_make(&spec));
	mutex_unlock(&ftrace_lock);
}

static int tramp_init(struct kunit *test)
{
	hooks = kunit_kcalloc(test, MANY, sizeof(*hooks), GFP_KERNEL);
	return hooks ? 0 : -ENOMEM;
}

static struct kunit_case tramp_cases[] = {
	KUNIT_CASE(one_hook),
	KUNIT_CASE(one_hook_with_regs),
	KUNIT_CASE(many_hooks),
	KUNIT_CASE(many_hooks_with_regs),
	KUNIT_CASE(mixed_hooks),
	KUNIT_CASE(mixed_hooks_settle),
	KUNIT_CASE(function_is_known_under_a_kprobe),
	KUNIT_CASE(overridden_functions_return_to_their_probes),
	KUNIT_CASE(packed_found_and_given_back),
	KUNIT_CASE(retired_ones_are_found_until_they_are_free),
	KUNIT_CASE(they_cannot_be_written),
	KUNIT_CASE(too_long_is_refused),
	KUNIT_CASE(out_of_reach_is_refused),
	{}
};

static struct kunit_suite tramp_suite = {
	.name = "ftrace_tramp",
	.init = tramp_init,
	.test_cases = tramp_cases,
};

kunit_test_suite(tramp_suite);
