/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "extent.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt_priv.h"
#include "report_parts.h"
#include "vtb/words.h"

#define STUCK_ENOUGH 8u
#define VTB_WHY_CHILDREN "a child process ran on or slept while threads did, or shared what is not seen"

bool vtb_extent_stuck(const struct vtb_search_stats *stats)
{
	return stats->stopped >= STUCK_ENOUGH && 2 * stats->stopped >= stats->schedules;
}

static int mixing(const char *files)
{
	static const char *const words[] = { "none", "mounts", "user", "kept", "plain" };
	int i = sizeof(words) / sizeof(*words);

	while (files && i-- > 0)
		if (strcmp(words[i], files) == 0)
			return i;
	return 0;
}

void vtb_extent_note_weak(struct vtb_hunt_facts *facts, enum vtb_weak weak, const char *at)
{
	if (weak == VTB_WEAK_NONE || (facts->weak != VTB_WEAK_NONE && facts->weak <= weak))
		return;
	facts->weak = weak;
	snprintf(facts->weak_at, sizeof(facts->weak_at), "%s", at);
}

bool vtb_extent_mixes_more(const char *files, const char *other)
{
	return mixing(files) > mixing(other);
}

void vtb_extent_note_torn(struct vtb_hunt_facts *facts, const char *torn, bool unseen)
{
	if (!*facts->torn)
		snprintf(facts->torn, sizeof(facts->torn), "%s", torn);
	facts->torn_unseen |= unseen;
}

const char *vtb_extent_before(const struct vtb_hunt_facts *facts)
{
	return facts->weak ? "sequentially consistent " : "";
}

const char *vtb_extent_behind(const struct vtb_hunt_facts *facts, bool several)
{
	return !*facts->torn && !facts->torn_unseen ? "" : several ? " that tear no access" : " that tears no access";
}

void vtb_extent_note_run(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const struct vtb_exec *x)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;

	if (vtb_verdict_is_cut(x->outcome.verdict) && !facts->stuck)
		facts->stuck = vtb_hunt_describe_stuck(x, hunt->runner->tab);
	facts->kinds |= schedule->policy == VTB_SCHEDULE_RUN_TO_BLOCK ? 0 : VTB_HUNT_KIND(VTB_DEV_SWITCH);
	for (size_t i = 0; i < schedule->n_deviations; i++)
		facts->kinds |= VTB_HUNT_KIND(
		    schedule->deviations[i].kind == VTB_DEV_DEMOTE ? VTB_DEV_SWITCH : schedule->deviations[i].kind);
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].flags & VTB_EVF_DEVIATED && x->events[i].deviation)
			facts->kinds |= VTB_HUNT_KIND(x->events[i].deviation);
	if (vtb_hunt_count_threads(x) > facts->threads)
		facts->threads = vtb_hunt_count_threads(x);
	if (x->outcome.points > facts->points)
		facts->points = x->outcome.points;
}

static const char *stop_word(int end, struct vtb_hunt *hunt)
{
	switch (end) {
	case VTB_SEARCH_BUDGET:
		return "budget";
	case VTB_SEARCH_TIME:
		return vtb_hunt_stop_word(hunt);
	case VTB_SEARCH_FOUND:
		return "found";
	case VTB_SEARCH_CALLER:
		return vtb_hunt_interrupted(hunt) ? "interrupt" : hunt->satisfied ? "level" : "found";
	default:
		return "bound";
	}
}

/* (c, v) is the first level that is not finished; what lies below it is. */
static void take_levels(struct vtb_hunt_facts *facts, const struct vtb_claim *claim)
{
	facts->enumerated = claim->enumerates;
	facts->complete = claim->complete;
	facts->pruned = claim->pruned;
	facts->by_orders = claim->least && !claim->complete && claim->orders_c && !(claim->enumerates && claim->c);
	facts->done = facts->bound;
	facts->explored = claim->explored;
	facts->orders = (struct vtb_tuple){ 0 };
	if (claim->orders_c && !claim->symmetric)
		facts->orders =
		    (struct vtb_tuple){ .c = claim->orders_c - 1, .v = claim->orders_v, .t = facts->bound.t };
	if (claim->unbounded)
		facts->done.c = facts->done.v = VTB_UNBOUNDED;
	else if (facts->by_orders)
		facts->done = (struct vtb_tuple){
			.l = facts->bound.l, .c = claim->orders_c - 1, .v = claim->orders_v, .t = facts->bound.t
		};
	else if (!claim->complete && claim->enumerates)
		facts->done = claim->v > 1 ? (struct vtb_tuple){ .c = claim->c, .v = claim->v - 1 }
		                           : (struct vtb_tuple){ .c = claim->c ? claim->c - 1 : 0, .v = VTB_UNBOUNDED };
}

/* What the strategy says of itself, and what it had to leave out. */
static char *arguments(const struct vtb_search_stats *stats, const struct vtb_claim *claim, const char *stuck,
                       bool states)
{
	char words[400];
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (*claim->text)
		fprintf(to, "%s.", claim->text);
	if (states)
		fprintf(to, " %s", vtb_search_states_words(stats, words, sizeof(words)));
	if (claim->dropped)
		fprintf(to, " %" PRIu64 " schedules were left out for want of memory.", claim->dropped);
	if (stats->stopped)
		fprintf(to,
		        " %" PRIu64 " run%s stopped because %s took too long or came to a limit;"
		        " nothing is known about the rest of %s. The first of them: %s.",
		        stats->stopped, stats->stopped == 1 ? " was" : "s were", stats->stopped == 1 ? "it" : "they",
		        stats->stopped == 1 ? "it" : "them", stuck ? stuck : "its threads are not known");
	if (stats->infeasible)
		fprintf(to, " %" PRIu64 " schedules had constraints that could not be met.", stats->infeasible);
	return fclose(to) == 0 ? text : NULL;
}

int vtb_extent_take(struct vtb_hunt *hunt, const struct vtb_search *search, int end)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	const struct vtb_search_stats *stats = vtb_search_stats(search);
	struct vtb_claim claim = { 0 };

	facts->search_schedules = stats->schedules + 1; /* the search knows the first run: see vtb_search_made() */
	facts->classes = stats->classes;
	facts->partial = stats->partial;
	facts->redone = stats->redone;
	facts->selective_off = stats->selective_off;
	facts->blocked = stats->blocked;
	facts->diverged = stats->diverged;
	facts->unread = stats->unread;
	facts->printed = stats->printed;
	facts->outputs = stats->outputs;
	facts->outputs_more = stats->outputs_more;
	facts->assumed = stats->assumed > 0;
	vtb_search_claim(search, &claim);
	facts->stopped = claim.contradicted ? "contradiction" : stop_word(end, hunt);
	facts->stopped = vtb_extent_stuck(stats) ? "stuck" : facts->stopped;
	take_levels(facts, &claim);
	facts->complete = facts->complete && !stats->stopped; /* whatever the strategy made of runs that had no end */
	facts->kinds |= facts->complete ? VTB_HUNT_KIND(VTB_DEV_SWITCH) : 0;
	facts->zero_done = claim.least && !vtb_extent_stuck(stats);
	free(facts->arguments);
	facts->arguments = arguments(stats, &claim, facts->stuck, facts->match_states);
	facts->states = stats->states;
	facts->states_met = stats->states_met;
	facts->focus_met = vtb_search_focus_met(search);
	facts->focus_free = claim.focus_free;
	return facts->arguments ? 0 : -ENOMEM;
}

int vtb_extent_take_states(struct vtb_hunt *hunt, const struct vtb_search_stats *stats, const struct vtb_search *all)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	struct vtb_claim claim;

	facts->search_schedules += stats->schedules;
	facts->diverged += stats->diverged;
	facts->unread += stats->unread;
	facts->printed += stats->printed;
	facts->outputs_more |= stats->outputs_more || (facts->outputs > 1 && stats->outputs > 1);
	facts->outputs = stats->outputs > facts->outputs ? stats->outputs : facts->outputs;
	if (!all || hunt->result->n_findings)
		return 0;
	vtb_search_claim(all, &claim);
	take_levels(facts, &claim);
	facts->match_states = facts->zero_done = true;
	facts->assumed = false;
	facts->stopped = "bound";
	facts->states = stats->states;
	facts->states_met = stats->states_met;
	free(facts->arguments);
	facts->arguments = arguments(stats, &claim, facts->stuck, true);
	return facts->arguments ? 0 : -ENOMEM;
}

/* ---- in words */

/* Why what was not run may be different from all that was, though it was left out as equal; NULL: nothing. */
static const char *hidden(const struct vtb_hunt_facts *f)
{
	if (f->uncontrolled & VTB_UNC_ALIAS)
		return "one piece of memory was at two addresses, or a file that was read or written, too, and what "
		       "was done to it counts as done to two";
	if (f->uncontrolled & VTB_UNC_LIBC_OWN)
		return "a thread looked at another's errno or the like, which functions of the C library write unseen";
	if (f->uncontrolled & VTB_UNC_CHILDREN)
		return VTB_WHY_CHILDREN;
	if (f->unread || f->uncontrolled & VTB_UNC_UNREAD)
		return "what a run has done could not be read";
	if (f->chance)
		return "the program asked for what need not be the same in every run";
	return f->not_again ? "a run failed, and did not fail again from its own schedule" : NULL;
}

bool vtb_extent_believed(const struct vtb_hunt_facts *f)
{
	const bool ended_badly =
	    f->stopped && (strcmp(f->stopped, "stuck") == 0 || strcmp(f->stopped, "contradiction") == 0);

	return !ended_badly && !f->output_cut && !hidden(f);
}

bool vtb_extent_shows(const struct vtb_hunt_facts *f)
{
	return f->zero_done && vtb_extent_believed(f);
}

/* What would have been the least to complete. */
static const char *smallest(const struct vtb_hunt_facts *f)
{
	return f->enumerated ? "the level without preemptions is" : "the least that the strategy can show is";
}

const char *vtb_extent_library(const struct vtb_hunt_facts *f)
{
	static const char *const harmless[] = { "libgcc_s.so", "libm.so", "libstdc++.so" };

	for (size_t i = 0; f->unhooked && f->unhooked[i]; i++) {
		const char *name = f->unhooked[i];
		bool known = strchr(name, ' ') || !strstr(name, ".so");

		for (size_t k = 0; k < sizeof(harmless) / sizeof(*harmless); k++)
			known |= strncmp(name, harmless[k], strlen(harmless[k])) == 0;
		if (!known)
			return name;
	}
	return NULL;
}

char *vtb_extent_missing(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	const char *blind = vtb_extent_library(f);

	if (f->stopped && strcmp(f->stopped, "contradiction") == 0)
		snprintf(buf, size, "the search contradicts itself%s%s",
		         blind ? ", perhaps by what is not hooked: " : "", blind ? blind : "");
	else if (f->output_cut)
		snprintf(buf, size, "outputs were longer than what of them is compared");
	else if (hidden(f))
		snprintf(buf, size, "%s", hidden(f));
	else if (f->assumed)
		snprintf(buf, size, "a thread was held back that may only have been slow");
	else
		snprintf(buf, size, "stopped before %s was complete%s",
		         f->enumerated ? "the first level, c = 0," : "the least that the strategy can show",
		         f->stopped && strcmp(f->stopped, "memory") == 0 ? ": the memory was full (--max-memory)" : "");
	return buf;
}

static const char *stopped_by(const char *stopped)
{
	if (!stopped || strcmp(stopped, "bound") == 0 || strcmp(stopped, "strategy") == 0)
		return "";
	if (strcmp(stopped, "memory") == 0)
		return ", then the memory was full (--max-memory)";
	return strcmp(stopped, "time") == 0        ? ", then the time was over"
	       : strcmp(stopped, "budget") == 0    ? ", then the budget was spent"
	       : strcmp(stopped, "interrupt") == 0 ? ", then interrupted"
	                                           : "";
}

static const char *levels(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	const char *many = f->done.c == 1 ? "" : "s";

	if (f->done.c == 0)
		snprintf(buf, size, "without preemptions");
	else if (f->done.v == VTB_UNBOUNDED || f->done.v >= f->done.c)
		snprintf(buf, size, "within %u preemption%s", f->done.c, many);
	else
		snprintf(buf, size, "within %u preemption%s over %u variable%s", f->done.c, many, f->done.v,
		         f->done.v == 1 ? "" : "s");
	return buf;
}

const char *vtb_extent_part(const struct vtb_hunt_facts *f)
{
	return f->watched                                           ? "the watched variables and synchronisation"
	       : !f->accesses                                       ? "synchronisation"
	       : f->blind || f->untold || vtb_extent_library(f)     ? "what has hooks"
	       : f->uncontrolled & (VTB_UNC_SCANS | VTB_UNC_MEMORY) ? "what is under control"
	                                                            : NULL;
}

static const char *within(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	if (!f->by_orders && !f->enumerated)
		return "in the schedules that were chosen";
	if (!f->by_orders && f->done.c == VTB_UNBOUNDED) {
		snprintf(buf, size, "in all %sschedules%s%s%s", vtb_extent_before(f), vtb_extent_behind(f, true),
		         f->pruned && *vtb_extent_behind(f, true) ? " and" : "",
		         f->pruned ? " that can matter to a failure" : "");
		return buf;
	}
	snprintf(buf, size, "%s", f->by_orders ? "in priority orders " : "");
	levels(f, buf + strlen(buf), size - strlen(buf));
	return buf;
}

char *vtb_report_bound(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	const char *part = vtb_extent_part(f);
	char words[120];

	snprintf(buf, size, "%s%s%s%s%s%s", within(f, words, sizeof(words)), part ? " of " : "", part ? part : "",
	         part ? " only" : "", vtb_extent_children(f) ? ", child processes first" : "", stopped_by(f->stopped));
	return buf;
}

static void say_contradiction(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f, const char *own)
{
	const char *blind = vtb_extent_library(f);

	vtb_bounded_text_add(t, "Nothing is proved: %s", own);
	if (blind)
		vtb_bounded_text_add(
		    t, " Threads may meet in %s, which has no hooks: what it does then may differ in runs", blind);
	if (blind)
		vtb_bounded_text_add(t, " that look the same.");
}

void vtb_extent_say(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	const char *own = f->arguments && *f->arguments ? f->arguments : NULL;
	char schedules[40], classes[40], bound[200];

	vtb_words_count(f->search_schedules, schedules, sizeof(schedules));
	vtb_words_count(f->classes, classes, sizeof(classes));
	vtb_report_bound(f, bound, sizeof(bound));
	if (f->stopped && strcmp(f->stopped, "found") == 0)
		vtb_bounded_text_add(t, "The search ended at the first failure.");
	else if (own && f->stopped && strcmp(f->stopped, "contradiction") == 0)
		say_contradiction(t, f, own);
	else if (f->output_cut)
		vtb_bounded_text_add(t, "Nothing is proved: of an output only the first 64 MB are compared.");
	else if (hidden(f))
		vtb_bounded_text_add(t, "Nothing is proved of what was not run: %s. Otherwise%s %s", hidden(f),
		                     own ? ":" : "", own ? own : "nothing was completed.");
	else if (!vtb_extent_shows(f) && own)
		vtb_bounded_text_add(t, "Not even %s complete: %s", smallest(f), own);
	else if (!vtb_extent_shows(f))
		vtb_bounded_text_add(t, "Not even %s complete.", smallest(f));
	else if (own)
		vtb_bounded_text_add(t, "%s%s: %s", f->complete ? "Complete for " : "Not complete",
		                     !f->complete         ? ""
		                     : vtb_extent_part(f) ? vtb_extent_part(f)
		                                          : "hooked accesses and synchronisation",
		                     own);
	else if (f->complete)
		vtb_bounded_text_add(t, "Complete %s: every enabled choice was run.", bound);
	else if (f->enumerated)
		vtb_bounded_text_add(t, "Not complete; finished: all schedules %s.", bound);
	else
		vtb_bounded_text_add(t, "Not complete.");
	vtb_bounded_text_add(t, " %s schedule%s of %s%s class%s ran.", schedules, f->search_schedules == 1 ? "" : "s",
	                     f->partial ? "at least " : "", classes, f->classes == 1 ? "" : "es");
	if (*f->torn)
		vtb_bounded_text_add(t,
		                     " An access of more than 8 bytes was one step: that another thread comes in "
		                     "between, as it may at %s, was not tried.",
		                     f->torn);
	else if (f->torn_unseen)
		vtb_bounded_text_add(t, " Accesses of more than 8 bytes were one step each; not every run was "
		                        "looked at for where another thread may come in between.");
}
