// SPDX-License-Identifier: GPL-2.0
/*
 * Files: which source file, and which module that was built in, a function is of.
 *
 * recordmcount -m writes an entry for each section with call sites, of each object of the
 * kernel and of modules: the first address, the address behind the last, and two strings,
 * the object's path without ".o" and its module's name. Both are empty if they are the
 * same as in the entry before. Zeros pad the entry to a multiple of an address. Entries
 * are in link order, not sorted: a lookup of one word reads all of them once.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/ftrace.h>

#include "files.h"
#include "lock.h"
#include "site.h"

/* Set by the linker */
extern const unsigned long __start_mcount_files[], __stop_mcount_files[];

/* The entries that are left to read. */
struct entries {
	const unsigned long *next, *end;
};

static const struct entries of_kernel = { __start_mcount_files, __stop_mcount_files };

static struct entries of_module(const struct module *mod)
{
	return (struct entries){
		mod->ftrace_files, mod->ftrace_files + mod->num_ftrace_files,
	};
}

struct source {
	unsigned long	start, end;	/* of a section; @end is one past it */
	const char	*path, *module;
};

/* Read the next entry into @f, which keeps its strings if they are the same. False: none. */
static bool read_entry(struct entries *e, struct source *f)
{
	const char *s = (const char *)(e->next + 2);

	if (e->next == e->end)
		return false;
	f->start = e->next[0];
	f->end = e->next[1];
	if (*s) {
		f->path = s;
		s += strlen(s) + 1;
		f->module = s;
		s += strlen(s);
	}
	e->next = (const unsigned long *)PTR_ALIGN(s + 1, sizeof(long));
	return true;
}

/* [L] The kernel's entry that was found last, and those after it: the next lookup begins there. */
static struct entries left;
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

/*
 * Mark the sites of the entries that match the place in @m; without @wanted, look for one
 * such entry. With @b, only for its text: a module's entries for its init text stay when
 * that is freed. Return: True if there is such an entry.
 */
static bool scan(struct entries e, const struct ftrace_site_block *b, const struct ftrace_match *m,
		 unsigned long *wanted)
{
	bool any = false;
	struct source f;

	while ((wanted || !any) && read_entry(&e, &f)) {
		if ((b && (f.end <= b->base || f.start >= b->end)) || !is_in(m, &f))
			continue;
		any = true;
		if (wanted)
			mark(wanted, &f);
	}
	return any;
}

/* The same for the kernel and, unless @m names a built-in module, for modules. */
static bool scan_all(const struct ftrace_match *m, unsigned long *wanted)
{
	bool any = scan(of_kernel, NULL, m, wanted);
	struct ftrace_site_block *b;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(b, &ftrace_site_blocks, list)
		if (b->mod && m->where != FTRACE_IN_MODULE && (wanted || !any))
			any |= scan(of_module(b->mod), b, m, wanted);
	return any;
}

/**
 * ftrace_files_any() - test whether any file matches the place in a word
 * @m: the word; ->in is set
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if a file with call sites does.
 */
bool ftrace_files_any(const struct ftrace_match *m)
{
	return scan_all(m, NULL);
}

/**
 * ftrace_files_keep() - keep only the sites that match the place in a word
 * @m: the word; ->in is set
 * @found: the sites; those that do not match are removed
 * @from: index of the first one to look at
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short. On error nothing changed.
 */
int ftrace_files_keep(const struct ftrace_match *m, struct ftrace_siteset_builder *found,
		      size_t from)
{
	unsigned long *wanted = kvcalloc(BITS_TO_LONGS(ftrace_site_end()), sizeof(*wanted),
					 GFP_KERNEL);
	size_t i, n = from;

	lockdep_assert_held(&ftrace_lock);

	if (!wanted)
		return -ENOMEM;
	scan_all(m, wanted);
	for (i = from; i < found->n; i++)
		if (test_bit(found->nrs[i], wanted))
			found->nrs[n++] = found->nrs[i];
	found->n = n;
	kvfree(wanted);
	return 0;
}

static const char *path_in_module(const struct module *mod, unsigned long ip)
{
	struct entries e = of_module(mod);
	struct source f;

	while (read_entry(&e, &f))
		if (ip >= f.start && ip < f.end)
			return f.path;
	return NULL;
}

/**
 * ftrace_files_path() - find the source file that a function is of
 * @b: block of its call site
 * @ip: address of its call site
 *
 * In the kernel, continues where the last lookup ended: a listing in address order reads
 * all entries once or twice. In a module, each lookup starts with its first entry.
 *
 * Context: Process context. ftrace_lock held.
 * Return: Its path without ".c", or NULL if the function is in no known file.
 */
const char *ftrace_files_path(const struct ftrace_site_block *b, unsigned long ip)
{
	bool again = false;

	lockdep_assert_held(&ftrace_lock);

	if (b->mod)
		return path_in_module(b->mod, ip);
	while (ip < last.start || ip >= last.end) {
		if (read_entry(&left, &last))
			continue;
		if (again)
			return NULL;
		again = true;
		left = of_kernel;
	}
	return last.path;
}
