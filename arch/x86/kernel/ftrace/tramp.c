// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines: what they are made of, and where they lie.
 *
 *	copied from a template		saves registers, makes pt_regs
 *	generated			one call after the other
 *	copied from the template	restores registers
 *	generated			returns, or jumps to the direct call
 *
 * All calls are direct, so nothing here cares about ENDBR, retpolines or types
 * of functions. The stack pointer does not move in the generated part; whoever
 * unwinds from there looks at the template's.
 */
#include <linux/execmem.h>
#include <linux/ftrace.h>
#include <linux/ftrace/arch.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>
#include <asm/text-transaction.h>

#include "encode.h"
#include "entry.h"
#include "frame.h"

static_assert(sizeof(struct pt_regs) == FTRACE_REGS);
static_assert(sizeof(long) == FTRACE_WORD);

/* The longest accounting of a call, debug counters included. */
#define ACCOUNT_MAX	64

struct ftrace_template {
	const u8 *enter;
	const u8 *calls;
	const u8 *leave;
	const u8 *end;
};

static const struct ftrace_template template_all = {
	ftrace_template_all_enter, ftrace_template_all_calls,
	ftrace_template_all_leave, ftrace_template_all_end,
};

#ifdef CONFIG_X86_64
static const struct ftrace_template template_some = {
	ftrace_template_some_enter, ftrace_template_some_calls,
	ftrace_template_some_leave, ftrace_template_some_end,
};
#else
/* A callback may look at all registers there, whatever it has asked for. */
#define template_some	template_all
#endif

static const struct ftrace_template *template_of(bool regs)
{
	return regs ? &template_all : &template_some;
}

/* Every call is to be counted where returns are. */
static void put_account(struct ftrace_code *code)
{
	u8 insn[ACCOUNT_MAX], *end = insn;

	x86_call_depth_emit_accounting(&end, NULL, (void *)code->ip);
	ftrace_put(code, insn, end - insn);
}

static void put_return(struct ftrace_code *code)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	if (cpu_wants_rethunk_at((void *)code->ip)) {
		ftrace_put_jump(code, (unsigned long)x86_return_thunk);
		return;
	}
#endif
	ftrace_put_return(code);
}

static void put_image(struct ftrace_code *code, const struct ftrace_tramp_spec *spec)
{
	const struct ftrace_template *t = template_of(spec->regs);
	unsigned int i;

	ftrace_put(code, t->enter, t->calls - t->enter);
	/* For the site's call; a direct call sees to that itself. */
	if (!spec->direct)
		put_account(code);
	if (spec->nr > 1)
		ftrace_put_keep(code);
	for (i = 0; i < spec->nr; i++) {
		ftrace_put_args(code, i == 0, (unsigned long)spec->calls[i].arg);
		put_account(code);
		ftrace_put_call(code, (unsigned long)spec->calls[i].func);
	}
	ftrace_put(code, t->leave, t->end - t->leave);
	if (spec->direct)
		ftrace_put_jump(code, spec->direct);
	else
		put_return(code);
}

/**
 * arch_ftrace_tramp_size - how big is this trampoline?
 * @spec: what it shall do
 *
 * Context: process.
 * Return: bytes; 0 if it would be longer than a page.
 */
size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = { };

	put_image(&code, spec);
	return code.ip <= PAGE_SIZE ? code.ip : 0;
}

/**
 * arch_ftrace_tramp_build - write a trampoline
 * @buf:	arch_ftrace_tramp_size() bytes
 * @ip:		where it will run
 * @spec:	what it shall do
 *
 * Context: process.
 * Return: 0; -ERANGE, something it calls is more than 2 GB away.
 */
int arch_ftrace_tramp_build(void *buf, unsigned long ip,
			    const struct ftrace_tramp_spec *spec)
{
	struct ftrace_code code = {
		.at = buf,
		.end = buf + arch_ftrace_tramp_size(spec),
		.ip = ip,
	};

	put_image(&code, spec);
	return code.err;
}

/**
 * ftrace_tramp_template - where in the kernel is code like that?
 * @ip: an address
 *
 * For unwinders: the stack at @ip, if that is in a trampoline, is as it is in
 * the kernel's own text at the address that is returned.
 *
 * Context: any.
 * Return: an address, 0 if @ip is in no trampoline.
 */
unsigned long ftrace_tramp_template(unsigned long ip)
{
	const struct ftrace_template *t;
	unsigned long start, done, left;
	bool regs;
	u32 size;

	if (!ftrace_tramp_find(ip, &start, &size, &regs))
		return 0;

	t = template_of(regs);
	done = ip - start;
	left = size - done;
	if (done < t->calls - t->enter)
		return (unsigned long)t->enter + done;
	if (left <= FTRACE_TAIL_SIZE)
		return (unsigned long)t->end;
	left -= FTRACE_TAIL_SIZE;
	if (left <= t->end - t->leave)
		return (unsigned long)t->end - left;
	return (unsigned long)t->calls;
}

/**
 * arch_ftrace_mixed - the trampoline that serves any set of hooks
 *
 * Context: any.
 * Return: its address, in the kernel's text.
 */
unsigned long arch_ftrace_mixed(void)
{
	return (unsigned long)ftrace_mixed_caller;
}

/**
 * arch_ftrace_page_alloc - a page for trampolines, full of traps
 *
 * While the kernel boots it stays writable until arch_ftrace_page_seal():
 * splitting up mappings is too much to ask for then.
 *
 * Context: process, may sleep; at boot with interrupts off, too.
 * Return: the page, executable; NULL if there is no memory.
 */
void *arch_ftrace_page_alloc(void)
{
	void *page = execmem_alloc(EXECMEM_FTRACE, PAGE_SIZE);
	int err;

	if (!page)
		return NULL;

	memset(page, INT3_INSN_OPCODE, PAGE_SIZE);
	if (system_state == SYSTEM_BOOTING)
		err = set_memory_x((unsigned long)page, 1);
	else
		err = set_memory_rox((unsigned long)page, 1);
	if (err) {
		execmem_free(page);
		return NULL;
	}
	return page;
}

/**
 * arch_ftrace_page_free - give a page back
 * @page: from arch_ftrace_page_alloc(), no CPU is in it
 *
 * Context: process, may sleep.
 */
void arch_ftrace_page_free(void *page)
{
	execmem_free(page);
}

/**
 * arch_ftrace_page_write - write code that nobody runs yet
 * @dst:	where, in a page from arch_ftrace_page_alloc()
 * @buf:	what
 * @len:	how much
 *
 * Context: process, may sleep; at boot with interrupts off, too. Takes
 *	    text_mutex.
 * Return: 0; -EINVAL, that is no such page.
 */
int arch_ftrace_page_write(void *dst, const void *buf, size_t len)
{
	return text_poke_copy(dst, buf, len) ? 0 : -EINVAL;
}

/**
 * arch_ftrace_page_trap - put traps where a trampoline was
 * @dst:	where
 * @len:	how many
 *
 * Context: process, may sleep. Takes text_mutex.
 */
void arch_ftrace_page_trap(void *dst, size_t len)
{
	text_poke_set(dst, INT3_INSN_OPCODE, len);
}

/**
 * arch_ftrace_page_seal - a page from boot becomes read-only
 * @page: from arch_ftrace_page_alloc()
 *
 * Context: process, may sleep.
 */
void arch_ftrace_page_seal(void *page)
{
	WARN_ON_ONCE(set_memory_ro((unsigned long)page, 1));
}

#ifdef CONFIG_MITIGATION_RETHUNK
/**
 * arch_ftrace_tramp_settle - finish a trampoline that was made at boot
 * @ip:		its start
 * @size:	its size
 *
 * How to return is decided after the first trampolines are made.
 *
 * Context: process, may sleep. Takes text_mutex.
 */
void arch_ftrace_tramp_settle(unsigned long ip, u32 size)
{
	const unsigned long tail = ip + size - FTRACE_TAIL_SIZE;
	struct ftrace_code code = {
		.ip = tail,
	};
	u8 plain[FTRACE_TAIL_SIZE], wanted[FTRACE_TAIL_SIZE];

	code.at = plain;
	code.end = plain + sizeof(plain);
	ftrace_put_return(&code);
	if (memcmp((void *)tail, plain, sizeof(plain)))
		return;

	code = (struct ftrace_code){
		.at = wanted,
		.end = wanted + sizeof(wanted),
		.ip = tail,
	};
	put_return(&code);
	if (code.err || !memcmp(plain, wanted, sizeof(plain)))
		return;
	mutex_lock(&text_mutex);
	text_poke_bp((void *)tail, wanted, sizeof(wanted), NULL);
	mutex_unlock(&text_mutex);
}
#else
void arch_ftrace_tramp_settle(unsigned long ip, u32 size)
{
}
#endif

/*
 * Alternatives have been applied, and with them how to return is decided. Not
 * left to set_ftrace_ops_ro(), which rodata=off does not call.
 */
static int __init settle_boot_tramps(void)
{
	ftrace_tramp_settle();
	return 0;
}
early_initcall(settle_boot_tramps);

/* What the sealing of the kernel's read-only data calls. */
void set_ftrace_ops_ro(void)
{
	ftrace_tramp_seal();
}
