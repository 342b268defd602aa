/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What operations touch, as cells: objects and byte ranges. A range is found by its 8-byte granules. */
#include <errno.h>
#include <stdlib.h>

#include "dpor.h"
#include "vtb/array.h"
#include "vtb/rng.h"

#define GRANULE 8u
#define GRANULES_MAX 64u /* a longer range is compared with every access */

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

uint32_t vtb_dpor_newest(const struct dpor *d, uint32_t object)
{
	const uint32_t link = first_link(d, object_key(object));

	return link == DPOR_NONE ? DPOR_NONE : d->cells[d->links[link].cell].head;
}

/* Of all operations. */
static int64_t world_cell(struct dpor *d)
{
	const int64_t cell = d->world ? d->world - 1 : object_cell(d, DPOR_WORLD_VAR);

	d->world = cell < 0 ? 0 : (uint32_t)cell + 1;
	return cell;
}

static int own_object(struct dpor *d, struct dpor_own *own, uint32_t var)
{
	const int64_t cell = var == DPOR_WORLD_VAR ? world_cell(d) : object_cell(d, var);

	if (cell < 0)
		return (int)cell;
	own->cells[own->n++] = (uint32_t)cell;
	return meet(d, (uint32_t)cell);
}

static bool is_data(const struct vtb_event_info *info)
{
	return info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	       info->family == VTB_FAMILY_HEAP;
}

/* Fills d->met and `own`. */
int vtb_dpor_find_cells(struct dpor *d, const struct dpor_op *op, struct dpor_own *own)
{
	const struct vtb_event *e = &op->event;
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const bool exact = e->addr && !(e->flags & (VTB_EVF_ADDR_SYMBOLIC | VTB_EVF_ADDR_UNKNOWN));
	int r = own_object(d, own, DPOR_WORLD_VAR);

	if (!info || !(info->flags & (VTB_EV_READS | VTB_EV_WRITES) || e->kind == VTB_E_THREAD_BEGIN))
		return r;
	if (r >= 0 && info->family == VTB_FAMILY_IO)
		r = own_object(d, own, DPOR_IO_VAR);
	else if (r >= 0 && e->var != VTB_NONE && (!is_data(info) || d->symbolic || !e->size)) {
		own->parts |= is_data(info) ? 1u << own->n : 0;
		r = own_object(d, own, e->var);
	}
	if (r >= 0 && vtb_dpor_locks_file(e)) { /* two of them do not meet there */
		own->parts |= 1u << own->n;
		r = own_object(d, own, DPOR_IO_VAR);
	}
	if (r >= 0 && info->family == VTB_FAMILY_SIGNAL) { /* what there is to be taken, by a signalfd, too */
		own->parts |= vtb_dpor_only_pends(e) ? 1u << own->n : 0; /* two of them do not meet there */
		r = own_object(d, own, DPOR_IO_VAR);
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
