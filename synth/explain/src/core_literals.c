/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_literals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "core_missed.h"
#include "vtb/array.h"
#include "vtb/predicate.h"
#include "vtb/short_name.h"

#define RUNS_COUNTED 512u /* failing runs that are asked how general a literal is */

void core_literals_fini(struct core_literals *literals)
{
	free(literals->literals);
	*literals = (struct core_literals){ 0 };
}

#define RANK_MOST 5u
/* What the order is about: data first, then who waits for whom, then what only shows it. */
static const uint8_t ranks[] = {
	[VTB_FAMILY_MEMORY] = 4, [VTB_FAMILY_ATOMIC] = 4, [VTB_FAMILY_HEAP] = 4,   [VTB_FAMILY_COND] = 3,
	[VTB_FAMILY_SEM] = 3,    [VTB_FAMILY_FUTEX] = 3,  [VTB_FAMILY_SIGNAL] = 3, [VTB_FAMILY_MUTEX] = 2,
	[VTB_FAMILY_RWLOCK] = 2, [VTB_FAMILY_ONCE] = 2,   [VTB_FAMILY_CLOCK] = 2,  [VTB_FAMILY_STACK] = 2,
	[VTB_FAMILY_RUN] = 2,    [VTB_FAMILY_NONE] = 2,   [VTB_FAMILY_IO] = 1,     [VTB_FAMILY_BARRIER] = 1,
	[VTB_FAMILY_THREAD] = 0,
};

static uint8_t rank_of(const struct vtb_core_op *op)
{
	return ranks[vtb_event_info(op->kind)->family];
}

/* Where threads wait for units of one semaphore in the end, who took which comes before the data that they are for. */
static uint8_t rank_in(const struct core_runs *runs, const struct vtb_core_op *before, const struct vtb_core_op *after)
{
	const bool units = before->kind == VTB_E_SEM_WAIT && after->kind == VTB_E_SEM_WAIT;

	if (units && runs->verdict == VTB_V_CONDITION_DEADLOCK)
		return RANK_MOST;
	return rank_of(after->kind == VTB_E_PROCESS_EXIT ? after : before);
}

static uint64_t count_failing(const struct core_runs *runs, uint32_t before, uint32_t after)
{
	uint64_t n = 0;

	for (size_t i = 0, seen = 0; i < runs->n_runs && seen < RUNS_COUNTED; i++) {
		if (runs->runs[i].ending != CORE_FAILED)
			continue;
		seen++;
		n += core_holds(&runs->runs[i], before, after);
	}
	return n;
}

/* What will never come did not come late. */
static bool holds(const struct core_runs *runs, const struct core_run *run, uint32_t before, uint32_t after)
{
	return core_holds(run, before, after) && (core_at(run, after) || core_may_come(run, &runs->ops[after]));
}

/* The operations that some passing run has, a bit each. NULL: not enough memory. */
static uint64_t *seen_passing(const struct core_runs *runs)
{
	uint64_t *seen = calloc(runs->n_ops / 64 + 1, sizeof(*seen));

	for (size_t i = 0; seen && i < runs->n_runs; i++)
		for (uint32_t op = 0; runs->runs[i].ending == CORE_PASSED && op < runs->n_ops; op++)
			seen[op / 64] |= (uint64_t)(core_at(&runs->runs[i], op) != 0) << op % 64;
	return seen;
}

static bool has_bit(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

/* Does the process wait for that thread in all runs that pass? */
static bool is_awaited(const struct core_runs *runs, uint32_t thread)
{
	return runs->passing && (thread >= runs->n_outlives || !runs->outlives[thread]);
}

/* That a run printed what no passing run prints, and never came to its end, says no more than that it failed; nor does
 * anything else that it alone did in a thread whose end the process waits for; nor that it ended where no passing run
 * does, before what had still to come. */
static bool says_nothing(const struct core_runs *runs, const struct core_run *run, const uint64_t *passing,
                         uint32_t before, uint32_t after)
{
	if (runs->ops[before].kind == VTB_E_PROCESS_EXIT && !core_at(run, after) && !has_bit(passing, before))
		return true;
	return runs->ops[after].kind == VTB_E_PROCESS_EXIT && !core_at(run, after) && !has_bit(passing, before) &&
	       (vtb_event_changes_io(runs->ops[before].kind) || is_awaited(runs, runs->ops[before].thread));
}

static bool only_shows(const struct core_runs *runs, const uint64_t *passing, const struct core_literal *l)
{
	return !l->rank || !has_bit(passing, l->before) || !has_bit(passing, l->after) ||
	       (runs->verdict == VTB_V_DEADLOCK && core_is_data(&runs->ops[l->before]));
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* People gave it no name, as it lies somewhere in what a library has allocated. */
static bool is_nameless(const char *name)
{
	return begins(name, "byte ");
}

/* The operations on variables of such names, a bit each. NULL: not enough memory. */
static uint64_t *find_named(const struct core_runs *runs, bool (*are)(const char *name))
{
	uint64_t *found = calloc(runs->n_ops / 64 + 1, sizeof(*found));
	char name[200];

	for (uint32_t op = 0; found && op < runs->n_ops; op++) {
		vtb_short_variable(vtb_variable_name(runs->tab, runs->ops[op].var), name, sizeof(name));
		found[op / 64] |= (uint64_t)are(name) << op % 64;
	}
	return found;
}

/* What the runtime of OpenMP has for threads that meet (runtime/hooks/omp). */
static bool is_of_openmp(const char *name)
{
	return begins(name, "openmp_");
}

static bool is_nowhere(const char *name)
{
	return begins(name, "memory at ");
}

/* By what threads of OpenMP wait for each other, and where their tasks lie: a reader has no lines for it. Who takes
 * which round of a loop is another matter. */
static uint64_t *find_of_runtime(const struct core_runs *runs)
{
	uint64_t *openmp = find_named(runs, is_of_openmp), *tasks = find_named(runs, is_nowhere);
	bool any = false;

	for (uint32_t op = 0; openmp && op < runs->n_ops; op++) {
		any |= has_bit(openmp, op);
		if (core_is_data(&runs->ops[op]))
			openmp[op / 64] &= ~(1ull << op % 64);
	}
	for (uint32_t i = 0; any && openmp && tasks && i <= runs->n_ops / 64; i++)
		openmp[i] |= tasks[i];
	if (!tasks) {
		free(openmp);
		openmp = NULL;
	}
	free(tasks);
	return openmp;
}

static bool matters(const struct core_runs *runs, uint32_t op)
{
	return !vtb_predicate_awake(runs->predicate) || vtb_predicate_site_matters(runs->predicate, runs->ops[op].site);
}

static bool tells(const struct core_literal *l)
{
	return !l->shows && !l->idle && !l->of_runtime && !l->apart;
}

static bool is_first(const struct core_literal *l)
{
	return l->missed || l->of_freed;
}

static bool is_apart(const struct vtb_variable *a, const struct vtb_variable *b)
{
	return a->object != b->object || (a->size && a->offset + a->size <= b->offset) ||
	       (b->size && b->offset + b->size <= a->offset);
}

/* The same operations meet at one variable in other runs only. */
static bool are_apart(const struct core_runs *runs, const struct vtb_core_op *a, const struct vtb_core_op *b)
{
	return core_is_access(a->kind) && core_is_access(b->kind) && a->var < runs->tab->n_variables &&
	       b->var < runs->tab->n_variables &&
	       is_apart(&runs->tab->variables[a->var], &runs->tab->variables[b->var]);
}

/* Sets of operations. */
struct known {
	uint64_t *passing, *nameless, *of_runtime;
	struct core_missed missed;
	struct core_place freed; /* the block that was used after that, in the failing run; 0: there is none */
};

static bool meet(const struct core_place *a, const struct core_place *b)
{
	return a->first && b->first && a->first <= b->last && b->first <= a->last;
}

/* The last operation of the thread that failed is the use. */
static uint32_t last_of_failing(const struct core_runs *runs, const struct core_run *run)
{
	uint32_t last = VTB_NONE;

	for (uint32_t op = 0; op < runs->n_ops; op++)
		if (runs->ops[op].thread == run->exec.outcome.thread && core_at(run, op) &&
		    (last == VTB_NONE || core_at(run, op) > core_at(run, last)))
			last = op;
	return last;
}

static struct core_place freed_in(const struct core_runs *runs, const struct core_run *run)
{
	const uint32_t use = runs->verdict == VTB_V_MEMORY ? last_of_failing(runs, run) : VTB_NONE;
	uint32_t latest = VTB_NONE;

	for (uint32_t op = 0; use != VTB_NONE && op < runs->n_ops; op++)
		if (runs->ops[op].kind == VTB_E_FREE && core_at(run, op) && core_at(run, op) < core_at(run, use) &&
		    meet(&run->where[op], &run->where[use]) &&
		    (latest == VTB_NONE || core_at(run, op) > core_at(run, latest)))
			latest = op;
	return latest == VTB_NONE ? (struct core_place){ 0 } : run->where[latest];
}

static bool touches(const struct core_run *run, const struct core_place *place, uint32_t op)
{
	return core_at(run, op) && meet(&run->where[op], place);
}

static int add(const struct core_runs *runs, const struct core_run *run, const struct known *known, uint32_t before,
               uint32_t after, struct core_literals *ret)
{
	const uint32_t at = core_at(run, after);
	struct core_literal *l;

	if (says_nothing(runs, run, known->passing, before, after))
		return 0;
	if (vtb_array_room(ret, literals) < 0)
		return -ENOMEM;
	l = &ret->literals[ret->n_literals++];
	*l = (struct core_literal){
		.before = before,
		.after = after,
		.failing = count_failing(runs, before, after),
		.distance = (at ? at : run->length + 1) - core_at(run, before),
		.rank = rank_in(runs, &runs->ops[before], &runs->ops[after]),
	};
	l->missed = core_missed_by(&known->missed, runs, before, after);
	l->of_freed = touches(run, &known->freed, before) && touches(run, &known->freed, after);
	l->shows =
	    !l->missed && only_shows(runs, known->passing, l); /* a wait that never comes when all goes well is how */
	l->nameless = has_bit(known->nameless, before) || has_bit(known->nameless, after);
	l->of_runtime = has_bit(known->of_runtime, before) || has_bit(known->of_runtime, after);
	l->apart = are_apart(runs, &runs->ops[before], &runs->ops[after]);
	l->open = !at;
	l->idle = !matters(runs, before) || !matters(runs, after);
	ret->n_telling += tells(l);
	ret->n_first += tells(l) && is_first(l);
	return 0;
}

static int by_preference(const void *a, const void *b)
{
	const struct core_literal *l = a, *r = b;
	const uint64_t left[] = { !tells(l), l->shows,    !is_first(l), r->failing, r->rank,
		                  l->open,   l->nameless, l->distance,  l->before,  l->after },
	               right[] = { !tells(r), r->shows,    !is_first(r), l->failing, l->rank,
		                   r->open,   r->nameless, r->distance,  r->before,  r->after };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

int core_literals_of(const struct core_runs *runs, size_t failing, struct core_literals *ret)
{
	const struct core_run *run = &runs->runs[failing];
	struct known known = { seen_passing(runs), find_named(runs, is_nameless), find_of_runtime(runs), { 0 }, { 0 } };
	int r =
	    known.passing && known.nameless && known.of_runtime ? core_missed_of(runs, run, &known.missed) : -ENOMEM;

	known.freed = freed_in(runs, run);
	*ret = (struct core_literals){ 0 };
	for (size_t i = 0; i < runs->n_pairs && r >= 0; i++) {
		const struct core_pair pair = runs->pairs[i];

		if (holds(runs, run, pair.a, pair.b))
			r = add(runs, run, &known, pair.a, pair.b, ret);
		else if (holds(runs, run, pair.b, pair.a))
			r = add(runs, run, &known, pair.b, pair.a, ret);
	}
	free(known.passing);
	free(known.nameless);
	free(known.of_runtime);
	core_missed_fini(&known.missed);
	if (r < 0)
		core_literals_fini(ret);
	else if (ret->n_literals)
		qsort(ret->literals, ret->n_literals, sizeof(*ret->literals), by_preference);
	return r;
}
