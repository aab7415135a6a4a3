// SPDX-License-Identifier: GPL-2.0
/*
 * From names to sites and back.
 *
 * Each function has one name here: that of the first symbol at its address.
 * Listings show this name; exact names and patterns are compared with it. A site
 * too far after the symbol that precedes it was left by a weak function that was
 * overridden: it is in the text, but in no function, and is marked
 * FTRACE_SITE_DEAD.
 *
 * The kernel's symbols are in address order, so all its sites are named in one
 * walk along sites and symbols. A module's symbols are in no order: each is assigned
 * to the site that follows it, and each site keeps the index of its symbol. The symbol
 * table moves when the module's init text is freed. So it is read under RCU, and its
 * symbols are assigned again once it has moved. Discovered sites are not in address
 * order: those of the kernel are looked up one by one, and a module's symbols are
 * assigned again when it has more sites.
 *
 * A single exact name of the kernel is looked up in the index of kallsyms, which
 * expands some twenty names for each lookup. After INDEX_LOOKUPS of these
 * lookups the kernel's names are put into a hash table, which then costs less.
 * A module has no index, and gets its hash table with the first lookup. Discovered
 * texts have no hash table, because they get more sites.
 */
#include <linux/bsearch.h>
#include <linux/cleanup.h>
#include <linux/ftrace/text.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <asm/ftrace.h>
#include <asm/sections.h>

#include "cond.h"
#include "discovered.h"
#include "files.h"
#include "names.h"

#ifdef FTRACE_MCOUNT_MAX_OFFSET
# define MAX_OFFSET	((unsigned long)FTRACE_MCOUNT_MAX_OFFSET)
#else
# define MAX_OFFSET	(~0UL)
#endif

/* From this many exact lookups on, one pass over all names is cheaper. */
#define INDEX_LOOKUPS	512
#define FREE_SLOT	U32_MAX

struct ftrace_names {
	/* Modules: the table that ->symbol indexes, and the symbol of each site. */
	const struct mod_kallsyms *from;
	u32		*symbol;	/* 0: none */
	u32		sorted;		/* number of sites when ->symbol was filled in */

	/*
	 * Open-addressing hash table of the names. The low bits of a slot are
	 * the index of a site, the rest are as many bits of the hash as fit.
	 */
	u32		*slots;
	u32		mask;		/* number of slots - 1 */
	u32		index_mask;
	u32		lookups_left;
};

/* Modules: the module's symbol table. */

static unsigned long text_of(const struct module *mod)
{
	return (unsigned long)mod->mem[MOD_TEXT].base;
}

#ifdef CONFIG_MODULES

static const char *symbol_name(const struct mod_kallsyms *k, u32 symbol)
{
	return k->strtab + k->symtab[symbol].st_name;
}

static bool symbol_counts(const struct mod_kallsyms *k, u32 symbol)
{
	const char *name = symbol_name(k, symbol);

	return k->symtab[symbol].st_shndx != SHN_UNDEF && *name && !is_mapping_symbol(name);
}

/* Index of the first site of @b's text at or after @addr; b->nr: none, or not in @b. */
static u32 site_from(struct ftrace_site_block *b, unsigned long addr)
{
	struct ftrace_discovered *text = ftrace_discovered_text(b);
	u32 i;

	return ftrace_site_from(text ? text->head : b, addr, &i) == b ? i : b->nr;
}

/*
 * Give each site the last symbol at or before it; of several symbols at the same
 * address, the first. If several sites follow one symbol, only the first gets it.
 */
static void sort_symbols(struct ftrace_site_block *b, const struct mod_kallsyms *k)
{
	u32 *symbol = b->names->symbol;

	memset(symbol, 0, b->nr * sizeof(*symbol));
	for (u32 s = 1; s < k->num_symtab; s++) {
		unsigned long value;
		u32 i;

		if (!symbol_counts(k, s))
			continue;
		value = kallsyms_symbol_value(&k->symtab[s]);
		i = site_from(b, value);
		if (i == b->nr)
			continue;
		if (!symbol[i] || kallsyms_symbol_value(&k->symtab[symbol[i]]) < value)
			symbol[i] = s;
	}
	b->names->from = k;
	b->names->sorted = b->nr;
}

/* The symbol table of @b's module, with ->symbol up to date. Under rcu_read_lock(). */
static const struct mod_kallsyms *module_symbols(struct ftrace_site_block *b)
{
	const struct mod_kallsyms *k = rcu_dereference(b->mod->kallsyms);

	if (k != b->names->from || b->nr != b->names->sorted)
		sort_symbols(b, k);
	return k;
}

/* Distance of site @i from the last symbol before it; ~0UL: there is none. */
static unsigned long module_offset(const struct ftrace_site_block *b,
				   const struct mod_kallsyms *k, u32 i)
{
	const unsigned long ip = ftrace_site_ip(b, i);

	do {
		const u32 symbol = b->names->symbol[i];

		if (symbol)
			return ip - kallsyms_symbol_value(&k->symtab[symbol]);
	} while (!ftrace_discovered_text(b) && i--);
	return ~0UL;
}

static unsigned long module_name_at(struct ftrace_site_block *b, u32 i, char *buf)
{
	const struct mod_kallsyms *k;

	guard(rcu)();
	k = module_symbols(b);
	if (b->names->symbol[i])
		strscpy(buf, symbol_name(k, b->names->symbol[i]), KSYM_NAME_LEN);
	else
		*buf = '\0';
	return module_offset(b, k, i);
}

static int module_names_make(struct ftrace_site_block *b)
{
	b->names->symbol = kvcalloc(b->room, sizeof(u32), GFP_KERNEL);
	if (!b->names->symbol)
		return -ENOMEM;

	guard(rcu)();
	sort_symbols(b, rcu_dereference(b->mod->kallsyms));
	return 0;
}

/**
 * ftrace_names_symbol() - look up a site's symbol in its module's table
 * @b: block of a module, after ftrace_names_check_block()
 * @i: index of the site in @b
 * @sym: filled in on success
 *
 * Context: Process context. ftrace_lock held.
 * Return: True if the site has a symbol.
 */
bool ftrace_names_symbol(struct ftrace_site_block *b, u32 i, struct ftrace_names_symbol *sym)
{
	const struct mod_kallsyms *k;
	u32 symbol;

	lockdep_assert_held(&ftrace_lock);
	if (!b->names || !b->names->symbol)
		return false;

	guard(rcu)();
	k = module_symbols(b);
	symbol = b->names->symbol[i];
	if (!symbol)
		return false;
	sym->value = kallsyms_symbol_value(&k->symtab[symbol]);
	sym->size = k->symtab[symbol].st_size;
	sym->type = k->typetab[symbol];
	strscpy(sym->name, symbol_name(k, symbol), sizeof(sym->name));
	return true;
}

/* The start of a module's text; 0: there is no such module. */
static unsigned long text_of_module(const char *name)
{
	const struct module *mod;

	guard(rcu)();
	mod = find_module(name);
	return mod ? text_of(mod) : 0;
}

#else /* !CONFIG_MODULES */

static unsigned long module_name_at(struct ftrace_site_block *b, u32 i, char *buf)
{
	*buf = '\0';
	return ~0UL;
}

static int module_names_make(struct ftrace_site_block *b)
{
	return 0;
}

bool ftrace_names_symbol(struct ftrace_site_block *b, u32 i, struct ftrace_names_symbol *sym)
{
	return false;
}

static unsigned long text_of_module(const char *name)
{
	return 0;
}

#endif

const char *ftrace_names_owner(const struct ftrace_site_block *b)
{
	return b->mod->name;
}

/**
 * ftrace_names_start() - start to name sites in ascending order
 * @c: the cursor
 * @b: a block with names, see ftrace_names_check_block()
 * @i: index of the first site to be named
 *
 * Context: Process context. ftrace_lock held until the last ftrace_names_at().
 */
void ftrace_names_start(struct ftrace_names_cursor *c, struct ftrace_site_block *b, u32 i)
{
	c->block = b;
	if (!b->mod)
		kallsyms_walk_start(&c->walk, ftrace_site_ip(b, i));
}

/*
 * As ftrace_names_at(), but also names sites in no function. Returns the site's
 * offset from the symbol.
 */
static unsigned long name_at(struct ftrace_names_cursor *c, u32 i, char *buf)
{
	struct ftrace_site_block *b = c->block;
	unsigned long ip, start;

	if (b->mod)
		return module_name_at(b, i, buf);

	ip = ftrace_site_ip(b, i);
	if (ftrace_discovered_text(b))
		kallsyms_walk_start(&c->walk, ip);
	start = kallsyms_walk_to(&c->walk, ip);
	kallsyms_walk_name(&c->walk, buf);
	return ip - start;
}

/**
 * ftrace_names_at() - get the name of a site
 * @c: the cursor
 * @i: index of the site, not below that of the previous call; any index in a
 *	module or a discovered text
 * @buf: KSYM_NAME_LEN bytes for the name; for a site that is FTRACE_SITE_DEAD,
 *	FTRACE_INVALID_NAME and the offset from the symbol
 *
 * Context: Process context. ftrace_lock held since ftrace_names_start().
 * Return: @buf.
 */
const char *ftrace_names_at(struct ftrace_names_cursor *c, u32 i, char *buf)
{
	const unsigned long offset = name_at(c, i, buf);

	if (c->block->sites[i].state & FTRACE_SITE_DEAD)
		scnprintf(buf, KSYM_NAME_LEN, FTRACE_INVALID_NAME "_%ld", offset);
	return buf;
}

static void mark_dead(struct ftrace_site_block *b)
{
	struct ftrace_names_cursor c;
	char buf[KSYM_NAME_LEN];

	ftrace_names_start(&c, b, 0);
	for (u32 i = 0; i < b->nr; i++) {
		if (name_at(&c, i, buf) > MAX_OFFSET)
			WRITE_ONCE(b->sites[i].state, b->sites[i].state | FTRACE_SITE_DEAD);
	}
}

/**
 * ftrace_names_check_block() - mark a block's sites that are in no function
 * @b: the block; its symbols are in place, and none of its sites has a hook
 *
 * Called once for each block; for a module's before it is marked ready.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: 0 on success, -ENOMEM if memory is short.
 */
int ftrace_names_check_block(struct ftrace_site_block *b)
{
	int err = 0;

	lockdep_assert_held(&ftrace_lock);

	b->names = kzalloc_obj(*b->names);
	if (!b->names)
		return -ENOMEM;
	b->names->lookups_left = INDEX_LOOKUPS;

	if (b->mod)
		err = module_names_make(b);
	if (err) {
		ftrace_names_free(b);
		return err;
	}

	/* With BUILDTIME_MCOUNT_SORT the build has left out the kernel's own dead sites. */
	if (b->mod || !IS_ENABLED(CONFIG_BUILDTIME_MCOUNT_SORT))
		mark_dead(b);
	return 0;
}

/**
 * ftrace_names_free() - free the names of a block
 * @b: the block
 *
 * Context: Process context. ftrace_lock held.
 */
void ftrace_names_free(struct ftrace_site_block *b)
{
	if (!b->names)
		return;
	kvfree(b->names->symbol);
	kvfree(b->names->slots);
	kfree(b->names);
	b->names = NULL;
}

/* Lookups of one exact name. */

static u32 name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* Make the hash table. If memory is short, lookups do without it, only slower. */
static void make_slots(struct ftrace_site_block *b)
{
	const u32 nr = roundup_pow_of_two(b->nr + b->nr / 2 + 1);
	struct ftrace_names *n = b->names;
	struct ftrace_names_cursor c;
	char buf[KSYM_NAME_LEN];
	u32 i, at, hash;

	n->slots = kvmalloc_array(nr, sizeof(u32), GFP_KERNEL | __GFP_NOWARN);
	if (!n->slots) {
		n->lookups_left = INDEX_LOOKUPS;
		return;
	}
	memset32(n->slots, FREE_SLOT, nr);
	n->mask = nr - 1;
	n->index_mask = roundup_pow_of_two(b->nr + 1) - 1;

	ftrace_names_start(&c, b, 0);
	for (i = 0; i < b->nr; i++) {
		if (b->sites[i].state & FTRACE_SITE_DEAD)
			continue;
		name_at(&c, i, buf);
		hash = name_hash(buf);
		at = hash & n->mask;
		while (n->slots[at] != FREE_SLOT)
			at = (at + 1) & n->mask;
		n->slots[at] = (hash & ~n->index_mask) | i;
		if (!(i % 256))
			cond_resched();
	}
}

static int find_in_slots(struct ftrace_site_block *b, const char *name,
			 struct ftrace_siteset_builder *found)
{
	const struct ftrace_names *n = b->names;
	const u32 hash = name_hash(name);
	struct ftrace_names_cursor c;
	char buf[KSYM_NAME_LEN];
	u32 i, at;
	int err;

	for (at = hash & n->mask; n->slots[at] != FREE_SLOT; at = (at + 1) & n->mask) {
		if ((n->slots[at] ^ hash) & ~n->index_mask)
			continue;
		i = n->slots[at] & n->index_mask;
		ftrace_names_start(&c, b, i);
		name_at(&c, i, buf);
		if (strcmp(name, buf))
			continue;
		err = ftrace_siteset_add(found, ftrace_site_nr(b, i));
		if (err)
			return err;
	}
	return 0;
}

struct question {
	const struct ftrace_site_block *b;
	const char *name;
	struct ftrace_siteset_builder *found;
};

/*
 * @addr is the address of a symbol with the wanted name. Add the function's site, if
 * it has one and listings show the function under this name.
 */
static int answer(void *data, unsigned long addr)
{
	const struct question *q = data;
	struct ftrace_site_block *b;
	struct kallsyms_walk walk;
	char buf[KSYM_NAME_LEN];
	u32 i;

	if (addr >= q->b->end)
		return 0;
	b = ftrace_site_find_range(addr, addr + min(MAX_OFFSET, q->b->end - addr), &i);
	if (b != q->b && (!b || !ftrace_discovered_text(b) || b->text != q->b->text))
		return 0;
	if (b->sites[i].state & FTRACE_SITE_DEAD)
		return 0;

	kallsyms_walk_start(&walk, ftrace_site_ip(b, i));
	kallsyms_walk_name(&walk, buf);
	if (strcmp(q->name, buf))
		return 0;
	return ftrace_siteset_add(q->found, ftrace_site_nr(b, i));
}

static int find_one_by_one(struct ftrace_site_block *b, const struct ftrace_match *m,
			   struct ftrace_siteset_builder *found)
{
	struct ftrace_names_cursor c;
	char buf[KSYM_NAME_LEN];
	int err;

	ftrace_names_start(&c, b, 0);
	for (u32 i = 0; i < b->nr; i++) {
		if (!(i % 256))
			cond_resched();
		if (b->sites[i].state & FTRACE_SITE_DEAD)
			continue;
		if (m->kind != FTRACE_MATCH_ALL) {
			name_at(&c, i, buf);
			if (!ftrace_match(m, buf))
				continue;
		}
		err = ftrace_siteset_add(found, ftrace_site_nr(b, i));
		if (err)
			return err;
	}
	return 0;
}

static int find_exact(struct ftrace_site_block *b, const struct ftrace_match *m,
		      struct ftrace_siteset_builder *found)
{
	struct question q = { b, m->text, found };
	struct ftrace_names *n = b->names;

	/* More sites may come: no hash table. answer() adds sites of all blocks, so ask once. */
	if (ftrace_discovered_text(b) && !b->mod)
		return b->leads ? kallsyms_on_each_match_symbol(answer, m->text, &q) : 0;
	if (ftrace_discovered_text(b))
		return find_one_by_one(b, m, found);
	if (n && !n->slots && (b->mod || !n->lookups_left--))
		make_slots(b);
	if (n && n->slots)
		return find_in_slots(b, m->text, found);
	if (b->mod)
		return find_one_by_one(b, m, found);
	return kallsyms_on_each_match_symbol(answer, m->text, &q);
}

/* "!name" matches the kernel, and all modules but this one. */
static bool owner_matches(const struct ftrace_site_block *b, const struct ftrace_match *owner)
{
	if (!owner)
		return true;
	return (b->mod && ftrace_match(owner, ftrace_names_owner(b))) != owner->not;
}

/* True if @m and @owner ask for functions in @b. False while its text is not ready. */
static bool asks(const struct ftrace_match *m, const struct ftrace_match *owner,
		 const struct ftrace_site_block *b)
{
	/* A word for a module that is being unloaded is kept for its next load. */
	return ftrace_site_block_ready(b) && owner_matches(b, owner) &&
	       !(owner && !owner->not && !m->not &&
		 b->mod && b->mod->state == MODULE_STATE_GOING);
}

/*
 * Parse an address: a hexadecimal number, or SYMBOL+OFFSET, where a module's name stands
 * for the start of its text. @name is a buffer of KSYM_NAME_LEN bytes. 0: not an address.
 */
static unsigned long address_of(const char *where, char *name)
{
	const char *plus = strchr(where, '+');
	unsigned long base, n;

	if (kstrtoul(plus ? plus + 1 : where, plus ? 0 : 16, &n))
		return 0;
	if (!plus)
		return n;
	strscpy(name, where, min_t(size_t, plus - where + 1, KSYM_NAME_LEN));
	base = text_of_module(name) ?: kallsyms_lookup_name(name);
	return base ? base + n : 0;
}

/* Add the function at address @m->at, if it has the name. */
static int find_at(const struct ftrace_match *m, const struct ftrace_match *owner,
		   struct ftrace_siteset_builder *found)
{
	struct ftrace_names_cursor c;
	struct ftrace_site_block *b;
	char name[KSYM_NAME_LEN];
	u32 i;

	b = ftrace_site_find_exact(ftrace_location(address_of(m->at, name)), &i);
	if (!b || !asks(m, owner, b) || b->sites[i].state & FTRACE_SITE_DEAD)
		return 0;
	ftrace_names_start(&c, b, i);
	name_at(&c, i, name);
	return ftrace_match(m, name) ? ftrace_siteset_add(found, ftrace_site_nr(b, i)) : 0;
}

/* The number of sites of @lead or, for a discovered text, of all its blocks. */
static unsigned long count_lines(const struct ftrace_site_block *lead)
{
	const struct ftrace_site_block *b = lead;
	unsigned long n = 0;

	list_for_each_entry_from(b, &ftrace_site_blocks, list) {
		if (b != lead && (!ftrace_discovered_text(b) || b->text != lead->text))
			break;
		n += b->nr;
	}
	return n;
}

/* Site @index, counted from 1 in address order, of @lead or of its text. */
static struct ftrace_site_block *block_at_line(struct ftrace_site_block *lead,
					       unsigned long index, u32 *i)
{
	struct ftrace_site_block *b;

	if (!ftrace_discovered_text(lead)) {
		*i = index - 1;
		return lead;
	}
	b = ftrace_site_from(lead, lead->base, i);
	while (b && --index)
		b = ftrace_site_from(lead, ftrace_site_ip(b, *i) + 1, i);
	return b;
}

/* Add the site in line @index of available_filter_functions. */
static int find_line(unsigned long index, const struct ftrace_match *owner,
		     struct ftrace_siteset_builder *found)
{
	struct ftrace_site_block *b;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		unsigned long lines;
		u32 i;

		if (!ftrace_site_block_ready(b) || !ftrace_site_block_leads(b))
			continue;
		lines = count_lines(b);
		if (index > lines) {
			index -= lines;
			continue;
		}
		b = block_at_line(b, index, &i);
		if (!b || !owner_matches(b, owner) || b->sites[i].state & FTRACE_SITE_DEAD)
			return 0;
		return ftrace_siteset_add(found, ftrace_site_nr(b, i));
	}
	return -EINVAL;
}

/**
 * ftrace_names_find() - find the sites that a pattern names
 * @m: the pattern; acting on @m->not is up to the caller
 * @mod: NULL or "": the kernel and all modules; else a pattern for module
 *	names: "*" is any module, "!name" the kernel and all modules but this
 *	one
 * @found: gets the numbers of the sites
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: 0 on success, also if nothing matches; -ENOMEM if memory is short, with
 * some of the sites perhaps in @found; -EINVAL if a line number is out of range.
 */
int ftrace_names_find(const struct ftrace_match *m, const char *mod,
		      struct ftrace_siteset_builder *found)
{
	struct ftrace_match parsed, *owner = NULL;
	const size_t from = found->n;
	struct ftrace_site_block *b;
	int err;

	lockdep_assert_held(&ftrace_lock);

	if (mod && *mod) {
		ftrace_match_parse_name(&parsed, mod, strlen(mod));
		owner = &parsed;
	}
	if (m->at)
		return find_at(m, owner, found);
	if (m->kind == FTRACE_MATCH_INDEX)
		return find_line(m->index, owner, found);

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!asks(m, owner, b))
			continue;
		err = m->kind == FTRACE_MATCH_FULL && !m->in ? find_exact(b, m, found) :
							       find_one_by_one(b, m, found);
		if (err)
			return err;
	}
	return m->in ? ftrace_files_keep(m, found, from) : 0;
}

/**
 * ftrace_names_where() - tell a function from others of the same name
 * @b: its site's block
 * @i: index of the site in @b
 * @set: a set that has the site; NULL: only the site is meant
 * @conds: conditions of sites in @set; NULL: none
 * @buf: FTRACE_WHERE_LEN bytes
 *
 * A name that is written to a filter file stands for all functions of that name, in the
 * kernel and all modules or, if a module is given, in that module.
 *
 * Context: Process context. May sleep. ftrace_lock held.
 * Return: @buf. It gets FTRACE_AT and SYMBOL+OFFSET if one of these functions is not in
 * @set or has another condition, or if memory is too short to find out; else an empty
 * string.
 */
const char *ftrace_names_where(struct ftrace_site_block *b, u32 i,
			       const struct ftrace_siteset *set,
			       const struct ftrace_condset *conds, char *buf)
{
	const u32 nr = ftrace_site_nr(b, i);
	const struct ftrace_cond *cond = ftrace_condset_of(conds, nr);
	const char *owner = b->mod ? ftrace_names_owner(b) : NULL;
	const unsigned long text = owner ? text_of(b->mod) : (unsigned long)_text;
	struct ftrace_siteset_builder found = { };
	struct ftrace_names_cursor c;
	char name[KSYM_NAME_LEN];
	struct ftrace_match m;
	bool all;

	ftrace_names_start(&c, b, i);
	name_at(&c, i, name);
	ftrace_match_parse_name(&m, name, strlen(name));
	all = !ftrace_names_find(&m, owner, &found);
	for (size_t k = 0; k < found.n; k++)
		all &= found.nrs[k] == nr ||
		       (ftrace_siteset_has(set, found.nrs[k]) &&
			ftrace_condset_of(conds, found.nrs[k]) == cond);
	ftrace_siteset_drop(&found);

	*buf = '\0';
	if (!all)
		scnprintf(buf, FTRACE_WHERE_LEN, FTRACE_AT "%s+%#lx", owner ?: "_text",
			  ftrace_site_ip(b, i) - text);
	return buf;
}

#ifdef CONFIG_FTRACE_DISCOVER

/* True if the function at @addr has a call that can be discovered and is no site yet. */
static bool undiscovered_at(unsigned long addr)
{
	const unsigned long ip = ftrace_location(addr);
	u32 i;

	return ip && !ftrace_site_find_exact(ip, &i);
}

/* @addr is the address of a symbol with the name. Listings may show another name for it. */
static int undiscovered_exact(void *data, unsigned long addr)
{
	struct kallsyms_walk walk;
	char buf[KSYM_NAME_LEN];

	if (!undiscovered_at(addr))
		return 0;
	kallsyms_walk_start(&walk, addr);
	kallsyms_walk_name(&walk, buf);
	return !strcmp(data, buf);
}

static int undiscovered_match(void *data, const char *name, unsigned long addr)
{
	return ftrace_match(data, name) && undiscovered_at(addr);
}

#ifdef CONFIG_MODULES

static bool undiscovered_in_module(const struct module *mod, const struct ftrace_match *m)
{
	const struct mod_kallsyms *k;

	guard(rcu)();
	k = rcu_dereference(mod->kallsyms);
	for (u32 s = 1; s < k->num_symtab; s++) {
		if (symbol_counts(k, s) && ftrace_match(m, symbol_name(k, s)) &&
		    undiscovered_at(kallsyms_symbol_value(&k->symtab[s])))
			return true;
	}
	return false;
}

#else

static bool undiscovered_in_module(const struct module *mod, const struct ftrace_match *m)
{
	return false;
}

#endif

/**
 * ftrace_names_undiscovered() - test for functions that are not discovered yet
 * @m: a name or a pattern; ->not is ignored
 *
 * A pattern is compared with all symbols of the kernel, which takes long.
 *
 * Context: Process context or early boot. May sleep. ftrace_lock held.
 * Return: True if @m names a function whose site can be, but is not yet, discovered.
 */
bool ftrace_names_undiscovered(const struct ftrace_match *m)
{
	const struct ftrace_discovered *text;
	bool kernel = false;

	lockdep_assert_held(&ftrace_lock);

	list_for_each_entry(text, &ftrace_discovered_texts, list) {
		kernel |= !text->mod;
		if (text->mod && text->ready && undiscovered_in_module(text->mod, m))
			return true;
	}
	if (!kernel)
		return false;
	if (m->kind == FTRACE_MATCH_FULL)
		return kallsyms_on_each_match_symbol(undiscovered_exact, m->text, (void *)m->text);
	return kallsyms_on_each_symbol(undiscovered_match, (void *)m);
}

#endif

/* Lookups of many names at once. */

struct lookup {
	const char **names;	/* sorted */
	size_t nr, found;
	unsigned long *addrs;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

/* Several equal names are next to each other in ->names: all get the address. */
static void take_symbol(struct lookup *l, const char *name, unsigned long addr)
{
	const char **entry;
	size_t i;

	entry = bsearch(&name, l->names, l->nr, sizeof(name), compare_names);
	if (!entry || l->addrs[entry - l->names])
		return;

	for (i = entry - l->names; i && !strcmp(l->names[i - 1], name); i--)
		;
	for (; i < l->nr && !strcmp(l->names[i], name); i++) {
		l->addrs[i] = addr;
		l->found++;
	}
}

/* Look up all names, aliases included, of functions with a site in @b, a recorded block. */
static void lookup_block(struct lookup *l, const struct ftrace_site_block *b)
{
	char name[KSYM_NAME_LEN];
	struct kallsyms_walk walk, alias;

	kallsyms_walk_start(&walk, b->base);
	for (u32 i = 0; i < b->nr && l->found < l->nr; i++) {
		const unsigned long ip = ftrace_site_ip(b, i);
		const unsigned long start = kallsyms_walk_to(&walk, ip);

		if (!(i % 256))
			cond_resched();
		if (ip - start > MAX_OFFSET || b->sites[i].state & FTRACE_SITE_DEAD)
			continue;
		alias = walk;
		do {
			kallsyms_walk_name(&alias, name);
			take_symbol(l, name, start);
		} while (kallsyms_walk_alias(&alias));
	}
}

static int lookup_module_symbol(void *data, const char *name, unsigned long addr)
{
	struct lookup *l = data;

	/* Compare names first: most symbols are not wanted. */
	if (!bsearch(&name, l->names, l->nr, sizeof(name), compare_names) ||
	    !ftrace_location(addr))
		return 0;
	take_symbol(l, name, addr);
	return l->found == l->nr;
}

static int take_kernel_address(void *data, unsigned long addr)
{
	unsigned long *found = data, ip = ftrace_location(addr);
	struct ftrace_site_block *b;
	u32 i;

	b = ip ? ftrace_site_find_exact(ip, &i) : NULL;
	/* A call without a site is one that can be discovered. */
	if (!ip || (b && (b->mod || b->sites[i].state & FTRACE_SITE_DEAD)))
		return 0;
	*found = addr;
	return 1;
}

static void lookup_one_by_one(struct lookup *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		if (kallsyms_on_each_match_symbol(take_kernel_address, l->names[i],
						  &l->addrs[i]))
			l->found++;
	}
}

/* True if functions of the kernel may have no site yet. */
static bool kernel_is_discovered(void)
{
	struct ftrace_site_block *b;

	list_for_each_entry(b, &ftrace_site_blocks, list) {
		if (!b->mod && ftrace_discovered_text(b))
			return true;
	}
	return false;
}

/**
 * ftrace_lookup_symbols() - find the addresses of many functions
 * @sorted_syms: their names, sorted by strcmp()
 * @cnt: number of names
 * @addrs: gets their addresses, 0 for a name that is not found
 *
 * A name stands for the first function of that name that has a site or can be discovered,
 * in the kernel or, if there is none, in a module.
 *
 * Context: Process context. May sleep. Takes ftrace_lock, releases it, then
 * takes module_mutex.
 * Return: 0 if all were found, -ESRCH otherwise.
 */
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs)
{
	struct lookup l = { .names = sorted_syms, .nr = cnt, .addrs = addrs };
	struct ftrace_site_block *b;

	memset(addrs, 0, cnt * sizeof(*addrs));

	mutex_lock(&ftrace_lock);
	if (cnt < INDEX_LOOKUPS || kernel_is_discovered()) {
		lookup_one_by_one(&l);
	} else {
		list_for_each_entry(b, &ftrace_site_blocks, list) {
			if (!b->mod)
				lookup_block(&l, b);
		}
	}
	mutex_unlock(&ftrace_lock);

	if (l.found < cnt)
		module_kallsyms_on_each_symbol(NULL, lookup_module_symbol, &l);
	return l.found == cnt ? 0 : -ESRCH;
}
