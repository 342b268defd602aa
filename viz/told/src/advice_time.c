/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread sleeps, or waits with a deadline, and takes for done what others have not come to: what to do instead. */
#include "advice.h"

#include <stdio.h>

#include "vtb/words.h"

/* The first wait that ended by its deadline although others could go on. NULL: there is none. */
static const struct vtb_event *ended_by_time(const struct vtb_exec *run)
{
	for (size_t i = 0; run && i < run->n_events; i++)
		if (run->events[i].flags & VTB_EVF_DEVIATED && run->events[i].deviation == VTB_DEV_TIMEOUT)
			return &run->events[i];
	return NULL;
}

void vtb_advise_time(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_event *wait = ended_by_time(run);
	char place[ADVICE_PLACE];

	if (!wait)
		return;
	vtb_words_place(tab, wait->site, place, sizeof(place));
	if (wait->kind == VTB_E_SLEEP)
		snprintf(
		    buf, size,
		    "No sleep is long enough on a busy machine: at %s wait for what the other threads are to do, by a "
		    "condition variable, a future or a join; or look for it again and again, until a limit that only "
		    "something broken comes to.",
		    place);
	else
		snprintf(
		    buf, size,
		    "On a busy machine the deadline at %s passes before the other threads have done what it waits for: "
		    "that is no failure of theirs. Wait without a deadline, or by one that only something broken comes "
		    "to.",
		    place);
}
