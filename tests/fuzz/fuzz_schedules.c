/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedules.json: any text is refused with a place, or gives schedules whose threads and variables are there. */
#include "../../common/src/format_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct vtb_schedules *set)
{
	for (size_t i = 0; i < set->n_schedules; i++)
		for (size_t k = 0; k < set->schedules[i].n_deviations; k++) {
			const struct vtb_deviation *d = &set->schedules[i].deviations[k];

			VTB_ASSERT(d->after.thread < set->tab.n_threads);
			VTB_ASSERT(d->var == VTB_NONE || d->var < set->tab.n_variables);
			VTB_ASSERT(d->kind != VTB_DEV_SWITCH || d->target < set->tab.n_threads);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc = NULL;
	struct vtb_schedules set;
	int r = vtb_json_parse("fuzz", (const char *)data, size, &doc, &err);

	if (r >= 0) {
		r = vtb_files_read_schedules(doc, vtb_json_root(doc), &set);
		vtb_json_free(doc);
		if (r >= 0) {
			check(&set);
			vtb_schedules_fini(&set);
		}
	}
	VTB_ASSERT(r >= 0 || (err.code == r && err.text[0]));
	return 0;
}
