// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions: the calls of a function that are meant, by its arguments.
 *
 *	arg3>4096
 *	count>4096&&flags&0x40
 *
 * A condition is data, tested by one function: no code is generated for it.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/ftrace_regs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cond.h"

/* Number of arguments in registers; 32-bit x86 passes the others on the stack. */
#ifdef CONFIG_X86_32
#define NR_ARGS		3
#else
#define NR_ARGS		FTRACE_REGS_MAX_ARGS
#endif

/*
 * Architectures have a function that reads an argument, but none for its offset: read it
 * from words that hold their own offsets.
 */
static u32 offset_of_arg(unsigned int n)
{
	unsigned long words[sizeof(struct __arch_ftrace_regs) / sizeof(long)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i * sizeof(long);
	return ftrace_regs_get_argument((struct ftrace_regs *)words, n);
}

/* A comparison, as parsed. */
struct comparison {
	const char	*op;
	unsigned int	arg;
	unsigned int	bits;
	bool		is_signed;
	bool		known;		/* the argument's type */
	unsigned long	value;
};

/* Longer ones first: op_at() takes the first that is a prefix. */
static const char *const ops[] = { "==", "!=", "<=", ">=", "<", ">", "&" };

static const char *op_at(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (str_has_prefix(text, ops[i]))
			return ops[i];
	return NULL;
}

static bool is_named(const struct ftrace_cond_param *param, const char *text, size_t len)
{
	return param->name && strlen(param->name) == len && !memcmp(param->name, text, len);
}

/*
 * Find the argument that @text names. By its own name it has its type; "argN" is a whole
 * register, also where types are known: files show the condition of a pattern for each of
 * its functions, and it has to mean the same when that is written. -ENOENT: none.
 */
static int find_arg(struct comparison *c, const char *text, size_t len,
		    const struct ftrace_cond_param *params, unsigned int nr)
{
	unsigned int n;

	c->known = len != 4 || memcmp(text, "arg", 3) || text[3] < '1' || text[3] > '9';
	if (!c->known)
		n = text[3] - '1';
	else
		for (n = 0; n < nr && !is_named(&params[n], text, len); n++)
			;
	if (n >= NR_ARGS || (c->known && (n == nr || !params[n].bits)))
		return -ENOENT;

	c->arg = n;
	c->bits = c->known ? params[n].bits : BITS_PER_LONG;
	c->is_signed = c->known && params[n].is_signed;
	return 0;
}

/*
 * Read a number that must fit the argument. Where its type is not known, a '-' makes the
 * comparison a signed one.
 */
static int read_value(struct comparison *c, const char *text, size_t len)
{
	char digits[24];
	long number;
	int err;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';

	if (*digits == '-' && !c->known)
		c->is_signed = true;
	if (!c->is_signed) {
		err = kstrtoul(*digits == '-' ? digits + 1 : digits, 0, &c->value);
		if (err || *digits == '-')
			return err ?: -ERANGE;
		return c->bits < BITS_PER_LONG && c->value >> c->bits ? -ERANGE : 0;
	}
	err = kstrtol(digits, 0, &number);
	if (err)
		return err;
	c->value = number;
	number >>= c->bits - 1;
	return number && number != -1 ? -ERANGE : 0;
}

/* Make the range of values that satisfy @c. Return: 0, or -ERANGE if no value does. */
static int make_term(struct ftrace_cond_term *t, const struct comparison *c)
{
	const unsigned int shift = BITS_PER_LONG - c->bits;
	const unsigned long one = 1UL << shift, value = c->value << shift;
	const unsigned long least = c->is_signed ? 1UL << (BITS_PER_LONG - 1) : 0;
	const unsigned long most = least - one;
	unsigned long first = least, last = most;

	*t = (struct ftrace_cond_term){
		.offset = offset_of_arg(c->arg), .scale = one, .mask = ~0UL,
	};
	if (*c->op == '&') {
		t->mask = value;
		t->first = 1;
		t->span = ~0UL - 1;
		return value ? 0 : -ERANGE;
	}

	if ((!strcmp(c->op, "<") && value == least) || (!strcmp(c->op, ">") && value == most))
		return -ERANGE;
	switch (*c->op) {
	case '=':
		first = value;
		last = value;
		break;
	case '!':
		first = value + one;
		last = value - one;
		break;
	case '<':
		last = c->op[1] ? value : value - one;
		break;
	case '>':
		first = c->op[1] ? value : value + one;
		break;
	}
	t->first = first;
	t->span = last - first;
	return 0;
}

/* Parse one comparison, and advance *@text to the end or "&&", or on error to the error. */
static int parse_term(struct ftrace_cond_term *t, const char **text,
		      const struct ftrace_cond_param *params, unsigned int nr)
{
	const char *at = *text, *end;
	struct comparison c;
	int err;

	while (isalnum(*at) || *at == '_')
		at++;
	c.op = op_at(at);
	if (!c.op || at == *text) {
		*text = at;
		return -EINVAL;
	}
	err = find_arg(&c, *text, at - *text, params, nr);
	if (err)
		return err;

	at += strlen(c.op);
	*text = at;
	end = strstr(at, "&&") ?: at + strlen(at);
	err = read_value(&c, at, end - at) ?: make_term(t, &c);
	if (!err)
		*text = end;
	return err;
}

/**
 * ftrace_cond_parse() - parse a condition
 * @text: comparisons with "&&" between them, each an argument, an operator (==, !=, <,
 *	<=, >, >=, or & for "has one of these bits") and a number. An argument is its
 *	name, or "arg1" to "arg6": a whole register, and signed where it is compared with a
 *	negative number
 * @params: what is known of the arguments, the first one first
 * @nr: number of arguments in @params
 * @pos: on error, set to the offset of the error in @text
 *
 * The syntax is that of uftrace's trigger filters.
 *
 * Context: Process context. May sleep.
 * Return: A reference to the condition; ERR_PTR(-EINVAL) if @text is no condition;
 * -ENOENT if it names an argument that does not exist or is no integer in a register;
 * -ERANGE if a number does not fit its argument, or no value would pass; -E2BIG for
 * more than FTRACE_COND_TERMS comparisons; -ENOMEM if memory is short.
 */
struct ftrace_cond *ftrace_cond_parse(const char *text, const struct ftrace_cond_param *params,
				      unsigned int nr, unsigned int *pos)
{
	struct ftrace_cond_term terms[FTRACE_COND_TERMS];
	const char *at = text;
	struct ftrace_cond *cond;
	unsigned int n = 0;
	int err;

	for (;;) {
		err = n == FTRACE_COND_TERMS ? -E2BIG : parse_term(&terms[n++], &at, params, nr);
		if (err) {
			*pos = at - text;
			return ERR_PTR(err);
		}
		if (!*at)
			break;
		terms[n - 1].more = true;
		at += strlen("&&");
	}

	cond = kzalloc(struct_size(cond, terms, n) + strlen(text) + 1, GFP_KERNEL);
	*pos = 0;
	if (!cond)
		return ERR_PTR(-ENOMEM);
	refcount_set(&cond->refs, 1);
	cond->nr = n;
	memcpy(cond->terms, terms, n * sizeof(*terms));
	cond->text = memcpy(&cond->terms[n], text, strlen(text) + 1);
	return cond;
}

/**
 * ftrace_cond_get() - take a reference to a condition
 * @cond: condition or NULL
 *
 * Context: Any context.
 * Return: @cond.
 */
struct ftrace_cond *ftrace_cond_get(struct ftrace_cond *cond)
{
	if (cond)
		refcount_inc(&cond->refs);
	return cond;
}

/**
 * ftrace_cond_put() - drop a reference to a condition
 * @cond: condition or NULL
 *
 * The last put frees it at once: whoever tests it holds a reference.
 *
 * Context: Any context but NMI.
 */
void ftrace_cond_put(struct ftrace_cond *cond)
{
	if (cond && refcount_dec_and_test(&cond->refs))
		kfree(cond);
}

/* The text alone does not decide: a name can be another argument of another function. */
static bool same(const struct ftrace_cond *a, const struct ftrace_cond *b)
{
	return a->nr == b->nr && !memcmp(a->terms, b->terms, a->nr * sizeof(*a->terms)) &&
	       !strcmp(a->text, b->text);
}

/* Sets of conditions */

static struct ftrace_condset *blank(unsigned int nr, gfp_t gfp)
{
	struct ftrace_condset *set = kzalloc(sizeof(*set) + nr * sizeof(set->on[0]),
					     GFP_KERNEL | gfp);

	if (set)
		refcount_set(&set->refs, 1);
	return set;
}

struct ftrace_condset *ftrace_condset_get(struct ftrace_condset *set)
{
	if (set)
		refcount_inc(&set->refs);
	return set;
}

void ftrace_condset_put(struct ftrace_condset *set)
{
	if (!set || !refcount_dec_and_test(&set->refs))
		return;
	while (set->nr--) {
		ftrace_cond_put(set->on[set->nr].cond);
		ftrace_siteset_put(set->on[set->nr].sites);
	}
	kfree(set);
}

/* Consumes the reference to @sites. NULL: adds nothing. */
static void append(struct ftrace_condset *set, struct ftrace_cond *cond,
		   struct ftrace_siteset *sites)
{
	if (!sites)
		return;
	set->on[set->nr].cond = ftrace_cond_get(cond);
	set->on[set->nr++].sites = sites;
}

static struct ftrace_condset *finish(struct ftrace_condset *set)
{
	if (set->nr)
		return set;
	kfree(set);
	return NULL;
}

/**
 * ftrace_condset_with() - make a set in which some sites have another condition
 * @set: the set; NULL: no site has one
 * @sites: the sites; NULL: none
 * @cond: their condition in the new set; NULL: none
 *
 * Context: Process context. May sleep.
 * Return: A reference; NULL if no site has a condition; ERR_PTR(-E2BIG) if there would
 * be more than FTRACE_CONDS conditions; ERR_PTR(-ENOMEM) if memory is short.
 */
struct ftrace_condset *ftrace_condset_with(struct ftrace_condset *set, struct ftrace_siteset *sites,
					   struct ftrace_cond *cond)
{
	const unsigned int nr = set ? set->nr : 0;
	struct ftrace_siteset *left;
	struct ftrace_condset *new;
	bool found = false;
	unsigned int i;

	if (!sites || (!nr && !cond))
		return ftrace_condset_get(set);
	new = blank(nr + 1, 0);
	if (!new)
		return ERR_PTR(-ENOMEM);

	for (i = 0; i < nr; i++) {
		if (cond && same(set->on[i].cond, cond)) {
			left = ftrace_siteset_or(set->on[i].sites, sites);
			found = true;
		} else {
			left = ftrace_siteset_minus(set->on[i].sites, sites);
		}
		if (IS_ERR(left)) {
			ftrace_condset_put(new);
			return ERR_CAST(left);
		}
		append(new, set->on[i].cond, left);
	}
	if (cond && !found)
		append(new, cond, ftrace_siteset_get(sites));
	if (new->nr > FTRACE_CONDS) {
		ftrace_condset_put(new);
		return ERR_PTR(-E2BIG);
	}
	return finish(new);
}

/**
 * ftrace_condset_without() - make a set without the numbers of a range
 * @set: the set or NULL
 * @first: the first number to remove
 * @end: one past the last number to remove
 *
 * Cannot fail: the allocation is __GFP_NOFAIL.
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL if no site is left.
 */
struct ftrace_condset *ftrace_condset_without(struct ftrace_condset *set, u32 first, u32 end)
{
	struct ftrace_condset *new;
	unsigned int i;

	if (!set)
		return NULL;
	new = blank(set->nr, __GFP_NOFAIL);
	for (i = 0; i < set->nr; i++)
		append(new, set->on[i].cond,
		       ftrace_siteset_without(set->on[i].sites, first, end));
	return finish(new);
}

/**
 * ftrace_condset_sites() - get all sites that have a condition
 * @set: the set or NULL
 *
 * Context: Process context. May sleep.
 * Return: A reference, NULL if there are none, ERR_PTR(-ENOMEM) if memory is short.
 */
struct ftrace_siteset *ftrace_condset_sites(const struct ftrace_condset *set)
{
	struct ftrace_siteset *all = NULL, *more;
	unsigned int i;

	for (i = 0; set && i < set->nr && !IS_ERR(all); i++) {
		more = ftrace_siteset_or(all, set->on[i].sites);
		ftrace_siteset_put(all);
		all = more;
	}
	return all;
}

/**
 * ftrace_condset_of() - get the condition of a site
 * @set: the set or NULL
 * @nr: number of the site
 *
 * Context: Any context in which @set stays valid.
 * Return: The condition, NULL if the site has none.
 */
const struct ftrace_cond *ftrace_condset_of(const struct ftrace_condset *set, u32 nr)
{
	unsigned int i;

	for (i = 0; set && i < set->nr; i++)
		if (ftrace_siteset_has(set->on[i].sites, nr))
			return set->on[i].cond;
	return NULL;
}
