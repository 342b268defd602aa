/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hunt on a real program: what the options mean for the process runner, what its answers mean for the result. */
#include "vtb/argv.h"
#include "vtb/hunt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "canary.h"
#include "extent.h"
#include "finding_files.h"
#include "hunt_options.h"
#include "hunt_priv.h"
#include "hunt_state.h"
#include "items_search.h"
#include "out_dir.h"
#include "program.h"
#include "unhooked.h"
#include "variants.h"
#include "verify.h"
#include "watched.h"
#include "vtb/memory_limits.h"
#include "vtb/process_runner.h"
#include "vtb/starter.h"
#include "vtb/strategies.h"

#define SLOWER                                                                                                       \
	20 /* a run under control takes at most so many times what it takes alone: hooks, records, other work of the \
	      machine */

/* ---- what the runner knows */

static const char how_to_build[] = "Build the program with gcc -g -O1 -fsanitize=thread (clang: add -shared-libsan), "
                                   "or with `vtb cc gcc -g -O1`; `vtb doctor PROGRAM` says what it has now.";

static void refresh_files(struct vtb_hunt_facts *f, const struct vtb_process_info *info,
                          const struct vtb_runner_opts *o)
{
	const bool none = !info->view_each && info->engine != VTB_ENGINE_EXEC && strcmp(info->view, "plain");

	f->files = info->engine == VTB_ENGINE_SNAPSHOT || none ? "none" : o->keep_files ? "kept" : info->view;
	snprintf(f->files_trouble, sizeof(f->files_trouble), "%s", strcmp(f->files, "plain") ? "" : info->view_trouble);
	f->output_cut = o->expect_output && f->uncontrolled & VTB_UNC_OUTPUT;
	f->chance = f->uncontrolled & (VTB_UNC_IDS | VTB_UNC_PROC | VTB_UNC_TSC);
	if (f->starter_files == VTB_STARTER_SEEN && !info->view_after)
		f->starter_files = VTB_STARTER_UNSEEN;
	f->unsettled = f->starter_files == VTB_STARTER_UNSEEN ||
	               f->uncontrolled & (VTB_UNC_SCRATCH | VTB_UNC_OWNER | (o->keep_files ? 0 : VTB_UNC_FILES));
}

static void refresh_facts(struct vtb_hunt *hunt)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	struct vtb_process_info info;

	vtb_process_runner_info(hunt->runner, &info);
	info.uncontrolled |= hunt->elsewhere.uncontrolled;
	facts->tier = hunt->opts->runner.tier == VTB_TIER_SYNC            ? "sync"
	              : facts->watched && strcmp(info.tier, "break") == 0 ? "watch"
	                                                                  : info.tier;
	facts->engine = vtb_engine_name((int)info.engine);
	facts->dirty = vtb_dirty_name(info.dirty);
	facts->lent = info.lent;
	snprintf(facts->engine_reason, sizeof(facts->engine_reason), "%s", info.engine_reason);
	facts->carrier = vtb_carrier_name(info.carrier);
	facts->input = info.input;
	info.uncontrolled |= hunt->before.uncontrolled;
	facts->uncontrolled = info.uncontrolled & ~(uint32_t)VTB_UNC_ASIDE;
	facts->followed = info.uncontrolled & VTB_UNC_ASIDE;
	facts->cross_checked = info.cross_checked + hunt->before.cross_checked + hunt->elsewhere.cross_checked;
	refresh_files(facts, &info, &hunt->opts->runner);
	if (vtb_extent_mixes_more(hunt->elsewhere.files, facts->files)) {
		facts->files = hunt->elsewhere.files;
		snprintf(facts->files_trouble, sizeof(facts->files_trouble), "%s",
		         strcmp(facts->files, "plain") ? "" : "a machine that ran items of it makes no view");
	}
}

static int nothing_controlled(struct vtb_hunt *hunt, const char *why)
{
	char text[1600], limits[500];

	hunt->result->verdict = VTB_V_NOTHING_CONTROLLED;
	vtb_memory_limits(limits, sizeof(limits));
	snprintf(text, sizeof(text), "%s%s%s%s%s", why, *why ? ". " : "", limits, *limits ? " " : "", how_to_build);
	free(hunt->result->advice);
	hunt->result->advice = strdup(text);
	return hunt->result->advice ? 1 : -ENOMEM;
}

static int set_advice(struct vtb_hunt_result *result, const char *text)
{
	free(result->advice);
	result->advice = strdup(text);
	return result->advice ? 0 : -ENOMEM;
}

static bool wrong_tier(const struct vtb_hunt *hunt)
{
	const enum vtb_tier_choice asked = hunt->opts->runner.tier;

	return (asked == VTB_TIER_TSAN || asked == VTB_TIER_PADS) &&
	       strcmp(vtb_tier_name(asked), hunt->result->facts.tier) != 0;
}

/* After the run of the default schedule: is anything controlled? 1: no, the verdict is set. */
static int check_control(struct vtb_hunt *hunt)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	struct vtb_process_info info;
	char text[700];

	vtb_process_runner_info(hunt->runner, &info);
	refresh_facts(hunt);
	if (strcmp(info.tier, "none") == 0 || (hunt->result->first.n_events == 0 &&
	                                       hunt->result->first.outcome.verdict != VTB_V_LIMIT)) /* that says why */
		return nothing_controlled(hunt,
		                          *info.trouble ? info.trouble : "The runtime saw no operation of the program");
	if (wrong_tier(hunt)) {
		snprintf(text, sizeof(text), "--tier=%s was asked for, but the program offers tier %s",
		         vtb_tier_name(hunt->opts->runner.tier), facts->tier);
		return nothing_controlled(hunt, text);
	}
	if (facts->accesses == 0 && facts->threads > 1 && strcmp(info.tier, "sync") == 0) {
		snprintf(text, sizeof(text),
		         "Only synchronisation was controlled, races on plain variables cannot show. %s", how_to_build);
		return set_advice(hunt->result, text);
	}
	if (facts->watched) {
		snprintf(text, sizeof(text), "Only accesses to the watched variables were controlled. %s",
		         how_to_build);
		return set_advice(hunt->result, text);
	}
	return info.target->advice[0] ? set_advice(hunt->result, info.target->advice) : 0;
}

/* Does whoever this hunt is a part of want it? */
static int check_part(struct vtb_hunt *hunt)
{
	const struct vtb_hunt_part *part = hunt->opts->part;
	int r = check_control(hunt);

	if (r == 0 && part)
		r = part->first(&hunt->result->first, hunt->runner->tab, part->data);
	if (r == 1 && hunt->result->verdict == VTB_V_NONE)
		hunt->result->verdict = VTB_V_NOTHING_CONTROLLED;
	return r;
}

/* A run was stopped after the usual time. How long is the program by itself? What remains is shared with the run that
 * follows. */
static int more_time(struct vtb_hunt *hunt)
{
	const double left = (hunt->deadline - vtb_hunt_now()) / 2;
	int64_t msec;

	if (hunt->opts->runner.timeout_s || hunt->alone_msec || left < VTB_HUNT_RUN_SECONDS)
		return 0;
	msec = vtb_process_runner_alone(hunt->runner, (uint32_t)(left * 1000), hunt->err);
	if (msec < 0 && msec != -ETIMEDOUT)
		return (int)msec;
	hunt->alone_msec = msec < 0 ? -1 : msec ? msec : 1;
	if (msec < 0 || msec * SLOWER <= VTB_HUNT_RUN_SECONDS * 1000)
		return 0;
	hunt->result->facts.run_limit_s = (uint32_t)(VTB_HUNT_RUN_SECONDS + msec * SLOWER / 1000);
	vtb_process_runner_set_timeout(hunt->runner, hunt->result->facts.run_limit_s * 1000);
	return 1;
}

/* ---- the whole */

#define EARLY_DEVIATIONS 10000u /* a file of more takes seconds to write, and shrinking comes first */

/* A failure is on disk and told before anything is made simpler. */
static int tell(struct vtb_hunt *hunt, struct vtb_finding *f)
{
	struct vtb_hunt_result *result = hunt->result;
	int r = 0;

	refresh_facts(hunt);
	result->facts.schedules = vtb_hunt_schedules(hunt);
	result->facts.seconds = vtb_hunt_now() - hunt->start;
	if (!hunt->opts->no_files && f->schedule.n_deviations <= EARLY_DEVIATIONS)
		r = vtb_finding_file(hunt, f);
	if (r >= 0 && hunt->opts->found && vtb_hunt_refine_seconds(hunt) > 0 && !vtb_hunt_due(hunt))
		hunt->opts->found(result, f, vtb_hunt_refine_seconds(hunt), hunt->opts->data);
	return r;
}

static int find_unhooked(struct vtb_hunt *hunt)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	struct vtb_unhooked_given given = { 0 };
	struct vtb_process_info info;

	vtb_process_runner_info(hunt->runner, &info);
	vtb_unhooked_note_moves(facts, info.blind->sites, info.blind_hooked ? info.blind->n_sites : 0);
	if (info.blind_hooked && info.blind->places)
		given = (struct vtb_unhooked_given){ info.target->image, info.blind };
	return vtb_unhooked_modules(hunt->runner->tab, &given, facts->lent, &hunt->stop, &facts->unhooked,
	                            &facts->untold, &facts->blind);
}

static int hunt_in_process(struct vtb_hunt *hunt)
{
	struct vtb_hunt_facts *facts = &hunt->result->facts;
	int r = vtb_hunt_core(hunt);

	refresh_facts(hunt);
	if (r >= 0 && facts->accesses && !hunt->opts->part)
		r = find_unhooked(hunt);
	/* a read of what is at two addresses takes place with the operation before it, wherever that came; so does what
	 * libc does to errno */
	facts->complete &= !facts->blind && !facts->input->cut &&
	                   !(facts->uncontrolled & (VTB_UNC_ALIAS | VTB_UNC_LIBC_OWN | VTB_UNC_UNREAD));
	facts->seconds = vtb_hunt_now() - hunt->start; /* which the files say, too */
	if (r >= 0)
		r = vtb_hunt_variants(hunt);
	if (r >= 0 && hunt->result->n_findings && !hunt->opts->no_files)
		r = vtb_finding_files(hunt);
	return r;
}

/* The machinery must be able to control a race that is known to be there. 1: it cannot, the verdict is set. */
static int check_canary(struct vtb_hunt *hunt, const struct vtb_process_opts *process)
{
	char why[1200] = "";
	int r;

	if (hunt->opts->no_canary)
		return 0;
	vtb_hunt_tell(hunt, VTB_HUNT_STARTING);
	r = vtb_canary_check(process->engine, process->carrier, process->keep_carrier, &hunt->stop, why, sizeof(why));
	hunt->result->facts.canary = r == 0;
	if (r == 0 || r == -ENOENT) /* not installed: the statement says that it was not run */
		return 0;
	if (r == -EINTR || r == -ENOMEM || r == -ECANCELED)
		return r;
	hunt->result->verdict = VTB_V_NOTHING_CONTROLLED;
	hunt->result->facts.tier = "none";
	free(hunt->result->advice);
	hunt->result->advice = strdup(why);
	return hunt->result->advice ? 1 : -ENOMEM;
}

static int open_runner(struct vtb_hunt *hunt, const struct vtb_process_opts *process)
{
	int r = vtb_process_runner_new(process, &hunt->result->runner, hunt->err);

	hunt->runner = hunt->result->runner;
	if (r != -VTB_E_TARGET)
		return r;
	/* it can be started but not controlled: a verdict, not a usage error */
	hunt->result->verdict = VTB_V_NOTHING_CONTROLLED;
	hunt->result->facts.tier = "none";
	hunt->result->advice = strdup(hunt->err ? hunt->err->text : "the program could not be started under control");
	return hunt->result->advice ? 1 : -ENOMEM;
}

static int hunt_with_state(struct vtb_hunt *hunt)
{
	struct vtb_hunt_state state;
	int r = vtb_hunt_state_begin(&state, hunt);

	if (r >= 0)
		r = hunt_in_process(hunt);
	if (r >= 0)
		r = vtb_hunt_state_end(&state);
	vtb_hunt_state_fini(&state);
	return r;
}

/* It was to end before the program had run. */
static int too_early(struct vtb_hunt *hunt)
{
	hunt->result->facts.stopped = vtb_hunt_stop_word(hunt);
	return 1;
}

static int run_with(const struct vtb_hunt_opts *opts, const struct hunt_program *program, struct vtb_hunt_result *ret,
                    struct vtb_error *err)
{
	struct vtb_hunt_result result = {
		.facts = { .real_time = opts->runner.real_time,
		           .expects_output = opts->runner.expect_output,
		           .follow = opts->runner.follow,
		           .reads_from = vtb_strategies_by_reads(&opts->search),
		           .match_states = opts->search.match_states,
		           .symmetry = opts->search.symmetry,
		           .tier = "none",
		           .engine = vtb_engine_name(opts->runner.engine),
		           .carrier = opts->runner.carrier < 0
		                          ? "auto"
		                          : vtb_carrier_name((enum vtb_wire_carrier)opts->runner.carrier) }
	};
	struct vtb_process_opts process;
	struct vtb_watch watch = { 0 };
	struct vtb_hunt hunt;
	int statuses[256], r;

	vtb_hunt_begin(&hunt, opts, &result, err);
	hunt.after_first = check_part;
	hunt.more_time = more_time;
	hunt.search = opts->items ? vtb_items_search : NULL;
	vtb_hunt_runs_processes(&hunt);
	hunt.proved = tell;
	hunt.before_search = opts->candidates ? vtb_verify_replay : NULL;
	r = vtb_hunt_read_options(opts, &hunt.stop, statuses, &process, err);
	if (r < 0)
		return r;
	process.after = program->started.wrote ? &program->view : NULL;
	result.argv = vtb_argv_copy(program->shown);
	r = result.argv ? 0 : -ENOMEM;
	result.facts.starter = program->starter ? strdup(program->starter) : NULL;
	result.facts.starter_files = program->files;
	if (r >= 0)
		r = vtb_hunt_watch(opts, &hunt.stop, &process, &watch, &result, err);
	if (r >= 0)
		r = open_runner(&hunt, &process);
	if (r == 0)
		r = check_canary(&hunt, &process);
	if (r == -ECANCELED)
		r = too_early(&hunt);
	if (r == 0)
		r = hunt_with_state(&hunt);
	if (r >= 0 && opts->candidates)
		r = vtb_verify_answer(&hunt);
	if (!result.n_findings)
		result.facts.seconds = vtb_hunt_now() - hunt.start;
	if (result.runner)
		vtb_process_runner_set_stop(result.runner, NULL);
	if (r < 0) {
		vtb_hunt_result_fini(&result);
		vtb_watch_fini(&watch);
		return r;
	}
	vtb_watch_fini(&watch); /* the runner is not started again */
	*ret = result;
	return 0;
}

/* What is found, or not, is all there is to see in the directory. */
static int run_in_dir(const struct vtb_hunt_opts *opts, const struct hunt_program *program, struct vtb_hunt_result *ret,
                      struct vtb_error *err)
{
	int r = opts->no_files ? 0 : vtb_out_dir_make(opts->out_dir, err);

	if (r >= 0)
		r = run_with(opts, program, ret, err);
	if (r < 0 || opts->no_files || opts->candidates || ret->n_findings)
		return r;
	ret->put_aside = vtb_out_dir_put_aside(opts->out_dir, NULL) > 0;
	return r;
}

static int run_program(const struct vtb_hunt_opts *all, struct vtb_hunt_result *ret, struct vtb_error *err)
{
	struct vtb_hunt_opts opts = *all;
	struct hunt_program program = { 0 };
	char **environment = NULL;
	int r = vtb_environment_keep(&environment);

	if (r >= 0)
		r = vtb_hunt_find_program(&opts, &program, err);
	if (r == -ENOMEM)
		vtb_error_set(err, r, all->argv[0], 0, "%s", vtb_strerror(r));
	else if (r >= 0)
		r = run_in_dir(&opts, &program, ret, err);
	vtb_environment_restore(environment);
	vtb_hunt_program_fini(&program);
	return r;
}

int vtb_hunt_run(const struct vtb_hunt_opts *opts, struct vtb_hunt_result *ret, struct vtb_error *err)
{
	struct vtb_hunt_opts own_opts = *opts;
	struct vtb_error own_err = { 0 };
	struct vtb_failure failure;
	int r;

	err = err ? err : &own_err;
	if (!opts->verify_fix)
		return run_program(opts, ret, err);
	r = vtb_failure_read(opts->verify_fix, &failure, err);
	if (r < 0)
		return r;
	vtb_verify_options(&failure, &own_opts);
	own_opts.no_files |= !opts->out_dir; /* the file in question may well be ./failure.json */
	if (!own_opts.argv)
		r = vtb_error_set(err, -EINVAL, opts->verify_fix, 0, "no program is recorded in it and none was given");
	else if (!opts->argv)
		r = vtb_consent_check(&opts->consent, opts->verify_fix, own_opts.argv, own_opts.cwd, err);
	if (r >= 0)
		r = run_program(&own_opts, ret, err);
	vtb_failure_fini(&failure);
	return r;
}
