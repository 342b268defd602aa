/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "foresight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX /* a thread ends, or a place is not known */
#define UNSEEN (UINT32_MAX - 1u)
#define SEVERAL (UINT32_MAX - 2u) /* it went on to several places, or to one that is not known */

/* What the recording shows of one place of the code. */
struct place {
	uint32_t next, next_var; /* site and variable of what the thread did next */
	uint64_t value;          /* that was read */
	bool has_value, varied;
};

/* Who wrote a variable last, in the run that is looked at. */
struct source {
	uint32_t run;   /* valid if it is this run */
	uint32_t event; /* recorded event + 1 */
	bool sure;      /* it wrote what it wrote when it was recorded */
};

struct initial {
	uint64_t value;
	bool known;
};

struct vtb_foresight {
	const struct vtb_event *events; /* the recording's; borrowed */
	size_t n_events, n_sites, n_vars;
	uint32_t n_threads;
	uint32_t *first;    /* thread -> where its rows begin in event_of; n_threads + 1 entries */
	uint32_t *event_of; /* operation of a thread -> recorded event */
	uint32_t *source;   /* recorded event -> the one that wrote what it read, + 1; 0: nobody */
	bool *round;        /* operation: it repeats a round of a loop that waits; how many there are, chance decides */
	struct place *places;
	uint64_t *touched;       /* variable -> bits of threads */
	struct initial *initial; /* variable -> what it held before anybody wrote it */
	/* of one run */
	struct source *latest; /* by variable */
	uint32_t run;
	uint32_t *done;     /* operations by thread */
	uint32_t *foreseen; /* by thread */
	bool *changed;      /* by thread: it has read something else */
	uint64_t astray;    /* bits of threads that have gone on after what was foreseen of them */
};

static const struct vtb_event_info *info_of(const struct vtb_event *e)
{
	return vtb_event_info(e->kind);
}

/* One of 64: threads that share one are taken for each other, and fewer operations are foreseen. */
static uint64_t bit_of(uint32_t thread)
{
	return 1ull << thread % 64;
}

static bool is_data(const struct vtb_event *e)
{
	const struct vtb_event_info *info = info_of(e);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	                info->family == VTB_FAMILY_HEAP || info->family == VTB_FAMILY_IO);
}

/* Of what reads and writes at once the recording tells one value. */
static bool tells_value(const struct vtb_event *e)
{
	return e->flags & VTB_EVF_VALUE && vtb_event_is(e, VTB_EV_READS) != vtb_event_is(e, VTB_EV_WRITES);
}

/* Does the program get to know the result? */
static bool has_result(const struct vtb_event *e)
{
	return e->kind != VTB_E_THREAD_BEGIN &&
	       (vtb_event_is(e, VTB_EV_ACQUIRE) || e->kind == VTB_E_SEM_VALUE || e->kind == VTB_E_FUTEX_WAIT);
}

/* ---- what the recording shows */

#define ROUND_MAX 12u /* operations */

/* May a loop that only waits do this? */
static bool may_wait(const struct vtb_event *e)
{
	const struct vtb_event_info *info = info_of(e);

	if (!info)
		return false;
	if (info->family == VTB_FAMILY_MEMORY)
		return !(info->flags & VTB_EV_WRITES);
	return info->family == VTB_FAMILY_ATOMIC || info->family == VTB_FAMILY_MUTEX ||
	       info->family == VTB_FAMILY_RWLOCK || e->kind == VTB_E_YIELD || e->kind == VTB_E_SLEEP ||
	       e->kind == VTB_E_SEM_TRYWAIT;
}

static bool is_same(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && a->site == b->site && a->var == b->var &&
	       (a->flags & VTB_EVF_VALUE) == (b->flags & VTB_EVF_VALUE) &&
	       (!(a->flags & VTB_EVF_VALUE) || a->value == b->value);
}

/* Are the last `length` operations up to `row` those before them, and do they find out something? */
static bool is_round(const struct vtb_foresight *f, uint32_t row, uint32_t length)
{
	bool asks = false;

	for (uint32_t i = 0; i < length; i++) {
		const struct vtb_event *e = &f->events[f->event_of[row - i]];

		if (!may_wait(e) || !is_same(e, &f->events[f->event_of[row - i - length]]))
			return false;
		asks |= e->flags & VTB_EVF_VALUE && vtb_event_is(e, VTB_EV_READS);
	}
	return asks;
}

static bool is_repeated(const struct vtb_foresight *f, uint32_t row, uint32_t done)
{
	bool repeated = false;

	for (uint32_t length = 1; length <= ROUND_MAX && 2 * length <= done; length++)
		repeated |= is_round(f, row, length);
	return repeated;
}

static void note_rounds(struct vtb_foresight *f)
{
	for (uint32_t t = 0; t < f->n_threads; t++)
		for (uint32_t row = f->first[t]; row < f->first[t + 1]; row++)
			f->round[row] = is_repeated(f, row, row + 1 - f->first[t]);
}

static void note_next(struct vtb_foresight *f, const struct vtb_event *e, const struct vtb_event *after)
{
	const uint32_t next = after ? after->site : NOWHERE, var = after ? after->var : NOWHERE;
	struct place *p;

	if (e->site >= f->n_sites)
		return;
	p = &f->places[e->site];
	if (p->next == UNSEEN) {
		p->next = next;
		p->next_var = var;
	} else if (p->next != next || p->next_var != var) { /* another variable: an address that was read */
		p->next = SEVERAL;
	}
	if (!(e->flags & VTB_EVF_VALUE) || !vtb_event_is(e, VTB_EV_READS))
		return;
	p->varied |= p->has_value && p->value != e->value;
	p->value = e->value;
	p->has_value = true;
}

static void note_places(struct vtb_foresight *f)
{
	for (size_t i = 0; i < f->n_sites; i++)
		f->places[i].next = UNSEEN;
	for (uint32_t t = 0; t < f->n_threads; t++)
		for (uint32_t row = f->first[t]; row < f->first[t + 1]; row++) {
			const bool last = row + 1 == f->first[t + 1];

			note_next(f, &f->events[f->event_of[row]], last ? NULL : &f->events[f->event_of[row + 1]]);
		}
}

static void note_initial(struct vtb_foresight *f, const struct vtb_event *e)
{
	if (tells_value(e) && vtb_event_is(e, VTB_EV_READS))
		f->initial[e->var] = (struct initial){ .value = e->value, .known = true };
}

static int note_sources(struct vtb_foresight *f)
{
	uint32_t *writer = calloc(f->n_vars + 1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_events; i++) {
		const struct vtb_event *e = &f->events[i];

		if (e->var >= f->n_vars)
			continue;
		f->touched[e->var] |= bit_of(e->thread);
		if (!is_data(e))
			continue;
		f->source[i] = writer[e->var];
		if (!f->source[i])
			note_initial(f, e);
		if (vtb_event_is(e, VTB_EV_WRITES))
			writer[e->var] = (uint32_t)i + 1;
	}
	free(writer);
	return 0;
}

static void number_operations(struct vtb_foresight *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (vtb_event_is_operation(&f->events[i]))
			f->first[f->events[i].thread + 1]++;
	for (uint32_t t = 0; t < f->n_threads; t++)
		f->first[t + 1] += f->first[t];
	for (size_t i = 0; i < f->n_events; i++)
		if (vtb_event_is_operation(&f->events[i])) {
			const uint32_t t = f->events[i].thread;

			f->event_of[f->first[t] + f->done[t]++] = (uint32_t)i;
		}
}

static int fill(struct vtb_foresight *f)
{
	int r;

	f->first = calloc((size_t)f->n_threads + 2, sizeof(*f->first));
	f->event_of = calloc(f->n_events + 1, sizeof(*f->event_of));
	f->source = calloc(f->n_events + 1, sizeof(*f->source));
	f->round = calloc(f->n_events + 1, sizeof(*f->round));
	f->places = calloc(f->n_sites + 1, sizeof(*f->places));
	f->touched = calloc(f->n_vars + 1, sizeof(*f->touched));
	f->initial = calloc(f->n_vars + 1, sizeof(*f->initial));
	f->latest = calloc(f->n_vars + 1, sizeof(*f->latest));
	f->done = calloc((size_t)f->n_threads + 1, sizeof(*f->done));
	f->foreseen = calloc((size_t)f->n_threads + 1, sizeof(*f->foreseen));
	f->changed = calloc((size_t)f->n_threads + 1, sizeof(*f->changed));
	if (!f->first || !f->event_of || !f->source || !f->round || !f->places || !f->touched || !f->initial)
		return -ENOMEM;
	if (!f->latest || !f->done || !f->foreseen || !f->changed)
		return -ENOMEM;
	number_operations(f);
	note_rounds(f);
	r = note_sources(f);
	note_places(f);
	return r;
}

int vtb_foresight_new(const struct vtb_event *events, size_t n, const struct vtb_symtab *tab,
                      struct vtb_foresight **ret)
{
	struct vtb_foresight *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	*f = (struct vtb_foresight){
		.events = events, .n_events = n, .n_sites = tab->n_sites, .n_vars = tab->n_variables
	};
	f->n_threads = (uint32_t)tab->n_threads;
	for (size_t i = 0; i < n; i++)
		if (events[i].thread >= f->n_threads)
			f->n_threads = events[i].thread + 1u;
	r = fill(f);
	if (r < 0)
		vtb_foresight_free(f);
	else
		*ret = f;
	return r;
}

void vtb_foresight_free(struct vtb_foresight *f)
{
	if (!f)
		return;
	free(f->first);
	free(f->event_of);
	free(f->source);
	free(f->round);
	free(f->places);
	free(f->touched);
	free(f->initial);
	free(f->latest);
	free(f->done);
	free(f->foreseen);
	free(f->changed);
	free(f);
}

/* ---- one run */

/* The value that a plain write of the recording, or nobody (0), left in the variable. */
static bool value_of(const struct vtb_foresight *f, uint32_t source, uint32_t var, uint64_t *ret)
{
	const struct vtb_event *e = source ? &f->events[source - 1] : NULL;

	if (e && !tells_value(e))
		return false;
	if (!e && !f->initial[var].known)
		return false;
	*ret = e ? e->value : f->initial[var].value;
	return true;
}

static bool data_changed(const struct vtb_foresight *f, uint32_t recorded)
{
	const struct vtb_event *e = &f->events[recorded];
	const struct source *now = &f->latest[e->var];
	const bool written = now->run == f->run;
	uint64_t value, then = e->value;

	if (!vtb_event_is(e, VTB_EV_READS))
		return false;
	if (written && !now->sure)
		return true;
	if ((written ? now->event : 0) == f->source[recorded])
		return false;
	if (!tells_value(e) && !value_of(f, f->source[recorded], e->var, &then))
		return true;
	return !value_of(f, written ? now->event : 0, e->var, &value) || value != then;
}

static bool result_changed(const struct vtb_event *then, const struct vtb_event *now)
{
	return has_result(then) && then->flags & VTB_EVF_VALUE && then->value != now->value;
}

/* May it find what a thread has done that does something else than recorded? */
static bool meets_astray(const struct vtb_foresight *f, const struct vtb_event *e)
{
	return e->var < f->n_vars && f->astray & f->touched[e->var] & ~bit_of(e->thread) &&
	       (has_result(e) || (is_data(e) && vtb_event_is(e, VTB_EV_READS)));
}

/* Thread t has read something else than recorded: where can it go from here? */
static bool goes_on(const struct vtb_foresight *f, const struct vtb_event *e, bool here)
{
	const struct place *p = e->site < f->n_sites ? &f->places[e->site] : NULL;

	return p && p->next != SEVERAL && (!here || p->varied);
}

static void look_at(struct vtb_foresight *f, const struct vtb_event *now, uint32_t row)
{
	const uint32_t recorded = f->event_of[row];
	const struct vtb_event *e = &f->events[recorded];
	const uint32_t t = e->thread;
	const bool data = e->var < f->n_vars && is_data(e),
	           here = meets_astray(f, e) || (data ? data_changed(f, recorded) : result_changed(e, now));

	if (f->done[t] > f->foreseen[t])
		f->astray |= bit_of(t);
	f->changed[t] |= here;
	if (f->round[row] && f->foreseen[t] == UINT32_MAX)
		f->foreseen[t] = f->done[t] - 1;
	if (f->changed[t] && f->foreseen[t] == UINT32_MAX && !goes_on(f, e, here))
		f->foreseen[t] = f->done[t];
	if (data && vtb_event_is(e, VTB_EV_WRITES))
		f->latest[e->var] = (struct source){ .run = f->run, .event = recorded + 1, .sure = !f->changed[t] };
}

const uint32_t *vtb_foresight_of(struct vtb_foresight *f, const struct vtb_exec *x)
{
	f->run++;
	f->astray = 0;
	memset(f->done, 0, f->n_threads * sizeof(*f->done));
	memset(f->changed, 0, f->n_threads * sizeof(*f->changed));
	memset(f->foreseen, 0xff, f->n_threads * sizeof(*f->foreseen));
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const uint32_t t = e->thread;

		if (t >= f->n_threads || !vtb_event_is_operation(e) || f->first[t] + f->done[t] >= f->first[t + 1])
			continue;
		f->done[t]++;
		look_at(f, e, f->first[t] + f->done[t] - 1);
	}
	return f->foreseen;
}

size_t vtb_foresight_deviations(const uint32_t *foreseen, const struct vtb_schedule *s)
{
	size_t n = 0;

	while (n < s->n_deviations && s->deviations[n].after.index <= foreseen[s->deviations[n].after.thread])
		n++;
	return n;
}
