/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fake_program.h"
#include "shrink.h"
#include "shrink_moves.h"
#include "vtb/error.h"

/* The first random failure of a program, shrunk. */
static void shrink(struct fake_runner *fake, const struct fake_program *program, uint64_t seed, struct vtb_shrunk *ret)
{
	struct vtb_exec found;

	fake_runner_init(fake, program);
	found = fake_find(fake, seed);
	assert_int_equal(vtb_shrink(&fake->base, &found, NULL, ret, NULL), 0);
	assert_string_equal(ret->exec.outcome.signature, found.outcome.signature);
	vtb_exec_fini(&found);
}

static void expect_tuple(const struct fake_program *program, uint32_t c, uint32_t v)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct fake_runner fake;
		struct vtb_shrunk s;

		shrink(&fake, program, seed, &s);
		assert_true(s.local_minimum);
		assert_int_equal(s.tuple.c, c);
		assert_int_equal(s.tuple.v, v);
		vtb_shrunk_fini(&s);
		vtb_runner_free(&fake.base);
	}
}

static void a_lost_update_found_at_random_shrinks_to_one_preemption(void **state)
{
	(void)state;
	expect_tuple(&fake_account, 1, 1);
}

static void a_lock_cycle_shrinks_to_one_preemption(void **state)
{
	(void)state;
	expect_tuple(&fake_lock_cycle, 1, 1);
}

static void a_late_initialisation_needs_no_preemption(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fake_runner fake;
		struct vtb_shrunk s;

		shrink(&fake, &fake_late_init, seed, &s);
		assert_int_equal(s.tuple.c, 0); /* the creation has just enabled the child: that switch is free */
		assert_int_equal(s.tuple.v, 0);
		vtb_shrunk_fini(&s);
		vtb_runner_free(&fake.base);
	}
}

static void two_windows_keep_both_preemptions(void **state)
{
	(void)state;
	expect_tuple(&fake_two_windows, 2, 2);
}

static void the_shrunk_schedule_fails_again_and_says_only_what_the_policy_does_not(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_exec again;

	(void)state;
	shrink(&fake, &fake_account, 3, &s);
	again = fake_run(&fake, &s.schedule);
	assert_string_equal(again.outcome.signature, s.exec.outcome.signature);
	assert_true(vtb_exec_tuple(&again).c == s.tuple.c);
	assert_true(s.schedule.n_deviations <= 2); /* the preemption, and who of the others goes on */
	vtb_exec_fini(&again);
	vtb_shrunk_fini(&s);
	vtb_runner_free(&fake.base);
}

static void the_switch_sits_after_an_access_that_the_intruder_conflicts_with(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;

	(void)state;
	shrink(&fake, &fake_account, 5, &s);
	for (size_t i = 1; i < s.exec.n_events; i++)
		if (vtb_exec_preempts(&s.exec, i)) {
			assert_int_equal(s.exec.events[i - 1].kind, VTB_E_READ);
			assert_int_equal(s.exec.events[i - 1].var, 0);
		}
	vtb_shrunk_fini(&s);
	vtb_runner_free(&fake.base);
}

static void batches_give_the_same_result_as_single_runs(void **state)
{
	struct vtb_shrunk s[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake_runner fake;
		struct vtb_exec found;

		fake_runner_init(&fake, &fake_two_windows);
		fake.batch_size = i ? 16 : 1;
		found = fake_find(&fake, 1);
		assert_int_equal(vtb_shrink(&fake.base, &found, NULL, &s[i], NULL), 0);
		vtb_exec_fini(&found);
		vtb_runner_free(&fake.base);
	}
	assert_int_equal(s[0].tuple.c, s[1].tuple.c);
	assert_int_equal(s[0].tuple.v, s[1].tuple.v);
	vtb_shrunk_fini(&s[0]);
	vtb_shrunk_fini(&s[1]);
}

static void a_failure_that_does_not_come_again_is_refused(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_exec found;
	struct vtb_error err = { 0 };

	(void)state;
	fake_runner_init(&fake, &fake_account);
	found = fake_find(&fake, 1);
	fake.forgetful = true;
	assert_int_equal(vtb_shrink(&fake.base, &found, NULL, &s, &err), -VTB_E_DIVERGED);
	assert_non_null(strstr(err.text, "does not come again"));
	vtb_exec_fini(&found);
	vtb_runner_free(&fake.base);
}

static void the_budget_is_kept_and_the_result_still_fails(void **state)
{
	const struct vtb_shrink_opts opts = { .budget = 3 };
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_exec found;

	(void)state;
	fake_runner_init(&fake, &fake_two_windows);
	found = fake_find(&fake, 1);
	assert_int_equal(vtb_shrink(&fake.base, &found, &opts, &s, NULL), 0);
	assert_false(s.local_minimum);
	assert_true(s.runs <= 5); /* the batch that is under way and its confirmation are finished */
	assert_true(vtb_exec_fails_as(&s.exec, found.outcome.signature));
	vtb_exec_fini(&found);
	vtb_shrunk_fini(&s);
	vtb_runner_free(&fake.base);
}

static void of_a_long_run_few_candidates_are_tried_at_a_time(void **state)
{
	enum { BEFORE = 30000, OWN = 16 };
	const struct vtb_shrink_opts opts = { .budget = 2 };
	struct fake_op *main_thread = calloc(BEFORE + OWN, sizeof(*main_thread));
	struct fake_program program = fake_account;
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_exec found;

	(void)state;
	assert_non_null(main_thread);
	for (size_t i = 0; i < BEFORE; i++)
		main_thread[i] = (struct fake_op){ .code = FAKE_WRITE };
	for (size_t i = 0; i < OWN && (i == 0 || fake_account.threads[0][i - 1].code != FAKE_END); i++)
		main_thread[BEFORE + i] = fake_account.threads[0][i];
	program.threads[0] = main_thread;
	fake_runner_init(&fake, &program);
	fake.batch_size = 64;
	found = fake_find(&fake, 1);
	assert_int_equal(vtb_shrink(&fake.base, &found, &opts, &s, NULL), 0);
	assert_true(s.runs <= 6); /* the find, a batch of four, what it showed */
	vtb_exec_fini(&found);
	vtb_shrunk_fini(&s);
	vtb_runner_free(&fake.base);
	free(main_thread);
}

static bool same_deviations(const struct vtb_schedule *a, const struct vtb_schedule *b)
{
	bool same = a->n_deviations == b->n_deviations;

	for (size_t i = 0; same && i < a->n_deviations; i++)
		same = a->deviations[i].after.thread == b->deviations[i].after.thread &&
		       a->deviations[i].after.index == b->deviations[i].after.index &&
		       a->deviations[i].target == b->deviations[i].target;
	return same;
}

/* A run found at random, and its own schedule. */
static struct vtb_exec many_switches(struct vtb_schedule *exact)
{
	struct fake_runner fake;
	struct vtb_exec x;

	fake_runner_init(&fake, &fake_two_windows);
	x = fake_find(&fake, 1);
	assert_int_equal(vtb_exec_schedule(&x, exact), 0);
	vtb_runner_free(&fake.base);
	return x;
}

static void windows_show_the_same_proposals_as_one_look(void **state)
{
	static const shrink_move_fn families[] = { vtb_shrink_remove, vtb_shrink_rename, vtb_shrink_move,
		                                   vtb_shrink_retarget, vtb_shrink_single };
	struct vtb_schedule exact = { 0 };
	struct vtb_exec x = many_switches(&exact);

	(void)state;
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
		struct shrink_moves all = { .room = SIZE_MAX };
		size_t seen = 0;
		bool more = true;

		assert_int_equal(families[f](&x, &exact, &all), 0);
		assert_true(all.n_schedules > 0);
		assert_false(vtb_shrink_moves_full(&all));
		while (more) {
			struct shrink_moves some = { .skip = seen, .room = 3 };

			assert_int_equal(families[f](&x, &exact, &some), 0);
			assert_true(some.n_schedules <= 3);
			for (size_t i = 0; i < some.n_schedules; i++)
				assert_true(same_deviations(&some.schedules[i], &all.schedules[seen + i]));
			seen += some.n_schedules;
			more = vtb_shrink_moves_full(&some);
			vtb_shrink_moves_fini(&some);
		}
		assert_int_equal(seen, all.n_schedules);
		vtb_shrink_moves_fini(&all);
	}
	vtb_schedule_fini(&exact);
	vtb_exec_fini(&x);
}

/* Two threads that take turns, each time the other one alone can go on. */
static uint32_t departures_of_turns(enum vtb_event_kind kind)
{
	enum { TURNS = 6 };
	struct vtb_event events[TURNS] = { 0 };
	uint64_t enabled[TURNS];
	const struct vtb_exec x = { .events = events, .n_events = TURNS, .enabled = enabled, .stride = 1 };

	for (uint32_t i = 0; i < TURNS; i++) {
		events[i] = (struct vtb_event){ .kind = (uint8_t)kind, .thread = i % 2 };
		enabled[i] = UINT64_C(1) << i % 2;
	}
	return vtb_shrink_cost(&x, &(struct vtb_schedule){ 0 }).departures;
}

/* Run-to-block lets who yields try again: in a hundred turns at yields nothing is simpler than in one. */
static void turns_at_yields_are_departures_and_turns_of_who_waits_are_not(void **state)
{
	(void)state;
	assert_int_equal(departures_of_turns(VTB_E_YIELD), 5);
	assert_int_equal(departures_of_turns(VTB_E_COND_WAIT), 0);
}

static void trouble_of_the_runner_comes_through(void **state)
{
	struct fake_runner fake;
	struct vtb_shrunk s;
	struct vtb_exec found;

	(void)state;
	fake_runner_init(&fake, &fake_two_windows);
	found = fake_find(&fake, 1);
	fake.fail_after = fake.base.schedules + 4;
	assert_int_equal(vtb_shrink(&fake.base, &found, NULL, &s, NULL), -VTB_E_TARGET);
	vtb_exec_fini(&found);
	vtb_runner_free(&fake.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_update_found_at_random_shrinks_to_one_preemption),
		cmocka_unit_test(a_lock_cycle_shrinks_to_one_preemption),
		cmocka_unit_test(a_late_initialisation_needs_no_preemption),
		cmocka_unit_test(two_windows_keep_both_preemptions),
		cmocka_unit_test(the_shrunk_schedule_fails_again_and_says_only_what_the_policy_does_not),
		cmocka_unit_test(the_switch_sits_after_an_access_that_the_intruder_conflicts_with),
		cmocka_unit_test(batches_give_the_same_result_as_single_runs),
		cmocka_unit_test(a_failure_that_does_not_come_again_is_refused),
		cmocka_unit_test(the_budget_is_kept_and_the_result_still_fails),
		cmocka_unit_test(of_a_long_run_few_candidates_are_tried_at_a_time),
		cmocka_unit_test(windows_show_the_same_proposals_as_one_look),
		cmocka_unit_test(turns_at_yields_are_departures_and_turns_of_who_waits_are_not),
		cmocka_unit_test(trouble_of_the_runner_comes_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
