/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repairs: those that close every core hold, others are rejected. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "by_place.h"
#include "failing.h"
#include "repairs/repairs.h"
#include "vtb/exec_waits.h"

struct repaired {
	struct vtb_runner *runner;
	struct vtb_cores cores;
	struct vtb_core_repairs repairs;
};

static const struct vtb_core_repair_opts bound = { .c = 2, .v = 2 };

static void begin(const struct prog *p, struct repaired *ret)
{
	const struct vtb_cores_opts opts = { 0 };
	struct vtb_exec failing = { 0 };

	*ret = (struct repaired){ .runner = by_place_runner(p) };
	assert_true(find_failing(ret->runner, &failing));
	assert_int_equal(vtb_cores_find(ret->runner, &failing, &opts, &ret->cores, NULL), 0);
	assert_int_equal(vtb_cores_repair(ret->runner, &ret->cores, &bound, &ret->repairs, NULL), 0);
	vtb_exec_fini(&failing);
}

static void end(struct repaired *r)
{
	vtb_core_repairs_fini(&r->repairs);
	vtb_cores_fini(&r->cores);
	vtb_runner_free(r->runner);
}

static int try_it(struct repaired *r, const struct repair *repair, uint64_t *ret_schedules)
{
	struct vtb_exec passing;
	const int held = repair_try(r->runner, repair, &bound, ret_schedules, &passing, NULL);

	assert_true(passing.n_events == 0 || *ret_schedules > 0);
	vtb_exec_fini(&passing);
	return held;
}

static int try_lines(struct repaired *r, const struct repair *repair, uint64_t *ret_schedules)
{
	struct vtb_exec passing;
	const int held = repair_try_lines(r->runner, repair, &bound, ret_schedules, &passing, NULL);

	vtb_exec_fini(&passing);
	return held;
}

static void increments(struct prog *p)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 1 };
	prog_create_all(p);
	for (int t = 1; t <= 2; t++) {
		prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		prog_add(p, t, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
	}
	prog_join_all(p);
	prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
}

static void pieces_that_must_be_one_step_are_told(void **state)
{
	struct repaired r;
	struct prog p;

	(void)state;
	increments(&p);
	begin(&p, &r);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_string_equal(r.repairs.repairs[0].kind, "one-step");
	assert_true(r.repairs.repairs[0].schedules > 1);
	assert_non_null(strstr(r.repairs.repairs[0].text, "one step"));
	end(&r);
}

/* The value is read before the lock is taken under which it is written: that lock is the one to hold. */
static void a_lock_that_guards_a_part_is_named(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .n_locks = 1 };
	struct repaired r;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++) {
		prog_add(&p, t, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_LOCK, .obj = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
		prog_add(&p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = 0 });
	}
	prog_join_all(&p);
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
	begin(&p, &r);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_non_null(strstr(r.repairs.repairs[0].text, " already, hold it over all of each."));
	end(&r);
}

/* Read under the lock, written under the lock, and let go in between. */
static void a_lock_that_is_let_go_in_between_is_named(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .n_locks = 1 };
	struct repaired r;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++)
		for (int half = 0; half < 2; half++) {
			prog_add(&p, t, (struct prog_instr){ .code = P_LOCK, .obj = 0 });
			prog_add(&p, t,
			         (struct prog_instr){ .code = half ? P_STORE : P_READ, .obj = 0, .reg = 0, .k = half });
			prog_add(&p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = 0 });
		}
	prog_join_all(&p);
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
	begin(&p, &r);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_non_null(strstr(r.repairs.repairs[0].text,
	                       " is held at both ends of each, but let go in between: hold it throughout."));
	end(&r);
}

/* x = y = 0 against x = y = 1: one repair for both cores. */
static void one_repair_covers_all_cores(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 2, .start = { 5, 5 } };
	struct repaired r;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++)
		for (int var = 0; var < 2; var++)
			prog_add(&p, t, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = t });
	prog_join_all(&p);
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
	begin(&p, &r);
	assert_int_equal(r.cores.n_cores, 2);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_string_equal(r.repairs.repairs[0].kind, "one-step");
	assert_int_equal(r.repairs.rejected, 0);
	end(&r);
}

/* A reader under a lock that comes before the writer, which needs that lock: it must wait before it takes it. */
static void an_order_is_waited_for_before_a_lock_is_taken(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .n_locks = 1 };
	struct repaired r;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++) {
		prog_add(&p, t, (struct prog_instr){ .code = P_LOCK, .obj = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = t == 1 ? P_WRITE : P_READ, .obj = 0, .k = 1, .reg = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = 0 });
	}
	prog_add(&p, 2, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 1 });
	prog_join_all(&p);
	begin(&p, &r);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_string_equal(r.repairs.repairs[0].kind, "order");
	end(&r);
}

/* What must come first is what comes after: it waits for ever. */
static void an_order_that_gets_stuck_is_rejected(void **state)
{
	struct repair wrong;
	struct repaired r;
	struct prog p;
	uint64_t schedules;

	(void)state;
	increments(&p);
	begin(&p, &r);
	wrong = (struct repair){ .core = r.cores.cores, .n_flips = 1 };
	wrong.flips[0].run = &r.cores.cores[0].exec;
	for (size_t i = 0; i < r.cores.cores[0].n_literals; i++) {
		const struct vtb_order_literal *l = &r.cores.cores[0].literals[i];

		if (l->before.thread == 1)
			wrong.flips[0].from = wrong.flips[0].later = l->before;
		else
			wrong.flips[0].sooner = l->after; /* of thread 1, too: its store, before its read */
	}
	assert_int_equal(wrong.flips[0].sooner.thread, 1);
	assert_int_equal(try_it(&r, &wrong, &schedules), 0);
	assert_int_equal(schedules, 0);
	end(&r);
}

/* One step of the store alone leaves the read outside. */
static void a_step_that_is_too_small_is_rejected(void **state)
{
	struct repair narrow;
	struct repaired r;
	struct prog p;
	uint64_t schedules;

	(void)state;
	increments(&p);
	begin(&p, &r);
	assert_int_equal(repair_propose(&r.cores, r.runner->tab, &bound, 0, &narrow), 1);
	assert_int_equal(narrow.n_pieces, 2);
	assert_int_equal(try_it(&r, &narrow, &schedules), 1);
	for (size_t i = 0; i < 2; i++)
		narrow.pieces[i].first = narrow.pieces[i].from = narrow.pieces[i].last;
	assert_int_equal(try_it(&r, &narrow, &schedules), 0);
	end(&r);
}

static void where_orders_go_round_nobody_is_told_to_come_first(void **state)
{
	struct repair first, second;
	struct repaired r;
	struct prog p;

	(void)state;
	increments(&p);
	begin(&p, &r);
	assert_int_equal(repair_propose(&r.cores, r.runner->tab, &bound, 0, &first), 1);
	assert_string_equal(first.kind, "one-step");
	/* of one variable: there is nothing smaller, and nothing wider */
	assert_int_equal(repair_propose(&r.cores, r.runner->tab, &bound, 1, &second), 0);
	end(&r);
}

/* Nothing is enforced: runs in which nobody comes between are there anyway. */
static void steps_are_tried_by_their_lines(void **state)
{
	struct repaired r;
	struct repair repair;
	struct prog p;
	uint64_t schedules = 0;

	(void)state;
	increments(&p);
	begin(&p, &r);
	assert_int_equal(repair_propose(&r.cores, r.runner->tab, &bound, 0, &repair), 1);
	assert_int_equal(try_lines(&r, &repair, &schedules), 1);
	assert_true(schedules >= 8);
	repair.pieces[0].last = repair.pieces[0].first; /* the read alone: the write may be lost as before */
	repair.pieces[1].last = repair.pieces[1].first;
	assert_int_equal(try_lines(&r, &repair, &schedules), 0);
	repair.n_pieces = 1; /* with one thread there is nothing that it could come between */
	assert_int_equal(try_lines(&r, &repair, &schedules), 0);
	end(&r);
}

/* Who comes too early reads what is not there yet. */
static void orders_are_tried_by_their_lines(void **state)
{
	struct prog p = { .n_threads = 4, .n_vars = 2 };
	struct repaired r;
	struct repair repair;
	uint64_t schedules = 0;

	(void)state;
	prog_create_all(&p);
	prog_add(&p, 1, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = 1 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 1 });
	for (int i = 0; i < 3; i++) /* beside the point: there are more runs */
		prog_add(&p, 3, (struct prog_instr){ .code = P_WRITE, .obj = 1, .k = i });
	prog_join_all(&p);
	begin(&p, &r);
	assert_int_equal(repair_propose(&r.cores, r.runner->tab, &bound, 0, &repair), 1);
	assert_int_equal(repair.n_flips, 1);
	assert_int_equal(try_lines(&r, &repair, &schedules), 1);
	assert_true(schedules >= 8);
	repair.flips[0].end = true; /* lines say nothing of a thread's end */
	assert_int_equal(try_lines(&r, &repair, &schedules), 0);
	end(&r);
}

/* "A to B", of those that must be one step. */
static int count_ranges(const char *text)
{
	const char *end = strstr(text, " must each be one step");
	int n = 0;

	assert_non_null(end);
	for (const char *at = strstr(text, " to "); at && at < end; at = strstr(at + 1, " to "))
		n++;
	return n;
}

/* Who reads both must not be disturbed; who writes both need not do it in one step, as nothing is wrong while only the
 * first is written. */
static void of_two_steps_one_may_be_none(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 2, .start = { 1, 1 } };
	struct repaired r;

	(void)state;
	prog_create_all(&p);
	prog_add(&p, 1, (struct prog_instr){ .code = P_WRITE, .obj = 0, .k = 0 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_WRITE, .obj = 1, .k = 0 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
	prog_add(&p, 2, (struct prog_instr){ .code = P_ASSERT_LE, .reg = 0, .reg2 = 1 });
	prog_join_all(&p);
	begin(&p, &r);
	assert_int_equal(r.repairs.n_repairs, 1);
	assert_int_equal(count_ranges(r.repairs.repairs[0].text), 1);
	end(&r);
}

/* Main puts something into q and sets stop; the other thread looks at q only if it finds stop unset. */
static void what_a_thread_leaves_out_is_what_it_reads_in_the_run_that_passes(void **state)
{
	enum { Q = 8, STOP = 16 };
	struct vtb_event failing[] = { { .kind = VTB_E_WRITE, .site = 1, .addr = Q, .size = 4 },
		                       { .kind = VTB_E_WRITE, .site = 2, .addr = STOP, .size = 4 },
		                       { .kind = VTB_E_READ, .thread = 1, .site = 3, .addr = STOP, .size = 4 },
		                       { .kind = VTB_E_THREAD_END, .thread = 1 } };
	struct vtb_event passing[] = { failing[0],
		                       failing[2],
		                       { .kind = VTB_E_READ, .thread = 1, .site = 4, .addr = Q, .size = 4 },
		                       failing[1],
		                       failing[3] };
	const struct vtb_exec fails = { .events = failing, .n_events = 4 },
	                      passes = { .events = passing, .n_events = 5 },
	                      lives = { .events = failing, .n_events = 3 };
	struct repair r = { .n_flips = 1, .passing = &passes };

	(void)state;
	r.flips[0] = (struct repair_flip){ .later = { .thread = 0, .kind = VTB_E_WRITE, .site = 2 },
		                           .sooner = { .thread = 1, .kind = VTB_E_READ, .site = 3 },
		                           .run = &fails };
	assert_int_equal(repair_left_out(&r), 2);
	r.flips[0].run = &lives;
	assert_true(repair_left_out(&r) == VTB_EVENT_NONE);
	r.flips[0].run = &passes;
	assert_true(repair_left_out(&r) == VTB_EVENT_NONE);
	r.passing = NULL;
	assert_true(repair_left_out(&r) == VTB_EVENT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_that_must_be_one_step_are_told),
		cmocka_unit_test(a_lock_that_guards_a_part_is_named),
		cmocka_unit_test(a_lock_that_is_let_go_in_between_is_named),
		cmocka_unit_test(one_repair_covers_all_cores),
		cmocka_unit_test(what_a_thread_leaves_out_is_what_it_reads_in_the_run_that_passes),
		cmocka_unit_test(steps_are_tried_by_their_lines),
		cmocka_unit_test(orders_are_tried_by_their_lines),
		cmocka_unit_test(of_two_steps_one_may_be_none),
		cmocka_unit_test(an_order_is_waited_for_before_a_lock_is_taken),
		cmocka_unit_test(an_order_that_gets_stuck_is_rejected),
		cmocka_unit_test(a_step_that_is_too_small_is_rejected),
		cmocka_unit_test(where_orders_go_round_nobody_is_told_to_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
