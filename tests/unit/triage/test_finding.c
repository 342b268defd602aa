/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "fake_program.h"
#include "hunt_priv.h"
#include "shown_places.h"

/* A target that after its first run goes its own way: that of another run which fails alike. It keeps to that one's
 * schedule. */
struct stray {
	struct fake_runner fake; /* first */
	const struct vtb_runner_ops *plain;
	struct vtb_exec way;
	struct vtb_schedule schedule;
};

static bool alike(const struct vtb_schedule *a, const struct vtb_schedule *b)
{
	bool same = a->n_deviations == b->n_deviations;

	for (size_t i = 0; same && i < a->n_deviations; i++) {
		const struct vtb_deviation *x = &a->deviations[i], *y = &b->deviations[i];

		same = x->after.thread == y->after.thread && x->after.index == y->after.index && x->target == y->target;
	}
	return same;
}

static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	struct stray *s = (struct stray *)runner;

	assert_int_equal(n, 1);
	if (!runner->schedules)
		return s->plain->run(runner, schedules, n, execs, err);
	assert_int_equal(vtb_exec_copy(&s->way, execs), 0);
	execs[0].outcome.flags |= alike(schedules[0], &s->schedule) ? 0 : VTB_OUT_DIVERGED;
	return 0;
}

/* A run that fails, and another way to fail alike. */
static struct vtb_exec two_ways(struct stray *s, struct vtb_schedule *ret_schedule)
{
	struct vtb_exec find = fake_find(&s->fake, 1);

	assert_int_equal(vtb_exec_schedule(&find, ret_schedule), 0);
	for (uint64_t seed = 2;; seed++) {
		s->way = fake_find(&s->fake, seed);
		s->schedule = (struct vtb_schedule){ 0 };
		assert_int_equal(vtb_exec_schedule(&s->way, &s->schedule), 0);
		if (vtb_exec_fails_as(&s->way, find.outcome.signature) && !alike(ret_schedule, &s->schedule))
			return find;
		vtb_schedule_fini(&s->schedule);
		vtb_exec_fini(&s->way);
	}
}

static bool same_order(const struct vtb_exec *a, const struct vtb_exec *b)
{
	bool same = a->n_events == b->n_events;

	for (size_t i = 0; same && i < a->n_events; i++)
		same = a->events[i].thread == b->events[i].thread && a->events[i].kind == b->events[i].kind;
	return same;
}

static void a_find_that_strays_when_it_is_proved_is_described_anew(void **state)
{
	struct stray s = { 0 };
	struct vtb_schedule first = { 0 };
	struct vtb_hunt_opts opts = { 0 };
	struct vtb_hunt_result result = { .runner = &s.fake.base };
	struct vtb_error err = { 0 };
	struct vtb_runner_ops straying;
	struct vtb_hunt hunt;
	struct vtb_exec find;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.refine = 0;
	fake_runner_init(&s.fake, &fake_account);
	find = two_ways(&s, &first);
	s.plain = s.fake.base.ops;
	straying = *s.plain;
	straying.run = run;
	s.fake.base.ops = &straying;
	s.fake.base.schedules = 0;
	vtb_hunt_begin(&hunt, &opts, &result, &err);
	assert_int_equal(vtb_hunt_add_finding(&hunt, &find, 1, NULL), 0);
	assert_int_equal(result.n_findings, 1);
	assert_true(alike(&result.findings[0].schedule, &s.schedule));
	assert_true(same_order(&result.findings[0].exec, &s.way));
	assert_int_equal(result.findings[0].strayed, 0);
	assert_int_equal(result.findings[0].confirmed, VTB_HUNT_CONFIRM);
	s.fake.base.ops = s.plain;
	vtb_exec_fini(&find);
	vtb_exec_fini(&s.way);
	vtb_schedule_fini(&first);
	vtb_schedule_fini(&s.schedule);
	vtb_hunt_result_fini(&result);
}

/* ---- runs that fail now and then */

/* A target that fails so many times by one schedule, and by none of the others twice in a row. */
struct fickle {
	struct fake_runner fake; /* first */
	const struct vtb_runner_ops *plain;
	struct vtb_schedule schedule, last;
	uint64_t times;
};

static void go_wrong_or_not(struct fickle *k, const struct vtb_schedule *schedule, struct vtb_exec *x)
{
	const bool own = alike(schedule, &k->schedule);

	if (own ? !k->times : alike(schedule, &k->last)) {
		x->outcome.verdict = VTB_V_NONE;
		x->outcome.signature = "";
	}
	k->times -= own && k->times;
	vtb_schedule_fini(&k->last);
	assert_int_equal(vtb_schedule_copy(schedule, &k->last), 0);
}

static int run_fickly(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                      struct vtb_exec *execs, struct vtb_error *err)
{
	struct fickle *k = (struct fickle *)runner;
	const int r = k->plain->run(runner, schedules, n, execs, err);

	for (size_t i = 0; i < n; i++)
		go_wrong_or_not(k, schedules[i], &execs[i]);
	return r;
}

static void find_fickly(uint64_t times, double refine, struct vtb_hunt_result *result, int expected)
{
	struct fickle k = { .times = times };
	struct vtb_hunt_opts opts = { 0 };
	struct vtb_error err = { 0 };
	struct vtb_runner_ops ops;
	struct vtb_hunt hunt;
	struct vtb_exec find;

	vtb_hunt_opts_init(&opts);
	opts.refine = refine;
	fake_runner_init(&k.fake, &fake_account);
	find = fake_find(&k.fake, 1);
	assert_int_equal(vtb_exec_schedule(&find, &k.schedule), 0);
	k.plain = k.fake.base.ops;
	ops = *k.plain;
	ops.run = run_fickly;
	k.fake.base.ops = &ops;
	*result = (struct vtb_hunt_result){ .runner = &k.fake.base };
	vtb_hunt_begin(&hunt, &opts, result, &err);
	assert_int_equal(vtb_hunt_add_finding(&hunt, &find, 1, NULL), expected);
	result->runner = NULL;
	vtb_exec_fini(&find);
	vtb_schedule_fini(&k.schedule);
	vtb_schedule_fini(&k.last);
	k.fake.base.ops = k.plain;
	vtb_runner_free(&k.fake.base);
}

static void what_fails_twice_and_in_no_replay_is_no_finding(void **state)
{
	struct vtb_hunt_result result;

	(void)state;
	find_fickly(1, 0, &result, 1);
	assert_int_equal(result.n_findings, 0);
	assert_int_equal(result.facts.not_again, 1);
	vtb_hunt_result_fini(&result);
}

static void a_simpler_order_that_does_not_fail_again_replaces_none_that_does(void **state)
{
	struct vtb_hunt_result result;

	(void)state;
	find_fickly(UINT64_MAX, 5, &result, 0);
	assert_int_equal(result.n_findings, 1);
	assert_int_equal(result.findings[0].replays, VTB_HUNT_CONFIRM);
	assert_int_equal(result.findings[0].confirmed, VTB_HUNT_CONFIRM);
	vtb_hunt_result_fini(&result);
}

/* ---- runs that go another way when less is told of them */

static int run_less(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                    struct vtb_exec *execs, struct vtb_error *err)
{
	struct fickle *k = (struct fickle *)runner;
	const int r = k->plain->run(runner, schedules, n, execs, err);

	for (size_t i = 0; i < n; i++) {
		execs[i].owned = runner->owned && schedules[i]->sparse;
		if (!execs[i].owned)
			continue;
		k->times++;
		execs[i].outcome.verdict = VTB_V_NONE;
		execs[i].outcome.signature = "";
	}
	return r;
}

static void a_replay_that_does_not_fail_when_less_is_told_is_made_whole(void **state)
{
	struct fickle k = { 0 };
	struct vtb_hunt_opts opts = { 0 };
	struct vtb_hunt_result result;
	struct vtb_error err = { 0 };
	struct vtb_runner_ops ops;
	struct vtb_hunt hunt;
	struct vtb_exec find;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.refine = 0;
	fake_runner_init(&k.fake, &fake_account);
	find = fake_find(&k.fake, 1);
	k.plain = k.fake.base.ops;
	ops = *k.plain;
	ops.run = run_less;
	k.fake.base.ops = &ops;
	result = (struct vtb_hunt_result){ .runner = &k.fake.base };
	vtb_hunt_begin(&hunt, &opts, &result, &err);
	assert_int_equal(vtb_hunt_add_finding(&hunt, &find, 1, NULL), 0);
	assert_int_equal(result.n_findings, 1);
	assert_int_equal(result.findings[0].confirmed, VTB_HUNT_CONFIRM);
	assert_int_equal(k.times, 1); /* it is not tried again */
	k.fake.base.ops = k.plain;
	vtb_exec_fini(&find);
	vtb_hunt_result_fini(&result);
}

/* Its sites are those of the user's lines: 100 more than the raw ones. */
static struct vtb_event spins(uint32_t thread, uint8_t kind, uint32_t site, uint64_t value)
{
	return (struct vtb_event){
		.thread = (uint16_t)thread, .kind = kind, .site = site, .flags = VTB_EVF_VALUE, .value = value
	};
}

/* With call stacks a thread may go round another number of times. */
static void what_threads_do_is_at_their_lines_though_one_goes_round_more_often(void **state)
{
	struct vtb_event raw[] = {
		spins(1, VTB_E_READ, 1, 0),  spins(1, VTB_E_READ, 1, 0), spins(2, VTB_E_WRITE, 2, 7),
		spins(1, VTB_E_READ, 1, 7),  spins(1, VTB_E_WRITE, 3, 1), spins(2, VTB_E_WRITE, 4, 0),
	}, shown[] = {
		spins(1, VTB_E_READ, 101, 0), spins(2, VTB_E_WRITE, 102, 7), spins(1, VTB_E_READ, 101, 7),
		spins(1, VTB_E_WRITE, 103, 1), spins(2, VTB_E_WRITE, 104, 0),
	};
	struct vtb_event raw_stuck = spins(3, VTB_E_LOCK, 5, 0), shown_stuck = spins(3, VTB_E_LOCK, 105, 0);
	const struct vtb_exec a = { .events = raw, .n_events = 6, .pending = &raw_stuck, .n_pending = 1 },
	                      b = { .events = shown, .n_events = 5, .pending = &shown_stuck, .n_pending = 1 };
	static const uint32_t sites[] = { 101, 101, 102, 101, 3 /* not known: it had gone another way by then */, 104 };
	struct vtb_exec known = { 0 };

	(void)state;
	assert_int_equal(vtb_shown_as_known(&a, &b, &known), 0);
	assert_int_equal(known.n_events, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(known.events[i].site, sites[i]);
	assert_int_equal(known.pending[0].site, 105);
	vtb_exec_fini(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_find_that_strays_when_it_is_proved_is_described_anew),
		cmocka_unit_test(what_fails_twice_and_in_no_replay_is_no_finding),
		cmocka_unit_test(a_simpler_order_that_does_not_fail_again_replaces_none_that_does),
		cmocka_unit_test(a_replay_that_does_not_fail_when_less_is_told_is_made_whole),
		cmocka_unit_test(what_threads_do_is_at_their_lines_though_one_goes_round_more_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
