/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work items of the strategy cvt: their store, their schedules, their place in the order of search. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "strategy_cvt.h"
#include "vtb/array.h"
#include "vtb/orders.h"
#include "vtb/rng.h"

int64_t cvt_take_item(struct cvt *s)
{
	if (s->free_items != CVT_NONE) {
		const uint32_t id = s->free_items;

		s->free_items = s->items[id].children;
		return id;
	}
	if (s->n_items >= s->limit)
		return -VTB_E_LIMIT;
	if (vtb_array_room(s, items) < 0)
		return -ENOMEM;
	return (int64_t)s->n_items++;
}

void cvt_drop(struct cvt *s, uint32_t c)
{
	s->dropped++;
	s->whole = c < s->whole ? c : s->whole;
}

void cvt_forget_past(struct cvt_item *item)
{
	if (item->past)
		vtb_past_fini(item->past);
	free(item->past);
	item->past = NULL;
}

void cvt_free_item(struct cvt *s, uint32_t id)
{
	while (id != CVT_NONE && s->items[id].run && s->items[id].children == 0) {
		const uint32_t parent = s->items[id].parent;

		cvt_forget_past(&s->items[id]);
		s->items[id].children = s->free_items;
		s->free_items = id;
		if (parent != CVT_NONE)
			s->items[parent].children--;
		id = parent;
	}
}

int cvt_chain(struct cvt *s, uint32_t id)
{
	s->n_chain = 0;
	for (uint32_t i = id; i != CVT_NONE; i = s->items[i].parent) {
		if (vtb_array_room(s, chain) < 0)
			return -ENOMEM;
		s->chain[s->n_chain++] = i;
	}
	for (size_t i = 0, j = s->n_chain - 1; i < j; i++, j--) {
		const uint32_t x = s->chain[i];

		s->chain[i] = s->chain[j];
		s->chain[j] = x;
	}
	return 0;
}

int cvt_list(struct cvt *s, uint32_t id)
{
	const struct cvt_cast *cast = cvt_cast(s, id);
	int r = cvt_chain(s, id);

	if (r < 0)
		return r;
	s->n_list = 0;
	if (vtb_array_extend(s, list, (size_t)cast->n + s->n_chain, 0) < 0)
		return -ENOMEM;
	s->n_list = cast->n;
	if (cast->n_top)
		vtb_order(cast->n_top, s->items[id].order, cast->enumerate, s->space->opts->seed, s->list);
	for (uint32_t i = 0; i < cast->n; i++)
		s->list[i] = cast->threads[i < cast->n_top ? s->list[i] : i];
	s->n_fragments = 0;
	s->rest_at = cast->n_top;
	for (size_t i = 1; i < s->n_chain; i++) {
		const uint32_t place = s->items[s->chain[i]].place;

		if (!cvt_has_fragment(&s->items[s->chain[i]]))
			continue;
		memmove(s->list + place + 1, s->list + place, (s->n_list - place) * sizeof(*s->list));
		s->list[place] = s->n_fragments++ | VTB_RANK_FRAGMENT_BIT;
		s->rest_at += place <= s->rest_at;
		s->n_list++;
	}
	return 0;
}

/* Whom time or chance lets go on becomes a new fragment above all others: else the switch back would cost once more. */
static int deviate(struct vtb_schedule *s, const struct cvt_item *item)
{
	const bool wakes = vtb_deviation_wakes(item->kind);
	const uint32_t target = wakes ? item->target : item->kind == VTB_DEV_WAITER ? item->place : 0;
	int r = vtb_schedule_deviate(s, item->after, item->index, (enum vtb_deviation_kind)item->kind, target,
	                             item->var == VTB_CHANCE_CLOCK ? VTB_NONE : item->var, item->costs);

	if (r >= 0 && wakes)
		r = vtb_schedule_deviate(s, item->target, item->next, VTB_DEV_DEMOTE, 0, VTB_NONE, 0);
	return r;
}

int cvt_schedule(struct cvt *s, uint32_t id, struct vtb_schedule *ret)
{
	int r = cvt_list(s, id);

	ret->policy = VTB_SCHEDULE_PRIORITY;
	for (size_t i = 0; r >= 0 && i < s->n_list; i++) {
		r = vtb_array_room(ret, ranks);
		if (r >= 0)
			ret->ranks[ret->n_ranks++] = s->list[i];
	}
	for (size_t i = 1; r >= 0 && i < s->n_chain; i++) {
		const struct cvt_item *item = &s->items[s->chain[i]];

		r = deviate(ret, item);
	}
	ret->tuple = (struct vtb_tuple){ .l = s->items[id].l, .c = s->items[id].c, .v = s->items[id].v };
	return r;
}

bool cvt_charged(const struct cvt *s, uint32_t id, uint32_t var)
{
	for (uint32_t i = id; s->items[i].parent != CVT_NONE; i = s->items[i].parent)
		if (s->items[i].costs && s->items[i].var == var)
			return true;
	return false;
}

bool cvt_counted(const struct cvt *s, uint32_t id, uint32_t var)
{
	for (uint32_t i = id; s->items[i].parent != CVT_NONE; i = s->items[i].parent)
		if (s->items[i].counts && s->items[i].var == var)
			return true;
	return false;
}

uint32_t cvt_loop(const struct cvt *s, uint32_t var)
{
	const struct vtb_symtab *tab = s->space->tab;
	uint32_t object;

	if (var >= tab->n_variables)
		return 0;
	object = tab->variables[var].object;
	if (object >= tab->n_objects || tab->objects[object].kind != VTB_OBJ_HEAP)
		return 0;
	return tab->objects[object].loop;
}

#define CLASS_ALONE VTB_COVERAGE_CLASSES /* behind what only runs have not shown to be shared: the code says so */
#define CLASS_IDLE 7u                    /* behind all classes: it cannot matter to a failure */

/* How promising the variables of V are: the least promising counts, and how rare they are together. */
struct weight {
	uint32_t turn, class, accesses;
};

static uint32_t most_of(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t class_of(const struct cvt *s, uint32_t var)
{
	const enum vtb_coverage_class class = vtb_coverage_class(s->space->coverage, var);

	if (!matters_variable(s->space, var))
		return CLASS_IDLE;
	return class == VTB_COVERAGE_UNSHARED && !matters_reached(s->space, var) ? CLASS_ALONE : class;
}

static struct weight weigh(const struct cvt *s, uint32_t id)
{
	const struct vtb_coverage *c = s->space->coverage;
	struct weight w = { .turn = s->items[id].late };

	for (uint32_t i = id; !s->space->opts->dynamic && s->items[i].parent != CVT_NONE; i = s->items[i].parent) {
		const uint32_t var = s->items[i].var;

		if (!s->items[i].counts || cvt_counted(s, s->items[i].parent, var))
			continue;
		w.turn = most_of(w.turn, vtb_coverage_stage(c, var));
		w.class = most_of(w.class, class_of(s, var));
		w.accesses += vtb_coverage_most(c, var);
	}
	w.accesses = w.accesses < 0xffff ? w.accesses : 0xffff;
	return w;
}

/* Orders come in stages of growing size, so that every V is tried with a few orders before any is tried with many:
 * 0-1, 2-7, 8-31, 32-127 ... */
static uint32_t stage(uint32_t order)
{
	uint32_t s = 0;

	for (uint32_t end = 2; order >= end && s < 15; end *= 4)
		s++;
	return s;
}

static uint32_t chance(const struct cvt *s, uint32_t id)
{
	while (s->items[id].parent != CVT_NONE && !s->items[id].costs)
		id = s->items[id].parent;
	return s->items[id].parent == CVT_NONE || s->items[id].kind == VTB_DEV_DEMOTE
	           ? 0
	           : 1 + vtb_chance_class(s->items[id].kind);
}

static bool has_free_demotion(const struct cvt *s, uint32_t id)
{
	const bool beyond = s->items[id].beyond;

	for (; s->items[id].parent != CVT_NONE; id = s->items[id].parent)
		if (!(beyond ? s->items[id].costs : s->items[id].counts))
			return true;
	return false;
}

/* Before whatever follows from the item: the next level, or the free demotions of the last one. */
static uint64_t reopened_key(const struct cvt *s, const struct cvt_item *item)
{
	const struct cvt_cast *cast = &s->casts[item->cast];
	const bool last = item->stops >= s->max_c;
	const uint64_t key = (uint64_t)item->l << CVT_KEY_L |
	                     (uint64_t)cvt_level(cast, item->stops + !last) << CVT_KEY_C |
	                     (uint64_t)(item->places < 15 ? item->places : 15) << CVT_KEY_V;

	return last ? key | 1ull << CVT_KEY_BEYOND | 1ull << CVT_KEY_DULL | 1ull << CVT_KEY_FREE : key;
}

/*
 * The order of search as one number:
 *
 *      l   beyond   c   v   dull   free   chance   stage   turn of V   class of V   accesses of V   reads   0
 *      4     1      5   4    1      1       3        4          4           3            16          1    17 bits
 *
 * c: with symmetric threads the level of cvt_level(). c and v count hand-overs, but not *beyond*.
 * dull: the last stop goes unnoticed. reads: of solo casts only, it comes after an operation that writes nothing:
 * nothing is left half done. chance: 0 for thread switches, then the kinds in their order (chances.h), of the last
 * deviation that costs. turn: the first variables of each kind
 * (coverage.h), and of stops at one site for one variable the first ones. v, turn, class, accesses: 0 if the
 * variables are chosen dynamically. Free demotions (other fragments of the same tuple), and what builds on them, come
 * after those schedules of [CVT13] of that level that somebody may notice, and before those that nobody does.
 */
int cvt_push(struct cvt *s, uint32_t id)
{
	const struct cvt_item *item = &s->items[id];
	const uint32_t c = item->beyond ? item->c : item->stops, places = item->beyond ? item->v : item->places;
	const uint64_t v = s->space->opts->dynamic ? 0 : places < 15 ? places : 15;
	struct weight w;
	uint64_t key;

	if (item->reopened)
		return vtb_heap_push(&s->queue, reopened_key(s, item), id);
	w = weigh(s, id);
	key = (uint64_t)item->l << CVT_KEY_L | (uint64_t)item->beyond << CVT_KEY_BEYOND |
	      (uint64_t)cvt_level(cvt_cast(s, id), c) << CVT_KEY_C | v << CVT_KEY_V;
	key |= (uint64_t)item->dull << CVT_KEY_DULL | (uint64_t)has_free_demotion(s, id) << CVT_KEY_FREE;
	key |= (uint64_t)chance(s, id) << CVT_KEY_CHANCE;
	key |= (uint64_t)stage(item->order) << CVT_KEY_STAGE | (uint64_t)w.turn << CVT_KEY_TURN |
	       (uint64_t)w.class << CVT_KEY_CLASS | (uint64_t)w.accesses << CVT_KEY_ACCESSES;
	if (cvt_cast(s, id)->role == CVT_SOLO)
		key |= (uint64_t)item->reads << CVT_KEY_READS;
	return vtb_heap_push(&s->queue, key, id);
}
