/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of a hunt ask of the process runner, and whether they go together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hunt_options.h"
#include "hunt_priv.h"
#include "vtb/strategies.h"

/* States are told where a process is rolled back in place, with nothing outside of it that counts. */
static const char *states_need(const struct vtb_hunt_opts *opts, const struct vtb_process_opts *process)
{
	if (process->engine != VTB_ENGINE_AUTO && process->engine != VTB_ENGINE_SNAPSHOT)
		return "the engine snapshot";
	if (process->keep_carrier && process->carrier != VTB_CARRIER_FIBERS)
		return "the carrier fibers";
	if (opts->runner.real_time)
		return "virtual time";
	return opts->runner.tier == VTB_TIER_WATCH ? "hooked accesses or none: breakpoints are no part of a state"
	                                           : NULL;
}

static int check_search(const struct vtb_hunt_opts *opts, const struct vtb_process_opts *process, struct vtb_error *err)
{
	const char *needs = opts->search.match_states ? states_need(opts, process) : NULL;
	struct vtb_search_opts search;

	if (needs)
		return vtb_error_set(err, -EINVAL, NULL, 0, "--match-states needs %s", needs);
	vtb_hunt_search_opts(opts, &search);
	return vtb_strategies_check(&search, err);
}

/* What is found must have a place to go: to be told after the search is too late. */
static int check_directory(const char *path, struct vtb_error *err)
{
	struct stat st;

	if (!path)
		return 0;
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (access(path, W_OK | X_OK) == 0)
		return 0;
	return vtb_error_set(err, -EINVAL, path, 0, "-o: not a directory that can be written to: %s", strerror(errno));
}

double vtb_hunt_seconds(const struct vtb_hunt_opts *opts)
{
	return opts->search.seconds > 0 ? opts->search.seconds : VTB_HUNT_TIME;
}

#define MEMORY_PARTS 8   /* each part of the search has one */
#define FINDINGS_SHARE 4 /* a quarter of the disk, if something else wants it */
#define FINDINGS_MOST (16ull << 20)
#define TREES 2 /* that a search may have: of the portfolio dfs and bestfirst */

struct vtb_disk_shares vtb_hunt_disk_shares(const struct vtb_hunt_opts *opts)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t jobs = opts->runner.jobs ? opts->runner.jobs
	                      : processors > 0  ? (uint64_t)processors
	                                        : 1,
	               max = opts->max_disk, scratch = opts->runner.scratch ? max / 2 : 0,
	               trees = opts->memory_mb ? (max - scratch) / 4 : 0, left = max - scratch - trees,
	               most = max / FINDINGS_SHARE < FINDINGS_MOST ? max / FINDINGS_SHARE : FINDINGS_MOST,
	               findings = opts->state_dir ? most : left;

	return (struct vtb_disk_shares){
		.scratch = scratch / jobs, .tree = trees / TREES, .state = left - findings, .findings = findings
	};
}

/* Where files are that need not outlive the hunt, and may be large. */
static const char *large_files(const struct vtb_hunt_opts *opts)
{
	const char *tmp = getenv("TMPDIR");

	return opts->runner.scratch ? opts->runner.scratch : tmp && *tmp ? tmp : "/var/tmp";
}

void vtb_hunt_memory(const struct vtb_hunt_opts *opts, uint64_t memory, struct vtb_search_opts *search)
{
	if (!opts->memory_mb)
		return;
	search->memory = memory / MEMORY_PARTS;
	search->disk_bytes = vtb_hunt_disk_shares(opts).tree;
	search->disk = opts->max_disk && !search->disk_bytes ? NULL : large_files(opts);
}

static void limit_scratch(const struct vtb_hunt_opts *opts, struct vtb_process_opts *process)
{
	const uint64_t share = vtb_hunt_disk_shares(opts).scratch;

	if (share && (!process->scratch_bytes || process->scratch_bytes > share))
		process->scratch_bytes = share;
}

int vtb_hunt_read_options(const struct vtb_hunt_opts *opts, struct vtb_stop *stop, int *statuses,
                          struct vtb_process_opts *ret, struct vtb_error *err)
{
	int r;

	*ret = (struct vtb_process_opts){ .argv = opts->argv, .cwd = opts->cwd, .stop = stop, .input = opts->input };
	if (opts->runner.tier == VTB_TIER_BREAK)
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--tier=break: a replay looks at what its schedules name; a hunt chooses what it "
		                     "looks at: --tier=watch");
	r = vtb_runner_opts_read(&opts->runner, statuses, ret, err);
	limit_scratch(opts, ret);
	ret->keep_carrier = opts->runner.carrier != VTB_CARRIER_AUTO;
	if (!ret->timeout_msec && opts->search.seconds > 0 &&
	    opts->search.seconds < VTB_HUNT_RUN_SECONDS) /* one run must not take longer than the hunt */
		ret->timeout_msec = opts->search.seconds > 1 ? (uint32_t)(opts->search.seconds * 1000) : 1000;
	if (r >= 0)
		r = check_search(opts, ret, err);
	return r < 0 ? r : check_directory(opts->out_dir, err);
}

/* Without being asked: by who can show that nothing is left. What the program prints counts as well: reports say how
 * many outputs there were. */
static bool by_default(const struct vtb_search_opts *o)
{
	const struct vtb_strategy *strategy = vtb_strategy_find(o->strategy);

	return vtb_search_may_prune(o) && strategy && strategy->can & VTB_STRATEGY_ALL;
}

int vtb_hunt_begin_search(struct vtb_hunt *hunt, struct vtb_search_opts *opts, struct vtb_pruning *pruning,
                          struct vtb_search **ret)
{
	const bool asked = vtb_search_prunes(opts);
	const struct vtb_predicate_slices_opts slices = { .only_assertions = opts->only_assertions,
		                                          .output = !asked || hunt->opts->runner.expect_output,
		                                          .later = asked ? 0 : VTB_PREDICATE_LATER,
		                                          .check_functions = opts->check_function };
	int r = asked || by_default(opts) ? vtb_pruning_begin(hunt->runner->tab, &slices, pruning) : 0;

	opts->predicate = pruning->predicate;
	if (r < 0)
		return vtb_error_set(hunt->err, r, NULL, 0, "out of memory for slices");
	return vtb_strategies_begin(hunt->runner, opts, ret, hunt->err);
}
