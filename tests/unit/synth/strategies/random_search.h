/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of random strategies: a search of so many runs, what it has seen, and whether so few hits refute odds. */
#ifndef VTB_TEST_RANDOM_SEARCH_H
#define VTB_TEST_RANDOM_SEARCH_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prog.h"
#include "vtb/strategies.h"

struct tally {
	uint64_t hash, runs, deviated;
	uint32_t orders[64]; /* by the order of the writes to variable 0, thread numbers in base 4 */
	uint32_t var;
};

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct tally *t = data;
	uint32_t order = 0;

	(void)search;
	(void)new_class;
	t->hash = t->hash * 31 + class_id;
	t->runs++;
	for (size_t i = 0; i < s->n_deviations; i++) {
		t->deviated += s->deviations[i].kind != VTB_DEV_DEMOTE;
		assert_true(s->deviations[i].kind != VTB_DEV_DEMOTE ||
		            s->deviations[i].after.index >
		                0); /* a runner has no point before a thread's first operation */
	}
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].var == t->var && x->events[i].kind == VTB_E_WRITE)
			order = order * 4 + x->events[i].thread;
	t->orders[order % 64]++;
}

static struct vtb_search_stats search_among(const struct prog *p, const char *strategy, struct vtb_tuple bound,
                                            uint64_t budget, uint64_t seed, struct tally *t, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look, .data = t };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_stats stats;
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = bound.c;
	opts.v = bound.v;
	opts.t = bound.t;
	opts.no_hand_over = true;
	opts.budget = budget;
	opts.seed = seed;
	*t = (struct tally){ 0 };
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	assert_int_equal(vtb_search_run(search, &calls, NULL), VTB_SEARCH_BUDGET);
	stats = *vtb_search_stats(search);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return stats;
}

static struct vtb_search_stats search_with(const struct prog *p, const char *strategy, uint32_t c, uint32_t v,
                                           uint64_t budget, uint64_t seed, struct tally *t, struct vtb_claim *claim)
{
	return search_among(p, strategy, (struct vtb_tuple){ .c = c, .v = v, .t = 2 }, budget, seed, t, claim);
}

static void add(struct prog *p, int thread, enum prog_code code, int obj, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = obj, .k = k });
}

/* ln P(X <= hits) for a binomial: summed from the largest term down. */
static double ln_binomial_below(uint64_t n, double p, uint64_t hits)
{
	double sum = 0, top = -INFINITY;

	for (uint64_t k = hits + 1; k-- > 0;) {
		const double ln = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
		                  (double)k * log(p) + (double)(n - k) * log1p(-p);

		if (top == -INFINITY)
			top = ln;
		if (ln < top - 40)
			break;
		sum += exp(ln - top);
	}
	return top + log(sum);
}

#define REFUTED 1e-5

#endif /* VTB_TEST_RANDOM_SEARCH_H */
