/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule with switches and demotions is taken for a known run only if the runner would make that run again: all
 * such runs are made all the same, and compared. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "made_runs.h"
#include "one_run.h"
#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

#define PROGRAMS 240u
#define SCHEDULES 100u

static bool has_rank(const struct vtb_schedule *s, uint32_t rank)
{
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->ranks[i] == rank)
			return true;
	return false;
}

/* A random order, in which fragments have places as well. */
static void draw_ranks(uint64_t *rng, uint32_t n_threads, struct vtb_schedule *s)
{
	const uint64_t n = vtb_rng_below(rng, n_threads + 3);

	for (uint64_t i = 0; i < n; i++) {
		const uint32_t rank = vtb_rng_below(rng, 3) ? (uint32_t)vtb_rng_below(rng, n_threads)
		                                            : VTB_RANK_FRAGMENT_BIT | (uint32_t)vtb_rng_below(rng, 3);

		assert_true(vtb_array_room(s, ranks) >= 0);
		if (!has_rank(s, rank))
			s->ranks[s->n_ranks++] = rank;
	}
}

/* Up to three deviations at random points of the run, mostly in their order. */
static void draw_schedule(uint64_t *rng, const struct vtb_exec *x, uint32_t n_threads, struct vtb_schedule *s)
{
	const uint64_t n = vtb_rng_below(rng, 4);
	uint64_t at = 0;

	*s = (struct vtb_schedule){ .policy =
		                        vtb_rng_below(rng, 2) ? VTB_SCHEDULE_PRIORITY : VTB_SCHEDULE_RUN_TO_BLOCK };
	draw_ranks(rng, n_threads, s);
	for (uint64_t k = 0; k < n; k++) {
		uint32_t done = 0;

		at = vtb_rng_below(rng, 8) ? at + vtb_rng_below(rng, 4) : vtb_rng_below(rng, x->n_events);
		at = at < x->n_events ? at : x->n_events - 1;
		for (uint64_t i = 0; i <= at; i++)
			done += x->events[i].thread == x->events[at].thread;
		assert_int_equal(vtb_schedule_deviate(s, x->events[at].thread, done,
		                                      vtb_rng_below(rng, 3) ? VTB_DEV_SWITCH : VTB_DEV_DEMOTE,
		                                      (uint32_t)vtb_rng_below(rng, n_threads), VTB_NONE, 1),
		                 0);
	}
}

/* What is known is made all the same, and compared. */
static void compare(struct vtb_runner *runner, const struct vtb_exec *as, const struct vtb_exec *x)
{
	const struct vtb_hash128 a = class_of_run(runner, as), b = class_of_run(runner, x);

	assert_int_equal(as->n_events, x->n_events);
	for (size_t i = 0; i < x->n_events; i++) {
		assert_int_equal(as->events[i].thread, x->events[i].thread);
		assert_int_equal(as->events[i].kind, x->events[i].kind);
		assert_int_equal(as->events[i].var, x->events[i].var);
		assert_int_equal(as->events[i].value, x->events[i].value);
		assert_int_equal(as->events[i].site, x->events[i].site);
		assert_int_equal(as->events[i].deviation, x->events[i].deviation);
	}
	assert_int_equal(as->n_enabled, x->n_enabled);
	assert_memory_equal(as->enabled, x->enabled, x->n_enabled * sizeof(*x->enabled));
	assert_int_equal(as->outcome.verdict, x->outcome.verdict);
	assert_int_equal(as->outcome.flags, x->outcome.flags);
	assert_int_equal(as->outcome.output_hash, x->outcome.output_hash);
	assert_true(a.lo == b.lo && a.hi == b.hi);
}

struct counts {
	uint32_t known, unknown;
};

static void random_schedules(const struct prog *p, uint64_t seed, struct counts *c)
{
	struct vtb_runner *runner = prog_runner(p);
	uint64_t rng = seed;
	struct vtb_made_runs made = { 0 };
	struct vtb_schedule s = { 0 };
	struct vtb_exec before = { 0 };

	one_run(runner, &s, &before);
	assert_int_equal(vtb_made_runs_add(&made, &s, &before), 0);
	for (uint32_t k = 0; k < SCHEDULES; k++) {
		struct vtb_exec x;
		const struct vtb_exec *as;

		draw_schedule(&rng, &before, (uint32_t)p->n_threads, &s);
		as = vtb_made_runs_find(&made, &s);
		one_run(runner, &s, &x);
		if (as)
			compare(runner, as, &x);
		else
			assert_int_equal(vtb_made_runs_add(&made, &s, &x), 0);
		c->known += as && s.n_deviations;
		c->unknown += !as;
		vtb_exec_fini(&before);
		before = x;
		vtb_schedule_fini(&s);
	}
	vtb_exec_fini(&before);
	vtb_made_runs_fini(&made);
	vtb_runner_free(runner);
}

static void known_schedules_of_random_programs_lead_to_the_same_run(void **state)
{
	struct counts c = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		struct prog p;

		if (seed % 2)
			prog_random(&p, seed, 2 + (int)(seed % 4 / 2), 5);
		else
			prog_random_chances(&p, seed, 2 + (int)(seed % 4 / 2), 5);
		random_schedules(&p, seed, &c);
	}
	assert_true(c.known > 1000);
	assert_true(c.unknown > 1000);
}

/* Two threads, each with two writes, that main creates and waits for. */
static void two_writers(struct prog *p)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 1 };
	prog_create_all(p);
	for (int t = 1; t <= 2; t++)
		for (int k = 0; k < 2; k++)
			prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .k = t });
	prog_join_all(p);
}

/* Is it known, and how, after the default run and one in which thread 2 comes between the writes of thread 1? */
static bool is_known(struct vtb_schedule *s, uint32_t runs_before)
{
	struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, between = standard;
	const struct vtb_schedule *const both[] = { &standard, &between };
	struct vtb_made_runs made = { 0 };
	struct vtb_runner *runner;
	struct prog p;
	bool known;

	two_writers(&p);
	runner = prog_runner(&p);
	assert_int_equal(vtb_schedule_deviate(&between, 1, 1, VTB_DEV_SWITCH, 2, 0, 1), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct vtb_exec x;

		one_run(runner, both[i], &x);
		assert_int_equal(vtb_made_runs_add(&made, both[i], &x), 0);
		vtb_exec_fini(&x);
	}
	assert_int_equal(made.n, 2);
	made.told += runs_before;
	known = vtb_made_runs_find(&made, s);
	vtb_made_runs_fini(&made);
	vtb_schedule_fini(&between);
	vtb_schedule_fini(s);
	vtb_runner_free(runner);
	return known;
}

static struct vtb_schedule deviating(enum vtb_policy policy, uint32_t thread, uint32_t index,
                                     enum vtb_deviation_kind kind, uint32_t target)
{
	struct vtb_schedule s = { .policy = policy };

	assert_int_equal(vtb_schedule_deviate(&s, thread, index, kind, target, VTB_NONE, 1), 0);
	return s;
}

static void what_is_no_choice_or_finds_no_place_is_not_known(void **state)
{
	const enum vtb_policy to_block = VTB_SCHEDULE_RUN_TO_BLOCK, by_rank = VTB_SCHEDULE_PRIORITY;
	struct vtb_schedule s;

	(void)state;
	s = deviating(to_block, 1, 1, VTB_DEV_SWITCH, 2);
	assert_true(is_known(&s, 0));
	s = deviating(to_block, 1, 1, VTB_DEV_SWITCH, 2);
	assert_false(is_known(&s, VTB_MADE_LOOKS)); /* no longer asked */
	s = (struct vtb_schedule){ .policy = to_block };
	assert_true(is_known(&s, VTB_MADE_LOOKS));
	s = deviating(to_block, 1, 1, VTB_DEV_SWITCH, 1); /* to who goes on anyway */
	assert_true(is_known(&s, 0));
	s = deviating(to_block, 1, 1, VTB_DEV_DEMOTE, 0); /* runs to where it blocks */
	assert_true(is_known(&s, 0));
	s = deviating(to_block, 1, 9, VTB_DEV_SWITCH, 2); /* it has no ninth operation */
	assert_false(is_known(&s, 0));
	s = deviating(to_block, 1, 0, VTB_DEV_SWITCH, 2); /* before its first */
	assert_false(is_known(&s, 0));
	s = deviating(to_block, 1, 1, VTB_DEV_SPURIOUS, 2);
	assert_false(is_known(&s, 0));
	s = (struct vtb_schedule){ .policy = to_block, .wakes_all = true };
	assert_false(is_known(&s, 0));
	s = (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM };
	assert_false(is_known(&s, 0));
	s = (struct vtb_schedule){ .policy = to_block };
	assert_int_equal(vtb_schedule_constrain(&s, (struct vtb_op){ .thread = 1, .index = 1 },
	                                        (struct vtb_op){ .thread = 2, .index = 1 }),
	                 0);
	assert_false(is_known(&s, 0));
	s = deviating(by_rank, 1, 1, VTB_DEV_DEMOTE, 0); /* main first, then 1, then 2, then the rest of 1 */
	assert_true(is_known(&s, 0));
}

/* Walks and exhaustive searches ask so. */
static void only_orders_are_known_if_asked_so(void **state)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_schedule same = deviating(VTB_SCHEDULE_RUN_TO_BLOCK, 1, 1, VTB_DEV_SWITCH, 1);
	struct vtb_made_runs made = { 0 };
	struct vtb_runner *runner;
	struct vtb_exec x;
	struct prog p;

	(void)state;
	two_writers(&p);
	runner = prog_runner(&p);
	one_run(runner, &standard, &x);
	assert_int_equal(vtb_made_runs_add(&made, &standard, &x), 0);
	assert_non_null(vtb_made_runs_find(&made, &same));
	made.orders_only = true;
	assert_null(vtb_made_runs_find(&made, &same));
	assert_non_null(vtb_made_runs_find(&made, &standard));
	vtb_exec_fini(&x);
	vtb_schedule_fini(&same);
	vtb_made_runs_fini(&made);
	vtb_runner_free(runner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_schedules_of_random_programs_lead_to_the_same_run),
		cmocka_unit_test(what_is_no_choice_or_finds_no_place_is_not_known),
		cmocka_unit_test(only_orders_are_known_if_asked_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
