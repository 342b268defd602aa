/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A series of schedules in one slot (vtb/wire.h): posted like one, and what came of it. */
#include "server_arena.h"

#include "vtb/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where its events lie in the slot's area, and which run it is. */
static bool makes_sense(const struct server *s, const struct vtb_wire_told *told, uint32_t done)
{
	return told->events_at <= arena_pages(s->opts.events_bytes) && told->run < done;
}

/* Everything is copied before it is looked at, and nothing of it is believed. */
static int copy_out(struct server *s, uint32_t i, uint32_t runs, struct server_series *ret)
{
	const struct vtb_wire_slot *slot = arena_slot(s, i);
	const struct vtb_wire_series *from = vtb_block_at(&s->block, arena_series(s, i), sizeof(*from));
	const uint32_t done = __atomic_load_n(&slot->runs_done, __ATOMIC_ACQUIRE),
	               told = *(const volatile uint32_t *)&from->told;
	int r = told > VTB_SERIES_TOLD || done > runs ? -VTB_E_FORMAT : 0;

	if (r < 0)
		return r;
	s->output_used = slot->output_used;
	ret->done = done;
	ret->told = told;
	memcpy(ret->classes, from->classes, done * sizeof(*ret->classes));
	memcpy(ret->runs, from->runs, told * sizeof(*ret->runs));
	for (uint32_t k = 0; r >= 0 && k < told; k++)
		r = makes_sense(s, &ret->runs[k], done) ? 0 : -VTB_E_FORMAT;
	return r;
}

int vtb_server_take_told(struct server *s, const struct server_series *r, uint32_t k, struct server_result *ret)
{
	const struct vtb_wire_told *told = &r->runs[k];
	const uint64_t room = arena_pages(s->opts.events_bytes), at = told->events_at & ~7ull;
	uint64_t used;

	ret->outcome = told->outcome;
	used = vtb_server_in_room(told->events_used, room - at, &ret->outcome);
	ret->outcome.message[sizeof(ret->outcome.message) - 1] = 0;
	return vtb_server_expand(s, vtb_block_at(&s->block, arena_events(s, r->area) + at, used), used, ret);
}

struct server_result *vtb_server_keep_told(struct server *s, const struct server_series *r, uint32_t k)
{
	struct server_result *kept = calloc(1, sizeof(*kept));

	if (!kept || vtb_server_take_told(s, r, k, kept) >= 0)
		return kept;
	free(kept);
	return NULL;
}

void vtb_server_forget(struct server *s)
{
	free(s->prints);
	free(s->spare);
	s->prints = s->spare = NULL;
	s->n_prints = s->cap_prints = 0;
}

uint64_t *vtb_server_print(struct server *s, uint32_t class)
{
	if (class >= VTB_PRINTS_MAX || vtb_array_extend(s, prints, class + 1u, 0) < 0)
		return NULL;
	return &s->prints[class];
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
		ret->area = arena_of_series(s, s->taken++);
		r = copy_out(s, i, runs, ret);
	}
	if (r >= 0)
		return 0;
	vtb_server_stop(s);
	return SERVER_LOST;
}
