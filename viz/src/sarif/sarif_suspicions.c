/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is beside the failure: suspects for a person to decide about, accesses without their lock as warnings. */
#include "sarif.h"

static const struct {
	const char *id, *name, *kind, *level, *text;
} rules[VTB_SUSPECT_KINDS] = {
	[VTB_SUSPECT_RACE] = { "suspect-race", "SuspectedRace", "review", "none",
	                       "two accesses, one of them a write, that nothing orders; no schedule that was tried "
	                       "fails because of it" },
	[VTB_SUSPECT_LOCK_CYCLE] = { "suspect-lock-cycle", "SuspectedLockCycle", "review", "none",
	                             "locks taken in a circle; no schedule that was tried deadlocks" },
	[VTB_SUSPECT_UNLOCKED] = { "unlocked-access", "UnlockedAccess", "fail", "warning",
	                           "an access that does not hold the lock of its variable as others do" },
};

/* A location of its own for each operation; the first is the result's, the others are related. */
static void put_place(struct sarif *w, const struct vtb_suspicion_place *place)
{
	vtb_json_object(&w->json, NULL);
	if (place->file[0]) {
		vtb_json_object(&w->json, "physicalLocation");
		sarif_artifact(w, place->file);
		if (place->line) {
			vtb_json_object_row(&w->json, "region");
			vtb_json_u64(&w->json, "startLine", place->line);
			vtb_json_end(&w->json);
		}
		vtb_json_end(&w->json);
	}
	sarif_text(w, "message", place->words);
	vtb_json_end(&w->json);
}

/* SARIF 3.27.9: kind "review" is for a person to decide; its level is "none", so that no check turns red by it. */
static void put_suspicion(struct sarif *w, const struct vtb_suspicion *s)
{
	size_t first = 0; /* with a place in a file; the words name those without */

	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "ruleId", rules[s->kind].id);
	vtb_json_string(&w->json, "level", rules[s->kind].level);
	vtb_json_string(&w->json, "kind", rules[s->kind].kind);
	sarif_text(w, "message", s->text);
	vtb_json_array(&w->json, "locations");
	for (; first < s->n_places && !s->places[first].file[0]; first++)
		;
	if (first < s->n_places)
		put_place(w, &s->places[first]);
	vtb_json_end(&w->json);
	vtb_json_array(&w->json, "relatedLocations");
	for (size_t i = 0; i < s->n_places; i++)
		if (i != first && s->places[i].file[0])
			put_place(w, &s->places[i]);
	vtb_json_end(&w->json);
	vtb_json_object_row(&w->json, "partialFingerprints");
	vtb_json_string(&w->json, "vtbSuspect/v1", s->key);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static void put_all(struct sarif *w, const struct vtb_suspicions *all)
{
	for (size_t i = 0; i < all->n_suspicions; i++)
		put_suspicion(w, &all->suspicions[i]);
}

void sarif_suspicions(struct sarif *w)
{
	if (!w->report->failure)
		return;
	put_all(w, &w->report->failure->warnings);
	put_all(w, &w->report->failure->suspicions);
}

static bool any(const struct vtb_suspicions *all, enum vtb_suspicion_kind kind)
{
	for (size_t i = 0; i < all->n_suspicions; i++)
		if (all->suspicions[i].kind == kind)
			return true;
	return false;
}

void sarif_suspicion_rules(struct sarif *w)
{
	const struct vtb_failure *failure = w->report->failure;

	for (unsigned kind = 0; failure && kind < VTB_SUSPECT_KINDS; kind++) {
		if (!any(&failure->suspicions, kind) && !any(&failure->warnings, kind))
			continue;
		vtb_json_object(&w->json, NULL);
		vtb_json_string(&w->json, "id", rules[kind].id);
		vtb_json_string(&w->json, "name", rules[kind].name);
		sarif_text(w, "shortDescription", rules[kind].text);
		vtb_json_end(&w->json);
	}
}
