/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "extent.h"
#include "fake_program.h"
#include "hunt_priv.h"
#include "report_parts.h"

struct given {
	struct fake_runner fake;
	struct vtb_hunt_opts opts;
	struct vtb_hunt_result result;
	struct vtb_error err;
};

static int hunt(struct given *g, const struct fake_program *program)
{
	struct vtb_hunt hunt;

	fake_runner_init(&g->fake, program);
	g->result = (struct vtb_hunt_result){ .runner = &g->fake.base };
	vtb_hunt_begin(&hunt, &g->opts, &g->result, &g->err);
	return vtb_hunt_core(&hunt);
}

static struct given standard(void)
{
	struct given g = { 0 };

	vtb_hunt_opts_init(&g.opts);
	g.opts.search.seconds = 20;
	g.opts.search.strategy = "dfs";
	return g;
}

static void expect(const struct fake_program *program, const char *strategy, enum vtb_verdict verdict, uint32_t c,
                   uint32_t v)
{
	struct given g = standard();

	g.opts.search.strategy = strategy;
	assert_int_equal(hunt(&g, program), 0);
	assert_int_equal(g.result.verdict, verdict);
	assert_int_equal(g.result.n_findings, 1);
	assert_int_equal(g.result.findings[0].tuple.c, c);
	assert_int_equal(g.result.findings[0].tuple.v, v);
	assert_true(g.result.findings[0].t_known);
	assert_int_equal(g.result.findings[0].tuple.t, 2);
	assert_int_equal(g.result.findings[0].confirmed, VTB_HUNT_CONFIRM);
	assert_true(g.result.findings[0].minimal);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 1);
	vtb_hunt_result_fini(&g.result);
}

static void planted_bugs_come_out_with_their_tuples(void **state)
{
	(void)state;
	expect(&fake_account, "dfs", VTB_V_ASSERTION, 1, 1);
	expect(&fake_lock_cycle, "dfs", VTB_V_DEADLOCK, 1, 1);
	expect(&fake_late_init, "dfs", VTB_V_ASSERTION, 0, 0);
	expect(&fake_lost_signal, "dfs", VTB_V_CONDITION_DEADLOCK, 0, 0);
	expect(&fake_two_windows, "dfs", VTB_V_ASSERTION, 2, 2);
}

static void a_random_find_is_brought_down_to_the_same_tuple(void **state)
{
	(void)state;
	expect(&fake_account, "random", VTB_V_ASSERTION, 1, 1);
	expect(&fake_two_windows, "random", VTB_V_ASSERTION, 2, 2);
}

static void a_correct_program_is_complete_within_the_bound(void **state)
{
	struct given g = standard();

	(void)state;
	assert_int_equal(hunt(&g, &fake_account_locked), 0);
	assert_int_equal(g.result.verdict, VTB_V_NONE);
	assert_int_equal(g.result.n_findings, 0);
	assert_true(g.result.facts.complete);
	assert_true(g.result.facts.zero_done);
	assert_int_equal(g.result.facts.done.c, 2);
	assert_int_equal(g.result.facts.threads, 3);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 0);
	vtb_hunt_result_fini(&g.result);
}

static void a_program_with_one_thread_is_sequential(void **state)
{
	struct given g = standard();

	(void)state;
	assert_int_equal(hunt(&g, &fake_sequential), 0);
	assert_int_equal(g.result.verdict, VTB_V_SEQUENTIAL);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 0);
	g.result.facts.uncontrolled = 1; /* a clone that was not pthread_create's */
	assert_int_equal(vtb_hunt_exit_code(&g.result), 3);
	vtb_hunt_result_fini(&g.result);
}

static void a_program_that_always_fails_is_told_so(void **state)
{
	struct given g = standard();

	(void)state;
	assert_int_equal(hunt(&g, &fake_always), 0);
	assert_int_equal(g.result.verdict, VTB_V_REGARDLESS);
	assert_int_equal(g.result.n_findings, 1);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 1);
	vtb_hunt_result_fini(&g.result);
}

static void a_default_run_that_fails_while_others_pass_has_tuple_zero(void **state)
{
	/* main checks before the thread has run: only the default order fails */
	static const struct fake_op main_ops[] = { { FAKE_CREATE, 0, 1 },
		                                   { FAKE_READ, 0, 0 },
		                                   { FAKE_CHECK, 0, 1 },
		                                   { FAKE_JOIN, 0, 1 },
		                                   { FAKE_END, 0, 0 } };
	static const struct fake_op thread_ops[] = { { FAKE_SET, 0, 1 }, { FAKE_WRITE, 0, 0 }, { FAKE_END, 0, 0 } };
	static const struct fake_program program = {
		.threads = { main_ops, thread_ops }, .n_threads = 2, .vars = { "done" }, .n_vars = 1
	};

	(void)state;
	expect(&program, "dfs", VTB_V_ASSERTION, 0, 0);
}

static void going_on_after_the_first_failure_finds_all_signatures(void **state)
{
	/* two independent late reads, each with a check of its own */
	static const struct fake_op main_ops[] = { { FAKE_CREATE, 0, 1 }, { FAKE_CREATE, 0, 2 }, { FAKE_SET, 0, 1 },
		                                   { FAKE_WRITE, 0, 0 },  { FAKE_WRITE, 1, 0 },  { FAKE_JOIN, 0, 1 },
		                                   { FAKE_JOIN, 0, 2 },   { FAKE_END, 0, 0 } };
	static const struct fake_op one[] = { { FAKE_READ, 0, 0 }, { FAKE_CHECK, 0, 1 }, { FAKE_END, 0, 0 } },
	                            two[] = { { FAKE_READ, 1, 0 }, { FAKE_CHECK, 0, 1 }, { FAKE_END, 0, 0 } };
	static const struct fake_program program = {
		.threads = { main_ops, one, two }, .n_threads = 3, .vars = { "a", "b" }, .n_vars = 2
	};
	struct given g = standard();

	(void)state;
	g.opts.keep_going = true;
	assert_int_equal(hunt(&g, &program), 0);
	assert_int_equal(g.result.n_findings, 2);
	assert_string_not_equal(g.result.findings[0].exec.outcome.signature,
	                        g.result.findings[1].exec.outcome.signature);
	assert_true(g.result.facts.complete);
	vtb_hunt_result_fini(&g.result);
}

static void a_budget_of_one_shows_nothing_but_what_one_walk_promises(void **state)
{
	const char *name;

	(void)state;
	for (size_t i = 0; (name = vtb_strategy_name(i, NULL)); i++) {
		const bool walks = !strcmp(name, "random") || !strcmp(name, "pos") || !strcmp(name, "pct") ||
		                   !strcmp(name, "pctvb") || !strcmp(name, "pcttb") || !strcmp(name, "surw");
		struct given g = standard();

		g.opts.search.strategy = name;
		g.opts.search.budget = 1;
		assert_int_equal(hunt(&g, &fake_account_locked), 0);
		assert_false(g.result.facts.complete);
		assert_string_equal(g.result.facts.stopped, "budget");
		assert_null(strstr(g.result.facts.arguments, "every"));
		assert_null(strstr(g.result.facts.arguments, "opposite"));
		assert_int_equal(vtb_hunt_exit_code(&g.result), walks ? 0 : 3);
		vtb_hunt_result_fini(&g.result);
	}
}

static void an_interrupt_ends_the_search(void **state)
{
	const volatile sig_atomic_t yes = 1;
	struct given g = standard();

	(void)state;
	g.opts.interrupted = &yes;
	assert_int_equal(hunt(&g, &fake_account_locked), 0);
	assert_false(g.result.facts.complete);
	assert_string_equal(g.result.facts.stopped, "interrupt");
	vtb_hunt_result_fini(&g.result);
}

static void a_failure_that_does_not_come_again_is_counted_not_reported(void **state)
{
	struct given g = standard();
	struct vtb_hunt h;

	(void)state;
	g.opts.search.strategy = "random";
	g.opts.search.budget = 200;
	fake_runner_init(&g.fake, &fake_account);
	g.fake.forgetful = true; /* only random schedules fail, their replays do not */
	g.result = (struct vtb_hunt_result){ .runner = &g.fake.base };
	vtb_hunt_begin(&h, &g.opts, &g.result, &g.err);
	assert_int_equal(vtb_hunt_core(&h), 0);
	assert_int_equal(g.result.n_findings, 0);
	assert_true(g.result.facts.not_again > 0);
	assert_false(vtb_extent_shows(&g.result.facts)); /* and nothing is proved */
	assert_int_equal(vtb_hunt_exit_code(&g.result), 3);
	vtb_hunt_result_fini(&g.result);
}

static void trouble_of_the_target_is_an_error(void **state)
{
	struct given g = standard();
	struct vtb_hunt h;

	(void)state;
	fake_runner_init(&g.fake, &fake_account_locked);
	g.fake.fail_after = 5;
	g.result = (struct vtb_hunt_result){ .runner = &g.fake.base };
	vtb_hunt_begin(&h, &g.opts, &g.result, &g.err);
	assert_int_equal(vtb_hunt_core(&h), -VTB_E_TARGET);
	assert_string_equal(g.err.text, "the fake target is gone");
	vtb_hunt_result_fini(&g.result);
}

static void a_deadlock_is_predicted_before_the_search_meets_it(void **state)
{
	struct given g = standard();

	(void)state;
	g.opts.search.budget = 1;
	assert_int_equal(hunt(&g, &fake_lock_cycle), 0);
	assert_int_equal(g.result.verdict, VTB_V_DEADLOCK);
	assert_int_equal(g.result.n_findings, 1);
	assert_true(g.result.findings[0].predicted);
	assert_int_equal(g.result.findings[0].tuple.c, 1);
	assert_int_equal(g.result.findings[0].schedule.n_constraints,
	                 0); /* it is what happened, not what was asked for */
	assert_int_equal(g.result.suspects.n_suspicions, 0);
	vtb_hunt_result_fini(&g.result);
}

static void races_are_suspects_until_a_schedule_fails_by_them(void **state)
{
	struct given g = standard();

	(void)state;
	g.opts.search.c = 0;
	assert_int_equal(hunt(&g, &fake_account), 0); /* needs a preemption to fail */
	assert_int_equal(g.result.verdict, VTB_V_NONE);
	assert_true(g.result.suspects.n_suspicions > 0);
	for (size_t i = 0; i < g.result.suspects.n_suspicions; i++) {
		assert_int_equal(g.result.suspects.suspicions[i].kind, VTB_SUSPECT_RACE);
		assert_string_equal(g.result.suspects.suspicions[i].variable, "balance");
	}
	vtb_hunt_result_fini(&g.result);
	g = standard();
	assert_int_equal(hunt(&g, &fake_account), 0); /* now it fails, and the race is the failure */
	assert_int_equal(g.result.n_findings, 1);
	assert_int_equal(g.result.suspects.n_suspicions, 0);
	vtb_hunt_result_fini(&g.result);
}

static void what_a_lock_protects_is_no_suspect(void **state)
{
	struct given g = standard();

	(void)state;
	assert_int_equal(hunt(&g, &fake_account_locked), 0);
	assert_int_equal(g.result.suspects.n_suspicions, 0);
	vtb_hunt_result_fini(&g.result);
}

static void an_unknown_strategy_is_refused(void **state)
{
	struct given g = standard();

	(void)state;
	g.opts.search.strategy = "crystal-ball";
	assert_int_equal(hunt(&g, &fake_account), -EINVAL);
	assert_non_null(strstr(g.err.text, "crystal-ball"));
	vtb_hunt_result_fini(&g.result);
}

static const struct vtb_exec *went;
static unsigned asked;

/* With call stacks this schedule comes out otherwise, unless it tells each switch. */
static int show_another_first(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *ret,
                              struct vtb_run_calls *calls, struct vtb_error *err)
{
	(void)runner;
	(void)calls;
	(void)err;
	*ret = (struct vtb_exec){ 0 };
	return asked++ || s->n_deviations ? vtb_exec_copy(went, ret) : 0;
}

static void a_run_that_is_not_shown_by_its_schedule_is_shown_as_it_went(void **state)
{
	struct vtb_event events[] = { { .kind = VTB_E_WRITE, .thread = 0, .addr = 8, .size = 4 },
		                      { .kind = VTB_E_YIELD, .thread = 1, .var = VTB_NONE } };
	uint64_t enabled[] = { 3, 3 };
	const struct vtb_exec run = {
		.events = events, .n_events = 2, .enabled = enabled, .n_enabled = 2, .stride = 1
	};
	const struct vtb_schedule schedule = { 0 };
	struct vtb_runner runner = { 0 };
	struct vtb_hunt hunt = { .runner = &runner, .show = show_another_first };
	struct vtb_finding f = { 0 };

	(void)state;
	went = &run;
	asked = 0;
	assert_int_equal(vtb_hunt_show(&hunt, &schedule, &run, &f), 0);
	assert_int_equal(asked, 2);
	assert_int_equal(f.shown.n_events, 2);
	vtb_exec_fini(&f.shown);
}

static void a_contradiction_names_the_library_without_hooks(void **state)
{
	char *const unhooked[] = { (char *)"libgcc_s.so.1", (char *)"libgomp.so.1",
		                   (char *)"some accesses in f() of x.so", NULL };
	struct vtb_hunt_facts facts = { .stopped = "contradiction" };
	char text[200];

	(void)state;
	assert_string_equal(vtb_extent_missing(&facts, text, sizeof(text)), "the search contradicts itself");
	assert_null(vtb_extent_library(&facts));
	facts.unhooked = (char **)unhooked;
	assert_string_equal(vtb_extent_missing(&facts, text, sizeof(text)),
	                    "the search contradicts itself, perhaps by what is not hooked: libgomp.so.1");
	assert_string_equal(vtb_extent_library(&facts), "libgomp.so.1");
}

static void a_claim_is_only_of_what_has_hooks(void **state)
{
	char *const library[] = { (char *)"libgcc_s.so.1", (char *)"libz.so.1", NULL };
	struct vtb_hunt_result result = { .facts = { .enumerated = true, .zero_done = true, .accesses = 1 } };
	struct vtb_hunt_facts *f = &result.facts;
	char text[200];

	(void)state;
	f->done.c = VTB_UNBOUNDED;
	result.fix.answer = VTB_FIX_FIXED;
	result.fix.applicable = true;
	assert_string_equal(vtb_report_bound(f, text, sizeof(text)), "in all schedules");
	assert_string_equal(vtb_report_fix(&result, text, sizeof(text)),
	                    "the saved schedules pass, and no schedule fails");
	f->unhooked = (char **)library;
	assert_string_equal(vtb_report_bound(f, text, sizeof(text)), "in all schedules of what has hooks only");
	assert_string_equal(vtb_report_fix(&result, text, sizeof(text)),
	                    "the saved schedules pass, and no schedule fails, of what has hooks only");
	f->unhooked = NULL;
	f->untold = true;
	assert_string_equal(vtb_report_bound(f, text, sizeof(text)), "in all schedules of what has hooks only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_claim_is_only_of_what_has_hooks),
		cmocka_unit_test(a_contradiction_names_the_library_without_hooks),
		cmocka_unit_test(planted_bugs_come_out_with_their_tuples),
		cmocka_unit_test(a_random_find_is_brought_down_to_the_same_tuple),
		cmocka_unit_test(a_correct_program_is_complete_within_the_bound),
		cmocka_unit_test(a_program_with_one_thread_is_sequential),
		cmocka_unit_test(a_program_that_always_fails_is_told_so),
		cmocka_unit_test(a_default_run_that_fails_while_others_pass_has_tuple_zero),
		cmocka_unit_test(going_on_after_the_first_failure_finds_all_signatures),
		cmocka_unit_test(a_budget_of_one_shows_nothing_but_what_one_walk_promises),
		cmocka_unit_test(an_interrupt_ends_the_search),
		cmocka_unit_test(a_failure_that_does_not_come_again_is_counted_not_reported),
		cmocka_unit_test(trouble_of_the_target_is_an_error),
		cmocka_unit_test(a_deadlock_is_predicted_before_the_search_meets_it),
		cmocka_unit_test(races_are_suspects_until_a_schedule_fails_by_them),
		cmocka_unit_test(what_a_lock_protects_is_no_suspect),
		cmocka_unit_test(an_unknown_strategy_is_refused),
		cmocka_unit_test(a_run_that_is_not_shown_by_its_schedule_is_shown_as_it_went),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
