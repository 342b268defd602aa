/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the operations of a run depend on, as clocks, and which pairs of them can be turned round. Every object and byte range has a
 * history; an operation walks back on those that it touches until the rest is known to come before it, so that long runs
 * cost no more per operation than short ones.
 */
#include "dpor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"

#define GRANULE 8u
#define GRANULES_MAX 64u /* a longer range is compared with every access */

void vtb_dpor_order_fini(struct dpor *d)
{
	free(d->cells);
	free(d->touches);
	free(d->slots);
	free(d->links);
	free(d->wide);
	free(d->met);
	free(d->candidates);
	free(d->races);
}

/* ---- cells by key */

static struct dpor_slot *find_slot(struct dpor_slot *slots, size_t n, uint64_t key)
{
	for (size_t i = (size_t)vtb_mix64(key) & (n - 1);; i = (i + 1) & (n - 1))
		if (!slots[i].key || slots[i].key == key)
			return &slots[i];
}

static int grow_slots(struct dpor *d)
{
	const size_t n = d->n_slots ? 2 * d->n_slots : 256;
	struct dpor_slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_slots; i++)
		if (d->slots[i].key)
			*find_slot(slots, n, d->slots[i].key) = d->slots[i];
	free(d->slots);
	d->slots = slots;
	d->n_slots = n;
	return 0;
}

static uint32_t first_link(const struct dpor *d, uint64_t key)
{
	const struct dpor_slot *slot = d->n_slots ? find_slot(d->slots, d->n_slots, key) : NULL;

	return slot && slot->key ? slot->first : DPOR_NONE;
}

static int add_link(struct dpor *d, uint64_t key, uint32_t cell)
{
	struct dpor_slot *slot;

	if (2 * (d->used_slots + 1) > d->n_slots && grow_slots(d) < 0)
		return -ENOMEM;
	if (vtb_array_room(d, links) < 0)
		return -ENOMEM;
	slot = find_slot(d->slots, d->n_slots, key);
	if (!slot->key) {
		*slot = (struct dpor_slot){ key, DPOR_NONE };
		d->used_slots++;
	}
	d->links[d->n_links] = (struct dpor_link){ cell, slot->first };
	slot->first = (uint32_t)d->n_links++;
	return 0;
}

#define OBJECT_KEY (UINT64_C(1) << 63)
#define WORLD_VAR (VTB_NONE - 1) /* no variable has these ids */
#define IO_VAR (VTB_NONE - 2)

static uint64_t object_key(uint32_t var)
{
	return OBJECT_KEY | var;
}

static uint64_t granule_key(uint64_t granule)
{
	return granule + 1;
}

static uint64_t granules_of(const struct dpor_cell *c)
{
	return (c->addr + c->size - 1) / GRANULE - c->addr / GRANULE + 1;
}

static int add_cell(struct dpor *d, struct dpor_cell cell)
{
	const uint32_t id = (uint32_t)d->n_cells;

	if (vtb_array_room(d, cells) < 0)
		return -ENOMEM;
	cell.head = DPOR_NONE;
	d->cells[d->n_cells++] = cell;
	if (!cell.addr)
		return add_link(d, object_key(cell.var), id);
	if (granules_of(&cell) > GRANULES_MAX) {
		if (vtb_array_room(d, wide) < 0)
			return -ENOMEM;
		d->wide[d->n_wide++] = id;
		return 0;
	}
	for (uint64_t g = cell.addr / GRANULE; g <= (cell.addr + cell.size - 1) / GRANULE; g++)
		if (add_link(d, granule_key(g), id) < 0)
			return -ENOMEM;
	return 0;
}

/* ---- what an operation touches: cells of its own, and others that overlap */

static int meet(struct dpor *d, uint32_t cell)
{
	if (d->cells[cell].met_by == d->relations)
		return 0;
	if (vtb_array_room(d, met) < 0)
		return -ENOMEM;
	d->cells[cell].met_by = d->relations; /* a block that is freed may have as many cells as the run has accesses */
	d->met[d->n_met++] = cell;
	return 0;
}

static int64_t object_cell(struct dpor *d, uint32_t var)
{
	uint32_t link = first_link(d, object_key(var));
	int r = 0;

	if (link == DPOR_NONE)
		r = add_cell(d, (struct dpor_cell){ .var = var });
	return r < 0 ? r : (int64_t)(link == DPOR_NONE ? d->n_cells - 1 : d->links[link].cell);
}

static bool overlaps(const struct dpor_cell *c, uint64_t addr, uint64_t size)
{
	return c->addr && (c->addr < addr ? addr - c->addr < c->size : c->addr - addr < size);
}

static int meet_if(struct dpor *d, uint32_t cell, uint64_t addr, uint64_t size)
{
	return overlaps(&d->cells[cell], addr, size) ? meet(d, cell) : 0;
}

/* Every cell that shares a byte with the range; its own, which may be new, is returned. */
static int64_t meet_range(struct dpor *d, uint64_t addr, uint32_t size)
{
	const struct dpor_cell like = { .addr = addr, .size = size, .var = VTB_NONE };
	const size_t first = d->n_met;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < d->n_wide; i++)
		r = meet_if(d, d->wide[i], addr, size);
	if (granules_of(&like) > GRANULES_MAX) {
		for (uint32_t c = 0; r >= 0 && c < d->n_cells; c++)
			r = meet_if(d, c, addr, size);
	} else {
		for (uint64_t g = addr / GRANULE; r >= 0 && g <= (addr + size - 1) / GRANULE; g++)
			for (uint32_t l = first_link(d, granule_key(g)); r >= 0 && l != DPOR_NONE; l = d->links[l].next)
				r = meet_if(d, d->links[l].cell, addr, size);
	}
	for (size_t i = first; r >= 0 && i < d->n_met; i++)
		if (d->cells[d->met[i]].addr == addr && d->cells[d->met[i]].size == size)
			return d->met[i];
	if (r >= 0)
		r = add_cell(d, like);
	if (r >= 0)
		r = meet(d, (uint32_t)d->n_cells - 1);
	return r < 0 ? r : (int64_t)d->n_cells - 1;
}

struct own { /* cells in whose history an operation leaves itself */
	uint32_t cells[4];
	unsigned n;
	unsigned parts; /* bit k: cells[k] is an object of which it touches a part only */
};

static int own_object(struct dpor *d, struct own *own, uint32_t var)
{
	const int64_t cell = object_cell(d, var);

	if (cell < 0)
		return (int)cell;
	own->cells[own->n++] = (uint32_t)cell;
	return meet(d, (uint32_t)cell);
}

static bool is_data(const struct vtb_event_info *info)
{
	return info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC || info->family == VTB_FAMILY_HEAP;
}

/* Fills d->met and `own`. */
static int find_cells(struct dpor *d, const struct dpor_op *op, struct own *own)
{
	const struct vtb_event *e = &op->event;
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const bool exact = e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
	int r = own_object(d, own, WORLD_VAR);

	if (!info || !(info->flags & (VTB_EV_READS | VTB_EV_WRITES) || e->kind == VTB_E_THREAD_BEGIN))
		return r;
	if (r >= 0 && info->family == VTB_FAMILY_IO)
		r = own_object(d, own, IO_VAR);
	else if (r >= 0 && e->var != VTB_NONE && (!is_data(info) || d->symbolic || !e->size)) {
		own->parts |= is_data(info) ? 1u << own->n : 0;
		r = own_object(d, own, e->var);
	}
	if (r >= 0 && (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE) && e->aux != VTB_NONE)
		r = own_object(d, own, e->aux);
	if (r >= 0 && exact) {
		const int64_t cell = meet_range(d, e->addr, e->size ? e->size : 1);

		if (cell >= 0)
			own->cells[own->n++] = (uint32_t)cell;
		r = cell < 0 ? (int)cell : 0;
	}
	return r;
}

/* ---- races and clocks */

static void join(uint32_t *clock, const uint32_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		clock[i] = clock[i] < other[i] ? other[i] : clock[i];
}

/* Keep the levels met in descending order, each once. */
static int add_candidate(struct dpor *d, uint32_t level)
{
	size_t at;

	if (vtb_array_room(d, candidates) < 0)
		return -ENOMEM;
	for (at = d->n_candidates; at > 0 && d->candidates[at - 1] <= level; at--)
		if (d->candidates[at - 1] == level)
			return 0;
	memmove(d->candidates + at + 1, d->candidates + at, (d->n_candidates - at) * sizeof(*d->candidates));
	d->candidates[at] = level;
	d->n_candidates++;
	return 0;
}

static bool looks_only(const struct dpor_op *op)
{
	return (op->event.kind == VTB_E_READ || op->event.kind == VTB_E_ATOMIC_LOAD) && !vtb_dpor_is_global(op);
}

/* The newest touch at or below `t` that matters to an operation: what is only read may have been read as often as the run is long. */
static uint32_t skip_looks(const struct dpor *d, uint32_t t, bool look)
{
	return look && t != DPOR_NONE && d->touches[t].looks ? d->touches[t].other : t;
}

/* Back along the history of one cell, as long as something on it is not known to come before. */
static int walk_back(struct dpor *d, uint32_t cell, const struct dpor_op *op, uint32_t before, uint32_t *clock)
{
	const bool look = looks_only(op);
	int r = 0;

	for (uint32_t t = skip_looks(d, d->cells[cell].head, look); r >= 0 && t != DPOR_NONE; t = skip_looks(d, d->touches[t].below, look)) {
		const struct dpor_touch touch = d->touches[t];
		const struct dpor_level *l = &d->levels[touch.level];
		bool known = l->op.event.thread == op->event.thread || dpor_ordered(d, touch.level, before);

		if (!known && vtb_dpor_dependent(&l->op, op)) {
			join(clock, dpor_clock(d, touch.level), d->width);
			r = add_candidate(d, touch.level);
			known = vtb_dpor_coenabled(&l->op.event, &op->event) && vtb_dpor_feasible(d, touch.level, &op->event, before) == DPOR_CAN;
		}
		if (known && touch.writes) /* all that is older on this cell comes before that */
			break;
	}
	return r;
}

/* The last operation of every thread: what an operation that depends on everything meets. */
static int meet_everybody(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t *clock)
{
	int r = 0;

	for (uint32_t t = 0; r >= 0 && t < d->width; t++)
		if (d->last[t] && t != op->event.thread && !dpor_ordered(d, d->last[t] - 1, before)) {
			join(clock, dpor_clock(d, d->last[t] - 1), d->width);
			r = add_candidate(d, d->last[t] - 1);
		}
	return r;
}

/* Among the levels met: those that can be turned round, and lie behind no other such level. */
static int note_races(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t second)
{
	const size_t first_race = d->n_races;

	for (size_t k = 0; k < d->n_candidates; k++) {
		const uint32_t i = d->candidates[k];
		enum dpor_feasible feasible;
		bool behind = false;

		if (!vtb_dpor_coenabled(&d->levels[i].op.event, &op->event))
			continue;
		feasible = vtb_dpor_feasible(d, i, &op->event, before);
		for (size_t n = first_race; n < d->n_races && !behind; n++)
			behind = d->races[n].known && dpor_ordered(d, i, d->races[n].first + 1);
		if (behind || feasible == DPOR_CANNOT)
			continue;
		if (vtb_array_room(d, races) < 0)
			return -ENOMEM;
		d->races[d->n_races++] = (struct dpor_race){ .first = i, .second = second, .known = feasible == DPOR_CAN };
	}
	return 0;
}

static int relate(struct dpor *d, const struct dpor_op *op, uint32_t before, uint32_t second, uint32_t *clock, struct own *own)
{
	int r;

	if (before)
		memcpy(clock, dpor_clock(d, before - 1), d->width * sizeof(*clock));
	else
		memset(clock, 0, d->width * sizeof(*clock));
	d->n_met = d->n_candidates = 0;
	d->relations++;
	r = find_cells(d, op, own);
	for (size_t k = 0; r >= 0 && k < d->n_met; k++)
		r = walk_back(d, d->met[k], op, before, clock);
	if (r >= 0 && vtb_dpor_is_global(op))
		r = meet_everybody(d, op, before, clock);
	return r < 0 ? r : note_races(d, op, before, second);
}

static bool writes(const struct dpor_op *op)
{
	const struct vtb_event_info *info = vtb_event_info(op->event.kind);

	return info && info->flags & VTB_EV_WRITES && op->event.kind != VTB_E_IO_WRITE; /* two writes to different files do not meet */
}

static int leave(struct dpor *d, size_t level, uint32_t cell, bool writing)
{
	const uint32_t below = d->cells[cell].head;

	if (vtb_array_room(d, touches) < 0)
		return -ENOMEM;
	d->touches[d->n_touches] = (struct dpor_touch){ .level = (uint32_t)level, .cell = cell, .below = below, .other = skip_looks(d, below, true), .writes = writing, .looks = looks_only(&d->levels[level].op) };
	d->cells[cell].head = (uint32_t)d->n_touches++;
	return 0;
}

int vtb_dpor_order(struct dpor *d, size_t level)
{
	struct dpor_level *l = &d->levels[level];
	uint32_t *clock = d->clocks + level * d->width;
	struct own own = { .n = 0 };
	int r = relate(d, &l->op, l->before, (uint32_t)level, clock, &own);

	clock[l->op.event.thread] = l->index;
	if (r >= 0 && vtb_dpor_is_global(&l->op))
		r = leave(d, level, own.cells[0], true);
	for (unsigned k = 1; r >= 0 && k < own.n; k++)
		r = leave(d, level, own.cells[k], writes(&l->op) && !(own.parts >> k & 1));
	return r;
}

int vtb_dpor_order_pending(struct dpor *d, const struct dpor_op *op, size_t k)
{
	struct own own = { .n = 0 };

	return relate(d, op, d->last[op->event.thread], (uint32_t)(d->n_levels + k), d->pending_clock, &own);
}

void vtb_dpor_forget(struct dpor *d, size_t level)
{
	while (d->n_touches && d->touches[d->n_touches - 1].level >= level) {
		const struct dpor_touch *t = &d->touches[--d->n_touches];

		d->cells[t->cell].head = t->below;
	}
}
