/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who goes before whom in the schedule of a shot. */
#include <errno.h>

#include "aim.h"

static int add_rank(struct vtb_schedule *to, uint32_t rank)
{
	for (size_t i = 0; i < to->n_ranks; i++)
		if (to->ranks[i] == rank)
			return 0;
	if (vtb_array_room(to, ranks) < 0)
		return -ENOMEM;
	to->ranks[to->n_ranks++] = rank;
	return 0;
}

/* Not of who is woken in place of another one: it goes on by its own rank. */
static bool makes_fragment(const struct aim_stop *stop)
{
	return stop->chance != VTB_DEV_WAITER;
}

/* How many those before stop i make. */
static uint32_t fragments_before(const struct aim_shot *shot, uint32_t i)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < i; k++)
		n += makes_fragment(&shot->stops[k]);
	return n;
}

static int add_fragment(const struct aim_shot *shot, struct vtb_schedule *to, uint32_t i)
{
	return makes_fragment(&shot->stops[i]) ? add_rank(to, fragments_before(shot, i) | VTB_RANK_FRAGMENT_BIT) : 0;
}

/* Of stops [from, end). */
static int add_fragments(const struct aim_shot *shot, struct vtb_schedule *to, uint32_t from, uint32_t end)
{
	int r = 0;

	for (uint32_t i = from; r >= 0 && i < end; i++)
		r = add_fragment(shot, to, i);
	return r;
}

/* Those that go on soon: not who waits, unless it is the first, nor who was stopped after that. */
static uint32_t soon(const struct aim_shot *shot)
{
	uint32_t i = shot->soon && shot->n_stops && shot->stops[0].waits;

	while (shot->soon && i < shot->n_stops && !shot->stops[i].waits && !shot->stops[0].waits)
		i++;
	return i;
}

/* Whom time or chance lets go on goes on before all others. */
static int add_chances(const struct aim_shot *shot, struct vtb_schedule *to)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < shot->n_stops; i++)
		if (shot->stops[i].chance)
			r = add_fragment(shot, to, i);
	return r;
}

/* Of who waits again and again none. */
static uint32_t fragments_of_circle(const struct aim *s, const struct aim_shot *shot)
{
	return shot->n_circle && s->circles[shot->circle].chance ? 0 : shot->n_circle;
}

/* main creates the others, and waits for them: it goes before all but those that are to come before it. */
int aim_rank(const struct aim *s, const struct aim_shot *shot, struct vtb_schedule *to)
{
	const uint32_t n = s->space->coverage->n_threads;
	int r = add_chances(shot, to);

	if (r >= 0 && shot->second != 0 && shot->third != 0)
		r = add_rank(to, 0);
	if (r >= 0 && shot->first != VTB_NONE)
		r = add_rank(to, shot->first);
	if (r >= 0 && shot->second != VTB_NONE)
		r = add_rank(to, shot->second);
	if (r >= 0 && shot->third != VTB_NONE)
		r = add_rank(to, shot->third);
	r = r < 0 ? r : add_fragments(shot, to, 0, soon(shot));
	for (uint32_t t = 0; r >= 0 && t < n; t++)
		r = add_rank(to, t);
	r = r < 0 ? r : add_fragments(shot, to, soon(shot), shot->n_stops);
	for (uint32_t i = 0; r >= 0 && i < fragments_of_circle(s, shot); i++)
		r = add_rank(to, (fragments_before(shot, shot->n_stops) + i) | VTB_RANK_FRAGMENT_BIT);
	return r;
}
