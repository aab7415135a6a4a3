// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes into kernel text.
 *
 * Text is read-only wherever the kernel maps it. To write it, its pages are
 * mapped a second time, writable, into the user half of an mm that nobody runs
 * in, and one CPU looks through that window for a moment with interrupts off.
 * No other CPU ever has the mapping, so there is nothing to shoot down.
 *
 * Opening and closing the window calls nothing. It is done while any function
 * of the kernel may begin with a breakpoint, where every call of a traced
 * function would be a trap, and a trap per call made a commit of all sites
 * three times slower than 256 at a time. That is why the page table register
 * is written here and not by switch_mm_irqs_off(), and why page table entries
 * are stored directly into a page that was set aside at boot. The script
 * tools/testing/text_patch/check-calls.py keeps it so.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/moduleloader.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/sync_core.h>
#include <linux/vmalloc.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/kaslr.h>
#include <asm/pgalloc.h>
#include <asm/tlbflush.h>

#include "text_patch.h"

struct mm_struct *poking_mm __ro_after_init;
unsigned long poking_addr __ro_after_init;

/* The window's page table entries, TEXT_WINDOW_PAGES in a row. */
static pte_t *window_ptes __ro_after_init;
/* Page table register that opens the window. */
static unsigned long window_cr3 __ro_after_init;

/* Hang the page table page @ptes into the poking mm, where the window lies. */
static bool __init hang_page_table(pte_t *ptes)
{
	pgd_t *pgd = pgd_offset(poking_mm, poking_addr);
	p4d_t *p4d = p4d_alloc(poking_mm, pgd, poking_addr);
	pud_t *pud = p4d ? pud_alloc(poking_mm, p4d, poking_addr) : NULL;
	pmd_t *pmd = pud ? pmd_alloc(poking_mm, pud, poking_addr) : NULL;

	if (!pmd)
		return false;
	pmd_populate_kernel(poking_mm, pmd, ptes);
	return true;
}

/**
 * poking_init - set aside what writing text needs
 *
 * The page table page is allocated by hand, since the one that the mm would
 * allocate may lie in high memory and not be mapped when it is needed. The
 * window is aligned to its size, so one such page holds all of it.
 *
 * Context: boot, one CPU, when the page allocator works.
 */
void __init poking_init(void)
{
	const unsigned long size = TEXT_WINDOW_PAGES * PAGE_SIZE;
	pte_t *page;

	BUILD_BUG_ON(TEXT_WINDOW_PAGES & (TEXT_WINDOW_PAGES - 1));
	BUILD_BUG_ON(TEXT_WINDOW_PAGES > PTRS_PER_PTE);

	poking_mm = mm_alloc();
	page = (pte_t *)get_zeroed_page(GFP_KERNEL);
	if (!poking_mm || !page)
		panic("text_poke: no memory\n");
	/* Xen PV guests pin page tables before they are loaded. */
	paravirt_enter_mmap(poking_mm);

	poking_addr = TASK_UNMAPPED_BASE;
	if (IS_ENABLED(CONFIG_RANDOMIZE_BASE))
		poking_addr += kaslr_get_random_long("Poking") %
			       (TASK_SIZE - TASK_UNMAPPED_BASE - 2 * size);
	poking_addr = ALIGN(poking_addr, size);

	if (!hang_page_table(page))
		panic("text_poke: no memory for page tables\n");
	window_ptes = page + pte_index(poking_addr);
	/*
	 * Address space number 0 is nobody's (the kernel's and the users'
	 * start at 1), and loading it without the no-flush bit empties it.
	 */
	window_cr3 = __sme_pa(poking_mm->pgd);
}

/*
 * The window's entry for the page of text at @addr, or an empty one if there
 * is no such page. Not global: leaving the window must flush it.
 */
pte_t text_page_pte(unsigned long addr)
{
	struct page *page;

	if (core_kernel_text(addr))
		page = virt_to_page((void *)addr);
	else
		page = vmalloc_to_page((void *)addr);

	if (!page)
		return __pte(0);
	return mk_pte(page, __pgprot(pgprot_val(PAGE_KERNEL) & ~_PAGE_GLOBAL));
}

/**
 * text_window_open - map pages for writing at poking_addr
 * @hold:	keeps what text_window_close() brings back
 * @ptes:	entries of the pages, see text_page_pte()
 * @nr:		how many, at most TEXT_WINDOW_PAGES
 *
 * Until the window is closed this CPU runs with interrupts off in poking_mm,
 * which has no user memory, and loaded_mm says so. An NMI finds that this is
 * not its task's mm and keeps its hands off user memory (nmi_uaccess_okay()).
 * If the NMI panics, it may switch to yet another mm, as EFI does to store the
 * log: switch_mm_irqs_off() follows the pointer, so it must be one of an mm. TLB
 * shootdowns that are sent meanwhile wait for the interrupts and then find
 * everything as it was before.
 *
 * Context: text_mutex, or kgdb's master CPU.
 */
void text_window_open(struct text_hold *hold, const pte_t *ptes, u32 nr)
{
	u32 i;

	raw_local_irq_save(hold->flags);
	for (i = 0; i < nr; i++)
		set_pte(&window_ptes[i], ptes[i]);

	/* A user's watchpoint may lie where the window does. */
	hold->dr7 = local_db_save();
	hold->mm = this_cpu_read(cpu_tlbstate.loaded_mm);
	hold->cr3 = __read_cr3();
	this_cpu_write(cpu_tlbstate.loaded_mm, poking_mm);
	barrier();
	write_cr3(window_cr3);
}

/**
 * text_window_close - take the mapping away again
 * @hold:	filled by text_window_open()
 * @nr:		number of pages, as it was given there
 *
 * Writing the page table register also serialises this CPU, which therefore
 * runs what it has just written.
 *
 * Context: as text_window_open().
 */
void text_window_close(const struct text_hold *hold, u32 nr)
{
	u32 i;

	barrier();
	for (i = 0; i < nr; i++)
		set_pte(&window_ptes[i], __pte(0));

	if (static_cpu_has(X86_FEATURE_PCID)) {
		/* Empty the window's own TLB entries, keep the task's. */
		write_cr3(window_cr3);
		write_cr3(hold->cr3 | CR3_NOFLUSH);
	} else {
		write_cr3(hold->cr3);
	}
	barrier();
	this_cpu_write(cpu_tlbstate.loaded_mm, hold->mm);
	local_db_restore(hold->dr7);
	raw_local_irq_restore(hold->flags);
}

enum { POKE_COPY, POKE_FILL };

/* Pages that one plain write maps at most. */
#define POKE_PAGES	2

/*
 * Write within POKE_PAGES pages, without any protocol. There is no way to go
 * on if the text cannot be reached or does not hold what was written: it is
 * the kernel's own, and somebody is about to run it.
 */
static void poke_pages(void *addr, const void *src, int c, size_t len, int how)
{
	const unsigned long start = (unsigned long)addr;
	const u32 nr = PFN_UP(offset_in_page(start) + len);
	void *window = (void *)(poking_addr + offset_in_page(start));
	pte_t ptes[POKE_PAGES];
	struct text_hold hold;
	u32 i;

	if (!after_bootmem || nr > POKE_PAGES)
		panic("text_poke: cannot write at %pS\n", addr);
	for (i = 0; i < nr; i++) {
		ptes[i] = text_page_pte(start + i * PAGE_SIZE);
		if (pte_none(ptes[i]))
			panic("text_poke: no text at %pS\n", addr);
	}

	text_window_open(&hold, ptes, nr);
	if (how == POKE_COPY)
		memcpy(window, src, len);
	else
		memset(window, c, len);
	text_window_close(&hold, nr);

	if (how == POKE_COPY && memcmp(addr, src, len))
		panic("text_poke: what was written at %pS did not arrive\n",
		      addr);
}

/* The same for any length. */
static void poke_range(void *addr, const void *src, int c, size_t len, int how)
{
	size_t part;

	for (; len; len -= part, addr += part) {
		part = min_t(size_t, len,
			     POKE_PAGES * PAGE_SIZE - offset_in_page(addr));
		poke_pages(addr, src, c, part, how);
		if (how == POKE_COPY)
			src += part;
	}
}

/**
 * text_poke - write bytes into live text
 * @addr:	where
 * @opcode:	what
 * @len:	how much, two pages at most
 *
 * Other CPUs may fetch any mix of old and new bytes: write one byte, or text
 * that nobody runs, and see text_poke_bp() for the rest.
 *
 * Context: process, text_mutex held. The text's owner cannot go away.
 * Return: @addr.
 */
void *text_poke(void *addr, const void *opcode, size_t len)
{
	lockdep_assert_held(&text_mutex);

	poke_pages(addr, opcode, 0, len, POKE_COPY);
	return addr;
}

/**
 * text_poke_kgdb - write bytes into live text, for the debugger
 * @addr:	where
 * @opcode:	what
 * @len:	how much, two pages at most
 *
 * Context: any, with all other CPUs stopped. kgdb does not take text_mutex and
 *	    must have seen that nobody else has it.
 * Return: @addr.
 */
void *text_poke_kgdb(void *addr, const void *opcode, size_t len)
{
	poke_pages(addr, opcode, 0, len, POKE_COPY);
	return addr;
}

/**
 * text_poke_copy_locked - write code into executable memory that is not in use
 * @addr:	where
 * @opcode:	what
 * @len:	how much
 * @core_ok:	@addr may be the kernel's own text
 *
 * Context: process, text_mutex held.
 * Return: @addr; NULL if it is the kernel's own text and @core_ok is not set.
 */
void *text_poke_copy_locked(void *addr, const void *opcode, size_t len,
			    bool core_ok)
{
	if (WARN_ON_ONCE(!core_ok && core_kernel_text((unsigned long)addr)))
		return NULL;

	poke_range(addr, opcode, 0, len, POKE_COPY);
	return addr;
}

/**
 * text_poke_copy - write code into executable memory that is not in use
 * @addr:	where; not the kernel's own text
 * @opcode:	what
 * @len:	how much
 *
 * For code generators. Memory that may have been run before needs a grace
 * period of RCU tasks first.
 *
 * Context: process, may sleep. Takes text_mutex.
 * Return: @addr; NULL if it is the kernel's own text.
 */
void *text_poke_copy(void *addr, const void *opcode, size_t len)
{
	void *done;

	mutex_lock(&text_mutex);
	done = text_poke_copy_locked(addr, opcode, len, false);
	mutex_unlock(&text_mutex);
	return done;
}

/**
 * text_poke_set - fill executable memory that is not in use with one byte
 * @addr:	where; not the kernel's own text
 * @c:		the byte, as a rule that of a breakpoint
 * @len:	how much
 *
 * Context: process, may sleep. Takes text_mutex.
 * Return: @addr; NULL if it is the kernel's own text.
 */
void *text_poke_set(void *addr, int c, size_t len)
{
	if (WARN_ON_ONCE(core_kernel_text((unsigned long)addr)))
		return NULL;

	mutex_lock(&text_mutex);
	poke_range(addr, NULL, c, len, POKE_FILL);
	mutex_unlock(&text_mutex);
	return addr;
}

/**
 * text_poke_early - write bytes into text that cannot be running
 * @addr:	where
 * @opcode:	what
 * @len:	how much
 *
 * Text is still writable where the kernel maps it: while booting on one CPU,
 * and in a module that is being loaded. A module's text is not executable yet
 * if the CPU can express that, so no CPU can have fetched any of it. Otherwise
 * this CPU may have, and interrupts must not come in between.
 *
 * Context: any. Nothing that an NMI or machine check runs may be patched.
 */
void __init_or_module text_poke_early(void *addr, const void *opcode,
				      size_t len)
{
	const bool asleep = boot_cpu_has(X86_FEATURE_NX) &&
			    is_module_text_address((unsigned long)addr);
	unsigned long flags;

	if (asleep) {
		memcpy(addr, opcode, len);
		return;
	}

	local_irq_save(flags);
	memcpy(addr, opcode, len);
	sync_core();
	local_irq_restore(flags);
}

static void serialise_this_cpu(void *unused)
{
	sync_core();
}

/**
 * text_poke_sync - make every CPU forget what it fetched before
 *
 * On return each CPU has run a serialising instruction after everything that
 * was written before the call, and has left whatever it did with interrupts
 * off, breakpoint handlers included.
 *
 * Context: process, interrupts on (but for early boot).
 */
void text_poke_sync(void)
{
	on_each_cpu(serialise_this_cpu, NULL, 1);
}
