/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HashSet: a set whose methods lock, used by 199 threads. Two of them work on the same set: one adds all of another set by walking
 * over it, with nobody's lock held in between, the other one adds to that set. The walk notices that it was changed. */
#include <assert.h>
#include <stddef.h>

#include "../table1.h"

#define WORKERS 199
#define SETS (WORKERS - 1)
#define SLOTS 16

struct set {
	pthread_mutex_t lock;
	int changes;
	int slots[SLOTS];
};

static struct set sets[SETS];

static void add(struct set *s, int value)
{
	pthread_mutex_lock(&s->lock);
	for (int i = 0, at = value % SLOTS; i < SLOTS; i++, at = (at + 1) % SLOTS) {
		if (!s->slots[at] || s->slots[at] == value) {
			s->slots[at] = value;
			break;
		}
	}
	s->changes++;
	pthread_mutex_unlock(&s->lock);
}

/* The size first, then element by element. */
static void add_all(struct set *to, struct set *from)
{
	int changes;

	pthread_mutex_lock(&from->lock);
	changes = from->changes;
	pthread_mutex_unlock(&from->lock);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&from->lock);
		assert(from->changes == changes);
		pthread_mutex_unlock(&from->lock);
	}
	add(to, 1);
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WORKERS, 4182);
	if (me < SETS)
		add(&sets[me], me + 1);
	else
		add_all(&sets[place(1, 1, SETS)], &sets[place(1, 0, SETS)]);
	return NULL;
}

QUIET static void make_sets(void)
{
	for (int i = 0; i < SETS; i++)
		pthread_mutex_init(&sets[i].lock, NULL);
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	make_sets();
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	return 0;
}
