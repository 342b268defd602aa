/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search can honestly say about what it has run. */
#include <inttypes.h>

#include "search_priv.h"
#include "vtb/bounded_text.h"
#include "vtb/chances.h"
#include "vtb/focus.h"

void vtb_search_claim(const struct vtb_search *search, struct vtb_claim *ret)
{
	*ret = search->claim;
	if (search->cut || search->stats.unread) /* what was cut off, or done, is not known to the strategy */
		ret->exhausted = ret->complete = ret->unbounded = false;
}

static void add_bound(struct vtb_bounded_text *t, const struct vtb_search_opts *o)
{
	if (o->c == VTB_UNBOUNDED)
		vtb_bounded_text_add(t, "any number of preemptions");
	else
		vtb_bounded_text_add(t, "c = %u preemptions at v = %u variables", o->c, o->v < o->c ? o->v : o->c);
}

static void add_trouble(struct vtb_bounded_text *t, const struct vtb_search_stats *s)
{
	if (s->diverged)
		vtb_bounded_text_add(t, "%" PRIu64 " schedules were not followed by the program; the first: %s.\n",
		                     s->diverged, s->diverged_at);
	if (s->stopped)
		vtb_bounded_text_add(
		    t, "%" PRIu64 " runs were stopped because they took too long; nothing is known about their rest.\n",
		    s->stopped);
	if (s->unread)
		vtb_bounded_text_add(t, "%" PRIu64 " runs could not be read: what they did is not known.\n", s->unread);
	if (s->infeasible)
		vtb_bounded_text_add(t, "%" PRIu64 " schedules were infeasible.\n", s->infeasible);
}

#define WORTH_SAYING 1000000u /* classes */

static void add_classes(struct vtb_bounded_text *t, const struct vtb_search_stats *s)
{
	if (s->classes >= WORTH_SAYING)
		vtb_bounded_text_add(
		    t, "Classes are told apart by 128 bits: two were taken for one with probability below %.1g.\n",
		    s->merged);
	if (s->mixed)
		vtb_bounded_text_add(t,
		                     "%" PRIu64
		                     " run%s not of the class that the program's runtime took %s for: there may "
		                     "be more classes.\n",
		                     s->mixed, s->mixed == 1 ? " was" : "s were", s->mixed == 1 ? "it" : "them");
	if (s->classes_not_kept)
		vtb_bounded_text_add(
		    t, "Memory for classes was full: %" PRIu64 " were counted as new whenever they were met.\n",
		    s->classes_not_kept);
}

static void add_states(struct vtb_bounded_text *t, const struct vtb_search_opts *o, const struct vtb_search_stats *s)
{
	char words[400];

	if (o->match_states)
		vtb_bounded_text_add(t, "%s\n", vtb_search_states_words(s, words, sizeof(words)));
}

const char *vtb_search_states_words(const struct vtb_search_stats *s, char *buf, size_t size)
{
	struct vtb_bounded_text t = { buf, size, 0 };

	if (size)
		buf[0] = '\0';
	if (!s->states) {
		vtb_bounded_text_add(&t, "No state could be compared: the runs did not tell any.");
		return buf;
	}
	vtb_bounded_text_add(
	    &t,
	    "What follows a state was run once: %" PRIu64 " states, met again %" PRIu64
	    " times; they are told apart by 128 bits, so that two were taken for one with probability below %.1g.",
	    s->states, s->states_met, s->states_merged);
	if (s->states_unknown)
		vtb_bounded_text_add(&t, " At %" PRIu64 " points the state was not known.", s->states_unknown);
	if (s->states_not_kept)
		vtb_bounded_text_add(
		    &t, " Memory for states was full: %" PRIu64 " were taken for new whenever they were met.",
		    s->states_not_kept);
	return buf;
}

bool vtb_search_focus_met(const struct vtb_search *search)
{
	char name[16];

	return !vtb_focus_unknown_variable(&search->opts, search->runner->tab, name, sizeof(name)) &&
	       !vtb_focus_unknown_function(&search->opts, search->runner->tab, name, sizeof(name));
}

static void add_focus(struct vtb_bounded_text *t, const struct vtb_search *search, const struct vtb_claim *claim)
{
	const struct vtb_search_opts *o = &search->opts;
	const char *strategy = search->strategy->name;
	char words[200];

	if (o->focus_var)
		vtb_bounded_text_add(
		    t, "%s\n",
		    vtb_focus_words(VTB_FOCUS_VAR, o->focus_var, strategy, claim->focus_free, words, sizeof(words)));
	if (o->focus_function)
		vtb_bounded_text_add(t, "%s\n",
		                     vtb_focus_words(VTB_FOCUS_FUNCTION, o->focus_function, strategy, claim->focus_free,
		                                     words, sizeof(words)));
}

static void add_kinds(struct vtb_bounded_text *t, const struct vtb_claim *claim)
{
	char words[160];

	vtb_bounded_text_add(t, "Deviations explored: thread switches%s%s.", claim->explored ? ", " : "",
	                     vtb_chances_words(claim->explored, words, sizeof(words)));
	if (claim->unexplored)
		vtb_bounded_text_add(t, " Possible, but not explored: %s.",
		                     vtb_chances_words(claim->unexplored, words, sizeof(words)));
}

const char *vtb_search_statement(const struct vtb_search *search, char *buf, size_t size)
{
	const struct vtb_search_stats *s = &search->stats;
	struct vtb_bounded_text t = { buf, size, 0 };
	struct vtb_claim claim;

	if (size)
		buf[0] = '\0';
	vtb_search_claim(search, &claim);
	vtb_bounded_text_add(
	    &t, "%" PRIu64 " schedules of %" PRIu64 " classes were executed by the strategy %s within the bound of ",
	    s->schedules, s->classes, search->strategy->name);
	add_bound(&t, &search->opts);
	vtb_bounded_text_add(&t, ".\n");
	if (claim.text[0])
		vtb_bounded_text_add(&t, "%s: %s.\n",
		                     claim.complete    ? "Complete"
		                     : claim.exhausted ? "Done"
		                                       : "Ended early",
		                     claim.text);
	if (claim.dropped)
		vtb_bounded_text_add(&t, "%" PRIu64 " schedules were left out for want of memory.\n", claim.dropped);
	add_classes(&t, s);
	add_states(&t, &search->opts, s);
	add_focus(&t, search, &claim);
	add_trouble(&t, s);
	add_kinds(&t, &claim);
	vtb_bounded_text_add(&t, " Sequentially consistent interleavings only.\n");
	return buf;
}
