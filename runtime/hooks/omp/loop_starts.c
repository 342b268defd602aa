/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops that reduce by tasks or share memory: one function for all schedules. */
#include "omp.h"

#define RUNTIME 0u

/* The schedule is gcc's number, as in omp.h, with 0 for that of the settings. */
static struct omp_loop scheduled(struct omp_loop l, long schedule, bool ordered)
{
	const struct omp_control *c = omp_control();

	l.schedule = (unsigned)schedule & ~OMP_MONOTONIC;
	if (l.schedule == RUNTIME) {
		l.schedule = c->schedule & ~OMP_MONOTONIC;
		l.chunk = (uint64_t)c->chunk;
	}
	l.ordered = ordered;
	return l;
}

static void begin(struct omp_loop l, unsigned loops, const uint64_t *counts, uintptr_t *reductions, void **memory)
{
	struct omp_place *p = omp_place();
	const bool first = omp_share_enter(p);

	if (first)
		omp_loop_fill(p->share, &l);
	if (first && loops)
		omp_doacross_fill(p->share, loops, counts);
	omp_reduce_share(p, reductions, first);
	omp_share_memory(p, first, memory);
	omp_share_entered(p);
	omp_reduce_share_begins(reductions);
}

/* `from` NULL: the caller works out its iterations itself. */
static bool next(uint64_t *from, uint64_t *to)
{
	return !from || omp_loop_next(from, to);
}

#define SIGNED(name, ordered)                                                                                         \
	OMP_EXPORT bool name(long start, long end, long step, long schedule, long chunk, long *from, long *to,        \
	                     uintptr_t *reductions, void **memory);                                                   \
	OMP_EXPORT bool name(long start, long end, long step, long schedule, long chunk, long *from, long *to,        \
	                     uintptr_t *reductions, void **memory)                                                    \
	{                                                                                                             \
		begin(scheduled(omp_loop_signed(start, end, step, 0, chunk), schedule, ordered), 0, NULL, reductions, \
		      memory);                                                                                        \
		return next((uint64_t *)from, (uint64_t *)to);                                                        \
	}
SIGNED(GOMP_loop_start, false)
SIGNED(GOMP_loop_ordered_start, true)

#define WORD unsigned long long
#define UNSIGNED(name, ordered)                                                                                 \
	OMP_EXPORT bool name(bool up, WORD start, WORD end, WORD step, long schedule, WORD chunk, WORD *from,   \
	                     WORD *to, uintptr_t *reductions, void **memory);                                   \
	OMP_EXPORT bool name(bool up, WORD start, WORD end, WORD step, long schedule, WORD chunk, WORD *from,   \
	                     WORD *to, uintptr_t *reductions, void **memory)                                    \
	{                                                                                                       \
		begin(scheduled(omp_loop_unsigned(up, start, end, step, 0, chunk), schedule, ordered), 0, NULL, \
		      reductions, memory);                                                                      \
		return next((uint64_t *)from, (uint64_t *)to);                                                  \
	}
UNSIGNED(GOMP_loop_ull_start, false)
UNSIGNED(GOMP_loop_ull_ordered_start, true)

OMP_EXPORT bool GOMP_loop_doacross_start(unsigned loops, long *counts, long schedule, long chunk, long *from, long *to,
                                         uintptr_t *reductions, void **memory);
OMP_EXPORT bool GOMP_loop_doacross_start(unsigned loops, long *counts, long schedule, long chunk, long *from, long *to,
                                         uintptr_t *reductions, void **memory)
{
	begin(scheduled(omp_loop_signed(0, counts[0], 1, 0, chunk), schedule, false), loops, (const uint64_t *)counts,
	      reductions, memory);
	return next((uint64_t *)from, (uint64_t *)to);
}

OMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned loops, WORD *counts, long schedule, WORD chunk, WORD *from,
                                             WORD *to, uintptr_t *reductions, void **memory);
OMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned loops, WORD *counts, long schedule, WORD chunk, WORD *from,
                                             WORD *to, uintptr_t *reductions, void **memory)
{
	begin(scheduled(omp_loop_unsigned(true, 0, counts[0], 1, 0, chunk), schedule, false), loops,
	      (const uint64_t *)counts, reductions, memory);
	return next((uint64_t *)from, (uint64_t *)to);
}
