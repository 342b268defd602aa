/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search shows of an abstract program, to be compared with what there is. */
#ifndef VTB_TEST_AGREE_H
#define VTB_TEST_AGREE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prog.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

struct found {
	uint64_t outcomes[BRUTE_OUTCOMES];
	int n;
	bool diverged;
	uint64_t classes; /* a sum over the distinct ones */
};

static inline void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct found *f = data;
	int i;

	(void)search;
	(void)s;
	f->classes += new_class ? class_id : 0;
	f->diverged |= (x->outcome.flags & VTB_OUT_DIVERGED) != 0;
	for (i = 0; i < f->n && f->outcomes[i] != x->outcome.output_hash; i++)
		;
	if (i == f->n)
		f->outcomes[f->n++] = x->outcome.output_hash;
}

/* The whole of a search, from the beginning. */
static inline int run_search(const struct prog *p, const struct vtb_search_opts *opts,
                             const struct vtb_search_calls *calls, struct vtb_search_stats *stats,
                             struct vtb_claim *claim)
{
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search *search;
	int r;

	assert_int_equal(vtb_strategies_begin(runner, opts, &search, NULL), 0);
	r = vtb_search_run(search, calls, NULL);
	*stats = *vtb_search_stats(search);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return r;
}

static inline int search_program(const struct prog *p, const struct vtb_search_opts *opts, struct found *f,
                                 struct vtb_search_stats *stats, struct vtb_claim *claim)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = f };

	memset(f, 0, sizeof(*f));
	return run_search(p, opts, &calls, stats, claim);
}

static inline void check(bool ok, const struct prog *p, unsigned seed, const char *what)
{
	if (ok)
		return;
	prog_print(p);
	fail_msg("program %u: %s", seed, what);
}

static inline bool has(const struct found *f, uint64_t outcome)
{
	for (int i = 0; i < f->n; i++)
		if (f->outcomes[i] == outcome)
			return true;
	return false;
}

/* Every outcome that there is, and no other. */
static inline void check_outcomes(const struct found *f, const struct brute *b, const struct prog *p, unsigned seed)
{
	for (int i = 0; i < b->n_outcomes; i++)
		check(has(f, b->outcomes[i].id), p, seed, "every outcome is found");
	check(f->n == b->n_outcomes, p, seed, "and no other");
	check(!f->diverged, p, seed, "schedules are followed");
}

#endif /* VTB_TEST_AGREE_H */
