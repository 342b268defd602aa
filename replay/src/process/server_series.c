/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series of schedules in one slot (vtb/wire.h): posted like one, and what came of it. */
#include "server_arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void vtb_server_series_fini(struct server_series *r)
{
	for (uint32_t i = 0; i < r->told; i++)
		free(r->results[i].words);
	r->told = 0;
}

/* Everything is copied before it is looked at, and nothing of it is believed. */
static int copy_told(struct server *s, uint32_t slot, const struct vtb_wire_told *told, uint32_t runs,
                     struct server_series *ret)
{
	const uint64_t room = arena_pages(s->opts.events_bytes);
	struct server_result *to = &ret->results[ret->told];
	const uint64_t at = told->events_at & ~7ull;
	uint64_t used = told->events_used & ~7ull;

	ret->runs[ret->told] = told->run;
	if (at > room || ret->runs[ret->told] >= runs)
		return -VTB_E_FORMAT;
	used = used < room - at ? used : room - at;
	to->outcome = told->outcome;
	to->outcome.message[sizeof(to->outcome.message) - 1] = 0;
	if (vtb_server_expand(s, vtb_block_at(&s->block, arena_events(s, slot) + at, used), used, to) < 0)
		return -ENOMEM;
	ret->told++;
	return 0;
}

static int copy_out(struct server *s, uint32_t i, const struct vtb_wire_slot *slot, uint32_t runs,
                    struct server_series *ret)
{
	const struct vtb_wire_series *from = vtb_block_at(&s->block, arena_series(s, i), sizeof(*from));
	const uint32_t done = __atomic_load_n(&slot->runs_done, __ATOMIC_ACQUIRE), told = from->told;
	int r = told > VTB_SERIES_TOLD || done > runs ? -VTB_E_FORMAT : 0;

	s->output_used = slot->output_used;
	ret->done = done;
	if (r >= 0)
		memcpy(ret->classes, from->classes, done * sizeof(*ret->classes));
	for (uint32_t k = 0; r >= 0 && k < told; k++)
		r = copy_told(s, i, &from->runs[k], done, ret);
	return r;
}

int vtb_server_take_series(struct server *s, uint32_t runs, struct server_series *ret, struct vtb_error *err)
{
	const uint32_t i = s->taken % s->opts.slots;
	bool killed = false;
	int status = 0, signal = 0, end;
	int r = -VTB_E_FORMAT;

	ret->done = ret->told = 0;
	end = vtb_server_wait_slot(s, arena_slot(s, i), &killed, &status, &signal);
	if (end < 0)
		return vtb_error_set(err, end, NULL, 0, "stopped");
	if (end == SERVER_DONE) {
		s->taken++;
		r = copy_out(s, i, arena_slot(s, i), runs, ret);
	}
	if (r >= 0)
		return 0;
	vtb_server_series_fini(ret);
	if (r == -ENOMEM)
		return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	vtb_server_stop(s);
	return SERVER_LOST;
}
