/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --focus-var: which strategies heed it, and what is said of those that do not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "prog.h"
#include "vtb/focus.h"
#include "vtb/strategies.h"

static void access_variable(struct prog *p, int thread, int var)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 0 });
	prog_add(p, thread, (struct prog_instr){ .code = P_STORE, .obj = var, .reg = 0, .k = 1 });
}

/* Two workers that each read and write both variables, one of them also twice under a lock: some strategies deviate
 * there and nowhere else. */
static void busy(struct prog *p)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = 3;
	p->n_vars = 2;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < 3; t++) {
		access_variable(p, t, 0);
		access_variable(p, t, 1);
		for (int i = 0; i < 2; i++) {
			prog_add(p, t, (struct prog_instr){ .code = P_LOCK, .obj = 0 });
			access_variable(p, t, 0);
			prog_add(p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = 0 });
		}
	}
	prog_join_all(p);
}

/* Departures from run-to-block anywhere but after operations on x1. Policies depart, too: what a run did counts, not
 * its schedule. */
struct departures {
	uint64_t elsewhere, runs;
};

static void count_departures(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                             uint64_t class_id, bool new_class, void *data)
{
	struct departures *d = data;
	struct vtb_schedule explicit = { 0 };

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	assert_int_equal(vtb_exec_schedule(x, &explicit), 0);
	for (size_t i = 0; i < explicit.n_deviations; i++)
		d->elsewhere += explicit.deviations[i].cost && explicit.deviations[i].var != 1;
	d->runs++;
	vtb_schedule_fini(&explicit);
}

static void depart(const struct prog *p, const struct vtb_search_opts *opts, struct departures *ret,
                   struct vtb_claim *claim, char *words, size_t size)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on,
		                                .executed = count_departures,
		                                .data = ret };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;

	*ret = (struct departures){ 0 };
	assert_int_equal(vtb_strategies_begin(runner, opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	vtb_search_claim(search, claim);
	vtb_search_statement(search, words, size);
	vtb_search_free(search);
	vtb_runner_free(runner);
}

/* Strategies that heed the focus, and those that do not: their rows, what they do, and what is said of it. */
static void a_strategy_heeds_the_focus_exactly_if_its_row_says_so(void **state)
{
	char words[4096];
	unsigned heed = 0, others = 0;
	const char *name, *help;
	struct departures d;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p);
	for (size_t i = 0; (name = vtb_strategy_name(i, &help)); i++) {
		const bool can = vtb_strategy_find(name)->can & VTB_STRATEGY_FOCUS;
		struct vtb_search_opts opts;

		vtb_search_opts_init(&opts);
		opts.strategy = name;
		opts.budget = 2000;
		opts.seed = 1;
		opts.focus_var = "x1";
		depart(&p, &opts, &d, &claim, words, sizeof(words));
		print_message("%s: %llu runs, %llu departures elsewhere\n", name, (unsigned long long)d.runs,
		              (unsigned long long)d.elsewhere);
		assert_true(can == !d.elsewhere);
		assert_true(can == !claim.focus_free);
		assert_true(can == (strstr(words, "Deviations only after operations on x1.") != NULL));
		assert_true(can == !strstr(words, "Deviations anywhere: the focus on x1 does not bound the strategy"));
		heed += can;
		others += !can;
	}
	assert_true(heed >= 3 && others >= 3);
}

static void a_focus_that_a_priority_goes_by_is_no_bound(void **state)
{
	char words[4096];
	struct vtb_search_opts opts;
	struct departures d;
	struct vtb_claim claim;
	struct prog p;

	(void)state;
	busy(&p);
	vtb_search_opts_init(&opts);
	opts.strategy = "bestfirst";
	opts.priority = "var";
	opts.focus_var = "x1";
	opts.budget = 2000;
	depart(&p, &opts, &d, &claim, words, sizeof(words));
	assert_true(d.elsewhere > 0);
	assert_int_equal(claim.focus_free, VTB_FOCUS_VAR);
	assert_non_null(strstr(words, "Deviations anywhere: the focus on x1 does not bound the strategy bestfirst."));
}

static bool knows(const char *functions, const char *variables, char *unknown, size_t size)
{
	struct vtb_search_opts opts;
	struct vtb_symtab tab = { 0 };
	bool ok;

	vtb_search_opts_init(&opts);
	opts.focus_function = functions;
	opts.focus_var = variables;
	assert_true(vtb_symtab_add_object(&tab, &(struct vtb_object){ .name = "account" }) >= 0);
	assert_true(vtb_symtab_add_variable(&tab, &(struct vtb_variable){ .name = "account.balance" }) >= 0);
	assert_true(vtb_symtab_add_site(&tab, &(struct vtb_site){ .function = "Pool::give(int)" }) >= 0);
	assert_true(vtb_symtab_add_site(
	                &tab, &(struct vtb_site){ .function = "std::map<int, char*>::operator[](int&&)" }) >= 0);
	ok = !vtb_focus_unknown_variable(&opts, &tab, unknown, size) &&
	     !vtb_focus_unknown_function(&opts, &tab, unknown, size);
	vtb_symtab_fini(&tab);
	return ok;
}

static void every_name_of_a_list_must_be_known(void **state)
{
	char unknown[40] = "";

	(void)state;
	assert_true(knows(NULL, NULL, unknown, sizeof(unknown)));
	assert_true(knows("Pool::give", NULL, unknown, sizeof(unknown)));
	assert_true(knows("Pool::give(int),map::operator[]", NULL, unknown, sizeof(unknown)));
	assert_true(knows(NULL, "clock,acc*", unknown, sizeof(unknown)));
	assert_false(knows(NULL, "account,nosuch", unknown, sizeof(unknown)));
	assert_string_equal(unknown, "nosuch");
	assert_false(knows("Pool::give,Pool::giv", NULL, unknown, sizeof(unknown)));
	assert_string_equal(unknown, "Pool::giv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_strategy_heeds_the_focus_exactly_if_its_row_says_so),
		cmocka_unit_test(a_focus_that_a_priority_goes_by_is_no_bound),
		cmocka_unit_test(every_name_of_a_list_must_be_known),
	};

	return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
