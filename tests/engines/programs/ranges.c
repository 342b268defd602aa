/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranges SEED [STEPS]: a random program, always the same for a seed. Three threads copy, fill, compare, join and free
 * texts and pieces of memory of all sizes, aligned or not, from many places in the code: in buffers of their own, in a
 * table whose parts overlap with those of the next thread and are also read and written word by word, in blocks and
 * texts that they hand on under a lock or, now and then, without, and which whoever has them frees.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, PLACES = 12, TABLE = 512, SIZE = 160 };

static _Alignas(16) char table[TABLE];
static char *shelf[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sums[THREADS];
static unsigned steps;

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* A piece of memory, and room beside it that is the thread's own. */
struct piece {
	char *at;
	size_t size;
	char *own; /* SIZE bytes */
};

/* What is read last, so that it has ended somewhere; the piece may be a text of another thread by now. */
static uint64_t sum_of(const char *at, size_t size)
{
	uint64_t sum = size;

	for (size_t i = 0; i < size; i += 7)
		sum = sum * 31 + (unsigned char)at[i];
	return sum;
}

/* Each a place of its own in the code: twelve ways of touching a piece. */
#define PLACE(n)                                                                                       \
	static __attribute__((noinline)) uint64_t place##n(const struct piece *p, unsigned how)        \
	{                                                                                              \
		unsigned __int128 wide;                                                                \
		switch (how % 12) {                                                                    \
		case 0:                                                                                \
			memcpy(p->own, p->at, p->size);                                                \
			return sum_of(p->own, p->size);                                                \
		case 1:                                                                                \
			return (uint64_t)(uintptr_t)memcpy(p->at, p->own, p->size) & 1;                \
		case 2:                                                                                \
			return (uint64_t)(uintptr_t)memset(p->at, n + 1, p->size) & 1;                 \
		case 3:                                                                                \
			return (uint64_t)(memcmp(p->at, p->own, p->size) > 0);                         \
		case 4:                                                                                \
			return (uint64_t)(uintptr_t)memmove(p->at + p->size / 2, p->at, p->size / 2) & 1; \
		case 5:                                                                                \
			return strnlen(p->at, p->size);                                                \
		case 6:                                                                                \
			memcpy(&wide, p->at + (p->size & 8), p->size < 24 ? 8 : 16);                   \
			return (uint64_t)wide + n;                                                     \
		case 7:                                                                                \
			return (uint64_t)++p->at[p->size - 1];                                         \
		case 8:                                                                                \
			return *(volatile uint32_t *)(void *)(p->at + 1);                              \
		case 9:                                                                                \
			return *(volatile uint64_t *)(void *)(p->at + (n & 7)) = n;                    \
		case 10:                                                                               \
			return sum_of(p->at, p->size);                                                 \
		default:                                                                               \
			strncpy(p->own, p->at, p->size);                                               \
			return (uint64_t)p->own[0];                                                    \
		}                                                                                      \
	}
PLACE(0)
PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7) PLACE(8) PLACE(9) PLACE(10) PLACE(11)

    static uint64_t (*const places[PLACES])(const struct piece *, unsigned) = {
	    place0, place1, place2, place3, place4, place5, place6, place7, place8, place9, place10, place11,
    };

static uint64_t touch(char *at, size_t room, char *own, uint64_t *state, unsigned first)
{
	const size_t from = draw(state) % (room - 24), size = 16 + draw(state) % (room - from - 16);
	const struct piece p = { at + from, size, own };

	return places[(first + draw(state) % 3) % PLACES](&p, (unsigned)(draw(state) % 12));
}

/* A text in a block of its own, which the thread builds. */
static char *build(uint64_t *state)
{
	char *text = malloc(SIZE);

	memset(text, 'x', SIZE);
	strcpy(text, "one ");
	while (strlen(text) < SIZE - 16)
		strcat(text, draw(state) % 2 ? "two " : "three ");
	return text;
}

/* The text on a shelf, if there is one, is the thread's now, and its own one is there. */
static char *exchange(char *mine, unsigned which, bool locked)
{
	char *was;

	if (locked)
		pthread_mutex_lock(&lock);
	was = shelf[which];
	shelf[which] = mine;
	if (locked)
		pthread_mutex_unlock(&lock);
	return was;
}

/* Under the lock, and at times nobody has it; or it looks only. */
static uint64_t look_at_shelf(char *own, bool locked, uint64_t *state)
{
	uint64_t sum = 0;

	if (locked)
		pthread_mutex_lock(&lock);
	if (shelf[0])
		sum = touch(shelf[0], SIZE - 24, own, state, 6);
	if (locked)
		pthread_mutex_unlock(&lock);
	return sum;
}

static char *renew(char *mine, uint64_t *state)
{
	size_t size;
	char *next;

	switch (draw(state) % 4) {
	case 0:
		free(mine);
		return build(state);
	case 1:
		return realloc(mine, SIZE + draw(state) % 64);
	case 2:
		next = malloc(SIZE);
		memcpy(next, mine, SIZE);
		free(mine);
		return next;
	default:
		mine[SIZE - 20] = 0;
		next = strdup(mine);
		size = strlen(mine) + 1;
		free(mine);
		next = realloc(next, SIZE);
		return memset(next + size, 'y', SIZE - size) ? next : NULL;
	}
}

static uint64_t step(unsigned thread, char *own, char **mine, uint64_t *state)
{
	char *was;

	switch (draw(state) % 12) {
	case 0:
	case 1:
		was = exchange(*mine, 0, draw(state) % 8);
		*mine = was ? was : build(state);
		return touch(*mine, SIZE - 24, own, state, 3);
	case 2:
		was = exchange(build(state), 1, true);
		free(was);
		return 1;
	case 3:
		return look_at_shelf(own, draw(state) % 6, state);
	case 4:
		*mine = renew(*mine, state);
		return sum_of(*mine, 16);
	case 5: /* its part of the table, and a little of the next one's */
		return touch(table + 160 * thread, draw(state) % 3 ? 152 : 168, own, state, 0);
	case 6:
		return touch(table, 96, own, state, 9) * (draw(state) % 2);
	case 7:
	case 8:
		return touch(own, SIZE - 24, own + SIZE, state, 3 * thread);
	default:
		return touch(*mine, SIZE - 24, own, state, 3);
	}
}

static void *work(void *arg)
{
	const unsigned thread = (unsigned)((uintptr_t)arg & 3);
	uint64_t state = ((uintptr_t)arg >> 2) * 31 + thread;
	char own[2 * SIZE] = { 0 };
	char *mine = build(&state);

	for (unsigned i = 0; i < steps; i++)
		sums[thread] += step(thread, own, &mine, &state);
	free(mine);
	return NULL;
}

int main(int argc, char **argv)
{
	const uint64_t seed = strtoull(argc > 1 ? argv[1] : "1", NULL, 10);
	pthread_t threads[THREADS];
	uint64_t state = seed, sum = 0;

	steps = argc > 2 ? (unsigned)atoi(argv[2]) : 8;
	for (unsigned i = 0; i < TABLE; i++)
		table[i] = (char)draw(&state);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(seed << 2 | i));
		if (draw(&state) % 6 == 0)
			pthread_join(threads[i], NULL), threads[i] = 0;
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (threads[i])
			pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		sum += sums[i];
	free(shelf[0]);
	free(shelf[1]);
	printf("%llx %llx\n", (unsigned long long)sum, (unsigned long long)sum_of(table, TABLE));
	return 0;
}
