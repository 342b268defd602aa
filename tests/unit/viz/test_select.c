/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hbgraph/make_trace.h"

#include "picture.h"
#include "select.h"

/*
 * The lost update: thread 1 reads the balance, is switched away after its unlock, thread 2 does all of its deposit,
 * thread 1 overwrites it; thread 0 looks. `noise` operations on a private variable stand around everything.
 */
struct account {
	struct vtb_trace trace;
	struct vtb_schedule schedule;
	uint32_t balance, lock, log;
	size_t read1, unlock1, begin2, write2, write1, look, fail, noise;
};

static void noise(struct account *a, uint32_t thread, int n)
{
	a->noise = a->trace.n_events;
	for (int i = 0; i < n; i++)
		t_event(&a->trace, thread, VTB_E_WRITE, a->log + 1 + thread, 90);
}

static size_t do_event(struct account *a, uint32_t thread, enum vtb_event_kind kind, uint32_t var, uint32_t line)
{
	t_event(&a->trace, thread, kind, var, line);
	return a->trace.n_events - 1;
}

static void make(struct account *a, int n_noise)
{
	uint32_t done = 0;

	memset(a, 0, sizeof(*a));
	t_begin(&a->trace, 3);
	a->balance = t_int(&a->trace, "balance");
	a->lock = t_lock(&a->trace, "lock");
	a->log = t_int(&a->trace, "log");
	for (int i = 0; i < 3; i++)
		t_int(&a->trace, i == 0 ? "private0" : i == 1 ? "private1" : "private2");
	noise(a, 1, n_noise);
	do_event(a, 1, VTB_E_WRITE, a->log, 80);
	do_event(a, 1, VTB_E_LOCK, a->lock, 10);
	a->read1 = do_event(a, 1, VTB_E_READ, a->balance, 11);
	a->unlock1 = do_event(a, 1, VTB_E_UNLOCK, a->lock, 12);
	done = (uint32_t)a->trace.n_events;
	a->begin2 = do_event(a, 2, VTB_E_LOCK, a->lock, 10);
	do_event(a, 2, VTB_E_READ, a->balance, 11);
	a->write2 = do_event(a, 2, VTB_E_WRITE, a->balance, 13);
	do_event(a, 2, VTB_E_WRITE, a->log, 80);
	do_event(a, 2, VTB_E_UNLOCK, a->lock, 14);
	noise(a, 2, n_noise);
	do_event(a, 1, VTB_E_LOCK, a->lock, 10);
	a->write1 = do_event(a, 1, VTB_E_WRITE, a->balance, 13);
	do_event(a, 1, VTB_E_UNLOCK, a->lock, 14);
	a->look = do_event(a, 0, VTB_E_READ, a->balance, 20);
	a->fail = do_event(a, 0, VTB_E_FAIL, VTB_NONE, 20);
	a->trace.outcome.verdict = VTB_V_ASSERTION;
	a->trace.outcome.thread = 0;
	assert_int_equal(vtb_schedule_deviate(&a->schedule, 1, done, VTB_DEV_SWITCH, 2, a->lock, 1), 0);
}

static void unmake(struct account *a)
{
	vtb_schedule_fini(&a->schedule);
	vtb_trace_fini(&a->trace);
}

static void the_story_is_kept_and_the_rest_folded(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 50);
	assert_int_equal(select_events(&a.trace, &a.schedule, NULL, SELECT_LIMITS, &s), 0);
	assert_true(s.keep[a.read1] && s.keep[a.unlock1] && s.keep[a.begin2] && s.keep[a.write2] && s.keep[a.write1] &&
	            s.keep[a.look] && s.keep[a.fail]);
	assert_false(s.keep[a.noise] || s.keep[0]);
	assert_int_equal(s.vars[0], a.balance);
	assert_true(selection_var(&s, a.lock) >= 0);
	assert_true(selection_var(&s, a.log) < 0); /* split by the switch as well, but not what the failure looked at */
	assert_int_equal(s.n_failing, 1);
	assert_int_equal(s.failing[0], a.fail);
	selection_fini(&s);
	unmake(&a);
}

static void what_is_told_has_a_colour(void **state)
{
	struct account a;
	struct selection s;
	bool *told;

	(void)state;
	make(&a, 20);
	told = calloc(a.trace.n_events + 1, sizeof(*told));
	assert_non_null(told);
	assert_int_equal(select_events(&a.trace, &a.schedule, told, SELECT_LIMITS, &s), 0);
	assert_int_equal(selection_var(&s, a.trace.events[a.noise].var), -1);
	selection_fini(&s);
	told[a.noise] = true;
	assert_int_equal(select_events(&a.trace, &a.schedule, told, SELECT_LIMITS, &s), 0);
	assert_true(selection_var(&s, a.trace.events[a.noise].var) >= 0);
	assert_int_equal(selection_var(&s, a.balance), 0); /* still the most important */
	selection_fini(&s);
	free(told);
	unmake(&a);
}

static void the_switch_is_found_by_its_operation_index(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 3);
	assert_int_equal(select_events(&a.trace, &a.schedule, NULL, SELECT_LIMITS, &s), 0);
	assert_int_equal(s.n_turns, 1);
	assert_int_equal(s.turns[0].number, 1);
	assert_int_equal(s.turns[0].from, a.unlock1);
	assert_int_equal(s.turns[0].to, a.begin2);
	assert_int_equal(s.turns[0].back, a.write1 - 1);
	selection_fini(&s);
	unmake(&a);
}

static bool has_order(const struct selection *s, size_t before, size_t after)
{
	for (size_t i = 0; i < s->n_orders; i++)
		if (s->orders[i].before == before && s->orders[i].after == after)
			return true;
	return false;
}

static void the_conflicts_that_make_the_failure_are_drawn(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 0);
	assert_int_equal(select_events(&a.trace, &a.schedule, NULL, SELECT_LIMITS, &s), 0);
	assert_true(has_order(&s, a.read1, a.write2));
	assert_true(has_order(&s, a.write2, a.write1));
	assert_true(has_order(&s, a.write1, a.look));
	assert_false(has_order(&s, a.write2, a.look)); /* overwritten in between */
	selection_fini(&s);
	unmake(&a);
}

static void many_accesses_are_cut_to_those_near_the_failure(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 0);
	a.trace.n_events = a.fail;
	for (int i = 0; i < 300; i++)
		t_event(&a.trace, 0, VTB_E_READ, a.balance, 20 + (uint32_t)i % 2);
	t_event(&a.trace, 0, VTB_E_FAIL, VTB_NONE, 20);
	assert_int_equal(
	    select_events(&a.trace, &a.schedule, NULL, (struct select_limits){ .accesses = 20, .orders = 5 }, &s), 0);
	assert_true(s.n_kept <= 32);
	assert_true(s.keep[a.unlock1] && s.keep[a.read1] && s.keep[a.trace.n_events - 1] &&
	            s.keep[a.trace.n_events - 2]);
	assert_false(s.keep[a.fail + 150]);
	assert_int_equal(s.n_orders, 5);
	selection_fini(&s);
	unmake(&a);
}

static void of_a_loop_that_sees_the_same_again_only_the_ends_are_shown(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 0);
	a.trace.n_events = a.fail;
	for (int i = 0; i < 30; i++) {
		t_event(&a.trace, 0, VTB_E_READ, a.balance, 21);
		a.trace.events[a.trace.n_events - 1].value = i < 20 ? 7 : 8; /* somebody has changed it */
	}
	t_event(&a.trace, 0, VTB_E_FAIL, VTB_NONE, 22);
	assert_int_equal(
	    select_events(&a.trace, &a.schedule, NULL, (struct select_limits){ .accesses = 100, .orders = 100 }, &s),
	    0);
	for (size_t i = 0; i < 30; i++)
		assert_int_equal(s.keep[a.fail + i], i == 0 || i == 19 || i == 20 || i == 29);
	selection_fini(&s);
	unmake(&a);
}

static void a_deadlock_shows_who_waits_for_whom(void **state)
{
	struct vtb_trace t;
	struct selection s;
	struct picture p;
	uint32_t a, b, child;

	(void)state;
	t_begin(&t, 3);
	a = t_lock(&t, "a");
	b = t_lock(&t, "b");
	child = t_thread(&t, 1);
	t_event(&t, 1, VTB_E_LOCK, a, 1);
	t_event(&t, 2, VTB_E_LOCK, b, 2);
	t_event(&t, 1, VTB_E_PENDING, b, 3)->aux = VTB_E_LOCK;
	t_event(&t, 2, VTB_E_PENDING, a, 4)->aux = VTB_E_LOCK;
	t_event(&t, 0, VTB_E_PENDING, child, 5)->aux = VTB_E_THREAD_JOIN;
	t.outcome.verdict = VTB_V_DEADLOCK;
	assert_int_equal(select_events(&t, NULL, NULL, SELECT_LIMITS, &s), 0);
	assert_int_equal(s.n_failing, 2); /* who waits to join is a victim */
	assert_true(has_order(&s, 0, 3) && has_order(&s, 1, 2));
	selection_fini(&s);
	assert_int_equal(picture_of_trace(&t, NULL, &p), 0);
	assert_true(p.failed);
	assert_int_equal(p.n_columns, 2);
	assert_int_equal(p.cells[2].kind, CELL_WAITS);
	assert_string_equal(p.cells[2].note, "held by thread 0.1 since file.c:2");
	picture_fini(&p);
	vtb_trace_fini(&t);
}

static void a_free_run_shows_what_races(void **state)
{
	struct account a;
	struct selection s;

	(void)state;
	make(&a, 2);
	a.trace.outcome.verdict = VTB_V_NONE;
	a.trace.outcome.thread = VTB_NONE;
	a.trace.n_events = a.look; /* no look, no failure */
	assert_int_equal(select_events(&a.trace, NULL, NULL, SELECT_LIMITS, &s), 0);
	assert_int_equal(s.n_failing, 0);
	assert_true(selection_var(&s, a.log) >= 0);
	assert_int_equal(selection_var(&s, VTB_NONE), -1);
	selection_fini(&s);
	unmake(&a);
}

static void an_empty_trace_gives_an_empty_picture(void **state)
{
	struct vtb_trace t;
	struct picture p;

	(void)state;
	vtb_trace_init(&t);
	assert_int_equal(picture_of_trace(&t, NULL, &p), 0);
	assert_int_equal(p.n_cells, 0);
	assert_int_equal(p.n_columns, 0);
	picture_fini(&p);
	vtb_trace_fini(&t);
}

static void cells_of_a_column_never_share_a_row_and_folds_add_up(void **state)
{
	struct account a;
	struct picture p;
	size_t operations = 0;

	(void)state;
	make(&a, 7);
	assert_int_equal(picture_of_trace(&a.trace, NULL, &p), 0);
	for (size_t i = 0; i < p.n_cells; i++) {
		operations += p.cells[i].step ? 1 : p.cells[i].folded;
		for (size_t k = 0; k < i; k++)
			assert_false(p.cells[i].column == p.cells[k].column && p.cells[i].row <= p.cells[k].row);
	}
	assert_int_equal(operations, a.trace.n_events); /* all three threads are shown, so nothing is lost */
	picture_fini(&p);
	unmake(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_story_is_kept_and_the_rest_folded),
		cmocka_unit_test(what_is_told_has_a_colour),
		cmocka_unit_test(the_switch_is_found_by_its_operation_index),
		cmocka_unit_test(the_conflicts_that_make_the_failure_are_drawn),
		cmocka_unit_test(many_accesses_are_cut_to_those_near_the_failure),
		cmocka_unit_test(of_a_loop_that_sees_the_same_again_only_the_ends_are_shown),
		cmocka_unit_test(a_deadlock_shows_who_waits_for_whom),
		cmocka_unit_test(a_free_run_shows_what_races),
		cmocka_unit_test(an_empty_trace_gives_an_empty_picture),
		cmocka_unit_test(cells_of_a_column_never_share_a_row_and_folds_add_up),
	};

	return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
