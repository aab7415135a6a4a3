// SPDX-License-Identifier: GPL-2.0
/*
 * Files: which source file, and which module that was built in, a function is of.
 *
 * recordmcount -m leaves an entry for each section of each object of the kernel that
 * has call sites: the first address, the address behind the last, and two strings, the
 * object's path without ".o" and its module's name. Both are empty if they are as in
 * the entry before. Zeros follow up to a whole address. Objects are in the order of the
 * linker, and nothing is sorted: a word looks at all of them once.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/ftrace.h>

#include "files.h"
#include "lock.h"
#include "site.h"

/* Of the linker */
extern const unsigned long __start_mcount_files[], __stop_mcount_files[];

struct source {
	unsigned long	start, end;	/* of a section; @end is behind it */
	const char	*path, *module;
};

/* The entry after @entry, which becomes @f; NULL: there is none. */
static const unsigned long *read_entry(const unsigned long *entry, struct source *f)
{
	const char *s = (const char *)(entry + 2);

	if (entry == __stop_mcount_files)
		return NULL;
	f->start = entry[0];
	f->end = entry[1];
	if (*s) {
		f->path = s;
		s += strlen(s) + 1;
		f->module = s;
		s += strlen(s);
	}
	return (const unsigned long *)PTR_ALIGN(s + 1, sizeof(long));
}

/* What was found last: where the next one begins to look. ftrace_lock is held. */
static const unsigned long *next_entry = __start_mcount_files;
static struct source last;

static bool is_in(const struct ftrace_match *m, const struct source *f)
{
	const size_t len = strlen(m->in);
	char name[256];

	switch (m->where) {
	case FTRACE_IN_FILE:
		scnprintf(name, sizeof(name), "%s.c", f->path);
		return glob_match(m->in, name);
	case FTRACE_IN_DIR:
		return !strncmp(f->path, m->in, len) &&
		       (f->path[len] == '/' || (len && m->in[len - 1] == '/'));
	case FTRACE_IN_MODULE:
		return glob_match(m->in, f->module);
	}
	return false;
}

/**
 * ftrace_files_any() - test whether any file is where a word asks
 * @m: the word; ->in is set
 *
 * Context: Any context.
 * Return: True if there is one that has call sites.
 */
bool ftrace_files_any(const struct ftrace_match *m)
{
	const unsigned long *entry = __start_mcount_files;
	struct source f;

	while ((entry = read_entry(entry, &f)))
		if (is_in(m, &f))
			return true;
	return false;
}

static void mark(unsigned long *wanted, const struct source *f)
{
	struct ftrace_site_block *b;
	unsigned long ip;
	u32 i;

	for (ip = f->start; ip < f->end; ip = ftrace_site_ip(b, i) + MCOUNT_INSN_SIZE) {
		b = ftrace_site_find_range(ip, f->end - 1, &i);
		if (!b)
			return;
		__set_bit(ftrace_site_nr(b, i), wanted);
	}
}

/**
 * ftrace_files_keep() - keep the sites that are where a word asks
 * @m: the word; ->in is set
 * @found: sites; others of them are dropped
 * @from: index of the first one to look at
 *
 * Functions of modules are in no file.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short: nothing changed.
 */
int ftrace_files_keep(const struct ftrace_match *m, struct ftrace_siteset_builder *found,
		      size_t from)
{
	unsigned long *wanted = kvcalloc(BITS_TO_LONGS(ftrace_site_end()), sizeof(*wanted),
					 GFP_KERNEL);
	const unsigned long *entry = __start_mcount_files;
	struct source f;
	size_t i, n = from;

	lockdep_assert_held(&ftrace_lock);

	if (!wanted)
		return -ENOMEM;
	while ((entry = read_entry(entry, &f)))
		if (is_in(m, &f))
			mark(wanted, &f);
	for (i = from; i < found->n; i++)
		if (test_bit(found->nrs[i], wanted))
			found->nrs[n++] = found->nrs[i];
	found->n = n;
	kvfree(wanted);
	return 0;
}

/**
 * ftrace_files_path() - find the source file that a function is of
 * @ip: address of its call site
 *
 * Looks from where it found the last one, so that a list in the order of addresses
 * looks at all entries once or twice.
 *
 * Context: Process context. ftrace_lock held.
 * Return: Its path without ".c", or NULL if it is in none.
 */
const char *ftrace_files_path(unsigned long ip)
{
	bool again = false;

	lockdep_assert_held(&ftrace_lock);

	while (ip < last.start || ip >= last.end) {
		if (next_entry == __stop_mcount_files) {
			if (again)
				return NULL;
			again = true;
			next_entry = __start_mcount_files;
		}
		next_entry = read_entry(next_entry, &last);
	}
	return last.path;
}
