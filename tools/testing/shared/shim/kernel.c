// SPDX-License-Identifier: GPL-2.0
/* Memory that can fail, and what RCU frees. */
#include "kernel.h"

long shim_fail_in;
bool shim_failed;

static struct rcu_head *rcu_waiting;

void *shim_alloc(size_t size, gfp_t gfp, bool zero)
{
	void *p;

	BUG_ON(!(gfp & GFP_KERNEL));
	if (size == SIZE_MAX)
		return NULL;
	if (shim_fail_in && !(gfp & __GFP_NOFAIL) && !--shim_fail_in) {
		shim_failed = true;
		return NULL;
	}
	p = malloc(size ? size : 1);
	BUG_ON(!p);
	return memset(p, zero ? 0 : 0xa5, size);
}

/* Header of pages, so that kfree() of them is an error: malloc() did not return them. */
struct shim_pages {
	size_t size;
	size_t vmalloc;
};

void *shim_pages(size_t size, gfp_t gfp, bool vmalloc)
{
	struct shim_pages *pages = shim_alloc(sizeof(*pages) + size, gfp, gfp & __GFP_ZERO);

	if (!pages)
		return NULL;
	pages->size = size;
	pages->vmalloc = vmalloc;
	return pages + 1;
}

bool shim_is_vmalloc(const void *p)
{
	return ((const struct shim_pages *)p - 1)->vmalloc;
}

void shim_free_pages(void *p, size_t size, bool vmalloc)
{
	struct shim_pages *pages = (struct shim_pages *)p - 1;

	BUG_ON(pages->vmalloc != vmalloc || (!vmalloc && pages->size != size));
	free(pages);
}

void call_rcu(struct rcu_head *rcu, void (*func)(struct rcu_head *rcu))
{
	rcu->func = func;
	rcu->next = rcu_waiting;
	rcu_waiting = rcu;
}

void rcu_barrier(void)
{
	while (rcu_waiting) {
		struct rcu_head *rcu = rcu_waiting;
		const uintptr_t offset = (uintptr_t)rcu->func;

		rcu_waiting = rcu->next;
		if (offset < PAGE_SIZE)
			free((char *)rcu - offset);
		else
			rcu->func(rcu);
	}
}
