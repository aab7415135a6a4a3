// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into a kernel's build, for compilers' memory in huge pages: fewer page
 * faults and TLB misses save a third of a compiler's time in a virtual machine whose
 * kernel gives huge pages to those alone that ask for them.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);

	/* An error here costs time only. */
	if (p != MAP_FAILED && (flags & MAP_ANONYMOUS))
		madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));
