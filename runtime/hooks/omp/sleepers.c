/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waits for something sleeps at a semaphore of its own, and is woken by who knows that it is over. */
#include "omp.h"

static __thread sem_t wakes __attribute__((tls_model("initial-exec")));

void omp_task_wake(struct omp_sleeper **at, bool over)
{
	struct omp_sleeper *s = *at;

	if (!s)
		return;
	*at = s->next;
	s->over = over;
	vtb_library_here();
	sem_post(s->wakes);
}

bool omp_sleep(struct omp_place *p, struct omp_sleeper **at, struct omp_sleeper what)
{
	struct omp_sleeper me = what;

	me.wakes = &wakes;
	while (*at)
		at = &(*at)->next;
	*at = &me;
	omp_unlock(p->team);
	vtb_library_here();
	while (sem_wait(&wakes))
		;
	if (me.over)
		return true;
	omp_lock(p->team);
	return false;
}

bool omp_task_sleep(struct omp_place *p, struct omp_sleeper **at, bool each)
{
	return omp_sleep(p, at, (struct omp_sleeper){ .each = each });
}
