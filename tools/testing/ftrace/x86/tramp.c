// SPDX-License-Identifier: GPL-2.0
/*
 * Makes trampolines as the kernel does, and runs them: functions are called
 * with every register known, hooks spoil what they may, and what arrives in the
 * function and in the hooks is compared.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "encode.h"
#include "frame.h"

struct regs {
	u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	u64 ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

/* As harness.S has it. */
struct machine {
	u64 ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r12, r13, r14, r15;
	u64 flags, sp;
};

extern u8 some_enter[], some_calls[], some_leave[], some_end[];
extern u8 all_enter[], all_calls[], all_leave[], all_end[];
extern u8 away_enter[], away_calls[], away_leave[], away_end[];
extern u8 body[], elsewhere[], direct[], hook[], mixed[], called_from[], other_parent[];
extern u8 bare[], bare_enter[], bare_leave[], bare_end[];
extern struct machine seen;
extern struct { u64 arg, site_end, parent, slot; } bare_seen[];
extern u64 nr_bare;
extern u64 caller_sp, direct_ret;
extern unsigned int went_elsewhere, went_direct, went_other;
void call_with(void *fn, const struct machine *m);
void record(u64 ip, u64 parent, u64 arg, struct regs *regs);

#define NEW_FLAGS	0x246		/* ZF, PF, IF */
#define OLD_FLAGS	0x202		/* IF */

/* What the hooks do, by their argument, and what they saw. */
enum { NOTHING, MOVE_IP, MOVE_PARENT, CHANGE_REGS, GO_DIRECT };

static struct call {
	u64 ip, parent, arg;
	struct regs regs;
	u64 slot;
	u64 links[4];
} calls[64];
static unsigned int nr_calls;
static int deed[256];

void record(u64 ip, u64 parent, u64 arg, struct regs *regs)
{
	struct call *c = &calls[nr_calls++ % 64];
	u64 *frame = __builtin_frame_address(0);

	*c = (struct call){ ip, parent, arg, *regs, *(u64 *)regs->sp, { 0 } };
#ifdef CONFIG_FRAME_POINTER
	/* This function's frame, then the function's, its caller's, and beyond. */
	frame = (u64 *)frame[0];
	c->links[0] = frame[1];
	frame = (u64 *)frame[0];
	c->links[1] = frame[1];
	c->links[2] = frame[0];
#else
	(void)frame;
#endif
	switch (deed[arg & 255]) {
	case MOVE_IP:
		regs->ip = (u64)elsewhere;
		break;
	case MOVE_PARENT:
		*(u64 *)regs->sp = (u64)other_parent;
		break;
	case CHANGE_REGS:
		regs->di = 0xaaaa;
		regs->ax = 0xbbbb;
		regs->bx = 0xcccc;
		regs->r15 = 0xdddd;
		regs->bp = 0xeeee;
		regs->flags = NEW_FLAGS;
		break;
	case GO_DIRECT:
		regs->orig_ax = (u64)direct;
		break;
	}
}

static const char *name;
static bool good;

static void begin(const char *what)
{
	name = what;
	good = true;
	nr_calls = 0;
	went_elsewhere = 0;
	went_direct = 0;
	went_other = 0;
	memset(deed, 0, sizeof(deed));
}

static void same(const char *what, u64 got, u64 want)
{
	if (got == want)
		return;
	good = false;
	printf("# %s: %s is %#lx, should be %#lx\n", name, what, (long)got, (long)want);
}

static int failures;

static void end(void)
{
	printf("%sok - %s\n", good ? "" : "not ", name);
	failures += !good;
}

/* A page of code: trampoline, then the function. */
static u8 *page;
static u8 *site;

enum kind { SOME, ALL, AWAY };

static const struct {
	u8 *enter, *calls, *leave, *end;
} templates[] = {
	[SOME]	= { some_enter, some_calls, some_leave, some_end },
	[ALL]	= { all_enter, all_calls, all_leave, all_end },
	[AWAY]	= { away_enter, away_calls, away_leave, away_end },
};

/* The same order as ftrace_put_tramp() in the kernel. */
static int make(struct ftrace_code *code, enum kind kind, const u64 *args, unsigned int nr)
{
	unsigned int i;

	ftrace_put(code, templates[kind].enter, templates[kind].calls - templates[kind].enter);
	if (nr > 1)
		ftrace_put_keep(code);
	for (i = 0; i < nr; i++) {
		ftrace_put_args(code, i == 0, args[i]);
		ftrace_put_call(code, (unsigned long)hook);
	}
	ftrace_put(code, templates[kind].leave, templates[kind].end - templates[kind].leave);
	ftrace_put_return(code, 0);
	return code->err;
}

/* call TRAMP; jmp *body */
static void make_site(u64 tramp)
{
	s32 disp = tramp - (u64)(site + 5);

	site[0] = 0xe8;
	memcpy(site + 1, &disp, 4);
	site[5] = 0xff;
	site[6] = 0x25;
	memset(site + 7, 0, 4);
	memcpy(site + 11, &(u64){ (u64)body }, 8);
}

static void build(enum kind kind, const u64 *args, unsigned int nr)
{
	struct ftrace_code count = { 0 };
	struct ftrace_code code = {
		.at = page, .end = page + 3072, .ip = (unsigned long)page,
	};

	make(&count, kind, args, nr);
	same("error", make(&code, kind, args, nr), 0);
	same("size counted", count.ip, code.ip - (unsigned long)page);
	make_site((u64)page);
}

static const struct machine before = {
	.ax = 0x1001, .bx = 0x1002, .cx = 0x1003, .dx = 0x1004, .si = 0x1005,
	.di = 0x1006, .bp = 0x1007, .r8 = 0x1008, .r9 = 0x1009, .r10 = 0x100a,
	.r11 = 0x100b, .r12 = 0x100c, .r13 = 0x100d, .r14 = 0x100e, .r15 = 0x100f,
	.flags = OLD_FLAGS,
};

/* What the function may expect after a call of its hooks. */
static void function_sees(const struct machine *want, bool all)
{
	same("ax", seen.ax, want->ax);
	same("bx", seen.bx, want->bx);
	same("cx", seen.cx, want->cx);
	same("dx", seen.dx, want->dx);
	same("si", seen.si, want->si);
	same("di", seen.di, want->di);
	same("bp", seen.bp, want->bp);
	same("r8", seen.r8, want->r8);
	same("r9", seen.r9, want->r9);
	same("r10", seen.r10, want->r10);
	same("r12", seen.r12, want->r12);
	same("r13", seen.r13, want->r13);
	same("r14", seen.r14, want->r14);
	same("r15", seen.r15, want->r15);
	same("sp", seen.sp, caller_sp - 8);
	if (all) {
		same("r11", seen.r11, want->r11);
		same("flags", seen.flags & 0xcff, want->flags & 0xcff);
	}
}

static void hook_sees(unsigned int i, u64 arg, bool all)
{
	const struct call *c = &calls[i];
	const struct machine *m = &before;

	same("site", c->ip, (u64)site);
	same("parent", c->parent, (u64)called_from);
	same("argument", c->arg, arg);
	same("regs->sp", c->regs.sp, caller_sp - 8);
	if (all)
		same("regs->orig_ax", c->regs.orig_ax, 0);
	same("regs->di", c->regs.di, m->di);
	same("regs->si", c->regs.si, m->si);
	same("regs->dx", c->regs.dx, m->dx);
	same("regs->cx", c->regs.cx, m->cx);
	same("regs->r8", c->regs.r8, m->r8);
	same("regs->r9", c->regs.r9, m->r9);
	same("regs->ax", c->regs.ax, m->ax);
	same("regs->r10", c->regs.r10, m->r10);
	same("regs->bp", c->regs.bp, m->bp);
	same("regs->cs", c->regs.cs, all ? 0x10 : 0);
#ifdef CONFIG_FRAME_POINTER
	same("first link", c->links[0], (u64)site + 5);
	same("second link", c->links[1], (u64)called_from);
	same("third link", c->links[2], m->bp);
#endif
	if (!all)
		return;
	same("regs->bx", c->regs.bx, m->bx);
	same("regs->r11", c->regs.r11, m->r11);
	same("regs->r12", c->regs.r12, m->r12);
	same("regs->r13", c->regs.r13, m->r13);
	same("regs->r14", c->regs.r14, m->r14);
	same("regs->r15", c->regs.r15, m->r15);
	same("regs->flags", c->regs.flags & 0xcff, m->flags & 0xcff);
	same("regs->ss", c->regs.ss, 0x18);
}

static const u64 sorts[] = { 1, 0xffffffff81234502, 0xffff888012345603, 0x87654304 };

static void test_one(bool all)
{
	begin(all ? "one_hook_sees_all_registers" : "one_hook_sees_the_arguments");
	build(all, sorts, 1);
	call_with(site, &before);
	same("calls", nr_calls, 1);
	hook_sees(0, sorts[0], all);
	same("regs->ip", calls[0].regs.ip, (u64)site + 5);
	function_sees(&before, all);
	end();
}

static void test_many(bool all, unsigned int nr)
{
	u64 args[16];
	char what[64];
	unsigned int i;

	sprintf(what, "%u_hooks_in_order%s", nr, all ? "_with_all_registers" : "");
	begin(what);
	for (i = 0; i < nr; i++)
		args[i] = sorts[i % 4] + (i << 8);
	build(all, args, nr);
	call_with(site, &before);
	same("calls", nr_calls, nr);
	for (i = 0; i < nr; i++) {
		hook_sees(i, args[i], all);
		same("regs->ip", calls[i].regs.ip, (u64)site + 5);
	}
	function_sees(&before, all);
	end();
}

/* Registers stay as they are, and each hook finds its argument and the two addresses. */
static void test_bare(unsigned int nr)
{
	struct ftrace_code code = {
		.at = page, .end = page + 3072, .ip = (unsigned long)page,
	};
	struct machine want = before;
	char what[64];
	unsigned int i;

	sprintf(what, "%u_bare_hooks_in_order", nr);
	begin(what);
	nr_bare = 0;
	ftrace_put(&code, bare_enter, bare_leave - bare_enter);
	for (i = 0; i < nr; i++) {
		ftrace_put_bare_arg(&code, sorts[i % 4] + (i << 8));
		ftrace_put_call(&code, (unsigned long)bare);
	}
	ftrace_put(&code, bare_leave, bare_end - bare_leave);
	ftrace_put_return(&code, 0);
	same("error", code.err, 0);
	make_site((u64)page);
	call_with(site, &before);
	same("calls", nr_bare, nr);
	for (i = 0; i < nr; i++) {
		same("argument", bare_seen[i].arg, sorts[i % 4] + (i << 8));
		same("behind the site", bare_seen[i].site_end, (u64)site + 5);
		same("parent", bare_seen[i].parent, (u64)called_from);
		same("where that is", bare_seen[i].slot, caller_sp - 8);
	}
	/* r10 gives the function nothing. */
	want.r10 = seen.r10;
	function_sees(&want, false);
	end();
}

static void test_moved_ip(bool all)
{
	begin(all ? "ip_moves_with_all_registers" : "ip_moves");
	deed[1] = MOVE_IP;
	build(all, sorts, 3);
	call_with(site, &before);
	same("calls", nr_calls, 3);
	hook_sees(1, sorts[1], all);
	hook_sees(2, sorts[2], all);
	same("regs->ip of the second", calls[1].regs.ip, (u64)elsewhere);
	same("went elsewhere", went_elsewhere, 1);
	function_sees(&before, all);
	end();
}

static void test_moved_parent(bool all)
{
	begin(all ? "parent_stays_the_same_for_the_others_with_all_registers" :
		    "parent_stays_the_same_for_the_others");
	deed[1] = MOVE_PARENT;
	build(all, sorts, 2);
	call_with(site, &before);
	same("calls", nr_calls, 2);
	hook_sees(0, sorts[0], all);
	hook_sees(1, sorts[1], all);
	same("slot for the second", calls[1].slot, (u64)other_parent);
	same("went there", went_other, 1);
	function_sees(&before, all);
	end();
}

static void test_changed_regs(void)
{
	struct machine after = before;

	begin("changed_registers_arrive");
	deed[1] = CHANGE_REGS;
	build(ALL, sorts, 1);
	call_with(site, &before);
	after.di = 0xaaaa;
	after.ax = 0xbbbb;
	after.bx = 0xcccc;
	after.r15 = 0xdddd;
	after.bp = 0xeeee;
	after.flags = NEW_FLAGS;
	function_sees(&after, true);
	end();
}

/* The last call says where to go, and the function continues after that. */
static void test_direct(unsigned int nr, int first)
{
	struct machine after = before;
	char what[64];

	sprintf(what, "direct_call_after_%u%s", nr - 1, first == MOVE_IP ? "_and_a_moved_ip" :
		first == CHANGE_REGS ? "_and_changed_registers" : "");
	begin(what);
	deed[sorts[0] & 255] = first;
	deed[sorts[nr - 1] & 255] = GO_DIRECT;
	build(AWAY, sorts, nr);
	call_with(site, &before);
	same("calls", nr_calls, nr);
	same("went direct", went_direct, 1);
	same("direct returns to", direct_ret,
	     first == MOVE_IP ? (u64)elsewhere : (u64)site + 5);
	if (first == CHANGE_REGS) {
		after.di = 0xaaaa;
		after.ax = 0xbbbb;
		after.bx = 0xcccc;
		after.r15 = 0xdddd;
		after.bp = 0xeeee;
		after.flags = NEW_FLAGS;
	}
	function_sees(&after, true);
	end();
}

static void test_mixed(bool go_direct, bool move)
{
	char what[64];

	sprintf(what, "mixed%s%s", go_direct ? "_goes_direct" : "", move ? "_moves_ip" : "");
	begin(what);
	deed[0x77] = go_direct ? GO_DIRECT : move ? MOVE_IP : NOTHING;
	make_site((u64)mixed);
	call_with(site, &before);
	same("calls", nr_calls, 1);
	hook_sees(0, 0x77, true);
	same("went direct", went_direct, go_direct);
	same("went elsewhere", went_elsewhere, move);
	function_sees(&before, true);
	end();
}

/*
 * A CPU's return stack, as it is while every instruction from call_with() to its
 * return traps: a call adds the address behind it, a RET takes one, and is
 * predicted if it goes there.
 */
static struct {
	u64 entries[256];
	u64 ip;
	unsigned int depth, steps, missed;
	bool done;
} cpu;

static bool is_call(const u8 *insn)
{
	const bool rex = (insn[0] & 0xf0) == 0x40;

	return insn[0] == 0xe8 || (insn[rex] == 0xff && (insn[rex + 1] & 0x38) == 0x10);
}

static bool is_return(const u8 *insn)
{
	return insn[0] == 0xc3 || (insn[0] == 0xf3 && insn[1] == 0xc3);
}

static void step(int sig, siginfo_t *info, void *context)
{
	const greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const u8 *last = (const u8 *)cpu.ip;

	(void)sig;
	(void)info;
	cpu.ip = regs[REG_RIP];
	if (!last || cpu.done)
		return;
	cpu.steps++;
	if (is_call(last)) {
		if (cpu.depth < 256)
			cpu.entries[cpu.depth] = *(u64 *)regs[REG_RSP];
		cpu.depth++;
	} else if (is_return(last)) {
		if (!cpu.depth || cpu.entries[--cpu.depth] != cpu.ip)
			cpu.missed++;
	}
	cpu.done = cpu.ip == (u64)called_from;
}

/* Call @at, and count the returns that are not predicted. */
static void count_missed(u64 at, unsigned int want)
{
	struct machine stepping = before;

	memset(&cpu, 0, sizeof(cpu));
	stepping.flags |= 0x100;			/* TF */
	call_with((void *)at, &stepping);
	asm volatile ("pushf; andl $~0x100, (%%rsp); popf" : : : "cc", "memory");
	same("steps to the return", cpu.done && cpu.steps > 50, true);
	same("entries left", cpu.depth, 0);
	same("returns not predicted", cpu.missed, want);
}

static void test_return_stack(void)
{
	const struct sigaction act = { .sa_sigaction = step, .sa_flags = SA_SIGINFO };
	enum kind kind;

	if (sigaction(SIGTRAP, &act, NULL))
		exit(2);
	for (kind = SOME; kind <= AWAY; kind++) {
		begin(kind == SOME ? "returns_are_predicted" :
		      kind == ALL ? "returns_are_predicted_with_all_registers" :
		      "returns_but_that_to_a_direct_call_are_predicted");
		deed[sorts[1] & 255] = kind == AWAY ? GO_DIRECT : NOTHING;
		build(kind, sorts, 2);
		count_missed((u64)site, kind == AWAY);
		end();
	}
}

static void test_errors(void)
{
	struct ftrace_code far = {
		.at = page, .end = page + 1024, .ip = 0x7fff00000000,
	};
	struct ftrace_code small = {
		.at = page, .end = page + 4, .ip = (unsigned long)page,
	};
	u8 last;

	begin("ERANGE_for_a_call_that_does_not_reach");
	ftrace_put_call(&far, (unsigned long)hook);
	same("error", -far.err, ERANGE);
	same("written", far.at - page, 0);
	end();

	begin("ENOSPC_writes_nothing");
	page[0] = 0x55;
	last = page[4];
	ftrace_put_return(&small, 0);
	same("error", -small.err, ENOSPC);
	same("first byte", page[0], 0x55);
	same("byte behind", page[4], last);
	end();
}

/* What covers a site, as in <asm/text-transaction.h>: with any five bytes after it, one nop. */
static void test_cover(void)
{
	static const u8 covers[2][4] = { TEXT_COVER_BYTES, TEXT_COVER_SEALED_BYTES };
	u64 state = 1;
	int i;

	begin("a_covered_site_is_a_nop_whatever_it_is");
	for (i = 0; good && i < 100000; i++) {
		u8 *at = site - 4;
		u64 any;

		state = state * 6364136223846793005 + 1442695040888963407;
		any = state >> 16;
		make_site((u64)page);
		memcpy(at, covers[i % 2], 4);
		/* All values of the byte that says what the address is made of. */
		memcpy(at + 4, &any, 5);
		at[4] = i / 2;
		call_with(at, &before);
		function_sees(&before, true);
	}
	same("calls", nr_calls, 0);
	end();
}

/* The bytes, for objdump. */
static void dump(const char *file)
{
	u8 buf[512];
	struct ftrace_code code = {
		.at = buf, .end = buf + sizeof(buf), .ip = 0x10000,
	};
	FILE *f = fopen(file, "wb");
	unsigned int i;

	ftrace_put_keep(&code);
	for (i = 0; i < 4; i++) {
		ftrace_put_args(&code, i == 0, sorts[i]);
		ftrace_put_call(&code, 0x20000);
	}
	ftrace_put_return(&code, 0x30000);
	ftrace_put_return(&code, 0);
	if (!f || fwrite(buf, code.at - buf, 1, f) != 1 || fclose(f))
		exit(2);
}

int main(int argc, char **argv)
{
	int all;

	if (argc > 1) {
		dump(argv[1]);
		return 0;
	}

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (page == MAP_FAILED)
		return 2;
	site = page + 3072;

	for (all = 0; all < 2; all++) {
		test_one(all);
		test_many(all, 2);
		test_many(all, 8);
		test_moved_ip(all);
		test_moved_parent(all);
	}
	test_bare(1);
	test_bare(3);
	test_direct(1, GO_DIRECT);
	test_direct(2, NOTHING);
	test_direct(3, MOVE_IP);
	test_direct(2, CHANGE_REGS);
	test_changed_regs();
	test_mixed(false, false);
	test_mixed(false, true);
	test_mixed(true, false);
	test_return_stack();
	test_errors();
	test_cover();
	return failures != 0;
}
