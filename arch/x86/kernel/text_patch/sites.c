// SPDX-License-Identifier: GPL-2.0
/*
 * Permanent tables: every place of kernel and modules that is patched for a
 * living, and what it should be by the word of its owner.
 *
 * Jump labels and static calls have tables of their own, but those are sorted
 * by key. Here they are sorted by address, with what the trap handler needs to
 * tell what the place should do now: it reads the key itself, so these tables
 * never change while their text lives. Whoever keeps tables of his own (ftrace)
 * gives us a function to ask instead.
 *
 * The tables of modules hang in one sorted directory, which is replaced as a
 * whole. The trap handler reads it without locks; what it may still be looking
 * at is freed when no handler is active.
 */
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "text_patch.h"

enum { SITE_JUMP, SITE_CALL, SITE_TAIL, SITE_TAIL_COND };

/**
 * struct text_site - one place
 * @rel:  distance from the start of the table's text
 * @kind: whose it is
 * @len:  length of its instruction
 * @cc:	  condition of SITE_TAIL_COND
 * @jump: SITE_JUMP: its entry
 * @key:  the others: what it calls
 */
struct text_site {
	s32 rel;
	u8 kind;
	u8 len;
	u8 cc;
	union {
		const struct jump_entry *jump;
		const struct static_call_key *key;
	};
};

/**
 * struct text_site_table - the places of the kernel or of a module
 * @start: where the text begins
 * @end:   one past its end
 * @mod:   the module, NULL for the kernel
 * @nr:    how many places
 * @site:  sorted by address
 */
struct text_site_table {
	unsigned long start;
	unsigned long end;
	const struct module *mod;
	u32 nr;
	struct text_site site[];
};

/* The tables of all modules, sorted by address. */
struct text_site_dir {
	u32 nr;
	struct text_site_table *table[];
};

static struct text_site_table *kernel_sites __ro_after_init;
static struct text_site_dir *module_sites;
static text_patch_resolve_t resolver;

/* What the engine's tables are made from. */
struct site_source {
	struct jump_entry *jump;
	struct static_call_site *call;
	u32 nr_jump;
	u32 nr_call;
	const struct module *mod;
	unsigned long start;
	unsigned long end;
};

#ifdef CONFIG_JUMP_LABEL
static __always_inline
bool jump_site_now(const struct jump_entry *entry, struct text_effect *now,
		   unsigned long next)
{
	/* The key's two low bits belong to the entry. */
	const struct static_key *key =
		(void *)((unsigned long)&entry->key + (entry->key & ~3L));
	const bool enabled = raw_atomic_read(&key->enabled) != 0;
	const bool branch = entry->key & 1;
	const unsigned long target = (unsigned long)&entry->target +
				     entry->target;

	now->kind = TEXT_NEXT;
	if (enabled != branch) {
		now->kind = TEXT_JUMP;
		now->disp = target - next;
	}
	return true;
}

static void add_jumps(struct text_site_table *t, const struct site_source *src)
{
	struct jump_entry *entry;

	for (entry = src->jump; entry < src->jump + src->nr_jump; entry++) {
		const unsigned long ip = jump_entry_code(entry);
		struct text_effect e;

		if (jump_entry_is_init(entry) || ip < t->start || ip >= t->end)
			continue;
		e = text_effect_of((const u8 *)ip, TEXT_PATCH_MAX);
		if (e.kind != TEXT_NEXT && e.kind != TEXT_JUMP)
			continue;
		t->site[t->nr++] = (struct text_site){
			.rel = ip - t->start,
			.kind = SITE_JUMP,
			.len = e.len,
			.jump = entry,
		};
	}
}
#else
static __always_inline
bool jump_site_now(const struct jump_entry *entry, struct text_effect *now,
		   unsigned long next)
{
	return false;
}

static void add_jumps(struct text_site_table *t, const struct site_source *src)
{
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static void add_calls(struct text_site_table *t, const struct site_source *src)
{
	struct static_call_site *site;

	for (site = src->call; site < src->call + src->nr_call; site++) {
		const unsigned long ip = (long)&site->addr + site->addr;
		const unsigned long key = (long)&site->key + site->key;
		struct text_effect e;

		if ((key & STATIC_CALL_SITE_INIT) || ip < t->start ||
		    ip >= t->end)
			continue;
		e = text_effect_of((const u8 *)ip, TEXT_PATCH_MAX);
		t->site[t->nr++] = (struct text_site){
			.rel = ip - t->start,
			.kind = e.kind == TEXT_BRANCH ? SITE_TAIL_COND :
				key & STATIC_CALL_SITE_TAIL ? SITE_TAIL :
				SITE_CALL,
			.len = e.kind == TEXT_BRANCH ? e.len : CALL_INSN_SIZE,
			.cc = e.cc,
			.key = (void *)(key & ~STATIC_CALL_SITE_FLAGS),
		};
	}
}
#else
static void add_calls(struct text_site_table *t, const struct site_source *src)
{
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL
/* A call without a function is a nop, a tail call without one a return. */
static __always_inline
bool call_site_now(const struct text_site *s, struct text_effect *now,
		   unsigned long next)
{
	const unsigned long func = (unsigned long)READ_ONCE(s->key->func);

	now->disp = func - next;
	now->cc = s->cc;

	switch (s->kind) {
	case SITE_CALL:
		now->kind = func ? TEXT_CALL : TEXT_NEXT;
		return true;
	case SITE_TAIL:
		now->kind = func ? TEXT_JUMP : TEXT_RETURN;
		return true;
	case SITE_TAIL_COND:
		now->kind = func ? TEXT_BRANCH : TEXT_RETURN_IF;
		return true;
	}
	return false;
}
#else
static __always_inline
bool call_site_now(const struct text_site *s, struct text_effect *now,
		   unsigned long next)
{
	return false;
}
#endif

static __always_inline
const struct text_site_table *table_of(unsigned long ip)
{
	const struct text_site_table *t = READ_ONCE(kernel_sites);
	const struct text_site_dir *dir = READ_ONCE(module_sites);
	u32 lo = 0, hi = dir ? dir->nr : 0;

	if (t && ip >= t->start && ip < t->end)
		return t;
	while (lo < hi) {
		const u32 mid = (lo + hi) / 2;

		t = dir->table[mid];
		if (ip < t->start)
			hi = mid;
		else if (ip >= t->end)
			lo = mid + 1;
		else
			return t;
	}
	return NULL;
}

static __always_inline
const struct text_site *site_of(const struct text_site_table *t,
				unsigned long ip)
{
	const long rel = ip - t->start;
	u32 lo = 0, hi = t->nr;

	while (lo < hi) {
		const u32 mid = (lo + hi) / 2;

		if (t->site[mid].rel == rel)
			return &t->site[mid];
		if (t->site[mid].rel < rel)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/**
 * text_site_now - what should the place at @ip do now?
 * @ip:	 address of the instruction
 * @now: filled in if the place is known
 *
 * Context: any; noinstr.
 * Return: true if the place is known.
 */
noinstr bool text_site_now(unsigned long ip, struct text_effect *now)
{
	const text_patch_resolve_t ask = READ_ONCE(resolver);
	const struct text_site_table *t = table_of(ip);
	const struct text_site *s = t ? site_of(t, ip) : NULL;
	u8 insn[TEXT_PATCH_MAX];
	bool known = false;

	if (s) {
		*now = (struct text_effect){ .len = s->len };
		if (s->kind == SITE_JUMP)
			return jump_site_now(s->jump, now, ip + s->len);
		return call_site_now(s, now, ip + s->len);
	}

	if (ask) {
		/* By its contract it is noinstr, which objtool cannot see. */
		instrumentation_begin();
		known = ask(ip, insn);
		instrumentation_end();
	}
	if (known)
		*now = text_effect_of(insn, TEXT_PATCH_MAX);
	return known;
}

/**
 * text_patch_set_resolver - whom to ask about places that are not in the tables
 * @resolve: the function, NULL for nobody
 *
 * Context: process, may sleep. On return the function before is not running.
 */
void text_patch_set_resolver(text_patch_resolve_t resolve)
{
	mutex_lock(&text_mutex);
	WRITE_ONCE(resolver, resolve);
	text_poke_sync();
	text_trap_quiesce();
	mutex_unlock(&text_mutex);
}

static int compare_sites(const void *a, const void *b)
{
	const struct text_site *l = a, *r = b;

	return (l->rel > r->rel) - (l->rel < r->rel);
}

/* NULL if there is nothing to know, or no memory: see replace_dir(). */
static struct text_site_table *make_table(const struct site_source *src)
{
	const u32 max = src->nr_jump + src->nr_call;
	struct text_site_table *t;

	if (!max)
		return NULL;
	t = kvmalloc(struct_size(t, site, max), GFP_KERNEL | __GFP_NOWARN);
	if (!t)
		return NULL;

	t->start = src->start;
	t->end = src->end;
	t->mod = src->mod;
	t->nr = 0;
	add_jumps(t, src);
	add_calls(t, src);
	sort(t->site, t->nr, sizeof(*t->site), compare_sites, NULL);
	return t;
}

#ifdef CONFIG_MODULES
/*
 * A new directory with @new, if given, and without the tables that have become
 * empty. Without memory everything stays as it is: an empty table does no harm,
 * and a module that is not in the directory only loses the last of the three
 * answers that trap.c knows.
 */
static void replace_dir(struct text_site_table *new)
{
	struct text_site_dir *old = module_sites, *dir;
	u32 i, nr = old ? old->nr : 0;

	dir = kmalloc(struct_size(dir, table, nr + 1),
		      GFP_KERNEL | __GFP_NOWARN);
	if (!dir) {
		kvfree(new);
		return;
	}

	dir->nr = 0;
	for (i = 0; i < nr; i++) {
		struct text_site_table *t = old->table[i];

		if (!t->nr)
			continue;
		if (new && new->start < t->start) {
			dir->table[dir->nr++] = new;
			new = NULL;
		}
		dir->table[dir->nr++] = t;
	}
	if (new)
		dir->table[dir->nr++] = new;

	/* Pairs with the address dependency in table_of(). */
	smp_store_release(&module_sites, dir);
	text_poke_sync();
	text_trap_quiesce();
	for (i = 0; i < nr; i++)
		if (!old->table[i]->nr)
			kvfree(old->table[i]);
	kfree(old);
}

static void module_coming(const struct module *mod)
{
	const struct module_memory *text = &mod->mem[MOD_TEXT];
	struct site_source src = {
		.mod = mod,
		.start = (unsigned long)text->base,
		.end = (unsigned long)text->base + text->size,
	};
	struct text_site_table *t;

#ifdef CONFIG_JUMP_LABEL
	src.jump = mod->jump_entries;
	src.nr_jump = mod->num_jump_entries;
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	src.call = mod->static_call_sites;
	src.nr_call = mod->num_static_call_sites;
#endif
	t = make_table(&src);
	if (!t)
		return;

	mutex_lock(&text_mutex);
	replace_dir(t);
	mutex_unlock(&text_mutex);
}

/*
 * Nobody can queue a change of this module's text any more: its jump labels and
 * static calls are unknown to their owners by now. What is queued must become
 * live before the text is freed.
 */
static void module_going(const struct module *mod)
{
	bool found = false;
	u32 i;

	mutex_lock(&text_mutex);
	text_batch_commit();
	for (i = 0; module_sites && i < module_sites->nr; i++) {
		if (module_sites->table[i]->mod != mod)
			continue;
		WRITE_ONCE(module_sites->table[i]->nr, 0);
		found = true;
	}
	if (found) {
		text_poke_sync();
		text_trap_quiesce();
		replace_dir(NULL);
	}
	mutex_unlock(&text_mutex);
}

/* The same for init text, which is freed when the module lives. */
static void module_live(void)
{
	mutex_lock(&text_mutex);
	text_batch_commit();
	mutex_unlock(&text_mutex);
}

static int module_event(struct notifier_block *nb, unsigned long what,
			void *data)
{
	if (what == MODULE_STATE_COMING)
		module_coming(data);
	else if (what == MODULE_STATE_LIVE)
		module_live();
	else if (what == MODULE_STATE_GOING)
		module_going(data);
	return NOTIFY_OK;
}

/*
 * After jump labels and static calls: when a module comes they complete their
 * tables, when it goes they forget it.
 */
static struct notifier_block module_watch = {
	.notifier_call = module_event,
	.priority = INT_MIN + 1,
};

static void __init watch_modules(void)
{
	register_module_notifier(&module_watch);
}
#else
static void __init watch_modules(void)
{
}
#endif

/*
 * Early enough to be there before a second CPU is. The places in init text are
 * left out, they go when booting is over.
 */
static int __init text_sites_init(void)
{
	struct site_source src = {
		.start = (unsigned long)_stext,
		.end = (unsigned long)_etext,
	};

#ifdef CONFIG_JUMP_LABEL
	src.jump = __start___jump_table;
	src.nr_jump = __stop___jump_table - __start___jump_table;
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	src.call = __start_static_call_sites;
	src.nr_call = __stop_static_call_sites - __start_static_call_sites;
#endif
	kernel_sites = make_table(&src);
	watch_modules();
	return 0;
}
early_initcall(text_sites_init);
