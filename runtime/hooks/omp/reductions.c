/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reductions in which tasks take part. Each thread has a copy of each variable; gcc's table says of which. It merges
 * them itself.
 */
#include <stdlib.h>

#include "omp.h"

/* Words of the table; lists of tables are linked, the outermost last. */
enum {
	COUNT,
	SIZE /* of one thread's copies */,
	MEMORY /* before: its alignment */,
	ALLOCATOR,
	NEXT,
	FIRST,
	END,
	ROWS
};
enum { ADDRESS, OFFSET, ROW = 3 }; /* of a row */

static uintptr_t *next_of(const uintptr_t *t)
{
	return (uintptr_t *)t[NEXT];
}

static void give_memory(uintptr_t *t, unsigned threads)
{
	const size_t align = t[MEMORY] > 16 ? t[MEMORY] : 16, size = t[SIZE] * threads;
	char *whole = omp_block(size + align + sizeof(void *));
	char *at = whole + sizeof(void *);

	at += (align - (uint64_t)at % align) % align;
	((void **)at)[-1] = whole;
	t[MEMORY] = (uintptr_t)at;
	t[END] = (uintptr_t)at + size;
}

/* Of a region or group; `orig`: what another thread of it has been given. */
static void begin(uintptr_t *table, uintptr_t *outer, const uintptr_t *orig, unsigned threads)
{
	uintptr_t *t = table;

	for (;; t = next_of(t)) {
		if (orig) {
			t[MEMORY] = orig[MEMORY];
			t[END] = orig[END];
			orig = next_of(orig);
		} else {
			give_memory(t, threads);
		}
		if (!t[NEXT])
			break;
	}
	t[NEXT] = (uintptr_t)outer;
	table[FIRST] = 1;
}

uintptr_t *omp_reductions_of(const struct omp_task *task)
{
	return task->group ? task->group->reductions : NULL;
}

void omp_reduce_group(uintptr_t *table)
{
	struct omp_place *p = omp_place();

	begin(table, omp_reductions_of(p->task), NULL, p->team->threads);
	p->task->group->reductions = table;
}

OMP_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *table);
OMP_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *table)
{
	omp_reduce_group(table);
}

OMP_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t *table);
OMP_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t *table)
{
	uintptr_t *t = table;

	do {
		vtb_library_free(((void **)t[MEMORY])[-1]);
		t = next_of(t);
	} while (t && !t[FIRST]);
}

static const uintptr_t *row_of(const uintptr_t *t, uintptr_t what, unsigned column)
{
	for (size_t i = 0; i < t[COUNT]; i++)
		if (t[ROWS + i * ROW + column] == what)
			return &t[ROWS + i * ROW];
	return NULL;
}

/* Which variable it is: the program's own, or some thread's copy. */
static const uintptr_t *find(const uintptr_t **t, uintptr_t at)
{
	for (const uintptr_t *one = *t; one; one = next_of(one)) {
		const uintptr_t *row = row_of(one, at, ADDRESS);

		*t = one;
		if (row)
			return row;
	}
	return NULL;
}

static const uintptr_t *find_copy(const uintptr_t **t, uintptr_t at)
{
	for (; *t; *t = next_of(*t))
		if (at >= (*t)[MEMORY] && at < (*t)[END])
			return row_of(*t, (at - (*t)[MEMORY]) % (*t)[SIZE], OFFSET);
	return NULL;
}

/* The calling thread's copies of n variables; behind them, of the first `originals`, the program's own. */
OMP_EXPORT void GOMP_task_reduction_remap(size_t n, size_t originals, void **at);
OMP_EXPORT void GOMP_task_reduction_remap(size_t n, size_t originals, void **at)
{
	const struct omp_place *p = omp_place();

	for (size_t i = 0; i < n; i++) {
		const uintptr_t *t = omp_reductions_of(p->task), *row = find(&t, (uintptr_t)at[i]);

		if (!row) {
			t = omp_reductions_of(p->task);
			row = find_copy(&t, (uintptr_t)at[i]);
		}
		if (!row)
			abort(); /* libgomp does */
		at[i] = (void *)(t[MEMORY] + p->id * t[SIZE] + row[OFFSET]);
		if (i < originals)
			at[n + i] = (void *)row[ADDRESS];
	}
}

/* ---- regions and shared work with them */

OMP_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
OMP_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
	struct omp_group group = { 0 };
	uintptr_t *table = *(uintptr_t **)data;
	struct omp_team *team;

	(void)flags;
	threads = omp_team_size(threads, 0);
	begin(table, NULL, NULL, threads);
	group.reductions = table;
	team = omp_team_make(threads);
	for (unsigned i = 0; i < threads; i++)
		team->implicit[i].group = &group;
	omp_team_start(team, fn, data);
	omp_call(fn, data);
	omp_team_end();
	return threads;
}

/* With the lock of the share held: each thread of it has a group of its own, and the same copies. */
static void begin_shared(struct omp_place *p, uintptr_t *table, bool first)
{
	begin(table, omp_reductions_of(p->task), first ? NULL : p->share->reductions, p->team->threads);
	if (first)
		p->share->reductions = table;
}

void omp_reduce_share(struct omp_place *p, uintptr_t *table, bool first)
{
	if (table)
		begin_shared(p, table, first);
}

void omp_reduce_share_begins(uintptr_t *table)
{
	struct omp_place *p = omp_place();

	if (!table)
		return;
	GOMP_taskgroup_start();
	p->task->group->reductions = table;
}

OMP_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled);
OMP_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	struct omp_place *p = omp_place();
	uintptr_t *table = omp_reductions_of(p->task);

	GOMP_taskgroup_end();
	if (p->id == 0)
		GOMP_taskgroup_reduction_unregister(table);
	if (!cancelled)
		omp_barrier(p);
}

OMP_EXPORT void GOMP_scope_start(uintptr_t *table);
OMP_EXPORT void GOMP_scope_start(uintptr_t *table)
{
	struct omp_place *p = omp_place();

	if (!table)
		return;
	omp_reduce_share(p, table, omp_share_enter(p));
	omp_share_entered(p);
	omp_reduce_share_begins(table);
}
