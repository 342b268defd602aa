/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core_names.h"
#include "core_pairs.h"
#include "vtb/array.h"
#include "vtb/exec_waits.h"
#include "vtb/hash.h"
#include "vtb/syncorder.h"
#include "vtb/wire.h"

#define MAX_WORDS (32u << 20) /* positions, in all runs */
#define MAX_EVENTS (1u << 20) /* events of the failing runs that are kept */
#define RUNS_FOR_PAIRS 64u    /* later ones are looked at only if they have new operations */

void core_runs_fini(struct core_runs *runs)
{
	for (size_t i = 0; i < runs->n_runs; i++) {
		free(runs->runs[i].at);
		free(runs->runs[i].where);
		free(runs->runs[i].ended);
		vtb_exec_fini(&runs->runs[i].exec);
	}
	free(runs->runs);
	free(runs->ops);
	free(runs->pairs);
	free(runs->fails_at);
	free(runs->outlives);
	vtb_map64_fini(&runs->op_ids);
	vtb_map64_fini(&runs->counts);
	vtb_map64_fini(&runs->pair_ids);
	*runs = (struct core_runs){ 0 };
}

static enum core_ending ending_of(const struct core_runs *runs, const struct vtb_exec *x)
{
	const char *got = x->outcome.signature;

	if (x->partial || x->outcome.flags & VTB_OUT_DIVERGED)
		return CORE_OTHER;
	switch (vtb_verdict_exit_code(x->outcome.verdict)) {
	case 0:
		return CORE_PASSED;
	case 1:
		if (runs->signature && *runs->signature)
			return got && !strcmp(got, runs->signature) ? CORE_FAILED : CORE_OTHER;
		return x->outcome.verdict == runs->verdict ? CORE_FAILED : CORE_OTHER;
	default:
		return CORE_OTHER;
	}
}

/* ---- operations */

static uint64_t place_key(const struct vtb_event *e)
{
	return vtb_hash((const uint64_t[]){ e->thread, e->site, vtb_event_pending_kind(e->kind) },
	                3 * sizeof(uint64_t));
}

/* Which operation is this? `extra`: of those not done, which have not been counted. */
static int64_t op_of(struct core_runs *runs, const struct vtb_event *e, uint64_t extra)
{
	const uint64_t place = place_key(e);
	uint64_t *count = vtb_map64_put(&runs->counts, place, 0), *id, nth;

	if (!count)
		return -ENOMEM;
	nth = *count + 1;
	*count += !extra;
	id =
	    vtb_map64_put(&runs->op_ids, vtb_hash((const uint64_t[]){ place, nth }, 2 * sizeof(uint64_t)), runs->n_ops);
	if (!id || vtb_array_room(runs, ops) < 0)
		return -ENOMEM;
	if (*id == runs->n_ops)
		runs->ops[runs->n_ops++] = (struct vtb_core_op){ .thread = e->thread,
			                                         .site = e->site,
			                                         .occurrence = (uint32_t)nth,
			                                         .var = e->var,
			                                         .kind = e->kind };
	return (int64_t)*id;
}

/* ---- a run */

static bool may_conflict(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return e->kind == VTB_E_PROCESS_EXIT ||
	       (vtb_event_is_operation(e) && info->family != VTB_FAMILY_THREAD && info->family != VTB_FAMILY_CLOCK &&
	        !(e->flags & VTB_EVF_ADDR_UNKNOWN));
}

/* The end of the process is an operation that all others come before, or never. What counts is whether the one that
 * fails was still done. */
static int pair_with_exit(struct core_runs *runs, const struct vtb_exec *x, const struct core_run *run)
{
	uint32_t last = VTB_NONE;
	int r = 0;

	for (uint32_t i = 0; i < run->n_at; i++)
		if (run->at[i] && runs->ops[i].thread == x->outcome.thread &&
		    (last == VTB_NONE || run->at[i] > run->at[last]))
			last = i;
	if (run->ending != CORE_FAILED)
		last = VTB_NONE;
	if (last != VTB_NONE && vtb_array_extend(runs, fails_at, runs->n_ops, false) < 0)
		return -ENOMEM;
	if (last != VTB_NONE)
		runs->fails_at[last] = true;
	for (uint32_t i = 0; i < runs->n_ops && r >= 0; i++)
		for (uint32_t k = 0; k < runs->n_fails_at && runs->ops[i].kind == VTB_E_PROCESS_EXIT && r >= 0; k++)
			if (runs->fails_at[k] && runs->ops[k].thread != runs->ops[i].thread)
				r = core_pairs_add(runs, i, k);
	return r;
}

static size_t last_of(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].thread == thread)
			return i;
	return VTB_EVENT_NONE;
}

static struct core_place place_of(const struct vtb_event *e)
{
	const uint64_t last = e->addr + (e->size ? e->size - 1 : 0);

	if (e->flags & VTB_EVF_ADDR_UNKNOWN || !e->addr)
		return (struct core_place){ 0, 0 };
	return (struct core_place){ (uint32_t)(e->addr >> 3) + 1, (uint32_t)(last >> 3) + 1 };
}

static int read_ops(struct core_runs *runs, const struct vtb_exec *x, struct core_run *run, struct core_touch *touches,
                    size_t *ret_touches)
{
	uint32_t *ids = calloc(x->n_events + 1, sizeof(*ids));
	size_t n = 0;

	if (!ids)
		return -ENOMEM;
	vtb_map64_clear(&runs->counts);
	for (size_t i = 0; i < x->n_events + x->n_pending; i++) {
		const bool pending = i >= x->n_events;
		const struct vtb_event *e = pending ? &x->pending[i - x->n_events] : &x->events[i];
		const int64_t op = may_conflict(e) ? op_of(runs, e, pending) : -1;

		if (op == -ENOMEM) {
			free(ids);
			return -ENOMEM;
		}
		if (op < 0)
			continue;
		touches[n++] = (struct core_touch){
			.event = e, .op = (uint32_t)op, .at = pending ? last_of(x, e->thread) : i, .pending = pending
		};
		if (!pending)
			ids[i] = (uint32_t)op + 1;
	}
	run->n_at = (uint32_t)runs->n_ops;
	run->length = (uint32_t)x->n_events;
	run->at = calloc((size_t)run->n_at + 1, sizeof(*run->at));
	run->where = calloc((size_t)run->n_at + 1, sizeof(*run->where));
	for (size_t i = 0; run->at && run->where && i < x->n_events; i++) {
		if (!ids[i])
			continue;
		run->at[ids[i] - 1] = (uint32_t)i + 1;
		run->where[ids[i] - 1] = place_of(&x->events[i]);
	}
	free(ids);
	*ret_touches = n;
	return run->at && run->where ? 0 : -ENOMEM;
}

static bool is_lock(const struct vtb_event *e)
{
	const enum vtb_family family = vtb_event_info(e->kind)->family;

	return family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK;
}

/* A lock on a stack has a name once another thread has come to it: it is the one that had none. */
static int name_locks(const struct vtb_symtab *tab, struct vtb_exec *x)
{
	struct vtb_map64 names = { 0 };
	int r = 0;

	for (size_t i = 0; i < x->n_events && r >= 0; i++)
		if (is_lock(&x->events[i]) && x->events[i].var != VTB_NONE &&
		    strncmp(vtb_variable_name(tab, x->events[i].var), "memory at ", strlen("memory at ")) != 0)
			r = vtb_map64_set(&names, x->events[i].addr, x->events[i].var);
	for (size_t i = 0; i < x->n_events && r >= 0; i++) {
		uint64_t var = x->events[i].var;

		if (is_lock(&x->events[i]))
			vtb_map64_get(&names, x->events[i].addr, &var);
		x->events[i].var = (uint32_t)var;
	}
	vtb_map64_fini(&names);
	return r < 0 ? r : 0;
}

static int keep_failing(struct core_runs *runs, const struct vtb_exec *x, struct core_run *run)
{
	int r = 0;

	run->forgotten = runs->kept_events + x->n_events > MAX_EVENTS;
	run->ended = calloc((size_t)x->stride + 1, sizeof(*run->ended));
	if (!run->ended)
		r = -ENOMEM;
	else if (!run->forgotten)
		r = vtb_exec_copy(x, &run->exec) < 0 ? -ENOMEM : name_locks(runs->tab, &run->exec);
	runs->kept_events += run->forgotten ? 0 : x->n_events;
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_THREAD_END && x->events[i].thread / 64 < x->stride)
			run->ended[x->events[i].thread / 64] |= 1ull << x->events[i].thread % 64;
	return r;
}

/* Whom the process does not wait for shows in some run that passes. */
static int note_outliving(struct core_runs *runs, const struct vtb_exec *x)
{
	uint32_t n = 0;
	bool *over;

	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	over = calloc((size_t)n + 1, sizeof(*over));
	if (!over || vtb_array_extend(runs, outlives, n, false) < 0) {
		free(over);
		return -ENOMEM;
	}
	for (size_t i = 0; i < x->n_events; i++)
		over[x->events[i].thread] = x->events[i].kind == VTB_E_THREAD_END;
	for (size_t i = 0; i < x->n_events; i++)
		runs->outlives[x->events[i].thread] |= !over[x->events[i].thread];
	free(over);
	return 0;
}

static int take(struct core_runs *runs, const struct vtb_exec *x, struct core_run *run)
{
	struct core_touch *touches = calloc(x->n_events + x->n_pending + 1, sizeof(*touches));
	const size_t ops_before = runs->n_ops;
	size_t n = 0;
	int r = touches ? read_ops(runs, x, run, touches, &n) : -ENOMEM;

	if (r >= 0 && (runs->n_ops > ops_before || runs->n_runs < RUNS_FOR_PAIRS)) {
		const struct vtb_trace trace = { .tab = *runs->tab, .events = x->events, .n_events = x->n_events };
		struct vtb_orderindex *order = NULL;

		r = vtb_orderindex_new(&trace, VTB_SYNCORDER_THREADS_ONLY, &order);
		if (r >= 0)
			r = core_pairs_find(runs, order, touches, n);
		vtb_orderindex_free(order);
	}
	free(touches);
	if (r >= 0 && run->ending == CORE_FAILED)
		r = keep_failing(runs, x, run);
	if (r >= 0 && run->ending == CORE_PASSED)
		r = note_outliving(runs, x);
	if (r >= 0 && (run->ending == CORE_FAILED || runs->n_ops > ops_before))
		r = pair_with_exit(runs, x, run);
	return r;
}

void core_number(const struct core_run *run, uint32_t op, struct vtb_core_op *ret)
{
	const uint32_t at = core_at(run, op);

	ret->index = 0;
	for (size_t i = 0; i < at; i++)
		ret->index += run->exec.events[i].thread == ret->thread && vtb_event_is_operation(&run->exec.events[i]);
	if (at)
		ret->var = run->exec.events[at - 1].var;
}

int core_runs_add(struct core_runs *runs, const struct vtb_exec *x)
{
	struct core_run run = { .ending = ending_of(runs, x) };
	int r;

	if (run.ending == CORE_OTHER || runs->full)
		return 0;
	if (runs->words + runs->n_ops > MAX_WORDS) {
		runs->full = true;
		return 0;
	}
	r = vtb_array_room(runs, runs);
	if (r >= 0)
		r = take(runs, x, &run);
	if (r < 0) {
		free(run.at);
		free(run.where);
		free(run.ended);
		vtb_exec_fini(&run.exec);
		return -ENOMEM;
	}
	runs->words += 3ull * run.n_at;
	runs->passing += run.ending == CORE_PASSED;
	runs->failing += run.ending == CORE_FAILED;
	runs->runs[runs->n_runs++] = run;
	return 1;
}
