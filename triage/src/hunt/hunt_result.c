/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt_priv.h"

#include <stdlib.h>

#include "extent.h"

static void strings_free(char **strings)
{
	for (size_t i = 0; strings && strings[i]; i++)
		free(strings[i]);
	free(strings);
}

void vtb_hunt_finding_fini(struct vtb_finding *f)
{
	vtb_schedule_fini(&f->schedule);
	vtb_exec_fini(&f->exec);
	vtb_exec_fini(&f->shown);
	vtb_said_fini(&f->said);
	free(f->test);
	if (f->heap)
		vtb_failure_fini(f->heap);
	free(f->heap);
	free(f->failure_path);
	free(f->svg_path);
	free(f->dot_path);
	free(f->trouble);
	strings_free(f->variants);
	vtb_causes_fini(&f->causes);
}

void vtb_hunt_result_fini(struct vtb_hunt_result *result)
{
	for (size_t i = 0; i < result->n_findings; i++)
		vtb_hunt_finding_fini(&result->findings[i]);
	free(result->findings);
	vtb_exec_fini(&result->first);
	vtb_suspicions_fini(&result->suspects);
	vtb_suspicions_fini(&result->warnings);
	free(result->facts.arguments);
	free(result->facts.items);
	free(result->facts.starter);
	free(result->facts.watched);
	free(result->facts.stuck);
	strings_free(result->facts.unhooked);
	free(result->advice);
	free(result->replay_command);
	free(result->fix.signature);
	free(result->fix.told);
	strings_free(result->fix.notes);
	strings_free(result->argv);
	vtb_runner_free(result->runner);
	*result = (struct vtb_hunt_result){ 0 };
}

bool vtb_hunt_is_known(struct vtb_hunt *hunt, const struct vtb_exec *x)
{
	if (!hunt->opts->baseline || !vtb_baseline_knows(hunt->opts->baseline, x->outcome.signature))
		return false;
	hunt->result->facts.known++;
	return true;
}

int vtb_hunt_exit_code(const struct vtb_hunt_result *result)
{
	if (result->fix.answer == VTB_FIX_CANNOT_TELL)
		return 3;
	if (result->facts.unsettled)
		return 3;
	if (result->n_findings)
		return 1;
	if (result->facts.input && result->facts.input->cut)
		return 3;
	if (result->verdict == VTB_V_SEQUENTIAL)
		return result->facts.uncontrolled ? 3 : 0;
	if (result->verdict != VTB_V_NONE)
		return vtb_verdict_exit_code(result->verdict);
	/* a fix is judged by the failure's own level, which need not have the smallest in it */
	return vtb_extent_shows(&result->facts) || result->fix.answer == VTB_FIX_FIXED ? 0 : 3;
}
