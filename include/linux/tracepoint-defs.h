/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structure of a tracepoint.
 *
 * Small enough for the lowest headers: they may test a tracepoint's key with
 * tracepoint_enabled() and call a function in a C file, which includes
 * linux/tracepoint.h and calls trace_NAME().
 */
#ifndef _LINUX_TRACEPOINT_DEFS_H
#define _LINUX_TRACEPOINT_DEFS_H

#include <linux/static_key.h>
#include <linux/atomic.h>

struct static_call_key;
struct tracepoint_change;

/**
 * struct tracepoint_ext - callbacks of the few tracepoints that have any
 * @regfunc:	called before the first probe is attached; an error refuses it
 * @unregfunc:	called after the last probe was unregistered; hits may still call the probe
 * @faultable:	its probes may fault and sleep, so they are readers of RCU Tasks
 *		Trace and not of tracepoint_srcu
 *
 * The functions may be NULL.
 */
struct tracepoint_ext {
	int (*regfunc)(void);
	void (*unregfunc)(void);
	unsigned int faultable:1;
};

/**
 * struct tracepoint_func - one probe of a tracepoint
 * @func:	the function; NULL ends an array of probes
 * @data:	its first argument
 * @prio:	higher values are called first, equal ones in order of registration
 *
 * A published array of probes never changes.
 */
struct tracepoint_func {
	void *func;
	void *data;
	int prio;
};

/**
 * struct tracepoint - one tracepoint
 * @key:	on while there are probes; otherwise trace_NAME() is a nop
 * @funcs:	the probes in the order of their calls, NULL for none
 * @static_call_key: what trace_NAME() calls; NULL for a tracepoint made at run
 *		time, which no compiled code calls
 * @static_call_tramp: the static call's trampoline
 * @iterator:	__traceiter_NAME(), which calls all probes
 * @probestub:	__probestub_NAME(), an empty probe that fprobe can trace
 * @name:	name of the tracepoint
 * @ext:	callbacks, or NULL
 * @pending:	[P] a change that is registered and not yet in effect
 * @stale:	[P] the grace period after which no CPU uses an array whose first
 *		probe differs from that of @funcs
 *
 * [P]: guarded by tracepoints_mutex. Code that makes a tracepoint at run time fills it
 * with zeroes and sets the name.
 */
struct tracepoint {
	struct static_key_false key;
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

/* Lets any header test the tracepoint with tracepoint_enabled(). */
#define DECLARE_TRACEPOINT(tp) extern struct tracepoint __tracepoint_##tp

#ifndef CONFIG_TRACEPOINTS
# define tracepoint_enabled(tp) false
#else
/* The same as trace_NAME_enabled(); a nop while there is no probe. */
# define tracepoint_enabled(tp) static_branch_unlikely(&__tracepoint_##tp.key)
#endif

/* Describes a tracepoint to BPF, for attaching raw tracepoint programs. */
struct bpf_raw_event_map {
	struct tracepoint *tp;
	void *bpf_func;
	u32 writable_size;
	u32 num_args;
} __aligned(32);

/* Names of flags and values, for %pG and __print_flags(). */
struct trace_print_flags_u64 {
	unsigned long long mask;
	const char *name;
};

struct trace_print_flags {
	unsigned long mask;
	const char *name;
};

#endif /* _LINUX_TRACEPOINT_DEFS_H */
