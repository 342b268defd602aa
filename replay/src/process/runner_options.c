/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/runner_options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const tier_names[] = { "auto", "pads", "tsan", "break", "watch", "sync", NULL };
static const char *const engine_names[] = { "auto", "exec", "forkserver", "snapshot", NULL };
static const char *const carrier_names[] = { "auto", "threads", "fibers", NULL };
static const char *const dirty_names[] = { "auto", "scan", "copy", "mprotect", NULL };

#define MEMBER(name) offsetof(struct vtb_runner_opts, name)

const struct vtb_cli_row vtb_runner_rows[] = {
	{ "carrier", "NAME", "What carries the threads: auto, threads, fibers", VTB_CLI_CHOICE,
	  .member = MEMBER(carrier), .names = carrier_names, .first = VTB_CARRIER_AUTO },
	{ "dirty", "NAME", "How engine snapshot finds changed pages: auto, scan, copy, mprotect", VTB_CLI_CHOICE,
	  .member = MEMBER(dirty), .names = dirty_names },
	{ "engine", "NAME", "How runs are repeated: auto, snapshot, forkserver, exec", VTB_CLI_CHOICE,
	  .member = MEMBER(engine), .names = engine_names, .first = VTB_ENGINE_AUTO },
	{ "expect-output", "FILE", "Any other output of the program is a failure", VTB_CLI_TEXT,
	  .member = MEMBER(expect_output) },
	{ "fail-if", "RULE", "Which exit statuses are failures: exit!=N (default exit!=0), exit=N,M, never",
	  VTB_CLI_TEXT, .member = MEMBER(fail_if) },
	{ "follow-children", "N",
	  "Control goes with the child of the program's Nth fork (default 1), as it does if a failure.json was found "
	  "so",
	  VTB_CLI_U32, .member = MEMBER(follow), .least = 1, .most = UINT32_MAX, .optional = true },
	{ "jobs", "N", "Processes that run schedules (default: one a processor on engine snapshot, else 1)",
	  VTB_CLI_U32, .member = MEMBER(jobs), .least = 1, .most = 1024 },
	{ "keep-files", NULL, "Runs write where they do without vtb, and the next one meets what they leave",
	  VTB_CLI_FLAG, .member = MEMBER(keep_files) },
	{ "real-time", NULL,
	  "Clocks and sleeps are the system's, as they are if a failure.json was found so; else time is virtual and a "
	  "sleep takes none",
	  VTB_CLI_FLAG, .member = MEMBER(real_time) },
	{ "scratch", "DIR", "What a run writes in its private view of files lies below DIR (default: in memory)",
	  VTB_CLI_TEXT, .member = MEMBER(scratch) },
	{ "scratch-size", "MB",
	  "Room for what one run writes in its private view of files (default: a quarter of the memory, at most 4096)",
	  VTB_CLI_U32, .member = MEMBER(scratch_mb), .least = 1, .most = 1u << 24 },
	{ "source-root", "DIR",
	  "Lines that are shown are of files below DIR (default: all but libraries' and headers of the system)",
	  VTB_CLI_TEXT, .member = MEMBER(source_root) },
	{ "tier", "NAME", "How accesses are seen: auto, pads, tsan, sync; watch of a hunt, break of a replay",
	  VTB_CLI_CHOICE, .member = MEMBER(tier), .names = tier_names },
	{ "timeout", "SECONDS",
	  "Stop a run after SECONDS (default 10; of a hunt, or 20 times what the program takes by itself and 10 more)",
	  VTB_CLI_U32, .member = MEMBER(timeout_s), .least = 1, .most = 1000000 },
	{ "whole-output", NULL, "Reports have all that the failing run printed (up to 1 MB), not only the last 4 KB",
	  VTB_CLI_FLAG, .member = MEMBER(whole_output) },
	{ 0 },
};

void vtb_runner_opts_init(struct vtb_runner_opts *opts)
{
	*opts = (struct vtb_runner_opts){ .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_AUTO };
}

static int read_rule(const struct vtb_runner_opts *opts, int *statuses, struct vtb_pass_rule *ret,
                     struct vtb_error *err)
{
	ret->output = opts->expect_output;
	if (opts->expect_output && access(opts->expect_output, R_OK) < 0)
		return vtb_error_set(err, -errno, opts->expect_output, 0, "cannot read the expected output: %s",
		                     vtb_strerror(-errno));
	if (vtb_fail_if_read(opts->fail_if, statuses, ret) < 0)
		return vtb_error_set(err, -EINVAL, NULL, 0, "--fail-if=%s: expected exit!=N, exit=N,M,... or never",
		                     opts->fail_if);
	return 0;
}

int vtb_runner_opts_read(const struct vtb_runner_opts *opts, int *statuses, struct vtb_process_opts *ret,
                         struct vtb_error *err)
{
	ret->engine = opts->engine;
	ret->carrier = opts->carrier == VTB_CARRIER_FIBERS ? VTB_CARRIER_FIBERS : VTB_CARRIER_THREADS;
	ret->dirty = opts->dirty;
	ret->jobs = opts->jobs ? opts->jobs : VTB_JOBS_AUTO;
	ret->follow = opts->follow;
	ret->scratch = opts->scratch;
	ret->scratch_bytes = (uint64_t)opts->scratch_mb << 20;
	ret->source_root = opts->source_root;
	ret->whole_output = opts->whole_output;
	ret->timeout_msec = opts->timeout_s * 1000;
	ret->options = VTB_OPT_VALUES | (opts->tier == VTB_TIER_SYNC ? 0 : VTB_OPT_ACCESSES) |
	               (opts->real_time ? VTB_OPT_REAL_TIME : 0) | (opts->keep_files ? VTB_OPT_KEEP_FILES : 0);
	if (opts->source_root && access(opts->source_root, X_OK) < 0)
		return vtb_error_set(err, -errno, opts->source_root, 0, "--source-root: %s", vtb_strerror(-errno));
	return read_rule(opts, statuses, &ret->pass, err);
}

const char *vtb_tier_name(enum vtb_tier_choice tier)
{
	return tier_names[tier];
}

int vtb_tier_by_name(const char *name, enum vtb_tier_choice *ret)
{
	for (int i = 0; tier_names[i]; i++)
		if (!strcmp(name, tier_names[i])) {
			*ret = (enum vtb_tier_choice)i;
			return 0;
		}
	return -EINVAL;
}
