/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function profiler's counting.
 */
#ifndef _FTRACE_PROFILE_HITS_H
#define _FTRACE_PROFILE_HITS_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include <asm/local.h>

#include "../../trace_stat.h"

struct profile_record {
	struct hlist_node	node;
	struct profile_record	*next;		/* the next one that was taken */
	unsigned long		ip;
	local_t			calls;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	u64			time;
	u64			time_squared;
#endif
};

struct profile_chunk {
	struct profile_chunk	*next;
	unsigned int		nr;
	struct profile_record	records[];
};

struct profile_table {
	struct hlist_head	*buckets;	/* 1 << bits of them */
	unsigned int		bits;
	unsigned int		room;		/* records in all chunks */
	struct profile_chunk	*chunks;
	struct profile_chunk	*from;		/* the chunk that records are taken from */
	unsigned int		used;		/* records taken from that chunk */
	struct profile_record	*first, *last;	/* of the records that were taken */
	int			taking;		/* not 0: this CPU is in take() */
	struct tracer_stat	stat;
	char			name[sizeof("function") + 10];
};

DECLARE_PER_CPU(struct profile_table, ftrace_profile_tables);

/* Callbacks count hits. Written under profile_mutex. */
extern bool ftrace_profiling;

extern struct list_head ftrace_profile_mods[2];

struct ftrace_ops *ftrace_profile_ops(void);
int ftrace_profile_register(void);
void ftrace_profile_unregister(void);

#endif /* _FTRACE_PROFILE_HITS_H */
