/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines output SEEDS PLAIN PROGRAM:     what PROGRAM prints under SEEDS random schedules is what PLAIN, the same
 *                                         program without
 *                                         hooks, prints by itself. A program that ends with status 77 natively is
 *                                         skipped.
 * engines effects WORD PROGRAM [ARGS]:    a program with effects outside its memory: verdicts, statuses and output of
 *                                         engine auto are
 *                                         those of engine exec, and WORD stands in the reason for the slower engine
 *                                         ("-": it
 *                                         stays on the snapshot engine).
 * engines stays SETTING PROGRAM [ARGS]:   runs pass on SETTING, of engine snapshot, and none of them needs a slower
 *                                         engine.
 */
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "vtb/trace.h"

#define STAY_RUNS 3u
#define BATCH 20u
#define OUTPUT_TIMEOUT_MSEC 20000u

/* The status of the native run; its output in a fresh string. */
static int native(const char *program, char **ret)
{
	char command[4200];
	size_t used = 0, got;
	FILE *pipe;
	int status;

	*ret = calloc(1, 1 << 16);
	snprintf(command, sizeof(command), "exec timeout 20 '%s' 2>&1", program);
	pipe = popen(command, "re");
	if (!pipe || !*ret)
		die("%s cannot be run", program);
	while ((got = fread(*ret + used, 1, (1 << 16) - 1 - used, pipe)) > 0)
		used += got;
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show_wrong(struct vtb_runner *runner, const struct setting *setting, uint64_t seed, const char *expected)
{
	const struct vtb_schedule s = { .policy = VTB_SCHEDULE_RANDOM, .seed = seed };
	struct vtb_exec x;
	size_t size;
	char *text;

	run_one(runner, &s, &x);
	text = vtb_process_runner_output(runner, &size);
	printf("%s, seed %" PRIu64 ": verdict %s, status %d, %s\nexpected:\n%s---\nprinted (when repeated):\n%s---\n",
	       setting->name, seed, vtb_verdict_name(x.outcome.verdict), x.outcome.exit_status,
	       x.outcome.message ? x.outcome.message : "", expected, text ? text : "");
	free(text);
	vtb_exec_fini(&x);
}

static size_t wrong_outputs(const struct setting *setting, uint64_t seeds, char *const *argv, int status,
                            const char *expected)
{
	struct vtb_runner *runner = open_runner(setting, argv, OUTPUT_TIMEOUT_MSEC);
	const uint64_t hash = hash_text(HASH_START, expected);
	struct vtb_exec x[BATCH];
	size_t wrong = 0;

	for (uint64_t done = 0; done < seeds; done += BATCH) {
		uint64_t bad_seed = 0;

		run_random(runner, done + 1, BATCH, x);
		for (size_t i = 0; i < BATCH; i++) {
			if (x[i].outcome.exit_status != status || x[i].outcome.output_hash != hash) {
				printf("seed %" PRIu64 ": %s, status %d, %" PRIu64 " bytes; %s\n", done + 1 + i,
				       vtb_verdict_name(x[i].outcome.verdict), x[i].outcome.exit_status,
				       x[i].outcome.output_size, x[i].outcome.message ? x[i].outcome.message : "");
				bad_seed = bad_seed ? bad_seed : done + 1 + i;
				wrong++;
			}
			vtb_exec_fini(&x[i]);
		}
		if (bad_seed && wrong <= BATCH)
			show_wrong(runner, setting, bad_seed, expected);
	}
	if (!still_on(runner, setting)) {
		struct vtb_process_info info;

		vtb_process_runner_info(runner, &info);
		printf("note: %s: %s\n", setting->name, info.engine_reason);
	}
	vtb_runner_free(runner);
	if (wrong)
		printf("%s: %zu of %" PRIu64 " runs print something else\n", setting->name, wrong, seeds);
	return wrong;
}

int command_output(int argc, char **argv)
{
	static const char *const names[] = { "snapshot-scan", "snapshot-copy", "forkserver-fibers",
		                             "forkserver-threads" };
	size_t wrong = 0;
	char *expected;
	int status;

	if (argc < 3)
		die("usage: engines output SEEDS PLAIN PROGRAM");
	status = native(argv[1], &expected);
	if (status == 77)
		return 77;
	if (!*expected)
		die("%s prints nothing by itself (status %d)", argv[1], status);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		wrong += !can_be(setting_by_name(names[i]))
		             ? 0
		             : wrong_outputs(setting_by_name(names[i]), strtoull(argv[0], NULL, 10), argv + 2, status,
		                             expected);
	free(expected);
	return wrong != 0;
}

/* ---- effects outside the process's memory */

static char *outcome_text(const struct vtb_outcome *o)
{
	char *text;

	if (asprintf(&text, "%s, status %d, output %016" PRIx64 " of %" PRIu64 " bytes", vtb_verdict_name(o->verdict),
	             o->exit_status, o->output_hash, o->output_size) < 0)
		die("no memory");
	return text;
}

static void check_reason(struct vtb_runner *runner, const char *word)
{
	struct vtb_process_info info;

	vtb_process_runner_info(runner, &info);
	if (strcmp(word, "-") ? !strstr(info.engine_reason, word) : info.engine != VTB_ENGINE_SNAPSHOT)
		die("engine %s because: %s", vtb_engine_name((int)info.engine), info.engine_reason);
}

/* Runs of the program pass on the setting, which is not left for a slower engine. */
int command_stays(int argc, char **argv)
{
	struct vtb_exec runs[STAY_RUNS];
	struct vtb_runner *runner;

	if (argc < 2)
		die("usage: engines stays SETTING PROGRAM");
	runner = open_runner(setting_by_name(argv[0]), argv + 1, OUTPUT_TIMEOUT_MSEC);
	run_random(runner, 1, STAY_RUNS, runs);
	check_reason(runner, "-");
	for (size_t i = 0; i < STAY_RUNS; i++) {
		if (runs[i].outcome.verdict != VTB_V_NONE)
			die("seed %zu: %s", i + 1, vtb_verdict_name(runs[i].outcome.verdict));
		vtb_exec_fini(&runs[i]);
	}
	vtb_runner_free(runner);
	return 0;
}

int command_effects(int argc, char **argv)
{
	static const struct setting automatic = {
		"auto", VTB_ENGINE_AUTO, VTB_CARRIER_THREADS, VTB_DIRTY_AUTO, false, 0
	};
	struct vtb_exec slow[BATCH], fast[BATCH];
	struct vtb_runner *runner;
	size_t wrong = 0, failing = 0;

	if (argc < 2)
		die("usage: engines effects WORD PROGRAM");
	runner = open_runner(setting_by_name("exec-threads"), argv + 1, OUTPUT_TIMEOUT_MSEC);
	run_random(runner, 1, BATCH, slow);
	vtb_runner_free(runner);
	runner = open_runner(&automatic, argv + 1, OUTPUT_TIMEOUT_MSEC);
	run_random(runner, 1, BATCH, fast);
	check_reason(runner, argv[0]);
	for (size_t i = 0; i < BATCH; i++) {
		char *a = outcome_text(&slow[i].outcome), *b = outcome_text(&fast[i].outcome);

		failing += slow[i].outcome.verdict != VTB_V_NONE;
		if (strcmp(a, b) && !wrong++)
			printf("seed %zu: exec %s; auto %s\n", i + 1, a, b);
		free(a);
		free(b);
		vtb_exec_fini(&slow[i]);
		vtb_exec_fini(&fast[i]);
	}
	vtb_runner_free(runner);
	if (!failing || failing == BATCH)
		die("%zu of %u runs fail: nothing is compared", failing, BATCH);
	return wrong != 0;
}
