/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "repairs.h"
#include "vtb/array.h"

#define PROPOSALS 5u

void vtb_core_repairs_fini(struct vtb_core_repairs *repairs)
{
	for (size_t i = 0; i < repairs->n_repairs; i++)
		free(repairs->repairs[i].text);
	free(repairs->repairs);
	*repairs = (struct vtb_core_repairs){ 0 };
}

static int keep(struct vtb_core_repairs *ret, const struct repair *repair, const struct vtb_symtab *tab,
                const struct vtb_core_repair_opts *opts, uint64_t schedules)
{
	char text[1500];
	struct vtb_core_repair kept = { .kind = repair->n_flips ? "order" : "one-step", .schedules = schedules };

	if (vtb_array_room(ret, repairs) < 0)
		return -ENOMEM;
	kept.text = strdup(repair_words(repair, tab, opts, text, sizeof(text)));
	if (!kept.text)
		return -ENOMEM;
	ret->repairs[ret->n_repairs++] = kept;
	return 0;
}

/* Steps hold whatever the threads' order is; an order is for where they do not, or are not meant. */
static bool enough(const struct vtb_core_repairs *ret)
{
	return ret->n_repairs > 0;
}

int vtb_cores_repair(struct vtb_runner *runner, const struct vtb_cores *cores, const struct vtb_core_repair_opts *opts,
                     struct vtb_core_repairs *ret, struct vtb_error *err)
{
	struct repair repair;
	int r = cores->n_cores ? 1 : 0;

	*ret = (struct vtb_core_repairs){ 0 };
	for (size_t i = 0; i < PROPOSALS && r > 0 && !enough(ret) && !(opts->stop && opts->stop(opts->data)); i++) {
		uint64_t schedules = 0;
		int held;

		r = repair_propose(cores, runner->tab, i, &repair);
		held = r > 0 ? repair_try(runner, &repair, opts, &schedules, err) : 0;
		if (held > 0)
			r = keep(ret, &repair, runner->tab, opts, schedules) < 0 ? -ENOMEM : 1;
		else if (held < 0)
			r = held;
		else if (r > 0)
			ret->rejected++;
	}
	if (r < 0 && r != -ECANCELED)
		vtb_core_repairs_fini(ret);
	return r == -ECANCELED || r > 0 ? 0 : r;
}
