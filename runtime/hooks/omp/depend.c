/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tasks depend on. For each address the children of a task form generations: those that only read, or of one
 * inoutset, are one; who writes is one by itself. Each waits for all of the generation before its own.
 */
#include <string.h>

#include "omp.h"

enum kind { IN = 1, OUT, INOUT, MUTEX, SET }; /* of omp_depend_t, too */

struct omp_depend {
	struct omp_depend *next;
	const void *addr;
	enum kind kind;
	struct omp_tasks *now, *before;
};

static enum kind as_one(enum kind kind)
{
	return kind == IN || kind == SET ? kind : OUT;
}

void omp_tasks_add(struct omp_tasks **list, struct omp_task *task)
{
	struct omp_tasks *one = omp_memory_take(task->team, sizeof(*one));

	*one = (struct omp_tasks){ *list, task };
	task->references++;
	*list = one;
}

static void empty(struct omp_team *team, struct omp_tasks **list)
{
	while (*list) {
		struct omp_tasks *one = *list;

		*list = one->next;
		omp_task_forget(one->task);
		omp_memory_give(team, one, sizeof(*one));
	}
}

void omp_depend_end(struct omp_task *task)
{
	while (task->depends) {
		struct omp_depend *d = task->depends;

		task->depends = d->next;
		empty(task->team, &d->now);
		empty(task->team, &d->before);
		omp_memory_give(task->team, d, sizeof(*d));
	}
}

/* ---- gcc's list. Old: n, how many are written, addresses. New: 0, n, how many out, mutexinoutset, in, addresses; the
 * rest are depend objects. */

struct list {
	void **at;
	size_t n, out, mutex, in;
};

static struct list list_of(void **depend)
{
	const size_t n = (size_t)depend[0], out = (size_t)depend[1];

	if (n)
		return (struct list){ depend + 2, n, out, 0, n - out };
	return (struct list){ depend + 5, out, (size_t)depend[2], (size_t)depend[3], (size_t)depend[4] };
}

static const void *item(const struct list *l, size_t i, enum kind *ret)
{
	void **object;

	*ret = i < l->out + l->mutex ? OUT : IN;
	if (i < l->out + l->mutex + l->in)
		return l->at[i];
	object = l->at[i];
	*ret = as_one((enum kind)(uintptr_t)object[1]);
	return object[0];
}

static struct omp_depend *find(struct omp_task *parent, const void *addr)
{
	struct omp_depend *d = parent->depends;

	while (d && d->addr != addr)
		d = d->next;
	return d;
}

static struct omp_depend *find_or_make(struct omp_task *task, const void *addr, enum kind kind)
{
	struct omp_depend *d = find(task->parent, addr);

	if (d)
		return d;
	d = omp_memory_take(task->team, sizeof(*d));
	*d = (struct omp_depend){ .next = task->parent->depends, .addr = addr, .kind = kind };
	task->parent->depends = d;
	return d;
}

static bool joins(const struct omp_depend *d, enum kind kind)
{
	return kind != OUT && d->kind == kind;
}

static void wait_for(struct omp_task *task, const struct omp_tasks *list)
{
	for (; list; list = list->next)
		if (!list->task->done && list->task != task) {
			omp_tasks_add(&list->task->blocks, task);
			task->blockers++;
		}
}

static void add_one(struct omp_task *task, const void *addr, enum kind kind)
{
	struct omp_depend *d = find_or_make(task, addr, kind);

	if (!joins(d, kind)) {
		empty(task->team, &d->before);
		d->before = d->now;
		d->now = NULL;
		d->kind = kind;
	}
	wait_for(task, d->before);
	omp_tasks_add(&d->now, task);
}

void omp_depend_add(struct omp_task *task, void **depend)
{
	const struct list l = list_of(depend);

	for (size_t i = 0; i < l.n; i++) {
		enum kind kind;
		const void *addr = item(&l, i, &kind);

		add_one(task, addr, kind);
	}
}

/* ---- who waits without a task that waits */

static bool any_undone(const struct omp_tasks *list)
{
	for (; list; list = list->next)
		if (!list->task->done)
			return true;
	return false;
}

static bool has_to_wait(struct omp_task *parent, const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		enum kind kind;
		const void *addr = item(l, i, &kind);
		const struct omp_depend *d = find(parent, addr);

		if (d && any_undone(joins(d, kind) ? d->before : d->now))
			return true;
	}
	return false;
}

static bool is_child(const struct omp_task *task, const void *parent)
{
	return task->parent == parent;
}

void omp_depend_wait(struct omp_place *p, void **depend)
{
	const struct list l = list_of(depend);

	if (!p->task->had_children)
		return;
	omp_lock(p->team);
	while (has_to_wait(p->task, &l))
		if (!omp_task_do(p, is_child, p->task) && omp_task_sleep(p, &p->task->waits, true))
			return;
	omp_unlock(p->team);
}

OMP_EXPORT void GOMP_taskwait_depend(void **depend);
OMP_EXPORT void GOMP_taskwait_depend(void **depend)
{
	omp_depend_wait(omp_place(), depend);
}
