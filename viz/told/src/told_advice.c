/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/told.h"

#include <string.h>

#include "advice.h"
#include "told_parts.h"
#include "vtb/memory_limits.h"
#include "vtb/report_causes.h"
#include "vtb/told_words.h"
#include "vtb/story.h"

/* Which option is missing if that is no failure at all. */
static const char *unless_meant(const struct vtb_outcome *o, char *buf, size_t size)
{
	buf[0] = 0;
	if (o->verdict == VTB_V_EXIT)
		snprintf(buf, size, " If status %d is not a failure, say so: --fail-if=exit!=%d.", o->exit_status,
		         o->exit_status);
	else if (o->verdict == VTB_V_OUTPUT)
		snprintf(buf, size, " If that output is right, the file of --expect-output is not.");
	else if (o->flags & VTB_REPORT_TIMING)
		snprintf(buf, size, " If it needs real clocks, say --real-time.");
	return buf;
}

/* No order is to blame: a debugger for sequential programs does. */
static void run_it_plainly(const struct vtb_told *b, char *buf, size_t size)
{
	const bool alone = b->run->outcome.verdict == VTB_V_EXIT && b->argv && b->argv[0] && !b->argv[1];
	char unless[200], limits[500];

	vtb_memory_limits(limits, sizeof(limits));
	snprintf(buf, size,
	         "It failed in every schedule that was tried: run it plainly, without vtb, and look there.%s%s%s%s",
	         alone ? " If it needs arguments, a directory or input, give them to the hunt as well." : "",
	         unless_meant(&b->run->outcome, unless, sizeof(unless)), *limits ? " " : "", limits);
}

/* A circle, a lock that somebody has left with, or a block: who freed and who used it is known, whatever the orders are
 * about, as those of its count. */
static bool the_run_says_it(const struct vtb_told *b)
{
	const struct vtb_cause *cause = &b->causes->causes[0];
	const char *class = cause->class;

	if (cause->detail && *cause->detail) /* says what to do itself */
		return false;
	return b->run->outcome.verdict == VTB_V_DEADLOCK || !strcmp(class, "abandoned-lock") ||
	       !strcmp(class, "use-after-free");
}

/* What the run or the cause shows, whatever its class; the first that says something. */
static void advise_anyhow(const struct vtb_told *b, char *buf, size_t size)
{
	if (!*buf)
		vtb_advise_interrupted(b->run, b->tab, buf, size);
	if (!*buf)
		vtb_advise_killed(b->run, b->tab, buf, size);
	if (!*buf)
		vtb_advise_time(b->run, b->tab, buf, size);
	if (!*buf)
		vtb_advise_order(b->causes, b->run, b->tab, buf, size);
}

char *vtb_told_advice(const struct vtb_told *b, char *buf, size_t size)
{
	struct vtb_story story;

	buf[0] = 0;
	if (b->regardless) {
		run_it_plainly(b, buf, size);
	} else if (!b->causes->n_causes) {
		vtb_story_find(b->run, b->tab, NULL, &story);
		vtb_story_suggest(&story, b->run, b->tab, buf, size);
	} else if (!vtb_report_repair(b->causes)) {
		vtb_told_advise_causes(b->causes, b->run, b->tab, buf, size);
		if (!*buf && b->run && the_run_says_it(b)) {
			vtb_story_find(b->run, b->tab, b->causes, &story);
			vtb_story_suggest(&story, b->run, b->tab, buf, size);
		}
	}
	if (!b->regardless && !vtb_report_repair(b->causes))
		advise_anyhow(b, buf, size);
	return buf;
}
