/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait at the end of a run: what else is to be told of them, and what to change. */
#include "story_waits.h"

#include <stdio.h>

#include "story_picks.h"
#include "vtb/classify.h"
#include "vtb/words.h"

/* One signal, several waiters: who else waited, and who was woken. */
void story_pick_other_waiters(struct teller *t, const struct vtb_triple *triple)
{
	const struct vtb_event *wait = &t->x->events[triple->first];

	for (size_t i = 0; i < t->x->n_events; i++) {
		const struct vtb_event *e = &t->x->events[i];

		/* the one that the signal woke instead says why this one waits */
		const bool woken = e->kind == VTB_E_COND_WAKE || e->kind == VTB_E_FUTEX_WOKEN;

		if (e->var == wait->var && e->thread != wait->thread &&
		    (woken || e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_FUTEX_WAIT))
			story_pick(t, i, VTB_STEP_CONTEXT, woken && i > triple->intruder ? NEED_PATTERN : NEED_CONTEXT);
	}
}

/* The thread did not come to its end by itself. */
void story_pick_cancel(struct teller *t, const struct vtb_event *end)
{
	for (size_t i = 0; i < t->x->n_events; i++)
		if (t->x->events[i].kind == VTB_E_THREAD_CANCEL && t->x->events[i].var == end->var)
			story_pick(t, i, VTB_STEP_CONTEXT, NEED_CONTEXT);
}

/* Why the signal did not find the waiter waiting. */
void story_pick_overtaken(struct teller *t, const struct vtb_triple *triple)
{
	size_t test, change;

	if (!vtb_classify_overtaken(t->x, triple->first, triple->intruder, &test, &change))
		return;
	story_pick(t, test, VTB_STEP_CONTEXT, NEED_PATTERN);
	story_pick(t, change, VTB_STEP_CONTEXT, NEED_PATTERN);
}

void story_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	vtb_words_place(tab, site, buf, size);
	if (!*buf)
		snprintf(buf, size, "an unknown place");
}

static uint32_t site_at(const struct vtb_exec *x, size_t at)
{
	return x && at < x->n_events ? x->events[at].site : VTB_NONE;
}

/* What says so is tested under the mutex already? Then it is the change that is not. */
void story_suggest_wait(size_t wait, size_t signal, const struct vtb_exec *x, const struct vtb_symtab *tab, char *buf,
                        size_t size)
{
	size_t test, change;
	char mutex[160], name[160], first[160], second[160];

	if (!x || wait >= x->n_events || signal >= x->n_events ||
	    !vtb_classify_overtaken(x, wait, signal, &test, &change)) {
		story_place(tab, site_at(x, signal), first, sizeof(first));
		story_place(tab, site_at(x, wait), second, sizeof(second));
		snprintf(buf, size,
		         "The signal at %s came before the wait at %s: keep the condition in a variable, and check it "
		         "under the mutex before waiting.",
		         first, second);
		return;
	}
	story_place(tab, x->events[change].site, first, sizeof(first));
	story_place(tab, x->events[test].site, second, sizeof(second));
	snprintf(buf, size,
	         "Hold %s where %s is changed at %s: %s tests it with that held, until it waits, and the change came "
	         "in between.",
	         vtb_words_variable(tab, x->events[wait].aux, mutex, sizeof(mutex)),
	         vtb_words_variable(tab, x->events[change].var, name, sizeof(name)), first, second);
}

static size_t handled(const struct vtb_exec *x, size_t change)
{
	for (size_t i = change; i-- > 0;)
		if (x->events[i].kind == VTB_E_SIGNAL_HANDLE && x->events[i].thread == x->events[change].thread)
			return i;
	return change;
}

/* Where the thread has gone to wait: it does nothing after that. */
static size_t last_of(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].thread == thread && vtb_event_is_operation(&x->events[i]))
			return i;
	return VTB_EVENT_NONE;
}

void story_suggest_signal(size_t test, size_t change, const struct vtb_exec *x, const struct vtb_symtab *tab, char *buf,
                          size_t size)
{
	char name[300], var[160], tested[160], waits[160];

	if (!x || change >= x->n_events)
		return;
	story_place(tab, site_at(x, test), tested, sizeof(tested));
	story_place(tab, site_at(x, last_of(x, x->events[change].thread)), waits, sizeof(waits));
	snprintf(buf, size,
	         "%s came after the test of %s at %s and before the wait at %s, which waits for the next one: block it "
	         "before the test, and let it in only while the thread waits (sigsuspend, ppoll).",
	         vtb_words_object(&x->events[handled(x, change)], tab, name, sizeof(name)),
	         vtb_words_variable(tab, x->events[change].var, var, sizeof(var)), tested, waits);
}
