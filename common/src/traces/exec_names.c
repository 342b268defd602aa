/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for the operations of a schedule, taken from an execution in which they took place. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/exec.h"
#include "vtb/hash.h"
#include "vtb/map64.h"

struct index {
	uint32_t *first;      /* [thread]: where its rows begin in event_of; n_threads + 1 entries */
	uint32_t *event_of;   /* k-th visible operation of the thread -> event */
	uint32_t *occurrence; /* [event] */
	uint32_t n_threads;
	uint32_t n_visible; /* rows of event_of */
};

static void index_fini(struct index *ix)
{
	free(ix->first);
	free(ix->event_of);
	free(ix->occurrence);
}

static uint32_t highest_thread(const struct vtb_exec *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread >= n)
			n = x->events[i].thread + 1u;
	return n;
}

static bool visible(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_VISIBLE);
}

/* Counting sort of the visible events by thread. */
static void sort_by_thread(const struct vtb_exec *x, struct index *ix)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (visible(&x->events[i])) {
			ix->first[x->events[i].thread + 1]++;
			ix->n_visible++;
		}
	for (uint32_t t = 0; t < ix->n_threads; t++)
		ix->first[t + 1] += ix->first[t];
	for (size_t i = x->n_events; i-- > 0;) { /* from the end, so that first[t + 1] falls to the start of t's rows */
		const struct vtb_event *e = &x->events[i];

		if (visible(e))
			ix->event_of[--ix->first[e->thread + 1]] = (uint32_t)i;
	}
}

/* What makes two operations of one thread look alike after a rebuild. */
static uint64_t likeness(const struct vtb_event *e, const struct vtb_symtab *tab)
{
	const struct vtb_site *site = e->site < tab->n_sites ? &tab->sites[e->site] : NULL;
	const uint64_t parts[] = {
		(uint64_t)vtb_event_pending_kind(e->kind) << 32 | e->thread,
		(uint64_t)(uintptr_t)(site ? site->function : NULL), /* equal texts are equal pointers in one table */
		site ? site->line - site->function_line : 0,
		e->var < tab->n_variables ? (uint64_t)(uintptr_t)tab->variables[e->var].name : 0,
	};

	return vtb_hash(parts, sizeof(parts));
}

static int count_occurrences(const struct vtb_exec *x, const struct vtb_symtab *tab, struct index *ix)
{
	struct vtb_map64 counts = { 0 };
	uint64_t *n = NULL;

	for (size_t i = 0; i < x->n_events; i++) {
		n = vtb_map64_put(&counts, likeness(&x->events[i], tab), 0);
		if (!n)
			break;
		ix->occurrence[i] = (uint32_t)(++*n);
	}
	vtb_map64_fini(&counts);
	return n || !x->n_events ? 0 : -ENOMEM;
}

static int index_init(struct index *ix, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	int r = -ENOMEM;

	*ix = (struct index){ .n_threads = highest_thread(x) };
	ix->first = calloc((size_t)ix->n_threads + 2, sizeof(*ix->first));
	ix->event_of = calloc(x->n_events + 1, sizeof(*ix->event_of));
	ix->occurrence = calloc(x->n_events + 1, sizeof(*ix->occurrence));
	if (ix->first && ix->event_of && ix->occurrence)
		r = count_occurrences(x, tab, ix);
	if (r < 0)
		index_fini(ix);
	else
		sort_by_thread(x, ix);
	return r;
}

/* sort_by_thread leaves first[t + 1] = start of t's rows; they end where the next thread's begin. */
static int64_t find_op(const struct index *ix, const struct vtb_exec *x, const struct vtb_op *op)
{
	uint32_t row;

	if (op->thread >= ix->n_threads || !op->index || op->index > ix->n_visible)
		return -ENOENT;
	row = ix->first[op->thread + 1] + op->index - 1;
	if (row >= ix->n_visible || x->events[ix->event_of[row]].thread != op->thread)
		return -ENOENT;
	return ix->event_of[row];
}

static void name_op(const struct index *ix, const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_op *op)
{
	const int64_t i = find_op(ix, x, op);
	const struct vtb_event *e;
	const struct vtb_site *site;

	if (i < 0)
		return;
	e = &x->events[i];
	site = e->site < tab->n_sites ? &tab->sites[e->site] : NULL;
	op->name = (struct vtb_opname){
		.kind = e->kind,
		.function = site ? site->function : "",
		.line_in_function = site && site->line >= site->function_line ? site->line - site->function_line : 0,
		.text_hash = site ? site->text_hash : 0,
		.file = site ? site->file : "",
		.line = site ? site->line : 0,
		.variable = e->var < tab->n_variables ? tab->variables[e->var].name : "",
		.occurrence = ix->occurrence[i],
		.site = site ? e->site : VTB_NONE,
	};
}

static void name_schedule(const struct index *ix, const struct vtb_exec *x, const struct vtb_symtab *tab,
                          struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		name_op(ix, x, tab, &s->deviations[i].after);
	for (size_t i = 0; i < s->n_constraints; i++) {
		name_op(ix, x, tab, &s->constraints[i].before);
		name_op(ix, x, tab, &s->constraints[i].after);
	}
	for (size_t i = 0; i < s->n_reorders; i++) {
		name_op(ix, x, tab, &s->reorders[i].first);
		name_op(ix, x, tab, &s->reorders[i].second);
	}
}

int vtb_exec_name_many(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_schedule *const *schedules,
                       size_t n)
{
	struct index ix;
	int r = index_init(&ix, x, tab);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		name_schedule(&ix, x, tab, schedules[i]);
	index_fini(&ix);
	return 0;
}

int vtb_exec_name_ops(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_schedule *s)
{
	return vtb_exec_name_many(x, tab, &s, 1);
}
