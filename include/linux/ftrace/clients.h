/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function tracer's interface to its clients.
 *
 * A client registers a struct ftrace_ops: a callback, and a filter that says for
 * which functions it is called. Zero the ops, set ->func and ->flags, choose
 * functions with ftrace_set_filter() and the like, and register it. It needs no
 * other initialization.
 *
 *	<linux/ftrace/text.h>	what is at this address? (kprobes, BPF, unwinders)
 *	<linux/ftrace/module.h>	for the module loader and boot
 *	<linux/ftrace/graph.h>	entry and return of functions
 *	<linux/ftrace/arch.h>	what an architecture supplies
 *
 * Included by <linux/ftrace.h>; include that header, which declares the same for the
 * classic implementation.
 */
#ifndef _LINUX_FTRACE_CLIENTS_H
#define _LINUX_FTRACE_CLIENTS_H

#include <linux/trace_recursion.h>
#include <linux/trace_clock.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/linkage.h>
#include <linux/bitops.h>
#include <linux/ptrace.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/init.h>
#include <linux/fs.h>

#include <asm/ftrace.h>
#include <linux/ftrace_regs.h>

struct file;
struct ftrace_filter;
struct ftrace_hash;
struct ftrace_hook;
struct ftrace_ops;
struct ftrace_regs;
struct inode;
struct module;
struct trace_array;

/*
 * The registers that a callback can read: arguments, stack pointer and
 * instruction pointer; all registers if its ops asked for them. Opaque: use
 * ftrace_regs_get_argument() and the like, or ftrace_get_regs().
 */
struct ftrace_regs {
};

#ifndef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
/* Without support for partial registers, all are saved. */
#define ftrace_regs_set_instruction_pointer(fregs, ip)	\
	instruction_pointer_set(&arch_ftrace_regs(fregs)->regs, ip)

static inline struct pt_regs *arch_ftrace_get_regs(struct ftrace_regs *fregs)
{
	return &arch_ftrace_regs(fregs)->regs;
}
#endif

#define ftrace_regs_size()	sizeof(struct __arch_ftrace_regs)

#ifdef CONFIG_HAVE_FTRACE_REGS_HAVING_PT_REGS
static_assert(sizeof(struct pt_regs) == ftrace_regs_size());
#endif

/* All the registers, or NULL if only some were saved. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

/*
 * The registers, some of which may not have been saved: then ftrace_get_regs() would
 * return NULL. @regs is for architectures that have to copy the registers, which
 * define this function themselves.
 */
#if defined(CONFIG_HAVE_FTRACE_REGS_HAVING_PT_REGS) || \
	!defined(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS)
#ifndef arch_ftrace_partial_regs
#define arch_ftrace_partial_regs(regs) do { } while (0)
#endif

static __always_inline struct pt_regs *
ftrace_partial_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	struct pt_regs *saved = &arch_ftrace_regs(fregs)->regs;

	arch_ftrace_partial_regs(saved);
	return saved;
}
#endif

#ifndef arch_ftrace_fill_perf_regs
#define arch_ftrace_fill_perf_regs(fregs, _regs) do { } while (0)
#endif

/* Get the registers that perf needs to unwind from here. @regs is room for them. */
static __always_inline struct pt_regs *
ftrace_fill_perf_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	if (!IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS))
		return arch_ftrace_get_regs(fregs);

	arch_ftrace_fill_perf_regs(fregs, regs);
	return regs;
}

static __always_inline bool ftrace_regs_has_args(struct ftrace_regs *fregs)
{
	return IS_ENABLED(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) || ftrace_get_regs(fregs);
}

/* Word @nr on the stack of the function, 0 if it is beyond that stack. */
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
static __always_inline unsigned long
ftrace_regs_get_kernel_stack_nth(struct ftrace_regs *fregs, unsigned int nr)
{
	const unsigned long sp = ftrace_regs_get_stack_pointer(fregs);
	const unsigned long at = sp + nr * sizeof(unsigned long);

	return (sp ^ at) < THREAD_SIZE ? *(unsigned long *)at : 0;
}
#else
#define ftrace_regs_get_kernel_stack_nth(fregs, nr)	(0L)
#endif

/* The address of a function's symbol, from its site's; 0: it has to be searched for. */
#ifndef ftrace_get_symaddr
#define ftrace_get_symaddr(fentry_ip)	(0)
#endif

/**
 * typedef ftrace_func_t - callback of an ops
 * @ip: address of the function's call site
 * @parent_ip: where the function returns to
 * @op: the ops that was registered
 * @fregs: registers at the site; valid until the callback returns
 *
 * Context: Any context, NMI included.
 */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

/**
 * DOC: Flags of struct ftrace_ops
 *
 * The owner sets these flags, only while the ops is not registered:
 *
 * - FTRACE_OPS_FL_SAVE_REGS: save all registers for the callback.
 * - FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED: the same, if the architecture can.
 * - FTRACE_OPS_FL_RECURSION: the callback has no guard against recursion; the
 *   library adds one.
 * - FTRACE_OPS_FL_RCU: do not call it while RCU is not watching.
 * - FTRACE_OPS_FL_PID: ->private is a trace array, whose PID filter applies.
 * - FTRACE_OPS_FL_IPMODIFY: it may change where the function continues. A
 *   function can have one such ops, whose filter must name its functions.
 * - FTRACE_OPS_FL_PERMANENT, FTRACE_OPS_FL_INITIALIZED, FTRACE_OPS_FL_STUB:
 *   ignored.
 *
 * The library sets these flags:
 *
 * - FTRACE_OPS_FL_ENABLED: it is registered.
 * - FTRACE_OPS_FL_DYNAMIC: it is not static data of the kernel itself, so
 *   unregistering waits until its callback does not run any more.
 * - FTRACE_OPS_FL_DIRECT: it has no callback; functions call ->direct_call or, if
 *   that is 0, each a target of its own.
 * - FTRACE_OPS_FL_GRAPH: it is part of a struct fgraph_ops.
 * - FTRACE_OPS_FL_DELETED: it is about to be freed and cannot be registered
 *   again.
 * - FTRACE_OPS_FL_KEPT: it belongs to a trace array, which waits until no
 *   callback runs before it frees the ops. So unregistering does not wait, and
 *   switching a tracer off is quick.
 */
enum {
	/* set by the owner */
	FTRACE_OPS_FL_SAVE_REGS			= BIT(2),
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	= BIT(3),
	FTRACE_OPS_FL_RECURSION			= BIT(4),
	FTRACE_OPS_FL_RCU			= BIT(14),
	FTRACE_OPS_FL_PID			= BIT(13),
	FTRACE_OPS_FL_IPMODIFY			= BIT(12),
	FTRACE_OPS_FL_PERMANENT			= BIT(16),
	FTRACE_OPS_FL_INITIALIZED		= BIT(6),
	FTRACE_OPS_FL_STUB			= BIT(5),
	/* set by the library */
	FTRACE_OPS_FL_ENABLED			= BIT(0),
	FTRACE_OPS_FL_DYNAMIC			= BIT(1),
	FTRACE_OPS_FL_DIRECT			= BIT(17),
	FTRACE_OPS_FL_GRAPH			= BIT(8),
	FTRACE_OPS_FL_DELETED			= BIT(7),
	FTRACE_OPS_FL_KEPT			= BIT(9),
};

/* For callbacks that need the arguments. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define FTRACE_OPS_FL_SAVE_ARGS		0
#else
#define FTRACE_OPS_FL_SAVE_ARGS		FTRACE_OPS_FL_SAVE_REGS
#endif

/**
 * enum ftrace_ops_cmd - commands to the owner of a direct call
 * @FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF: the owner registers, or changes its
 *	filter or address, and one of its functions has an IPMODIFY hook
 * @FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER: one of its functions gets an
 *	IPMODIFY hook
 * @FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER: the IPMODIFY hook was removed
 *
 * With these commands a function can have a direct call and a live patch at the same
 * time. ENABLE asks the owner to call the original function through the address
 * on the stack, which a live patch can change; after DISABLE it need not.
 */
enum ftrace_ops_cmd {
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF,
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER,
	FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER,
};

/**
 * typedef ftrace_ops_func_t - callback of a direct call's owner for commands
 * @op: the ops that was registered
 * @ip: address of the call site; the same command may come for several sites
 * @cmd: the command
 *
 * Context: Process context. May sleep. direct_mutex held, and ftrace_lock for
 * FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF.
 * Return: 0 on success, or an error, with which the registration or change
 * fails. Ignored for FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER.
 */
typedef int (*ftrace_ops_func_t)(struct ftrace_ops *op, unsigned long ip,
				 enum ftrace_ops_cmd cmd);

/*
 * An entry of a struct ftrace_hash: a call site and the code that it shall call. The
 * owner of direct calls fills the table, see add_ftrace_hash_entry().
 */
struct ftrace_func_entry {
	struct hlist_node	hlist;
	unsigned long		ip;
	unsigned long		direct;
};

/*
 * A filter slot. Each ops has one of its own, and may use that of another ops.
 * A zeroed slot has no filter, which stands for all functions.
 */
struct ftrace_filter_slot {
	struct ftrace_filter __rcu	*filter;	/* NULL: all functions */
	struct hlist_node		listed;		/* while ->filter has site numbers */
	struct hlist_head		users;		/* registered ops that use this slot */
};

/**
 * struct ftrace_ops - what a client registers
 * @func: the callback; NULL for a direct call
 * @flags: FTRACE_OPS_FL_*
 * @private: the owner's; may change at any time, except with FTRACE_OPS_FL_PID
 * @ops_func: for the commands to a direct call's owner; NULL: it cannot share a
 *	function with an IPMODIFY hook
 * @name: its name in enabled_functions and other files of tracefs; may be NULL
 *
 * If all fields except @func are zero, every function is hooked.
 */
struct ftrace_ops {
	ftrace_func_t			func;
	unsigned long			flags;
	void				*private;
	ftrace_ops_func_t		ops_func;
	const char			*name;

	/* private: for the library only */
	unsigned long			direct_call;
	struct ftrace_hook		*hook;		/* while registered */
	struct ftrace_filter_slot	*slot;		/* the slot in use; NULL: ->own */
	struct ftrace_filter_slot	own;
	struct hlist_node		user;		/* in ->users of the slot in use */
};

#include <linux/ftrace/text.h>
#include <linux/ftrace/module.h>

extern int ftrace_enabled;

int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);

int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset);
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset);
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset);
void ftrace_free_filter(struct ftrace_ops *ops);

void ftrace_ops_set_global_filter(struct ftrace_ops *ops);
void ftrace_set_global_filter(unsigned char *buf, int len, int reset);
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset);

/* For files that show and change the filter of an ops. */
enum {
	FTRACE_ITER_FILTER	= BIT(0),
	FTRACE_ITER_NOTRACE	= BIT(1),
};

int ftrace_regex_open(struct trace_array *tr, struct ftrace_ops *ops, int flag,
		      struct inode *inode, struct file *file);
ssize_t ftrace_filter_write(struct file *file, const char __user *ubuf, size_t cnt,
			    loff_t *ppos);
ssize_t ftrace_notrace_write(struct file *file, const char __user *ubuf, size_t cnt,
			     loff_t *ppos);
int ftrace_filter_flush(struct file *file, fl_owner_t id);
int ftrace_regex_release(struct inode *inode, struct file *file);
void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *buf, int enable);

bool ftrace_pids_enabled(struct ftrace_ops *ops);

/* A callback that does nothing. */
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		 struct ftrace_regs *fregs);

/*
 * Bit 0 of a direct call's target: the function jumps there instead of calling it,
 * so that the target finds the stack as the function would. Only with
 * CONFIG_DYNAMIC_FTRACE_WITH_JMP.
 */
static inline bool ftrace_is_jmp(unsigned long addr)
{
	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_JMP) && (addr & 1);
}

static inline unsigned long ftrace_jmp_set(unsigned long addr)
{
	return addr | IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_JMP);
}

static inline unsigned long ftrace_jmp_get(unsigned long addr)
{
	return addr & ~(unsigned long)IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_JMP);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters);
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr);
void ftrace_stub_direct_tramp(void);

/* Tables of functions, each with an address that it shall call. */
#define FTRACE_HASH_DEFAULT_BITS	10

struct ftrace_hash *alloc_ftrace_hash(int size_bits);
void free_ftrace_hash(struct ftrace_hash *hash);
void add_ftrace_hash_entry(struct ftrace_hash *hash, struct ftrace_func_entry *entry);
struct ftrace_func_entry *add_ftrace_hash_entry_direct(struct ftrace_hash *hash,
						       unsigned long ip, unsigned long direct);
void ftrace_hash_remove(struct ftrace_hash *hash);
unsigned long ftrace_hash_count(struct ftrace_hash *hash);

int update_ftrace_direct_add(struct ftrace_ops *ops, struct ftrace_hash *hash);
int update_ftrace_direct_del(struct ftrace_ops *ops, struct ftrace_hash *hash);
int update_ftrace_direct_mod(struct ftrace_ops *ops, struct ftrace_hash *hash,
			     bool do_direct_lock);
#else
static inline int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	return -ENODEV;
}

static inline int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return modify_ftrace_direct_nolock(ops, addr);
}

static inline int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr,
					   bool free_filters)
{
	return -ENODEV;
}

static inline int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return -ENODEV;
}

static inline int update_ftrace_direct_add(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return -ENODEV;
}

static inline int update_ftrace_direct_del(struct ftrace_ops *ops, struct ftrace_hash *hash)
{
	return -ENODEV;
}

static inline int update_ftrace_direct_mod(struct ftrace_ops *ops, struct ftrace_hash *hash,
					   bool do_direct_lock)
{
	return -ENODEV;
}

static inline void arch_ftrace_set_direct_caller(struct ftrace_regs *fregs, unsigned long addr)
{
}
#endif

void ftrace_kill(void);

/* These three take no locks: for code that is about to stop the machine. */
static inline void tracer_disable(void)
{
	ftrace_enabled = 0;
}

static inline int __ftrace_enabled_save(void)
{
	int saved = ftrace_enabled;

	ftrace_enabled = 0;
	return saved;
}

static inline void __ftrace_enabled_restore(int enabled)
{
	ftrace_enabled = enabled;
}

#include <linux/ftrace/graph.h>
#include <linux/ftrace/misc.h>

#endif /* _LINUX_FTRACE_CLIENTS_H */
