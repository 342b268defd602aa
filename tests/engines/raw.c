/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "raw.h"

#include <stdio.h>
#include <string.h>

#include "encode.h"

#define POOL_FIRST                                                                                      \
	8u /* threads prepared for engine snapshot, as the runner does it: few, and more if that is not \
	      enough */
#define POOL_MAX 512u

bool raw_keep_calls, raw_quiet, raw_from_main, raw_states;
uint32_t raw_options;

static bool needs_more_threads(struct raw *raw)
{
	struct server_result result;
	struct vtb_error err = { 0 };

	raw_post(raw, 0);
	if (vtb_server_take(&raw->server, &result, &err) < 0)
		die("the server failed: %s %s", err.text, raw->server.block.header->trouble);
	free(result.words);
	return result.outcome.flags & VTB_OUT_MORE_THREADS;
}

void raw_open(struct raw *raw, const struct setting *setting, char *const *argv, uint32_t slots)
{
	struct vtb_error err = { 0 };
	int r;

	memset(raw, 0, sizeof(*raw));
	r = vtb_target_find(argv[0], NULL, &raw->target, &err);
	if (r >= 0)
		r = vtb_runtime_find(&raw->runtime, &err);
	if (r >= 0 && !raw_keep_calls)
		r = vtb_call_sites_find(raw->target.image, &raw->sites, &err);
	for (size_t i = 0; raw_quiet && i < raw->sites.n_sites; i++)
		raw->sites.sites[i].on = 0;
	if (r >= 0) {
		const struct server_opts opts = {
			.target = &raw->target,
			.runtime = &raw->runtime,
			.argv = argv,
			.engine = (enum vtb_wire_engine)setting->engine,
			.carrier = setting->carrier,
			.dirty = setting->dirty,
			.options = VTB_OPT_ACCESSES | VTB_OPT_VALUES | VTB_OPT_CAPTURE |
			           (raw_from_main ? VTB_OPT_NO_CHECKPOINTS : 0) | raw_options | setting->options,
			.slots = setting->engine == VTB_ENGINE_EXEC ? 1 : slots,
			.pool = POOL_FIRST,
			.timeout_msec = 60000,
			.sites = &raw->sites,
			.schedule_bytes = 4096,
			.events_bytes = slots < 16 ? 64ull << 20 : 1 << 20,
		};

		vtb_server_init(&raw->server, &opts);
		r = vtb_server_start(&raw->server, &err);
	}
	if (r < 0)
		die("%s: %s", err.path, err.text);
	if (setting->engine == VTB_ENGINE_SNAPSHOT && raw->server.block.header->trouble[0]) {
		puts(raw->server.block.header->trouble);
		exit(77);
	}
	while (setting->engine != VTB_ENGINE_EXEC && needs_more_threads(raw) && raw->server.opts.pool < POOL_MAX) {
		raw->server.opts.pool *= 4;
		vtb_server_stop(&raw->server);
		if (vtb_server_start(&raw->server, &err) < 0)
			die("%s: %s", err.path, err.text);
	}
}

void raw_close(struct raw *raw)
{
	vtb_server_fini(&raw->server);
	vtb_symtab_fini(&raw->tab);
	vtb_call_sites_fini(&raw->sites);
	vtb_runtime_paths_fini(&raw->runtime);
	vtb_target_fini(&raw->target);
}

void raw_post(struct raw *raw, uint64_t seed)
{
	const struct vtb_schedule s = { .policy = seed ? VTB_SCHEDULE_RANDOM : VTB_SCHEDULE_RUN_TO_BLOCK,
		                        .seed = seed };
	const struct vtb_encode_opts opts = { .flags = raw_states ? VTB_SCHED_STATES : 0 };
	void *bytes;
	size_t size;

	if (vtb_encode_schedule(&s, &raw->tab, &opts, &bytes, &size) < 0)
		die("a schedule cannot be encoded");
	vtb_server_post(&raw->server, bytes, size);
	free(bytes);
}

struct vtb_wire_outcome raw_take(struct raw *raw)
{
	struct server_result result;
	struct vtb_error err = { 0 };

	if (vtb_server_take(&raw->server, &result, &err) < 0)
		die("the server failed: %s %s", err.text, raw->server.block.header->trouble);
	free(result.words);
	if (result.outcome.flags & (VTB_OUT_REFUSED | VTB_OUT_CRASHED | VTB_OUT_TRUNCATED) ||
	    result.outcome.verdict == VTB_V_TIMEOUT)
		die("a run was not completed: flags %u, %s", result.outcome.flags, result.outcome.message);
	return result.outcome;
}
