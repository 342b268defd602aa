/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shown_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/exec_waits.h"
#include "vtb/hash.h"

void vtb_shown_places_fini(struct vtb_shown_places *p)
{
	vtb_map64_fini(&p->of_op);
	vtb_map64_fini(&p->of_site);
	vtb_map64_fini(&p->calls_of_site);
	for (size_t i = 0; i < p->n_runs; i++)
		vtb_run_calls_fini(&p->runs[i].calls);
	p->n_runs = 0;
}

static uint64_t key(uint64_t a, uint64_t b, uint64_t c)
{
	return vtb_hash((const uint64_t[]){ a, b, c }, 3 * sizeof(uint64_t));
}

static bool same_run(const struct vtb_exec *raw, const struct vtb_exec *shown)
{
	for (size_t i = 0; i < raw->n_events && i < shown->n_events; i++)
		if (raw->events[i].thread != shown->events[i].thread || raw->events[i].kind != shown->events[i].kind)
			return false;
	return true;
}

#define ANY_THREAD VTB_NONE

/* Wherever the thread, or if that is not known, any thread, comes to it. 0: not known. */
static uint64_t of_site(const struct vtb_shown_places *p, uint32_t thread, uint32_t raw)
{
	uint64_t site = 0;

	vtb_map64_get(&p->of_site, key(thread, raw, 0), &site);
	if (!site)
		vtb_map64_get(&p->of_site, key(ANY_THREAD, raw, 0), &site);
	return site;
}

/* Where whichever thread comes to a place it is for one line, that line; else none. */
static bool learn_of_any(struct vtb_shown_places *p, uint32_t raw, uint64_t site)
{
	uint64_t *of_any = vtb_map64_put(&p->of_site, key(ANY_THREAD, raw, 0), site);

	if (of_any && *of_any != site)
		*of_any = 0;
	return of_any;
}

/* What a thread does next depends on what it reads: as long as that is the same it is at the same place. */
static bool is_same(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && a->var == b->var && (a->flags & VTB_EVF_VALUE) == (b->flags & VTB_EVF_VALUE) &&
	       (!(a->flags & VTB_EVF_VALUE) || a->value == b->value);
}

/* Of an operation that a thread had still to do at the end of a run, its number in `of_op`. */
static uint64_t still_to_come(uint32_t thread)
{
	return UINT64_MAX - thread;
}

static int learn_site(struct vtb_shown_places *p, const struct vtb_event *raw, uint32_t shown)
{
	const uint64_t site = shown == VTB_NONE ? 0 : shown + 1ull;

	return vtb_map64_put(&p->of_site, key(raw->thread, raw->site, 0), site) && learn_of_any(p, raw->site, site)
	           ? 0
	           : -ENOMEM;
}

static int learn_event(struct vtb_shown_places *p, const struct vtb_exec *raw, size_t at, uint32_t shown)
{
	const struct vtb_event *e = &raw->events[at];

	if (vtb_map64_set(&p->of_op, key((uintptr_t)raw, at, e->site), shown == VTB_NONE ? 0 : shown + 1ull) < 0)
		return -ENOMEM;
	return learn_site(p, e, shown);
}

static uint32_t most_threads(const struct vtb_exec *x, uint32_t n)
{
	for (size_t i = 0; i < x->n_events; i++)
		n = x->events[i].thread >= n ? x->events[i].thread + 1u : n;
	for (size_t i = 0; i < x->n_pending; i++)
		n = x->pending[i].thread >= n ? x->pending[i].thread + 1u : n;
	return n;
}

#define LOST SIZE_MAX /* the thread has gone another way */

/* Where threads still are at the end, which may be the only time that they come there. */
static int learn_pending(struct vtb_shown_places *p, const struct vtb_exec *raw, const struct vtb_exec *shown,
                         const size_t *at)
{
	int r = 0;

	for (size_t i = 0; i < raw->n_pending && r >= 0; i++)
		for (size_t k = 0; k < shown->n_pending && r >= 0; k++) {
			const struct vtb_event *e = &raw->pending[i], *s = &shown->pending[k];

			if (e->thread != s->thread || at[e->thread] == LOST || !is_same(e, s) || s->site == VTB_NONE)
				continue;
			r = vtb_map64_set(&p->of_op, key((uintptr_t)raw, still_to_come(e->thread), e->site),
			                  s->site + 1ull);
			if (r >= 0)
				r = learn_site(p, e, s->site);
		}
	return r;
}

/* Beside each other, thread by thread, as who spins may do so another number of times: what a thread does once that
 * came out otherwise is not looked at. */
static int learn(struct vtb_shown_places *p, const struct vtb_exec *raw, const struct vtb_exec *shown)
{
	const uint32_t n_threads = most_threads(shown, most_threads(raw, 0));
	size_t *at = calloc(n_threads + 1, sizeof(*at)); /* the first of the thread's that is not looked at yet */
	int r = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < raw->n_events && r >= 0; i++) {
		const struct vtb_event *e = &raw->events[i];
		size_t *const next = &at[e->thread];

		while (*next < shown->n_events && shown->events[*next].thread != e->thread)
			(*next)++;
		if (*next < shown->n_events && is_same(e, &shown->events[*next]))
			r = learn_event(p, raw, i, shown->events[(*next)++].site);
		else
			*next = LOST;
	}
	if (r >= 0)
		r = learn_pending(p, raw, shown, at);
	free(at);
	return r;
}

int vtb_shown_as_known(const struct vtb_exec *raw, const struct vtb_exec *shown, struct vtb_exec *ret)
{
	struct vtb_shown_places p = { 0 };
	int r = learn(&p, raw, shown);

	if (r >= 0)
		r = vtb_exec_copy(raw, ret);
	for (size_t i = 0; i < raw->n_events && r >= 0; i++) {
		uint64_t site = 0;

		if (!vtb_map64_get(&p.of_op, key((uintptr_t)raw, i, raw->events[i].site), &site) || !site)
			site = of_site(&p, raw->events[i].thread, raw->events[i].site);
		if (site)
			ret->events[i].site = (uint32_t)(site - 1);
	}
	for (size_t i = 0; i < raw->n_pending && r >= 0; i++) {
		const struct vtb_event *e = &raw->pending[i];
		uint64_t site = 0;

		if (!vtb_map64_get(&p.of_op, key((uintptr_t)raw, still_to_come(e->thread), e->site), &site))
			site = of_site(&p, e->thread, e->site);
		if (site)
			ret->pending[i].site = (uint32_t)(site - 1);
	}
	vtb_shown_places_fini(&p);
	return r;
}

static bool same_calls(const struct vtb_run_calls *a, struct vtb_call_stack x, const struct vtb_run_calls *b,
                       struct vtb_call_stack y)
{
	for (size_t i = 0; i < x.n && x.n == y.n; i++) {
		const struct vtb_call *l = &a->calls[x.first + i], *r = &b->calls[y.first + i];

		if (l->line != r->line || strcmp(l->function, r->function) != 0 || strcmp(l->file, r->file) != 0)
			return false;
	}
	return x.n == y.n;
}

/* Of where it took place already: unless they are always the same, nothing is known. */
static int remember(struct vtb_shown_places *p, uint32_t thread, uint32_t site, size_t event)
{
	const struct vtb_run_calls *calls = &p->runs[p->n_runs - 1].calls, *other;
	uint64_t *like =
	    vtb_map64_put(&p->calls_of_site, key(thread, site, 0), (uint64_t)(p->n_runs - 1) << 32 | (event + 1));

	if (!like)
		return -ENOMEM;
	other = &p->runs[*like >> 32].calls;
	if (*like && !same_calls(calls, calls->of_event[event], other, other->of_event[(uint32_t)*like - 1]))
		*like = 0;
	return 0;
}

static int learn_calls(struct vtb_shown_places *p)
{
	const struct vtb_shown_run *run = &p->runs[p->n_runs - 1];
	const struct vtb_exec *raw = run->raw;
	int r = 0;

	for (size_t i = 0; r == 0 && i < raw->n_events && i < run->calls.n_of_event; i++) {
		r = remember(p, raw->events[i].thread, raw->events[i].site, i);
		if (r == 0)
			r = remember(p, ANY_THREAD, raw->events[i].site, i);
	}
	return r;
}

/* A whole run becomes what it would be without its stem, as far as anybody looks at it here. */
static void cut(const struct vtb_stem *stem, struct vtb_exec *shown, struct vtb_run_calls *calls)
{
	const size_t of_stem = stem->told + stem->before[stem->told];
	size_t to = 0, calls_to = 0;

	for (size_t i = 0; i < shown->n_events; i++) {
		if (i < of_stem && vtb_event_in_stem(shown->events[i].kind) == VTB_STEM_LEFT_OUT)
			continue;
		shown->events[to] = shown->events[i];
		if (i < calls->n_of_event)
			calls->of_event[calls_to++] = calls->of_event[i];
		to++;
	}
	calls->n_of_event = calls_to;
	shown->n_events = to;
}

/* Call stacks are told of whole runs. */
static int show_whole(struct vtb_hunt *hunt, struct vtb_schedule *s, struct vtb_exec *ret, struct vtb_run_calls *calls)
{
	struct vtb_stem *const stem = hunt->runner->stem;
	int r;

	if (!stem)
		return hunt->show(hunt->runner, s, ret, calls, hunt->err);
	vtb_stem_lengthen(stem, s);
	hunt->runner->stem = NULL;
	r = hunt->show(hunt->runner, s, ret, calls, hunt->err);
	hunt->runner->stem = stem;
	if (r >= 0)
		cut(stem, ret, calls);
	return r;
}

static int show(struct vtb_hunt *hunt, const struct vtb_exec *raw, struct vtb_shown_places *p)
{
	struct vtb_shown_run *run = &p->runs[p->n_runs++];
	struct vtb_schedule s = { 0 };
	struct vtb_exec shown = { 0 };
	int r = vtb_exec_schedule(raw, &s);

	run->raw = raw;
	if (r >= 0)
		r = show_whole(hunt, &s, &shown, &run->calls);
	if (r >= 0 && !same_run(raw, &shown))
		vtb_run_calls_fini(&run->calls); /* it came out otherwise */
	if (r >= 0)
		r = learn(p, raw, &shown);
	if (r >= 0)
		r = learn_calls(p);
	vtb_exec_fini(&shown);
	vtb_schedule_fini(&s);
	return r;
}

int vtb_shown_places(struct vtb_hunt *hunt, const struct vtb_cores *cores, const struct vtb_exec *first,
                     struct vtb_shown_places *ret)
{
	int r = 0;

	*ret = (struct vtb_shown_places){ 0 };
	if (!hunt->show)
		return 0;
	for (size_t i = 0; i < cores->n_cores && i < VTB_SHOWN_CORES && r >= 0; i++)
		r = show(hunt, &cores->cores[i].exec, ret);
	if (r >= 0)
		r = show(hunt, first, ret);
	if (r < 0)
		vtb_shown_places_fini(ret);
	return r;
}

int vtb_shown_places_add(struct vtb_hunt *hunt, struct vtb_shown_places *p, const struct vtb_exec *run)
{
	return hunt->show && p->n_runs < VTB_SHOWN_RUNS ? show(hunt, run, p) : 0;
}

static size_t place_in(const struct vtb_exec *x, const struct vtb_core_op *op)
{
	uint32_t n = 0;

	for (size_t i = 0; op->index && i < x->n_events; i++)
		if (x->events[i].thread == op->thread && vtb_event_is_operation(&x->events[i]) && ++n == op->index)
			return i;
	return SIZE_MAX;
}

/* The thread's next event from *at on; false: it has none. */
static bool next_of(const struct vtb_exec *x, uint32_t thread, size_t *at)
{
	while (*at < x->n_events && x->events[*at].thread != thread)
		(*at)++;
	return *at < x->n_events;
}

/* What stands for the operation in a run that was shown, if its thread comes there by the same operations: else 0. */
static uint64_t of_alike(const struct vtb_shown_places *p, const struct vtb_exec *shown, const struct vtb_exec *run,
                         const struct vtb_core_op *op, size_t end)
{
	const uint32_t thread = op->thread;
	size_t i = 0, k = 0;
	uint64_t site = 0;

	while (next_of(run, thread, &i) && i < end) {
		if (!next_of(shown, thread, &k) || run->events[i].kind != shown->events[k].kind ||
		    run->events[i].site != shown->events[k].site)
			return 0;
		i++;
		k++;
	}
	if (next_of(shown, thread, &k))
		vtb_map64_get(&p->of_op, key((uintptr_t)shown, k, op->site), &site);
	else
		vtb_map64_get(&p->of_op, key((uintptr_t)shown, still_to_come(thread), op->site), &site);
	return site;
}

uint32_t vtb_shown_place(const struct vtb_shown_places *p, const struct vtb_core_op *op, const struct vtb_exec *run)
{
	const size_t at = place_in(run, op);
	uint64_t site = 0;

	if (at == SIZE_MAX && !op->index)
		vtb_map64_get(&p->of_op, key((uintptr_t)run, still_to_come(op->thread), op->site), &site);
	else if (at != SIZE_MAX)
		vtb_map64_get(&p->of_op, key((uintptr_t)run, at, op->site), &site);
	for (size_t i = 0; i < p->n_runs && !site && (at != SIZE_MAX || !op->index); i++)
		site = of_alike(p, p->runs[i].raw, run, op, at);
	if (!site)
		site = of_site(p, op->thread, op->site);
	return site ? (uint32_t)(site - 1) : op->site;
}

size_t vtb_shown_calls(const struct vtb_shown_places *p, const struct vtb_exec *run, size_t at, uint32_t thread,
                       uint32_t site, const struct vtb_call **ret)
{
	const struct vtb_run_calls *calls = NULL;
	uint64_t like = 0;

	for (size_t i = 0; i < p->n_runs && at != VTB_EVENT_NONE; i++)
		if (p->runs[i].raw == run && at < p->runs[i].calls.n_of_event)
			calls = &p->runs[i].calls;
	if (!calls) {
		if (at != VTB_EVENT_NONE ||
		    (!vtb_map64_get(&p->calls_of_site, key(thread, site, 0), &like) &&
		     !vtb_map64_get(&p->calls_of_site, key(ANY_THREAD, site, 0), &like)) ||
		    !like)
			return 0;
		calls = &p->runs[like >> 32].calls;
		at = (uint32_t)like - 1;
	}
	*ret = calls->calls + calls->of_event[at].first;
	return calls->of_event[at].n;
}
