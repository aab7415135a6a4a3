// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions in words of a filter: "FUNCTIONS:if:CONDITION".
 */
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../../trace_btf.h"
#include "filter_cond.h"

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
static struct ftrace_cond_param param_of(const struct btf *btf, const struct btf_param *p)
{
	struct ftrace_cond_param param = { .name = btf_name_by_offset(btf, p->name_off) };
	const struct btf_type *t = btf_type_skip_modifiers(btf, p->type, NULL);

	if (!t)
		return param;
	if (btf_type_is_ptr(t)) {
		param.bits = BITS_PER_LONG;
	} else if ((btf_type_is_int(t) || btf_is_any_enum(t)) && t->size <= sizeof(long)) {
		param.bits = t->size * BITS_PER_BYTE;
		param.is_signed = btf_type_is_int(t) ? btf_type_is_signed_int(t) :
						       btf_type_kflag(t);
	}
	return param;
}

static struct ftrace_cond *parse(const char *func, const char *text, unsigned int *pos)
{
	struct ftrace_cond_param params[FTRACE_REGS_MAX_ARGS];
	const struct btf_param *list;
	const struct btf_type *ret;
	struct ftrace_cond *cond;
	struct btf *btf;
	const struct btf_type *proto = *func ? btf_find_func_proto(func, &btf) : NULL;
	s32 nr, n = 0;

	if (IS_ERR_OR_NULL(proto))
		return ftrace_cond_parse(text, NULL, 0, pos);
	list = btf_get_func_param(proto, &nr);
	/* What is returned in memory may have a register, in front of the arguments. */
	ret = btf_type_skip_modifiers(btf, proto->type, NULL);
	if (ret && __btf_type_is_struct(ret) && ret->size > 2 * sizeof(long))
		list = NULL;
	/* Any other type may take two registers: those of the next arguments are unknown. */
	while (!IS_ERR_OR_NULL(list) && n < nr && n < ARRAY_SIZE(params)) {
		params[n] = param_of(btf, &list[n]);
		if (!params[n++].bits)
			break;
	}
	cond = ftrace_cond_parse(text, params, n, pos);
	btf_put(btf);
	return cond;
}
#else
static struct ftrace_cond *parse(const char *func, const char *text, unsigned int *pos)
{
	return ftrace_cond_parse(text, NULL, 0, pos);
}
#endif

static enum ftrace_why why_bad(int err)
{
	switch (err) {
	case -ENOENT:
		return FTRACE_WHY_NO_ARGUMENT;
	case -ERANGE:
		return FTRACE_WHY_BAD_VALUE;
	case -E2BIG:
		return FTRACE_WHY_MANY_CONDS;
	case -ENOMEM:
		return FTRACE_WHY_NO_MEMORY;
	default:
		return FTRACE_WHY_BAD_COND;
	}
}

/**
 * ftrace_word_cond() - parse the condition of a word
 * @word: "[!]FUNCTIONS", FTRACE_IF and a condition
 * @text: the condition in it
 * @pos: on error, set to its offset in @word
 * @why: on error, set to the reason
 *
 * If @word names one function that BTF knows, its arguments have names, with their types.
 *
 * Context: Process context. May sleep.
 * Return: The condition, a reference; or an error of ftrace_cond_parse(), where -EINVAL
 * stands for -ENOENT and -ERANGE, too.
 */
struct ftrace_cond *ftrace_word_cond(const char *word, const char *text, unsigned int *pos,
				     enum ftrace_why *why)
{
	const char *name = word + (*word == '!');
	char func[KSYM_NAME_LEN];
	struct ftrace_cond *cond;
	size_t len;

	/* Only the name, without module or place; empty for a pattern. */
	len = strcspn(name, " :");
	if (len >= sizeof(func) || strcspn(name, "*?[\\") < len)
		len = 0;
	memcpy(func, name, len);
	func[len] = '\0';

	cond = parse(func, text, pos);
	if (!IS_ERR(cond))
		return cond;
	*pos += text - word;
	*why = why_bad(PTR_ERR(cond));
	if (cond == ERR_PTR(-ENOENT) || cond == ERR_PTR(-ERANGE))
		return ERR_PTR(-EINVAL);
	return cond;
}
