/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a tracepoint is made of.
 *
 * Small enough for headers at the bottom of the tree: they may look at a
 * tracepoint's key with tracepoint_enabled() and leave the rest to a function
 * in a C file, which includes linux/tracepoint.h and calls trace_NAME().
 */
#ifndef _LINUX_TRACEPOINT_DEFS_H
#define _LINUX_TRACEPOINT_DEFS_H

#include <linux/static_key.h>
#include <linux/atomic.h>

struct static_call_key;
struct tracepoint_change;

/**
 * struct tracepoint_func - one probe of a tracepoint
 * @func:	the function; NULL ends an array of probes
 * @data:	its first argument
 * @prio:	who comes first: the higher one, the older one among equals
 *
 * An array that a tracepoint's @funcs points to never changes.
 */
struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

/**
 * struct tracepoint_ext - what few tracepoints have
 * @regfunc:	called before the first probe; its error refuses the probe
 * @unregfunc:	called after the last probe, may be NULL like the other
 */
struct tracepoint_ext {
	int (*regfunc)(void);
	void (*unregfunc)(void);
};

/**
 * struct tracepoint - one tracepoint
 * @key:	on while there are probes: lets trace_NAME() pass its nop
 * @funcs:	the probes in the order of their calls, NULL for none
 * @static_call_key: what trace_NAME() calls; NULL where nothing is compiled in
 *		that calls it (tracepoints that other code makes at run time)
 * @static_call_tramp: its trampoline
 * @iterator:	__traceiter_NAME(), which calls all probes
 * @probestub:	__probestub_NAME(), a probe that does nothing, to be traced
 * @name:	its name
 * @ext:	rare attributes, or NULL
 * @pending:	[P] a change that is registered and not yet in effect
 * @stale:	[P] the grace period after which no CPU uses an array whose
 *		first probe was another one than that of @funcs
 *
 * [P]: tracepoints_mutex. Whoever makes one by hand fills it with zeroes and
 * sets the name; it must outlive each batch that it was part of.
 */
struct tracepoint {
	struct static_key key;
	struct tracepoint_func __rcu *funcs;
	struct static_call_key *static_call_key;
	void *static_call_tramp;
	void *iterator;
	void *probestub;
	const char *name;
	const struct tracepoint_ext *ext;
	struct tracepoint_change *pending;
	unsigned long stale;
};

/* An entry of __tracepoints_ptrs; read it with tracepoint_ptr_deref(). */
#ifndef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
typedef struct tracepoint * const tracepoint_ptr_t;
#else
typedef const int tracepoint_ptr_t;
#endif

/* Makes the tracepoint known to tracepoint_enabled(), in any header. */
#define DECLARE_TRACEPOINT(tp) extern struct tracepoint __tracepoint_##tp

#ifndef CONFIG_TRACEPOINTS
# define tracepoint_enabled(tp) false
#else
/* trace_NAME_enabled() for headers: a nop while there is no probe. */
# define tracepoint_enabled(tp) static_key_false(&__tracepoint_##tp.key)
#endif

/* How BPF finds the probe that it may attach a raw program to. */
struct bpf_raw_event_map {
	struct tracepoint *tp;
	void *bpf_func;
	u32 writable_size;
	u32 num_args;
} __aligned(32);

/* Values and their names, for %pG and for __print_flags(). */
struct trace_print_flags_u64 {
	unsigned long long mask;
	const char *name;
};

struct trace_print_flags {
	unsigned long mask;
	const char *name;
};

#endif /* _LINUX_TRACEPOINT_DEFS_H */
