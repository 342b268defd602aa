/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that a team's threads share. Each thread counts those that it comes to; the first one that comes to a number
 * fills it in, with the lock held. One that all have left behind, at a barrier, is used again.
 */
#include <string.h>

#include "omp.h"

static struct omp_share **slot(struct omp_team *team, uint64_t number)
{
	return &team->shares[number % team->room];
}

/* A ring of so many: those that are in it keep their numbers. */
static void widen(struct omp_team *team, uint64_t room)
{
	struct omp_share **old = team->shares;
	const uint64_t had = team->room;

	team->shares = omp_block(room * sizeof(*team->shares));
	team->room = room;
	for (uint64_t i = 0; i < had; i++)
		if (old[i]->number)
			*slot(team, old[i]->number) = old[i];
	for (uint64_t i = 0; i < room; i++)
		if (!team->shares[i])
			team->shares[i] = omp_block(sizeof(**team->shares));
	if (old && old != team->ring)
		vtb_library_free(old);
}

static struct omp_share *share_at(struct omp_team *team, uint64_t number, uint64_t floor)
{
	uint64_t room = team->room ? team->room : OMP_WORK;

	while (number - floor > room)
		room *= 2;
	if (room > team->room)
		widen(team, room);
	return *slot(team, number);
}

bool omp_share_enter(struct omp_place *p)
{
	bool first;

	omp_lock(p->team);
	p->share = share_at(p->team, ++p->shares, p->floor);
	first = p->share->number != p->shares;
	if (first) {
		vtb_library_free(p->share->memory);
		vtb_library_free(p->share->counts);
		*p->share = (struct omp_share){ .number = p->shares };
	}
	p->blocks = 0;
	p->number = OMP_NONE;
	return first;
}

void omp_share_entered(struct omp_place *p)
{
	omp_unlock(p->team);
	if (!omp_is_shared(p))
		p->floor = p->shares - 1;
}

void omp_share_memory(struct omp_place *p, bool first, void **size)
{
	if (!size)
		return;
	if (first)
		p->share->memory = omp_block((uintptr_t)*size);
	vtb_library_writes(size, sizeof(*size));
	*size = p->share->memory;
}

struct omp_share *omp_share_first(struct omp_team *team)
{
	struct omp_share *s = share_at(team, 1, 0);

	if (!team->combined) {
		*s = (struct omp_share){ .number = 1 };
		team->combined = true;
	}
	return s;
}

/* ---- single */

OMP_EXPORT bool GOMP_single_start(void);
OMP_EXPORT bool GOMP_single_start(void)
{
	struct omp_place *p = omp_place();

	if (!omp_is_shared(p))
		return true;
	p->singles++;
	return vtb_library_swap(&p->team->single, p->singles - 1, p->singles);
}

/* Who is first gets NULL, and then says what the others are to copy. */
OMP_EXPORT void *GOMP_single_copy_start(void);
OMP_EXPORT void *GOMP_single_copy_start(void)
{
	struct omp_place *p = omp_place();

	if (GOMP_single_start())
		return NULL;
	omp_barrier(p);
	return p->team->copied;
}

OMP_EXPORT void GOMP_single_copy_end(void *data);
OMP_EXPORT void GOMP_single_copy_end(void *data)
{
	struct omp_place *p = omp_place();

	p->team->copied = data;
	omp_barrier(p);
}

/* ---- sections: numbers from 1, 0 when there are no more */

static void fill(struct omp_share *s, unsigned n)
{
	s->total = n;
}

OMP_EXPORT unsigned GOMP_sections_next(void);
OMP_EXPORT unsigned GOMP_sections_next(void)
{
	struct omp_place *p = omp_place();
	uint64_t n;

	if (omp_is_shared(p))
		n = vtb_library_add(&p->share->taken, 1);
	else
		n = p->share->taken++;
	return n < p->share->total ? (unsigned)n + 1 : 0;
}

OMP_EXPORT unsigned GOMP_sections_start(unsigned n);
OMP_EXPORT unsigned GOMP_sections_start(unsigned n)
{
	struct omp_place *p = omp_place();

	if (omp_share_enter(p))
		fill(p->share, n);
	omp_share_entered(p);
	return GOMP_sections_next();
}

OMP_EXPORT unsigned GOMP_sections2_start(unsigned n, uintptr_t *reductions, void **memory);
OMP_EXPORT unsigned GOMP_sections2_start(unsigned n, uintptr_t *reductions, void **memory)
{
	struct omp_place *p = omp_place();
	const bool first = omp_share_enter(p);

	if (first)
		fill(p->share, n);
	omp_reduce_share(p, reductions, first);
	omp_share_memory(p, first, memory);
	omp_share_entered(p);
	omp_reduce_share_begins(reductions);
	return GOMP_sections_next();
}

static struct omp_team *with_sections(unsigned threads, unsigned n)
{
	struct omp_team *team = omp_team_make(omp_team_size(threads, n));

	fill(omp_share_first(team), n);
	return team;
}

OMP_EXPORT void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned n);
OMP_EXPORT void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned n)
{
	omp_team_start(with_sections(threads, n), fn, data);
}

OMP_EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned n, unsigned flags);
OMP_EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned n, unsigned flags)
{
	(void)flags;
	omp_team_start(with_sections(threads, n), fn, data);
	omp_call(fn, data);
	omp_team_end();
}

OMP_EXPORT void GOMP_sections_end(void);
OMP_EXPORT void GOMP_sections_end(void)
{
	omp_barrier(omp_place());
}

OMP_EXPORT void GOMP_sections_end_nowait(void);
OMP_EXPORT void GOMP_sections_end_nowait(void)
{
}
