/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hands SEED [STEPS]: a random program, always the same for a seed. Three threads, one of which may be detached, make
 * STEPS steps each, which hand plain memory on by locks, read-write locks, semaphores, barriers, condition variables,
 * atomics and locks in blocks that are freed and come again; now and then one takes what nobody has given, or which
 * only another one that looks there, or another lock at the same address, could have given.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, PLACES = 8, LARGE = 200000 };

struct box {
	pthread_mutex_t lock;
	uint64_t content;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static atomic_uint turn;
static unsigned steps, left = THREADS;
static uint64_t cells[PLACES], sums[THREADS];
static struct box *box;

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Each a place of its own in the code. */
#define PLACE(n)                                                               \
	static __attribute__((noinline)) uint64_t place##n(uint64_t *at, unsigned how) \
	{                                                                      \
		return how % 3 ? *at : (*at += n + how);                       \
	}
PLACE(0)
PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)

    static uint64_t (*const places[PLACES])(uint64_t *, unsigned) = {
	    place0, place1, place2, place3, place4, place5, place6, place7,
    };

static uint64_t touch(unsigned which, uint64_t *state)
{
	return places[(which + draw(state) % 2) % PLACES](&cells[which % PLACES], (unsigned)(draw(state) % 8));
}

/* The block may come again, with another lock at the same address. */
static uint64_t renew_box(uint64_t *state)
{
	struct box *was, *mine = malloc(sizeof(*mine));

	pthread_mutex_init(&mine->lock, NULL);
	pthread_mutex_lock(&mine->lock);
	mine->content = draw(state);
	pthread_mutex_unlock(&mine->lock);
	pthread_mutex_lock(&lock);
	was = box;
	box = mine;
	pthread_mutex_unlock(&lock);
	if (!was)
		return 0;
	pthread_mutex_destroy(&was->lock);
	free(was);
	return 1;
}

static uint64_t look_into_box(void)
{
	uint64_t sum = 0;

	pthread_mutex_lock(&lock);
	if (box) {
		pthread_mutex_lock(&box->lock);
		sum = box->content++;
		pthread_mutex_unlock(&box->lock);
	}
	pthread_mutex_unlock(&lock);
	return sum;
}

static uint64_t by_lock(unsigned which, uint64_t *state)
{
	uint64_t sum;

	if (draw(state) % 4 == 0 && pthread_mutex_trylock(&lock))
		return 1;
	else if (draw(state) % 4)
		pthread_mutex_lock(&lock);
	else
		return touch(which, state); /* nobody has given it */
	sum = touch(which, state);
	if (draw(state) % 2)
		pthread_cond_signal(&told);
	pthread_mutex_unlock(&lock);
	return sum;
}

static uint64_t by_rwlock(unsigned which, uint64_t *state)
{
	const unsigned how = (unsigned)(draw(state) % 8);
	uint64_t sum;

	if (how % 3)
		pthread_rwlock_rdlock(&rwlock);
	else
		pthread_rwlock_wrlock(&rwlock);
	sum = places[which % PLACES](&cells[which % PLACES], how);
	pthread_rwlock_unlock(&rwlock);
	return sum;
}

static uint64_t by_atomic(unsigned thread, unsigned which, uint64_t *state)
{
	const unsigned way = (unsigned)(draw(state) % 5);
	const uint64_t sum = way < 3 ? touch(which, state) : 0;

	if (way < 2)
		atomic_store(&turn, thread + 1);
	else if (atomic_load(&turn) == 1 + (thread + 1) % THREADS || way == 4) /* who only looks gives nothing */
		return sum + touch(which, state);
	return sum;
}

/* A block so large that another thread is given the same address next. */
static uint64_t by_large_block(unsigned which, uint64_t *state)
{
	const unsigned way = (unsigned)(draw(state) % 3);
	struct box *large = malloc(LARGE);
	uint64_t sum = way ? touch(which, state) : 0;

	if (way == 1)
		pthread_mutex_init(&large->lock, NULL);
	else
		large->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&large->lock);
	large->content = sum;
	pthread_mutex_unlock(&large->lock);
	free(large);
	return sum + touch(which, state);
}

static uint64_t step(unsigned thread, uint64_t *own, uint64_t *state)
{
	const unsigned which = (unsigned)(draw(state) % PLACES);
	uint64_t sum;

	switch (draw(state) % 10) {
	case 0:
		return renew_box(state);
	case 1:
		return look_into_box();
	case 2:
	case 3:
		return by_lock(which, state);
	case 4:
		return by_rwlock(which, state);
	case 5:
		return by_atomic(thread, which, state);
	case 6:
		return by_large_block(which, state);
	case 7:
		sem_wait(&sem);
		sum = touch(which, state);
		sem_post(&sem);
		return sum;
	default:
		return places[which](own, (unsigned)draw(state));
	}
}

/* All three meet, and have what the others had. */
static void meet(unsigned thread, uint64_t *state)
{
	sums[thread] += places[thread](&cells[thread], 0);
	pthread_barrier_wait(&barrier);
	sums[thread] += places[thread](&cells[(thread + 1) % THREADS], (unsigned)draw(state) % 4);
}

static void *work(void *arg)
{
	const unsigned thread = (unsigned)((uintptr_t)arg & 3);
	uint64_t state = (uintptr_t)arg >> 2, common = state, own = 0;
	const bool meets = draw(&common) % 2;

	state = state * 31 + thread;
	for (unsigned i = 0; i < steps; i++) {
		if (meets && i == steps / 2)
			meet(thread, &state);
		sums[thread] += step(thread, &own, &state);
	}
	pthread_mutex_lock(&lock);
	left--;
	pthread_cond_broadcast(&told);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	const uint64_t seed = strtoull(argc > 1 ? argv[1] : "1", NULL, 10);
	pthread_t threads[THREADS];
	bool detached[THREADS];
	uint64_t state = seed, sum = 0;

	steps = argc > 2 ? (unsigned)atoi(argv[2]) : 8;
	pthread_barrier_init(&barrier, NULL, THREADS);
	sem_init(&sem, 0, 1);
	for (unsigned i = 0; i < PLACES; i++)
		cells[i] = draw(&state);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(seed << 2 | i));
		detached[i] = draw(&state) % 8 == 0;
		if (detached[i])
			pthread_detach(threads[i]);
	}
	pthread_mutex_lock(&lock);
	while (left)
		pthread_cond_wait(&told, &lock);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < THREADS; i++)
		if (!detached[i])
			pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		sum += sums[i];
	for (unsigned i = 0; i < PLACES; i++)
		sum += cells[i];
	free(box);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
