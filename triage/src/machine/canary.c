/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "canary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shrink.h"
#include "vtb/memory_limits.h"
#include "vtb/process_runner.h"
#include "vtb/strategies.h"
#include "vtb/self.h"

#define CANARY_SCHEDULES 200u /* it needs one preemption among a handful of points */
#define CANARY_SECONDS                                                                                                \
	60.0 /* only for machines on which it hangs: its schedules take milliseconds, but a loaded machine may let it \
	        wait for its turn */

static int find_canary(char path[static PATH_MAX])
{
	return vtb_self_beside("vtb-canary", path) && access(path, X_OK) == 0 ? 0 : -ENOENT;
}

/* 1 its race was found, 0 not. */
static int search_canary(struct vtb_runner *runner, struct vtb_error *err)
{
	struct vtb_search_opts opts;
	struct vtb_search *search;
	bool found;
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = "dfs";
	opts.c = opts.v = 1;
	opts.budget = CANARY_SCHEDULES;
	opts.seconds = CANARY_SECONDS;
	r = vtb_strategies_begin(runner, &opts, &search, err);
	if (r < 0)
		return r;
	r = vtb_search_run(search, &(const struct vtb_search_calls){ 0 }, err);
	found = vtb_search_stats(search)->failing > 0;
	vtb_search_free(search);
	if (r >= 0 && !found && vtb_stop_due(runner->stop))
		return -ECANCELED;
	return r < 0 ? r : found;
}

int vtb_canary_check(int engine, enum vtb_wire_carrier carrier, bool keep_carrier, struct vtb_stop *stop, char *why,
                     size_t size)
{
	char path[PATH_MAX], limits[500];
	char *argv[] = { path, NULL };
	const struct vtb_process_opts opts = { .argv = argv,
		                               .engine = engine,
		                               .carrier = carrier,
		                               .keep_carrier = keep_carrier,
		                               .options = VTB_OPT_ACCESSES,
		                               .stop = stop };
	struct vtb_error err = { 0 };
	struct vtb_runner *runner = NULL;
	int r = find_canary(path);

	if (r < 0)
		return r;
	r = vtb_process_runner_new(&opts, &runner, &err);
	if (r == 0)
		r = search_canary(runner, &err);
	vtb_runner_free(runner);
	if (r == 1)
		return 0;
	if (r == -EINTR || r == -ECANCELED)
		return r;
	if (r == 0)
		snprintf(why, size,
		         "A race that is known to be there was not found in vtb-canary: this machine or this "
		         "installation does not let vtb control programs; see `vtb doctor`.");
	else
		snprintf(
		    why, size,
		    "vtb-canary, a program with a known race, could not be run under control: %s; see `vtb doctor`.",
		    err.text);
	if (*vtb_memory_limits(limits, sizeof(limits)) && !strstr(why, "RLIMIT_"))
		snprintf(why + strlen(why), size - strlen(why), " %s", limits);
	return -VTB_E_TARGET;
}
