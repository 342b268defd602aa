/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a failure.json holds besides its run: causes with their repairs, a run that passes, lines of source. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "../fail_alloc.h"
#include "../sample.h"
#include "vtb/failure.h"

static struct vtb_cause_op op(const char *thread, uint32_t number, const char *kind, uint32_t line)
{
	return (struct vtb_cause_op){ .thread = (char *)thread,
		                      .op = number,
		                      .kind = (char *)kind,
		                      .variable = (char *)"account.balance",
		                      .function = (char *)"deposit",
		                      .file = (char *)"a \"quoted\"\n.c",
		                      .line = line };
}

/* Two causes: one with two orders and two repairs, one with an operation that had still to come and nothing else. */
static void sample_causes(struct vtb_causes *ret)
{
	struct vtb_cause_order two[] = { { op("0.0", 3, "read", 14), op("0.1", 4, "write", 16), 2 },
		                         { op("0.1", 3, "read", 14), op("0.0", 4, "write", 16), 1 } };
	struct vtb_cause_order one[] = { { op("0", 9, "read", 42), op("0.1", 0, "write", 16), 1 } };
	struct vtb_cause_repair repairs[] = { { (char *)"one-step", (char *)"Hold `m` over it.", 201 },
		                              { (char *)"join", (char *)"Wait for 0.1.", UINT64_MAX } };
	const struct vtb_cause first = { .orders = two,
		                         .n_orders = 2,
		                         .class = (char *)"atomicity-violation",
		                         .detail = (char *)"all of it at a.c:7",
		                         .lock = (char *)"one-side",
		                         .guard = op("0.1", 4, "write", 16),
		                         .exhausted = true,
		                         .failing = 7,
		                         .variants = 2,
		                         .repairs = repairs,
		                         .n_repairs = 2,
		                         .rejected = 3 };
	const struct vtb_cause second = { .orders = one,
		                          .n_orders = 1,
		                          .class = (char *)"order-violation",
		                          .lock = (char *)"",
		                          .smallest = true,
		                          .failing = 1,
		                          .variants = 1 };

	*ret = (struct vtb_causes){ .runs = 300,
		                    .passing = 20,
		                    .failing = 8,
		                    .orders = 51,
		                    .chances_left_out = true,
		                    .exhausted = true,
		                    .explained = true };
	assert_int_equal(vtb_causes_add(ret, &first), 0);
	assert_int_equal(vtb_causes_add(ret, &second), 0);
}

static void sample_parts(struct vtb_failure *f)
{
	sample_failure(f);
	sample_causes(&f->causes);
	sample_trace(&f->passing, 2);
	assert_int_equal(vtb_excerpts_begin(&f->sources, "a.c", 13), 0);
	assert_int_equal(vtb_excerpts_line(&f->sources, "long seen = account.balance;\t/* <&> */"), 0);
	assert_int_equal(vtb_excerpts_line(&f->sources, ""), 0);
	assert_int_equal(vtb_excerpts_begin(&f->sources, "b.c", 1), 0);
	assert_int_equal(vtb_excerpts_line(&f->sources, "int main(void)"), 0);
}

static void same_op(const struct vtb_cause_op *a, const struct vtb_cause_op *b)
{
	assert_string_equal(a->thread, b->thread);
	assert_int_equal(a->op, b->op);
	assert_string_equal(a->kind, b->kind);
	assert_string_equal(a->variable, b->variable);
	assert_string_equal(a->function, b->function);
	assert_string_equal(a->file, b->file);
	assert_int_equal(a->line, b->line);
}

static void same_cause(const struct vtb_cause *a, const struct vtb_cause *b)
{
	assert_string_equal(a->class, b->class);
	assert_string_equal(a->detail ? a->detail : "", b->detail);
	assert_string_equal(a->lock, b->lock);
	same_op(&a->guard, &b->guard);
	assert_int_equal(a->exhausted, b->exhausted);
	assert_int_equal(a->smallest, b->smallest);
	assert_int_equal(a->failing, b->failing);
	assert_int_equal(a->variants, b->variants);
	assert_int_equal(a->rejected, b->rejected);
	assert_int_equal(a->n_orders, b->n_orders);
	for (size_t i = 0; i < a->n_orders; i++) {
		same_op(&a->orders[i].before, &b->orders[i].before);
		same_op(&a->orders[i].after, &b->orders[i].after);
		assert_int_equal(a->orders[i].merged, b->orders[i].merged);
	}
	assert_int_equal(a->n_repairs, b->n_repairs);
	for (size_t i = 0; i < a->n_repairs; i++) {
		assert_string_equal(a->repairs[i].kind, b->repairs[i].kind);
		assert_string_equal(a->repairs[i].text, b->repairs[i].text);
		assert_int_equal(a->repairs[i].schedules, b->repairs[i].schedules);
	}
}

static void write_and_read(const struct vtb_failure *a, struct vtb_failure *b)
{
	struct vtb_error err = { 0 };

	assert_int_equal(vtb_failure_write(a, in_dir("parts.json"), &err), 0);
	if (vtb_failure_read(in_dir("parts.json"), b, &err) < 0)
		fail_msg("%s:%u: %s", err.path, err.line, err.text);
}

static void causes_come_back_as_they_were(void **state)
{
	struct vtb_failure a, b;

	(void)state;
	sample_parts(&a);
	write_and_read(&a, &b);
	assert_int_equal(b.causes.n_causes, 2);
	for (size_t i = 0; i < 2; i++)
		same_cause(&a.causes.causes[i], &b.causes.causes[i]);
	assert_int_equal(b.causes.runs, 300);
	assert_int_equal(b.causes.passing, 20);
	assert_int_equal(b.causes.failing, 8);
	assert_int_equal(b.causes.orders, 51);
	assert_true(b.causes.exhausted && b.causes.explained && b.causes.chances_left_out);
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

static void the_run_that_passes_comes_back_as_it_was(void **state)
{
	struct vtb_failure a, b;

	(void)state;
	sample_parts(&a);
	write_and_read(&a, &b);
	assert_int_equal(b.passing.n_events, a.passing.n_events);
	assert_true(b.passing.n_events > 0 && b.passing.n_events != b.trace.n_events);
	assert_memory_equal(b.passing.events, a.passing.events, a.passing.n_events * sizeof(*a.passing.events));
	assert_int_equal(b.passing.tab.n_threads, a.passing.tab.n_threads);
	assert_int_equal(b.passing.tab.n_sites, a.passing.tab.n_sites);
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

static void lines_of_source_come_back_as_they_were(void **state)
{
	struct vtb_failure a, b;

	(void)state;
	sample_parts(&a);
	write_and_read(&a, &b);
	assert_int_equal(b.sources.n_excerpts, a.sources.n_excerpts);
	for (size_t i = 0; i < a.sources.n_excerpts; i++) {
		const struct vtb_excerpt *l = &a.sources.excerpts[i], *r = &b.sources.excerpts[i];

		assert_string_equal(l->file, r->file);
		assert_int_equal(l->first, r->first);
		assert_int_equal(l->n_lines, r->n_lines);
		for (size_t k = 0; k < l->n_lines; k++)
			assert_string_equal(l->lines[k], r->lines[k]);
	}
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

/* Nothing looked for is not the same as nothing found. */
static void causes_that_were_not_looked_for_are_left_out(void **state)
{
	struct vtb_failure a, b;

	(void)state;
	sample_failure(&a);
	write_and_read(&a, &b);
	assert_int_equal(b.causes.runs, 0);
	assert_int_equal(b.causes.n_causes, 0);
	vtb_failure_fini(&b);
	a.causes = (struct vtb_causes){ .runs = 12, .passing = 11, .failing = 1 };
	write_and_read(&a, &b);
	assert_int_equal(b.causes.runs, 12);
	assert_int_equal(b.causes.n_causes, 0);
	assert_false(b.causes.explained);
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

static void reading_survives_every_failing_allocation(void **state)
{
	struct vtb_failure a, b;
	int r = -1, n = 0;

	(void)state;
	sample_parts(&a);
	assert_int_equal(vtb_failure_write(&a, in_dir("mem.json"), NULL), 0);
	while (r < 0) {
		const char *path = in_dir("mem.json");

		fail_in = ++n;
		r = vtb_failure_read(path, &b, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_true(n > 40);
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_come_back_as_they_were),
		cmocka_unit_test(the_run_that_passes_comes_back_as_it_was),
		cmocka_unit_test(lines_of_source_come_back_as_they_were),
		cmocka_unit_test(causes_that_were_not_looked_for_are_left_out),
		cmocka_unit_test(reading_survives_every_failing_allocation),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
