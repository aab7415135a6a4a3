// SPDX-License-Identifier: GPL-2.0
/*
 * Mappers: a word for each function, kept for a kind of probe.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../../trace.h"

#define MAPPER_BITS	8

struct mapper_entry {
	struct hlist_node	node;
	unsigned long		ip;
	void			*data;
};

struct ftrace_func_mapper {
	struct hlist_head	buckets[1 << MAPPER_BITS];
};

static struct mapper_entry *mapper_find(struct ftrace_func_mapper *mapper, unsigned long ip)
{
	struct mapper_entry *e;

	hlist_for_each_entry_rcu_notrace(e, &mapper->buckets[hash_long(ip, MAPPER_BITS)], node) {
		if (e->ip == ip)
			return e;
	}
	return NULL;
}

/**
 * allocate_ftrace_func_mapper() - make an empty mapper
 *
 * Context: Process context. May sleep.
 * Return: The mapper, or NULL for lack of memory.
 */
struct ftrace_func_mapper *allocate_ftrace_func_mapper(void)
{
	return kzalloc_obj(struct ftrace_func_mapper);
}

/**
 * ftrace_func_mapper_find_ip() - find a function's word
 * @mapper: the mapper
 * @ip: the function
 *
 * The word may be changed in place, for instance to count.
 *
 * Context: Any context, with preemption off or a lock that keeps @ip in @mapper.
 * Return: The address of the word, or NULL if there is none.
 */
void **ftrace_func_mapper_find_ip(struct ftrace_func_mapper *mapper, unsigned long ip)
{
	struct mapper_entry *e = mapper_find(mapper, ip);

	return e ? &e->data : NULL;
}

/**
 * ftrace_func_mapper_add_ip() - add a function's word
 * @mapper: the mapper
 * @ip: the function
 * @data: the word
 *
 * Context: Process context. May sleep. The caller serializes changes of @mapper.
 * Return: 0 on success, -EBUSY if the function has a word, -ENOMEM.
 */
int ftrace_func_mapper_add_ip(struct ftrace_func_mapper *mapper, unsigned long ip, void *data)
{
	struct mapper_entry *e;

	if (mapper_find(mapper, ip))
		return -EBUSY;

	e = kmalloc_obj(*e);
	if (!e)
		return -ENOMEM;
	e->ip = ip;
	e->data = data;
	hlist_add_head_rcu(&e->node, &mapper->buckets[hash_long(ip, MAPPER_BITS)]);
	return 0;
}

/**
 * ftrace_func_mapper_remove_ip() - remove a function's word
 * @mapper: the mapper
 * @ip: the function; no callback looks it up any more
 *
 * Context: Process context. May sleep. The caller serializes changes of @mapper.
 * Return: The word, or NULL if the function had none.
 */
void *ftrace_func_mapper_remove_ip(struct ftrace_func_mapper *mapper, unsigned long ip)
{
	struct mapper_entry *e = mapper_find(mapper, ip);
	void *data;

	if (!e)
		return NULL;
	data = e->data;
	hlist_del_rcu(&e->node);
	/* Lookups of other functions may be at this entry. */
	kfree_rcu_mightsleep(e);
	return data;
}

/**
 * free_ftrace_func_mapper() - free a mapper
 * @mapper: the mapper, which no callback uses any more; or NULL
 * @free_func: called with each word that is left; or NULL
 *
 * Context: Process context. May sleep.
 */
void free_ftrace_func_mapper(struct ftrace_func_mapper *mapper, ftrace_mapper_func free_func)
{
	struct mapper_entry *e;
	struct hlist_node *next;
	unsigned int i;

	if (!mapper)
		return;

	for (i = 0; i < ARRAY_SIZE(mapper->buckets); i++) {
		hlist_for_each_entry_safe(e, next, &mapper->buckets[i], node) {
			if (free_func)
				free_func(e->data);
			kfree(e);
		}
	}
	kfree(mapper);
}
