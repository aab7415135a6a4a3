// SPDX-License-Identifier: GPL-2.0
/*
 * Test a jump label and a static call whose text is written or reused by
 * others.
 *
 *   insmod text_patch_clients.ko [what=breakpoint|reused|page]
 *
 * breakpoint: write a breakpoint over a place without telling the engine, as a
 * debugger does where text is writable. The die notifiers must get its trap.
 *
 * reused: give the text of a queued change other bytes, as if it had been freed
 * and used again. The commit must not change these bytes.
 *
 * page: a call site of five bytes ends its page, and no page follows.
 *
 * No other code runs these places, so the module writes them through a mapping
 * of its own. Loading fails with EIO if a test fails.
 */
#include <linux/jump_label.h>
#include <linux/kdebug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/nops.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "what to try: breakpoint, reused, page; default all");

static DEFINE_STATIC_KEY_FALSE(key);
static int calls;
static void one(void) { calls++; }
static void ten(void) { calls += 10; }
DEFINE_STATIC_CALL(text_patch_clients_call, one);

/* The two places. */
static noinline bool label(void)
{
	return static_branch_unlikely(&key);
}

static noinline void call(void)
{
	static_call(text_patch_clients_call)();
	/* Or the compiler would make the call a jump. */
	barrier();
}

static bool failed;

static void result(bool good, const char *name)
{
	failed |= !good;
	pr_info("text_patch_clients: %s - %s\n", good ? "ok" : "not ok", name);
}

struct place {
	const char *name;
	u8 *ip;
	size_t len;
	u8 changed[TEXT_PATCH_MAX];	/* the bytes after change() */
	void (*run)(void);
	void (*change)(void);
	void (*change_back)(void);
};

static void run_label(void)
{
	calls += label();
}

static void enable_key(void)
{
	static_branch_enable(&key);
}

static void disable_key(void)
{
	static_branch_disable(&key);
}

static void call_ten(void)
{
	static_call_update(text_patch_clients_call, ten);
}

static void call_one(void)
{
	static_call_update(text_patch_clients_call, one);
}

static struct place places[] = {
	{ "jump label", .run = run_label, .change = enable_key,
	  .change_back = disable_key },
	{ "static call", .run = call, .change = call_ten,
	  .change_back = call_one },
};

/*
 * The module has one jump label and one static call, or none if not configured.
 */
#ifdef CONFIG_JUMP_LABEL
static bool find_label(struct place *p)
{
	struct jump_entry *entry = THIS_MODULE->jump_entries;
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_jump_entries; i++, entry++) {
		if (jump_entry_key(entry) != &key.key)
			continue;
		p->ip = (u8 *)jump_entry_code(entry);
		p->len = p->ip[0] == 0x66 ? JMP8_INSN_SIZE : JMP32_INSN_SIZE;
		__text_gen_insn(p->changed, p->len == JMP8_INSN_SIZE ?
					    JMP8_INSN_OPCODE : JMP32_INSN_OPCODE,
				p->ip, (void *)jump_entry_target(entry), p->len);
		return true;
	}
	return false;
}

#else
static bool find_label(struct place *p)
{
	return false;
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static bool find_call(struct place *p)
{
	struct static_call_site *site = THIS_MODULE->static_call_sites;
	const unsigned long wanted =
		(unsigned long)&STATIC_CALL_KEY(text_patch_clients_call);
	int i;

	for (i = 0; i < THIS_MODULE->num_static_call_sites; i++, site++) {
		if (((site->key + (long)&site->key) &
		     ~STATIC_CALL_SITE_FLAGS) != wanted)
			continue;
		p->ip = (u8 *)(site->addr + (long)&site->addr);
		p->len = CALL_INSN_SIZE;
		__text_gen_insn(p->changed, CALL_INSN_OPCODE, p->ip, ten,
				p->len);
		return true;
	}
	return false;
}

#else
static bool find_call(struct place *p)
{
	return false;
}
#endif

static int write_text(void *ip, const void *bytes, size_t len)
{
	struct page *pages[] = {
		vmalloc_to_page(ip), vmalloc_to_page(ip + len - 1),
	};
	const int nr = pages[0] == pages[1] ? 1 : 2;
	void *alias = vmap(pages, nr, VM_MAP, PAGE_KERNEL);

	if (!alias)
		return -ENOMEM;
	memcpy(alias + offset_in_page(ip), bytes, len);
	vunmap(alias);
	return 0;
}

/* The place whose breakpoint meet() expects; execution continues after it. */
static const struct place *expected;
static int met;

static int meet(struct notifier_block *nb, unsigned long why, void *data)
{
	struct die_args *args = data;

	if (why != DIE_INT3 || !expected ||
	    args->regs->ip != (unsigned long)expected->ip + INT3_INSN_SIZE)
		return NOTIFY_DONE;
	met++;
	args->regs->ip = (unsigned long)expected->ip + expected->len;
	return NOTIFY_STOP;
}

static struct notifier_block watch = { .notifier_call = meet };

static void try_breakpoint(const struct place *p)
{
	const u8 int3 = INT3_INSN_OPCODE, was = *p->ip;

	met = 0;
	calls = 0;
	expected = p;
	if (write_text(p->ip, &int3, 1))
		return result(false, "no memory");
	p->run();
	write_text(p->ip, &was, 1);
	expected = NULL;
	pr_info("text_patch_clients: %s: %d breakpoint(s) met, %d call(s)\n",
		p->name, met, calls);
	result(met == 1 && !calls, "a breakpoint over a place is its owner's");
}

static void try_reused(const struct place *p)
{
	/* push %rbp */
	const u8 others[TEXT_PATCH_MAX] = { 0x55, 0x55, 0x55, 0x55, 0x55, 0x55 };
	struct text_patch_tx tx = {};
	u8 found[TEXT_PATCH_MAX];
	int err;

	text_patch_begin(&tx);
	p->change();
	err = write_text(p->ip, others, p->len);
	err = text_patch_commit(&tx) ?: err;
	memcpy(found, p->ip, p->len);
	/* The key or call has recorded the new state. */
	write_text(p->ip, p->changed, p->len);
	p->change_back();

	pr_info("text_patch_clients: %s: error %d, text %*ph\n", p->name, err,
		(int)p->len, found);
	result(err == -EINVAL && !memcmp(found, others, p->len),
	       "a queued change leaves text alone that has been reused");
}

static void try_page_end(void)
{
	static const u8 nop[] = { BYTES_NOP5 };
	u8 *page = vmalloc(PAGE_SIZE);
	u8 *site = page + PAGE_SIZE - CALL_INSN_SIZE;

	if (!page)
		return result(false, "no memory");
	memcpy(site, nop, CALL_INSN_SIZE);
	/* The site already has the bytes asked for, so nothing is written. */
	arch_static_call_transform(site, NULL, NULL, false);
	result(!memcmp(site, nop, CALL_INSN_SIZE),
	       "a call site may end at the end of text");
	vfree(page);
}

static bool asked(const char *name)
{
	return !*what || !strcmp(what, name);
}

static int __init clients_init(void)
{
	unsigned int i;

	if (find_label(&places[0]) != IS_ENABLED(CONFIG_JUMP_LABEL) ||
	    find_call(&places[1]) != IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		return -ENOENT;
	if (register_die_notifier(&watch))
		return -EIO;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].ip && asked("breakpoint"))
			try_breakpoint(&places[i]);
		if (places[i].ip && asked("reused"))
			try_reused(&places[i]);
	}
	unregister_die_notifier(&watch);
	if (asked("page"))
		try_page_end();
	return failed ? -EIO : 0;
}
module_init(clients_init);

static void __exit clients_exit(void)
{
}
module_exit(clients_exit);

MODULE_DESCRIPTION("Places of a jump label and a static call that others write");
MODULE_LICENSE("GPL");
