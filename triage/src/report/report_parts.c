/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_parts.h"

#include "extent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtb/search.h"
#include "vtb/words.h"

char *vtb_report_outputs(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	buf[0] = 0;
	if (f->outputs > 1 && !f->expects_output)
		snprintf(buf, size,
		         "output differs between schedules: %s%" PRIu64 " variants in %" PRIu64
		         " runs; --expect-output makes that a failure",
		         f->outputs_more ? "more than " : "", f->outputs, f->printed);
	return buf;
}

/* Behind a semicolon stands what to do about it, which is the advice. */
char *vtb_report_nothing(const struct vtb_hunt_result *result, char *buf, size_t size)
{
	const struct vtb_outcome *o = &result->first.outcome;
	const bool told = vtb_verdict_is_cut(result->verdict) && o->verdict == result->verdict && o->message &&
	                  *o->message && strncmp(o->message, "stopped after ", 14) != 0;
	const char *why = told ? o->message : vtb_verdict_text(result->verdict);

	snprintf(buf, size, "%s%.*s", told && strncmp(why, "stopped", 7) == 0 ? "the run was " : "",
	         (int)strcspn(why, ";"), why);
	return buf;
}

const char *vtb_report_fix_word(enum vtb_fix_answer answer)
{
	static const char *const words[] = { [VTB_FIX_NOT_ASKED] = "",
		                             [VTB_FIX_FIXED] = "FIXED",
		                             [VTB_FIX_STILL_FAILS] = "STILL FAILS",
		                             [VTB_FIX_CANNOT_TELL] = "CANNOT TELL" };

	return words[answer];
}

/* A recording may know no more than the verdict: then that is compared. */
static bool alike(const char *saved, const struct vtb_outcome *now)
{
	return now->signature &&
	       (strcmp(now->signature, saved) == 0 || strcmp(vtb_verdict_name(now->verdict), saved) == 0);
}

static bool found_again(const struct vtb_hunt_result *result)
{
	for (size_t i = 0; i < result->n_findings; i++)
		if (result->fix.signature && alike(result->fix.signature, &result->findings[i].exec.outcome))
			return true;
	return false;
}

/* Behind what is said of all schedules, or of those of a level. */
static char *only(const struct vtb_hunt_facts *f, char *buf, size_t size)
{
	const char *part = vtb_extent_part(f);

	snprintf(buf, size, "%s%s%s", part ? ", of " : "", part ? part : "", part ? " only" : "");
	return buf;
}

char *vtb_report_fix(const struct vtb_hunt_result *result, char *buf, size_t size)
{
	const char *saved = !result->fix.applicable  ? "the saved schedule is no longer applicable"
	                    : result->fix.tried == 1 ? "the saved schedule passes"
	                                             : "the saved schedules pass";
	const bool all = result->facts.done.c == VTB_UNBOUNDED;
	char bound[200], part[80];

	vtb_report_bound(&result->facts, bound, sizeof(bound));
	only(&result->facts, part, sizeof(part));
	if (result->fix.answer == VTB_FIX_STILL_FAILS)
		snprintf(buf, size, "%s%s",
		         found_again(result) ? "the same failure is still there" : "it fails in another way now",
		         result->fix.hit ? ", by a saved schedule" : ", found by the search");
	else if (result->fix.answer == VTB_FIX_FIXED && !result->facts.complete && result->fix.by_level)
		snprintf(buf, size, "%s, and %s of its own level, (%u,%u,%u), and below passes%s", saved,
		         result->fix.by_orders ? "every priority order" : "every schedule", result->fix.level.c,
		         result->fix.level.v, result->fix.level.t, part);
	else if (result->fix.answer == VTB_FIX_FIXED)
		snprintf(buf, size, "%s, and no %sschedule%s fails%s%s", saved,
		         all ? vtb_extent_before(&result->facts) : "",
		         all ? vtb_extent_behind(&result->facts, false) : "", all ? "" : " ", all ? part : bound);
	else if (result->verdict == VTB_V_NOTHING_CONTROLLED)
		snprintf(buf, size, "nothing of the program could be controlled");
	else
		snprintf(buf, size, "%s, but the search around it was not finished", saved);
	return buf;
}

char *vtb_report_resumed(const struct vtb_hunt_state_facts *s, char *buf, size_t size)
{
	char runs[40], again[40];

	vtb_words_count(s->answered, runs, sizeof(runs));
	vtb_words_count(s->made_again, again, sizeof(again));
	snprintf(buf, size,
	         "%s schedule%s had been run before and %s kept (%s); %s of them %s run again and came out the same",
	         runs, s->answered == 1 ? "" : "s", s->answered == 1 ? "was" : "were", s->dir, again,
	         s->made_again == 1 ? "was" : "were");
	return buf;
}
