/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rand: at random, by the seed. */
#include "prio.h"
#include "vtb/rng.h"

#define RANDOM_CLASSES 256u /* bins of the fringe */

static int64_t cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	const uint64_t where = (uint64_t)branch->point << 32 | branch->target << 8 | branch->kind,
	               run_hash = run->space->prefix[branch->point < run->x->n_events ? branch->point : 0];

	return (int64_t)(vtb_mix64(where ^ vtb_mix64(run_hash ^ vtb_mix64(run->space->opts->seed + 1))) %
	                 RANDOM_CLASSES);
}

const struct vtb_prio vtb_prio_rand = { .name = "rand", .help = "at random, by --seed", .cost = cost };
