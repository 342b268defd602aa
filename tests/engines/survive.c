/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines survive SEEDS PROGRAM [ARGS]: a program that dies in some of SEEDS random schedules, all given at once. On
 * every engine each schedule has
 * the end that it has by itself in a process of its own: what dies costs its own schedule, not those around it.
 */
#include "engines.h"

#include <stdio.h>
#include <stdlib.h>

#include "vtb/trace.h"

#define TIMEOUT_MSEC 3000u /* of a run that hangs; others end long before, on a busy machine too */

struct end {
	enum vtb_verdict verdict;
	int signal;
};

static void alone(char *const *argv, size_t n, struct end *ret)
{
	struct vtb_runner *runner = open_runner(setting_by_name("exec-threads"), argv, TIMEOUT_MSEC);
	struct vtb_exec x;

	for (size_t i = 0; i < n; i++) {
		run_random(runner, 1 + i, 1, &x);
		ret[i] = (struct end){ x.outcome.verdict, x.outcome.signal };
		vtb_exec_fini(&x);
	}
	vtb_runner_free(runner);
}

static int together(const struct setting *setting, char *const *argv, size_t n, const struct end *expected)
{
	struct vtb_runner *runner = open_runner(setting, argv, TIMEOUT_MSEC);
	struct vtb_exec *x = calloc(n, sizeof(*x));
	int bad = 0;

	if (!x)
		die("no memory");
	run_random(runner, 1, n, x);
	for (size_t i = 0; i < n; i++) {
		/* by which signal a run was stopped that took too long is the engine's affair */
		if (x[i].outcome.verdict != expected[i].verdict ||
		    (x[i].outcome.verdict != VTB_V_TIMEOUT && x[i].outcome.signal != expected[i].signal))
			bad = printf("%s, seed %zu: %s, signal %d; alone it was %s, signal %d\n", setting->name, i + 1,
			             vtb_verdict_name(x[i].outcome.verdict), x[i].outcome.signal,
			             vtb_verdict_name(expected[i].verdict), expected[i].signal);
		vtb_exec_fini(&x[i]);
	}
	free(x);
	vtb_runner_free(runner);
	return bad != 0;
}

int command_survive(int argc, char **argv)
{
	const size_t n = argc > 1 ? strtoull(argv[0], NULL, 10) : 0;
	struct end *expected = calloc(n + 1, sizeof(*expected));
	size_t died = 0;
	int bad = 0;

	if (argc < 2 || !n || !expected)
		die("usage: engines survive SEEDS PROGRAM [ARGS]");
	alone(argv + 1, n, expected);
	for (size_t i = 0; i < n; i++)
		died += expected[i].verdict != VTB_V_NONE;
	if (!died || died == n)
		die("%zu of %zu runs die: nothing is compared", died, n);
	for (size_t i = 0; i < n_settings; i++)
		bad |= together(&settings[i], argv + 1, n, expected);
	free(expected);
	return bad;
}
