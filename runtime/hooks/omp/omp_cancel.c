/* SPDX-License-Identifier: BSD-2-Clause */
/* Cancelling, if OMP_CANCELLATION says that it may be. The words in which it is said are read and written by atomic
 * operations, a group's with the lock held. */
#include "omp.h"

#define ORPHANED(p) (!(p)->team->level)

static void say(struct omp_team *team, uint64_t what)
{
	uint64_t was;

	do
		was = vtb_library_load(&team->cancelled);
	while (!vtb_library_swap(&team->cancelled, was, was | what));
}

static bool group_is(struct omp_place *p)
{
	bool cancelled;

	if (!p->task->group)
		return false;
	omp_lock(p->team);
	cancelled = p->task->group->cancelled;
	omp_unlock(p->team);
	return cancelled;
}

OMP_EXPORT bool GOMP_cancellation_point(int which);
OMP_EXPORT bool GOMP_cancellation_point(int which)
{
	struct omp_place *p = omp_place();

	if (!omp_may_cancel || ORPHANED(p))
		return false;
	if (which & OMP_CANCEL_SHARES)
		return vtb_library_load(&p->team->cancelled) & OMP_CANCEL_SHARES;
	if (which & OMP_CANCEL_GROUP && group_is(p))
		return true;
	return vtb_library_load(&p->team->cancelled) & OMP_CANCEL_REGION;
}

OMP_EXPORT bool GOMP_cancel(int which, bool does);
OMP_EXPORT bool GOMP_cancel(int which, bool does)
{
	struct omp_place *p = omp_place();

	if (!omp_may_cancel)
		return false;
	if (!does)
		return GOMP_cancellation_point(which);
	if (which & OMP_CANCEL_SHARES) {
		if (!ORPHANED(p))
			say(p->team, OMP_CANCEL_SHARES);
		return true;
	}
	omp_lock(p->team);
	if (which & OMP_CANCEL_GROUP && p->task->group)
		p->task->group->cancelled = true;
	omp_unlock(p->team);
	if (which & OMP_CANCEL_GROUP || ORPHANED(p))
		return true;
	say(p->team, OMP_CANCEL_REGION);
	omp_lock(p->team);
	omp_tasks_cancelled(p->team);
	omp_unlock(p->team);
	return true;
}

OMP_EXPORT bool GOMP_barrier_cancel(void);
OMP_EXPORT bool GOMP_barrier_cancel(void)
{
	struct omp_place *p = omp_place();
	bool cancelled = false;

	if (omp_may_cancel)
		cancelled = omp_tasks_at_barrier(p, true);
	else
		omp_barrier(p);
	p->floor = p->shares;
	return cancelled;
}

OMP_EXPORT bool GOMP_loop_end_cancel(void);
OMP_EXPORT bool GOMP_loop_end_cancel(void)
{
	return GOMP_barrier_cancel();
}

OMP_EXPORT bool GOMP_sections_end_cancel(void);
OMP_EXPORT bool GOMP_sections_end_cancel(void)
{
	return GOMP_barrier_cancel();
}
