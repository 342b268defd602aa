/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include "vtb/json.h"
#include "vtb/starter.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FAILURE_FORMAT "vtb-failure"

bool vtb_session_is_failure(const char *path)
{
	struct vtb_json *doc = NULL;
	bool yes;

	if (vtb_json_read(path, VTB_JSON_BYTES_MAX, &doc, NULL) < 0)
		return false; /* the reader proper will say why */
	yes = !strcmp(vtb_json_format(doc), FAILURE_FORMAT);
	vtb_json_free(doc);
	return yes;
}

static int read_file(struct session *s, struct vtb_error *err)
{
	int r;

	if (!strcmp(s->opts->path, "-") || !vtb_session_is_failure(s->opts->path))
		return vtb_schedules_read(s->opts->path, &s->file, err);
	r = vtb_failure_read(s->opts->path, &s->failure, err);
	if (r < 0)
		return r;
	s->is_failure = true;
	s->file = s->failure.schedule;
	s->failure.schedule = (struct vtb_schedules){ 0 };
	return 0;
}

static int choose_program(struct session *s, struct vtb_error *err)
{
	int r;

	if (s->opts->argv) {
		s->argv = vtb_starter_environment(s->opts->argv);
		return 0;
	}
	if (!s->file.argv || !s->file.argv[0])
		return vtb_error_set(err, -EINVAL, s->opts->path, 0, "names no program; give one after --");
	s->cwd = s->file.cwd && s->file.cwd[0] ? s->file.cwd : NULL;
	r = vtb_consent_check(&s->opts->consent, s->opts->path, s->file.argv, s->cwd, err);
	if (r < 0)
		return r;
	s->argv = vtb_starter_environment(s->file.argv);
	if (s->cwd && access(s->cwd, X_OK) < 0)
		return vtb_error_set(err, -EINVAL, s->opts->path, 0,
		                     "the recorded directory \"%.200s\" is not there; give the program after --",
		                     s->cwd);
	return 0;
}

/* ---- tier */

static bool is_access(const struct vtb_op *op)
{
	const struct vtb_event_info *info = vtb_event_info(op->name.kind);

	return info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC);
}

static bool needs_accesses(const struct vtb_schedules *file)
{
	for (size_t k = 0; k < file->n_schedules; k++) {
		const struct vtb_schedule *s = &file->schedules[k];

		for (size_t i = 0; i < s->n_deviations; i++)
			if (is_access(&s->deviations[i].after))
				return true;
		for (size_t i = 0; i < s->n_constraints; i++)
			if (is_access(&s->constraints[i].before) || is_access(&s->constraints[i].after))
				return true;
	}
	return false;
}

static bool has_hooks(const struct vtb_target *t)
{
	return vtb_target_hooks_are_calls(t->hooks) || t->hooks == VTB_HOOKS_PADS;
}

/* An order that was recorded has to be followed between synchronisation operations, too. */
static bool has_constraints(const struct vtb_schedules *file)
{
	for (size_t k = 0; k < file->n_schedules; k++)
		if (file->schedules[k].n_constraints)
			return true;
	return false;
}

static enum vtb_tier_choice choose_tier(const struct session *s, const struct vtb_target *t)
{
	if (s->opts->runner.tier != VTB_TIER_AUTO)
		return s->opts->runner.tier;
	if (has_hooks(t))
		return t->hooks == VTB_HOOKS_PADS ? VTB_TIER_PADS : VTB_TIER_TSAN;
	return needs_accesses(&s->file) || (!s->is_failure && t->debug_info && has_constraints(&s->file))
	           ? VTB_TIER_BREAK
	           : VTB_TIER_SYNC;
}

/* Another tier sees other operations, so that indexes mean nothing: also those of operations that both see, as accesses
 * in between count. Schedules that do not say are found on builds with hooks. */
static bool other_tier(const struct session *s, enum vtb_tier_choice tier)
{
	const bool told = s->is_failure && s->failure.options.tier;
	enum vtb_tier_choice recorded = VTB_TIER_TSAN;

	if (told)
		vtb_tier_by_name(s->failure.options.tier, &recorded);
	if (tier == VTB_TIER_BREAK)
		return true;
	return tier == VTB_TIER_SYNC && recorded != VTB_TIER_SYNC && (told || needs_accesses(&s->file));
}

static int check_tier(const struct vtb_target *t, enum vtb_tier_choice tier, struct vtb_error *err)
{
	if (tier == VTB_TIER_WATCH)
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--tier=watch: what is watched is chosen by a hunt; a replay looks at what its "
		                     "schedules name: --tier=break");
	if (tier == VTB_TIER_TSAN && (!has_hooks(t) || t->hooks == VTB_HOOKS_PADS))
		return vtb_error_set(err, -VTB_E_TARGET, t->path, 0,
		                     "tier tsan: the program is not built with -fsanitize=thread");
	if (tier == VTB_TIER_PADS && t->hooks != VTB_HOOKS_PADS)
		return vtb_error_set(err, -VTB_E_TARGET, t->path, 0, "tier pads: the program is not built with pads");
	if (tier == VTB_TIER_BREAK && !t->debug_info)
		return vtb_error_set(
		    err, -VTB_E_TARGET, t->path, 0,
		    "tier break: the program has no debug information to find its accesses by; build it with -g");
	return 0;
}

static int plan_breaks(struct session *s, const struct vtb_target *t, struct vtb_process_opts *o, struct vtb_error *err)
{
	const uint32_t only = s->opts->schedule;
	const struct vtb_schedule *first = s->file.schedules + (only ? only - 1 : 0);
	int r = vtb_break_plan_make(first, only ? 1 : s->file.n_schedules, &s->file.tab,
	                            s->is_failure ? &s->failure.trace : NULL, t->image, &s->plan, err);

	if (r < 0)
		return r;
	o->breaks = s->plan.breaks;
	o->n_breaks = s->plan.n_breaks;
	o->break_modules = (const char *const *)s->plan.modules;
	return 0;
}

static int start(struct session *s, const struct vtb_target *t, struct vtb_error *err)
{
	const enum vtb_tier_choice tier = choose_tier(s, t);
	struct vtb_process_opts o = { .argv = s->argv, .cwd = s->cwd, .stop = &s->stop, .input = &s->failure.input };
	struct vtb_runner_opts runner = s->opts->runner;
	int r = check_tier(t, tier, err);

	runner.tier = tier;
	runner.follow = s->follow;
	runner.real_time = s->real_time;
	runner.fail_if = s->fail_if;
	runner.expect_output = s->expect_output;
	if (tier == VTB_TIER_BREAK || s->follow)
		runner.jobs = 1;
	if (r >= 0)
		r = vtb_runner_opts_read(&runner, s->statuses, &o, err);
	if (r >= 0 && tier == VTB_TIER_BREAK)
		r = plan_breaks(s, t, &o, err);
	s->how = other_tier(s, tier) ? VTB_RESOLVE_BY_NAME : VTB_RESOLVE_AUTO;
	r = r < 0 ? r : vtb_process_runner_new(&o, &s->runner, err);
	if (r >= 0 && s->is_failure && s->failure.trace.outcome.verdict != VTB_V_MISUSE)
		vtb_process_runner_past_misuse(s->runner, true); /* it may have been found so; else it passes none */
	if (r >= 0 && s->is_failure && s->failure.trace.outcome.flags & VTB_OUT_PATIENT)
		vtb_process_runner_patient(s->runner, true);
	return r;
}

static int start_program(struct session *s, struct vtb_error *err)
{
	struct vtb_target t = { 0 };
	int r = vtb_target_find(s->argv[0], s->cwd, &t, err);

	if (r < 0)
		return r;
	r = t.refusal[0] ? vtb_error_set(err, -VTB_E_TARGET, t.path, 0, "%s", t.refusal) : start(s, &t, err);
	vtb_target_fini(&t);
	return r;
}

int vtb_session_open(struct session *s, const struct vtb_replay_opts *opts, struct vtb_error *err)
{
	int r;

	*s = (struct session){ .opts = opts, .stop = { .aborted = opts->stop } };
	vtb_failure_init(&s->failure);
	r = read_file(s, err);
	if (r >= 0)
		r = choose_program(s, err);
	if (r >= 0 && opts->schedule > s->file.n_schedules)
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "has %zu schedules, there is no number %u",
		                  s->file.n_schedules, opts->schedule);
	s->follow = opts->runner.follow ? opts->runner.follow : s->failure.options.follow;
	s->real_time = opts->runner.real_time || s->failure.options.real_time;
	s->fail_if = opts->runner.fail_if ? opts->runner.fail_if : s->failure.options.fail_if;
	s->expect_output = opts->runner.expect_output ? opts->runner.expect_output : s->failure.options.expect_output;
	return r < 0 ? r : start_program(s, err);
}

void vtb_session_close(struct session *s)
{
	vtb_runner_free(s->runner);
	vtb_break_plan_fini(&s->plan);
	vtb_failure_fini(&s->failure);
	vtb_schedules_fini(&s->file);
	*s = (struct session){ 0 };
}
