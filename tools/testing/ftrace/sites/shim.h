/* SPDX-License-Identifier: GPL-2.0 */
/* What sites, sets and names need of a kernel beyond what all suites do. */
#ifndef _FTRACE_SITES_SHIM_H
#define _FTRACE_SITES_SHIM_H

#ifndef IS_ENABLED
#define IS_ENABLED(option)	shim_##option
#define CONFIG_FTRACE_DISCOVER			1
#define shim_CONFIG_FTRACE_DISCOVER		1
#define shim_CONFIG_BUILDTIME_MCOUNT_SORT	0
#endif

#include "kunit.h"

/* Bits */
#define GENMASK(h, l)		((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define IS_ALIGNED(x, a)	(!((x) & ((a) - 1)))
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __fls(x)		((unsigned long)(BITS_PER_LONG - 1 - __builtin_clzl(x)))
#define hweight_long(x)		((unsigned long)__builtin_popcountl(x))

#define PTR_ALIGN(p, a)		((const char *)(((uintptr_t)(p) + (a) - 1) & ~((uintptr_t)(a) - 1)))
#define __set_bit(nr, bits)	((bits)[(nr) / BITS_PER_LONG] |= 1UL << (nr) % BITS_PER_LONG)
#define test_bit(nr, bits)	((bits)[(nr) / BITS_PER_LONG] >> (nr) % BITS_PER_LONG & 1)

static inline unsigned long find_next_bit(const unsigned long *bits, unsigned long size,
					  unsigned long from)
{
	while (from < size) {
		const unsigned long word = bits[from / BITS_PER_LONG] >> from % BITS_PER_LONG;

		if (word)
			return min(size, from + __ffs(word));
		from = (from / BITS_PER_LONG + 1) * BITS_PER_LONG;
	}
	return size;
}

static inline u32 roundup_pow_of_two(u32 n)
{
	u32 p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static inline void memset32(u32 *p, u32 v, size_t n)
{
	while (n--)
		*p++ = v;
}

#define __used			__attribute__((used))
#define __section(name)		__attribute__((section(name)))

/* How often waiters for a change are woken. */
struct wait_queue_head {
	unsigned int woken;
};

#define DECLARE_WAIT_QUEUE_HEAD(name) struct wait_queue_head name
#define wake_up_all(q)		((q)->woken++)

/* Text */
#define isdigit(c)		((c) >= '0' && (c) <= '9')
#define strscpy(to, from, size)	snprintf(to, size, "%s", from)
#define scnprintf		snprintf

static inline int kstrtoul(const char *s, unsigned int base, unsigned long *result)
{
	char *end;

	errno = 0;
	*result = strtoul(s, &end, base);
	return errno ? -ERANGE : !isdigit(*s) || *end ? -EINVAL : 0;
}

static inline int kstrtol(const char *s, unsigned int base, long *result)
{
	char *end;

	errno = 0;
	*result = strtol(s, &end, base);
	return errno ? -ERANGE : !isdigit(s[*s == '-']) || *end ? -EINVAL : 0;
}

#define isalnum(c)		(isdigit(c) || (((c) | 32) >= 'a' && ((c) | 32) <= 'z'))

/* Registers: the arguments in the last words, in reverse order, and others. */
struct __arch_ftrace_regs {
	unsigned long words[10];
};

struct ftrace_regs;

#define FTRACE_REGS_MAX_ARGS	6
#define ftrace_regs_get_argument(fregs, n) (((struct __arch_ftrace_regs *)(fregs))->words[9 - (n)])

bool __pure glob_match(char const *pat, char const *str);

/* Call sites are as long as on x86. */
#define MCOUNT_INSN_SIZE	5
#define FTRACE_MCOUNT_MAX_OFFSET 4
#define ftrace_call_adjust(ip)	(ip)

/* Symbols: those that a test puts there. */
#define CONFIG_MODULES		1
#define KSYM_NAME_LEN		512
#define SHN_UNDEF		0

typedef struct {
	u32 st_name;
	u16 st_shndx;
	unsigned long st_value, st_size;
} Elf_Sym;

struct mod_kallsyms {
	Elf_Sym *symtab;
	unsigned int num_symtab;
	char *strtab, *typetab;
};

#define MODULE_NAME_LEN		56
enum { MOD_TEXT };
enum module_state { MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING };

struct module {
	enum module_state state;
	unsigned int num_ftrace_callsites, num_ftrace_files;
	unsigned long *ftrace_files;
	char name[MODULE_NAME_LEN];
	struct mod_kallsyms *kallsyms;
	struct {
		void *base;
	} mem[1];
};

struct module *find_module(const char *name);
unsigned long kallsyms_lookup_name(const char *name);
/* Where the tests have the kernel. */
#define _text			((char *)0x100000)

#define kallsyms_symbol_value(sym) ((sym)->st_value)

static inline bool is_mapping_symbol(const char *name)
{
	return *name == '$';
}

struct kallsyms_walk {
	unsigned int nr, off;
};

void kallsyms_walk_start(struct kallsyms_walk *w, unsigned long addr);
unsigned long kallsyms_walk_to(struct kallsyms_walk *w, unsigned long addr);
unsigned int kallsyms_walk_name(const struct kallsyms_walk *w, char *name);
bool kallsyms_walk_alias(struct kallsyms_walk *w);
int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data);
int kallsyms_on_each_symbol(int (*fn)(void *, const char *, unsigned long), void *data);
int module_kallsyms_on_each_symbol(const char *modname,
				   int (*fn)(void *, const char *, unsigned long), void *data);
unsigned int full_name_hash(const void *salt, const char *name, unsigned int len);
unsigned long ftrace_location(unsigned long ip);
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs);

bool arch_ftrace_calls_fentry(unsigned long ip);

/* Kernel files that can be modules are not modules here. */
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)

#endif /* _FTRACE_SITES_SHIM_H */
