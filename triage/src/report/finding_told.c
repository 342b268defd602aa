/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A finding as the verdict block tells it. */
#include "report_parts.h"

#include <string.h>

struct vtb_tool_options vtb_report_tools(const struct vtb_hunt_facts *facts)
{
	return (struct vtb_tool_options){ .tier = (char *)facts->tier,
		                          .engine = (char *)facts->engine,
		                          .carrier = (char *)facts->carrier,
		                          .strategy = (char *)facts->strategy,
		                          .seed = facts->seed,
		                          .real_time = facts->real_time,
		                          .follow = facts->follow };
}

struct vtb_found vtb_report_found(const struct vtb_hunt_result *result, const struct vtb_finding *f)
{
	const struct vtb_hunt_facts *facts = &result->facts;

	return (struct vtb_found){ .known = true,
		                   .schedules = facts->schedules,
		                   .classes = facts->classes,
		                   .diverged = facts->diverged,
		                   .msec = (uint64_t)(facts->seconds * 1000),
		                   .replays = f ? f->replays : 0,
		                   .minimal = f && f->minimal,
		                   .predicted = f && f->predicted,
		                   .mixed = facts->files && strcmp(facts->files, "plain") == 0,
		                   .unsettled = facts->unsettled,
		                   .test = f ? f->test : NULL };
}

struct vtb_told vtb_report_told(const struct vtb_hunt_result *result, const struct vtb_finding *f)
{
	static const struct vtb_symtab empty;
	const struct vtb_symtab *tab = result->runner ? result->runner->tab : &empty;

	return (struct vtb_told){ .run = vtb_finding_run(f),
		                  .tab = tab,
		                  .tuple = f->tuple,
		                  .t_known = f->t_known,
		                  .regardless = f->regardless,
		                  .refining = f->refining,
		                  .first = f == result->findings,
		                  .confirmed = f->confirmed,
		                  .found = vtb_report_found(result, f),
		                  .tools = vtb_report_tools(&result->facts),
		                  .schedule = &f->schedule,
		                  .schedule_tab = tab,
		                  .heap = f->heap,
		                  .said = &f->said,
		                  .causes = &f->causes,
		                  .argv = result->argv,
		                  .variants = f->variants,
		                  .replay_command = f == result->findings ? result->replay_command : NULL,
		                  .failure_path = f->failure_path,
		                  .svg_path = f->svg_path,
		                  .dot_path = f->dot_path,
		                  .trouble = f->trouble };
}
