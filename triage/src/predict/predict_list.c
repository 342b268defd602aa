/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict_list.h"

#include <errno.h>
#include <string.h>

#include "causes.h"
#include "extent.h"
#include "predict_beyond.h"
#include "predict_unlocked.h"
#include "vtb/story.h"

/* What a library did is told at the user's line, if those runs can be made again. */
static int make_again(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, struct vtb_exec *ret)
{
	struct vtb_keeper *const keeper = vtb_runner_only_make(hunt->runner);
	const int r = hunt->show(hunt->runner, schedule, ret, NULL, hunt->err);

	hunt->runner->keeper = keeper;
	return r;
}

static bool may_make_again(struct vtb_hunt *hunt)
{
	return hunt->show && vtb_stop_check(&hunt->stop, false) == 0;
}

static int reword_weak(struct vtb_hunt *hunt)
{
	struct vtb_predictions *p = &hunt->predictions;
	struct vtb_exec x = { 0 };
	int r;

	if (!*p->weak_at || !may_make_again(hunt))
		return 0;
	r = make_again(hunt, &p->weak_run, &x);
	if (r >= 0 && !x.partial && !x.owned)
		r = vtb_predict_reword_weak(p, &x, hunt->runner->tab);
	vtb_exec_fini(&x);
	return r;
}

/* A few runs: they may begin when the time is over, as those that prove something may. */
static int tell_at_users_lines(struct vtb_hunt *hunt)
{
	struct vtb_predictions *p = &hunt->predictions;
	const uint64_t before = hunt->runner->schedules;
	const bool proving = hunt->stop.proving;
	int r;

	hunt->stop.proving |= !vtb_hunt_interrupted(hunt);
	r = reword_weak(hunt);
	for (uint32_t i = 0; i < p->n_warned && r >= 0 && may_make_again(hunt); i++) {
		struct vtb_exec x = { 0 };

		r = make_again(hunt, &p->warned[i], &x);
		if (r >= 0 && !x.partial && !x.owned)
			r = vtb_predict_reword(p, i, &x, hunt->runner->tab);
		if (r >= 0 && !x.partial && !x.owned)
			r = vtb_predict_reword_races(p, i, &x, hunt->runner->tab);
		vtb_exec_fini(&x);
	}
	hunt->stop.proving = proving;
	hunt->explaining += hunt->runner->schedules - before;
	if (r < 0 && r != -ENOMEM && hunt->err) /* the lines that are there will do */
		*hunt->err = (struct vtb_error){ 0 };
	return r == -ENOMEM ? r : 0;
}

/* Of runs that stopped at a state met before nobody has seen what comes after it together with what came before; of
 * those that are told by what threads share nobody looks at one. */
static void note_beyond(struct vtb_hunt *hunt)
{
	const struct vtb_predictions *p = &hunt->predictions;
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	const bool joined = facts->states_met > 0, little = facts->little_told;
	const bool unseen = p->weak == VTB_WEAK_NONE && ((p->weak_seen && joined) || little);

	vtb_extent_note_weak(facts, unseen ? VTB_WEAK_UNSEEN : p->weak, p->weak_at);
	vtb_extent_note_torn(facts, p->torn, p->torn_unseen || (p->large_seen && joined) || little);
}

/* What is left of the predictions when the failures are known. */
int vtb_predict_list(struct vtb_hunt *hunt)
{
	const struct vtb_symtab *tab = hunt->runner->tab;
	int r = tell_at_users_lines(hunt);

	for (size_t i = 0; i < hunt->result->n_findings && r >= 0; i++) {
		struct vtb_story story;

		vtb_story_find(&hunt->result->findings[i].exec, tab, NULL, &story);
		r = vtb_predictions_explained(&hunt->predictions, tab, &story);
		if (r >= 0)
			r = vtb_predict_failing(&hunt->predictions, vtb_finding_run(&hunt->result->findings[i]), tab);
	}
	if (r >= 0)
		r = vtb_predictions_suspects(&hunt->predictions, &hunt->result->suspects);
	note_beyond(hunt);
	if (r >= 0)
		r = vtb_predictions_warnings(&hunt->predictions, &hunt->result->warnings);
	vtb_causes_explain_suspects(hunt->result);
	return r;
}
