/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores of random programs against their definition. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "failing.h"
#include "vtb/cores.h"

static size_t place_of(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		n += e->thread == op->thread && e->site == op->site &&
		     vtb_event_pending_kind(e->kind) == vtb_event_pending_kind(op->kind);
		if (n == op->occurrence)
			return i + 1;
	}
	return 0;
}

static bool holds(const struct vtb_exec *x, const struct vtb_order_literal *l)
{
	const size_t before = place_of(x, &l->before), after = place_of(x, &l->after);

	return before && (!after || before < after);
}

struct definition {
	const struct vtb_cores *cores;
	const char *signature;
	uint64_t without[VTB_CORES_MAX][64]; /* passing runs that have all literals but this one */
	uint64_t refuting, unexplained;
};

static void judge(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                  bool new_class, void *data)
{
	struct definition *d = data;
	bool fails = x->outcome.signature && !strcmp(x->outcome.signature, d->signature), has_one = false;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	for (size_t i = 0; i < d->cores->n_cores; i++) {
		const struct vtb_core *core = &d->cores->cores[i];
		size_t lacks = 0, lacked = 0;

		for (size_t k = 0; k < core->n_literals; k++)
			if (!holds(x, &core->literals[k])) {
				lacks++;
				lacked = k;
			}
		has_one |= !lacks;
		d->refuting += !lacks && x->outcome.verdict == VTB_V_NONE;
		d->without[i][lacked] += lacks == 1 && x->outcome.verdict == VTB_V_NONE;
	}
	d->unexplained += fails && !has_one;
}

/* Every interleaving, by dfs: no passing run has a core, each literal is needed, and each failing run has one. */
static bool every_run_agrees(const struct prog *p, const char *signature, const struct vtb_cores *cores)
{
	struct definition *d = calloc(1, sizeof(*d));
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = judge, .data = d };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	int r;

	*d = (struct definition){ .cores = cores, .signature = signature };
	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.exhaust = true;
	opts.c = opts.v = opts.t = opts.l = VTB_UNBOUNDED;
	opts.budget = 30000;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	r = vtb_search_run(search, &calls, NULL);
	vtb_search_free(search);
	vtb_runner_free(runner);
	if (r == VTB_SEARCH_EXHAUSTED) {
		assert_int_equal(d->refuting, 0);
		assert_int_equal(d->unexplained, 0);
		for (size_t i = 0; i < cores->n_cores; i++)
			for (size_t k = 0; k < cores->cores[i].n_literals; k++)
				assert_true(d->without[i][k] > 0);
	}
	free(d);
	return r == VTB_SEARCH_EXHAUSTED;
}

/* Does this random program fail in some orders and pass in others, and do its cores agree with all of them? */
static bool agrees(uint64_t seed, uint64_t budget)
{
	struct vtb_cores cores;
	struct vtb_exec failing = { 0 };
	struct vtb_runner *runner;
	struct prog p;
	bool looked = false;

	prog_random(&p, seed, 2 + (int)(seed & 1), 5);
	runner = prog_runner(&p);
	if (find_failing(runner, &failing)) {
		const struct vtb_cores_opts opts = { .budget = budget, .seed = seed };

		assert_int_equal(vtb_cores_find(runner, &failing, &opts, &cores, NULL), 0);
		if (cores.exhausted && cores.explained)
			looked = every_run_agrees(&p, failing.outcome.signature, &cores);
		vtb_cores_fini(&cores);
	}
	vtb_exec_fini(&failing);
	vtb_runner_free(runner);
	return looked;
}

static void cores_hold_by_definition_in_every_interleaving(void **state)
{
	unsigned looked = 0;

	(void)state;
	for (uint64_t seed = 0; seed < CASES(1500); seed++)
		looked += agrees(seed, 0);
	print_message("%u programs\n", looked);
	assert_true(looked >= CASES(100));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cores_hold_by_definition_in_every_interleaving) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
