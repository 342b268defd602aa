/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RegionOwnership: objects are grouped in regions, each of which one thread owns; calls to a region are queued under its lock, and executed by the owner.
 * A region changes hands without a lock: the giver writes down the new owner and, while objects are on their way, that it is moving. Who calls looks twice at the owner and
 * once at that, which is not enough. */
#include <stdatomic.h>

#include "../fair.h"

#define REGIONS 2
#define OTHERS 2
#define ROOM 16

struct call {
	int object, by;
};

struct region {
	pthread_mutex_t lock;
	struct call calls[ROOM];
	int queued, executed;
	int objects[4];
	atomic_int owner, moving;
};

static struct region regions[REGIONS];
static int sent[2 + OTHERS];

static bool call(struct region *r, int object, int by)
{
	bool room;

	pthread_mutex_lock(&r->lock);
	room = r->queued - r->executed < ROOM;
	if (room) {
		r->calls[r->queued % ROOM] = (struct call){ object, by };
		r->queued++;
		sent[by]++;
	}
	pthread_mutex_unlock(&r->lock);
	return room;
}

static bool execute_one(struct region *r)
{
	bool any;

	pthread_mutex_lock(&r->lock);
	any = r->executed < r->queued;
	if (any) {
		r->objects[r->calls[r->executed % ROOM].object]++;
		r->executed++;
	}
	pthread_mutex_unlock(&r->lock);
	return any;
}

static void give(struct region *r, int to)
{
	atomic_store(&r->owner, to);
	atomic_store(&r->moving, 1);
	atomic_store(&r->moving, 0);
}

/* Is the region at rest, and whose? */
static int owner_at_rest(struct region *r)
{
	const int before = atomic_load(&r->owner), after = atomic_load(&r->owner), moving = atomic_load(&r->moving);

	assert(before == after || !moving); /* here: it has changed hands, and moves still */
	return moving ? -1 : after;
}

static void *producer(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < 4; i++)
		call(&regions[i % REGIONS], i, me);
	give(&regions[0], 1);
	return NULL;
}

static void *consumer(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < 2; i++)
		execute_one(&regions[1]);
	if (owner_at_rest(&regions[0]) == me)
		execute_one(&regions[0]);
	return NULL;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	if (me == 0)
		return producer(arg);
	if (me == 1)
		return consumer(arg);
	call(&regions[1], me, me);
	execute_one(&regions[1]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[2 + OTHERS];
	int calls = 0;

	table1_begin(argc, argv);
	for (int i = 0; i < REGIONS; i++)
		pthread_mutex_init(&regions[i].lock, NULL);
	start_all(workers, 2 + OTHERS, worker);
	join_all(workers, 2 + OTHERS);
	for (int i = 0; i < 2 + OTHERS; i++)
		calls += sent[i];
	for (int i = 0; i < REGIONS; i++)
		calls -= regions[i].queued;
	assert(calls == 0);
	return 0;
}
