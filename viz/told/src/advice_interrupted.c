/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that the program is not ready for: a call that a handler ended early and that is not made again, and what
 * kills the program that has sent it. */
#include "advice.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

void vtb_advise_killed(const struct vtb_exec *run, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const size_t at = run ? story_killed_by(run) : VTB_EVENT_NONE;
	const char *name = at == VTB_EVENT_NONE ? NULL : sigabbrev_np(run->outcome.signal);
	char place[ADVICE_PLACE];

	if (name && run->outcome.thread != VTB_NONE && run->outcome.signal != SIGKILL)
		snprintf(buf, size,
		         "SIG%s, which %s sends at %s, kills the program: nothing handles it then, and %s has not "
		         "blocked it. Set a handler for it, or block it (pthread_sigmask()), before the threads are "
		         "made: they begin with what is blocked where they are made.",
		         name, vtb_thread_path(tab, run->events[at].thread),
		         vtb_words_place(tab, run->events[at].site, place, sizeof(place)),
		         vtb_thread_path(tab, run->outcome.thread));
}
