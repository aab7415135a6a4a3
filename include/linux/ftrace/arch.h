/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an architecture supplies to patch call sites and to make trampolines,
 * and what the generic code offers for that. An architecture also supplies:
 *
 *	<asm/ftrace.h>		MCOUNT_INSN_SIZE, ftrace_call_adjust(), macros that
 *				read and write the saved registers, and
 *				arch_ftrace_graph_ready()
 *	<linux/ftrace.h>	ftrace_stub(), ftrace_stub_direct_tramp()
 *	<linux/ftrace/graph.h>	return_to_handler()
 *
 * Documentation/trace/ftrace/porting.rst has the whole list. There are no weak
 * functions: a missing function is a link error. The generic code owns all flags and
 * lists.
 */
#ifndef _LINUX_FTRACE_ARCH_H
#define _LINUX_FTRACE_ARCH_H

#include <linux/types.h>

/*
 * Bare trampolines exist, see struct ftrace_tramp_spec. Not with frame pointers: their
 * chain would leave out the traced function.
 */
#if defined(CONFIG_FTRACE_COMBO) && defined(CONFIG_RING_BUFFER_FAST_PATH) && \
	defined(CONFIG_X86_64) && !defined(CONFIG_FRAME_POINTER)
#define FTRACE_BARE
#endif

/**
 * struct ftrace_tramp_call - one call that a trampoline makes
 * @func: function to call as func(ip, parent_ip, @arg, fregs)
 * @arg: its third argument
 */
struct ftrace_tramp_call {
	void		*func;
	void		*arg;
};

/**
 * struct ftrace_tramp_spec - what a trampoline does
 * @calls: the calls, in their order
 * @nr: number of calls, at least 1
 * @regs: save all registers; else arch_ftrace_get_regs() must return NULL, if
 *	the architecture has partial registers (HAVE_DYNAMIC_FTRACE_WITH_ARGS)
 * @direct: after the calls, go to the address that the last of them has given to
 *	arch_ftrace_set_direct_caller(), as if the site had called it; else
 *	return to the function. Only together with @regs on an architecture with
 *	HAVE_DYNAMIC_FTRACE_WITH_REGS
 * @bare: make no ftrace_regs; make the calls that ftrace_bare_call() gives instead
 */
struct ftrace_tramp_spec {
	const struct ftrace_tramp_call *calls;
	unsigned int	nr;
	bool		regs;
	bool		direct;
	bool		bare;
};

/**
 * arch_ftrace_tramp_size() - get the size of a trampoline
 * @spec: what it does
 *
 * Context: May sleep. Caller holds ftrace_lock. Also at boot with interrupts
 * off.
 * Return: Size in bytes, at most PAGE_SIZE; 0 if it cannot be built.
 */
size_t arch_ftrace_tramp_size(const struct ftrace_tramp_spec *spec);

/**
 * arch_ftrace_tramp_build() - generate the code of a trampoline
 * @buf: buffer of arch_ftrace_tramp_size() bytes
 * @ip: address at which the code will run
 * @spec: what it does
 *
 * Context: May sleep. Caller holds ftrace_lock and tramp_mutex. Also at boot
 * with interrupts off.
 * Return: 0 on success, -ERANGE if a call or jump cannot reach its target.
 */
int arch_ftrace_tramp_build(void *buf, unsigned long ip, const struct ftrace_tramp_spec *spec);

/**
 * arch_ftrace_tramp_settle() - correct a trampoline that was made early at boot
 * @ip: its start address
 * @size: its size in bytes
 *
 * ftrace_settle() calls this for each trampoline. Does nothing if no code of
 * trampolines depends on what is decided after ftrace_init().
 *
 * Context: Process context. May sleep and take text_mutex. Caller holds
 * tramp_mutex.
 */
void arch_ftrace_tramp_settle(unsigned long ip, u32 size);

/**
 * arch_ftrace_page_alloc() - allocate a page for trampolines
 *
 * The page is executable, full of trapping instructions and not writable. A
 * page that is allocated while the kernel boots may be writable until
 * arch_ftrace_page_seal().
 *
 * Context: May sleep and take text_mutex. Caller holds tramp_mutex. Also at boot
 * with interrupts off.
 * Return: The page; NULL if memory is short, or if there is no executable memory yet
 * so early at boot.
 */
void *arch_ftrace_page_alloc(void);

/**
 * arch_ftrace_page_free() - free a page of trampolines
 * @page: from arch_ftrace_page_alloc(); no CPU or task executes it
 *
 * Context: Process context. May sleep and take text_mutex. Caller holds
 * tramp_mutex.
 */
void arch_ftrace_page_free(void *page);

/**
 * arch_ftrace_page_write() - write code that nobody runs yet
 * @dst: address in a page from arch_ftrace_page_alloc()
 * @buf: the code
 * @len: its size in bytes
 *
 * A site that arch_ftrace_patch() makes call @dst after this function has returned
 * leads every CPU to the new bytes.
 *
 * Context: May sleep and take text_mutex. Caller holds tramp_mutex. Also at boot
 * with interrupts off.
 * Return: 0 on success, -EINVAL if @dst cannot be written; the trampoline is
 * then not used.
 */
int arch_ftrace_page_write(void *dst, const void *buf, size_t len);

/**
 * arch_ftrace_page_trap() - fill a trampoline with trapping instructions
 * @dst: its address; no CPU or task executes it
 * @len: its size in bytes
 *
 * Context: Process context. May sleep and take text_mutex. Caller holds
 * tramp_mutex.
 */
void arch_ftrace_page_trap(void *dst, size_t len);

/**
 * arch_ftrace_page_seal() - make a page of trampolines read-only
 * @page: from arch_ftrace_page_alloc(); may be read-only already
 *
 * ftrace_tramp_seal() calls this for each page.
 *
 * Context: Process context. May sleep and take text_mutex. Caller holds
 * tramp_mutex.
 */
void arch_ftrace_page_seal(void *page);

/**
 * arch_ftrace_mixed() - get the mixed trampoline
 *
 * It saves all that callbacks can read, calls ftrace_dispatch_mixed() with NULL
 * as the ops, and then jumps to the direct call that
 * arch_ftrace_set_direct_caller() has set, if any, or returns to the function.
 *
 * Context: Boot, one CPU, interrupts off.
 * Return: Its address, in the kernel's own text.
 */
unsigned long arch_ftrace_mixed(void);

/*
 * What a site calls: an address. If ftrace_is_jmp() is true of it, the site jumps to
 * ftrace_jmp_get() of it instead. CONFIG_HAVE_DYNAMIC_FTRACE_WITH_JMP is selected by
 * an architecture that can do that. Code that is jumped to finds the registers and
 * the stack as the function would find them without a tracer. So if the site calls
 * a trampoline, ftrace_regs_set_instruction_pointer() makes the function continue at
 * that code. The nops are not addresses: do not give them to ftrace_is_jmp().
 *
 * What a site that is off "calls": a nop, or the nop of an entry site, see
 * arch_ftrace_sites_place(); or a jump to its own end, if a site that jumped was
 * switched off under a breakpoint.
 */
#define FTRACE_NOP		0UL
#define FTRACE_NOP_ENTRY	1UL
#define FTRACE_NOP_JUMP		2UL

/*
 * Room for the bytes of a site. Six, with ->err, fill whole words and are enough
 * for all architectures but those with longer sites (microblaze, csky), which need
 * more. Each architecture asserts that MCOUNT_INSN_SIZE fits.
 */
#define FTRACE_PATCH_BYTES	6

/**
 * struct ftrace_patch - a change of one site
 * @ip: address of the site
 * @from: what it calls now, or its kind of nop
 * @to: what it shall call, or its kind of nop
 * @err: the caller sets it to 0; arch_ftrace_patch() to an error if it leaves the site
 *	out. -EBUSY: a foreign breakpoint is on its first byte, the other bytes, if any,
 *	are as @from says; -EINVAL: unexpected bytes; -EFAULT: the bytes cannot be read
 * @found: set together with @err, except for -EFAULT: the first MCOUNT_INSN_SIZE
 *	are the bytes of the site
 */
struct ftrace_patch {
	unsigned long	ip;
	unsigned long	from, to;
	s16		err;
	u8		found[FTRACE_PATCH_BYTES];
};

/**
 * arch_ftrace_patch() - change what sites call
 * @patches: the changes, no site twice; fastest if sites ascend
 * @nr: number of changes
 *
 * Cannot fail half way: a site that does not hold the bytes of ->from is left
 * out, all others are changed. Until this returns, a CPU that runs a site may
 * make the old or the new call, whatever it made at other sites. Afterwards, no
 * CPU begins an old call.
 *
 * Context: May sleep, and take the CPU hotplug lock (for reading) and text_mutex.
 * Caller holds ftrace_lock. Also at boot with interrupts off.
 * Return: The number of sites left out; their ->err and ->found say why.
 */
size_t arch_ftrace_patch(struct ftrace_patch *patches, size_t nr);

/**
 * arch_ftrace_site_check() - compare a site with the bytes that it should hold
 * @ip: address of the site
 * @target: what it should call, or its kind of nop
 * @found: NULL, or room for MCOUNT_INSN_SIZE bytes: those of the site after -EBUSY
 *	and -EINVAL, else undefined
 *
 * Context: Process context. May sleep and take text_mutex. Caller holds
 * ftrace_lock.
 * Return: 0 if they are equal, else -EBUSY, -EINVAL or -EFAULT as in
 * &ftrace_patch.err.
 */
int arch_ftrace_site_check(unsigned long ip, unsigned long target, u8 *found);

/**
 * arch_ftrace_site_retarget() - change a call or jump that is under a breakpoint
 * @ip: address of the site, with a foreign breakpoint on its first byte
 * @from: address that it calls, or jumps to; not a nop
 * @to: address that it shall call; FTRACE_NOP_JUMP if it jumps and shall be off
 *
 * Changes the bytes after the breakpoint, so that the site calls @to once the
 * breakpoint is removed. Until then, a debugger that emulates the call in place
 * of the breakpoint calls @to.
 *
 * Where a breakpoint is as long as the call, the debugger will write back a call of
 * @from. If @from is a trampoline and @to the mixed one, make @from a jump to @to
 * instead. CPUs and tasks may be in @from: only its first instruction is replaced, a
 * nop meant for that. On return no CPU begins the old code.
 *
 * Context: Process context. May sleep; takes the CPU hotplug lock for reading and
 * text_mutex. Caller holds ftrace_lock.
 * Return: 0 on success, 1 if @from jumps to @to instead, -EAGAIN if the site holds a
 * call of @from without a breakpoint, -EINVAL if it holds other bytes, or if @from or
 * @to is not as above, -EOPNOTSUPP if neither can be done. On error nothing changed.
 */
int arch_ftrace_site_retarget(unsigned long ip, unsigned long from, unsigned long to);

/**
 * arch_ftrace_site_bytes() - generate the bytes of a site, for messages
 * @ip: address of the site
 * @target: address that it calls, or its kind of nop
 * @bytes: gets MCOUNT_INSN_SIZE bytes
 *
 * Context: Process context. Caller holds ftrace_lock.
 */
void arch_ftrace_site_bytes(unsigned long ip, unsigned long target, u8 *bytes);

/**
 * arch_ftrace_init() - prepare for the first site
 *
 * ftrace_init() calls this once, before any other function of this header.
 *
 * Context: Boot, one CPU, interrupts off.
 */
void arch_ftrace_init(void);

/**
 * arch_ftrace_sites_place() - move the addresses of entry sites
 * @ips: addresses as recorded at build time, before ftrace_call_adjust(); some
 *	are decreased, their order stays
 * @n: number of addresses
 * @start: start of the text whose sites are placed
 * @end: end of that text, exclusive; addresses outside stay as they are
 *
 * An entry site includes the instruction before the call, if nothing else needs
 * that instruction. It begins where the function does, and is one nop while it is
 * off. An architecture without entry sites does nothing here.
 *
 * Context: May sleep. Caller holds ftrace_lock. Also at boot with interrupts
 * off. The text is as compiled and can be read.
 */
void arch_ftrace_sites_place(unsigned long *ips, size_t n, unsigned long start,
			     unsigned long end);

/**
 * arch_ftrace_site_init() - replace the compiler's call by a nop
 * @ip: address of the site
 * @expected: gets the MCOUNT_INSN_SIZE bytes of the compiler's call
 * @found: gets the MCOUNT_INSN_SIZE bytes that were found there
 *
 * Accepts a nop as well, from a compiler or objtool that has replaced the call.
 *
 * Writes text as ordinary memory: at boot no other CPU is online, and a module's
 * text is not executable yet. The sites of a block come in ascending order: where text
 * is mapped read-only by then, a writable mapping of a page can be kept from one of its
 * sites to the next, until arch_ftrace_sites_ready().
 *
 * Context: Caller holds ftrace_lock. Also at boot with interrupts off.
 * Return: 0 on success, 1 on success at an entry site, -EINVAL if the site, or on arm64
 * the instruction before it, holds other bytes, which are kept.
 */
int arch_ftrace_site_init(unsigned long ip, u8 *expected, u8 *found);

/**
 * arch_ftrace_sites_ready() - finish what arch_ftrace_site_init() did to a block's sites
 *
 * On return, their extra mappings are gone, and all CPUs fetch the new bytes. The
 * function may be empty.
 *
 * Context: Caller holds ftrace_lock since the first of these sites. Also at boot with
 * interrupts off.
 */
void arch_ftrace_sites_ready(void);

/**
 * arch_ftrace_discover() - make __fentry__ record its callers, or return
 * @on: true: record, as struct ftrace_recorder says; false: return
 *
 * On return, __fentry__ does so on all CPUs.
 *
 * Context: May sleep; takes the CPU hotplug lock for reading and text_mutex. Also at
 * boot with interrupts off.
 */
void arch_ftrace_discover(bool on);

/**
 * arch_ftrace_recorded_call() - find the call that was recorded
 * @addr: return address of the call of __fentry__
 *
 * Context: Any context.
 * Return: The address of the call's first byte.
 */
unsigned long arch_ftrace_recorded_call(unsigned long addr);

/**
 * arch_ftrace_calls_fentry() - test for a call as the compiler leaves it at a site
 * @ip: an address in text that is mapped
 *
 * Context: Any context. May be false while the call is being changed.
 * Return: True if a call of __fentry__ begins at @ip.
 */
bool arch_ftrace_calls_fentry(unsigned long ip);

/**
 * arch_ftrace_may_cover() - test whether a site can be covered while it is off
 * @ip: address of the site; the function begins just before it
 *
 * A covered site and the function's first instruction are one nop, like an entry
 * site that is off. But the site stays where it is, so it can be covered, and
 * uncovered, while tasks are between the two instructions.
 *
 * Context: Process context. Caller holds ftrace_lock.
 * Return: True if nothing else needs the function's first instruction.
 */
bool arch_ftrace_may_cover(unsigned long ip);

/**
 * arch_ftrace_cover() - cover sites that are off, or put the first instruction back
 * @sites: ->ip is the address of a site that may be covered, in any order; ->err is
 *	set to 0 on success, to -EBUSY if there is a foreign breakpoint, to -EINVAL
 *	if there are other bytes. ->found gets MCOUNT_INSN_SIZE bytes from the first
 *	instruction on
 * @nr: number of sites
 * @on: true: cover; false: put the first instruction back
 *
 * As long as a site is covered, its function does not call what the site calls.
 *
 * Context: Process context. May sleep and take the CPU hotplug lock and text_mutex.
 * Caller holds ftrace_lock.
 */
void arch_ftrace_cover(struct ftrace_patch *sites, size_t nr, bool on);

/* Set by the tracers that have bare callbacks, before the first trampoline is made. */
extern bool (*ftrace_bare_calls)(struct ftrace_tramp_call *call, bool alone);

/**
 * ftrace_bare_call() - get the call that replaces another in a bare trampoline
 * @call: the call; changed to a call of func(@call->arg)
 * @alone: true if it is the trampoline's only call
 *
 * See <asm/ftrace_bare.h>.
 *
 * Context: Any context.
 * Return: False if the callback has no bare variant.
 */
static inline bool ftrace_bare_call(struct ftrace_tramp_call *call, bool alone)
{
#ifdef FTRACE_BARE
	return ftrace_bare_calls && ftrace_bare_calls(call, alone);
#else
	return false;
#endif
}

/* Supplied by the generic code. */
bool ftrace_tramp_find(unsigned long ip, unsigned long *start, u32 *size,
		       struct ftrace_tramp_spec *spec);
void ftrace_settle(void);
void ftrace_tramp_seal(void);

#endif /* _LINUX_FTRACE_ARCH_H */
