/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hunt's result in a line or two: while it goes on, and for --quiet. */
#include "vtb/hunt_report.h"

#include <stdio.h>

#include "report_parts.h"

char *vtb_hunt_found_line(const struct vtb_hunt_result *result, const struct vtb_finding *f, double seconds, char *buf,
                          size_t size)
{
	const struct vtb_symtab empty = { 0 };
	char text[500];

	vtb_report_failure(vtb_finding_run(f), result->runner ? result->runner->tab : &empty, f->regardless, text,
	                   sizeof(text));
	snprintf(buf, size, "%s (replayed %u of %u%s%s%s; looking for a simpler order, up to %.0f s)", text,
	         f->confirmed, f->replays, vtb_told_luck(vtb_finding_run(f)), f->failure_path ? ", in " : "",
	         f->failure_path ? f->failure_path : "", seconds > 1 ? seconds : 1);
	return buf;
}

void vtb_hunt_report_short(const struct vtb_hunt_result *result, FILE *to)
{
	const struct vtb_symtab empty = { 0 };
	char text[700];

	for (size_t i = 0; i < result->n_findings; i++) {
		const struct vtb_finding *f = &result->findings[i];

		vtb_report_failure(vtb_finding_run(f), result->runner ? result->runner->tab : &empty, f->regardless,
		                   text, sizeof(text));
		if (f->regardless)
			fprintf(to, "%s\n", text);
		else
			fprintf(to, "%s%s%s: (%u,%u,%u)%s%s\n", f->test ? f->test : "", f->test ? ": " : "", text,
			        f->tuple.c, f->tuple.v, f->tuple.t, f->failure_path ? " " : "",
			        f->failure_path ? f->failure_path : "");
	}
	if (result->fix.answer)
		fprintf(to, "%s\n", vtb_report_fix(result, text, sizeof(text)));
	else if (!result->n_findings)
		fprintf(to, "%s\n", vtb_report_nothing(result, text, sizeof(text)));
	for (size_t i = 0; i < result->warnings.n_suspicions; i++)
		fprintf(to, "warning: %s\n", result->warnings.suspicions[i].text);
}
