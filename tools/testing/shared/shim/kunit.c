// SPDX-License-Identifier: GPL-2.0
/* Runs all KUnit suites that are linked in. */
#include <stdarg.h>
#include "kunit.h"

struct kunit_suite *shim_suites;

void shim_say(struct kunit *test, const char *file, int line, const char *fmt, ...)
{
	va_list args;

	if (!test->failed) {
		printf("# %s:%d: ", file, line);
		va_start(args, fmt);
		vprintf(fmt, args);
		va_end(args);
		printf("\n");
	}
	test->failed = true;
}

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	(void)gfp;
	BUG_ON(test->nr_memory == ARRAY_SIZE(test->memory));
	return test->memory[test->nr_memory++] = calloc(1, size);
}

static bool run(const struct kunit_suite *suite, const struct kunit_case *c)
{
	struct kunit *test = calloc(1, sizeof(*test));
	bool failed;

	if (!setjmp(test->end))
		c->run(test);
	rcu_barrier();
	shim_fail_in = 0;
	failed = test->failed;
	printf("%s - %s: %s\n", failed ? "not ok" : "ok", suite->name, c->name);
	while (test->nr_memory)
		free(test->memory[--test->nr_memory]);
	free(test);
	return failed;
}

int main(void)
{
	const struct kunit_suite *suite;
	const struct kunit_case *c;
	bool failed = !shim_suites;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (suite = shim_suites; suite; suite = suite->next) {
		for (c = suite->test_cases; c->run; c++)
			failed |= run(suite, c);
	}
	return failed;
}
