/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedules of one call: given to the program as far ahead as there is room, taken in their order, and made again
 * where a run came to nothing.
 *
 *     todo ── post ──► slots ── take ──► execs
 *       ▲                         │
 *       └── again: whole, or with more room
 */
#include "encode.h"
#include "process_private.h"

#include <stdlib.h>
#include <string.h>

#define START_TRIES 3 /* times in a row that the server may die before it has finished anything */

static int take_one(struct process_runner *p, struct batch *b, size_t i, struct vtb_error *err)
{
	struct server_result res;
	int r = vtb_server_take(&p->server, &res, err);

	return vtb_process_finish_one(p, res, r, b, i, err);
}

/* Post what fits. 1: the next schedule needs a larger block, for which nothing may be in flight. */
static int post_some(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	while (b->posted < b->n && vtb_server_room(&p->server)) {
		void *bytes;
		size_t size;
		int r;

		if (vtb_helpers_have(p, b->posted)) {
			b->posted++;
			continue;
		}
		r = vtb_process_encode(p, b, b->todo[b->posted], &bytes, &size);
		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "schedule %zu cannot be given to the program: %s",
			                     b->todo[b->posted], vtb_strerror(r));
		if (size > p->server.opts.schedule_bytes && vtb_server_room(&p->server) == p->server.opts.slots) {
			vtb_server_grow(&p->server, 2 * size, 0);
			free(bytes);
			return 1;
		}
		if (size <= p->server.opts.schedule_bytes) {
			vtb_server_post(&p->server, bytes, size);
			b->posted++;
		}
		free(bytes);
		if (size > p->server.opts.schedule_bytes)
			break;
	}
	return 0;
}

static int bring_up(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	if (vtb_server_is_up(&p->server))
		return 0;
	if (b->starts++ >= START_TRIES)
		return vtb_error_set(err, -VTB_E_TARGET, p->target.path, 0,
		                     "the program dies again and again before it runs a schedule");
	b->posted = b->taken;
	return vtb_process_start(p, err);
}

/* Engine exec is up all the time: what it was to run is forgotten here, and has to be posted anew. */
static void stop_server(struct process_runner *p, struct batch *b)
{
	vtb_server_stop(&p->server);
	b->posted = b->taken;
}

/* The oldest schedule is a helper's. TAKE_*, or an error. */
static int take_from_helper(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	struct server_result res;

	if (vtb_helpers_take(p, b->taken, &res))
		return vtb_process_finish_one(p, res, 0, b, b->todo[b->taken], err);
	if (vtb_stop_check(p->opts.stop, true) < 0)
		return vtb_error_set(err, vtb_stop_check(p->opts.stop, true), NULL, 0, "stopped");
	vtb_helpers_give_up(p, true);
	stop_server(p, b); /* what it has posted is younger than what it has to run now */
	return TAKE_ALONE;
}

static int run_list(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	vtb_helpers_begin(p, b, false);
	while (b->taken < b->n) {
		size_t i = b->todo[b->taken];
		int r = vtb_stop_check(p->opts.stop, false);

		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "stopped");
		r = bring_up(p, b, err);
		vtb_helpers_post(p, b);
		if (r >= 0 && vtb_server_wants(&p->server))
			r = post_some(p, b, err);
		if (r == 1)
			continue;
		if (r >= 0)
			r = vtb_helpers_have(p, b->taken) ? take_from_helper(p, b, err) : take_one(p, b, i, err);
		if (r < 0)
			return r;
		if (r == TAKE_ALONE)
			continue;
		if (r == TAKE_OTHER_ENGINE || r == TAKE_MORE_THREADS || r == TAKE_OTHER_VIEW)
			vtb_helpers_give_up(p, false);
		if (r == TAKE_OTHER_ENGINE) {
			vtb_process_other_engine(p);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_OTHER_VIEW) {
			stop_server(p, b);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_MORE_THREADS) {
			if (p->server.opts.engine == VTB_ENGINE_SNAPSHOT)
				p->engine_reason[0] = 0;
			p->server.opts.pool *= 4;
			stop_server(p, b);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_MORE_ROOM || r == TAKE_WHOLE)
			b->todo[b->again++] = i; /* again <= taken: its place is free */
		b->grow |= r == TAKE_MORE_ROOM;
		b->taken++;
		b->starts = 0;
		vtb_batch_tell(p, b);
	}
	return 0;
}

/* Once through those that are there, or through as many as may go at once. What must be seen whole, and what had no
 * room, with more of it, stays. */
static int run_some(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	const uint64_t more = p->server.opts.events_bytes * 8, most = p->opts.events_max;
	const size_t n = b->n;
	size_t rest;
	int r;

	b->n = vtb_owned_at_once(p, b);
	r = run_list(p, b, err);
	if (r < 0)
		return r;
	vtb_owned_again(p);
	rest = n > b->n ? n - b->n : 0;
	memmove(b->todo + b->again, b->todo + b->n, rest * sizeof(*b->todo));
	b->n = b->again + rest;
	b->posted = b->taken = b->again = 0;
	if (b->grow)
		vtb_server_grow(&p->server, 0, more < most ? more : most);
	b->grow = false;
	return 0;
}

static int run_batch(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	int r = 0;

	while (r >= 0 && b->n)
		r = run_some(p, b, err);
	return r;
}

/* First as series, then one by one what that has left. */
static int run_series(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	const int r = vtb_series_run(p, b, err);

	if (r == TAKE_OTHER_ENGINE) {
		vtb_helpers_give_up(p, false);
		vtb_process_other_engine(p);
	}
	return r < 0 ? r : run_batch(p, b, err);
}

/* Until all may go at once some may have to go one by one. */
int vtb_batch_run(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	int r = 0;

	while (r >= 0 && b->n && vtb_owned_at_once(p, b) < b->n)
		r = run_some(p, b, err);
	if (r < 0)
		return r;
	return vtb_series_pays(p, b) ? run_series(p, b, err) : run_batch(p, b, err);
}
