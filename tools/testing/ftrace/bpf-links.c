// SPDX-License-Identifier: GPL-2.0
/*
 * Links of BPF programs to functions. A fentry link calls its program from one
 * function, through a trampoline of its own; a kprobe.multi link from many, as a
 * callback of the tracer; a tracing_multi link from many, each through a trampoline.
 *
 * usage: bpf-links test | bpf-links figures [marks]
 *
 * test: each link calls its program at each call of a function, leaves nothing
 * behind, and waits for no task that holds up a grace period of RCU tasks.
 * figures: what links cost, twice, in the form of the guest's figures. With marks, the
 * beginning and the end of each change go to the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TRACEFS		"/sys/kernel/tracing/"
#define INSTANCE	TRACEFS "instances/bpf-links"

/* The function whose calls are counted, by all of its names, and how it is called. */
static const char *const names_of_chosen[] = {
	"__do_sys_getppid", "__x64_sys_getppid", "__arm64_sys_getppid",
};
#define call_function()	syscall(SYS_getppid)
#define CALLS		10000

#define LINKS		100	/* fentry links at a time */
#define MAX_ARGS	12	/* of a function with a trampoline */
#define ENDBR_SIZE	4	/* on arm64, the instruction before a call site */

/* Attach types that Debian's header does not know. */
#define TRACE_KPROBE_MULTI	42
#define TRACE_FENTRY_MULTI	59

/* What BPF_LINK_CREATE takes, for the links that are made here. */
struct link_create {
	__u32	prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			__u32	flags, cnt;
			__u64	syms, addrs, cookies;
		} kprobe_multi;
		struct {
			__u64	ids, cookies;
			__u32	cnt;
		} tracing_multi;
	};
};

struct function {
	const char	*name;
	unsigned long	addr;
	__u32		id;	/* its type; 0: no trampoline is made for it */
};

/* Traceable functions of the kernel, by name. */
static struct function *functions;
static size_t nr_functions, nr_typed;
static const struct function *chosen;

/* A program that counts the calls of the chosen function, and those of all others. */
struct program {
	int			map, code;
};

struct counts {
	unsigned long long	others, chosen;
};

/* Links that are made and removed together. */
struct links {
	const char	*name;
	int		type;		/* of attachment */
	size_t		nr;		/* links */
	size_t		functions;	/* of each; 0: all */
	struct program	program[LINKS];
	int		fd[LINKS];
};

static struct links one = {
	.name = "one fentry link", .type = BPF_TRACE_FENTRY, .nr = 1, .functions = 1,
};
static struct links hundred = {
	.name = "100 fentry links", .type = BPF_TRACE_FENTRY, .nr = LINKS, .functions = 1,
};
static struct links kprobe_one = {
	.name = "kprobe.multi on 1 function", .type = TRACE_KPROBE_MULTI, .nr = 1, .functions = 1,
};
static struct links kprobe_many = {
	.name = "kprobe.multi on 1000 functions", .type = TRACE_KPROBE_MULTI, .nr = 1, .functions = 1000,
};
static struct links kprobe_all = {
	.name = "kprobe.multi on all functions", .type = TRACE_KPROBE_MULTI, .nr = 1,
};
static struct links multi_all = {
	.name = "tracing_multi on all functions", .type = TRACE_FENTRY_MULTI, .nr = 1,
};
static struct links *const all_links[] = {
	&one, &hundred, &kprobe_one, &kprobe_many, &kprobe_all, &multi_all,
};

static bool failed;

static __attribute__((format(printf, 1, 2), noreturn)) void die(const char *fmt, ...)
{
	const int err = errno;
	va_list args;

	printf("not ok - ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf(": %s\n", strerror(err));
	exit(1);
}

static void result(bool good, const char *what, const char *name)
{
	printf("%s - %s%s%s\n", good ? "ok" : "not ok", name ? name : "", name ? ": " : "", what);
	failed |= !good;
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		die("memory");
	return p;
}

static FILE *open_to_read(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f)
		die("%s", path);
	return f;
}

static void write_word(const char *path, const char *word)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, word, strlen(word)) < 0 || close(fd))
		die("%s", path);
}

/* ---- functions ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

/*
 * The kernel does not attach to the first ones, which its trampolines call. Functions
 * of RCU, and those where RCU is not watching, are left out by its own tests, too.
 */
static bool is_left_out(const char *name)
{
	static const char *const names[] = {
		"migrate_disable", "migrate_enable", "___migrate_enable", "rcu_read_unlock_strict",
		"preempt_count_add", "preempt_count_sub", "__rcu_read_lock", "__rcu_read_unlock",
		"bpf_get_numa_node_id", "arch_cpu_idle", "default_idle", "bpf_dispatcher_xdp_func",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "rcu_", 4) || !strncmp(name, "__ftrace_invalid", 16);
}

static struct function *add_function(const char *name, unsigned long addr)
{
	static size_t room;
	struct function *f;

	if (nr_functions == room) {
		room = room ? 2 * room : 1024;
		functions = realloc(functions, room * sizeof(*functions));
		if (!functions)
			die("memory");
	}
	f = &functions[nr_functions++];
	*f = (struct function){ .name = strdup(name), .addr = addr };
	return f;
}

/* Read the functions of the kernel without its modules; none of several with one name. */
static void read_functions(void)
{
	FILE *f = open_to_read(TRACEFS "available_filter_functions_addrs");
	char line[1024], name[512];
	size_t i, kept = 0, same;
	unsigned long addr;

	while (fgets(line, sizeof(line), f))
		if (!strchr(line, '[') && sscanf(line, "%lx %511s", &addr, name) == 2 &&
		    !is_left_out(name))
			add_function(name, addr);
	fclose(f);

	qsort(functions, nr_functions, sizeof(*functions), by_name);
	for (i = 0; i < nr_functions; i += same) {
		same = 1;
		while (i + same < nr_functions && !by_name(&functions[i], &functions[i + same]))
			same++;
		if (same == 1)
			functions[kept++] = functions[i];
	}
	nr_functions = kept;
}

static struct function *find_function(const char *name)
{
	const struct function key = { .name = name };

	return bsearch(&key, functions, nr_functions, sizeof(key), by_name);
}

static bool is_passed_by_value(const struct btf *btf, __u32 type, long most)
{
	const long size = btf__resolve_size(btf, type);

	return size > 0 && size <= most;
}

static bool has_trampoline(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *args = btf_params(proto);
	const int ret = btf__resolve_type(btf, proto->type);
	const __u16 n = btf_vlen(proto);
	__u16 i;

	if (n > MAX_ARGS || ret < 0)
		return false;
	if (ret && (btf_is_composite(btf__type_by_id(btf, ret)) || !is_passed_by_value(btf, ret, 8)))
		return false;
	for (i = 0; i < n; i++)
		if (!args[i].type || !is_passed_by_value(btf, args[i].type, 16))
			return false;
	return true;
}

/*
 * The kernel finds a function's address by its name: only functions whose name no
 * other symbol has get a type here. And it looks up a program's cookie by the
 * beginning of the function, which may be an ENDBR before the call site.
 */
static void compare_with_symbols(void)
{
	FILE *f = open_to_read("/proc/kallsyms");
	char line[1024], name[512];
	bool *seen = allocate(nr_functions, sizeof(*seen));
	struct function *found;
	unsigned long addr;

	while (fgets(line, sizeof(line), f)) {
		if (strchr(line, '[') || sscanf(line, "%lx %*c %511s", &addr, name) != 2)
			continue;
		found = find_function(name);
		if (!found)
			continue;
		if (seen[found - functions])
			found->id = 0;
		seen[found - functions] = true;
		if (found->addr - addr <= ENDBR_SIZE)
			found->addr = addr;
	}
	fclose(f);
	free(seen);
}

static void read_types(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct function *f;
	__u32 id, n;
	size_t i;

	if (!btf)
		die("the kernel's types");
	n = btf__type_cnt(btf);
	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!btf_is_func(t))
			continue;
		f = find_function(btf__name_by_offset(btf, t->name_off));
		if (f && has_trampoline(btf, btf__type_by_id(btf, t->type)))
			f->id = id;
	}
	btf__free(btf);

	compare_with_symbols();
	for (i = 0; i < nr_functions; i++)
		nr_typed += !!functions[i].id;
	for (i = 0; i < ARRAY_SIZE(names_of_chosen) && !chosen; i++) {
		f = find_function(names_of_chosen[i]);
		if (f && f->id)
			chosen = f;
	}
	errno = ENOENT;
	if (!chosen)
		die("the type of %s", names_of_chosen[0]);
}

/*
 * Pick the chosen function and others, @n in all, spread evenly; 0: all. @typed: only
 * functions that have a type. Return: a list, and its length in @n.
 */
static const struct function **pick(size_t *n, bool typed)
{
	const size_t of = (typed ? nr_typed : nr_functions) - 1, wanted = *n ? *n - 1 : of;
	const struct function **list = allocate(wanted + 1, sizeof(*list));
	size_t i, k = 0;

	*n = 0;
	list[(*n)++] = chosen;
	for (i = 0; i < nr_functions; i++) {
		const struct function *f = &functions[i];

		if (f == chosen || (typed && !f->id))
			continue;
		if ((k + 1) * wanted / of > k * wanted / of)
			list[(*n)++] = f;
		k++;
	}
	return list;
}

/* ---- programs and links ---- */

/* The cookie of the chosen function is 1, that of all others 0. */
static void load(struct program *p, int type, __u32 function, bool cookies)
{
	const bool traces = type != TRACE_KPROBE_MULTI;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type, .attach_btf_id = function);
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_6,
		  .src_reg = BPF_PSEUDO_MAP_VALUE },
		{ },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_LSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 3 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_6,
		  .src_reg = BPF_REG_0, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	size_t n = ARRAY_SIZE(insns);

	if (!cookies) {
		memmove(&insns[2], &insns[6], (n - 6) * sizeof(*insns));
		n -= 4;
	}
	p->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "counts", 4, sizeof(struct counts), 1, NULL);
	if (p->map < 0)
		die("a map");
	insns[0].imm = p->map;
	p->code = bpf_prog_load(traces ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_KPROBE, "count", "GPL",
				insns, n, &opts);
	if (p->code < 0)
		die("a program of type %d", type);
}

static struct counts counted(const struct program *p)
{
	const unsigned int zero = 0;
	struct counts c;

	if (bpf_map_lookup_elem(p->map, &zero, &c))
		die("reading a map");
	return c;
}

/* How often a program was not called because it was already running. */
static unsigned long long missed(const struct program *p)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(p->code, &info, &len))
		die("a program's information");
	return info.recursion_misses;
}

/* What a link of many functions is made of. */
struct request {
	struct link_create	create;
	void			*ids, *cookies;
};

static void ask_for_many(struct request *r, const struct links *links, bool cookies)
{
	const bool typed = links->type == TRACE_FENTRY_MULTI;
	size_t n = links->functions, i;
	const struct function **list = pick(&n, typed);
	__u64 *addrs = allocate(n, sizeof(*addrs)), *cookie = allocate(n, sizeof(*cookie));
	__u32 *ids = (__u32 *)addrs;

	for (i = 0; i < n; i++) {
		cookie[i] = list[i] == chosen;
		if (typed)
			ids[i] = list[i]->id;
		else
			addrs[i] = list[i]->addr;
	}
	free(list);
	*r = (struct request){
		.create = { .prog_fd = links->program[0].code, .attach_type = links->type },
		.ids = addrs, .cookies = cookie,
	};
	if (typed) {
		r->create.tracing_multi.cnt = n;
		r->create.tracing_multi.ids = (unsigned long)ids;
		r->create.tracing_multi.cookies = cookies ? (unsigned long)cookie : 0;
	} else {
		r->create.kprobe_multi.cnt = n;
		r->create.kprobe_multi.addrs = (unsigned long)addrs;
		r->create.kprobe_multi.cookies = cookies ? (unsigned long)cookie : 0;
	}
}

static struct request requests[ARRAY_SIZE(all_links)];

static struct request *request_of(const struct links *links)
{
	size_t i;

	for (i = 0; all_links[i] != links; i++)
		;
	return &requests[i];
}

/* With cookies, a program tells the chosen function from others. */
static void prepare(struct links *links, bool cookies)
{
	size_t n = links->nr, i;
	const struct function **list;

	if (links->type == BPF_TRACE_FENTRY) {
		list = pick(&n, true);
		for (i = 0; i < n; i++)
			load(&links->program[i], links->type, list[i]->id, false);
		free(list);
		return;
	}
	load(&links->program[0], links->type, 0, cookies);
	ask_for_many(request_of(links), links, cookies);
}

static bool attach(struct links *links)
{
	struct request *r = request_of(links);
	size_t i;

	for (i = 0; i < links->nr; i++) {
		if (links->type == BPF_TRACE_FENTRY)
			links->fd[i] = bpf_raw_tracepoint_open(NULL, links->program[i].code);
		else
			links->fd[i] = syscall(SYS_bpf, BPF_LINK_CREATE, &r->create, sizeof(r->create));
		if (links->fd[i] < 0) {
			printf("# %s: number %zu: %s\n", links->name, i, strerror(errno));
			while (i--)
				close(links->fd[i]);
			return false;
		}
	}
	return true;
}

/* Whether the kernel has such links: then it refuses one of no function with another error. */
static bool is_offered(const struct links *links)
{
	struct link_create create = request_of(links)->create;

	if (links->type != TRACE_FENTRY_MULTI)
		return true;
	create.tracing_multi.cnt = 0;
	return syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create)) >= 0 || errno != EOPNOTSUPP;
}

static void detach(struct links *links)
{
	size_t i;

	for (i = 0; i < links->nr; i++)
		close(links->fd[i]);
}

/* How many functions the links have hooked. */
static size_t hooked(const struct links *links)
{
	if (links->type == BPF_TRACE_FENTRY)
		return links->nr;
	return links->type == TRACE_FENTRY_MULTI ? request_of(links)->create.tracing_multi.cnt
						 : request_of(links)->create.kprobe_multi.cnt;
}

/* ---- tests ---- */

/* Whether @wanted functions are hooked, none of them by the mixed trampoline. */
static bool are_enabled(size_t wanted)
{
	FILE *f = open_to_read(TRACEFS "enabled_functions");
	size_t n = 0, mixed = 0;
	char line[4096];

	while (fgets(line, sizeof(line), f)) {
		n += line[0] != '\t';
		mixed += !!strstr(line, "\tmixed:");
	}
	fclose(f);
	if (n != wanted || mixed)
		printf("# %zu functions are hooked, not %zu, and %zu of them are mixed\n", n, wanted, mixed);
	return n == wanted && !mixed;
}

/* Whether a program that is attached sees each call, and one that is not sees none. */
static bool sees_calls(const struct links *links, bool attached)
{
	const bool fentry = links->type == BPF_TRACE_FENTRY;
	const struct program *p = &links->program[0];
	const struct counts before = counted(p);
	const unsigned long long misses = missed(p);
	unsigned long long seen, unseen;
	struct counts after;
	int i;

	for (i = 0; i < CALLS; i++)
		call_function();
	after = counted(p);
	/* The function of a fentry link has no cookie. */
	seen = fentry ? after.others - before.others : after.chosen - before.chosen;
	unseen = missed(p) - misses;
	if (attached ? seen <= CALLS && seen + unseen >= CALLS : !seen && !unseen)
		return true;
	printf("# of %d calls a program that is %sattached saw %llu, and was busy at %llu\n",
	       CALLS, attached ? "" : "not ", seen, unseen);
	return false;
}

static void test_links(struct links *links)
{
	bool good = attach(links);

	result(good && are_enabled(hooked(links)), "its functions are hooked", links->name);
	if (!good)
		return;
	printf("# %zu functions\n", hooked(links));
	result(sees_calls(links, true), "each call is seen", links->name);
	detach(links);
	result(are_enabled(0) && sees_calls(links, false), "nothing is left behind", links->name);
}

/* A link of all functions and one of one of them: attached and detached @first first. */
static void test_pair(struct links *first, struct links *second, const char *what)
{
	bool good = attach(first);

	good = good && attach(second);
	good = good && are_enabled(hooked(&multi_all)) && sees_calls(first, true) && sees_calls(second, true);
	detach(first);
	good = good && sees_calls(first, false) && sees_calls(second, true);
	detach(second);
	result(good && are_enabled(0) && sees_calls(second, false), what, NULL);
}

/* Each takes some seconds if it runs alone; this many on one CPU take that many times as long. */
#define HOLDERS 8

static int holders_left, waiters_left = 1;

static void one_less(int *left)
{
	__atomic_sub_fetch(left, 1, __ATOMIC_SEQ_CST);
}

static bool any(const int *left)
{
	return __atomic_load_n(left, __ATOMIC_SEQ_CST);
}

static bool is_held_up(void)
{
	return any(&holders_left) && any(&waiters_left);
}

/*
 * One system call that takes long and does not sleep: random bytes, again and
 * again into the same place. It can be preempted all the time; but no grace period
 * of RCU tasks that begins meanwhile ends before it ends, or a signal ends it.
 */
static void *hold_up(void *unused)
{
	static struct iovec places[1024];
	static char place[2 << 20];
	const int fd = open("/dev/urandom", O_RDONLY);
	size_t i;

	setpriority(PRIO_PROCESS, syscall(SYS_gettid), 19);
	memset(place, 1, sizeof(place));
	for (i = 0; i < ARRAY_SIZE(places); i++)
		places[i] = (struct iovec){ place, sizeof(place) };
	if (fd < 0 || readv(fd, places, ARRAY_SIZE(places)) < 0)
		printf("# reading random bytes: %s\n", strerror(errno));
	one_less(&holders_left);
	close(fd);
	return unused;
}

/* Wait for a grace period: the memory of this tracer's hook is freed after it. */
static void *remove_instance(void *unused)
{
	write_word(INSTANCE "/current_tracer", "nop");
	if (rmdir(INSTANCE))
		die(INSTANCE);
	one_less(&waiters_left);
	return unused;
}

static void on_signal(int unused)
{
	(void)unused;
}

static void start(pthread_t *thread, void *(*function)(void *))
{
	if (pthread_create(thread, NULL, function, NULL))
		die("a thread");
}

static void test_held_up(void)
{
	const struct sigaction action = { .sa_handler = on_signal };
	const size_t nr = HOLDERS * sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t *holders = allocate(nr, sizeof(*holders)), waiter;
	bool good = true;
	size_t i;

	sigaction(SIGUSR1, &action, NULL);
	if (mkdir(INSTANCE, 0755) && errno != EEXIST)
		die(INSTANCE);
	write_word(INSTANCE "/set_ftrace_filter", "vm_normal_page");
	write_word(INSTANCE "/current_tracer", "function");

	holders_left = nr;
	for (i = 0; i < nr; i++)
		start(&holders[i], hold_up);
	usleep(500000);
	start(&waiter, remove_instance);
	usleep(500000);
	result(is_held_up(), "a task holds up a grace period", NULL);
	for (i = 0; i < ARRAY_SIZE(all_links); i++) {
		good &= attach(all_links[i]);
		detach(all_links[i]);
		if (!is_held_up()) {
			printf("# %s: it waited, or took too long\n", all_links[i]->name);
			good = false;
			break;
		}
	}
	result(good, "no link is held up by it", NULL);

	while (any(&holders_left)) {
		for (i = 0; i < nr; i++)
			pthread_kill(holders[i], SIGUSR1);
		usleep(1000);
	}
	for (i = 0; i < nr; i++)
		pthread_join(holders[i], NULL);
	free(holders);
	pthread_join(waiter, NULL);
	result(are_enabled(0), "after that nothing is hooked", NULL);
}

static void tests(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all_links); i++)
		test_links(all_links[i]);
	test_pair(&one, &multi_all, "a link of all functions comes to one with a link, and stays");
	test_pair(&multi_all, &one, "a link comes to one of all functions with a link, and stays");
	test_held_up();
}

/* ---- figures ---- */

static int marker = -1;

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Function-call interrupts of all CPUs. */
static unsigned long interrupts(void)
{
	FILE *f = open_to_read("/proc/interrupts");
	unsigned long sum = 0;
	char line[4096];

	while (fgets(line, sizeof(line), f)) {
		/* Before the colon, each architecture calls them something else. */
		char *at = strstr(line, "Function call interrupts") ? strchr(line, ':') : NULL, *end;
		unsigned long n;

		for (at = at ? at + 1 : NULL; at; at = end) {
			n = strtoul(at, &end, 10);
			if (end == at)
				break;
			sum += n;
		}
	}
	fclose(f);
	return sum;
}

static void mark(const char *what, const struct links *links, const char *change)
{
	if (marker >= 0)
		dprintf(marker, "%s %s, %s\n", what, links->name, change);
}

/* Wait until nothing of earlier changes is still under way. */
static void settle(void)
{
	usleep(500000);
}

static void change(struct links *links, bool attaches)
{
	const char *what = attaches ? "attach" : "detach";
	unsigned long long begin, end;
	unsigned long irqs;
	bool good = true;

	settle();
	irqs = interrupts();
	mark("begin", links, what);
	begin = now();
	if (attaches)
		good = attach(links);
	else
		detach(links);
	end = now();
	mark("end", links, what);
	if (!good)
		die("%s", links->name);
	printf("FIGURE %s, %s %llu %lu\n", links->name, what, end - begin, interrupts() - irqs);
}

static unsigned long long time_of_calls(void)
{
	const unsigned long long begin = now();
	int i;

	for (i = 0; i < CALLS; i++)
		call_function();
	return now() - begin;
}

/* What a hit adds to a call; with a link on all functions, each call has several hits. */
static void hit(struct links *links, unsigned long long without)
{
	const struct program *p = &links->program[0];
	const unsigned long long before = counted(p).others;
	const unsigned long long ns = time_of_calls(), hits = counted(p).others - before;

	printf("FIGURE a hit, %s %llu 0\n", links->name,
	       ns > without && hits ? (ns - without) / hits : 0);
}

static void figures(bool marks)
{
	unsigned long long without;
	size_t i, round;

	if (marks) {
		marker = open(TRACEFS "trace_marker", O_WRONLY | O_CLOEXEC);
		if (marker < 0)
			die("trace_marker");
	}
	time_of_calls();
	without = time_of_calls();
	printf("CALL %llu\n", without / CALLS);
	for (i = 0; i < ARRAY_SIZE(all_links); i++) {
		if (!is_offered(all_links[i]))
			continue;
		for (round = 0; round < 2; round++) {
			change(all_links[i], true);
			if (!marks)
				hit(all_links[i], without);
			change(all_links[i], false);
		}
	}
}

int main(int argc, char **argv)
{
	const struct rlimit files = { 1024, 1024 };
	size_t i;
	bool is_test;

	if (argc < 2 || (strcmp(argv[1], "test") && strcmp(argv[1], "figures")))
		return 2;
	is_test = !strcmp(argv[1], "test");
	setvbuf(stdout, NULL, _IOLBF, 0);
	setrlimit(RLIMIT_NOFILE, &files);
	read_functions();
	read_types();
	printf("# %zu functions, %zu of them by trampolines\n", nr_functions, nr_typed);
	for (i = 0; i < ARRAY_SIZE(all_links); i++)
		prepare(all_links[i], is_test);

	if (is_test)
		tests();
	else
		figures(argc > 2 && !strcmp(argv[2], "marks"));
	return failed;
}
