/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that failed has made a call that a signal's handler ended early, and not made it again. */
#include "advice.h"

#include <stdio.h>

#include "story/story_picks.h"
#include "vtb/words.h"

void vtb_advise_interrupted(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const size_t at = run ? story_interrupted(run) : VTB_EVENT_NONE;
	char place[ADVICE_PLACE];

	if (at != VTB_EVENT_NONE)
		snprintf(buf, size,
		         "A signal ended the call at %s before it was done (EINTR). Make it again then, or give the "
		         "signal's "
		         "handler the flag SA_RESTART, if the call is one that goes by that.",
		         vtb_words_place(tab, run->events[at].site, place, sizeof(place)));
}
