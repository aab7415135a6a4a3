/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: places in the code where probes with typed arguments can be
 * attached.
 *
 *	TRACE_EVENT() or DECLARE_TRACE()	in a header: declares a tracepoint
 *	DEFINE_TRACE()				in one C file: defines it
 *	trace_NAME(args)			in the code: a place that hits it
 *	register_trace_NAME(probe, data)	attaches probe(data, args)
 *
 * Without a probe trace_NAME() is a nop, with one a direct call of the probe,
 * with several a call of a loop over them. Many tracepoints are switched in
 * one step between tracepoint_batch_begin() and tracepoint_batch_commit().
 *
 * See Documentation/trace/tracepoints.rst.
 *
 * The part inside the include guard is read once. The macros after it are
 * defined again for each header of events, because trace/define_trace.h
 * undefines them after it has read one.
 */
#ifndef _LINUX_TRACEPOINT_H
#define _LINUX_TRACEPOINT_H

#include <linux/cfi.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/srcu.h>
#include <linux/rcupdate_trace.h>	/* needs srcu.h, and does not include it */
#include <linux/static_call.h>
#include <linux/tracepoint-defs.h>
#include <linux/tracepoint-probes.h>
#include <linux/types.h>

/* A name in an event's print format, and its value, which user space cannot know. */
struct trace_eval_map {
	const char *system;
	const char *eval_string;
	unsigned long eval_value;
};

#define TRACE_DEFINE_SIZEOF(x)
#define TRACE_DEFINE_ENUM(x)

/* Each of these passes a list of arguments through other macros as one argument. */
#ifndef PARAMS
#define PARAMS(args...) args
#endif
#define TP_CONDITION(args...) args
#define TP_PROTO(args...) args
#define TP_ARGS(args...) args

/*
 * Constant strings that events record by address. Those in the section are listed
 * in tracefs' printk_formats, where readers of binary buffers look up an address.
 * @str must live as long as its module.
 */
#ifndef CONFIG_TRACING
# define __tracepoint_string
# define tracepoint_string(str) str
#else
# define __tracepoint_string __section("__tracepoint_str") __used
# define tracepoint_string(str)						\
({									\
	static const char *___tp_str __tracepoint_string = str;		\
	___tp_str;							\
})
#endif

/*
 * The call that the nop skips, in a read-side section of tracepoint_srcu or, for
 * faultable tracepoints, of RCU Tasks Trace.
 *
 * The data comes from the array's first probe; the function from the text (or from
 * where the architecture keeps a static call's target). Although the two are read
 * separately, they belong together: see "The one rule" in
 * kernel/tracepoint/apply.c. __traceiter_NAME() ignores the data.
 */
#ifdef CONFIG_HAVE_STATIC_CALL
#define __trace_call(name, args)					\
do {									\
	const struct tracepoint_func *__tp_first;			\
									\
	__tp_first = rcu_dereference_raw(__tracepoint_##name.funcs);	\
	if (__tp_first)							\
		static_call(tp_func_##name)(__tp_first->data, args);	\
} while (0)
#else
#define __trace_call(name, args) __traceiter_##name(NULL, args)
#endif

/*
 * The name of each tracepoint that some code hits, for scripts/tracepoint-update.c,
 * which warns about tracepoints that nothing hits. Not in the linked kernel.
 */
#define TRACEPOINT_CHECK(name)						\
	static const char __trace_check_##name[]			\
	__section("__tracepoint_check") __used = #name;

/*
 * Functions of all tracepoints: attach and detach probes, and test whether there are
 * any. rust_do_trace_NAME() is defined where CREATE_RUST_TRACE_POINTS is.
 */
#define __DECLARE_TRACE_COMMON(name, proto, args, data_proto)		\
extern struct tracepoint __tracepoint_##name;				\
void __traceiter_##name(data_proto);					\
void rust_do_trace_##name(proto);					\
DECLARE_STATIC_CALL(tp_func_##name, __traceiter_##name);		\
									\
static inline bool __trace_##name##_enabled(void)			\
{									\
	return static_branch_unlikely(&__tracepoint_##name.key);	\
}									\
									\
static inline bool trace_##name##_enabled(void)				\
{									\
	if (IS_ENABLED(CONFIG_LOCKDEP))					\
		WARN_ONCE(!rcu_is_watching(),				\
			  "RCU sleeps at tracepoint " #name);		\
	return __trace_##name##_enabled();				\
}									\
									\
static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) \
{									\
}									\
									\
static inline int							\
unregister_trace_##name(void (*probe)(data_proto), void *data)		\
{									\
	return tracepoint_probe_unregister(&__tracepoint_##name,	\
					   probe, data);		\
}									\
									\
static inline int							\
register_trace_##name(void (*probe)(data_proto), void *data)		\
{									\
	return tracepoint_probe_register(&__tracepoint_##name,		\
					 probe, data);			\
}									\
									\
static inline int							\
register_trace_prio_##name(void (*probe)(data_proto), void *data,	\
			   int prio)					\
{									\
	return tracepoint_probe_register_prio(&__tracepoint_##name,	\
					      probe, data, prio);	\
}

/*
 * The places that hit a tracepoint. trace_call__NAME() is for code that has tested
 * trace_NAME_enabled() already.
 *
 * RCU does not watch a CPU that is offline, hence the condition that
 * DECLARE_TRACE() adds. With lockdep, trace_NAME() checks that RCU is watching even
 * while the tracepoint is off, because it may be turned on later. @always is a check
 * that is also made while it is off.
 */
#define __DECLARE_TRACE_PLACES(name, proto, args, cond, always)		\
static inline void trace_call__##name(proto)				\
{									\
	always;								\
	__do_trace_##name(args);					\
}									\
									\
static inline void trace_##name(proto)					\
{									\
	always;								\
	if (static_branch_unlikely(&__tracepoint_##name.key))		\
		__do_trace_##name(args);				\
	if (IS_ENABLED(CONFIG_LOCKDEP) && (cond))			\
		WARN_ONCE(!rcu_is_watching(),				\
			  "RCU sleeps at tracepoint " #name);		\
}

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)		\
__DECLARE_TRACE_COMMON(name, PARAMS(proto), PARAMS(args), PARAMS(data_proto)) \
									\
static inline void __do_trace_##name(proto)				\
{									\
	TRACEPOINT_CHECK(name)						\
	if (!(cond))							\
		return;							\
	guard(srcu_fast_notrace)(&tracepoint_srcu);			\
	__trace_call(name, PARAMS(args));				\
}									\
									\
__DECLARE_TRACE_PLACES(name, PARAMS(proto), PARAMS(args), PARAMS(cond), )

/* A faultable tracepoint: for system calls, whose probes read user memory. */
#define __DECLARE_TRACE_SYSCALL(name, proto, args, data_proto)		\
__DECLARE_TRACE_COMMON(name, PARAMS(proto), PARAMS(args), PARAMS(data_proto)) \
									\
static inline void __do_trace_##name(proto)				\
{									\
	TRACEPOINT_CHECK(name)						\
	guard(rcu_tasks_trace)();					\
	__trace_call(name, PARAMS(args));				\
}									\
									\
__DECLARE_TRACE_PLACES(name, PARAMS(proto), PARAMS(args), true, might_fault())

/* The same for a kernel without tracepoints. */
#define __DECLARE_TRACE_OFF(name, proto, data_proto)			\
static inline bool __trace_##name##_enabled(void)			\
{									\
	return false;							\
}									\
									\
static inline bool trace_##name##_enabled(void)				\
{									\
	return false;							\
}									\
									\
static inline void check_trace_callback_type_##name(void (*cb)(data_proto)) \
{									\
}									\
									\
static inline int							\
unregister_trace_##name(void (*probe)(data_proto), void *data)		\
{									\
	return -ENOSYS;							\
}									\
									\
static inline int							\
register_trace_##name(void (*probe)(data_proto), void *data)		\
{									\
	return -ENOSYS;							\
}									\
									\
static inline int							\
register_trace_prio_##name(void (*probe)(data_proto), void *data,	\
			   int prio)					\
{									\
	return -ENOSYS;							\
}									\
									\
static inline void trace_call__##name(proto)				\
{									\
}									\
									\
static inline void trace_##name(proto)					\
{									\
}

/*
 * An entry of __tracepoints_ptrs, which is an array. __tracepoints is not: there may
 * be padding between its structures.
 */
#ifdef CONFIG_HAVE_ARCH_PREL32_RELOCATIONS
#define __TRACEPOINT_ENTRY(name)					\
	asm(".pushsection \"__tracepoints_ptrs\", \"a\"\n\t"		\
	    ".balign 4\n\t"						\
	    ".long __tracepoint_" #name " - .\n\t"			\
	    ".popsection")
#else
#define __TRACEPOINT_ENTRY(name)					\
	static tracepoint_ptr_t __tracepoint_ptr_##name			\
	__section("__tracepoints_ptrs") __used = &__tracepoint_##name
#endif

/*
 * The function that Rust code calls at a hit, after it has tested the key. Defined in
 * the one C file that defines CREATE_RUST_TRACE_POINTS, see trace/define_trace.h.
 */
#define DEFINE_RUST_DO_TRACE(name, proto, args)
#define __DEFINE_RUST_DO_TRACE(name, proto, args)			\
	notrace void rust_do_trace_##name(proto)			\
	{								\
		__do_trace_##name(args);				\
	}

/*
 * Define one tracepoint, its probe stub, iterator and static call. An array of
 * probes has at least one and ends with a NULL function, so the iterator calls
 * first and tests afterwards. Like an event's probe it is notrace.
 *
 * CFI_NOSEAL(): only the tracepoint refers to the probe stub, and objtool does not
 * count that reference, so the stub's ENDBR would be sealed.
 */
#define __DEFINE_TRACE(_name, _ext, proto, args)			\
extern struct static_call_key STATIC_CALL_KEY(tp_func_##_name);		\
void __probestub_##_name(void *__data, proto);				\
void __traceiter_##_name(void *__data, proto);				\
static const char __tpstrtab_##_name[]					\
	__section("__tracepoints_strings") = #_name;			\
struct tracepoint __tracepoint_##_name					\
	__used __section("__tracepoints") __aligned(sizeof(void *)) = {	\
	.static_call_tramp = STATIC_CALL_TRAMP_ADDR(tp_func_##_name),	\
	.static_call_key = &STATIC_CALL_KEY(tp_func_##_name),		\
	.probestub = &__probestub_##_name,				\
	.iterator = &__traceiter_##_name,				\
	.name = __tpstrtab_##_name,					\
	.key = STATIC_KEY_FALSE_INIT,					\
	.ext = _ext,							\
};									\
__TRACEPOINT_ENTRY(_name);						\
void __probestub_##_name(void *__data, proto)				\
{									\
}									\
CFI_NOSEAL(__probestub_##_name);					\
void notrace __traceiter_##_name(void *__data, proto)			\
{									\
	const struct tracepoint_func *__tp_it;				\
	void (*__tp_probe)(void *, proto);				\
									\
	__tp_it = rcu_dereference_raw(__tracepoint_##_name.funcs);	\
	if (!__tp_it)							\
		return;							\
	do {								\
		__tp_probe = __tp_it->func;				\
		__data = (__tp_it++)->data;				\
		__tp_probe(__data, args);				\
	} while (__tp_it->func);					\
}									\
DEFINE_STATIC_CALL(tp_func_##_name, __traceiter_##_name);		\
DEFINE_RUST_DO_TRACE(_name, PARAMS(proto), PARAMS(args))

#endif /* _LINUX_TRACEPOINT_H */

#ifndef DECLARE_TRACE

/*
 * Tracepoint macros. A C file that defines NOTRACE before it includes a header
 * of events gets none of their tracepoints.
 */
#if !defined(NOTRACE) && defined(CONFIG_TRACEPOINTS)
#define TRACEPOINTS_ENABLED
#endif

#ifdef TRACEPOINTS_ENABLED

/*
 * Events keep their name. Other tracepoints get "_tp" appended, so that nobody takes
 * them for events: user space may rely on events, but not on them.
 */
#define DECLARE_TRACE_EVENT_CONDITION(name, proto, args, cond)		\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args),		\
		cpu_online(raw_smp_processor_id()) && (PARAMS(cond)),	\
		PARAMS(void *__data, proto))

#define DECLARE_TRACE_EVENT(name, proto, args)				\
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args),		\
		cpu_online(raw_smp_processor_id()),			\
		PARAMS(void *__data, proto))

#define DECLARE_TRACE_EVENT_SYSCALL(name, proto, args)			\
	__DECLARE_TRACE_SYSCALL(name, PARAMS(proto), PARAMS(args),	\
		PARAMS(void *__data, proto))

#define DECLARE_TRACE_CONDITION(name, proto, args, cond)		\
	DECLARE_TRACE_EVENT_CONDITION(name##_tp, PARAMS(proto),		\
		PARAMS(args), PARAMS(cond))

#define DECLARE_TRACE(name, proto, args)				\
	DECLARE_TRACE_EVENT(name##_tp, PARAMS(proto), PARAMS(args))

#define DECLARE_TRACE_SYSCALL(name, proto, args)			\
	DECLARE_TRACE_EVENT_SYSCALL(name##_tp, PARAMS(proto), PARAMS(args))

#define __DEFINE_TRACE_FN(_name, _reg, _unreg, _faultable, proto, args)	\
	static const struct tracepoint_ext __tracepoint_ext_##_name = {	\
		.faultable = _faultable,				\
		.unregfunc = _unreg,					\
		.regfunc = _reg,					\
	};								\
	__DEFINE_TRACE(_name, &__tracepoint_ext_##_name,		\
		       PARAMS(proto), PARAMS(args));

#define DEFINE_TRACE_FN(_name, _reg, _unreg, proto, args)		\
	__DEFINE_TRACE_FN(_name, _reg, _unreg, false, PARAMS(proto), PARAMS(args))

#define DEFINE_TRACE_SYSCALL(_name, _reg, _unreg, proto, args)		\
	__DEFINE_TRACE_FN(_name, _reg, _unreg, true, PARAMS(proto), PARAMS(args))

#define DEFINE_TRACE(_name, proto, args)				\
	__DEFINE_TRACE(_name, NULL, PARAMS(proto), PARAMS(args));

#define EXPORT_TRACEPOINT_SYMBOL(name)					\
	TRACEPOINT_CHECK(name)						\
	EXPORT_STATIC_CALL(tp_func_##name);				\
	EXPORT_SYMBOL(__traceiter_##name);				\
	EXPORT_SYMBOL(__tracepoint_##name)

#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)				\
	TRACEPOINT_CHECK(name)						\
	EXPORT_STATIC_CALL_GPL(tp_func_##name);				\
	EXPORT_SYMBOL_GPL(__traceiter_##name);				\
	EXPORT_SYMBOL_GPL(__tracepoint_##name)

#else /* !TRACEPOINTS_ENABLED */

#define DECLARE_TRACE_EVENT_CONDITION(name, proto, args, cond)		\
	__DECLARE_TRACE_OFF(name, PARAMS(proto), PARAMS(void *__data, proto))

#define DECLARE_TRACE_EVENT(name, proto, args)				\
	__DECLARE_TRACE_OFF(name, PARAMS(proto), PARAMS(void *__data, proto))

#define DECLARE_TRACE_EVENT_SYSCALL(name, proto, args)			\
	__DECLARE_TRACE_OFF(name, PARAMS(proto), PARAMS(void *__data, proto))

#define DECLARE_TRACE_CONDITION(name, proto, args, cond)		\
	__DECLARE_TRACE_OFF(name##_tp, PARAMS(proto), PARAMS(void *__data, proto))

#define DECLARE_TRACE(name, proto, args)				\
	__DECLARE_TRACE_OFF(name##_tp, PARAMS(proto), PARAMS(void *__data, proto))

#define DECLARE_TRACE_SYSCALL(name, proto, args)			\
	__DECLARE_TRACE_OFF(name##_tp, PARAMS(proto), PARAMS(void *__data, proto))

#define DEFINE_TRACE_FN(_name, _reg, _unreg, proto, args)
#define DEFINE_TRACE_SYSCALL(_name, _reg, _unreg, proto, args)
#define DEFINE_TRACE(_name, proto, args)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)

#endif /* TRACEPOINTS_ENABLED */
#endif /* DECLARE_TRACE */

#ifndef TRACE_EVENT

/*
 * Event macros. An event is a tracepoint that can also write a record into a
 * trace buffer. Here only the tracepoint is declared; the other arguments are
 * read by trace/define_trace.h and the headers that it includes.
 */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)

#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_TRACE_EVENT(name, PARAMS(proto), PARAMS(args))

#define DEFINE_EVENT(class, name, proto, args)				\
	DECLARE_TRACE_EVENT(name, PARAMS(proto), PARAMS(args))

#define DEFINE_EVENT_PRINT(class, name, proto, args, print)		\
	DECLARE_TRACE_EVENT(name, PARAMS(proto), PARAMS(args))

/* With functions to be called before the first and after the last probe */
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	DECLARE_TRACE_EVENT(name, PARAMS(proto), PARAMS(args))

#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg)		\
	DECLARE_TRACE_EVENT(name, PARAMS(proto), PARAMS(args))

/* Hit only if a condition holds */
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	DECLARE_TRACE_EVENT_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#define DEFINE_EVENT_CONDITION(class, name, proto, args, cond)		\
	DECLARE_TRACE_EVENT_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	DECLARE_TRACE_EVENT_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

/* Hit by system calls, with probes that may fault */
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print, reg, unreg) \
	DECLARE_TRACE_EVENT_SYSCALL(name, PARAMS(proto), PARAMS(args))

/* Disabled by configuration: the calls compile to nothing. */
#define DECLARE_EVENT_NOP(name, proto, args)				\
static inline bool trace_##name##_enabled(void)				\
{									\
	return false;							\
}									\
static inline void trace_##name(proto)					\
{									\
}

#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)

#define DEFINE_EVENT_NOP(class, name, proto, args)			\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)	\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT_PERF_PERM(event, expr...)
#define TRACE_EVENT_FLAGS(event, flag)

#endif /* TRACE_EVENT */
