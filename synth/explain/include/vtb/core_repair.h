/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_repair.h
 * What to change so that no core can hold any more: pieces of threads that must be one step, operations that must come
 * before others. A repair closes a circle with an order of each core ([CONCBUGASSIST15]), is enforced by constraints on
 * real runs, and is told only if none of these fails or gets stuck.
 *
 * Tried:     in every order of the pieces that must be one step (or in REPAIR_ORDERS by chance, if there are more), the
 *            program is searched within the bound of the find, and then run at random.
 * Ownership: a result owns its texts; vtb_core_repairs_fini().
 * Errors:    -ENOMEM, errors of the runner; -ECANCELED of the runner ends it with what is there.
 */
#ifndef VTB_CORE_REPAIR_H
#define VTB_CORE_REPAIR_H

#include "vtb/cores.h"

struct vtb_core_repair {
	/* "one-step": only pieces of threads; "join": a thread is waited for; "wake-all": signals wake all; "order":
	 * else */
	const char *kind;
	char *text; /* one sentence, owned */
	uint64_t schedules;
};

struct vtb_core_repairs {
	struct vtb_core_repair *repairs;
	size_t n_repairs, cap_repairs;
	uint32_t rejected; /* tried, and a run failed or got stuck, or none was possible */
};

struct vtb_core_repair_opts {
	uint64_t seed;
	uint64_t budget;          /* runs for all that is tried; 0: as many as there is use for */
	uint32_t c, v;            /* bound of the find */
	bool (*stop)(void *data); /* NULL: never */
	void *data;
	/* the site by which an operation of this run is told; NULL: its own */
	uint32_t (*place)(const struct vtb_core_op *op, const struct vtb_exec *run, const void *places);
	/* the user's functions under way at event `at` of a run, or, VTB_EVENT_NONE, wherever the thread comes to that
	 * site: innermost first, how many are known; NULL: none are */
	size_t (*calls)(const struct vtb_exec *run, size_t at, uint32_t thread, uint32_t site, const void *places,
	                const struct vtb_call **ret);
	const void *places;
	/* a run will be told of, too: its places are to be known; 0 or an error; NULL: they are */
	int (*learn)(const struct vtb_exec *run, void *data);
	const struct vtb_exec *passing; /* a run that passes: shows where functions end; may be NULL */
};

void vtb_core_repairs_fini(struct vtb_core_repairs *repairs);

/** Propose repairs for all cores together, try them, and keep those that hold. */
int vtb_cores_repair(struct vtb_runner *runner, const struct vtb_cores *cores, const struct vtb_core_repair_opts *opts,
                     struct vtb_core_repairs *ret, struct vtb_error *err);

#endif /* VTB_CORE_REPAIR_H */
