/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predicate_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/wire.h"

#define ROUND_MAX 128u /* operations of a thread that spins */

uint8_t *vtb_predicate_flags(struct flags *f, size_t id)
{
	while (f->n_items <= id) {
		if (vtb_array_room(f, items) < 0)
			return NULL;
		f->items[f->n_items++] = 0;
	}
	return &f->items[id];
}

int vtb_predicate_new(const struct vtb_predicate_source *source, const struct vtb_predicate_opts *opts,
                      struct vtb_predicate **ret)
{
	struct vtb_predicate *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->source = *source;
	p->opts = *opts;
	p->asleep = opts->later > 0;
	*ret = p;
	return 0;
}

void vtb_predicate_free(struct vtb_predicate *p)
{
	if (!p)
		return;
	free(p->sites.items);
	free(p->vars.items);
	free(p->hidden.items);
	vtb_predicate_bytes_fini(&p->reads);
	free(p);
}

bool vtb_predicate_is_access(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE ||
	       (e->kind >= VTB_E_ATOMIC_LOAD && e->kind <= VTB_E_ATOMIC_CAS_FAIL);
}

bool vtb_predicate_writes(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_WRITES);
}

/* One of which it is known what it touches, and where it is. */
static bool can_be_hidden(const struct vtb_event *e)
{
	return vtb_predicate_is_access(e) && e->site != VTB_NONE && !(e->flags & VTB_EVF_ADDR_UNKNOWN);
}

/* ---- places */

static void note_answer(struct vtb_predicate *p, uint32_t answer, uint8_t *f)
{
	p->grew |= answer & VTB_PREDICATE_UNTOLD && *f & SITE_ACCESSES && !(*f & SITE_UNTOLD);
	p->grew |= answer & VTB_PREDICATE_BLIND && !p->blind;
	p->blind |= (answer & VTB_PREDICATE_BLIND) != 0;
	*f |= (uint8_t)(answer & VTB_PREDICATE_MATTERS ? SITE_MATTERS : 0);
	*f |= (uint8_t)(answer & VTB_PREDICATE_UNTOLD ? SITE_UNTOLD | SITE_READ : 0);
	*f = (uint8_t)(*f | (answer & VTB_PREDICATE_ALONE ? SITE_ALONE : 0));
}

static int site_flags(struct vtb_predicate *p, uint32_t site, uint8_t **ret)
{
	uint8_t *f = vtb_predicate_flags(&p->sites, site);

	if (!f)
		return -ENOMEM;
	if (!(*f & SITE_KNOWN)) {
		*f |= SITE_KNOWN;
		note_answer(p, p->source.matters(p->source.data, site), f);
	}
	*ret = f;
	return 0;
}

bool vtb_predicate_site_matters(struct vtb_predicate *p, uint32_t site)
{
	uint8_t *f;

	return p->gave_up || p->asleep || site == VTB_NONE || site_flags(p, site, &f) < 0 || *f & SITE_MATTERS;
}

bool vtb_predicate_untold(const struct vtb_predicate *p, uint32_t site)
{
	return site < p->sites.n_items && p->sites.items[site] & SITE_UNTOLD;
}

static void forget_answers(struct vtb_predicate *p)
{
	for (size_t i = 0; i < p->sites.n_items; i++)
		p->sites.items[i] &= (uint8_t)~SITE_KNOWN;
}

/* The place matters from now on, with all that it depends on. 1: it did not before. */
static int add_site(struct vtb_predicate *p, uint32_t site)
{
	uint8_t *f;
	int r = site_flags(p, site, &f);

	if (r < 0 || *f & (SITE_ADDED | SITE_MATTERS))
		return r;
	*f |= SITE_ADDED;
	r = p->source.add(p->source.data, site);
	if (r < 0 && r != -ENOENT)
		return r;
	forget_answers(p);
	if (r == -ENOENT) /* what it depends on is not known */
		vtb_predicate_give_up(p);
	p->grew = true;
	p->sites.items[site] |= SITE_MATTERS;
	return 1;
}

void vtb_predicate_give_up(struct vtb_predicate *p)
{
	p->gave_up = p->grew = true;
}

/* ---- what is read at places that matter (algorithm 3) */

static int note_reads(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int r = 0;

	vtb_predicate_bytes_clear(&p->reads);
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (vtb_predicate_is_access(e) && vtb_event_is(e, VTB_EV_READS) &&
		    vtb_predicate_site_matters(p, e->site))
			r = vtb_predicate_note_bytes(&p->reads, e);
	}
	return r;
}

/* Who writes what is read there. 1: some place has joined. */
static int join_writers(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int joined = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint8_t *f;
		int r;

		if (!can_be_hidden(e) || !vtb_predicate_writes(e))
			continue;
		r = site_flags(p, e->site, &f);
		if (r < 0)
			return r;
		if ((*f & SITE_READ && *f & SITE_MATTERS) || !vtb_predicate_has_bytes(&p->reads, e))
			continue;
		p->grew |= !(*f & SITE_READ);
		*f |= SITE_READ;
		r = *f & SITE_MATTERS ? 0 : add_site(p, e->site);
		if (r < 0)
			return r;
		joined |= r;
	}
	return joined;
}

static int fixpoint(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int r;

	do {
		r = note_reads(p, x);
		if (r >= 0)
			r = join_writers(p, x);
	} while (r > 0);
	return r;
}

/* ---- what is done whatever is hidden: who does it, and whether, must follow from what is shown */

static int join_operations(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (!vtb_event_is_operation(e) || e->site == VTB_NONE || vtb_predicate_is_access(e))
			continue;
		if (!(i < p->hidden.n_items && p->hidden.items[i]))
			r = add_site(p, e->site);
	}
	return r;
}

/* ---- loops that do not end */

static bool may_wait(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_BLOCKS) && !(e->flags & VTB_EVF_TRY);
}

/* All that the thread accessed on its last way round, event i being next. */
static int join_round(struct vtb_predicate *p, const struct vtb_exec *x, size_t i, uint32_t thread)
{
	int r = 0;

	for (unsigned n = 0; r >= 0 && i-- > 0 && n < ROUND_MAX;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != thread || !vtb_event_is_operation(e))
			continue;
		if (can_be_hidden(e))
			r = add_site(p, e->site);
		n++;
	}
	return r;
}

/* Who is held back at an operation that does not wait goes round a loop. */
static int join_spins(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int r = 0;

	if (!(x->outcome.flags & (VTB_OUT_SPUN | VTB_OUT_ASSUMED)) && x->outcome.verdict != VTB_V_LIVELOCK)
		return 0;
	for (size_t i = 1; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		size_t k = i;

		if (!vtb_event_is_operation(e) || may_wait(e))
			continue;
		while (k > 0 && x->events[k - 1].thread != e->thread && vtb_exec_enabled(x, k - 1, e->thread))
			k--;
		if (k > 0 && x->events[k - 1].thread != e->thread && e->kind != VTB_E_THREAD_BEGIN)
			r = join_round(p, x, i, e->thread);
	}
	for (size_t k = 0; r >= 0 && k < x->n_pending; k++)
		if (!may_wait(&x->pending[k]))
			r = join_round(p, x, x->n_events, x->pending[k].thread);
	return r;
}

/* ---- what is hidden */

static bool hides(const struct vtb_event *e, uint8_t f)
{
	return !(f & SITE_PINNED) && (!(f & SITE_MATTERS) || (!(f & SITE_READ) && !vtb_event_is(e, VTB_EV_READS)));
}

bool vtb_predicate_hides_next(struct vtb_predicate *p, const struct vtb_event *e)
{
	uint8_t *f;

	return !p->gave_up && !p->asleep && can_be_hidden(e) && site_flags(p, e->site, &f) >= 0 && hides(e, *f);
}

static int look(struct vtb_predicate *p, const struct vtb_exec *x)
{
	p->hidden.n_items = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint8_t *hidden = vtb_predicate_flags(&p->hidden, i), *f;
		int r;

		if (!hidden)
			return -ENOMEM;
		*hidden = 0;
		if (p->gave_up || !can_be_hidden(e))
			continue;
		r = site_flags(p, e->site, &f);
		if (r < 0)
			return r;
		*f |= SITE_ACCESSES;
		*hidden = hides(e, *f);
	}
	return 0;
}

/* The memory's life ends: who else touches it must be shown, as the order decides. */
static int pin_freed(struct vtb_predicate *p, const struct vtb_exec *x)
{
	vtb_predicate_bytes_clear(&p->reads);
	for (size_t i = 0; p->opts.faults && i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_FREE && vtb_predicate_note_bytes(&p->reads, &x->events[i]) < 0)
			return -ENOMEM;
	for (size_t i = 0; (p->reads.granules.n || p->reads.n_spans) && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint8_t *f;

		if (!can_be_hidden(e) || !vtb_predicate_has_bytes(&p->reads, e))
			continue;
		if (site_flags(p, e->site, &f) < 0)
			return -ENOMEM;
		p->grew |= !(*f & SITE_PINNED);
		*f |= SITE_PINNED;
	}
	return 0;
}

static int learn_round(struct vtb_predicate *p, const struct vtb_exec *x)
{
	int r = fixpoint(p, x);

	if (r >= 0)
		r = join_spins(p, x);
	if (r >= 0)
		r = pin_freed(p, x);
	if (r >= 0)
		r = look(p, x);
	if (r >= 0 && p->opts.peek && !p->blind && !p->gave_up)
		r = vtb_predicate_peek(p, x);
	return r < 0 ? r : join_operations(p, x);
}

int vtb_predicate_learn(struct vtb_predicate *p, const struct vtb_exec *x)
{
	bool any = false;
	int r = 0;

	if (p->asleep)
		return 0;
	do {
		p->grew = false;
		r = learn_round(p, x);
		any |= p->grew;
	} while (r >= 0 && p->grew && !p->gave_up);
	if (r >= 0 && p->gave_up)
		r = look(p, x);
	if (r >= 0)
		r = vtb_predicate_note_vars(p, x);
	if (r >= 0)
		r = vtb_predicate_note_reach(p, x);
	p->grown += any;
	return r < 0 ? r : any;
}

uint64_t vtb_predicate_grown(const struct vtb_predicate *p)
{
	return p->grown;
}

bool vtb_predicate_hides(const struct vtb_predicate *p, size_t i)
{
	return i < p->hidden.n_items && p->hidden.items[i];
}
