/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops: which iterations a thread gets. They are counted from 0 here, whatever the program counts by; start and step
 * are words of two's complement, so that signed and unsigned loops are one.
 */
#include "omp.h"

static uint64_t count(uint64_t distance, uint64_t step)
{
	return distance / step + (distance % step != 0);
}

struct omp_loop omp_loop_signed(long start, long end, long step, unsigned schedule, long chunk)
{
	struct omp_loop l = { (uint64_t)start, (uint64_t)end, (uint64_t)step, 0, (uint64_t)chunk, schedule, false };

	if (step > 0 && start < end)
		l.total = count(l.end - l.start, l.step);
	else if (step < 0 && start > end)
		l.total = count(l.start - l.end, -l.step);
	return l;
}

struct omp_loop omp_loop_unsigned(bool up, uint64_t start, uint64_t end, uint64_t step, unsigned schedule,
                                  uint64_t chunk)
{
	struct omp_loop l = { start, end, step, 0, chunk, schedule, false };

	if (up && start < end)
		l.total = count(end - start, step);
	else if (!up && start > end)
		l.total = count(start - end, -step);
	return l;
}

void omp_loop_fill(struct omp_share *s, const struct omp_loop *l)
{
	s->total = l->total;
	s->start = l->start;
	s->end = l->end;
	s->step = l->step;
	s->schedule = l->schedule == OMP_AUTO ? (unsigned)OMP_STATIC : l->schedule;
	s->chunk = l->chunk || s->schedule == OMP_STATIC ? l->chunk : 1;
	s->ordered = l->ordered;
}

void omp_loop_begin(const struct omp_loop *loop)
{
	struct omp_place *p = omp_place();

	if (omp_share_enter(p))
		omp_loop_fill(p->share, loop);
	omp_share_entered(p);
}

/* ---- the next iterations: n of them from *first */

/* One block each, the first ones larger by one. */
static uint64_t next_block(struct omp_place *p, uint64_t *first)
{
	const struct omp_share *s = p->share;
	const uint64_t each = s->total / p->team->threads, more = s->total % p->team->threads;

	if (p->blocks++)
		return 0;
	*first = p->id * each + (p->id < more ? p->id : more);
	p->number = p->id;
	return each + (p->id < more);
}

static uint64_t next_in_turn(struct omp_place *p, uint64_t *first)
{
	const struct omp_share *s = p->share;
	const uint64_t number = p->blocks++ * p->team->threads + p->id;

	*first = number * s->chunk;
	p->number = number;
	if (number > s->total / s->chunk || *first >= s->total)
		return 0;
	return s->total - *first < s->chunk ? s->total - *first : s->chunk;
}

/* With the lock held, or nobody else there. */
static uint64_t take(struct omp_share *s, uint64_t wanted, uint64_t *first)
{
	const uint64_t left = s->total - s->taken, n = wanted < left ? wanted : left;

	*first = s->taken;
	s->taken += n;
	return n;
}

static uint64_t share_of_rest(const struct omp_place *p)
{
	const struct omp_share *s = p->share;
	const uint64_t left = s->total - s->taken;
	const uint64_t n = left / p->team->threads + (left % p->team->threads != 0);

	return n < s->chunk ? s->chunk : n;
}

static uint64_t next_locked(struct omp_place *p, uint64_t *first)
{
	struct omp_share *s = p->share;
	uint64_t n;

	n = take(s, s->schedule == OMP_GUIDED ? share_of_rest(p) : s->chunk, first);
	p->number = s->handed_out++;
	return n;
}

/* So that what all add together cannot overflow. */
static bool adds_up(const struct omp_place *p)
{
	const struct omp_share *s = p->share;

	return s->total < UINT64_MAX / 2 && s->chunk < UINT64_MAX / 2 / (p->team->threads + 1ull);
}

static uint64_t next_added(struct omp_share *s, uint64_t *first)
{
	*first = vtb_library_add(&s->taken, s->chunk);
	if (*first >= s->total)
		return 0;
	return s->total - *first < s->chunk ? s->total - *first : s->chunk;
}

static uint64_t next(struct omp_place *p, uint64_t *first, bool locked)
{
	struct omp_share *s = p->share;

	if (s->schedule == OMP_STATIC)
		return s->chunk ? next_in_turn(p, first) : next_block(p, first);
	return locked ? next_locked(p, first) : next_added(s, first);
}

/* One thread at a time? */
static bool takes_turns(const struct omp_place *p)
{
	const struct omp_share *s = p->share;

	if (s->schedule == OMP_STATIC)
		return s->ordered && omp_is_shared(p) && p->number != OMP_NONE;
	return s->schedule == OMP_GUIDED || s->ordered || !omp_is_shared(p) || !adds_up(p);
}

bool omp_loop_next(uint64_t *from, uint64_t *to)
{
	struct omp_place *p = omp_place();
	const struct omp_share *s = p->share;
	const bool locked = takes_turns(p);
	uint64_t first = 0, n;

	if (locked)
		omp_lock(p->team);
	if (s->ordered && omp_is_shared(p) && p->number != OMP_NONE)
		omp_turn_done(p);
	n = next(p, &first, locked);
	if (locked)
		omp_unlock(p->team);
	if (!n) {
		p->number = OMP_NONE;
		return false;
	}
	*from = s->start + first * s->step;
	*to = first + n == s->total ? s->end : *from + n * s->step;
	return true;
}
