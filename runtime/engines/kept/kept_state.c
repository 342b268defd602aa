/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept_state.h"

#include <sys/mman.h>

#include "base.h"
#include "scheduler.h"

/* By system calls of our own: the run's would be undone at its end. */
bool vtb_kept_room(struct vtb_kept_room *r, uint64_t size)
{
	char *at;

	if (size <= r->size)
		return true;
	size = (size + size / 4 + 4095) & ~4095ull;
	at = vtb_shared_pages(size);
	if (!at)
		return false;
	if (r->at)
		sys3(SYS_munmap, (long)r->at, (long)r->size, 0);
	*r = (struct vtb_kept_room){ at, size };
	return true;
}

void vtb_kept_note(struct vtb_kept_state *k)
{
	k->events_used = vtb_sched.slot->events_used;
	k->events_from = (uint64_t)vtb_slot_events(vtb_sched.slot);
	memcpy(&k->outcome, &vtb_sched.slot->outcome, sizeof(k->outcome));
}

bool vtb_kept_take(struct vtb_kept_state *k, void *rsp, uint64_t fs)
{
	vtb_dirty_look();
	if (!vtb_kept_room(&k->pages, vtb_dirty_bytes()) || !vtb_kept_room(&k->events, k->events_used))
		return false;
	vtb_dirty_keep(k->pages.at, &k->mark);
	memcpy(k->events.at, (const char *)k->events_from, k->events_used);
	k->rsp = rsp;
	k->fs = fs;
	return true;
}

void vtb_kept_resume(const struct vtb_kept_state *k, struct vtb_wire_slot *slot, void **ret_rsp, uint64_t *ret_fs)
{
	memcpy(vtb_slot_events(slot), k->events.at, k->events_used);
	slot->events_used = k->events_used;
	memcpy(&slot->outcome, &k->outcome, sizeof(slot->outcome));
	*ret_rsp = k->rsp;
	*ret_fs = k->fs;
}

/* What the last write of t leaves is still to come to one of these records, or to nowhere (stretches/stretch.c). */
static bool is_told(const struct vtb_kept_state *k, const struct vtb_rt_thread *t)
{
	return (uint64_t)((char *)t->base.written_word - (char *)k->events_from) < k->events_used;
}

void vtb_kept_move_in(const struct vtb_kept_state *k)
{
	struct vtb_wire_slot *slot = vtb_snapshot_slot();
	char *events = vtb_slot_events(slot);
	const int64_t shift = events - (char *)k->events_from;

	vtb_sched.slot = slot;
	vtb_sched.events = events;
	vtb_sched.stream.next = (uint64_t *)(events + slot->events_used);
	vtb_sched.stream.end = (uint64_t *)(events + vtb_slot_room(slot));
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.written_word && is_told(k, vtb_rt.threads[i]))
			vtb_rt.threads[i]->base.written_word =
			    (uint64_t *)((char *)vtb_rt.threads[i]->base.written_word + shift);
	vtb_tsc_go_on();
}
