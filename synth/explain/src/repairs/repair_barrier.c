/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that meet at a barrier anyhow can be put in order by meeting once more. */
#include "classes/classes.h"
#include "core_names.h"
#include "repair_text.h"

/* How often the thread has left that barrier before event `to`; VTB_NONE: any, of which *ret is the last. */
static uint32_t meetings(const struct vtb_exec *x, uint32_t thread, size_t to, uint32_t barrier, uint32_t *ret)
{
	uint32_t n = 0;

	for (size_t i = 0; i < to && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != thread || e->kind != VTB_E_BARRIER_LEAVE || (barrier != VTB_NONE && e->var != barrier))
			continue;
		*ret = e->var;
		n++;
	}
	return n;
}

void repair_say_meeting(struct repair_text *w, const struct repair_flip *f)
{
	const struct vtb_exec *x = f->run;
	const size_t later = core_place_in(x, &f->later), sooner = core_place_in(x, &f->sooner);
	uint32_t barrier = VTB_NONE, unused, n;

	if (later == VTB_EVENT_NONE || f->later.thread == f->sooner.thread ||
	    !meetings(x, f->later.thread, later, VTB_NONE, &barrier))
		return;
	n = meetings(x, f->later.thread, later, barrier, &unused);
	if (n == meetings(x, f->sooner.thread, sooner, barrier, &unused))
		repair_say(w, "let all threads meet at %s once more in between, or ", repair_variable(w, barrier));
}
