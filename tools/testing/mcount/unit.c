// SPDX-License-Identifier: GPL-2.0
/*
 * The tool's parts, called directly, under the sanitizers.
 *
 * Bounds are tried at their edges, time is made to pass between reading and
 * writing, and every allocation is made to fail once. The tool itself is part
 * of this file, with its main() renamed.
 *
 *	unit GOOD.o SCRATCH.o	GOOD.o: any object with calls
 */
#define _GNU_SOURCE
#define main recordmcount_main
#include "main.c"
#undef main

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "elf_put.h"

/* --wrap: the tool's allocations go through these. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);

static unsigned long allocations, fail_at;

static bool fails(void)
{
	return ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__real_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);

void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (!fails())
		return __real_mmap(addr, size, prot, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

/* --wrap: raise a signal before the new file gets its mode, or its name. */
int __real_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);

static int signal_at_fchmod, signal_at_rename;

int __wrap_fchmod(int fd, mode_t mode)
{
	if (signal_at_fchmod)
		raise(signal_at_fchmod);
	return __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to)
{
	if (signal_at_rename)
		raise(signal_at_rename);
	return __real_rename(from, to);
}

static const char *good, *scratch;
static int failures;

static void report(const char *name, const char *why)
{
	if (why) {
		failures++;
		printf("not ok - %s\n# %s\n", name, why);
	} else {
		printf("ok - %s\n", name);
	}
	fflush(stdout);
}

#define WHY(condition)	do { if (!(condition)) return #condition; } while (0)

static unsigned char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*size = ftell(f);
	rewind(f);
	bytes = __real_malloc(*size);
	if (fread(bytes, 1, *size, f) != *size)
		abort();
	fclose(f);
	return bytes;
}

static void spill(const char *path, const void *bytes, size_t size)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		abort();
}

static bool holds(const char *path, const void *bytes, size_t size)
{
	size_t have = 0;
	unsigned char *now = slurp(path, &have);
	bool same = now && have == size && !memcmp(now, bytes, size);

	free(now);
	return same;
}

static void fresh(void)
{
	size_t size;
	unsigned char *bytes = slurp(good, &size);

	spill(scratch, bytes, size);
	free(bytes);
}

/* --- elf_view ------------------------------------------------------------ */

static const char *code_bounds_hold_at_their_edges(void)
{
	unsigned char bytes[8] = { 0 };
	struct elf_code code = { .bytes = bytes, .size = sizeof(bytes) };

	WHY(elf_code_has(&code, 0, 0, 8));
	WHY(!elf_code_has(&code, 0, 0, 9));
	WHY(elf_code_has(&code, 8, 0, 0));
	WHY(!elf_code_has(&code, 8, 0, 1));
	WHY(!elf_code_has(&code, 9, 0, 0));
	WHY(elf_code_has(&code, 1, -1, 5));
	WHY(!elf_code_has(&code, 0, -1, 5));
	WHY(elf_code_has(&code, 8, -8, 8));
	WHY(!elf_code_has(&code, 7, -8, 8));
	WHY(!elf_code_has(&code, UINT64_MAX, -1, 1));
	WHY(!elf_code_has(&code, UINT64_MAX, 4, 4));
	WHY(!elf_code_has(&code, 4, 0, UINT64_MAX));
	WHY(!elf_code_has(&code, 4, 4, UINT64_MAX));
	return NULL;
}

static const char *numbers_follow_the_byte_order(void)
{
	unsigned char bytes[4];
	struct elf_code little = { .bytes = bytes, .size = 4 };
	struct elf_code big = { .bytes = bytes, .size = 4, .big = true };

	elf_code_set_word(&big, 0, 0x01020304);
	WHY(bytes[0] == 1 && bytes[3] == 4);
	WHY(elf_code_word(&big, 0) == 0x01020304);
	WHY(elf_code_word(&little, 0) == 0x04030201);
	WHY(elf_code_half(&big, 2) == 0x0304 && elf_code_half(&little, 2) == 0x0403);
	elf_code_set_half(&little, 0, 0xa1b2);
	WHY(bytes[0] == 0xb2 && bytes[1] == 0xa1);
	return NULL;
}

/* Every length from zero to all: no read beyond it, and success only for all. */
static const char *no_prefix_of_an_object_is_an_object(void)
{
	struct elf_fault fault;
	struct elf_view view;
	size_t size, len;
	unsigned char *whole = slurp(good, &size);

	for (len = 0; len <= size; len++) {
		unsigned char *part = __real_malloc(len ? len : 1);
		bool whole_it_is = len == size;
		int err;

		memcpy(part, whole, len);
		memset(&fault, 0, sizeof(fault));
		err = elf_view_open(&view, part, len, &fault);
		elf_view_close(&view);
		free(part);
		if (!err != whole_it_is || !*fault.reason != whole_it_is)
			break;
	}
	free(whole);
	WHY(len == size + 1);
	return NULL;
}

static const char *relocation_keeps_what_it_is_not_told_to_change(void)
{
	static const struct {
		uint16_t machine;
		bool wide, big;
		uint32_t type;
	} form[] = {
		{ EM_X86_64, true, false, 0x29 }, { EM_386, false, false, 2 },
		{ EM_MIPS, true, false, 4 }, { EM_MIPS, true, true, 4 },
		{ EM_MIPS, false, true, 4 }, { EM_SPARCV9, true, true, 7 },
	};
	struct elf_section sections[2] = { { 0 }, { .type = SHT_RELA, .size = 24 } };
	unsigned char bytes[24];
	struct elf_reloc reloc;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(form); i++) {
		struct elf_view view = {
			.bytes = bytes, .size = sizeof(bytes), .wide = form[i].wide,
			.big = form[i].big, .machine = form[i].machine,
			.nr_sections = 2, .sections = sections,
		};

		reloc = (struct elf_reloc){ 0x1234, 0x5678, form[i].type };
		WHY(elf_put_reloc(&view, bytes, true, &reloc, -4));
		WHY(elf_reloc_set_symbol(&view, 1, 0, 0x9abc));
		elf_reloc_get(&view, 1, 0, &reloc);
		WHY(reloc.offset == 0x1234 && reloc.symbol == 0x9abc);
		WHY(reloc.type == form[i].type);
		elf_reloc_set_type(&view, 1, 0, 1);
		elf_reloc_get(&view, 1, 0, &reloc);
		WHY(reloc.type == 1 && reloc.symbol == 0x9abc && reloc.offset == 0x1234);
		if (!view.wide)
			WHY(!elf_reloc_set_symbol(&view, 1, 0, 0x1000000));
	}
	return NULL;
}

/* --- machine, sites ------------------------------------------------------- */

static const char *every_row_is_complete(void)
{
	unsigned int id, rows = 0;

	for (id = 0; id <= UINT16_MAX; id++) {
		const struct machine *m = machine_find(id);

		if (!m)
			continue;
		rows++;
		WHY(m->id == id);
		WHY(m->pointer32 || m->pointer64);
		WHY(m->symbols[0] && machine_is_symbol(m, m->symbols[0]));
		WHY(m->forms[0].type);
		WHY(!machine_is_symbol(m, "") && !machine_is_symbol(m, "mcounts"));
	}
	WHY(rows == 16);
	return NULL;
}

/* No test reads outside the section, wherever the relocation is. */
static const char *call_tests_stay_inside_their_section(void)
{
	static const unsigned char patterns[] = {
		0x00, 0xff, 0xe8, 0xc0, 0x15, 0x2a, 0x2b, 0x41, 0x40, 0x09, 0x03, 0x3c,
	};
	unsigned int id, size, at, p, f;

	for (id = 0; id <= UINT16_MAX; id++) {
		const struct machine *m = machine_find(id);

		for (size = 0; m && size < 20; size++) {
			unsigned char *bytes = __real_malloc(size ? size : 1);
			struct elf_code code = { .bytes = bytes, .size = size };
			uint64_t site;

			for (p = 0; p < sizeof(patterns); p++) {
				memset(bytes, patterns[p], size);
				for (at = 0; at < size; at++) {
					for (f = 0; f < MAX_FORMS && m->forms[f].type; f++)
						machine_is_call(m, &code, m->forms[f].type,
								at, &site);
					if (m->silence)
						m->silence(&code, at);
				}
				code.big = !code.big;
			}
			free(bytes);
		}
	}
	return NULL;
}

static const char *section_names_are_matched_whole(void)
{
	WHY(sites_may_be_in(".text") && sites_may_be_in(".text.unlikely"));
	WHY(sites_may_be_in(".init.text") && sites_may_be_in(".cpuidle.text"));
	WHY(!sites_may_be_in(".init.text.more") && !sites_may_be_in(".exit.text"));
	WHY(!sites_may_be_in("") && !sites_may_be_in("text"));
	return NULL;
}

/* --- files ----------------------------------------------------------------- */

struct made {
	struct file file;
	struct elf_view view;
	struct sites sites;
	struct image image;
	struct elf_fault fault;
};

static int make(struct made *m)
{
	memset(m, 0, sizeof(*m));
	if (file_read(&m->file, scratch, &m->fault) ||
	    elf_view_open(&m->view, m->file.bytes, m->file.size, &m->fault) ||
	    sites_collect(&m->sites, &m->view, machine_find(m->view.machine), &m->fault))
		return -1;
	return emit_build(&m->image, &m->view, machine_find(m->view.machine), &m->sites,
			  NULL, &m->fault);
}

static void unmake(struct made *m)
{
	emit_free(&m->image);
	sites_free(&m->sites);
	elf_view_close(&m->view);
	file_free(&m->file);
}

static const char *file_that_disappears_is_not_made_again(void)
{
	struct made m;
	int err;

	fresh();
	WHY(!make(&m));
	unlink(scratch);
	err = file_replace(&m.file, &m.image, &m.fault);
	unmake(&m);
	WHY(err == -1);
	WHY(!strcmp(m.fault.reason, "changed while being worked on"));
	WHY(access(scratch, F_OK));
	return NULL;
}

static const char *file_that_changes_meanwhile_is_left_alone(void)
{
	struct made m;
	int err;

	fresh();
	WHY(!make(&m));
	spill(scratch, "another file", 12);
	err = file_replace(&m.file, &m.image, &m.fault);
	unmake(&m);
	WHY(err == -1);
	WHY(!strcmp(m.fault.reason, "changed while being worked on"));
	WHY(holds(scratch, "another file", 12));
	return NULL;
}

/* The file is truncated after it was mapped: one line on stderr, status 1. */
static const char *file_that_is_cut_short_gives_one_line(void)
{
	char line[512] = "", want[512];
	int status, pipes[2];
	struct made m;
	pid_t child;

	fresh();
	WHY(!pipe(pipes));
	child = fork();
	if (!child) {
		dup2(pipes[1], 2);
		memset(&m, 0, sizeof(m));
		if (file_read(&m.file, scratch, &m.fault) || truncate(scratch, 0))
			_exit(3);
		elf_view_open(&m.view, m.file.bytes, m.file.size, &m.fault);
		_exit(4);
	}
	close(pipes[1]);
	WHY(waitpid(child, &status, 0) == child);
	WHY(read(pipes[0], line, sizeof(line) - 1) > 0);
	close(pipes[0]);
	snprintf(want, sizeof(want), "recordmcount: %s: cannot be read, or became shorter\n",
		 scratch);
	WHY(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	WHY(!strcmp(line, want));
	return NULL;
}

/* Is there no file beside the object? What there is is removed. */
static bool is_alone(void)
{
	char pattern[512];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s.rc*", scratch);
	if (glob(pattern, 0, NULL, &found))
		return true;
	for (i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
	return false;
}

/* The wait status of the tool if signal @number is raised at @point. */
static int interrupted_by(int number, int *point)
{
	char *argv[] = { (char *)"recordmcount", (char *)scratch, NULL };
	int status = -1;
	pid_t child;

	fresh();
	child = fork();
	if (!child) {
		signal(number, SIG_DFL);
		*point = number;
		optind = 1;
		_exit(recordmcount_main(2, argv));
	}
	waitpid(child, &status, 0);
	return status;
}

static const char *signal_ends_the_tool_and_leaves_no_other_file(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	static int *const points[] = { &signal_at_fchmod, &signal_at_rename };
	const struct rlimit no_core = { 0 };
	size_t n, p;

	setrlimit(RLIMIT_CORE, &no_core);
	for (n = 0; n < sizeof(numbers) / sizeof(*numbers); n++) {
		for (p = 0; p < sizeof(points) / sizeof(*points); p++) {
			const int status = interrupted_by(numbers[n], points[p]);
			struct made m;

			WHY(WIFSIGNALED(status) && WTERMSIG(status) == numbers[n]);
			WHY(is_alone());
			/* it is still an object, with a table or without */
			WHY(!make(&m));
			unmake(&m);
		}
	}
	return NULL;
}

static const char *ignored_signal_changes_nothing(void)
{
	char *argv[] = { (char *)"recordmcount", (char *)scratch, NULL };
	void (*was)(int) = signal(SIGHUP, SIG_IGN);
	int status;

	fresh();
	signal_at_fchmod = SIGHUP;
	optind = 1;
	status = recordmcount_main(2, argv);
	signal_at_fchmod = 0;
	signal(SIGHUP, was);
	WHY(status == 0);
	WHY(is_alone());
	return NULL;
}

static const char *image_reads_back_as_an_object_with_a_table(void)
{
	struct elf_fault fault;
	struct elf_view view;
	struct sites again;
	struct made m;
	unsigned char *whole;
	size_t size, was;

	fresh();
	WHY(!make(&m));
	was = m.sites.nr_sites;
	size = m.image.keep + m.image.tail_size;
	whole = __real_malloc(size);
	memcpy(whole, m.file.bytes, m.image.keep);
	memcpy(whole + m.image.keep, m.image.tail, m.image.tail_size);
	unmake(&m);
	WHY(was > 0);
	WHY(!elf_view_open(&view, whole, size, &fault));
	WHY(!sites_collect(&again, &view, machine_find(view.machine), &fault));
	WHY(!again.nr_sites && !again.nr_strays);
	sites_free(&again);
	elf_view_close(&view);
	free(whole);
	return NULL;
}

/* The n-th allocation fails, for every n up to the last one. */
static const char *every_failed_allocation_leaves_the_file_as_it_was(void)
{
	char *argv[] = { (char *)"recordmcount", NULL, NULL };
	static char line[512];
	size_t size;
	unsigned char *before = slurp(good, &size);
	const char *why = NULL;
	unsigned long n;
	int status, out, err;

	argv[1] = (char *)scratch;
	for (n = 1; n < 1000 && !why; n++) {
		fresh();
		err = dup(2);
		out = memfd_create("stderr", 0);
		dup2(out, 2);
		allocations = 0;
		fail_at = n;
		optind = 1;
		status = recordmcount_main(2, argv);
		fail_at = 0;
		dup2(err, 2);
		close(err);
		memset(line, 0, sizeof(line));
		if (pread(out, line, sizeof(line) - 1, 0) < 0)
			why = "cannot read the message";
		close(out);
		if (status == 0)
			break;
		if (status != 1 || !strstr(line, ": out of memory\n") ||
		    strchr(line, '\n')[1])
			why = line;
		else if (!holds(scratch, before, size))
			why = "the file changed";
	}
	free(before);
	if (!why && n < 5)
		why = "too few allocations to mean anything";
	else if (!why && n == 1000)
		why = "no end of allocations";
	return why;
}

int main(int argc, char *argv[])
{
	if (argc != 3)
		return 2;
	good = argv[1];
	scratch = argv[2];
#define TEST(name)	report(#name, name())
	TEST(code_bounds_hold_at_their_edges);
	TEST(numbers_follow_the_byte_order);
	TEST(no_prefix_of_an_object_is_an_object);
	TEST(relocation_keeps_what_it_is_not_told_to_change);
	TEST(every_row_is_complete);
	TEST(call_tests_stay_inside_their_section);
	TEST(section_names_are_matched_whole);
	TEST(file_that_disappears_is_not_made_again);
	TEST(file_that_changes_meanwhile_is_left_alone);
	TEST(file_that_is_cut_short_gives_one_line);
	TEST(signal_ends_the_tool_and_leaves_no_other_file);
	TEST(ignored_signal_changes_nothing);
	TEST(image_reads_back_as_an_object_with_a_table);
	TEST(every_failed_allocation_leaves_the_file_as_it_was);
	return failures != 0;
}
