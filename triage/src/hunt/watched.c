/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watched.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/target.h"

#define SHARE 0.1 /* of the hunt's time may go into sampling */
#define SECONDS_MIN 0.5
#define SECONDS_MAX 3.0

static bool insists(const struct vtb_hunt_opts *opts)
{
	return opts->profile || opts->runner.tier == VTB_TIER_WATCH;
}

/* Whoever asks for another tier gets it. */
static bool may_watch(const struct vtb_hunt_opts *opts, const struct vtb_target *t)
{
	if (insists(opts))
		return true;
	return opts->runner.tier == VTB_TIER_AUTO && t->hooks == VTB_HOOKS_NONE && t->dynamic && t->threads &&
	       t->debug_info && !t->refusal[0] && !t->script;
}

static int describe(const struct vtb_watch *w, struct vtb_hunt_facts *facts)
{
	char text[600];

	snprintf(text, sizeof(text), "%s (%zu instruction%s, chosen by %s)", w->names, w->plan.n_breaks,
	         w->plan.n_breaks == 1 ? "" : "s",
	         !strcmp(w->source, "profile")       ? "the profile"
	         : !strcmp(w->source, "watchpoints") ? "watchpoints in free runs"
	                                             : "the code alone");
	facts->watched = strdup(text);
	return facts->watched ? 0 : -ENOMEM;
}

static int watch(const struct vtb_hunt_opts *opts, struct vtb_stop *stop, const struct vtb_target *t,
                 struct vtb_watch *ret, struct vtb_error *err)
{
	const double time = opts->search.seconds > 0 ? opts->search.seconds : VTB_HUNT_TIME, share = time * SHARE;
	const struct vtb_watch_opts w = {
		.argv = opts->argv,
		.cwd = opts->cwd,
		.program = t->image,
		.focus = opts->search.focus_var,
		.profile = opts->profile,
		.stop = stop,
		.seconds = share < SECONDS_MIN   ? SECONDS_MIN
		           : share > SECONDS_MAX ? SECONDS_MAX
		                                 : share,
	};

	return vtb_watch_make(&w, ret, err);
}

int vtb_hunt_watch(const struct vtb_hunt_opts *opts, struct vtb_stop *stop, struct vtb_process_opts *process,
                   struct vtb_watch *ret, struct vtb_hunt_result *result, struct vtb_error *err)
{
	struct vtb_target t = { 0 };
	struct vtb_error why = { 0 };
	int r = vtb_target_find(opts->argv[0], opts->cwd, &t, NULL);

	if (r < 0)
		return 0; /* starting it will say what is wrong */
	if (may_watch(opts, &t)) {
		r = watch(opts, stop, &t, ret, &why);
		if (r >= 0)
			r = describe(ret, &result->facts);
	}
	vtb_target_fini(&t);
	if (r == -ENOMEM || (r < 0 && insists(opts)))
		return vtb_error_set(err, r, why.path, why.offset, "%s", why.text[0] ? why.text : vtb_strerror(r));
	if (r < 0 || !result->facts.watched)
		return 0;
	process->breaks = ret->plan.breaks;
	process->n_breaks = ret->plan.n_breaks;
	process->break_modules = (const char *const *)ret->plan.modules;
	return 0;
}
