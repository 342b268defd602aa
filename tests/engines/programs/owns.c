/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owns SEED [atomics]: a random program, always the same for a seed. Three threads read and write bytes, words and
 * ranges of a table, of blocks that they hand on, and of their own stacks, from many places in the code: some of it is
 * touched by one thread, some read by several, some written by several, side by side in 8 bytes and across them. What
 * is read goes into a sum that is printed, so that no access is idle. With a second argument two of three accesses are
 * atomic operations.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, STEPS = 14, PLACES = 24, TABLE = 64 };

static _Alignas(8) unsigned char table[TABLE];
static unsigned char *block; /* handed on under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turns;
static uint64_t sums[THREADS]; /* next to each other */

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Each a place of its own in the code: eight ways of touching memory. */
#define PLACE(n)                                                                            \
	static __attribute__((noinline)) uint64_t place##n(unsigned char *at, unsigned how) \
	{                                                                                   \
		switch (how % 8) {                                                          \
		case 0:                                                                     \
			return *at;                                                         \
		case 1:                                                                     \
			return *at = (unsigned char)(n + 1);                                \
		case 2:                                                                     \
			return *(uint16_t *)(void *)at;                                     \
		case 3:                                                                     \
			return *(uint32_t *)(void *)at += n;                                \
		case 4:                                                                     \
			return *(uint64_t *)(void *)(at - (uintptr_t)at % 8);               \
		case 5:                                                                     \
			return *(uint64_t *)(void *)(at - (uintptr_t)at % 8) = n;           \
		case 6:                                                                     \
			return (uint64_t)(uintptr_t)memset(at, n, 5) & 1;                   \
		default:                                                                    \
			return ++*at;                                                       \
		}                                                                           \
	}
PLACE(0)
PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7) PLACE(8) PLACE(9) PLACE(10) PLACE(11) PLACE(12) PLACE(13)
    PLACE(14) PLACE(15) PLACE(16) PLACE(17) PLACE(18) PLACE(19) PLACE(20) PLACE(21) PLACE(22) PLACE(23)

        static uint64_t (*const places[PLACES])(unsigned char *, unsigned) = {
	        place0,  place1,  place2,  place3,  place4,  place5,  place6,  place7,
	        place8,  place9,  place10, place11, place12, place13, place14, place15,
	        place16, place17, place18, place19, place20, place21, place22, place23,
        };

/* Likewise atomic operations. */
#define ATOMIC_PLACE(n)                                                                                      \
	static __attribute__((noinline)) uint64_t atomic_place##n(unsigned char *at, unsigned how)           \
	{                                                                                                    \
		uint32_t *word = (uint32_t *)(void *)(at - (uintptr_t)at % 4), seen;                         \
		uint64_t *wide = (uint64_t *)(void *)(at - (uintptr_t)at % 8);                               \
		unsigned char byte;                                                                          \
		switch (how % 8) {                                                                           \
		case 0:                                                                                      \
			return __atomic_load_n(word, __ATOMIC_SEQ_CST);                                      \
		case 1:                                                                                      \
			__atomic_store_n(at, (unsigned char)(n + 1), __ATOMIC_SEQ_CST);                      \
			return 0;                                                                            \
		case 2:                                                                                      \
			return __atomic_load_n(wide, __ATOMIC_ACQUIRE);                                      \
		case 3:                                                                                      \
			return __atomic_fetch_add(word, n, __ATOMIC_ACQ_REL);                                \
		case 4:                                                                                      \
			return __atomic_fetch_or(wide, 0, __ATOMIC_RELAXED); /* changes nothing */           \
		case 5:                                                                                      \
			seen = __atomic_load_n(word, __ATOMIC_RELAXED) + how / 8 % 2; /* or it fails */      \
			return __atomic_compare_exchange_n(word, &seen, seen + n, false, __ATOMIC_SEQ_CST,   \
			                                   __ATOMIC_SEQ_CST);                                \
		case 6:                                                                                      \
			byte = *at;                                                                          \
			return __atomic_compare_exchange_n(at, &byte, n, true, __ATOMIC_SEQ_CST,             \
			                                   __ATOMIC_SEQ_CST);                                \
		default:                                                                                     \
			return __atomic_exchange_n(at, (unsigned char)n, __ATOMIC_SEQ_CST);                  \
		}                                                                                            \
	}
ATOMIC_PLACE(0)
ATOMIC_PLACE(1)
ATOMIC_PLACE(2)
ATOMIC_PLACE(3)
ATOMIC_PLACE(4)
ATOMIC_PLACE(5)
ATOMIC_PLACE(6)
ATOMIC_PLACE(7)
ATOMIC_PLACE(8)
ATOMIC_PLACE(9)
ATOMIC_PLACE(10)
ATOMIC_PLACE(11)

static uint64_t (*const atomic_places[PLACES / 2])(unsigned char *, unsigned) = {
	atomic_place0, atomic_place1, atomic_place2, atomic_place3, atomic_place4,  atomic_place5,
	atomic_place6, atomic_place7, atomic_place8, atomic_place9, atomic_place10, atomic_place11,
};
static bool atomics;

static uint64_t access_at(uint64_t place, unsigned char *at, unsigned how, uint64_t *state)
{
	return atomics && draw(state) % 3 ? atomic_places[place / 2](at, how) : places[place](at, how);
}

struct task {
	uint64_t seed;
	unsigned thread;
};

static uint64_t hand_on(unsigned char **mine, uint64_t *state)
{
	unsigned char *was;

	pthread_mutex_lock(&lock);
	was = block;
	block = *mine;
	pthread_mutex_unlock(&lock);
	if (was && draw(state) % 2) {
		free(was);
		was = NULL;
	}
	*mine = was ? was : calloc(1, 32);
	return access_at(draw(state) % PLACES, *mine + draw(state) % 24, (unsigned)draw(state), state);
}

static uint64_t step(unsigned thread, unsigned char *own, unsigned char **mine, uint64_t *state)
{
	const unsigned how = (unsigned)draw(state), way = (unsigned)draw(state) % 10;

	switch (way) {
	case 0:
		return hand_on(mine, state);
	case 1:
		return (uint64_t)atomic_fetch_add(&turns, 1);
	case 2:
		return access_at(draw(state) % PLACES, table + draw(state) % 24, how & 4 ? 4 : how & 2, state); /* only read */
	case 3: /* its own six bytes and, at times, a few of the next thread's */
		return access_at(20 + draw(state) % 4, table + 40 + 6 * thread + draw(state) % 4, how % 4, state);
	case 4:
		return access_at(draw(state) % 4, table + 32 + draw(state) % 24, how, state);
	case 5:
	case 6:
		return access_at(4 + 4 * thread + draw(state) % 4, own + draw(state) % 24, how, state);
	default:
		return access_at(16 + draw(state) % 8, *mine + draw(state) % 24, how, state);
	}
}

static void *work(void *arg)
{
	const struct task *task = arg;
	_Alignas(8) unsigned char own[32] = { 0 };
	unsigned char *mine = calloc(1, 32);
	uint64_t state = task->seed * 31 + task->thread;

	for (unsigned i = 0; i < STEPS; i++)
		sums[task->thread] += step(task->thread, own, &mine, &state);
	free(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	struct task tasks[THREADS];
	pthread_t threads[THREADS];
	uint64_t state = strtoull(argc > 1 ? argv[1] : "1", NULL, 10), sum = 0;

	atomics = argc > 2;
	for (unsigned i = 0; i < TABLE; i++)
		table[i] = (unsigned char)draw(&state);
	for (unsigned i = 0; i < THREADS; i++)
		tasks[i] = (struct task){ state, i };
	for (unsigned i = 0; i < THREADS; i++) {
		if (draw(&state) % 4 == 0) /* one that is joined before the next begins */
			pthread_create(&threads[i], NULL, work, &tasks[i]), pthread_join(threads[i], NULL),
			    tasks[i].thread = THREADS;
		else
			pthread_create(&threads[i], NULL, work, &tasks[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (tasks[i].thread != THREADS)
			pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		sum += sums[i];
	free(block);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
