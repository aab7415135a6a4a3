// SPDX-License-Identifier: GPL-2.0
/*
 * Write bytes into kernel text.
 *
 * Text is read-only wherever the kernel maps it. To write it, one CPU maps its
 * pages a second time, writable, into the user half of an mm that nobody runs
 * in, and loads that mm for a moment with interrupts off: the window. No other
 * CPU ever has the mapping, so there are no remote TLB entries to flush.
 *
 * Opening and closing the window calls nothing. Any function of the kernel may
 * begin with a breakpoint then, and every call of a traced function would be a
 * trap: with these traps, one commit of all sites took three times as long as
 * commits of 256. That is why CR3 is written here and not by switch_mm_irqs_off(), and
 * why page table entries are stored directly into a page that was set aside at boot.
 * tools/testing/text_patch/check-calls.py checks that nothing is called.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleloader.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/sync_core.h>
#include <linux/vmalloc.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/kaslr.h>
#include <asm/mmu_context.h>
#include <asm/pgalloc.h>
#include <asm/smap.h>
#include <asm/string.h>
#include <asm/tlbflush.h>

#include "text_patch.h"

struct mm_struct *text_poke_mm __ro_after_init;
unsigned long text_poke_mm_addr __ro_after_init;

/* The window's page table entries, TEXT_WINDOW_PAGES in a row. */
static pte_t *window_ptes __ro_after_init;
/* Value of CR3 that opens the window. */
static unsigned long window_cr3 __ro_after_init;

/* True while this CPU has the window open. */
static DEFINE_PER_CPU(bool, window_is_open);

/*
 * Insert the page table page @ptes into the poking mm at the window's address.
 */
static bool __init hang_page_table(pte_t *ptes)
{
	pgd_t *pgd = pgd_offset(text_poke_mm, text_poke_mm_addr);
	p4d_t *p4d = p4d_alloc(text_poke_mm, pgd, text_poke_mm_addr);
	pud_t *pud = p4d ? pud_alloc(text_poke_mm, p4d, text_poke_mm_addr) : NULL;
	pmd_t *pmd = pud ? pmd_alloc(text_poke_mm, pud, text_poke_mm_addr) : NULL;

	if (!pmd)
		return false;
	pmd_populate_kernel(text_poke_mm, pmd, ptes);
	return true;
}

/**
 * poking_init() - allocate what writing text needs
 *
 * The page table page is allocated separately: one that the mm allocates may
 * lie in high memory and not be mapped when it is needed. The window is aligned
 * to its size, so one page table page holds all of its entries.
 *
 * Context: Boot, one CPU, after the page allocator is set up.
 */
void __init poking_init(void)
{
	const unsigned long size = TEXT_WINDOW_PAGES * PAGE_SIZE;
	pte_t *page;

	BUILD_BUG_ON(TEXT_WINDOW_PAGES & (TEXT_WINDOW_PAGES - 1));
	BUILD_BUG_ON(TEXT_WINDOW_PAGES > PTRS_PER_PTE);

	text_poke_mm = mm_alloc();
	page = (pte_t *)get_zeroed_page(GFP_KERNEL);
	if (!text_poke_mm || !page)
		panic("text_poke: no memory\n");
	/* Xen PV guests pin page tables before they are loaded. */
	paravirt_enter_mmap(text_poke_mm);
	/* No other CPU loads this mm, so none ever has to flush it. */
	set_notrack_mm(text_poke_mm);

	text_poke_mm_addr = TASK_UNMAPPED_BASE;
	if (IS_ENABLED(CONFIG_RANDOMIZE_BASE))
		text_poke_mm_addr += kaslr_get_random_long("Poking") %
			       (TASK_SIZE - TASK_UNMAPPED_BASE - 2 * size);
	text_poke_mm_addr = ALIGN(text_poke_mm_addr, size);

	if (!hang_page_table(page))
		panic("text_poke: no memory for page tables\n");
	window_ptes = page + pte_index(text_poke_mm_addr);
	/*
	 * No other mm uses PCID 0 (see kern_pcid() and user_pcid()), and loading it
	 * without the no-flush bit flushes it.
	 */
	window_cr3 = __sme_pa(text_poke_mm->pgd);
}

/*
 * Executable memory is allocated in parts of huge pages, whose page tables may be
 * merged meanwhile (cpa_collapse_large_pages()); the lock prevents that. The pages
 * that they map stay the same. The debugger needs no lock: all other CPUs are stopped.
 */
static struct page *vmalloc_text_page(unsigned long addr)
{
	struct page *page;

	if (in_dbg_master())
		return vmalloc_to_page((void *)addr);

	mmap_read_lock(&init_mm);
	page = vmalloc_to_page((void *)addr);
	mmap_read_unlock(&init_mm);
	return page;
}

/*
 * Make the window's page table entry for the page of text at @addr, or an empty
 * entry if there is no such page. The entry is not global, so that closing the
 * window flushes it. May sleep, except in the debugger.
 */
pte_t text_page_pte(unsigned long addr)
{
	struct page *page;

	if (core_kernel_text(addr))
		page = virt_to_page((void *)addr);
	else
		page = vmalloc_text_page(addr);

	if (!page)
		return __pte(0);
	return mk_pte(page, __pgprot(pgprot_val(PAGE_KERNEL) & ~_PAGE_GLOBAL));
}

/**
 * text_window_open() - map pages for writing at text_poke_mm_addr
 * @hold:	saves the state that text_window_close() restores
 * @ptes:	page table entries of the pages, see text_page_pte()
 * @nr:		number of pages, at most TEXT_WINDOW_PAGES
 *
 * Until the window is closed this CPU runs with interrupts off in text_poke_mm,
 * which has no user memory: see text_window_is_open().
 *
 * cpu_tlbstate.loaded_mm stays the task's mm. With PCIDs this CPU keeps the TLB
 * entries of that mm and uses them again after the window. Other CPUs read
 * loaded_mm to decide whether to send a shootdown (should_flush_tlb(),
 * finish_asid_transition()). While it names the task's mm, they send one, and wait
 * until this CPU has interrupts on again and has flushed. If an NMI panics, EFI may
 * switch to its own mm to store the log; then switch_mm_irqs_off() finds a real mm in
 * loaded_mm, too.
 *
 * The window is in the user half of the address space, so writes go between
 * lass_stac() and lass_clac().
 *
 * Context: Any context. Caller holds text_mutex or is kgdb's master CPU.
 *	    Disables interrupts until text_window_close().
 */
void text_window_open(struct text_hold *hold, const pte_t *ptes, u32 nr)
{
	u32 i;

	raw_local_irq_save(hold->flags);
	for (i = 0; i < nr; i++)
		set_pte(&window_ptes[i], ptes[i]);

	/* A user's watchpoint may be at an address of the window. */
	hold->dr7 = local_db_save();
	hold->cr3 = __read_cr3();
	/* Before CR3 changes, for NMIs on this CPU. */
	this_cpu_write(window_is_open, true);
	barrier();
	write_cr3(window_cr3);
}

/**
 * text_window_close() - unmap what text_window_open() has mapped
 * @hold:	filled in by text_window_open()
 * @nr:		number of pages given to text_window_open()
 *
 * Writing CR3 also serialises this CPU, so that it runs what it has just written.
 *
 * Context: As text_window_open().
 */
void text_window_close(const struct text_hold *hold, u32 nr)
{
	u32 i;

	barrier();
	for (i = 0; i < nr; i++)
		set_pte(&window_ptes[i], __pte(0));

	if (cpu_feature_enabled(X86_FEATURE_PCID)) {
		/* Flush the window's TLB entries, keep the task's. */
		write_cr3(window_cr3);
		write_cr3(hold->cr3 | CR3_NOFLUSH);
	} else {
		write_cr3(hold->cr3);
	}
	barrier();
	this_cpu_write(window_is_open, false);
	local_db_restore(hold->dr7);
	raw_local_irq_restore(hold->flags);
}

/**
 * text_window_is_open() - test whether this CPU writes text at the moment
 *
 * For nmi_uaccess_okay(): while the window is open, CR3 does not have the task's mm,
 * although cpu_tlbstate.loaded_mm names it.
 *
 * Context: NMI, or with preemption off.
 * Return: True between text_window_open() and text_window_close().
 */
bool text_window_is_open(void)
{
	return this_cpu_read(window_is_open);
}

enum { POKE_COPY, POKE_FILL };

/* Maximum number of pages that one plain write maps. */
#define POKE_PAGES	2

/*
 * Write within POKE_PAGES pages, without breakpoints or syncs. Panics if the text
 * cannot be reached or does not hold what was written: some CPU is about to run it.
 */
static void poke_pages(void *addr, const void *src, int c, size_t len, int how)
{
	const unsigned long start = (unsigned long)addr;
	const u32 nr = PFN_UP(offset_in_page(start) + len);
	void *window = (void *)(text_poke_mm_addr + offset_in_page(start));
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
	/* Nothing may be called with AC set, and KASAN does not know the window. */
	lass_stac();
	if (how == POKE_COPY)
		__inline_memcpy(window, src, len);
	else
		__inline_memset(window, c, len);
	lass_clac();
	text_window_close(&hold, nr);

	if (how == POKE_COPY && memcmp(addr, src, len))
		panic("text_poke: what was written at %pS did not arrive\n",
		      addr);
}

/* As poke_pages(), for any length. */
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
 * text_poke() - write bytes into live text
 * @addr:	address to write to
 * @opcode:	the bytes
 * @len:	number of bytes, in two pages at most
 *
 * Other CPUs may fetch any mix of old and new bytes. So write only a single byte, or
 * text that no CPU runs; for everything else use smp_text_poke_single().
 *
 * Context: Process context. Caller holds text_mutex. The text must not be freed
 *	    meanwhile.
 * Return: @addr.
 */
void *text_poke(void *addr, const void *opcode, size_t len)
{
	lockdep_assert_held(&text_mutex);

	poke_pages(addr, opcode, 0, len, POKE_COPY);
	return addr;
}

/**
 * text_poke_kgdb() - write bytes into live text, for the debugger
 * @addr:	address to write to
 * @opcode:	the bytes
 * @len:	number of bytes, in two pages at most
 *
 * Context: Any context, all other CPUs stopped. Does not take text_mutex: kgdb
 *	    must have checked that nobody holds it.
 * Return: @addr.
 */
void *text_poke_kgdb(void *addr, const void *opcode, size_t len)
{
	poke_pages(addr, opcode, 0, len, POKE_COPY);
	return addr;
}

/**
 * text_poke_copy_locked() - write code into executable memory that is not in use
 * @addr:	address to write to
 * @opcode:	the bytes
 * @len:	number of bytes
 * @core_ok:	true if @addr may be in the kernel's own text
 *
 * Context: Process context. Caller holds text_mutex.
 * Return: @addr, or NULL if it is in the kernel's own text and @core_ok is not
 *	   set.
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
 * text_poke_copy() - write code into executable memory that is not in use
 * @addr:	address to write to, not in the kernel's own text
 * @opcode:	the bytes
 * @len:	number of bytes
 *
 * For code generators. If CPUs may have run the memory before, wait for a grace period
 * of RCU Tasks first.
 *
 * Context: Process context. May sleep. Takes text_mutex.
 * Return: @addr, or NULL if it is in the kernel's own text.
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
 * text_poke_set() - fill executable memory that is not in use with one byte
 * @addr:	address to write to, not in the kernel's own text
 * @c:		the byte, usually that of a breakpoint
 * @len:	number of bytes
 *
 * Context: Process context. May sleep. Takes text_mutex.
 * Return: @addr, or NULL if it is in the kernel's own text.
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
 * text_poke_early() - write bytes into text that no other CPU runs
 * @addr:	address to write to
 * @opcode:	the bytes
 * @len:	number of bytes
 *
 * For text that is still writable where the kernel maps it: at boot with one
 * CPU, and in a module that is being loaded. With NX, a module's text is not
 * executable yet, so no CPU can have fetched any of it. In all other cases this CPU
 * may have fetched it, and must not run it in an interrupt before it has serialised.
 *
 * Context: Any context. The text must not be run by NMIs or machine checks.
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

#ifndef CONFIG_ARCH_HAS_SYNC_CORE_CATCH_UP	/* else quiet.c has it */
static void serialise_this_cpu(void *unused)
{
	sync_core();
}

void smp_text_poke_sync_each_cpu(void)
{
	on_each_cpu(serialise_this_cpu, NULL, 1);
}
#endif
