/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The random strategies: repeatable, as uniform as they say, and they let time and chance in. test_odds.c has bounds.
 */
#include "chance_draw.h"
#include "random_search.h"
#include "vtb/rng.h"
#include "vtb/thread_bound.h"
#include "../../../../runtime/sched/points/pos_walk.h"

static const char *const names[] = { "random", "pct", "pctvb", "pcttb", "pos", "surw" };
#define NAMES (sizeof(names) / sizeof(names[0]))

/* ---- repeatable */

static void the_same_seed_gives_the_same_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < NAMES; i++) {
		struct tally a, b;
		struct vtb_claim claim;
		struct prog p;

		prog_random(&p, 12, 4, 6);
		assert_int_equal(search_with(&p, names[i], 2, 2, 400, 7, &a, &claim).diverged, 0);
		search_with(&p, names[i], 2, 2, 400, 7, &b, &claim);
		assert_true(a.hash == b.hash);
		search_with(&p, names[i], 2, 2, 400, 8, &b, &claim);
		assert_true(a.hash != b.hash);
		assert_true(claim.text[0] != '\0' && !claim.complete);
	}
}

/* ---- walks */

/* Threads 1 and 2 write variable 0 twice and once, and do things of their own besides: three orders. */
static void writers(struct prog *p)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 3, .n_locks = 1, .n_conds = 1 };
	prog_create_all(p);
	for (int i = 0; i < 2; i++) {
		add(p, 1, P_WRITE, 0, i);
		for (int k = 0; k < 4; k++)
			add(p, 1, P_WRITE, 1, k);
	}
	add(p, 2, P_WRITE, 0, 7);
	prog_join_all(p);
}

static void surw_shows_all_orders_of_a_variable_equally_often(void **state)
{
	const uint32_t orders[] = { 1 * 16 + 1 * 4 + 2, 1 * 16 + 2 * 4 + 1, 2 * 16 + 1 * 4 + 1 };
	struct vtb_claim claim;
	struct tally t;
	struct prog p;

	(void)state;
	writers(&p);
	search_with(&p, "surw", 2, 2, 9000, 5, &t, &claim);
	print_message("surw: %u %u %u, bound %.3f\n", t.orders[orders[0]], t.orders[orders[1]], t.orders[orders[2]],
	              claim.probability);
	/* shared are x0 and handles of threads; with x0 drawn each order has 1/3 */
	for (int i = 0; i < 3; i++) {
		assert_true(t.orders[orders[i]] > 0);
		assert_true(ln_binomial_below(9000, claim.probability, t.orders[orders[i]]) > log(REFUTED));
	}
	search_with(&p, "random", 2, 2, 9000, 5, &t, &claim);
	print_message("random: %u %u %u\n", t.orders[orders[0]], t.orders[orders[1]], t.orders[orders[2]]);
}

/* Ten programs: up to three writes of one variable by two or three threads, with other work before, after or not at all
 * (then a start decides): every order as often as the claim says. */
static void surw_shows_every_order_as_often_as_it_says(void **state)
{
	static const struct {
		uint8_t writes[3], before[3];
	} made[] = {
		{ { 1, 1, 0 }, { 0, 0, 0 } }, { { 2, 1, 0 }, { 0, 0, 0 } },  { { 1, 1, 1 }, { 0, 0, 0 } },
		{ { 1, 2, 0 }, { 3, 0, 0 } }, { { 2, 1, 0 }, { 0, 9, 0 } },  { { 1, 1, 1 }, { 0, 5, 1 } },
		{ { 1, 1, 1 }, { 8, 0, 0 } }, { { 1, 1, 0 }, { 12, 0, 0 } }, { { 2, 1, 0 }, { 4, 4, 0 } },
		{ { 1, 2, 0 }, { 1, 0, 0 } },
	};
	enum { RUNS = 6000 };

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		struct prog p = { .n_threads = made[i].writes[2] ? 4 : 3, .n_vars = 4, .n_locks = 1, .n_conds = 1 };
		struct vtb_claim claim;
		struct tally t;

		prog_create_all(&p);
		for (int thread = 1; thread < p.n_threads; thread++) {
			for (int k = 0; k < made[i].before[thread - 1]; k++)
				add(&p, thread, P_WRITE, thread, k);
			for (int k = 0; k < made[i].writes[thread - 1]; k++)
				add(&p, thread, P_WRITE, 0, k);
		}
		prog_join_all(&p);
		search_with(&p, "surw", 2, 2, RUNS, 11, &t, &claim);
		assert_true(claim.probability > 0);
		for (uint32_t order = 0; order < 64; order++) {
			uint8_t left[4] = { 0, made[i].writes[0], made[i].writes[1], made[i].writes[2] };
			const uint32_t n = (uint32_t)left[1] + left[2] + left[3];
			bool is_one = order < (n == 2 ? 16 : 64);

			for (uint32_t k = 0, code = order; k < n; k++, code /= 4)
				is_one &= code % 4 && left[code % 4]-- > 0;
			if (is_one)
				assert_true(ln_binomial_below(RUNS, claim.probability, t.orders[order]) > log(REFUTED));
		}
	}
}

/* The walk itself, all operations interesting, 3 + 2 + 1 of them: 60 orders, chi-square with 59 degrees of freedom. */
static void an_unhindered_walk_is_uniform(void **state)
{
	enum { RUNS = 60000 };
	static uint32_t count[729];
	uint64_t random = 99;
	double chi = 0;
	uint32_t met = 0;

	(void)state;
	for (int run = 0; run < RUNS; run++) {
		struct vtb_walker w[3] = { { .weight = 3 }, { .weight = 2 }, { .weight = 1 } };
		uint32_t left[] = { 3, 2, 1 }, intended = VTB_WALK_NOBODY, code = 0;

		for (int step = 0; step < 6; step++) {
			uint32_t i;

			for (i = 0; i < 3; i++)
				w[i].alive = w[i].enabled = w[i].interesting = left[i] > 0;
			i = vtb_walk_surw(w, 3, &intended, &random);
			assert_true(i < 3 && left[i] > 0);
			left[i]--;
			code = code * 3 + i;
		}
		count[code]++;
	}
	for (int i = 0; i < 729; i++) {
		met += count[i] > 0;
		if (count[i])
			chi += (count[i] - RUNS / 60.0) * (count[i] - RUNS / 60.0) / (RUNS / 60.0);
	}
	print_message("%u orders, chi-square %.1f\n", met, chi);
	assert_int_equal(met, 60);
	assert_true(chi < 120); /* P < 5e-6 */
}

/* A child that is born takes over what was expected of it, and with it the intention. */
static void an_expected_child_counts_through_its_parent(void **state)
{
	uint32_t first[2] = { 0 };
	uint64_t random = 5;

	(void)state;
	for (int run = 0; run < 20000; run++) {
		struct vtb_walker w[3] = { { .weight = 4, .alive = true, .enabled = true },
			                   { .weight = 1, .alive = true, .enabled = true, .interesting = true } };
		uint32_t intended = VTB_WALK_NOBODY, i;

		do { /* main is not at an interesting operation: it goes on and creates its child */
			i = vtb_walk_surw(w, 2, &intended, &random);
		} while (i == 1 && intended != VTB_WALK_NOBODY);
		if (i == 1) {
			first[1]++;
			continue;
		}
		w[2] = (struct vtb_walker){ .alive = true, .enabled = true, .interesting = true };
		w[0].enabled = false;
		vtb_walk_born(w, 0, 2, 4, &intended, &random);
		assert_int_equal(w[0].weight, 0);
		first[vtb_walk_surw(w, 3, &intended, &random) == 2 ? 0 : 1]++;
	}
	assert_in_range(first[0], 15600, 16400); /* 4 : 1 */
}

/* The one that is meant to go on waits for the second, which stands at an interesting operation; the third goes round
 * and round, and never comes to one. */
static void a_loop_of_others_keeps_nobody_out(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (uint64_t weight = 0; weight < 6; weight += 5) { /* it is expected, or nothing is any more */
		struct vtb_walker w[3] = { { .alive = true, .weight = weight },
			                   { .alive = true, .enabled = true, .interesting = true },
			                   { .alive = true, .enabled = true } };
		uint32_t intended = VTB_WALK_NOBODY, choices = 0;

		while (vtb_walk_surw(w, 3, &intended, &random) != 1)
			assert_true(++choices < 64 * VTB_WALK_PATIENCE); /* P < 2^-63 */
		assert_true(choices >= VTB_WALK_PATIENCE);
	}
}

/* The one that is meant to go on goes round and round instead. */
static void a_loop_of_its_own_keeps_nobody_out(void **state)
{
	struct vtb_walker w[2] = { { .alive = true, .enabled = true, .weight = 1 },
		                   { .alive = true, .enabled = true, .interesting = true } };
	uint32_t intended = VTB_WALK_NOBODY, choices = 0;
	uint64_t random = 7;

	(void)state;
	while (vtb_walk_surw(w, 2, &intended, &random) != 1)
		assert_true(++choices < 64 * VTB_WALK_LONG); /* P < 2^-63 */
	assert_true(choices >= VTB_WALK_LONG);
}

/* Three independent threads before one race: a uniform walk favours who has less to do, pos does not. */
static void pos_does_not_care_how_much_lies_before_a_race(void **state)
{
	struct vtb_claim claim;
	struct tally t;
	struct prog p = { .n_threads = 3, .n_vars = 3, .n_locks = 1, .n_conds = 1 };
	uint32_t pos, random;

	(void)state;
	prog_create_all(&p);
	for (int i = 0; i < 15; i++)
		add(&p, 1, P_WRITE, 1, i);
	add(&p, 1, P_WRITE, 0, 1);
	add(&p, 2, P_WRITE, 0, 2);
	prog_join_all(&p);
	search_with(&p, "pos", 2, 2, 4000, 5, &t, &claim);
	pos = t.orders[1 * 4 + 2];
	search_with(&p, "random", 2, 2, 4000, 5, &t, &claim);
	random = t.orders[1 * 4 + 2];
	print_message("the longer way first: pos %u, random %u of 4000\n", pos, random);
	assert_true(pos > 10 * (random + 1));
}

#define MANY 150u

/* Threads go on, are born, end, begin to wait and go on again at random; operations are small, large, reads and writes.
 */
static bool change(struct vtb_walker *w, uint64_t *rng)
{
	w->alive = vtb_rng_below(rng, 8) != 0;
	w->enabled = w->alive && vtb_rng_below(rng, 3) != 0;
	if (!w->alive || vtb_rng_below(rng, 2))
		return false;
	w->op++;
	w->lo = vtb_rng_below(rng, 40);
	w->hi = w->lo + (vtb_rng_below(rng, 9) ? 1 + vtb_rng_below(rng, 8) : 64);
	w->writes = vtb_rng_below(rng, 3) == 0;
	return true;
}

/* Whoever was chosen has moved on; so may some others, while fewer or more than all the time. */
static void pos_that_is_told_of_changes_chooses_as_one_that_looks_at_all(void **state)
{
	uint64_t words[1024] = { 0 }, rng = 11, all = 5, told = 5;
	struct vtb_walker w[MANY];
	struct vtb_pos_walk p;
	uint32_t chosen = 0;

	(void)state;
	assert_true(vtb_pos_words(MANY) < sizeof(words) / sizeof(words[0]));
	vtb_pos_place(&p, words, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		w[i] = (struct vtb_walker){ .op = UINT32_MAX };
	for (uint32_t round = 0, n = 1; round < 20000; round++) {
		const uint32_t i = (uint32_t)vtb_rng_below(&rng, n), best = vtb_walk_pos(w, n, &all);

		assert_int_equal(vtb_pos_walk(&p, n, &told), best);
		assert_true(all == told);
		chosen += best != VTB_WALK_NOBODY;
		if (best != VTB_WALK_NOBODY)
			vtb_pos_look_at(&p, best, &w[best], change(&w[best], &rng));
		vtb_pos_look_at(&p, i, &w[i], change(&w[i], &rng));
		n += n < MANY && round % 64 == 0;
	}
	assert_true(chosen > 10000);
}

/* ---- thread bound */

/* A starter signals once; two waiters. A waiter that comes late does not wait, so all three threads decide. */
static void a_set_that_behaves_otherwise_is_not_sufficient(void **state)
{
	struct prog p = { .n_threads = 4, .n_vars = 1, .n_locks = 1, .n_conds = 1 };

	(void)state;
	prog_create_all(&p);
	add(&p, 1, P_LOCK, 0, 0);
	add(&p, 1, P_WRITE, 0, 1);
	add(&p, 1, P_SIGNAL, 0, 0);
	add(&p, 1, P_UNLOCK, 0, 0);
	for (int t = 2; t < 4; t++) {
		add(&p, t, P_LOCK, 0, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
		prog_add(&p, t, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
		prog_add(&p, t, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
		add(&p, t, P_UNLOCK, 0, 0);
	}
	prog_join_all(&p);
	for (uint64_t seed = 0; seed < 30; seed++) {
		const struct vtb_thread_bound_opts opts = { .seed = seed };
		struct vtb_runner *runner = prog_runner(&p);
		struct vtb_schedule s = { .policy = VTB_SCHEDULE_PRIORITY };
		uint32_t ranks[] = { 0, 2, 3, 1 }; /* both wait before the one signal */
		const struct vtb_schedule *schedule = &s;
		struct vtb_thread_bound bound;
		struct vtb_exec x = { 0 };

		s.ranks = ranks;
		s.n_ranks = 4;
		assert_int_equal(vtb_runner_run(runner, &schedule, 1, &x, NULL), 0);
		assert_int_equal(vtb_verdict_exit_code(x.outcome.verdict), 1);
		assert_int_equal(vtb_thread_bound(runner, &x, &opts, &bound, NULL), 0);
		assert_int_equal(bound.t, 3);
		vtb_thread_bound_fini(&bound);
		vtb_exec_fini(&x);
		vtb_runner_free(runner);
	}
}

/* ---- time and chance */

static int draw_seed(void *state, struct vtb_plan *plan)
{
	plan->schedule.policy = VTB_SCHEDULE_RANDOM;
	plan->schedule.seed = *(const uint64_t *)state;
	return 0;
}

/* What is proposed after a run with an armed wait and a weak compare-exchange. */
static void chances_are_taken_where_they_were(void **state)
{
	struct vtb_event events[] = {
		{ .kind = VTB_E_READ, .thread = 0, .var = 1 },
		{ .kind = VTB_E_READ, .thread = 1, .var = 1 },
		{ .kind = VTB_E_ATOMIC_RMW, .thread = 0, .var = 2, .flags = VTB_EVF_WEAK },
		{ .kind = VTB_E_READ, .thread = 0, .var = 1 },
	};
	struct vtb_wait waits[] = { { .row = 2, .thread = 1, .kind = VTB_E_SLEEP, .armed = true } };
	const struct vtb_exec x = {
		.events = events, .n_events = 4, .waits = waits, .n_waits = 1, .kinds = VTB_EXEC_ALL_KINDS
	};
	struct vtb_chance_draw d;
	uint32_t timeouts[2] = { 0 }, fails = 0, plain = 0;
	uint64_t seed = 42;

	(void)state;
	vtb_chance_draw_init(&d, 1);
	for (int i = 0; i < 20000; i++) {
		struct vtb_plan plan = { .ticket = 0 };

		assert_int_equal(vtb_chance_draw_batch(&d, &plan, 1, draw_seed, &seed), 1);
		assert_int_equal(plan.schedule.seed, seed);
		if (plan.schedule.n_deviations) {
			const struct vtb_deviation *dev = &plan.schedule.deviations[plan.schedule.n_deviations - 1];

			if (dev->kind == VTB_DEV_TIMEOUT) { /* at either of the two points from row 2 on */
				assert_int_equal(dev->target, 1);
				assert_int_equal(dev->after.index, dev->after.thread ? 1 : 2);
				timeouts[dev->after.thread]++;
			} else {
				assert_int_equal(dev->kind, VTB_DEV_CAS_FAIL);
				assert_int_equal(dev->after.thread, 0);
				assert_int_equal(dev->after.index, 1);
				fails++;
			}
		} else {
			plain++;
			assert_int_equal(vtb_chance_draw_learn(&d, plan.ticket, &x), 0);
		}
		vtb_schedule_fini(&plan.schedule);
	}
	print_message("%u plain, timeouts %u and %u, failing compare-exchanges %u\n", plain, timeouts[0], timeouts[1],
	              fails);
	assert_in_range(plain, 17300, 17700); /* 7 of 8 */
	assert_in_range(fails, 1000, 1500);   /* kinds get the same share, points of a kind too */
	assert_in_range(timeouts[0], 450, 800);
	assert_in_range(timeouts[1], 450, 800);
	assert_int_equal(d.proposed, 20000);
	vtb_chance_draw_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_seed_gives_the_same_runs),
		cmocka_unit_test(surw_shows_all_orders_of_a_variable_equally_often),
		cmocka_unit_test(surw_shows_every_order_as_often_as_it_says),
		cmocka_unit_test(an_unhindered_walk_is_uniform),
		cmocka_unit_test(an_expected_child_counts_through_its_parent),
		cmocka_unit_test(a_loop_of_others_keeps_nobody_out),
		cmocka_unit_test(a_loop_of_its_own_keeps_nobody_out),
		cmocka_unit_test(pos_does_not_care_how_much_lies_before_a_race),
		cmocka_unit_test(pos_that_is_told_of_changes_chooses_as_one_that_looks_at_all),
		cmocka_unit_test(a_set_that_behaves_otherwise_is_not_sufficient),
		cmocka_unit_test(chances_are_taken_where_they_were),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
