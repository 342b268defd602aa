/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The policies pos (pos_walk.h) and surw (vtb/walk.h) on the real program: what each thread is about to do, as the
 * walks see it.
 *
 *   vtb_walk.walkers   one for each thread, in the order of creation; what its next operation touches is looked at once
 *   vtb_walk.pos       the same for policy pos, which is told what has changed
 *   vtb_walk.enabled   the enabled ones at the last choice, a bit each: another bit is a walker to look at again
 *   vtb_walk.totals    surw, by path of the schedule: interesting operations of the thread and of all it creates
 */
#include "scheduler.h"
#include "pos_walk.h"

static struct {
	struct vtb_walker *walkers;
	struct vtb_pos_walk pos;
	uint64_t *enabled;
	uint32_t n, cap;
	uint32_t intended;
	uint64_t *totals;
} vtb_walk VTB_RUN;

/* A child's path stands after its parent's, so one pass from the end adds up whole families. */
static void add_up(void)
{
	const uint32_t n = vtb_sched.schedule->paths;

	vtb_walk.totals = vtb_rt_alloc_aside((n + 1) * sizeof(*vtb_walk.totals));
	for (uint32_t i = n; vtb_walk.totals && i-- > 0;) {
		const uint32_t parent = vtb_sched.paths[i].parent;

		vtb_walk.totals[i] += i < vtb_sched.schedule->weights ? vtb_sched.weights[i] : 0;
		if (parent < i)
			vtb_walk.totals[parent] += vtb_walk.totals[i];
	}
}

void vtb_walk_begin(void)
{
	vtb_walk.walkers = NULL;
	vtb_walk.enabled = NULL;
	vtb_walk.n = vtb_walk.cap = 0;
	vtb_walk.intended = VTB_WALK_NOBODY;
	vtb_walk.totals = NULL;
	if (vtb_sched.schedule->policy == VTB_POLICY_SURW)
		add_up();
}

static uint32_t words_of(uint32_t n)
{
	return (n + 63) / 64;
}

static bool make_room(uint32_t n)
{
	const uint32_t cap = n < 8 ? 16 : 2 * n;
	struct vtb_walker *walkers;
	struct vtb_pos_walk pos;
	uint64_t *enabled;

	if (n <= vtb_walk.cap)
		return true;
	walkers = vtb_rt_alloc_aside(cap * sizeof(*walkers) + (words_of(cap) + vtb_pos_words(cap)) * sizeof(*enabled));
	if (!walkers)
		return false;
	enabled = (uint64_t *)(walkers + cap);
	vtb_pos_place(&pos, enabled + words_of(cap), cap);
	for (uint32_t i = 0; i < vtb_walk.n; i++)
		walkers[i] = vtb_walk.walkers[i];
	for (uint32_t i = 0; i < words_of(vtb_walk.n); i++)
		enabled[i] = vtb_walk.enabled[i];
	vtb_pos_copy(&pos, &vtb_walk.pos, vtb_walk.n);
	vtb_walk.walkers = walkers;
	vtb_walk.pos = pos;
	vtb_walk.enabled = enabled;
	vtb_walk.cap = cap;
	return true;
}

static uint64_t weight_of(const struct vtb_rt_thread *t)
{
	return t->sched.path != VTB_NO_PATH && vtb_walk.totals ? vtb_walk.totals[t->sched.path] : 0;
}

static bool is_interesting(const struct vtb_call *call)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;

	for (uint32_t i = 0; i < s->interesting_count; i++)
		if (vtb_sched.pcs[s->interesting_first + i] == call->pc)
			return true;
	return false;
}

/* True: it is at another operation than before. */
static bool look_closely(struct vtb_walker *w, const struct vtb_rt_thread *t)
{
	const struct vtb_call *call = t->sched.call;

	w->alive = t->base.state == VTB_T_ALIVE && call;
	w->enabled = w->alive && t->sched.enabled;
	if (!w->alive || w->op == t->sched.ops)
		return false;
	w->op = t->sched.ops;
	w->lo = (uint64_t)call->obj;
	w->hi = w->lo + (call->prim ? 1 : call->size_log2 == VTB_REC_SIZE_IN_ARG ? call->arg : 1ull << call->size_log2);
	w->writes = call->kind != VTB_E_READ && call->kind != VTB_E_ATOMIC_LOAD;
	w->interesting = is_interesting(call);
	return true;
}

static void look_at(uint32_t i, const struct vtb_rt_thread *t)
{
	struct vtb_walker *w = &vtb_walk.walkers[i];
	const bool moved = look_closely(w, t);

	vtb_pos_look_at(&vtb_walk.pos, i, w, moved);
}

/* Threads that have been created since the last choice. */
static bool catch_up(void)
{
	if (!make_room(vtb_rt.n_threads))
		return false;
	for (; vtb_walk.n < vtb_rt.n_threads; vtb_walk.n++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[vtb_walk.n];

		vtb_walk.walkers[vtb_walk.n] = (struct vtb_walker){ .op = UINT32_MAX };
		vtb_walk_born(vtb_walk.walkers, t->base.parent == VTB_NO_PATH ? VTB_WALK_NOBODY : t->base.parent,
		              vtb_walk.n, weight_of(t), &vtb_walk.intended, &vtb_sched.random);
		look_at(vtb_walk.n, t);
	}
	return true;
}

/* Who is at an operation that has been looked at, and has not gone on since, is still there: pos, by the bit. Returns
 * those of word k that are to be looked at. */
static uint64_t flip_known(uint32_t k, uint64_t changed, uint64_t now)
{
	struct vtb_pos_walk *p = &vtb_walk.pos;
	const uint64_t known = vtb_sched.schedule->policy == VTB_POLICY_POS ? changed & p->alive[k] : 0;

	p->enabled[k] = (p->enabled[k] & ~known) | (now & known);
	return changed & ~known;
}

/* Those that can go on now and could not, or the other way round. */
static void look_at_changed(void)
{
	const uint64_t *now = vtb_ready_slots();

	for (uint32_t k = 0; k < words_of(vtb_walk.n); k++) {
		uint64_t bits = flip_known(k, now[k] ^ vtb_walk.enabled[k], now[k]);

		for (; bits; bits &= bits - 1) {
			const uint32_t i = 64 * k + (uint32_t)__builtin_ctzll(bits);

			look_at(i, vtb_rt.threads[i]);
		}
		vtb_walk.enabled[k] = now[k];
	}
}

/* Whether it can go on is known from here on: what was known at the last choice may come back before the next one. */
void vtb_walk_look_at(const struct vtb_rt_thread *t)
{
	const uint32_t i = t->base.slot;

	if (i >= vtb_walk.n)
		return;
	look_at(i, t);
	vtb_walk.enabled[i / 64] &= ~(1ull << i % 64);
	vtb_walk.enabled[i / 64] |= (uint64_t)t->sched.enabled << i % 64;
}

void vtb_walk_look_at_all(void)
{
	for (uint32_t i = 0; i < vtb_walk.n; i++)
		vtb_walk_look_at(vtb_rt.threads[i]);
}

/* Of its own, so that a choice among few is short. */
static __attribute__((noinline)) uint32_t among_many(void)
{
	return vtb_pos_walk_of_many(&vtb_walk.pos, vtb_walk.n, &vtb_sched.random);
}

struct vtb_rt_thread *vtb_walk_choose(const struct vtb_rt_thread *t)
{
	uint32_t i;

	if (!catch_up())
		return NULL;
	vtb_walk_look_at(t);
	look_at_changed();
	if (vtb_sched.schedule->policy == VTB_POLICY_POS)
		i = vtb_walk.pos.places ? among_many() : vtb_pos_walk_of_few(&vtb_walk.pos, &vtb_sched.random);
	else
		i = vtb_walk_surw(vtb_walk.walkers, vtb_walk.n, &vtb_walk.intended, &vtb_sched.random);
	return i == VTB_WALK_NOBODY ? NULL : vtb_rt.threads[i];
}
