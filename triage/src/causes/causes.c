/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "causes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/core_repair.h"
#include "vtb/cores.h"
#include "told_cores.h"
#include "what_matters.h"

/* What may go into it, in runs: with the same seed it says the same on fast machines and slow ones, idle ones and busy
 * ones. The clock (--refine, for causes and once more for repairs) only ends what is slower than anybody waits for. */
#define OPERATIONS 3000000u
#define RUNS_MIN 48u
static const struct {
	const char *engine;
	uint64_t runs;
} limits[] = {
	{ "snapshot", 20000 },
	{ "forkserver", 2000 },
	{ "exec", 200 },
};

/* A run that is so much longer than the one that fails and the first one is cut off: somebody goes round in what is
 * broken, which takes a second where others take a thousandth. */
#define LONGER 16u
#define LONGEST_MIN 10000u  /* points */
#define LEFT_OUT_COSTS 128u /* operations of the stem are as long as one that is told: they are made, and no more */

/* What is explained. */
struct subject {
	struct vtb_hunt *hunt;
	struct vtb_finding *finding;
	const struct vtb_exec *failing; /* its run, without the stem if runs are made without it */
	const struct vtb_exec *first;   /* the program's first run, likewise */
	const struct vtb_stem *stem;    /* that is left out; or NULL */
};

static uint64_t left_out(const struct subject *s)
{
	return s->stem ? s->stem->before[s->stem->told] : 0;
}

static uint64_t longest(const struct subject *s)
{
	const size_t n = s->failing->n_events > s->first->n_events ? s->failing->n_events : s->first->n_events;

	return LONGEST_MIN + (uint64_t)n * LONGER + left_out(s);
}

struct patience {
	struct vtb_hunt *hunt;
	struct vtb_cause_teller *teller;
	double seconds, quarter, until;
};

static bool quarter_over(void *data)
{
	const struct patience *p = data;

	return vtb_hunt_now() > p->quarter;
}

static bool out_of_patience(void *data)
{
	const struct patience *p = data;

	vtb_hunt_tell(p->hunt, VTB_HUNT_EXPLAINING);
	return vtb_hunt_now() > p->until || vtb_hunt_due(p->hunt);
}

static uint64_t budget_of(const struct subject *s)
{
	const char *engine = s->hunt->result->facts.engine;
	const uint64_t by_operations = OPERATIONS / (s->failing->n_events + left_out(s) / LEFT_OUT_COSTS + 1);
	uint64_t runs = limits[0].runs;

	for (size_t i = 0; engine && i < sizeof(limits) / sizeof(*limits); i++)
		if (!strcmp(engine, limits[i].engine))
			runs = limits[i].runs;
	return by_operations > runs ? runs : by_operations < RUNS_MIN ? RUNS_MIN : by_operations;
}

static bool passes(const struct vtb_exec *x)
{
	return x->n_events && !x->partial && !x->owned && vtb_verdict_exit_code(x->outcome.verdict) == 0;
}

/* The program's first run, or one that passes if that does not. */
static const struct vtb_exec *example(const struct subject *s, const struct vtb_cores *cores)
{
	return passes(s->first) || !passes(&cores->passed) ? s->first : &cores->passed;
}

static size_t calls_of(const struct vtb_exec *run, size_t at, uint32_t thread, uint32_t site, const void *data,
                       const struct vtb_call **ret)
{
	const struct vtb_cause_teller *t = data;

	return vtb_shown_calls(&t->places, run, at, thread, site, ret);
}

static int learn_places(const struct vtb_exec *run, void *data)
{
	const struct patience *p = data;

	return vtb_shown_places_add(p->hunt, &p->teller->places, run);
}

/* What holds goes with the first cause: it is for all of them. */
static int repair(const struct subject *s, const struct vtb_cores *cores, struct patience *patience,
                  const struct vtb_cause_teller *t)
{
	const struct vtb_finding *f = s->finding;
	const struct vtb_core_repair_opts opts = { .seed = s->hunt->opts->search.seed,
		                                   .budget = budget_of(s),
		                                   .c = f->tuple.c > 1 ? f->tuple.c : 1,
		                                   .v = f->tuple.v > 1 ? f->tuple.v : 1,
		                                   .stop = out_of_patience,
		                                   .data = patience,
		                                   .place = vtb_cause_place,
		                                   .calls = calls_of,
		                                   .learn = learn_places,
		                                   .places = t,
		                                   .passing = t->passing };
	struct vtb_core_repairs repairs;
	struct vtb_cause *cause = f->causes.causes;
	int r = vtb_cores_repair(s->hunt->runner, cores, &opts, &repairs, s->hunt->err);

	if (r < 0)
		return r;
	cause->rejected = repairs.rejected;
	for (size_t i = 0; i < repairs.n_repairs && r >= 0; i++) {
		r = vtb_array_room(cause, repairs);
		if (r >= 0)
			cause->repairs[cause->n_repairs++] =
			    (struct vtb_cause_repair){ .kind = strdup(repairs.repairs[i].kind),
				                       .text = strdup(repairs.repairs[i].text),
				                       .schedules = repairs.repairs[i].schedules };
	}
	vtb_core_repairs_fini(&repairs);
	return r;
}

static int explain(const struct subject *s, struct patience *patience, struct vtb_predicate *predicate)
{
	struct vtb_hunt *hunt = s->hunt;
	struct vtb_causes *causes = &s->finding->causes;
	const struct vtb_cores_opts opts = { .seed = hunt->opts->search.seed,
		                             .budget = budget_of(s),
		                             .predicate = predicate,
		                             .enough = quarter_over,
		                             .stop = out_of_patience,
		                             .data = patience };
	struct vtb_cause_teller t = { .tab = hunt->runner->tab, .stem = s->stem };
	struct vtb_cores cores;
	int r = vtb_cores_find(hunt->runner, s->failing, &opts, &cores, hunt->err);

	if (r < 0)
		return r;
	hunt->stop.proving = true;
	r = vtb_shown_places(hunt, &cores, example(s, &cores), &t.places);
	hunt->stop.proving = false;
	t.passing = passes(example(s, &cores)) ? example(s, &cores) : NULL;
	if (r >= 0)
		r = vtb_cause_words(&t, &cores, causes);
	patience->until = vtb_hunt_now() + patience->seconds; /* for repairs */
	patience->teller = &t;
	if (r >= 0 && causes->n_causes)
		r = repair(s, &cores, patience, &t);
	if (r >= 0 && causes->n_causes)
		r = vtb_cause_unrepaired(&t, cores.cores, causes->causes);
	vtb_shown_places_fini(&t.places);
	vtb_cores_fini(&cores);
	return r == -ECANCELED ? 0 : r;
}

/* By runs without their stem, where that is long. */
static int explain_short(struct vtb_hunt *hunt, struct vtb_finding *f, struct patience *patience,
                         struct vtb_predicate *predicate)
{
	struct vtb_shrunk shorter;
	struct subject s = { .hunt = hunt, .finding = f, .failing = &f->exec, .first = &hunt->result->first };
	const int is_short = vtb_hunt_short_begin(hunt, f, &shorter);
	int r;

	if (is_short < 0)
		return is_short == -ECANCELED ? 0 : is_short;
	if (is_short) {
		s.failing = &shorter.exec;
		s.first = &hunt->first_short;
		s.stem = vtb_hunt_stem(hunt);
	}
	hunt->runner->longest = longest(&s);
	r = explain(&s, patience, predicate);
	hunt->runner->longest = 0;
	if (is_short)
		vtb_hunt_short_end(hunt, &shorter);
	return r;
}

int vtb_finding_causes(struct vtb_hunt *hunt, struct vtb_finding *f)
{
	const double seconds = vtb_hunt_refine_seconds(hunt);
	struct patience patience = { .hunt = hunt,
		                     .seconds = seconds,
		                     .quarter = vtb_hunt_now() + seconds / 4,
		                     .until = vtb_hunt_now() + seconds };
	const uint64_t before = hunt->runner->schedules;
	const double deadline = hunt->stop.deadline;
	struct vtb_predicate *predicate;
	struct vtb_pruning own;
	int r;

	if (f->exec.partial || seconds <= 0 || vtb_hunt_due(hunt))
		return 0;
	if (patience.until + seconds < deadline) /* of one run, too */
		hunt->stop.deadline = patience.until + seconds;
	r = vtb_what_matters(hunt, f, &own, &predicate);
	if (r >= 0)
		r = explain_short(hunt, f, &patience, predicate);
	vtb_pruning_end(&own);
	hunt->stop.deadline = deadline;
	hunt->explaining += hunt->runner->schedules - before;
	return r;
}
