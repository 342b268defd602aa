/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

void blind_state_fini(struct blind_state *s)
{
	free(s->slots);
	free(s->told);
	*s = (struct blind_state){ 0 };
}

int blind_state_copy(struct blind_state *to, const struct blind_state *from)
{
	const int r = vtb_array_extend(to, slots, from->n_slots, (struct blind_slot){ 0 });

	if (r < 0 || vtb_array_extend(to, told, from->n_told, (struct blind_told){ 0 }) < 0)
		return -ENOMEM;
	memcpy(to->regs, from->regs, sizeof(to->regs));
	if (from->n_slots)
		memcpy(to->slots, from->slots, from->n_slots * sizeof(*to->slots));
	if (from->n_told)
		memcpy(to->told, from->told, from->n_told * sizeof(*to->told));
	to->n_slots = from->n_slots;
	to->n_told = from->n_told;
	to->reached = from->reached;
	to->changes = 0;
	return 0;
}

/* ---- where paths meet */

/* Of one place where it differs, on the ways seen so far and on one more. */
struct pair {
	struct blind_value *to, from;
	uint64_t place;
};

struct pairs {
	struct pair items[OPS_GPRS + BLIND_SLOTS];
	size_t n;
};

static void add_pair(struct pairs *p, struct blind_value *to, struct blind_value from, uint64_t place)
{
	if (!blind_equal(*to, from))
		p->items[p->n++] = (struct pair){ to, from, place };
}

static void collect(struct blind_state *to, const struct blind_state *from, struct pairs *ret)
{
	struct blind_value other;

	ret->n = 0;
	for (uint32_t i = 0; i < OPS_GPRS; i++)
		add_pair(ret, &to->regs[i], from->regs[i], i);
	for (size_t i = 0; i < to->n_slots; i++) {
		struct blind_slot *slot = &to->slots[i];

		if (blind_slot_get(from, slot->at, slot->size, &other))
			add_pair(ret, &slot->holds, other,
			         ((uint64_t)slot->at.form << 32 ^ (uint64_t)slot->at.offset) + OPS_GPRS);
	}
}

/* it = times * of + rest, on both ways. */
struct relation {
	const struct pair *of; /* NULL: there is none */
	int64_t times;
	struct blind_value rest;
};

static int64_t step(const struct pair *p)
{
	return (int64_t)((uint64_t)p->from.offset - (uint64_t)p->to->offset);
}

static uint64_t size_of(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* How often `of` goes into `it`, if it may: a place may only refer to one that changes less, or that comes before. What
 * was found on the ways before is tried again. */
static int64_t times_of(const struct blind_values *v, const struct pair *it, const struct pair *of, uint64_t block)
{
	const bool steps = it->to->form == it->from.form, of_steps = of->to->form == of->from.form;
	const int64_t before =
	    blind_met_times(v, *of->to, block, of->place) == 1 ? blind_met_times(v, *it->to, block, of->place) : 0;

	if (before)
		return before;
	if (!steps || !of_steps)
		return !steps && !of_steps && of < it;
	if (!step(of) || step(it) % step(of) || (size_of(step(it)) == size_of(step(of)) && of > it))
		return 0;
	return step(it) / step(of);
}

static struct relation find_relation(struct blind_values *v, const struct pairs *p, const struct pair *it,
                                     uint64_t block)
{
	struct relation r = { 0 };

	for (const struct pair *of = p->items; of < p->items + p->n; of++) {
		r.times = of == it ? 0 : times_of(v, it, of, block);
		if (!r.times)
			continue;
		if (!blind_sums_equal(v, (struct blind_value[]){ *it->to, *of->to },
		                      (struct blind_value[]){ it->from, of->from }, -r.times))
			continue;
		r.rest = blind_sum(v, *it->to, *of->to, -r.times);
		if (blind_met_times(v, r.rest, block, UINT64_MAX))
			continue;
		r.of = of;
		return r;
	}
	return (struct relation){ 0 };
}

#define DEPTH 8u    /* of places that refer to others that refer to others */
#define RELATED 24u /* changes: then what places hold is told by their own names alone, or some would never settle */

static struct blind_value meet_value(struct blind_values *v, const struct pairs *p, const struct pair *it,
                                     uint64_t block, uint32_t depth)
{
	struct blind_value met;
	struct relation r;

	r = depth < DEPTH ? find_relation(v, p, it, block) : (struct relation){ 0 };
	if (r.of)
		return blind_sum(v, r.rest, meet_value(v, p, r.of, block, depth + 1), r.times);
	met = blind_atom(v, BLIND_MET, block, it->place, 0, blind_own(v, *it->to) && blind_own(v, it->from));
	return met.form == it->to->form ? *it->to : met; /* it has had that name before */
}

/* Two values become one that has a name of its own; what one place holds may be told by another's, as that of a pointer
 * which goes along an array is by that of the index. */
static bool meet_values(struct blind_values *v, const struct pairs *p, uint64_t block, bool related)
{
	struct blind_value met[OPS_GPRS + BLIND_SLOTS];
	bool changed = false;

	for (size_t i = 0; i < p->n; i++)
		met[i] = meet_value(v, p, &p->items[i], block, related ? 0 : DEPTH);
	for (size_t i = 0; i < p->n; i++) {
		changed |= !blind_equal(met[i], *p->items[i].to);
		*p->items[i].to = met[i];
	}
	return changed;
}

static bool keep_common_slots(struct blind_state *to, const struct blind_state *from)
{
	const size_t before = to->n_slots;
	struct blind_value other;
	size_t n = 0;

	for (size_t i = 0; i < before; i++)
		if (blind_slot_get(from, to->slots[i].at, to->slots[i].size, &other))
			to->slots[n++] = to->slots[i];
	to->n_slots = n;
	return n != before;
}

static const struct blind_told *find_told(const struct blind_state *s, uint32_t form, int64_t at, uint8_t mode)
{
	for (size_t i = s->n_told; i-- > 0;)
		if (s->told[i].form == form && at >= s->told[i].lo && at < s->told[i].hi && s->told[i].mode & mode)
			return &s->told[i];
	return NULL;
}

static bool meet_told(struct blind_state *to, const struct blind_state *from)
{
	const size_t before = to->n_told;
	bool changed = false;
	size_t n = 0;

	for (size_t i = 0; i < before; i++) {
		struct blind_told told = to->told[i];
		const struct blind_told *other;
		const struct blind_value at = { told.form, told.lo };

		if (!blind_is_told(from, at, (uint64_t)(told.hi - told.lo), told.mode) ||
		    (told.table && !blind_is_table(from, at)))
			continue;
		other = find_told(from, told.form, told.lo, told.mode); /* none, if it is of no bytes */
		told.used &= !other || other->used;
		changed |= told.used != to->told[i].used;
		to->told[n++] = told;
	}
	to->n_told = n;
	return changed || n != before;
}

int blind_state_meet(struct blind_values *v, struct blind_state *to, const struct blind_state *from, uint64_t block)
{
	struct pairs pairs;
	bool changed = false;
	int r;

	if (!from->reached)
		return 0;
	if (!to->reached) {
		r = blind_state_copy(to, from);
		return r < 0 ? r : 1;
	}
	changed |= keep_common_slots(to, from);
	collect(to, from, &pairs);
	changed |= meet_values(v, &pairs, block, to->changes < RELATED);
	changed |= meet_told(to, from);
	to->changes += changed;
	return changed;
}

/* ---- places on the stack */

bool blind_slot_get(const struct blind_state *s, struct blind_value at, int64_t size, struct blind_value *ret)
{
	for (size_t i = 0; i < s->n_slots; i++)
		if (blind_equal(s->slots[i].at, at) && s->slots[i].size == size) {
			*ret = s->slots[i].holds;
			return true;
		}
	return false;
}

void blind_slot_lose(struct blind_state *s, struct blind_value at, int64_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_slots; i++) {
		const struct blind_slot *slot = &s->slots[i];

		if (slot->at.form != at.form || slot->at.offset >= at.offset + size ||
		    at.offset >= slot->at.offset + slot->size)
			s->slots[n++] = *slot;
	}
	s->n_slots = n;
}

int blind_slot_set(struct blind_state *s, struct blind_value at, int64_t size, struct blind_value holds)
{
	int r;

	blind_slot_lose(s, at, size);
	if (s->n_slots == BLIND_SLOTS)
		memmove(s->slots, s->slots + 1, --s->n_slots * sizeof(*s->slots));
	r = vtb_array_room(s, slots);
	if (r >= 0)
		s->slots[s->n_slots++] = (struct blind_slot){ at, holds, size };
	return r;
}

/* ---- what hooks tell */

int blind_tell(struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode, bool table)
{
	int r = vtb_array_room(s, told);

	if (r >= 0)
		s->told[s->n_told++] =
		    (struct blind_told){ at.form, at.offset, at.offset + (int64_t)size, mode, table, false };
	return r;
}

void blind_forget_reads(struct blind_state *s, struct blind_value at, uint64_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_told; i++) {
		struct blind_told told = s->told[i];

		if (told.form == at.form && told.lo < at.offset + (int64_t)size && at.offset < told.hi)
			told.mode &= OPS_WRITES;
		if (told.mode)
			s->told[n++] = told;
	}
	s->n_told = n;
}

bool blind_is_told(const struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode)
{
	int64_t next = at.offset;

	for (uint8_t one = OPS_READS; one <= OPS_WRITES; one++) {
		if (!(mode & one))
			continue;
		for (next = at.offset; next < at.offset + (int64_t)size;) {
			const struct blind_told *told = find_told(s, at.form, next, one);

			if (!told)
				return false;
			next = told->hi;
		}
	}
	return true;
}

bool blind_is_table(const struct blind_state *s, struct blind_value at)
{
	const struct blind_told *told = find_told(s, at.form, at.offset, OPS_READS);

	return told && told->table;
}

/* The last one of them, of which no instruction has made the access. */
static const struct blind_told *find_unused(const struct blind_state *s, uint64_t size, uint8_t mode)
{
	for (size_t i = s->n_told; i-- > 0;)
		if (!s->told[i].used && s->told[i].mode & mode && (uint64_t)(s->told[i].hi - s->told[i].lo) == size)
			return &s->told[i];
	return NULL;
}

bool blind_is_explained(const struct blind_state *s, uint64_t size, uint8_t mode)
{
	for (uint8_t one = OPS_READS; one <= OPS_WRITES; one++)
		if (mode & one && !find_unused(s, size, one))
			return false;
	return true;
}

static void use_told(struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode)
{
	for (size_t i = 0; i < s->n_told; i++) {
		struct blind_told *told = &s->told[i];

		told->used |= told->form == at.form && told->lo < at.offset + (int64_t)size && at.offset < told->hi &&
		              told->mode & mode;
	}
}

void blind_use(struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode)
{
	if (blind_is_told(s, at, size, mode)) {
		use_told(s, at, size, mode);
		return;
	}
	for (uint8_t one = OPS_READS; one <= OPS_WRITES; one++) {
		const struct blind_told *told = mode & one ? find_unused(s, size, one) : NULL;

		if (told)
			s->told[told - s->told].used = true;
	}
}
