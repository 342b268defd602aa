/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of ways to one state at one price, levels goes on from one; what the price is, these programs show. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "prog.h"
#include "vtb/strategies.h"

enum { X, Y, W, Q };

static void add_all(struct prog *p, int thread, const struct prog_instr *code, size_t n)
{
	for (size_t i = 0; i < n; i++)
		prog_add(p, thread, code[i]);
}
/* clang-format off */
#define ADD(thread, ...)                                                                 \
	do {                                                                             \
		const struct prog_instr code[] = { __VA_ARGS__ };                        \
		add_all(&p, thread, code, sizeof(code) / sizeof(code[0]));               \
	} while (0)
#define READ(var) { .code = P_READ, .obj = var }
#define WRITE(var, value) { .code = P_WRITE, .obj = var, .k = value }
#define UNLESS(value, skipped) { .code = P_SKIP, .k = value, .n = skipped }
#define FAIL_IF(value) { .code = P_ASSERT_NE, .k = value }
/* clang-format on */

struct lowest {
	bool fails;
	struct vtb_tuple at;
};

static enum vtb_search_reply note(struct vtb_search *search, const struct vtb_schedule *schedule,
                                  const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct lowest *l = data;

	(void)search;
	(void)schedule;
	assert_int_equal(x->outcome.verdict, VTB_V_ASSERTION);
	if (!l->fails || tuple.c < l->at.c || (tuple.c == l->at.c && tuple.v < l->at.v))
		*l = (struct lowest){ true, tuple };
	return VTB_SEARCH_GO_ON;
}

/* It fails with two preemptions at one variable, and not with less. */
static void check_two_at_one(const struct prog *p, uint32_t v)
{
	struct lowest l = { 0 };
	const struct vtb_search_calls calls = { .failing = note, .data = &l };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	struct vtb_error err;

	vtb_search_opts_init(&opts);
	opts.strategy = "levels";
	opts.c = 2;
	opts.v = v;
	opts.t = PROG_THREADS;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, &err), 0);
	assert_int_equal(vtb_search_run(search, &calls, &err), VTB_SEARCH_EXHAUSTED);
	vtb_search_free(search);
	vtb_runner_free(runner);
	assert_true(l.fails);
	assert_int_equal(l.at.c, 2);
	assert_int_equal(l.at.v, 1);
}

/* Thread 4 is stopped behind its write of X, or behind its read of Y, while 3 runs: the same state comes of it. What 2
 * needs then is charged to Y. */
static void levels_goes_by_which_variables_were_charged(void **state)
{
	struct prog p = { .n_threads = 5, .n_vars = 4 };

	(void)state;
	prog_create_all(&p);
	ADD(4, WRITE(X, 1), READ(Y), READ(W), UNLESS(1, 1), WRITE(W, 2));
	ADD(3, READ(X), UNLESS(1, 1), WRITE(W, 1));
	ADD(2, READ(W), UNLESS(2, 3), WRITE(Y, 2), READ(Q), FAIL_IF(1));
	ADD(1, READ(Y), UNLESS(2, 1), WRITE(Q, 1));
	prog_join_all(&p);
	check_two_at_one(&p, 2);
}

/* Thread 5 is stopped for 2 behind its write of X and, so that 4 comes next, behind its read; or there only, with 1
 * before it all: the same state comes of it. What 4 needs then is one preemption more, at X, too. */
static void levels_goes_by_how_often_threads_were_stopped(void **state)
{
	struct prog p = { .n_threads = 6, .n_vars = 4 };

	(void)state;
	prog_create_all(&p);
	ADD(5, WRITE(X, 1), READ(Y), UNLESS(1, 7), READ(X), UNLESS(1, 5), READ(W), UNLESS(1, 3), READ(Q), UNLESS(1, 1),
	    FAIL_IF(1));
	ADD(4, READ(W), UNLESS(1, 2), WRITE(X, 2), WRITE(X, 3));
	ADD(3, READ(X), UNLESS(2, 1), WRITE(Q, 1));
	ADD(2, READ(X), UNLESS(1, 1), WRITE(W, 1));
	ADD(1, WRITE(Y, 1));
	prog_join_all(&p);
	check_two_at_one(&p, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_goes_by_which_variables_were_charged),
		cmocka_unit_test(levels_goes_by_how_often_threads_were_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
