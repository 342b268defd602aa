/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Barriers. Where the program has no tasks and cancels nothing it is one of pthreads. Else who waits there does tasks,
 * or sleeps until there is one or the barrier is over.
 */
#include "omp.h"

/* Only the thread itself comes here. */
static bool is_alone(const struct omp_team *team)
{
	return team->threads == 1 && !team->has_events;
}

void omp_lock(struct omp_team *team)
{
	if (is_alone(team))
		return;
	vtb_library_here();
	pthread_mutex_lock(&team->lock);
}

void omp_unlock(struct omp_team *team)
{
	if (is_alone(team))
		return;
	vtb_library_here();
	pthread_mutex_unlock(&team->lock);
}

void omp_barrier(struct omp_place *p)
{
	if (omp_has_tasks || omp_may_cancel) {
		omp_tasks_at_barrier(p, false);
	} else if (omp_is_shared(p)) {
		vtb_library_here();
		pthread_barrier_wait(&p->team->barrier);
	}
	p->floor = p->shares;
}

OMP_EXPORT void GOMP_barrier(void);
OMP_EXPORT void GOMP_barrier(void)
{
	omp_barrier(omp_place());
}
