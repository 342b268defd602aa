/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a block that have a form of their own: the view of files, going in; a run's events, coming out. */
#include "server.h"

#include "vtb/blind_code.h"
#include "vtb/call_sites.h"
#include "vtb/records.h"

#include "futex.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MSEC 20u        /* between two looks at what a run has written, */
#define SPARE_MAX (4u << 20) /* bytes of events of which the memory is kept for the next run */
#define LOOK_TIMES 20u       /* and so many times as long as one takes */

/* A process for each run mounts it once, a server of runs leaves it and has each run mount its own. */
void vtb_server_set_view(const struct server *s, struct vtb_fsview *v)
{
	v->flags = 0;
	if (!s->opts.view || !s->opts.view->plan.flags)
		return;
	*v = s->opts.view->plan;
	if (v->disk)
		memcpy(v->text + v->disk, s->room, strlen(s->room) + 1); /* vtb_view_choose() has left room for it */
	if (s->opts.engine == VTB_ENGINE_EXEC)
		v->flags &= ~(uint32_t)VTB_FSVIEW_EACH;
	else
		v->flags |= VTB_FSVIEW_SERVES;
}

/* Each server writes in a room of its own. */
int vtb_server_make_room(struct server *s, struct vtb_error *err)
{
	int r;

	if (s->room[0] || !s->opts.view || !s->opts.view->plan.disk)
		return 0;
	r = vtb_scratch_add_room(s->opts.view->scratch, s->room, sizeof(s->room));
	if (r < 0) {
		s->room[0] = 0;
		return vtb_error_set(err, r, NULL, 0, "no room can be made in --scratch: %s", vtb_strerror(r));
	}
	return 0;
}

bool vtb_server_room_is_full(struct server *s)
{
	const uint64_t now = vtb_now_msec();

	if (!s->room[0] || s->room_full || now < s->look_again)
		return s->room_full;
	s->room_full = vtb_scratch_is_full(s->room, s->opts.view->limit);
	s->look_again = vtb_now_msec() + LOOK_MSEC + LOOK_TIMES * (vtb_now_msec() - now);
	return s->room_full;
}

/* The memory of the run before, while it is in the cache. */
static uint64_t *room_for(struct server *s, size_t bytes)
{
	uint64_t *spare = s->spare;

	s->spare = NULL;
	if (spare && malloc_usable_size(spare) >= bytes)
		return spare;
	free(spare);
	return malloc(bytes + bytes / 4);
}

void vtb_server_give_back(struct server *s, uint64_t *words)
{
	if (!words || s->spare || malloc_usable_size(words) > SPARE_MAX) {
		free(words);
		return;
	}
	s->spare = words;
}

uint64_t vtb_server_in_room(uint64_t used, uint64_t room, struct vtb_wire_outcome *outcome)
{
	if (used > room)
		outcome->flags |= VTB_OUT_TRUNCATED;
	return (used < room ? used : room) & ~7ull;
}

/* The events as they are if a short record in them cannot be: who reads them says so. */
int vtb_server_expand(struct server *s, const uint64_t *words, uint64_t bytes, struct server_result *ret)
{
	const struct vtb_record_sites sites = { .sites = s->opts.sites ? s->opts.sites->sites : NULL,
		                                .n_sites = s->opts.sites ? s->opts.sites->n_sites : 0,
		                                .bias = s->block.header->sites_bias,
		                                .values = true };
	const size_t n = bytes / 8;

	ret->words = room_for(s, (n + n / 2 + 1) * sizeof(*words));
	if (!ret->words)
		return -ENOMEM;
	if (vtb_records_copy(words, n, &sites, ret->words, &ret->n_words) < 0) {
		memcpy(ret->words, words, n * sizeof(*words));
		ret->n_words = n;
	}
	return 0;
}

void vtb_server_set_blinds(struct server *s)
{
	const size_t n = s->opts.blind ? s->opts.blind->n_sites : 0;
	void *to = vtb_block_at(&s->block, s->block.areas.blinds.offset, s->block.areas.blinds.size);

	if (!n || !to || n * sizeof(struct vtb_wire_blind) > s->block.areas.blinds.size)
		return;
	memcpy(to, s->opts.blind->sites, n * sizeof(struct vtb_wire_blind));
	s->block.header->blinds.used = n;
}

void vtb_server_set_breaks(struct server *s, const struct vtb_wire_break *breaks, size_t n)
{
	void *to = vtb_block_at(&s->block, s->block.areas.breaks.offset, s->block.areas.breaks.size);

	s->opts.breaks = breaks;
	s->opts.n_breaks = n;
	if (n > s->block.areas.breaks.size / sizeof(*breaks))
		n = s->block.areas.breaks.size / sizeof(*breaks);
	if (n)
		memcpy(to, breaks, n * sizeof(*breaks));
	__atomic_store_n(&s->block.header->breaks.used, n, __ATOMIC_RELEASE);
}
