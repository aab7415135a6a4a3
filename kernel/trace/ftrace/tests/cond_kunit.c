// SPDX-License-Identifier: GPL-2.0
/* Conditions, compared with what C says of the values; sets of them, with arrays. */
#include "model.h"
#include <linux/ftrace.h>
#include <linux/ftrace_regs.h>
#include "../sites/cond.h"

/* Registers, as words: which of them has an argument depends on the architecture. */
struct regs {
	unsigned long words[sizeof(struct __arch_ftrace_regs) / sizeof(long)];
};

static unsigned long arg_of(struct regs *regs, unsigned int n)
{
	return ftrace_regs_get_argument((struct ftrace_regs *)regs, n);
}

/* Set argument @n, by looking for the word that it is read from. */
static void set_arg(struct regs *regs, unsigned int n, unsigned long value)
{
	struct regs numbers;

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers.words); i++)
		numbers.words[i] = i;
	regs->words[arg_of(&numbers, n)] = value;
}

static bool passes(const struct ftrace_cond *cond, const struct regs *regs)
{
	return ftrace_cond_passes(cond, (const struct ftrace_regs *)regs);
}

static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };

static bool compare(unsigned int op, bool is_signed, unsigned long a, unsigned long b)
{
	const long sa = a, sb = b;

	switch (op) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return is_signed ? sa < sb : a < b;
	case 3:
		return is_signed ? sa <= sb : a <= b;
	case 4:
		return is_signed ? sa > sb : a > b;
	case 5:
		return is_signed ? sa >= sb : a >= b;
	default:
		return a & b;
	}
}

/* @value as an argument of @bits bits: the bits above these do not count. */
static unsigned long as_type(unsigned long value, u8 bits, bool is_signed)
{
	const unsigned int shift = BITS_PER_LONG - bits;

	return is_signed ? (unsigned long)((long)(value << shift) >> shift) :
			   value << shift >> shift;
}

static void every_operator_means_what_it_says(struct kunit *test)
{
	static const u8 sizes[] = { 8, 16, 32, BITS_PER_LONG };
	u64 state = 3;

	for (unsigned int n = 0; n < 20000; n++) {
		struct ftrace_cond_param params[3] = { { "a", 8 }, { "b", 16, true } };
		const unsigned int op = dice(&state, ARRAY_SIZE(ops));
		const bool whole = dice(&state, 2);
		const u8 bits = whole ? BITS_PER_LONG : sizes[dice(&state, ARRAY_SIZE(sizes))];
		const char *arg = whole ? "arg3" : "count";
		bool is_signed = dice(&state, 2);
		unsigned long limit, value, none = 0;
		struct ftrace_cond *cond;
		struct regs regs;
		unsigned int pos;
		char text[48];

		/* What is known of "arg3" does not matter. */
		params[2] = (struct ftrace_cond_param){ "count", whole ? 16 : bits, is_signed };
		/* Around 0 and both ends, where a range wraps around. */
		limit = dice(&state, 7) - 3;
		if (dice(&state, 2))
			limit += 1UL << (bits - 1);
		limit = as_type(limit, bits, is_signed);
		if (whole)
			is_signed &= (long)limit < 0;
		snprintf(text, sizeof(text), is_signed ? "%s%s%ld" : "%s%s%#lx", arg, ops[op],
			 limit);

		cond = ftrace_cond_parse(text, params, 3, &pos);
		for (unsigned int i = 0; i < 24; i++) {
			memset(&regs, i, sizeof(regs));
			value = limit + dice(&state, 7) - 3;
			if (dice(&state, 3) == 0)
				value += 1UL << (bits - 1);
			set_arg(&regs, 2, value);
			value = as_type(value, bits, is_signed);
			if (!IS_ERR(cond))
				KUNIT_EXPECT_EQ_MSG(test, passes(cond, &regs),
						    compare(op, is_signed, value, limit),
						    "%s with %#lx, %u bits", text, value, bits);
			none |= compare(op, is_signed, value, limit);
		}
		/* A condition that no value would pass is refused. */
		if (IS_ERR(cond)) {
			KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(cond), -ERANGE, "%s", text);
			KUNIT_EXPECT_EQ_MSG(test, none, 0, "%s", text);
			continue;
		}
		KUNIT_EXPECT_STREQ(test, cond->text, text);
		ftrace_cond_put(cond);
	}
}

static void all_comparisons_have_to_hold(struct kunit *test)
{
	struct ftrace_cond *cond;
	struct regs regs = { };
	unsigned int pos;

	cond = ftrace_cond_parse("arg1>=10&&arg2&0x6&&arg1<20", NULL, 0, &pos);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(cond));
	KUNIT_EXPECT_EQ(test, cond->nr, 3);
	for (unsigned int a = 0; a < 30; a++) {
		for (unsigned int b = 0; b < 9; b++) {
			set_arg(&regs, 0, a);
			set_arg(&regs, 1, b);
			KUNIT_EXPECT_EQ(test, passes(cond, &regs), a >= 10 && (b & 6) && a < 20);
		}
	}
	ftrace_cond_put(cond);

	/* The argument's type is not known: a minus says that it is signed. */
	cond = ftrace_cond_parse("arg1<-1", NULL, 0, &pos);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(cond));
	set_arg(&regs, 0, -2);
	KUNIT_EXPECT_TRUE(test, passes(cond, &regs));
	set_arg(&regs, 0, 5);
	KUNIT_EXPECT_FALSE(test, passes(cond, &regs));
	ftrace_cond_put(cond);
}

static void what_is_no_condition_is_refused(struct kunit *test)
{
	static const struct ftrace_cond_param params[] = {
		{ "inode", BITS_PER_LONG }, { "mode", 16 }, { "key", 0 },
	};
	static const struct {
		const char *text;
		int nr, err;
		unsigned int pos;
	} wrong[] = {
		{ "", 0, -EINVAL, 0 },
		{ "arg1", 0, -EINVAL, 4 },
		{ "arg1=5", 0, -EINVAL, 4 },
		{ ">5", 0, -EINVAL, 0 },
		{ "arg1>", 0, -EINVAL, 5 },
		{ "arg1>x", 0, -EINVAL, 5 },
		{ "arg1>5x", 0, -EINVAL, 5 },
		{ "arg1>0x10000000000000000", 0, -ERANGE, 5 },
		{ "arg1>00000000000000000000000001", 0, -EINVAL, 5 },
		{ "arg1>5&&", 0, -EINVAL, 8 },
		{ "arg1>5&&&arg2>1", 0, -EINVAL, 8 },
		{ "arg1>5 ", 0, -EINVAL, 5 },
		{ "arg0>5", 0, -ENOENT, 0 },
		{ "arg9>5", 0, -ENOENT, 0 },
		{ "arg12>5", 0, -ENOENT, 0 },
		{ "mode>5", 0, -ENOENT, 0 },
		{ "arg1<0", 0, -ERANGE, 5 },
		{ "arg1&0", 0, -ERANGE, 5 },
		{ "mode>5", 1, -ENOENT, 0 },
		{ "mode>5&&mode>65535", 3, -ERANGE, 13 },
		{ "mode==65536", 3, -ERANGE, 6 },
		{ "mode==-1", 3, -ERANGE, 6 },
		{ "mode==-x", 3, -EINVAL, 6 },
		{ "arg2<0", 3, -ERANGE, 5 },
		{ "key==1", 3, -ENOENT, 0 },
		{ "mod==1", 3, -ENOENT, 0 },
		{ "arg1>1&&arg1>1&&arg1>1&&arg1>1&&arg1>1&&arg1>1&&arg1>1&&arg1>1&&arg1>1",
		  0, -E2BIG, 64 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		unsigned int pos = 1000;
		struct ftrace_cond *cond;

		cond = ftrace_cond_parse(wrong[i].text, params, wrong[i].nr, &pos);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(cond), wrong[i].err, "%s", wrong[i].text);
		KUNIT_EXPECT_EQ_MSG(test, pos, wrong[i].pos, "%s", wrong[i].text);
		if (!IS_ERR(cond))
			ftrace_cond_put(cond);
	}
}

#define NR_CONDS	4

static void a_site_has_the_condition_it_got_last(struct kunit *test)
{
	struct ftrace_condset *set = NULL, *next;
	struct ftrace_cond *conds[NR_CONDS + 1] = { };
	struct model *some = kunit_kzalloc(test, sizeof(*some), GFP_KERNEL);
	u8 *truth = kunit_kzalloc(test, MODEL_SIZE, GFP_KERNEL);
	unsigned int pos;
	u64 state = 9;

	KUNIT_ASSERT_NOT_NULL(test, some);
	KUNIT_ASSERT_NOT_NULL(test, truth);
	/* The last one is equal to the one before. */
	for (u32 i = 1; i <= NR_CONDS; i++) {
		char text[16];

		snprintf(text, sizeof(text), "arg1>%u", min(i, NR_CONDS - 1U));
		conds[i] = ftrace_cond_parse(text, NULL, 0, &pos);
		KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(conds[i]));
	}

	for (u32 n = 0; n < 500; n++) {
		const u32 first = dice(&state, MODEL_SIZE), end = first + dice(&state, 40);
		u32 which = dice(&state, NR_CONDS + 1);
		struct ftrace_siteset *sites;

		if (dice(&state, 4)) {
			model_fill(some, 0, 1 + dice(&state, 60), &state);
			sites = model_set(test, some);
			next = ftrace_condset_with(set, sites, conds[which]);
			ftrace_siteset_put(sites);
			for (u32 i = 0; i < MODEL_SIZE; i++)
				if (some->has[i])
					truth[i] = min_t(u32, which, NR_CONDS - 1);
		} else {
			next = ftrace_condset_without(set, first, end);
			for (u32 i = first; i < min_t(u32, end, MODEL_SIZE); i++)
				truth[i] = 0;
		}
		KUNIT_ASSERT_FALSE(test, IS_ERR(next));
		ftrace_condset_put(set);
		set = next;

		sites = ftrace_condset_sites(set);
		KUNIT_ASSERT_FALSE(test, IS_ERR(sites));
		KUNIT_ASSERT_FALSE(test, set && set->nr >= NR_CONDS);
		for (u32 i = 0; i < MODEL_SIZE; i++) {
			const struct ftrace_cond *cond = ftrace_condset_of(set, i);

			KUNIT_ASSERT_EQ(test, ftrace_siteset_has(sites, i), truth[i] != 0);
			KUNIT_ASSERT_EQ(test, !cond, !truth[i]);
			if (cond)
				KUNIT_EXPECT_STREQ(test, cond->text, conds[truth[i]]->text);
		}
		ftrace_siteset_put(sites);
	}
	ftrace_condset_put(set);
	for (u32 i = 1; i <= NR_CONDS; i++)
		ftrace_cond_put(conds[i]);
}

static void a_filter_has_so_many_conditions(struct kunit *test)
{
	struct ftrace_condset *set = NULL, *next;
	struct ftrace_siteset *site;
	struct ftrace_cond *cond;
	unsigned int pos, i;
	char text[16];

	for (i = 0; i <= FTRACE_CONDS; i++) {
		snprintf(text, sizeof(text), "arg1>%u", i);
		cond = ftrace_cond_parse(text, NULL, 0, &pos);
		site = ftrace_siteset_range(i, i + 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(cond) || IS_ERR_OR_NULL(site));
		next = ftrace_condset_with(set, site, cond);
		ftrace_cond_put(cond);
		ftrace_siteset_put(site);
		if (IS_ERR(next))
			break;
		ftrace_condset_put(set);
		set = next;
	}
	KUNIT_EXPECT_EQ(test, i, FTRACE_CONDS);
	KUNIT_EXPECT_PTR_EQ(test, next, ERR_PTR(-E2BIG));
	KUNIT_EXPECT_EQ(test, set->nr, FTRACE_CONDS);
	ftrace_condset_put(set);
}

static struct kunit_case cond_cases[] = {
	KUNIT_CASE(every_operator_means_what_it_says),
	KUNIT_CASE(all_comparisons_have_to_hold),
	KUNIT_CASE(what_is_no_condition_is_refused),
	KUNIT_CASE(a_site_has_the_condition_it_got_last),
	KUNIT_CASE(a_filter_has_so_many_conditions),
	{}
};

static struct kunit_suite cond_suite = {
	.name = "ftrace_cond",
	.test_cases = cond_cases,
};

kunit_test_suite(cond_suite);

MODULE_DESCRIPTION("Tests of conditions on functions' arguments");
MODULE_LICENSE("GPL");
