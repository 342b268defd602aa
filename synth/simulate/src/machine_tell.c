/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run tells besides its events: who waits, what was to come next, in which state it was. */
#include <errno.h>

#include "machine_priv.h"
#include "vtb/array.h"

static int add_wait(struct run *run, uint32_t thread, uint8_t kind, bool armed)
{
	struct vtb_exec *x = run->x;

	if (vtb_array_room(x, waits) < 0)
		return -ENOMEM;
	x->waits[x->n_waits++] =
	    (struct vtb_wait){ .row = (uint32_t)x->n_events, .thread = (uint16_t)thread, .kind = kind, .armed = armed };
	run->d->waiting[thread / 64] ^= 1ull << thread % 64;
	return 0;
}

int machine_tell_waits(struct run *run)
{
	const struct vtb_machine *m = run->m;
	int r = 0;

	for (uint32_t t = 0; m->kinds && r >= 0 && t < run->d->n_threads; t++) {
		const struct vtb_sync_op *op = m->sync.threads[t].life == VTB_SYNC_ALIVE ? m->ops->pending(m, t) : NULL;
		const bool open = run->d->waiting[t / 64] >> t % 64 & 1, goes = op && vtb_sync_enabled(&m->sync, t, op);
		const bool armed = op && (op->timed || op->kind == VTB_E_SLEEP);

		if (open && (goes || !op))
			r = add_wait(run, t, 0, op && m->sync.threads[t].late && run->late_row == run->x->n_events);
		else if (!open && op && !goes && (armed || op->kind == VTB_E_COND_WAKE))
			r = add_wait(run, t, op->kind, armed);
	}
	return r;
}

int machine_tell_pending(struct run *run)
{
	struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;

	for (uint32_t t = 0; t < run->d->n_threads; t++) {
		if (m->sync.threads[t].life != VTB_SYNC_ALIVE || !m->ops->pending(m, t))
			continue;
		if (vtb_array_room(x, pending) < 0)
			return -ENOMEM;
		x->pending[x->n_pending] =
		    (struct vtb_event){ .thread = (uint16_t)t, .var = VTB_NONE, .site = VTB_NONE };
		m->ops->describe(m, t, &x->pending[x->n_pending++]);
	}
	return 0;
}

int machine_tell_state(struct run *run)
{
	const struct vtb_machine *m = run->m;
	struct vtb_exec *x = run->x;
	struct vtb_hash128 h = { 0, 0 };

	if (!run->d->states || !m->ops->state || run->d->passed < run->d->n_deviations ||
	    (x->n_states && x->states[x->n_states - 1].row == x->n_events))
		return 0; /* also: time has passed since */
	if (vtb_array_room(x, states) < 0)
		return -ENOMEM;
	vtb_sync_state(&m->sync, &h);
	m->ops->state(m, &h);
	x->states[x->n_states++] = (struct vtb_exec_state){ .lo = h.lo, .hi = h.hi, .row = (uint32_t)x->n_events };
	return 0;
}
