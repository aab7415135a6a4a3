// SPDX-License-Identifier: GPL-2.0
/*
 * Files: which source file, and which module that was built in, a function is of.
 *
 * recordmcount -m leaves an entry for each section of each object of the kernel, and of
 * modules, that has call sites: the first address, the address behind the last, and two
 * strings, the object's path without ".o" and its module's name. Both are empty if they
 * are as in the entry before. Zeros follow up to a whole address. Objects are in the order
 * of the linker, and nothing is sorted: a word looks at all of them once.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/ftrace.h>

#include "files.h"
#include "lock.h"
#include "site.h"

/* Of the linker */
extern const unsigned long __start_mcount_files[], __stop_mcount_files[];

/* Entries that are not read yet. */
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
	unsigned long	start, end;	/* of a section; @end is behind it */
	const char	*path, *module;
};

/* Read the next entry, which becomes @f. False: there is none. */
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

/* What of the kernel was found last: where the next one begins to look. ftrace_lock is held. */
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
 * Mark the sites of those entries that are where @m asks; without @wanted, look for one
 * such entry. @b: only its text: entries of a module's init text outlive that. Return:
 * True if there is one.
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

/* The same for the kernel and, unless @m asks for what is built in, for modules. */
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
 * ftrace_files_any() - test whether any file is where a word asks
 * @m: the word; ->in is set
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if there is one that has call sites.
 */
bool ftrace_files_any(const struct ftrace_match *m)
{
	return scan_all(m, NULL);
}

/**
 * ftrace_files_keep() - keep the sites that are where a word asks
 * @m: the word; ->in is set
 * @found: sites; others of them are dropped
 * @from: index of the first one to look at
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success; -ENOMEM if memory is short: nothing changed.
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
 * @ip: address of that
 *
 * Looks from where it found the last one, so that a list in the order of addresses
 * looks at all entries once or twice; in a module, at all of its.
 *
 * Context: Process context. ftrace_lock held.
 * Return: Its path without ".c", or NULL if it is in none.
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
