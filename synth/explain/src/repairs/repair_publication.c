/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread lets another go on before it has done all that the other needs: in words, where it does so. */
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repair_text.h"

static bool reads_from(const struct vtb_exec *x, size_t write, size_t read)
{
	if (!vtb_event_is(&x->events[read], VTB_EV_READS) || !vtb_event_overlap(&x->events[write], &x->events[read]))
		return false;
	for (size_t i = write + 1; i < read; i++)
		if (vtb_event_is(&x->events[i], VTB_EV_WRITES) && vtb_event_overlap(&x->events[i], &x->events[read]))
			return false;
	return true;
}

/* The last write of the thread that the other has read before it comes to event `to`. */
static size_t last_told(const struct vtb_exec *x, uint32_t writer, size_t to)
{
	for (size_t i = to; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != writer || !core_is_access(e->kind) || !vtb_event_is(e, VTB_EV_WRITES))
			continue;
		for (size_t k = i + 1; k < to; k++)
			if (x->events[k].thread == x->events[to].thread && core_is_access(x->events[k].kind) &&
			    reads_from(x, i, k))
				return i;
	}
	return VTB_EVENT_NONE;
}

/* Where the thread was made, if `writer` has made it. */
static size_t creation_of(const struct repair_text *w, const struct vtb_exec *x, uint32_t thread, uint32_t writer)
{
	if (thread >= w->tab->n_threads || w->tab->threads[thread].parent != writer)
		return VTB_EVENT_NONE;
	return core_birth_of(w->tab, x, thread);
}

static bool comes_after(const struct vtb_exec *x, const struct vtb_core_op *op, size_t at)
{
	const size_t place = core_place_in(x, op);

	return at != VTB_EVENT_NONE && (place == VTB_EVENT_NONE || place > at);
}

/* Where the writer lets the other thread go on too early, by a variable or by making it, or VTB_EVENT_NONE. */
static size_t published(const struct repair_text *w, const struct repair_flip *f, bool *ret_made)
{
	const struct vtb_exec *x = f->run;
	const size_t later = core_place_in(x, &f->later);
	const size_t told = later == VTB_EVENT_NONE ? later : last_told(x, f->sooner.thread, later);
	const size_t made = creation_of(w, x, f->later.thread, f->sooner.thread);

	*ret_made = false;
	if (!core_writes(&f->sooner))
		return VTB_EVENT_NONE;
	if (comes_after(x, &f->sooner, told) && (made == VTB_EVENT_NONE || told > made))
		return told;
	*ret_made = comes_after(x, &f->sooner, made);
	return *ret_made ? made : VTB_EVENT_NONE;
}

bool repair_publishes_itself(const struct repair_text *w, const struct repair_flip *f)
{
	bool made;
	const size_t at = published(w, f, &made);
	char own[300], place[300];

	return at != VTB_EVENT_NONE && !strcmp(repair_place(w, &f->sooner, own, sizeof(own)),
	                                       repair_place_at(w, f->run, at, place, sizeof(place)));
}

void repair_say_publication(struct repair_text *w, const struct repair_flip *f)
{
	bool made;
	const size_t at = published(w, f, &made);
	char place[300];

	if (at == VTB_EVENT_NONE || repair_publishes_itself(w, f))
		return;
	repair_place_at(w, f->run, at, place, sizeof(place));
	if (made)
		repair_say(w, "do it before the thread is made at %s, or ", place);
	else
		repair_say(w, "do it before %s, where %s tells the other thread of it, or ", place,
		           repair_variable(w, f->run->events[at].var));
}
