/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strategy aim: stops that it takes for equal lead to one class. All of them are tried, in random programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "aim/aim.h"
#include "prog.h"
#include "vtb/mazurkiewicz.h"

#define PROGRAMS 400
#define OPERATIONS 7
#define PLACES 12u

struct seen {
	struct aim equal; /* what its run said of the other places */
	struct vtb_hash128 class;
	enum vtb_verdict verdict;
	bool stopped; /* the run comes to the place */
};

static void make_run(struct vtb_runner *runner, const struct aim_shot *shot, uint32_t threads, struct vtb_exec *x)
{
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY }, *one = &s;
	uint32_t ranks[PROG_THREADS + 1] = { 0, shot->first, shot->second }, n = 3;

	for (uint32_t t = 1; t < threads; t++)
		if (t != shot->first && t != shot->second)
			ranks[n++] = t;
	ranks[n++] = VTB_RANK_FRAGMENT_BIT;
	assert_int_equal(vtb_schedule_deviate(&s, shot->first, shot->stops[0].index, VTB_DEV_DEMOTE, 0, VTB_NONE, 1),
	                 0);
	s.ranks = ranks;
	s.n_ranks = n;
	assert_int_equal(vtb_runner_run(runner, (const struct vtb_schedule *const *)&one, 1, x, NULL), 0);
	s.ranks = NULL;
	s.n_ranks = 0;
	vtb_schedule_fini(&s);
}

static void look(struct vtb_runner *runner, const struct aim_shot *shot, uint32_t threads, struct seen *ret)
{
	struct vtb_exec x = { 0 };

	make_run(runner, shot, threads, &x);
	assert_int_equal(vtb_mazurkiewicz_of(x.events, x.n_events, runner->tab, &ret->class), 0);
	assert_int_equal(aim_note_equal(&ret->equal, shot, &x), 0);
	ret->verdict = x.outcome.verdict;
	ret->stopped = aim_behind(&x, &shot->stops[0]) != VTB_NONE;
	vtb_exec_fini(&x);
}

/* Of each two places that are equal: one class, or both end alike before it is whole. The number of such. */
static uint32_t compare(const struct seen *seen, struct aim_shot shot)
{
	uint32_t equal = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		for (uint32_t k = 0; k < PLACES; k++) {
			shot.stops[0].index = k;
			if (i == k || !seen[k].stopped || !aim_is_equal(&seen[i].equal, &shot))
				continue;
			assert_int_equal(seen[i].verdict, seen[k].verdict);
			assert_true(seen[i].verdict != VTB_V_NONE ||
			            (seen[i].class.lo == seen[k].class.lo && seen[i].class.hi == seen[k].class.hi));
			equal++;
		}
	return equal;
}

static uint32_t try_all(const struct prog *p, uint32_t first, uint32_t second)
{
	struct vtb_runner *runner = prog_runner(p);
	struct seen seen[PLACES] = { 0 };
	struct aim_shot shot = { .first = first, .second = second, .third = VTB_NONE, .n_stops = 1 };
	uint32_t equal;

	shot.stops[0].thread = first;
	for (uint32_t i = 0; i < PLACES; i++) {
		shot.stops[0].index = i;
		look(runner, &shot, (uint32_t)p->n_threads, &seen[i]);
	}
	equal = compare(seen, shot);
	for (uint32_t i = 0; i < PLACES; i++) {
		aim_patterns_fini(&seen[i].equal);
		vtb_bounded_map_fini(&seen[i].equal.equal);
	}
	vtb_runner_free(runner);
	return equal;
}

static void equal_stops_lead_to_one_class(void **state)
{
	uint32_t equal = 0;

	(void)state;
	for (unsigned seed = 1; seed <= PROGRAMS; seed++) {
		struct prog p;

		prog_random(&p, seed, 3, OPERATIONS);
		for (uint32_t a = 1; a < (uint32_t)p.n_threads; a++)
			for (uint32_t b = 1; b < (uint32_t)p.n_threads; b++)
				equal += a != b ? try_all(&p, a, b) : 0;
	}
	print_message("%u pairs of places\n", equal);
	assert_true(equal > PROGRAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(equal_stops_lead_to_one_class) };

	return cmocka_run_group_tests_name("aim equal", tests, NULL, NULL);
}
