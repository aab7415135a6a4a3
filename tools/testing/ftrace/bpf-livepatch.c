// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch and BPF programs at one function: both want to decide where a call
 * goes on. Programs are attached to a patched function, a function with programs is
 * patched, and each is done while the other changes; after each step the function
 * has to say what the patch makes it say, and each program has to run at each call.
 *
 * The function is the one that shows /proc/cmdline; the patch is the kernel's sample.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#define FUNCTION	"cmdline_proc_show"
#define PATCHED		"this has been live patched"
#define PATCH		"/sys/kernel/livepatch/livepatch_sample"
#define ROUNDS		30
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A program that counts its calls, at the function's entry or at its return. */
struct program {
	enum bpf_attach_type	where;
	int			map, code, link;
	unsigned long		seen;
};

static struct program programs[] = {
	{ .where = BPF_TRACE_FENTRY, .link = -1 },
	{ .where = BPF_TRACE_FEXIT, .link = -1 },
};

static bool failed;

static __attribute__((format(printf, 1, 2), noreturn)) void die(const char *fmt, ...)
{
	va_list args;

	printf("not ok - ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf(": %s\n", strerror(errno));
	exit(1);
}

static void result(bool good, const char *what)
{
	printf("%s - %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static void load(struct program *p, int function)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = p->where,
		    .attach_btf_id = function);
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE },
		{ },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_0, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	p->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "calls", 4, 8, 1, NULL);
	if (p->map < 0)
		die("a map");
	insns[0].imm = p->map;
	p->code = bpf_prog_load(BPF_PROG_TYPE_TRACING, "count", "GPL", insns,
				ARRAY_SIZE(insns), &opts);
	if (p->code < 0)
		die("a program");
}

static bool attach(struct program *p)
{
	p->link = bpf_raw_tracepoint_open(NULL, p->code);
	return p->link >= 0;
}

static void detach(struct program *p)
{
	close(p->link);
	p->link = -1;
}

static unsigned long calls(const struct program *p)
{
	const unsigned int zero = 0;
	unsigned long long n;

	if (bpf_map_lookup_elem(p->map, &zero, &n))
		die("reading a map");
	return n;
}

/* Whether the function says what the patch makes it say; reading calls it once. */
static bool is_patched(void)
{
	char said[4096];
	const int fd = open("/proc/cmdline", O_RDONLY);
	const ssize_t n = fd < 0 ? -1 : read(fd, said, sizeof(said) - 1);

	if (n <= 0)
		die("/proc/cmdline");
	close(fd);
	said[n] = '\0';
	return strstr(said, PATCHED);
}

/* Check one call: it is patched or not, and seen by all programs that are attached. */
static bool call_is(bool patched)
{
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		programs[i].seen = calls(&programs[i]);
	if (is_patched() != patched) {
		printf("# the function is %spatched\n", patched ? "not " : "");
		good = false;
	}
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		const unsigned long n = calls(&programs[i]) - programs[i].seen;

		if (n == (programs[i].link >= 0))
			continue;
		printf("# program %zu of a function that was called once ran %lu times\n", i, n);
		good = false;
	}
	return good;
}

/* How a function gets to a trampoline of programs at entry and return: it jumps, if it can. */
#ifdef __x86_64__
#define WAY	"direct(jmp)-->bpf_trampoline"
#else
#define WAY	"direct-->bpf_trampoline"
#endif

static bool tracer_says_how(void)
{
	char said[4096];
	const int fd = open("/sys/kernel/tracing/enabled_functions", O_RDONLY);
	const ssize_t n = fd < 0 ? -1 : read(fd, said, sizeof(said) - 1);

	if (n < 0)
		die("enabled_functions");
	close(fd);
	said[n] = '\0';
	if (strstr(said, FUNCTION " ") && strstr(said, WAY))
		return true;
	printf("# enabled_functions: %s\n", said);
	return false;
}

static bool attach_all(void)
{
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		good &= attach(&programs[i]);
	if (!good)
		printf("# attaching: %s\n", strerror(errno));
	return good;
}

static void detach_all(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++)
		detach(&programs[i]);
}

/*
 * Not by a shell: its process would hold the programs' links open for a moment.
 * Return: 0, or -1 with errno: EAGAIN while somebody else has the lock of the
 * function's trampoline.
 */
static int patch(void)
{
	char path[sizeof(struct utsname) + 64];
	struct utsname kernel;
	int fd, err;

	uname(&kernel);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/samples/livepatch/livepatch-sample.ko",
		 kernel.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path);
	err = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return err;
}

/* The module can be unloaded when no task is on its way back from the patch. */
static bool unpatch(void)
{
	const int fd = open(PATCH "/enabled", O_WRONLY | O_CLOEXEC);
	const bool good = fd >= 0 && write(fd, "0", 1) == 1;

	close(fd);
	while (good && syscall(SYS_delete_module, "livepatch_sample", O_NONBLOCK)) {
		if (errno != EAGAIN && errno != EBUSY)
			return false;
		usleep(1000);
	}
	return good;
}

static bool enough;

/* Counts its rounds in @rounds; sets that to 0 if one fails. */
static void *change_programs(void *rounds)
{
	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		const bool good = attach_all();

		detach_all();
		if (!good) {
			*(unsigned long *)rounds = 0;
			break;
		}
		++*(unsigned long *)rounds;
	}
	return NULL;
}

static bool patch_beside(void)
{
	unsigned long rounds = 0, again = 0;
	bool good = true;
	pthread_t thread;
	int i;

	if (pthread_create(&thread, NULL, change_programs, &rounds))
		die("a thread");
	for (i = 0; i < ROUNDS && good; i++) {
		while (patch()) {
			if (errno != EAGAIN)
				die("the patch");
			again++;
		}
		good = is_patched();
		good &= unpatch() && !is_patched();
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("# %d times patched beside %lu changes of programs; %lu tries were told to come again\n",
	       i, rounds, again);
	return good && rounds;
}

int main(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const int function = btf ? btf__find_by_name_kind(btf, FUNCTION, BTF_KIND_FUNC) : -1;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (function < 0)
		die("the type of " FUNCTION);
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		load(&programs[i], function);

	result(attach_all() && call_is(false), "programs at entry and return see each call");
	result(tracer_says_how(), "enabled_functions says how the function gets to them");
	result(!patch() && call_is(true), "a patch comes to a function with programs");
	detach_all();
	result(call_is(true), "the patch stays when the programs go");
	result(attach_all() && call_is(true), "programs come to a patched function");
	detach(&programs[0]);
	result(call_is(true), "one of them goes");
	result(attach(&programs[0]) && call_is(true), "and comes back");
	result(unpatch() && call_is(false), "the programs stay when the patch goes");
	result(!patch() && call_is(true) && unpatch() && call_is(false), "and it comes again and goes");
	detach_all();
	result(call_is(false), "nothing is left of them");
	result(patch_beside() && call_is(false), "a patch comes and goes while programs do");
	result(attach_all() && call_is(false), "and programs come as they did at first");
	detach_all();
	return failed;
}
