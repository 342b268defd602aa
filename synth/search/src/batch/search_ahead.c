/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strategies that plan while others of their runs are under way. Two pieces of plans are there at any time; when the
 * older one was digested the next one is planned, and the runner goes on with it if it can:
 *
 *     strategy   plans 1, 2      reads 1, plans 3      reads 2, plans 4
 *     program           makes 1 .... makes 2 .............. makes 3 ....
 *
 * Pieces and their order depend on nothing else: not on how many runs the runner likes at a time, where its batches
 * end, or how fast it is.
 */
#include "search_priv.h"

#include <string.h>

#define PIECE 16u
#define ROOM 128u     /* plans: more would not stay in the cache */
#define LONGEST 0.010 /* seconds: then whoever watches the search has a turn */

bool vtb_search_goes_ahead(const struct vtb_search *search)
{
	return search->strategy->can & VTB_STRATEGY_AHEAD && !search->opts.relief;
}

size_t vtb_search_room_ahead(const struct vtb_search *search)
{
	return search->usual + ROOM;
}

/* Have two pieces of plans, if the strategy has them. 0 or an error. */
static int plan_ahead(struct vtb_search *search)
{
	while (search->n_ends < sizeof(search->ends) / sizeof(*search->ends)) {
		const int64_t n =
		    vtb_hand_over_next(&search->turn, search->plans + search->n_plans, PIECE, search->usual);

		if (n <= 0)
			return (int)n;
		search->n_plans += (size_t)n;
		search->ends[search->n_ends++] = search->n_plans;
	}
	return 0;
}

int64_t vtb_search_plan(struct vtb_search *search)
{
	const size_t most = vtb_search_batch_size(search);
	int r;

	if (!vtb_search_goes_ahead(search))
		return vtb_hand_over_next(&search->turn, search->plans, most, search->usual);
	r = search->n_ends ? 0 : plan_ahead(search); /* else there is another piece when the first was digested */
	return r < 0 ? r : (int64_t)(search->n_plans < most ? search->n_plans : most);
}

/* The rest of the batch is as if it had not been run. */
static void stop_here(struct vtb_search *search)
{
	for (size_t i = search->digested; i < search->n_run; i++) {
		vtb_exec_fini(&search->execs[i]);
		search->execs[i] = (struct vtb_exec){ 0 };
	}
	search->n_run = search->digested;
}

int vtb_search_note_digested(struct vtb_search *search)
{
	search->digested++;
	if (search->cut || !search->n_ends || search->ends[0] != search->digested)
		return 0;
	memmove(search->ends, search->ends + 1, --search->n_ends * sizeof(*search->ends));
	if (search->stopping)
		stop_here(search);
	return plan_ahead(search);
}

/* At most two pieces will have been planned beyond those when all of them were digested. */
static bool may_grow(const struct vtb_search *search)
{
	const size_t left = vtb_search_batch_size(search), n = search->n_plans;

	return search->runner->ready && n + 2 * PIECE <= search->batch && n - search->digested <= left &&
	       vtb_stop_clock() - search->began < LONGEST;
}

void vtb_search_offer(struct vtb_search *search)
{
	const size_t before = search->n_run;

	if (search->n_plans <= before || search->trouble < 0 || !may_grow(search))
		return;
	for (size_t i = before; i < search->n_plans; i++) {
		if (vtb_search_made_before(search, &search->plans[i]))
			return;
		search->how[i] = VTB_RUN_WHOLE;
		search->group[i].place = i;
		search->schedules[i] = &search->plans[i].schedule;
	}
	search->n_run = search->n_plans;
	search->runner->asked = search->n_plans;
}

void vtb_search_end_batch(struct vtb_search *search)
{
	const size_t n = search->n_run;

	vtb_search_clear_batch(search, n);
	if (search->n_plans <= n) {
		search->n_plans = search->n_ends = 0;
		return;
	}
	search->n_plans -= n;
	memmove(search->plans, search->plans + n, search->n_plans * sizeof(*search->plans));
	memset(search->plans + search->n_plans, 0, n * sizeof(*search->plans));
	for (size_t i = 0; i < search->n_ends; i++)
		search->ends[i] -= n;
}
