/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that go round at the end of a run: the steps that each of them repeats. */
#include "vtb/story_rounds.h"

#include <string.h>

#include "vtb/words.h"

#define BACK (2 * VTB_ROUND_STEPS)
#define LONG_ENOUGH 64u /* operations */

static bool same_step(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && a->site == b->site && a->var == b->var;
}

/* The thread's last operations, the last one first. */
static size_t last_of(const struct vtb_exec *x, uint32_t thread, size_t *ret)
{
	size_t n = 0;

	for (size_t i = x->n_events; i-- > 0 && n < BACK;)
		if (x->events[i].thread == thread && vtb_event_is_operation(&x->events[i]))
			ret[n++] = i;
	return n;
}

/* What is a loop within the round repeats, too, if not for long. */
static bool repeats(const struct vtb_exec *x, const size_t *last, size_t n, size_t steps)
{
	const size_t known = n - steps < LONG_ENOUGH ? n - steps : LONG_ENOUGH;

	for (size_t i = 0; i < (known > steps ? known : steps); i++)
		if (!same_step(&x->events[last[i]], &x->events[last[i + steps]]))
			return false;
	return true;
}

static bool waits(const struct vtb_exec *x, uint32_t thread)
{
	for (size_t i = 0; i < x->n_pending; i++) {
		const unsigned kind = x->pending[i].kind == VTB_E_PENDING ? x->pending[i].aux : x->pending[i].kind;

		if (x->pending[i].thread == thread && vtb_event_info(kind) &&
		    vtb_event_info(kind)->flags & VTB_EV_BLOCKS && kind != VTB_E_LOCK)
			return true;
	}
	return false;
}

size_t vtb_story_round(const struct vtb_exec *x, uint32_t thread, size_t *ret)
{
	size_t last[BACK];
	const size_t n = waits(x, thread) ? 0 : last_of(x, thread, last);

	if (n && x->events[last[0]].kind == VTB_E_THREAD_END)
		return 0;
	for (size_t steps = 1; steps <= n / 2; steps++) {
		if (!repeats(x, last, n, steps))
			continue;
		for (size_t i = 0; i < steps; i++)
			ret[i] = last[steps - 1 - i];
		return steps;
	}
	return 0;
}

size_t vtb_story_rounders(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t *ret, size_t max)
{
	size_t steps[VTB_ROUND_STEPS], n = 0;

	for (uint32_t t = 0; t < tab->n_threads && n < max; t++)
		if (vtb_story_round(x, t, steps))
			ret[n++] = t;
	return n;
}

/* A step that is said already. */
static bool is_said(const struct vtb_exec *x, const struct vtb_symtab *tab, const size_t *steps, size_t i)
{
	char now[200], before[200];

	vtb_words_place(tab, x->events[steps[i]].site, now, sizeof(now));
	for (size_t k = 0; k < i; k++)
		if (x->events[steps[k]].kind == x->events[steps[i]].kind &&
		    x->events[steps[k]].var == x->events[steps[i]].var &&
		    !strcmp(now, vtb_words_place(tab, x->events[steps[k]].site, before, sizeof(before))))
			return true;
	return false;
}

/* The round begins at its first line. */
static size_t first_line(const struct vtb_exec *x, const struct vtb_symtab *tab, const size_t *steps, size_t n)
{
	uint32_t least = UINT32_MAX;
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t site = x->events[steps[i]].site;

		if (site < tab->n_sites && tab->sites[site].line && tab->sites[site].line < least) {
			least = tab->sites[site].line;
			first = i;
		}
	}
	return first;
}

void vtb_story_say_round(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t thread,
                         struct vtb_bounded_text *text)
{
	size_t found[VTB_ROUND_STEPS], steps[VTB_ROUND_STEPS], said = 0;
	const size_t n = vtb_story_round(x, thread, found), first = first_line(x, tab, found, n);
	char object[160], place[200];

	for (size_t i = 0; i < n; i++)
		steps[i] = found[(first + i) % n];
	for (size_t i = 0; i < n; i++) {
		const struct vtb_event *e = &x->events[steps[i]];

		if (is_said(x, tab, steps, i))
			continue;
		if (said++ == VTB_ROUND_SAID) {
			vtb_bounded_text_add(text, ", and so on");
			return;
		}
		vtb_bounded_text_add(text, "%s%s", said == 1 ? " " : ", ", vtb_words_verb(e, false));
		if (*vtb_words_object(e, tab, object, sizeof(object)))
			vtb_bounded_text_add(text, " %s", object);
		if (*vtb_words_place(tab, e->site, place, sizeof(place)))
			vtb_bounded_text_add(text, " at %s", place);
	}
}
