/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of direct_kunit.c: functions that jump to their targets.
 *
 * A target that is jumped to takes the function's place: it finds the arguments,
 * and returns to the function's caller. Here it adds the arguments, which the
 * function subtracts.
 */
#ifndef _FTRACE_DIRECT_JUMPS_H
#define _FTRACE_DIRECT_JUMPS_H

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <asm/text-patching.h>

static unsigned int direct_kunit_jumps __used;
void direct_kunit_jump(void);

asm("	.pushsection .text, \"ax\", @progbits\n"
"	.balign	16\n"
"	.type	direct_kunit_jump, @function\n"
"	.globl	direct_kunit_jump\n"
"direct_kunit_jump:\n"
	ASM_ENDBR
"	incl	direct_kunit_jumps(%rip)\n"
"	leaq	(%rdi,%rsi), %rax\n"
	ASM_RET
"	.size	direct_kunit_jump, .-direct_kunit_jump\n"
"	.popsection\n");

#define JUMP	ftrace_jmp_set((unsigned long)direct_kunit_jump)

/* The caller has target 1 if @caller; the function it calls jumps, or has target 0. */
static void expect_jump(struct kunit *test, bool jumps, bool caller)
{
	memset(direct_kunit_calls, 0, sizeof(direct_kunit_calls));
	direct_kunit_jumps = 0;
	KUNIT_EXPECT_EQ(test, jumps ? 49 : 35, tramp_target_caller(42, 7));
	KUNIT_EXPECT_EQ(test, jumps, direct_kunit_jumps);
	KUNIT_EXPECT_EQ(test, !jumps, direct_kunit_calls[0]);
	KUNIT_EXPECT_EQ(test, caller, direct_kunit_calls[1]);
}

static u8 opcode_at(unsigned long ip)
{
	return *(u8 *)ip;
}

static void a_function_jumps_to_its_target(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target);

	KUNIT_ASSERT_TRUE(test, ftrace_is_jmp(JUMP));
	KUNIT_EXPECT_EQ(test, 0, update(test, add, a, JUMP, 0, 0));
	KUNIT_EXPECT_EQ(test, opcode_at(a), JMP32_INSN_OPCODE);
	expect_jump(test, true, false);
	/* A call of the same code is another target than a jump to it. */
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, del, a, ftrace_jmp_get(JUMP), 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, ftrace_jmp_get(JUMP), 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, mod, a, ftrace_jmp_set(0), 0, 0));
	expect_jump(test, true, false);
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, JUMP, 0, 0));
	expect_calls(test, 0, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, update(test, add, a, ftrace_jmp_set(0), 0, 0));
}

static void calls_become_jumps_and_calls_again(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target), b = site_of(tramp_target_caller);

	KUNIT_EXPECT_EQ(test, 0, update(test, add, a, targets[0], b, targets[1]));
	for (int i = 0; i < 2; i++) {
		expect_jump(test, false, true);
		KUNIT_EXPECT_EQ(test, opcode_at(a), CALL_INSN_OPCODE);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, JUMP, 0, 0));
		expect_jump(test, true, true);
		KUNIT_EXPECT_EQ(test, opcode_at(a), JMP32_INSN_OPCODE);
		KUNIT_EXPECT_EQ(test, opcode_at(b), CALL_INSN_OPCODE);
		KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[0], b, targets[1]));
	}
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, targets[0], b, targets[1]));
	expect_calls(test, 0, 0);
}

static void one_address_for_all_can_be_jumped_to(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target), zero = ftrace_jmp_set(0);
	struct ftrace_ops *one = kunit_kzalloc(test, sizeof(*one), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(one, a, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_direct(one, zero));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_direct(one, JUMP));
	expect_jump(test, true, false);
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_ftrace_direct(one, zero));
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(one, targets[0]));
	expect_jump(test, false, false);
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(one, JUMP));
	expect_jump(test, true, false);
	/* The target is given by its address alone, as BPF does. */
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(one, ftrace_jmp_get(JUMP), true));
	expect_calls(test, 0, 0);
}

/* The callback is called before the jump, whatever registers it asks for. */
static void jump_beside_callback(struct kunit *test, unsigned long flags)
{
	const unsigned long a = site_of(tramp_target), b = site_of(tramp_target_caller);
	unsigned long calls = 0;
	struct ftrace_ops *hook = counting_hook(test, &calls, flags);

	KUNIT_EXPECT_EQ(test, 0, update(test, add, a, JUMP, b, targets[1]));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(hook));
	if (!ftrace_combo_cap)
		KUNIT_EXPECT_GT(test, ftrace_combo_mixed_sites(), 0);
	KUNIT_EXPECT_EQ(test, opcode_at(a), CALL_INSN_OPCODE);
	expect_jump(test, true, true);
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, targets[0], 0, 0));
	expect_jump(test, false, true);
	KUNIT_EXPECT_EQ(test, calls, 4);
	KUNIT_EXPECT_EQ(test, 0, update(test, mod, a, JUMP, 0, 0));
	expect_jump(test, true, true);
	KUNIT_EXPECT_EQ(test, calls, 6);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(hook));
	expect_jump(test, true, true);
	KUNIT_EXPECT_EQ(test, calls, 6);
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, JUMP, b, targets[1]));
	expect_calls(test, 0, 0);
	ftrace_free_filter(hook);
}

static void callbacks_come_before_the_jump(struct kunit *test)
{
	jump_beside_callback(test, 0);
	jump_beside_callback(test, FTRACE_OPS_FL_SAVE_REGS);
}

static void mixed_functions_jump_to_their_targets(struct kunit *test)
{
	const unsigned int cap = ftrace_combo_cap;

	ftrace_combo_cap = 0;
	jump_beside_callback(test, 0);
	jump_beside_callback(test, FTRACE_OPS_FL_SAVE_REGS);
	ftrace_combo_cap = cap;
}

struct caller {
	struct completion	called;
	unsigned int		calls, subtracted, added;
};

static int call_until_stopped(void *data)
{
	struct caller *c = data;

	while (!kthread_should_stop()) {
		const long r = tramp_target_caller(42, 7);

		c->calls++;
		c->subtracted += r == 35;
		c->added += r == 49;
		complete(&c->called);
		cond_resched();
	}
	return 0;
}

/* Wait for a call that begins after this. The first one may have begun before. */
static void wait_for_call(struct caller *c)
{
	reinit_completion(&c->called);
	wait_for_completion(&c->called);
	wait_for_completion(&c->called);
}

/* Another task calls the function meanwhile: each call reaches one of the targets. */
static void calls_and_jumps_are_switched_live(struct kunit *test)
{
	const unsigned long a = site_of(tramp_target);
	struct caller c = { };
	struct task_struct *t;

	init_completion(&c.called);
	memset(direct_kunit_calls, 0, sizeof(direct_kunit_calls));
	direct_kunit_jumps = 0;
	KUNIT_ASSERT_EQ(test, 0, update(test, add, a, targets[0], 0, 0));
	t = kthread_run(call_until_stopped, &c, "direct_kunit");
	if (!IS_ERR(t)) {
		for (int i = 0; i < 100; i++) {
			wait_for_call(&c);
			KUNIT_EXPECT_EQ(test, 0, update(test, mod, a,
							i % 2 ? targets[0] : JUMP, 0, 0));
		}
		kthread_stop(t);
	}
	KUNIT_EXPECT_FALSE(test, IS_ERR(t));
	KUNIT_EXPECT_EQ(test, 0, update(test, del, a, targets[0], 0, 0));

	KUNIT_EXPECT_GE(test, c.calls, 100);
	KUNIT_EXPECT_GT(test, c.added, 0);
	KUNIT_EXPECT_GT(test, c.subtracted, 0);
	KUNIT_EXPECT_EQ(test, c.subtracted, direct_kunit_calls[0]);
	KUNIT_EXPECT_EQ(test, c.added, direct_kunit_jumps);
	KUNIT_EXPECT_EQ(test, c.added + c.subtracted, c.calls);
	expect_calls(test, 0, 0);
}

#endif /* _FTRACE_DIRECT_JUMPS_H */
