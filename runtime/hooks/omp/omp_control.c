/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs ask and say of threads, levels and schedules (omp.h of the compiler). */
#include <limits.h>
#include <time.h>

#include "omp.h"

#define MOST_LEVELS 255u

#define ASK(type, name, value)              \
	OMP_EXPORT OMP_OWN type name(void); \
	OMP_EXPORT OMP_OWN type name(void)  \
	{                                   \
		return value;               \
	}
ASK(int, omp_get_num_threads, (int)omp_place()->team->threads)
ASK(int, omp_get_thread_num, (int)omp_place()->id)
ASK(int, omp_get_max_threads, (int)omp_control()->threads)
ASK(int, omp_get_num_procs, (int)omp_processors())
ASK(int, omp_in_parallel, omp_place()->team->active_level > 0)
ASK(int, omp_get_dynamic, omp_control()->dynamic)
ASK(int, omp_get_nested, omp_control()->levels > 1 && omp_control()->levels > omp_place()->team->active_level)
ASK(int, omp_get_thread_limit, omp_control()->thread_limit > INT_MAX ? INT_MAX : (int)omp_control()->thread_limit)
ASK(int, omp_get_max_active_levels, (int)omp_control()->levels)
ASK(int, omp_get_supported_active_levels, (int)MOST_LEVELS)
ASK(int, omp_get_level, (int)omp_place()->team->level)
ASK(int, omp_get_active_level, (int)omp_place()->team->active_level)
ASK(int, omp_in_final, omp_place()->task->is_final)
ASK(int, omp_get_cancellation, omp_may_cancel)
ASK(int, omp_get_max_task_priority, omp_priorities)

#define SAY(name, type, statement)                \
	OMP_EXPORT OMP_OWN void name(type value); \
	OMP_EXPORT OMP_OWN void name(type value)  \
	{                                         \
		statement;                        \
	}
SAY(omp_set_num_threads, int, omp_control()->threads = value > 0 ? (unsigned)value : 1)
SAY(omp_set_dynamic, int, omp_control()->dynamic = value)
SAY(omp_set_nested, int, if (value) omp_control()->levels = MOST_LEVELS;
    else if (omp_control()->levels > 1) omp_control()->levels = 1)
SAY(omp_set_max_active_levels, int,
    if (value >= 0) omp_control()->levels = (unsigned)value > MOST_LEVELS ? MOST_LEVELS : (unsigned)value)

OMP_EXPORT OMP_OWN void omp_set_schedule(unsigned schedule, int chunk);
OMP_EXPORT OMP_OWN void omp_set_schedule(unsigned schedule, int chunk)
{
	struct omp_control *c = omp_control();
	const unsigned kind = schedule & ~OMP_MONOTONIC;

	if (kind < OMP_STATIC || kind > OMP_AUTO)
		return;
	if (kind != OMP_AUTO)
		c->chunk = chunk > 0 ? chunk : kind != OMP_STATIC;
	c->schedule = schedule;
}

OMP_EXPORT void omp_get_schedule(unsigned *schedule, int *chunk);
OMP_EXPORT void omp_get_schedule(unsigned *schedule, int *chunk)
{
	vtb_library_writes(schedule, sizeof(*schedule));
	vtb_library_writes(chunk, sizeof(*chunk));
	*schedule = omp_control()->schedule;
	*chunk = omp_control()->chunk;
}

/* What the caller is at `level`; NULL: there is none. */
static const struct omp_place *at_level(int level)
{
	const struct omp_place *p = omp_place();

	if (level < 0 || (unsigned)level > p->team->level)
		return NULL;
	while (p->team->level > (unsigned)level)
		p = &p->team->outer;
	return p;
}

OMP_EXPORT int omp_get_ancestor_thread_num(int level);
OMP_EXPORT int omp_get_ancestor_thread_num(int level)
{
	const struct omp_place *p = at_level(level);

	return p ? (int)p->id : -1;
}

OMP_EXPORT int omp_get_team_size(int level);
OMP_EXPORT int omp_get_team_size(int level)
{
	const struct omp_place *p = at_level(level);

	return p ? (int)p->team->threads : -1;
}

OMP_EXPORT double omp_get_wtime(void);
OMP_EXPORT double omp_get_wtime(void)
{
	struct timespec now;

	vtb_library_here();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

OMP_EXPORT double omp_get_wtick(void);
OMP_EXPORT double omp_get_wtick(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC, &tick);
	return (double)tick.tv_sec + (double)tick.tv_nsec / 1e9;
}
