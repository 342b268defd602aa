/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread of a stepped run was made by whom, by the log of calls. */
#include "events_private.h"

#include <errno.h>
#include <stdlib.h>

/* The pthread_create whose child `slot` is: the first not yet taken, before the child's birth, with its routine and
 * argument. */
static void find_parent(struct recovered *ev, uint32_t slot, size_t birth)
{
	const struct vtb_pt_recording *rec = ev->rec;
	struct recovered_slot *s = &ev->slots[slot];

	for (size_t i = 0; i < birth; i++) {
		const struct vtb_pt_log *l = &rec->log[i];

		if (l->function != VTB_PT_FN_THREAD_CREATE || l->phase != VTB_PT_PHASE_ENTRY ||
		    ev->child_of[i] != VTB_NONE)
			continue;
		if (l->regs[2] == s->start && l->regs[3] == s->arg && l->slot < rec->n_tids && l->slot != slot) {
			ev->child_of[i] = slot;
			s->parent = l->slot;
			return;
		}
	}
}

static const struct vtb_pt_birth *birth_of(const struct recovered *ev, uint32_t slot)
{
	return slot < ev->rec->n_births && ev->rec->births[slot].parent != VTB_PT_NONE ? &ev->rec->births[slot] : NULL;
}

static uint32_t nth_child(const struct recovered *ev, uint32_t parent, uint32_t nth)
{
	for (uint32_t s = 0; s < ev->rec->n_tids; s++)
		if (birth_of(ev, s) && birth_of(ev, s)->parent == parent && birth_of(ev, s)->nth == nth)
			return s;
	return VTB_NONE;
}

/* A thread's pthread_create calls and its children come in the same order; calls that fail have none. */
static int match_children(struct recovered *ev)
{
	const struct vtb_pt_recording *rec = ev->rec;
	struct {
		size_t call; /* its call that has not returned */
		uint32_t n;
	} *last = calloc(rec->n_tids + 1, sizeof(*last));

	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < rec->n_log; i++) {
		const struct vtb_pt_log *l = &rec->log[i];

		if (l->function != VTB_PT_FN_THREAD_CREATE || l->slot >= rec->n_tids)
			continue;
		if (l->phase == VTB_PT_PHASE_ENTRY) {
			last[l->slot].call = i;
			ev->child_of[i] = nth_child(ev, l->slot, last[l->slot].n++);
		} else if (l->phase == VTB_PT_PHASE_RETURN && l->regs[0] && last[l->slot].n) {
			ev->child_of[last[l->slot].call] = VTB_NONE;
			last[l->slot].n--;
		}
	}
	free(last);
	return 0;
}

static int find_threads(struct recovered *ev)
{
	const struct vtb_pt_recording *rec = ev->rec;

	for (size_t i = 0; i < rec->n_log; i++)
		ev->child_of[i] = VTB_NONE;
	for (uint32_t s = 0; s < rec->n_tids; s++)
		ev->slots[s] = (struct recovered_slot){ .parent = VTB_NONE, .thread = VTB_NONE };
	if (match_children(ev) < 0)
		return -ENOMEM;
	for (uint32_t s = 0; s < rec->n_tids; s++)
		if (birth_of(ev, s))
			ev->slots[s].parent = birth_of(ev, s)->parent;
	for (size_t i = 0; i < rec->n_log; i++) {
		const struct vtb_pt_log *l = &rec->log[i];

		if (l->slot >= rec->n_tids)
			continue;
		if (l->phase == VTB_PT_PHASE_START || !ev->slots[l->slot].fs_base)
			ev->slots[l->slot].fs_base = l->fs_base;
		if (l->function == VTB_PT_FN_START_ROUTINE && !ev->slots[l->slot].start) {
			ev->slots[l->slot].start = l->ip;
			ev->slots[l->slot].arg = l->regs[0];
			if (!birth_of(ev, l->slot))
				find_parent(ev, l->slot, i);
		}
	}
	return 0;
}

/* Ids in the order of slots: a parent's slot is smaller than its child's. Threads of unknown origin count as main's
 * children. */
static int name_threads(struct recovered *ev)
{
	for (uint32_t s = 0; s < ev->rec->n_tids; s++) {
		struct recovered_slot *slot = &ev->slots[s];
		int64_t id;
		int r;

		if (s && (slot->parent == VTB_NONE || slot->parent >= s))
			slot->parent = 0;
		if (s)
			slot->nth = birth_of(ev, s) ? birth_of(ev, s)->nth : ev->slots[slot->parent].n_children;
		if (s)
			ev->slots[slot->parent].n_children++;
		id = vtb_symtab_thread(&ev->trace->tab, s ? ev->slots[slot->parent].thread : VTB_NONE, slot->nth);
		if (id < 0)
			return (int)id;
		slot->thread = (uint32_t)id;
		r = vtb_ingest_set_slot(ev->in, s, slot->thread);
		if (r < 0)
			return r;
	}
	return 0;
}

int recovered_threads(struct recovered *ev)
{
	const int r = find_threads(ev);

	return r < 0 ? r : name_threads(ev);
}
