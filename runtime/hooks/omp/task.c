/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks. Those that may begin stand in one list of the team; who waits does them: at a barrier any, at a taskwait
 * children, at the end of a group those of the group. Who finds none sleeps at a semaphore of its own.
 */
#include <string.h>

#include "omp.h"

#define MANY 64u /* tasks for each thread, from which on they are done at once, as by libgomp */

/* ---- tasks that may begin */

static void enqueue(struct omp_task *task)
{
	struct omp_task **at = &task->team->ready;

	while (*at && (*at)->priority >= task->priority)
		at = &(*at)->next;
	task->next = *at;
	*at = task;
	omp_task_wake(&task->team->sleepers, false);
	omp_task_wake(&task->parent->waits, false);
	if (task->group)
		omp_task_wake(&task->group->waits, false);
}

void omp_task_unblock(struct omp_task *task)
{
	if (!--task->blockers)
		enqueue(task);
}

void omp_task_forget(struct omp_task *task)
{
	if (!--task->references && task->is_made)
		omp_memory_give(task->team, task, task->room);
}

static void release_barrier(struct omp_team *team)
{
	team->arrived = 0;
	team->round++;
	if (omp_may_cancel && vtb_library_load(&team->cancelled) & OMP_CANCEL_SHARES)
		vtb_library_store(&team->cancelled, team->cancelled & ~(uint64_t)OMP_CANCEL_SHARES);
	while (team->sleepers)
		omp_task_wake(&team->sleepers, true);
}

static void child_ends(struct omp_task *parent)
{
	parent->children--;
	if (!parent->children)
		omp_task_wake(&parent->waits, true);
	else if (parent->waits && parent->waits->each)
		omp_task_wake(&parent->waits, false);
}

static void finish(struct omp_task *task)
{
	struct omp_team *team = task->team;

	task->done = true;
	while (task->blocks) {
		struct omp_tasks *one = task->blocks;

		task->blocks = one->next;
		omp_task_unblock(one->task);
		omp_task_forget(one->task);
		omp_memory_give(team, one, sizeof(*one));
	}
	omp_depend_end(task);
	child_ends(task->parent);
	omp_task_forget(task->parent);
	if (task->group && !--task->group->tasks)
		omp_task_wake(&task->group->waits, true);
	team->tasks--;
	omp_task_forget(task);
	if (!team->tasks && team->arrived == team->threads)
		release_barrier(team);
}

static bool is_cancelled(const struct omp_task *task)
{
	return (omp_may_cancel && (vtb_library_load(&task->team->cancelled) & OMP_CANCEL_REGION)) ||
	       (task->group && task->group->cancelled);
}

/* Without the lock. */
static void run(struct omp_place *p, struct omp_task *task)
{
	struct omp_task *outer = p->task;

	p->task = task;
	omp_call(task->fn, task->data);
	p->task = outer;
}

bool omp_task_do(struct omp_place *p, bool (*fits)(const struct omp_task *, const void *), const void *arg)
{
	struct omp_task **at = &p->team->ready, *task;
	bool skip;

	while (*at && fits && !fits(*at, arg))
		at = &(*at)->next;
	task = *at;
	if (!task)
		return false;
	*at = task->next;
	skip = is_cancelled(task);
	omp_unlock(p->team);
	if (!skip)
		run(p, task);
	omp_lock(p->team);
	if (!skip && task->detached && !task->fulfilled)
		task->detached = false; /* ends when it is fulfilled */
	else
		finish(task);
	return true;
}

/* ---- making one */

#define HEAD ((sizeof(struct omp_task) + 15) / 16 * 16)

static size_t room_for(const struct omp_task_call *c)
{
	return HEAD + (size_t)(c->size > 0 ? c->size : 0) + (size_t)(c->align > 16 ? c->align : 0);
}

static void *data_of(struct omp_task *task, long align)
{
	const uint64_t after = (uint64_t)task + HEAD, to = align > 16 ? (uint64_t)align : 16;

	return (void *)((after + to - 1) / to * to);
}

static void copy_data(struct omp_task *task, const struct omp_task_call *c)
{
	if (c->copy) {
		struct vtb_library_place was;

		vtb_library_lend(&was);
		c->copy(task->data, c->data);
		vtb_library_back(&was);
	} else if (c->size > 0) {
		vtb_library_reads(c->data, (uint64_t)c->size);
		memcpy(task->data, c->data, (size_t)c->size);
	}
	if (c->bounds)
		memcpy(task->data, c->bounds, 2 * sizeof(uint64_t));
}

static void fill(struct omp_task *task, struct omp_place *p, const struct omp_task_call *c)
{
	struct omp_task *parent = p->task;

	*task = (struct omp_task){ .control = parent->control,
		                   .parent = parent,
		                   .group = parent->group,
		                   .is_final = parent->is_final || (c->flags & OMP_FINAL),
		                   .is_made = true,
		                   .team = p->team,
		                   .references = 1,
		                   .priority = c->flags & OMP_PRIORITY ? c->priority : 0,
		                   .blockers = 1,
		                   .fn = c->fn,
		                   .room = room_for(c) };
	if (task->priority > omp_priorities)
		task->priority = omp_priorities;
}

/* Tasks that are done at once: a thread has one within the other. */
#define OWN_TASKS 32u
static __thread struct omp_task own[OWN_TASKS] __attribute__((tls_model("initial-exec")));
static __thread uint64_t in_use __attribute__((tls_model("initial-exec")));

OMP_OWN static struct omp_task *own_task(void)
{
	for (unsigned i = 0; i < OWN_TASKS; i++)
		if (!(in_use >> i & 1)) {
			in_use |= 1ull << i;
			return &own[i];
		}
	return omp_block(sizeof(struct omp_task));
}

OMP_OWN static void own_done(struct omp_task *task)
{
	if (task - own >= 0 && task - own < (long)OWN_TASKS)
		in_use &= ~(1ull << (task - own));
	else
		vtb_library_free(task);
}

/* Its children may be there still: then it stays. */
static bool is_left(struct omp_place *p, struct omp_task *task)
{
	bool left;

	if (!task->had_children)
		return false;
	omp_lock(p->team);
	omp_depend_end(task);
	left = task->references > 1;
	task->references--;
	omp_unlock(p->team);
	return left;
}

static void do_now(struct omp_place *p, const struct omp_task_call *c)
{
	const size_t size = c->size > 0 ? (size_t)c->size : 0, align = c->align > 16 ? (size_t)c->align : 16;
	char *room = __builtin_alloca(c->copy || c->bounds ? size + align : 1);
	struct omp_task *task = own_task();

	if (c->flags & OMP_DEPEND)
		omp_depend_wait(p, c->depend);
	fill(task, p, c);
	task->room = 0;
	task->data = c->data;
	if (c->copy || c->bounds) {
		task->data = room + (align - (uint64_t)room % align) % align;
		copy_data(task, c);
	}
	run(p, task);
	if (!is_left(p, task))
		own_done(task);
}

static void register_it(struct omp_place *p, struct omp_task *task, const struct omp_task_call *c)
{
	p->task->references++;
	p->task->children++;
	p->task->had_children = true;
	p->team->tasks++;
	if (task->group)
		task->group->tasks++;
	if (c->flags & OMP_DEPEND)
		omp_depend_add(task, c->depend);
	omp_task_unblock(task);
}

static void do_later(struct omp_place *p, const struct omp_task_call *c)
{
	struct omp_task *task;

	if (c->flags & OMP_DETACH)
		p->team->has_events |= !omp_is_shared(p);
	omp_lock(p->team);
	if (p->team->tasks > (uint64_t)MANY * p->team->threads && !(c->flags & OMP_DETACH)) {
		omp_unlock(p->team);
		do_now(p, c);
		return;
	}
	task = omp_memory_take(p->team, room_for(c));
	fill(task, p, c);
	task->data = data_of(task, c->align);
	if (c->flags & OMP_DETACH) {
		task->detached = true;
		*(void **)c->detach = task;
	}
	if (c->copy) { /* a function of the program's */
		omp_unlock(p->team);
		copy_data(task, c);
		omp_lock(p->team);
	} else {
		copy_data(task, c);
	}
	register_it(p, task, c);
	omp_unlock(p->team);
}

bool omp_task_is_now(bool wanted)
{
	const struct omp_place *p = omp_place();

	return wanted || !p->team->level || p->task->is_final;
}

void omp_task_make(const struct omp_task_call *c, bool now)
{
	(now ? do_now : do_later)(omp_place(), c);
}

OMP_EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                          bool if_clause, unsigned flags, void **depend, int priority, void *detach);
OMP_EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                          bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
	const struct omp_task_call call = { fn, data, copy, size, align, flags, depend, priority, detach, NULL };

	omp_task_make(&call, omp_task_is_now(!if_clause) && !(flags & OMP_DETACH));
}

/* ---- waiting */

static bool is_child(const struct omp_task *task, const void *parent)
{
	return task->parent == parent;
}

OMP_EXPORT void GOMP_taskwait(void);
OMP_EXPORT void GOMP_taskwait(void)
{
	struct omp_place *p = omp_place();

	if (!p->task->had_children)
		return;
	omp_lock(p->team);
	while (p->task->children)
		if (!omp_task_do(p, is_child, p->task) && omp_task_sleep(p, &p->task->waits, false))
			return;
	omp_unlock(p->team);
}

OMP_EXPORT void GOMP_taskyield(void);
OMP_EXPORT void GOMP_taskyield(void)
{
}

bool omp_tasks_at_barrier(struct omp_place *p, bool may_cancel)
{
	struct omp_team *team = p->team;
	uint64_t round;

	omp_lock(team);
	round = team->round;
	team->arrived++;
	for (;;) {
		if (team->round != round) {
			omp_unlock(team);
			return false;
		}
		if (may_cancel && vtb_library_load(&team->cancelled) & OMP_CANCEL_REGION) {
			team->arrived--;
			omp_unlock(team);
			return true;
		}
		if (team->arrived == team->threads && !team->tasks) {
			release_barrier(team);
			omp_unlock(team);
			return false;
		}
		if (!omp_task_do(p, NULL, NULL) && omp_task_sleep(p, &team->sleepers, false))
			return false;
	}
}

void omp_tasks_cancelled(struct omp_team *team)
{
	while (team->sleepers)
		omp_task_wake(&team->sleepers, false);
}

OMP_EXPORT void omp_fulfill_event(struct omp_task *task);
OMP_EXPORT void omp_fulfill_event(struct omp_task *task)
{
	struct omp_team *team = task->team;

	omp_lock(team);
	if (task->detached)
		task->fulfilled = true;
	else
		finish(task);
	omp_unlock(team);
}
