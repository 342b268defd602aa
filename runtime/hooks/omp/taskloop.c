/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of tasks, and loops whose pieces are tasks. */
#include "omp.h"

/* A thread has one within the other. */
#define GROUPS 32u
static __thread struct omp_group own[GROUPS] __attribute__((tls_model("initial-exec")));
static __thread uint64_t in_use __attribute__((tls_model("initial-exec")));

OMP_OWN static struct omp_group *group_new(void)
{
	for (unsigned i = 0; i < GROUPS; i++)
		if (!(in_use >> i & 1)) {
			in_use |= 1ull << i;
			return &own[i];
		}
	return omp_block(sizeof(struct omp_group));
}

OMP_OWN static void group_done(struct omp_group *g)
{
	if (g - own >= 0 && g - own < (long)GROUPS)
		in_use &= ~(1ull << (g - own));
	else
		vtb_library_free(g);
}

OMP_EXPORT void GOMP_taskgroup_start(void);
OMP_EXPORT void GOMP_taskgroup_start(void)
{
	struct omp_place *p = omp_place();
	struct omp_group *g = group_new();

	*g = (struct omp_group){ .outer = p->task->group, .reductions = omp_reductions_of(p->task) };
	p->task->group = g;
}

static bool is_of(const struct omp_task *task, const void *group)
{
	return task->group == group;
}

OMP_EXPORT void GOMP_taskgroup_end(void);
OMP_EXPORT void GOMP_taskgroup_end(void)
{
	struct omp_place *p = omp_place();
	struct omp_group *g = p->task->group;
	bool over = false;

	if (p->task->had_children) {
		omp_lock(p->team);
		while (!over && g->tasks)
			over = !omp_task_do(p, is_of, g) && omp_task_sleep(p, &g->waits, false);
		if (!over)
			omp_unlock(p->team);
	}
	p->task->group = g->outer;
	group_done(g);
}

/* ---- loops */

/* n iterations in tasks: the first `larger` have one more than the others. */
struct pieces {
	uint64_t tasks, each, larger;
};

static struct pieces pieces_of(uint64_t n, uint64_t asked, unsigned flags, unsigned threads)
{
	uint64_t tasks = asked ? asked : threads;

	if (flags & OMP_GRAINSIZE) {
		if (flags & OMP_STRICT)
			return (struct pieces){ n / asked + (n % asked != 0), asked, 0 };
		tasks = n / asked ? n / asked : 1;
	}
	tasks = tasks < n ? tasks : n;
	return (struct pieces){ tasks, n / tasks, n % tasks };
}

/* The last one ends where the loop does. */
static void make_all(struct omp_task_call *call, const struct omp_loop *l, const struct pieces *of, bool now)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < of->tasks; i++) {
		const uint64_t n = of->each + (i < of->larger);
		const uint64_t bounds[2] = { l->start + first * l->step,
			                     i + 1 == of->tasks ? l->end : l->start + (first + n) * l->step };

		call->bounds = bounds;
		omp_task_make(call, now);
		first += n;
	}
}

static void taskloop(struct omp_task_call *call, const struct omp_loop *l, unsigned long asked)
{
	const struct omp_place *p = omp_place();
	const bool now = omp_task_is_now(!(call->flags & OMP_IF));
	struct pieces of;

	if (!l->total)
		return;
	of = pieces_of(l->total, asked, call->flags, p->team->threads);
	if (!(call->flags & OMP_NOGROUP)) {
		GOMP_taskgroup_start();
		if (call->flags & OMP_REDUCTION)
			omp_reduce_group(((uintptr_t **)call->data)[2]);
	}
	make_all(call, l, &of, now);
	if (!(call->flags & OMP_NOGROUP))
		GOMP_taskgroup_end();
}

OMP_EXPORT void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                              unsigned flags, unsigned long asked, int priority, long start, long end, long step);
OMP_EXPORT void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                              unsigned flags, unsigned long asked, int priority, long start, long end, long step)
{
	struct omp_task_call call = { fn, data, copy, size, align, flags, NULL, priority, NULL, NULL };
	const struct omp_loop l = omp_loop_signed(start, end, step, 0, 0);

	taskloop(&call, &l, asked);
}

OMP_EXPORT void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                                  unsigned flags, unsigned long asked, int priority, unsigned long long start,
                                  unsigned long long end, unsigned long long step);
OMP_EXPORT void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                                  unsigned flags, unsigned long asked, int priority, unsigned long long start,
                                  unsigned long long end, unsigned long long step)
{
	struct omp_task_call call = { fn, data, copy, size, align, flags, NULL, priority, NULL, NULL };
	const struct omp_loop l = omp_loop_unsigned(flags & OMP_UP, start, end, step, 0, 0);

	taskloop(&call, &l, asked);
}
