/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_report.h"

#include <stdio.h>

#include "vtb/search.h"
#include "vtb/words.h"

static const char *const phases[VTB_HUNT_PHASES] = {
	[VTB_HUNT_STARTING] = "starting",
	[VTB_HUNT_FIRST_RUNS] = "first runs",
	[VTB_HUNT_SEARCHING] = "searching",
	[VTB_HUNT_SHRINKING] = "shrinking",
	[VTB_HUNT_LOWERING] = "looking for fewer preemptions",
	[VTB_HUNT_CONFIRMING] = "confirming",
	[VTB_HUNT_EXPLAINING] = "explaining",
};

char *vtb_hunt_progress_line(const struct vtb_hunt_progress *p, unsigned width, char *buf, size_t size)
{
	char bound[48] = "", schedules[40], rate[40], seconds[40], found[40] = "";
	int n;

	if ((p->phase == VTB_HUNT_SEARCHING || p->phase == VTB_HUNT_LOWERING) && p->c != VTB_UNBOUNDED)
		snprintf(bound, sizeof(bound), " c=%u v=%u", p->c, p->v);
	if (p->findings)
		snprintf(found, sizeof(found), "  found %u", p->findings);
	vtb_words_count(p->schedules, schedules, sizeof(schedules));
	vtb_words_count((uint64_t)p->rate, rate, sizeof(rate));
	vtb_words_seconds(p->seconds, seconds, sizeof(seconds));
	n = snprintf(buf, size, "%s%s  %s schedules  %s/s  %s%s%s", phases[p->phase], bound, schedules, rate, seconds,
	             found, p->draining ? "  stopping (Ctrl-C again: at once)" : "");
	if (n >= 0 && (size_t)n < size && (unsigned)n > width)
		buf[width] = 0;
	return buf;
}
