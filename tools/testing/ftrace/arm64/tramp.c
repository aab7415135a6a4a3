// SPDX-License-Identifier: GPL-2.0
/*
 * Makes trampolines as the kernel does, and runs them: functions are called with every
 * register known, callbacks spoil what they may, and what arrives in the function and in
 * the callbacks is compared. There is no C library.
 */
#include "encode.h"
#include "entry.h"
#include <linux/ftrace/arch.h>

struct fregs {
	u64 x[9], direct, fp, lr, sp, pc;
};

struct machine {
	u64 x[31], sp, how;
};

enum { BODY = 1, ELSEWHERE, DIRECT };
enum { NOTHING, MOVE_PC, MOVE_LR, CHANGE_REGS, GO_DIRECT };

extern struct machine seen;
extern u8 body[], elsewhere[], direct[], called_from[], other_parent[];
extern u8 ftrace_mixed_caller[], ftrace_stub_direct_tramp[], return_to_handler[];
unsigned int went_other;
void hook(void);
void call_with(void *func, const struct machine *m);
void record(u64 ip, u64 parent, u64 arg, struct fregs *regs);
void record_return(struct fregs *regs);
int main(void);

void *memcpy(void *to, const void *from, size_t n)
{
	u8 *t = to;
	const u8 *f = from;

	while (n--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int c, size_t n)
{
	u8 *t = to;

	while (n--)
		*t++ = c;
	return to;
}

static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 asm("x8") = nr, x0 asm("x0") = a, x1 asm("x1") = b;
	register long x2 asm("x2") = c, x3 asm("x3") = d, x4 asm("x4") = e, x5 asm("x5") = f;

	asm volatile("svc #0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4),
		     "r" (x5) : "memory");
	return x0;
}

static void print(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	call(64, 1, (long)text, n, 0, 0, 0);
}

static void print_hex(u64 value)
{
	char digits[17] = "";

	for (int i = 0; i < 16; i++)
		digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
	print(digits);
}

static const char *name;
static bool good;
static int failures;

static void same(const char *what, u64 got, u64 want)
{
	if (got == want)
		return;
	good = false;
	print("# ");
	print(name);
	print(": ");
	print(what);
	print(" is ");
	print_hex(got);
	print(", should be ");
	print_hex(want);
	print("\n");
}

static void end(void)
{
	print(good ? "ok - " : "not ok - ");
	print(name);
	print("\n");
	failures += !good;
}

/* What callbacks saw, and what they do, by their argument. */
static struct seen_call {
	u64 ip, parent, arg, links[4];
	struct fregs regs;
} calls[32];
static unsigned int nr_calls;
static int deed[32];
static u64 direct_target;

void record(u64 ip, u64 parent, u64 arg, struct fregs *regs)
{
	struct seen_call *c = &calls[nr_calls++ % 32];
	const u64 *frame = __builtin_frame_address(0);

	*c = (struct seen_call){ .ip = ip, .parent = parent, .arg = arg, .regs = *regs };
	frame = (const u64 *)frame[0];		/* the callback's record */
	frame = (const u64 *)frame[0];		/* the trampoline's */
	c->links[0] = frame[1];
	frame = (const u64 *)frame[0];
	c->links[1] = frame[1];
	c->links[2] = frame[0];
	switch (deed[arg & 31]) {
	case MOVE_PC:
		regs->pc = (u64)elsewhere;
		break;
	case MOVE_LR:
		regs->lr = (u64)other_parent;
		break;
	case CHANGE_REGS:
		for (int i = 0; i < 9; i++)
			regs->x[i] = 0xc000 + i;
		break;
	case GO_DIRECT:
		regs->direct = direct_target;
		break;
	}
}

static struct fregs returned;
static u64 return_link, return_fp;

void record_return(struct fregs *regs)
{
	const u64 *frame = __builtin_frame_address(0);

	returned = *regs;
	regs->lr = (u64)called_from;	/* arch_ftrace_graph_returns_to() */
	frame = (const u64 *)frame[0];
	frame = (const u64 *)frame[0];
	return_link = frame[1];
	return_fp = frame[0];
}

/* Code that can be run: a function with a site, and a trampoline. */
#define CODE	0x2000000UL
static u32 *const func = (u32 *)CODE;
static u32 *const tramp = (u32 *)(CODE + 0x1000);

static void flush(void)
{
	for (unsigned long at = CODE; at < CODE + 0x3000; at += 16)
		asm volatile("dc cvau, %0" : : "r" (at) : "memory");
	asm volatile("dsb ish" : : : "memory");
	for (unsigned long at = CODE; at < CODE + 0x3000; at += 16)
		asm volatile("ic ivau, %0" : : "r" (at) : "memory");
	asm volatile("dsb ish\n\tisb" : : : "memory");
}

static void make_function(unsigned long target)
{
	const u64 to = (u64)body;

	func[0] = 0xaa1e03e9;				/* mov x9, x30 */
	func[1] = 0x94000000 | ((target - (u64)&func[1]) / 4 & 0x3ffffff);
	func[2] = 0x58000050;				/* ldr x16, 8 */
	func[3] = 0xd61f0200;				/* br x16 */
	memcpy(&func[4], &to, sizeof(to));
	flush();
}

static bool near;

static bool is_near(unsigned long f)
{
	return near;
}

static struct ftrace_code count(const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = { 0 };

	ftrace_put_tramp(&code, spec, is_near);
	return code;
}

static struct machine in;

static void begin(const char *what)
{
	name = what;
	good = true;
	nr_calls = 0;
	went_other = 0;
	near = true;
	memset(deed, 0, sizeof(deed));
	memset(&seen, 0, sizeof(seen));
	for (int i = 0; i < 31; i++)
		in.x[i] = 0x1111000000000000UL * (i % 14 + 1) + i;
}

static void make_tramp(unsigned int nr, bool away)
{
	struct ftrace_tramp_call list[32];
	struct ftrace_tramp_spec spec = { .calls = list, .nr = nr, .direct = away };
	struct ftrace_code code;

	for (unsigned int i = 0; i < nr; i++)
		list[i] = (struct ftrace_tramp_call){ hook, (void *)(u64)(0xffff000000000000 + i) };
	code = (struct ftrace_code){ tramp, (u64)tramp, 0, count(&spec).nr, 0 };
	memset(tramp, 0, 0x1000);
	ftrace_put_tramp(&code, &spec, is_near);
	same("error", code.err, 0);
	same("words", code.literals, count(&spec).nr + count(&spec).literals);
	same("first instruction", tramp[0], 0xd503201f);
	make_function((u64)tramp);
}

extern u64 kept[];
#define caller_sp	kept[12]

/* Check all that a function finds; @same_args: no hook has changed its arguments. */
static void arrives(int how, bool same_args, u64 lr)
{
	same("arrival", seen.how, how);
	for (int i = 0; i < 9; i++)
		same("argument", seen.x[i], same_args ? in.x[i] : 0xc000 + i);
	for (int i = 18; i < 30; i++)
		same("register", seen.x[i], in.x[i]);
	same("lr", seen.x[30], lr);
	same("sp", seen.sp, caller_sp);
}

static void callbacks(unsigned int nr)
{
	same("calls", nr_calls, nr);
	for (unsigned int i = 0; i < nr; i++) {
		const struct seen_call *c = &calls[i];

		same("ip", c->ip, (u64)&func[1]);
		same("parent", c->parent, (u64)called_from);
		same("argument", c->arg, 0xffff000000000000 + i);
		same("pc", c->regs.pc, (u64)&func[2]);
		same("fp", c->regs.fp, in.x[29]);
		same("sp", c->regs.sp, caller_sp);
		same("own frame", c->links[0], (u64)&func[2]);
		same("function's frame", c->links[1], (u64)called_from);
		same("caller's frame", c->links[2], in.x[29]);
		if (i)
			continue;
		same("lr", c->regs.lr, (u64)called_from);
		for (int x = 0; x < 9; x++)
			same("saved register", c->regs.x[x], in.x[x]);
		same("direct call", c->regs.direct, 0);
	}
}

static void one_or_many(const char *what, unsigned int nr, bool by_bl)
{
	begin(what);
	near = by_bl;
	make_tramp(nr, false);
	call_with(func, &in);
	callbacks(nr);
	arrives(BODY, true, (u64)called_from);
	end();
}

static void what_hooks_change(void)
{
	begin("a hook moves the function");
	make_tramp(2, false);
	deed[0] = MOVE_PC;
	call_with(func, &in);
	same("calls", nr_calls, 2);
	arrives(ELSEWHERE, true, (u64)called_from);
	end();

	begin("a hook changes where the function returns to");
	make_tramp(3, false);
	deed[0] = MOVE_LR;
	call_with(func, &in);
	callbacks(3);
	arrives(BODY, true, (u64)other_parent);
	same("return", went_other, 1);
	end();

	begin("a hook changes arguments");
	make_tramp(2, false);
	deed[1] = CHANGE_REGS;
	call_with(func, &in);
	arrives(BODY, false, (u64)called_from);
	end();
}

static void direct_calls(void)
{
	begin("a direct call after two hooks");
	make_tramp(3, true);
	deed[2] = GO_DIRECT;
	direct_target = (u64)direct;
	call_with(func, &in);
	callbacks(3);
	arrives(DIRECT, true, (u64)&func[2]);
	same("x9", seen.x[9], (u64)called_from);
	end();

	begin("a direct call that does nothing");
	make_tramp(1, true);
	deed[0] = GO_DIRECT;
	direct_target = (u64)ftrace_stub_direct_tramp;
	call_with(func, &in);
	arrives(BODY, true, (u64)called_from);
	end();
}

static void mixed_trampolines(void)
{
	begin("the mixed trampoline");
	make_function((u64)ftrace_mixed_caller);
	call_with(func, &in);
	calls[0].arg += 0xffff000000000000;	/* the argument is NULL */
	callbacks(1);
	arrives(BODY, true, (u64)called_from);
	end();

	begin("the mixed trampoline, with a direct call");
	make_function((u64)ftrace_mixed_caller);
	deed[0] = GO_DIRECT;
	direct_target = (u64)direct;
	call_with(func, &in);
	arrives(DIRECT, true, (u64)&func[2]);
	same("x9", seen.x[9], (u64)called_from);
	end();
}

static void lengths(void)
{
	struct ftrace_tramp_call list[2] = { { hook, NULL }, { hook, NULL } };
	struct ftrace_tramp_spec spec = { .calls = list, .nr = 1 };
	struct ftrace_code code = { tramp, 0x10000000, 0, 0, 0 };
	unsigned int one;

	begin("instructions of a trampoline");
	one = count(&spec).nr;
	same("one call", one, 28);
	spec.nr = 2;
	same("two calls", count(&spec).nr, 34);
	end();

	begin("a callback out of reach is refused");
	ftrace_put_tramp(&code, &spec, is_near);
	same("error", code.err, -ERANGE);
	end();
}

static void returns(void)
{
	begin("a return under the graph tracer");
	call_with(return_to_handler, &in);
	for (int i = 0; i < 8; i++)
		same("saved register", returned.x[i], in.x[i]);
	same("fp", returned.fp, in.x[29]);
	same("sp", returned.sp, caller_sp);
	same("pc", returned.pc, (u64)return_to_handler);
	same("lr", returned.lr, (u64)return_to_handler);
	same("frame", return_link, (u64)called_from);
	same("caller's frame", return_fp, in.x[29]);
	end();
}

int main(void)
{
	if (call(222, CODE, 0x3000, 7, 0x32, -1, 0) != (long)CODE) {
		print("# no memory\n");
		return 1;
	}
	begin("a call without hooks");
	make_function((u64)tramp);
	func[1] = 0xd503201f;
	flush();
	call_with(func, &in);
	arrives(BODY, true, (u64)called_from);
	end();

	one_or_many("one hook", 1, true);
	one_or_many("two hooks", 2, true);
	one_or_many("many hooks", 20, true);
	one_or_many("one hook that is far away", 1, false);
	one_or_many("many hooks that are far away", 20, false);
	what_hooks_change();
	direct_calls();
	mixed_trampolines();
	lengths();
	returns();
	return failures != 0;
}
