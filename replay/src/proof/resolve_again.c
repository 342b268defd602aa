/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same build need not do the same before the operations of a schedule. */
#include "vtb/replay.h"

static bool went_wrong(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_schedule *s)
{
	struct vtb_place_note note;

	return vtb_replay_diverged(&x->outcome) || !vtb_replay_follows(x, tab, s, &note);
}

static int run_by_names(struct vtb_runner *runner, struct vtb_resolution *named, struct vtb_resolution *res,
                        struct vtb_exec *x, struct vtb_error *err)
{
	const struct vtb_schedule *s = &named->schedule;
	struct vtb_resolution was = *res;
	struct vtb_exec again;
	int r = vtb_runner_run(runner, &s, 1, &again, err);

	if (r < 0 || went_wrong(&again, runner->tab, s)) {
		if (r >= 0)
			vtb_exec_fini(&again);
		return r;
	}
	vtb_exec_fini(x);
	*x = again;
	*res = *named;
	*named = was;
	return 1;
}

int vtb_replay_resolve_again(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_symtab *from,
                             struct vtb_resolution *res, struct vtb_exec *x, struct vtb_error *err)
{
	struct vtb_resolution named;
	int r;

	if (res->by_name || res->unresolved || !went_wrong(x, runner->tab, &res->schedule))
		return 0;
	r = vtb_replay_resolve(runner, s, from, VTB_RESOLVE_BY_NAME, &named, err);
	if (r < 0)
		return r;
	if (!named.unresolved)
		r = run_by_names(runner, &named, res, x, err);
	vtb_resolution_fini(&named);
	return r;
}
