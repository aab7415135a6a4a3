// SPDX-License-Identifier: GPL-2.0
/* Trampolines on 32 bit, run without a C library: those are rarely installed. */
#include <linux/types.h>

#include "encode.h"
#include "frame.h"

struct regs {
	u32 bx, cx, dx, si, di, bp, ax, ds, es, fs, gs, orig_ax, ip, cs, flags, sp, ss;
};

/* As harness_32.S has it. */
struct machine {
	u32 ax, bx, cx, dx, si, di, bp, flags, sp;
};

extern u8 all_enter[], all_calls[], all_leave[], all_end[];
extern u8 away_enter[], away_calls[], away_leave[], away_end[];
extern u8 body[], elsewhere[], direct[], hook[], mixed[], called_from[];
extern struct machine seen;
extern u32 caller_sp, went_elsewhere, went_direct;

void call_with(void *fn, const struct machine *m);
void record(u32 ip, u32 parent, u32 arg, struct regs *regs);
int test_main(void);

static long syscall3(long nr, long a, long b, long c)
{
	asm volatile("int $0x80" : "+a" (nr) : "b" (a), "c" (b), "d" (c) : "memory");
	return nr;
}

void *memcpy(void *to, const void *from, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		((volatile u8 *)to)[i] = ((const u8 *)from)[i];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		((volatile u8 *)to)[i] = c;
	return to;
}

static void say(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	syscall3(4, 1, (long)text, n);
}

enum { NOTHING, MOVE_IP, MOVE_PARENT, CHANGE_REGS, GO_DIRECT };

static struct call {
	u32 ip, parent, arg;
	struct regs regs;
	u32 links[3];
} calls[16];
static u32 nr_calls;
static u8 deed[256];

void record(u32 ip, u32 parent, u32 arg, struct regs *regs)
{
	struct call *c = &calls[nr_calls++ % 16];
	u32 *frame = __builtin_frame_address(0);

	c->ip = ip;
	c->parent = parent;
	c->arg = arg;
	memcpy(&c->regs, regs, sizeof(*regs));
#ifdef CONFIG_FRAME_POINTER
	frame = (u32 *)frame[0];
	c->links[0] = frame[1];
	frame = (u32 *)frame[0];
	c->links[1] = frame[1];
	c->links[2] = frame[0];
#else
	(void)frame;
#endif
	switch (deed[arg & 255]) {
	case MOVE_IP:
		regs->ip = (u32)elsewhere;
		break;
	case MOVE_PARENT:
		/* and back by the next one */
		*(u32 *)regs->sp ^= 0x100;
		break;
	case CHANGE_REGS:
		regs->ax = 0xaaaa;
		regs->bx = 0xbbbb;
		regs->bp = 0xcccc;
		regs->flags = 0x246;
		break;
	case GO_DIRECT:
		regs->orig_ax = (u32)direct;
		break;
	}
}

static bool good;

static void same(u32 got, u32 want, const char *what)
{
	if (got == want)
		return;
	good = false;
	say("# differs: ");
	say(what);
	say("\n");
}

#define SAME(got, want) same((u32)(got), (u32)(want), #got)

static u8 page[8192] __attribute__((aligned(4096)));
static u8 *const site = page + 4096;

static const struct machine before = {
	0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x202, 0,
};

static void make_site(u32 tramp)
{
	const u32 disp = tramp - (u32)(site + 5);
	const u32 away = (u32)body - (u32)(site + 10);

	site[0] = 0xe8;
	memcpy(site + 1, &disp, 4);
	site[5] = 0xe9;
	memcpy(site + 6, &away, 4);
}

static void build(const u32 *args, unsigned int nr, bool away)
{
	struct ftrace_code code = {
		.at = page, .end = page + 4096, .ip = (unsigned long)page,
	};
	unsigned int i;

	ftrace_put(&code, away ? away_enter : all_enter,
		   away ? away_calls - away_enter : all_calls - all_enter);
	if (nr > 1)
		ftrace_put_keep(&code);
	for (i = 0; i < nr; i++) {
		ftrace_put_args(&code, i == 0, args[i]);
		ftrace_put_call(&code, (unsigned long)hook);
	}
	ftrace_put(&code, away ? away_leave : all_leave,
		   away ? away_end - away_leave : all_end - all_leave);
	ftrace_put_return(&code, 0);
	SAME(code.err, 0);
	make_site((u32)page);
}

static void begin(void)
{
	good = true;
	nr_calls = 0;
	went_elsewhere = 0;
	went_direct = 0;
	memset(deed, 0, sizeof(deed));
}

static int failures;

static void end(const char *name)
{
	say(good ? "ok - " : "not ok - ");
	say(name);
	say("\n");
	failures += !good;
}

static void function_sees(const struct machine *m)
{
	SAME(seen.ax, m->ax);
	SAME(seen.bx, m->bx);
	SAME(seen.cx, m->cx);
	SAME(seen.dx, m->dx);
	SAME(seen.si, m->si);
	SAME(seen.di, m->di);
	SAME(seen.bp, m->bp);
	SAME(seen.flags & 0xcff, m->flags & 0xcff);
	SAME(seen.sp, caller_sp - 4);
}

static void hook_sees(unsigned int i, u32 arg)
{
	const struct call *c = &calls[i];
	const struct regs *r = &c->regs;

	SAME(c->ip, site);
	SAME(c->parent, called_from);
	SAME(c->arg, arg);
	SAME(r->ax, before.ax);
	SAME(r->bx, before.bx);
	SAME(r->cx, before.cx);
	SAME(r->dx, before.dx);
	SAME(r->si, before.si);
	SAME(r->di, before.di);
	SAME(r->bp, before.bp);
	SAME(r->sp, caller_sp - 4);
	SAME(r->orig_ax, 0);
	SAME(r->cs, 0x60);
	SAME(r->ss, 0x68);
	SAME(r->flags & 0xcff, before.flags & 0xcff);
#ifdef CONFIG_FRAME_POINTER
	SAME(c->links[0], site + 5);
	SAME(c->links[1], called_from);
	SAME(c->links[2], before.bp);
#endif
}

static const u32 args[] = { 0xc1234501, 2, 0x7fffff03, 4, 5, 6, 7, 8 };

static void test_hooks(unsigned int nr, const char *name)
{
	unsigned int i;

	begin();
	build(args, nr, false);
	call_with(site, &before);
	SAME(nr_calls, nr);
	for (i = 0; i < nr; i++) {
		hook_sees(i, args[i]);
		SAME(calls[i].regs.ip, site + 5);
	}
	function_sees(&before);
	end(name);
}

static void test_mixed(int what, const char *name)
{
	begin();
	deed[0x77] = what;
	make_site((u32)mixed);
	call_with(site, &before);
	SAME(nr_calls, 1);
	hook_sees(0, 0x77);
	SAME(went_direct, what == GO_DIRECT);
	SAME(went_elsewhere, what == MOVE_IP);
	function_sees(&before);
	end(name);
}

int test_main(void)
{
	struct machine after = before;

	if (syscall3(125, (long)page, sizeof(page), 7))	/* mprotect */
		return 2;

	test_hooks(1, "one_hook_32_bit");
	test_hooks(2, "2_hooks_32_bit");
	test_hooks(8, "8_hooks_32_bit");

	begin();
	deed[1] = MOVE_IP;
	build(args, 3, false);
	call_with(site, &before);
	hook_sees(2, args[2]);
	SAME(went_elsewhere, 1);
	function_sees(&before);
	end("ip_moves_32_bit");

	begin();
	deed[1] = MOVE_PARENT;
	deed[3] = MOVE_PARENT;
	build(args, 3, false);
	call_with(site, &before);
	hook_sees(1, args[1]);
	function_sees(&before);
	end("parent_stays_the_same_for_the_others_32_bit");

	begin();
	deed[1] = CHANGE_REGS;
	build(args, 1, false);
	call_with(site, &before);
	after.ax = 0xaaaa;
	after.bx = 0xbbbb;
	after.bp = 0xcccc;
	after.flags = 0x246;
	function_sees(&after);
	end("changed_registers_arrive_32_bit");

	begin();
	deed[args[1] & 255] = GO_DIRECT;
	build(args, 2, true);
	call_with(site, &before);
	SAME(nr_calls, 2);
	SAME(went_direct, 1);
	end("direct_call_32_bit");

	test_mixed(NOTHING, "mixed_32_bit");
	test_mixed(MOVE_IP, "mixed_moves_ip_32_bit");
	test_mixed(GO_DIRECT, "mixed_goes_direct_32_bit");
	return failures != 0;
}
