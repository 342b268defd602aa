/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/state_set.h"

#include "vtb/rng.h"

void vtb_state_set_forget(struct vtb_state_set *s)
{
	const size_t limit = s->set.limit;

	vtb_hash_set_fini(&s->set);
	s->set.limit = limit;
	s->met = s->unknown = 0;
}

void vtb_state_set_begin(struct vtb_state_set *s, const struct vtb_exec *x)
{
	s->x = x;
	s->next = 0;
}

/* Two different mixes of `also`: as many bits as the fingerprint has. */
static struct vtb_hash128 with(const struct vtb_exec_state *state, uint64_t also)
{
	return (struct vtb_hash128){ also ? vtb_mix64(state->lo + also) : state->lo,
		                     also ? vtb_mix64(state->hi ^ vtb_mix64(also)) : state->hi };
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
	r = vtb_hash_set_add(&s->set, with(&s->x->states[s->next], also), &new);
	*ret_met = r >= 0 && !new;
	s->met += *ret_met;
	return r;
}
