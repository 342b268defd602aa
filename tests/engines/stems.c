/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines stems N PROGRAM [ARGS]: N schedules each of random and pos, every operation told and passing over, from main
 * and from the stem (runtime/engines/kept/stem.c), which is kept as soon as there can be one: the same runs.
 */
#include "engines.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 16u

static void compare(struct vtb_runner *from_main, struct vtb_runner *stem, enum vtb_policy policy, bool owned,
                    uint64_t seed)
{
	struct vtb_exec a[BATCH] = { 0 }, b[BATCH] = { 0 };

	run_walks(from_main, owned, policy, seed, BATCH, a);
	run_walks(stem, owned, policy, seed, BATCH, b);
	for (size_t i = 0; i < BATCH; i++) {
		char *x = describe(from_main, &a[i]), *y = describe(stem, &b[i]);

		if (strcmp(x, y))
			die("policy %d%s, seed %llu, from main:\n%s\nfrom the stem:\n%s", (int)policy,
			    owned ? ", passing over" : "", (unsigned long long)(seed + i), x, y);
		free(x);
		free(y);
		vtb_exec_fini(&a[i]);
		vtb_exec_fini(&b[i]);
	}
}

int command_stems(int argc, char **argv)
{
	const struct setting with = { "snapshot", VTB_ENGINE_SNAPSHOT,      VTB_CARRIER_FIBERS, VTB_DIRTY_AUTO,
		                      false,      VTB_OPT_CHECKPOINT_ALWAYS },
	                     without = { "snapshot", VTB_ENGINE_SNAPSHOT,   VTB_CARRIER_FIBERS, VTB_DIRTY_AUTO,
		                         false,      VTB_OPT_NO_CHECKPOINTS };
	struct vtb_runner *from_main, *stem;
	uint64_t n;

	if (argc < 2)
		die("usage: engines stems SCHEDULES PROGRAM [ARGUMENT...]");
	n = strtoull(argv[0], NULL, 10);
	from_main = open_runner(&without, argv + 1, 0);
	stem = open_runner(&with, argv + 1, 0);
	for (uint64_t done = 0; done < n; done += BATCH) {
		compare(from_main, stem, VTB_SCHEDULE_RANDOM, false, 1 + done);
		compare(from_main, stem, VTB_SCHEDULE_RANDOM, true, 1 + done);
		compare(from_main, stem, VTB_SCHEDULE_POS, false, 1 + done);
		compare(from_main, stem, VTB_SCHEDULE_POS, true, 1 + done);
	}
	vtb_runner_free(stem);
	vtb_runner_free(from_main);
	return 0;
}
