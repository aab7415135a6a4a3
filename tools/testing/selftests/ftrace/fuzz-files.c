// SPDX-License-Identifier: GPL-2.0
/*
 * Write nonsense, and half sense, to the files of the function tracer.
 *
 * usage: fuzz-files TRACEFS SEED SESSIONS
 *
 * Each session opens one of the files, in one of the ways that files are
 * opened, and writes words to it in pieces of any size. If a write, or the
 * close, has failed in a session that began with ":all:", all filters must read as
 * they did before. After every write() that takes part of what it is given, it must
 * have taken exactly one word and the white space around it.
 *
 * Run it as root, with an instance "fuzz", on a machine where nobody else traces. A
 * failure is printed with what the session did, and the seed makes it do the same again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES	40000
#define MAX_TEXT	6000
#define MAX_READ	(1 << 20)

static const char *const files[] = {
	"set_ftrace_filter",
	"set_ftrace_notrace",
	"set_graph_function",
	"set_graph_notrace",
	"stack_trace_filter",
	"function_profile_filter",
	"function_profile_notrace",
	"function_tracers",
	"instances/fuzz/set_ftrace_filter",
	"instances/fuzz/set_ftrace_notrace",
	"instances/fuzz/set_graph_function",
	"instances/fuzz/set_graph_notrace",
	"set_ftrace_pid",
	"set_ftrace_notrace_pid",
	"ran_functions",
	"ftraced_enabled",
};
#define NR_FILES	(sizeof(files) / sizeof(*files))

static const char *const places[] = {
	":at:", ":at:0", ":at:_text+0x1000", ":at:vfs_read+0x0", ":at:vfs_read", ":at:nosuch+0x0",
	":file:", ":file:fs/read_write.c", ":file:mm/*", ":file:nosuch.c", ":file:[",
	":dir:", ":dir:fs", ":dir:lib/", ":dir:nosuch",
	":if:", ":if:arg1>0", ":if:arg3==4096&&arg2!=0", ":if:arg7==1", ":if:arg1<0", ":if:x&",
};

static const char *const commands[] = {
	"traceon", "traceoff", "stacktrace", "snapshot", "enable_event", "disable_event",
	"mod", "nosuch", "", "mo", "modd", "dum", "!", "unlimited", "count=2",
};

static const char *const params[] = {
	"", "1", "3", "0", "-1", "0x10", "many", "1:2", "sched:sched_switch",
	"sched:sched_switch:2", "sched:nosuch", "no:such:1", ":", "::", "*", "!*", "ext?",
	"unlimited", "count=2", "count=-1", "count=", "sched:sched_switch:unlimited",
	"trace_printk", "!trace_printk", "!nosuch", "nosuch_module", "99999999999999999999",
};

/* For files that are switched on and off. */
static const char *const switches[] = { "0", "1", "1", "2", "-1", "0x1", "01", "on", "", "1 0" };

static char *names[MAX_NAMES];
static unsigned int nr_names;
static char before[NR_FILES][MAX_READ], after[MAX_READ];
static uint64_t state;
static const char *seed;
static unsigned long session;

static char doing[MAX_TEXT * 2 + 200];	/* the session in words */

static void die(const char *fmt, ...)
{
	va_list ap;

	printf("FAILED session %lu of seed %s: ", session, seed);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n  %s\n", doing);
	exit(1);
}

/* xorshift64*: the same everywhere. */
static uint32_t rnd(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

#define pick(a)	((a)[rnd(sizeof(a) / sizeof(*(a)))])

static size_t read_file(const char *name, char *buf)
{
	int fd = open(name, O_RDONLY);
	size_t n = 0;
	ssize_t got;

	buf[0] = '\0';
	if (fd < 0)
		return 0;
	while (n < MAX_READ - 1 && (got = read(fd, buf + n, MAX_READ - 1 - n)) > 0)
		n += got;
	buf[n] = '\0';
	close(fd);
	return n;
}

static void load_names(void)
{
	static char line[1024];
	FILE *f = fopen("available_filter_functions", "r");

	if (!f)
		die("no available_filter_functions");
	while (nr_names < MAX_NAMES && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \n")] = '\0';
		names[nr_names++] = strdup(line);
	}
	fclose(f);
	if (nr_names < 1000)
		die("%u functions only", nr_names);
}

/* Never too many functions: hooking is not what is tested here. */
static void put_name(char *out, size_t room)
{
	const char *name = names[rnd(nr_names)];
	size_t len = strlen(name);

	switch (rnd(16)) {
	case 0:
		snprintf(out, room, "%u", rnd(nr_names + 2));
		break;
	case 1:
		snprintf(out, room, "0x%xg", rnd(100));
		break;
	case 2:
		snprintf(out, room, "%.*s*", (int)(len > 6 ? len - 2 : len), name);
		break;
	case 3:
		snprintf(out, room, "*%s", name + (len > 6 ? 2 : 0));
		break;
	case 4:
		snprintf(out, room, "*%s*", name + (len > 8 ? 1 : 0));
		break;
	case 5:
		snprintf(out, room, "%.*s?%s", (int)(len / 2), name, name + len / 2 + (len > 0));
		break;
	case 6:
		snprintf(out, room, "[%c%c]%s", *name, *name, name + 1);
		break;
	case 7:
		snprintf(out, room, "[%s", name);
		break;
	case 8:
		snprintf(out, room, "%s\\", name);
		break;
	case 9:
		snprintf(out, room, "nosuch_%x", rnd(1000));
		break;
	case 11:
		snprintf(out, room, "%s [%s]", name, rnd(2) ? "nosuch" : "");
		break;
	case 12:
		snprintf(out, room, "%s%s", rnd(2) ? "# " : "", rnd(2) ?
			 "#### no functions enabled ####" : "# nosuch_comment");
		break;
	case 10:
		memset(out, 'x', room - 1);
		out[rnd(3) ? rnd(700) % (room - 1) : room - 1] = '\0';
		break;
	default:
		snprintf(out, room, "%s", name);
		break;
	}
}

static void put_word(char *out, size_t room)
{
	char name[1200], *p = out;

	if (!rnd(40)) {			/* bytes */
		size_t n = rnd(30);

		while (n--)
			*p++ = 1 + rnd(255);
		*p = '\0';
		return;
	}

	put_name(name, sizeof(name));
	p += snprintf(p, room, "%s%s%s", rnd(4) ? "" : "!", rnd(30) ? name : "",
		      rnd(6) ? "" : pick(places));
	if (!rnd(3)) {
		p += snprintf(p, out + room - p, ":%s", pick(commands));
		if (rnd(3))
			snprintf(p, out + room - p, ":%s", pick(params));
	}
}

static bool is_switch(const char *file)
{
	return !strcmp(file, "ran_functions") || !strcmp(file, "ftraced_enabled");
}

/* The first word of a session that changes all or nothing. */
#define WHOLE	":all:"

static bool is_filter(const char *file)
{
	return strcmp(file, "function_tracers") && !strstr(file, "pid") && !is_switch(file);
}

static size_t put_text(char *out, const char *file)
{
	static const char *const gaps[] = { " ", "\n", "\n", "\n", "\t", "  ", " \n\n", "\r\n", "\v" };
	unsigned int words = rnd(4) ? 1 + rnd(3) : rnd(12);
	size_t n = 0;
	char word[1500];

	if (is_switch(file))
		return sprintf(out, "%s%s", pick(switches), pick(gaps));
	out[0] = '\0';
	if (!rnd(8))
		n += sprintf(out, "%s", pick(gaps));
	else if (is_filter(file) && rnd(2))
		n += sprintf(out, WHOLE "%s", pick(gaps));
	while (words--) {
		if (strstr(file, "pid"))
			snprintf(word, sizeof(word), rnd(6) ? "%u" : "%ux", rnd(70000));
		else if (!strcmp(file, "function_tracers"))
			snprintf(word, sizeof(word), "%s", rnd(2) ? "trace" : "fuzz");
		else
			put_word(word, sizeof(word));
		if (n + strlen(word) > MAX_TEXT - 20)
			break;
		n += sprintf(out + n, "%s", word);
		if (words || rnd(3))
			n += sprintf(out + n, "%s", pick(gaps));
	}
	if (n && !rnd(30))
		out[rnd(n)] = '\0';
	return n;
}

static bool is_gap(char c)
{
	return !c || strchr(" \t\n\v\f\r", c);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What a file knows of the word that the last write did not end, or ended. */
struct word {
	bool open;
	bool comment;
	bool name;		/* "[module]" may follow */
	bool cut;		/* a name and blanks were the end of the write */
};

/*
 * What a write may take of @n bytes: one word and the gaps before it, and one after it.
 * A comment is a word, and so is "name [module]".
 */
static size_t one_word(struct word *w, const char *text, size_t n)
{
	size_t i = 0, next;

	if (!w->open) {
		for (; i < n && text[i] && is_gap(text[i]); i++)
			w->cut &= is_blank(text[i]);
		if (i == n)
			return n;
		w->comment = text[i] == '#';
		w->name = !(w->cut && text[i] == '[');
		w->cut = false;
		if (!text[i])
			return i + 1;
	}
	w->open = false;
	for (; i < n; i++) {
		if (w->comment ? text[i] == '\n' || !text[i] : is_gap(text[i])) {
			if (w->comment || !w->name || !is_blank(text[i]))
				return i + 1;
			for (next = i + 1; next < n && is_blank(text[next]);)
				next++;
			w->cut = next == n;
			if (w->cut)
				return n;
			if (text[next] != '[')
				return i + 1;
			w->name = false;
			i = next;
		}
		w->name &= text[i] != ':';
	}
	w->open = true;
	return n;
}

/* Says in @doing what was written, so that a person can read it. */
static void note(const char *fmt, ...)
{
	size_t n = strlen(doing);
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(doing + n, sizeof(doing) - n, fmt, ap);
	va_end(ap);
	for (p = doing + n; *p; p++) {
		if (*p == '\n')
			*p = '|';
	}
}

/* Returns the last error, and in @taken how many bytes the file took. */
static int write_all(int fd, const char *text, size_t n, bool words, size_t *taken)
{
	size_t done = 0, piece, may;
	struct word word = { };
	int err = 0;
	ssize_t got;

	*taken = 0;
	while (done < n) {
		piece = rnd(3) ? n - done : 1 + rnd(n - done);
		got = write(fd, text + done, piece);
		if (got < 0) {
			err = errno;
			if (err != EINVAL && err != ENODEV && err != EBUSY && err != ENOENT &&
			    err != ENOMEM && err != EPERM && err != ERANGE)
				die("write: errno %d", err);
			note(" [errno %d at %zu]", err, done);
			/* A writer may go on after an error, from any place. */
			if (rnd(2))
				return err;
			done += piece;
			word = (struct word){ };
			continue;
		}
		if (!got || (size_t)got > piece)
			die("write: %zd of %zu", got, piece);
		if (words) {
			may = one_word(&word, text + done, piece);
			if ((size_t)got != may)
				die("write took %zd of %zu at %zu, not %zu", got, piece, done, may);
		}
		done += got;
		*taken += got;
	}
	return err;
}

static bool of_filters(unsigned int i)
{
	return i < NR_FILES && is_filter(files[i]);
}

/*
 * Reading function_tracers asks for names, which filters then show, too. What
 * ran_functions shows changes all the time.
 */
static bool can_compare(unsigned int i)
{
	return strcmp(files[i], "function_tracers") && strcmp(files[i], "ran_functions");
}

static void snapshot(void)
{
	for (unsigned int i = 0; i < NR_FILES; i++) {
		if (can_compare(i))
			read_file(files[i], before[i]);
	}
}

/* Lines of commands are not part of what a session puts in force at its end. */
static void drop_commands(char *text)
{
	char *from = text, *to = text, *end;
	size_t n;

	for (; *from; from += n) {
		end = strchr(from, '\n');
		/* The buffer was too short for it. */
		if (!end)
			break;
		n = end - from + 1;
		if (memchr(from, ':', n) && !memmem(from, n, ":mod:", 5))
			continue;
		memmove(to, from, n);
		to += n;
	}
	*to = '\0';
}

static void same_as_before(const char *what, bool commands_too)
{
	for (unsigned int i = 0; i < NR_FILES; i++) {
		if (!of_filters(i))
			continue;
		read_file(files[i], after);
		if (!commands_too) {
			drop_commands(before[i]);
			drop_commands(after);
		}
		if (strcmp(before[i], after))
			die("%s changed %s from\n%.2000s\nto\n%.2000s", what, files[i], before[i],
			    after);
	}
}

static void one_session(void)
{
	static char text[MAX_TEXT * 2];
	static const int flags[] = {
		O_WRONLY, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND, O_RDWR, O_RDWR | O_TRUNC,
	};
	unsigned int f = rnd(4) ? rnd(3) : rnd(NR_FILES);
	int mode = pick(flags), fd, err, closed;
	size_t n = put_text(text, files[f]), taken;
	bool filter = of_filters(f), acted, whole;

	/* O_TRUNC of a pid file empties it at once, not at the close. */
	doing[0] = '\0';
	note("%s flags %o: ", files[f], mode);
	note("%.*s", (int)n, text);
	snapshot();

	fd = open(files[f], mode);
	if (fd < 0) {
		if (errno == ENOENT)
			return;
		die("open: errno %d", errno);
	}
	if (mode & O_RDWR && !rnd(3))
		(void)!read(fd, after, 1 + rnd(5000));
	err = write_all(fd, text, n, filter, &taken);
	closed = close(fd) ? errno : 0;
	note(" [close %d]", closed);

	if (filter) {
		if (err && !closed)
			die("close does not tell of errno %d", err);
		/* Commands of good words before the bad one have acted. */
		whole = !strncmp(text, WHOLE, strlen(WHOLE));
		acted = whole && memchr(text + strlen(WHOLE), ':', n - strlen(WHOLE));
		if (whole && (err || closed))
			same_as_before("a session with an error", !acted);
	} else if (err && !taken && !(mode & O_TRUNC) && can_compare(f)) {
		/* Each write to a pid file is whole: what was taken before is in force. */
		read_file(files[f], after);
		if (strcmp(before[f], after))
			die("a write with an error changed %s", files[f]);
	}
}

static void clear_file(const char *file)
{
	const char *text = !strcmp(file, "ran_functions") ? "0\n" :
			   !strcmp(file, "ftraced_enabled") ? "1\n" : "\n";
	int fd = open(file, O_WRONLY | O_TRUNC);

	if (fd < 0)
		return;
	(void)!write(fd, text, strlen(text));
	if (close(fd))
		die("%s is not cleared: errno %d", file, errno);
}

static void clear(void)
{
	/* Otherwise the first two files are some other tracer's. */
	clear_file("function_tracers");
	for (unsigned int i = 0; i < NR_FILES; i++)
		clear_file(files[i]);
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char word[100];
		int fd;

		for (unsigned int k = 0; k < 4; k++) {
			snprintf(word, sizeof(word), "!*:%s%s%s\n", commands[i],
				 strstr(commands[i], "event") ? ":sched:sched_switch" : "",
				 k & 1 ? ":0" : "");
			fd = open(k & 2 ? "instances/fuzz/set_ftrace_filter" : "set_ftrace_filter",
				  O_WRONLY | O_APPEND);
			(void)!write(fd, word, strlen(word));
			close(fd);
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long sessions;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 4 || chdir(argv[1])) {
		fprintf(stderr, "usage: fuzz-files TRACEFS SEED SESSIONS\n");
		return 2;
	}
	seed = argv[2];
	state = strtoull(seed, NULL, 0) * 2654435769u + 1;
	sessions = strtoul(argv[3], NULL, 0);
	if (!sessions) {
		fprintf(stderr, "fuzz-files: no sessions\n");
		return 2;
	}
	load_names();
	clear();

	for (session = 0; session < sessions; session++) {
		one_session();
		/* Clear now and then, or most of the time would be spent in reading. */
		if (!(session % 50))
			clear();
	}
	clear();
	for (unsigned int i = 0; i < NR_FILES; i++) {
		if (!of_filters(i))
			continue;
		read_file(files[i], after);
		if (after[0] && after[0] != '#')
			die("%s cannot be cleared: %.1000s", files[i], after);
	}
	printf("ok: %lu sessions, seed %s\n", sessions, seed);
	return 0;
}
