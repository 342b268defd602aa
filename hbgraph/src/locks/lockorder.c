/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/lockorder.h"

#include <errno.h>

#include <stdlib.h>

#include "held.h"
#include "lock_cycles.h"
#include "vtb/array.h"
#include "vtb/hash.h"

struct building {
	const struct vtb_trace *trace;
	struct vtb_lockorder *lo;
	struct held held;
	struct vtb_map64 known; /* hash of what makes an edge -> edge */
	uint32_t *gates;        /* set of each edge */
	size_t n_gates, cap_gates;
};

/* What makes two askings one edge. */
struct identity {
	uint32_t held, wanted, thread, held_site, wanted_site, gates, modes;
};

const char *vtb_cycle_state_text(enum vtb_cycle_state state)
{
	static const char *const texts[] = {
		[VTB_CYCLE_POSSIBLE] = "can deadlock",
		[VTB_CYCLE_SAME_THREAD] = "cannot deadlock: one thread takes both orders",
		[VTB_CYCLE_GATE] = "cannot deadlock: another lock keeps the threads apart",
		[VTB_CYCLE_READERS] = "cannot deadlock: readers do not exclude each other",
		[VTB_CYCLE_ORDERED] = "cannot deadlock: thread creation or join orders the threads",
	};

	return texts[state];
}

/* Does the event ask for a lock and wait until it has it? */
static bool asks(const struct vtb_event *e, bool *ret_read, bool *ret_blocked)
{
	const unsigned kind = e->kind == VTB_E_BLOCK || e->kind == VTB_E_PENDING ? e->aux : e->kind;

	*ret_read = kind == VTB_E_RDLOCK;
	*ret_blocked = kind != e->kind;
	return kind == VTB_E_LOCK || kind == VTB_E_TIMEDLOCK || kind == VTB_E_RDLOCK || kind == VTB_E_WRLOCK;
}

static struct identity identity_of(const struct vtb_lock_edge *edge, uint32_t gates)
{
	return (struct identity){
		.held = edge->held,
		.wanted = edge->wanted,
		.thread = edge->thread,
		.held_site = edge->held_site,
		.wanted_site = edge->wanted_site,
		.gates = gates,
		.modes = edge->held_read + 2u * edge->wanted_read,
	};
}

static bool same(const struct building *b, size_t at, const struct identity *id)
{
	const struct identity other = identity_of(&b->lo->edges[at], b->gates[at]);

	return other.held == id->held && other.wanted == id->wanted && other.thread == id->thread &&
	       other.held_site == id->held_site && other.wanted_site == id->wanted_site && other.gates == id->gates &&
	       other.modes == id->modes;
}

static int append(struct building *b, const struct vtb_lock_edge *edge, uint32_t gates)
{
	if (vtb_array_room(b->lo, edges) < 0 || vtb_array_room(b, gates) < 0)
		return -ENOMEM;
	b->gates[b->n_gates++] = gates;
	b->lo->edges[b->lo->n_edges] = *edge;
	b->lo->edges[b->lo->n_edges++].count = 1;
	return 0;
}

static int count_edge(struct building *b, const struct vtb_lock_edge *edge, uint32_t gates)
{
	const struct identity id = identity_of(edge, gates);
	const uint32_t fresh = (uint32_t)b->lo->n_edges;

	for (uint64_t key = vtb_hash(&id, sizeof(id));; key++) {
		const uint64_t *at = vtb_map64_put(&b->known, key, fresh);

		if (!at)
			return -ENOMEM;
		if (*at == fresh)
			return append(b, edge, gates);
		if (same(b, *at, &id)) {
			b->lo->edges[*at].count++;
			b->lo->edges[*at].blocked |= edge->blocked;
			return 0;
		}
	}
}

static int add_edge(struct building *b, const struct vtb_event *e, size_t i, const struct held_lock *lock, bool read,
                    bool blocked)
{
	const struct held_thread *held = held_by(&b->held, e->thread);
	int64_t gates = sets_remove(b->lo->sets, held->exclusive, lock->var);
	struct vtb_lock_edge edge = {
		.held = lock->var,
		.wanted = e->var,
		.thread = e->thread,
		.held_site = b->trace->events[lock->event].site,
		.wanted_site = e->site,
		.held_event = lock->event,
		.wanted_event = i,
		.held_read = lock->read,
		.wanted_read = read,
		.blocked = blocked,
	};

	if (gates >= 0)
		gates = sets_remove(b->lo->sets, (uint32_t)gates, e->var);
	return gates < 0 ? (int)gates : count_edge(b, &edge, (uint32_t)gates);
}

static int look_at(struct building *b, size_t i)
{
	const struct vtb_event *e = &b->trace->events[i];
	const struct held_thread *held = held_by(&b->held, e->thread);
	bool read, blocked;

	if (e->kind > VTB_E_FENCE && e->var != VTB_NONE && asks(e, &read, &blocked))
		for (size_t k = 0; k < held->n_locks; k++) {
			if (held->locks[k].var == e->var && !blocked) /* a recursive mutex taken again */
				continue;
			if (add_edge(b, e, i, &held->locks[k], read, blocked) < 0)
				return -ENOMEM;
		}
	return held_feed(&b->held, e, i);
}

static int build(struct building *b)
{
	int r = sets_init(b->lo->sets);

	b->held.sets = b->lo->sets;
	for (size_t i = 0; r >= 0 && i < b->trace->n_events; i++)
		r = look_at(b, i);
	for (size_t i = 0; r >= 0 && i < b->lo->n_edges; i++)
		b->lo->edges[i].gates.ids = sets_members(b->lo->sets, b->gates[i], &b->lo->edges[i].gates.n);
	return r;
}

int vtb_lockorder_of(const struct vtb_trace *trace, struct vtb_lockorder *ret)
{
	struct vtb_lockorder lo = { .sets = calloc(1, sizeof(*lo.sets)) };
	struct building b = { .trace = trace, .lo = &lo };
	int r = lo.sets ? build(&b) : -ENOMEM;

	held_fini(&b.held);
	vtb_map64_fini(&b.known);
	free(b.gates);
	if (r >= 0)
		r = lock_cycles_find(&lo, trace);
	if (r < 0)
		vtb_lockorder_fini(&lo);
	else
		*ret = lo;
	return r < 0 ? r : 0;
}

void vtb_lockorder_fini(struct vtb_lockorder *lo)
{
	free(lo->edges);
	free(lo->cycles);
	if (lo->sets)
		sets_fini(lo->sets);
	free(lo->sets);
	*lo = (struct vtb_lockorder){ 0 };
}
