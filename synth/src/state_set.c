/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state_set.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "rng.h"

#define FIRST_ROOM 1024u

void vtb_state_set_init(struct vtb_state_set *s, size_t memory)
{
	*s = (struct vtb_state_set){ .limit = FIRST_ROOM };
	while (s->limit * 2 * sizeof(*s->keys) <= memory)
		s->limit *= 2;
}

void vtb_state_set_fini(struct vtb_state_set *s)
{
	free(s->keys);
	*s = (struct vtb_state_set){ 0 };
}

static bool is_free(const struct vtb_hash128 *key)
{
	return !(key->lo | key->hi);
}

static struct vtb_hash128 *find(struct vtb_hash128 *keys, size_t room, struct vtb_hash128 key)
{
	for (size_t i = (size_t)vtb_mix64(key.lo) & (room - 1);; i = (i + 1) & (room - 1))
		if (is_free(&keys[i]) || (keys[i].lo == key.lo && keys[i].hi == key.hi))
			return &keys[i];
}

static bool is_full(const struct vtb_state_set *s)
{
	return 4 * (s->used + 1) > 3 * s->room;
}

static int grow(struct vtb_state_set *s)
{
	const size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct vtb_hash128 *keys = calloc(room, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < s->room; i++)
		if (!is_free(&s->keys[i]))
			*find(keys, room, s->keys[i]) = s->keys[i];
	free(s->keys);
	s->keys = keys;
	s->room = room;
	return 0;
}

int vtb_state_set_add(struct vtb_state_set *s, struct vtb_hash128 key, bool *ret_new)
{
	struct vtb_hash128 *place;

	key.lo += is_free(&key);
	if (is_full(s) && s->room < s->limit && grow(s) < 0)
		return -ENOMEM;
	place = find(s->keys, s->room, key);
	*ret_new = is_free(place);
	if (!*ret_new)
		return 0;
	if (is_full(s)) {
		s->not_kept++;
		return 0;
	}
	*place = key;
	s->used++;
	return 0;
}

double vtb_state_set_merged(const struct vtb_state_set *s)
{
	return ldexp((double)s->used * (double)s->used, -129);
}

void vtb_state_set_begin(struct vtb_state_set *s, const struct vtb_exec *x)
{
	s->x = x;
	s->next = 0;
}

/* Two different mixes of `also`: as many bits as the fingerprint has. */
static struct vtb_hash128 with(const struct vtb_exec_state *state, uint64_t also)
{
	return (struct vtb_hash128){ also ? vtb_mix64(state->lo + also) : state->lo, also ? vtb_mix64(state->hi ^ vtb_mix64(also)) : state->hi };
}

/* Could more than one go on? If not, nobody needs to know the state. */
static bool several(const struct vtb_exec *x, uint32_t row)
{
	int n = 0;

	for (uint32_t i = 0; i < x->stride; i++)
		n += __builtin_popcountll(x->enabled[(size_t)row * x->stride + i]);
	return n > 1;
}

int vtb_state_set_ask(struct vtb_state_set *s, uint32_t row, uint64_t also, bool *ret_met)
{
	bool new = true;
	int r = 0;

	*ret_met = false;
	while (s->next < s->x->n_states && s->x->states[s->next].row < row)
		s->next++;
	if (s->next == s->x->n_states || s->x->states[s->next].row != row) {
		s->unknown += several(s->x, row);
		return 0;
	}
	while (s->next + 1 < s->x->n_states && s->x->states[s->next + 1].row == row) /* decided again */
		s->next++;
	r = vtb_state_set_add(s, with(&s->x->states[s->next], also), &new);
	*ret_met = r >= 0 && !new;
	s->met += *ret_met;
	return r;
}
