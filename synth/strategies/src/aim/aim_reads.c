/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has read what from whom, in all runs. Where three threads have to do with a variable, two orders of any two of
 * them do not show all: that the third one sees what the first has left, before the second changes it, takes an order
 * of all three. What has been left by somebody and was never read by somebody else who reads that variable is tried.
 */
#include <errno.h>

#include "aim.h"
#include "vtb/rng.h"

#define COST_OF_UNREAD 2u
#define UNREAD_MOST 4u /* of one run */

/* Somebody of its routine reads the variable; what somebody of the routine of `from` has left there. */
static uint64_t key_of(struct aim *s, uint32_t var, uint32_t reader, uint32_t from)
{
	const uint64_t by =
	    (uint64_t)aim_routine_of(s, reader) << 32 | (from == VTB_NONE ? from : aim_routine_of(s, from));

	return vtb_mix64(vtb_mix64(by) + var);
}

static bool reads(const struct vtb_event *e)
{
	return vtb_event_is_operation(e) && vtb_event_info(e->kind)->family <= VTB_FAMILY_ATOMIC &&
	       vtb_event_is(e, VTB_EV_READS);
}

static int note(struct aim *s, uint64_t key)
{
	uint64_t *met;
	const int r = vtb_bounded_map_add(&s->read, key, 1, &met);

	return r < 0 ? r : 0;
}

int aim_note_reads(struct aim *s, const struct vtb_exec *x)
{
	int r = 0;

	vtb_map64_clear(&s->written);
	for (uint32_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		uint64_t *by = aim_could_meet(s, e) ? vtb_map64_put(&s->written, e->var, 0) : NULL;

		if (!aim_could_meet(s, e))
			continue;
		if (!by)
			return -ENOMEM;
		if (reads(e) && *by != e->thread + 1u) {
			r = note(s, key_of(s, e->var, e->thread, VTB_NONE));
			r = r < 0 || !*by ? r : note(s, key_of(s, e->var, e->thread, (uint32_t)*by - 1));
		}
		if (aim_writes(e))
			*by = e->thread + 1u;
	}
	return r;
}

static bool is_known(struct aim *s, uint32_t var, uint32_t reader, uint32_t from)
{
	return vtb_bounded_map_has(&s->read, key_of(s, var, reader, from));
}

/* Does somebody else write it, too? */
static bool is_changed(const struct aim *s, const struct aim_last *row, uint32_t writer, uint32_t reader)
{
	for (; row; row = row->next == VTB_NONE ? NULL : &s->lasts[row->next])
		if (row->thread && row->thread != writer && row->thread != reader && row->ops.written != VTB_NONE)
			return true;
	return false;
}

static int try_pair(struct aim_look *l, uint32_t writer, uint32_t reader, uint32_t *n)
{
	struct aim_shot shot = { .first = writer, .second = reader, .third = VTB_NONE };
	const uint64_t pair = (uint64_t)aim_routine_of(l->s, writer) << 32 | aim_routine_of(l->s, reader);
	uint64_t *times = vtb_map64_put(&l->s->met, pair, 0);

	if (!times)
		return -ENOMEM;
	return (*times)++ || *n == UNREAD_MOST ? 0 : aim_queue(l->s, shot, COST_OF_UNREAD + 2 * (*n)++);
}

/* Of one variable. */
static int try_unread(struct aim_look *l, const struct aim_last *rows, uint32_t var, uint32_t *n)
{
	struct aim *s = l->s;
	int r = 0;

	for (const struct aim_last *w = rows; w; w = w->next == VTB_NONE ? NULL : &s->lasts[w->next])
		for (const struct aim_last *d = rows; r >= 0 && d; d = d->next == VTB_NONE ? NULL : &s->lasts[d->next])
			if (w->thread && d->thread && w->thread != d->thread && w->ops.written != VTB_NONE &&
			    is_known(s, var, d->thread, VTB_NONE) && !is_known(s, var, d->thread, w->thread) &&
			    is_changed(s, rows, w->thread, d->thread))
				r = try_pair(l, w->thread, d->thread, n);
	return r;
}

int aim_read_unread(struct aim_look *l)
{
	struct aim *s = l->s;
	uint32_t n = 0;
	int r = 0;

	vtb_map64_clear(&s->met);
	vtb_map64_clear(&s->written); /* variables that were looked at */
	for (uint32_t i = 0; r >= 0 && i < l->x->n_events && n < UNREAD_MOST; i++) {
		const struct vtb_event *e = &l->x->events[i];
		uint64_t row, *looked;

		if (!reads(e) || !vtb_map64_get(&s->by_var, e->var, &row))
			continue;
		looked = vtb_map64_put(&s->written, e->var, 0);
		if (!looked)
			return -ENOMEM;
		if ((*looked)++)
			continue;
		r = try_unread(l, &s->lasts[(uint32_t)row - 1], e->var, &n);
	}
	return r;
}
