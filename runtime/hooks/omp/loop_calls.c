/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that gcc calls for loops: signed and unsigned, each schedule by a name of its own. */
#include "omp.h"

/* OMP_SCHEDULE, or omp_set_schedule(). */
static struct omp_loop as_settings_say(struct omp_loop l)
{
	const struct omp_control *c = omp_control();

	l.schedule = c->schedule & ~OMP_MONOTONIC;
	l.chunk = (uint64_t)c->chunk;
	return l;
}

static struct omp_loop made(struct omp_loop l, bool runtime, bool ordered)
{
	l = runtime ? as_settings_say(l) : l;
	l.ordered = ordered;
	return l;
}

static bool next_signed(long *from, long *to)
{
	uint64_t first, end;

	if (!omp_loop_next(&first, &end))
		return false;
	*from = (long)first;
	*to = (long)end;
	return true;
}

static bool next_unsigned(unsigned long long *from, unsigned long long *to)
{
	uint64_t first, end;

	if (!omp_loop_next(&first, &end))
		return false;
	*from = first;
	*to = end;
	return true;
}

#define NEXT(name)                                                                                     \
	OMP_EXPORT bool GOMP_loop_##name##_next(long *from, long *to);                                 \
	OMP_EXPORT bool GOMP_loop_##name##_next(long *from, long *to)                                  \
	{                                                                                              \
		return next_signed(from, to);                                                          \
	}                                                                                              \
	OMP_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to); \
	OMP_EXPORT bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to)  \
	{                                                                                              \
		return next_unsigned(from, to);                                                        \
	}

/* With the chunk's size. */
#define LOOP(name, sched, ordered)                                                                                     \
	NEXT(name)                                                                                                     \
	OMP_EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to);   \
	OMP_EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to)    \
	{                                                                                                              \
		const struct omp_loop l = made(omp_loop_signed(start, end, step, sched, chunk), false, ordered);       \
		omp_loop_begin(&l);                                                                                    \
		return next_signed(from, to);                                                                          \
	}                                                                                                              \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end,        \
	                                             unsigned long long step, unsigned long long chunk,                \
	                                             unsigned long long *from, unsigned long long *to);                \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end,        \
	                                             unsigned long long step, unsigned long long chunk,                \
	                                             unsigned long long *from, unsigned long long *to)                 \
	{                                                                                                              \
		const struct omp_loop l = made(omp_loop_unsigned(up, start, end, step, sched, chunk), false, ordered); \
		omp_loop_begin(&l);                                                                                    \
		return next_unsigned(from, to);                                                                        \
	}
LOOP(static, OMP_STATIC, false)
LOOP(dynamic, OMP_DYNAMIC, false)
LOOP(guided, OMP_GUIDED, false)
LOOP(nonmonotonic_dynamic, OMP_DYNAMIC, false)
LOOP(nonmonotonic_guided, OMP_GUIDED, false)
LOOP(ordered_static, OMP_STATIC, true)
LOOP(ordered_dynamic, OMP_DYNAMIC, true)
LOOP(ordered_guided, OMP_GUIDED, true)

/* ---- doacross: counted from 0, by 1 */

static void doacross_begin(unsigned loops, const uint64_t *counts, struct omp_loop l)
{
	struct omp_place *p = omp_place();

	vtb_library_reads(counts, loops * sizeof(*counts));
	if (omp_share_enter(p)) {
		omp_loop_fill(p->share, &l);
		omp_doacross_fill(p->share, loops, counts);
	}
	omp_share_entered(p);
}

#define DOACROSS(name, sched)                                                                                     \
	OMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned loops, long *counts, long chunk, long *from,   \
	                                                  long *to);                                              \
	OMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned loops, long *counts, long chunk, long *from,   \
	                                                  long *to)                                               \
	{                                                                                                         \
		doacross_begin(loops, (const uint64_t *)counts, omp_loop_signed(0, counts[0], 1, sched, chunk));  \
		return next_signed(from, to);                                                                     \
	}                                                                                                         \
	OMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned loops, unsigned long long *counts,         \
	                                                      unsigned long long chunk, unsigned long long *from, \
	                                                      unsigned long long *to);                            \
	OMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned loops, unsigned long long *counts,         \
	                                                      unsigned long long chunk, unsigned long long *from, \
	                                                      unsigned long long *to)                             \
	{                                                                                                         \
		doacross_begin(loops, (const uint64_t *)counts,                                                   \
		               omp_loop_unsigned(true, 0, counts[0], 1, sched, chunk));                           \
		return next_unsigned(from, to);                                                                   \
	}
DOACROSS(static, OMP_STATIC)
DOACROSS(dynamic, OMP_DYNAMIC)
DOACROSS(guided, OMP_GUIDED)

OMP_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned loops, long *counts, long *from, long *to);
OMP_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned loops, long *counts, long *from, long *to)
{
	doacross_begin(loops, (const uint64_t *)counts, as_settings_say(omp_loop_signed(0, counts[0], 1, 0, 0)));
	return next_signed(from, to);
}

OMP_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, unsigned long long *counts,
                                                     unsigned long long *from, unsigned long long *to);
OMP_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, unsigned long long *counts,
                                                     unsigned long long *from, unsigned long long *to)
{
	doacross_begin(loops, (const uint64_t *)counts,
	               as_settings_say(omp_loop_unsigned(true, 0, counts[0], 1, 0, 0)));
	return next_unsigned(from, to);
}

#define RUNTIME(name, ordered)                                                                                  \
	NEXT(name)                                                                                              \
	OMP_EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to);        \
	OMP_EXPORT bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to)         \
	{                                                                                                       \
		const struct omp_loop l = made(omp_loop_signed(start, end, step, 0, 0), true, ordered);         \
		omp_loop_begin(&l);                                                                             \
		return next_signed(from, to);                                                                   \
	}                                                                                                       \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, \
	                                             unsigned long long step, unsigned long long *from,         \
	                                             unsigned long long *to);                                   \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, \
	                                             unsigned long long step, unsigned long long *from,         \
	                                             unsigned long long *to)                                    \
	{                                                                                                       \
		const struct omp_loop l = made(omp_loop_unsigned(up, start, end, step, 0, 0), true, ordered);   \
		omp_loop_begin(&l);                                                                             \
		return next_unsigned(from, to);                                                                 \
	}
RUNTIME(runtime, false)
RUNTIME(nonmonotonic_runtime, false)
RUNTIME(maybe_nonmonotonic_runtime, false)
RUNTIME(ordered_runtime, true)

/* ---- a region that is one loop */

static struct omp_team *with_loop(unsigned threads, struct omp_loop l)
{
	const uint64_t most = l.total < UINT32_MAX ? l.total : 0;
	struct omp_team *team = omp_team_make(omp_team_size(threads, (unsigned)most));

	omp_loop_fill(omp_share_first(team), &l);
	return team;
}

static void whole(struct omp_team *team, void (*fn)(void *), void *data)
{
	omp_team_start(team, fn, data);
	omp_call(fn, data);
	omp_team_end();
}

#define PARALLEL(name, sched)                                                                                   \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, \
	                                          long end, long step, long chunk, unsigned flags);             \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, \
	                                          long end, long step, long chunk, unsigned flags)              \
	{                                                                                                       \
		(void)flags;                                                                                    \
		whole(with_loop(threads, omp_loop_signed(start, end, step, sched, chunk)), fn, data);           \
	}
PARALLEL(static, OMP_STATIC)
PARALLEL(dynamic, OMP_DYNAMIC)
PARALLEL(guided, OMP_GUIDED)
PARALLEL(nonmonotonic_dynamic, OMP_DYNAMIC)
PARALLEL(nonmonotonic_guided, OMP_GUIDED)

#define PARALLEL_RUNTIME(name)                                                                                  \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, \
	                                          long end, long step, unsigned flags);                         \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, \
	                                          long end, long step, unsigned flags)                          \
	{                                                                                                       \
		(void)flags;                                                                                    \
		whole(with_loop(threads, as_settings_say(omp_loop_signed(start, end, step, 0, 0))), fn, data);  \
	}
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

#define PARALLEL_START(name, sched)                                                                            \
	OMP_EXPORT void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned threads,    \
	                                                  long start, long end, long step, long chunk);        \
	OMP_EXPORT void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned threads,    \
	                                                  long start, long end, long step, long chunk)         \
	{                                                                                                      \
		omp_team_start(with_loop(threads, omp_loop_signed(start, end, step, sched, chunk)), fn, data); \
	}
PARALLEL_START(static, OMP_STATIC)
PARALLEL_START(dynamic, OMP_DYNAMIC)
PARALLEL_START(guided, OMP_GUIDED)

OMP_EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,
                                                 long step);
OMP_EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end,
                                                 long step)
{
	omp_team_start(with_loop(threads, as_settings_say(omp_loop_signed(start, end, step, 0, 0))), fn, data);
}

OMP_EXPORT void GOMP_loop_end(void);
OMP_EXPORT void GOMP_loop_end(void)
{
	omp_barrier(omp_place());
}

OMP_EXPORT void GOMP_loop_end_nowait(void);
OMP_EXPORT void GOMP_loop_end_nowait(void)
{
}
