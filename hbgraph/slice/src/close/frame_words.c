/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of frames that are variables: private ones (slots.c) that every instruction reads and writes as a whole. Which
 * are private is known when all values are; then values are found once more, with these as variables. So what a
 * compiler keeps in a word for a while is told from what it keeps there later.
 */
#include <errno.h>
#include <stdlib.h>

#include "closure.h"
#include "vtb/array.h"

static bool is_simple(const struct vtb_ops *o)
{
	return o->code != OPS_XCHG && o->code != OPS_XADD && o->code != OPS_CMPXCHG && !o->rep;
}

/* Is the access one to all of the word, of which it is understood what it leaves there? */
static bool is_whole(const struct closure *c, uint32_t i, const struct touch *t, const struct slot *slot)
{
	const struct vtb_ops *o = &c->s->p->insns[i].ops;

	for (unsigned k = 0; k < o->n_access; k++)
		if (o->access[k].partial)
			return false;
	return t->frame == slot->lo && (int64_t)t->size == slot->hi - slot->lo && (t->size == 4 || t->size == 8) &&
	       (!t->writes || is_simple(o));
}

static uint32_t slot_of(const struct closure *c, uint32_t i, const struct touch *t)
{
	const struct program *p = c->s->p;

	return !t->sure || t->frame >= 0
	           ? NONE
	           : slots_at(c, p->blocks[p->insns[i].block].function, t->frame, t->frame + (int32_t)t->size);
}

static void refuse_odd(const struct closure *c, bool *odd)
{
	struct touch t[TOUCHES];

	for (uint32_t i = 0; i < c->s->p->n_insns; i++) {
		const int n = solve_touches(c->s, i, t);

		for (int k = 0; k < n; k++) {
			const uint32_t slot = slot_of(c, i, &t[k]);

			if (slot != NONE)
				odd[slot] |= !is_whole(c, i, &t[k], &c->slots[slot]);
		}
	}
}

static int number(struct closure *c, const bool *odd, uint32_t *word)
{
	struct program *p = c->s->p;

	for (size_t k = 0; k < c->n_slots; k++) {
		word[k] = NONE;
		if (c->slots[k].exposed || odd[k])
			continue;
		if (vtb_array_room(p, words) < 0)
			return -ENOMEM;
		p->words[p->n_words] = (struct word){ c->slots[k].lo, (uint32_t)(c->slots[k].hi - c->slots[k].lo) };
		word[k] = (uint32_t)p->n_words++;
	}
	return 0;
}

static int assign(struct closure *c, const uint32_t *word)
{
	struct program *p = c->s->p;

	p->reads_word = malloc((p->n_insns + 1) * sizeof(*p->reads_word));
	p->writes_word = malloc((p->n_insns + 1) * sizeof(*p->writes_word));
	if (!p->reads_word || !p->writes_word)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n_insns; i++) {
		p->reads_word[i] = c->reads_slot[i] == NONE ? NONE : word[c->reads_slot[i]];
		p->writes_word[i] = c->writes_slot[i] == NONE ? NONE : word[c->writes_slot[i]];
	}
	return 0;
}

int words_find(struct solve *s)
{
	struct closure c = { .s = s };
	int r = slots_find(&c);
	bool *odd = calloc(c.n_slots + 1, sizeof(*odd));
	uint32_t *word = malloc((c.n_slots + 1) * sizeof(*word));

	if (!odd || !word)
		r = -ENOMEM;
	if (r >= 0) {
		refuse_odd(&c, odd);
		r = number(&c, odd, word);
	}
	if (r >= 0)
		r = assign(&c, word);
	free(odd);
	free(word);
	closure_fini(&c);
	return r;
}
