/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops with ordered parts. Who has a later chunk waits until those before it are done: asleep, and woken by the one
 * that it waits for.
 */
#include <stdarg.h>

#include "omp.h"

static bool is_next(const struct omp_place *p)
{
	return p->share->turn == p->number;
}

/* With the lock held. False: it is the turn, and the lock is given back. */
static bool await_turn(struct omp_place *p)
{
	while (!is_next(p))
		if (omp_sleep(p, &p->share->waits, (struct omp_sleeper){ .number = p->number }))
			return false;
	return true;
}

static void wake_next(struct omp_share *s)
{
	struct omp_sleeper **at = &s->waits;

	while (*at && (*at)->number != s->turn)
		at = &(*at)->next;
	omp_task_wake(at, true);
}

void omp_turn_done(struct omp_place *p)
{
	if (!await_turn(p))
		omp_lock(p->team);
	p->share->turn++;
	wake_next(p->share);
}

OMP_EXPORT void GOMP_ordered_start(void);
OMP_EXPORT void GOMP_ordered_start(void)
{
	struct omp_place *p = omp_place();

	if (!omp_is_shared(p) || !p->share || !p->share->ordered || p->number == OMP_NONE)
		return;
	omp_lock(p->team);
	if (await_turn(p))
		omp_unlock(p->team);
}

OMP_EXPORT void GOMP_ordered_end(void);
OMP_EXPORT void GOMP_ordered_end(void)
{
}

/* ---- doacross: iterations wait for named ones. A row, all that has one index of the outermost loop, is one thread's.
 */

void omp_doacross_fill(struct omp_share *s, unsigned loops, const uint64_t *counts)
{
	s->loops = loops;
	s->counts = omp_block((loops + counts[0]) * sizeof(*counts));
	s->posted = s->counts + loops;
	for (unsigned i = 0; i < loops; i++)
		s->counts[i] = counts[i];
}

static uint64_t flat(const struct omp_share *s, const uint64_t *at)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < s->loops; i++)
		n = n * s->counts[i] + at[i];
	return n + 1;
}

static void post(const uint64_t *at)
{
	struct omp_place *p = omp_place();
	struct omp_share *s = p->share;
	struct omp_sleeper **w = &s->waits;

	if (!omp_is_shared(p) || !s->posted)
		return;
	omp_lock(p->team);
	s->posted[at[0]] = flat(s, at);
	while (*w)
		if ((*w)->row == at[0] && (*w)->number <= s->posted[at[0]])
			omp_task_wake(w, true);
		else
			w = &(*w)->next;
	omp_unlock(p->team);
}

static void await(const uint64_t *at)
{
	struct omp_place *p = omp_place();
	const struct omp_sleeper what = { .number = flat(p->share, at), .row = at[0] };

	if (!omp_is_shared(p) || !p->share->posted || at[0] >= p->share->counts[0])
		return;
	omp_lock(p->team);
	while (p->share->posted[at[0]] < what.number)
		if (omp_sleep(p, &p->share->waits, what))
			return;
	omp_unlock(p->team);
}

#define MOST_LOOPS 64u

#define POST(name, type)                                                        \
	OMP_EXPORT void name(type *at);                                         \
	OMP_EXPORT void name(type *at)                                          \
	{                                                                       \
		vtb_library_reads(at, omp_place()->share->loops * sizeof(*at)); \
		post((const uint64_t *)at);                                     \
	}
POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, unsigned long long)

#define WAIT(name, type)                                           \
	OMP_EXPORT void name(type first, ...);                     \
	OMP_EXPORT void name(type first, ...)                      \
	{                                                          \
		uint64_t at[MOST_LOOPS] = { (uint64_t)first };     \
		const unsigned n = omp_place()->share->loops;      \
		va_list more;                                      \
		va_start(more, first);                             \
		for (unsigned i = 1; i < n && i < MOST_LOOPS; i++) \
			at[i] = (uint64_t)va_arg(more, type);      \
		va_end(more);                                      \
		await(at);                                         \
	}
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, unsigned long long)
