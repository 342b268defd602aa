/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pieces CASE: threads that touch pieces of memory as a whole and at single places. Where a name ends in "late",
 * nothing but time says that the others have been there. The cases are rows of a table at the end.
 */
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, SIZE = 64, LARGE = 100000, MANY = 800 };

static sem_t told;
static _Alignas(16) char piece[SIZE], shared[SIZE];
static char *volatile block;
static _Thread_local volatile long sum; /* what was read; of each its own, so that they meet only where they are to */
static atomic_int steps;
static volatile size_t none; /* 0: of sizes that it knows the compiler would make the call itself, without a hook */

static void wait_long(void)
{
	int seen = 0;

	for (int i = 0; i < STEPS; i++)
		atomic_compare_exchange_weak(&steps, &seen, seen + 1); /* always told, whoever comes here */
}

/* Each is a place of its own in the code. */
#define DO(name, ...)                     \
	static void *name(void *unused)   \
	{                                 \
		__VA_ARGS__;              \
		return unused;            \
	}
#define LATE(name, ...) DO(name, wait_long(); __VA_ARGS__)
#define TOLD(name, ...) DO(name, sem_wait(&told); __VA_ARGS__)

static void copy(const char *from)
{
	char own[SIZE];

	memcpy(own, from, none + SIZE);
	sum += own[9];
}

DO(only_wait, wait_long())

/* ---- parts of a piece */

DO(fill_to_24, memset(piece, 2, none + 25))
DO(fill_from_7, memset(piece + 7, 2, none + 25))
DO(fill_all, memset(piece, 3, none + SIZE))
DO(read_wide, sum += (long)*(volatile uint64_t *)(void *)(piece + 12))
LATE(write_7_late, piece[7] = 1)
LATE(write_16_late, piece[16] = 1)
LATE(write_24_late, piece[24] = 1)
LATE(fill_middle_late, memset(piece + 17, 1, none + 13))
LATE(read_9_late, sum += piece[9])
LATE(read_last_late, sum += piece[SIZE - 1])

/* ---- readers and writers, one after the other or not */

DO(fill_and_tell, memset(piece, 5, none + SIZE); sem_post(&told))
DO(copy_it, copy(piece))
DO(copy_and_tell, copy(piece); sem_post(&told))
TOLD(copy_told, copy(piece))
TOLD(fill_told, memset(piece, 6, none + SIZE))
TOLD(fill_rest_told, memset(piece + 8, 6, none + SIZE - 8))
DO(copy_and_fill, copy(piece); memset(piece, 6, none + SIZE))
TOLD(fill_twice_told, memset(piece, 6, none + SIZE); sem_post(&told); memset(piece + 1, 7, none + SIZE - 2))

/* ---- two variables in 8 bytes: each thread has its own, or a part of another one's */

static _Alignas(8) struct {
	volatile int low, high;
} sides;
static _Alignas(8) volatile char bytes[8];

#define AGAIN(...)                     \
	for (int i = 0; i < STEPS; i++) \
	__VA_ARGS__

DO(count_low, AGAIN(sides.low++))
DO(count_high, AGAIN(sides.high++))
DO(count_byte_2, AGAIN(bytes[2]++))
DO(count_byte_3, AGAIN(bytes[3]++))
DO(count_byte_7, AGAIN(bytes[7]++))
DO(count_in_low, AGAIN(((volatile char *)&sides.low)[3]++))
LATE(read_both_late, sum += (long)*(volatile uint64_t *)(void *)&sides)
LATE(clear_both_late, memset((void *)&sides, 0, none + sizeof(sides)))
DO(count_and_tell, AGAIN(sides.high++); sem_post(&told))
TOLD(count_told, AGAIN(sides.high++))

/* Places at which single bytes are looked at, since the other one's lies beside: and then elsewhere. */
static __attribute__((noinline)) void step(volatile int *at)
{
	(*at)++;
}

static __attribute__((noinline)) void look(volatile int *at)
{
	sum += *at;
}

DO(step_low_and_freed, step(&sides.low); look(&sides.low); volatile int *volatile mine = malloc(SIZE); step(mine);
   free((void *)mine); look(mine))
DO(step_high, step(&sides.high); look(&sides.high))
DO(step_low_and_tell, step(&sides.low); look(&sides.low); sem_post(&told))
TOLD(look_low_told, look(&sides.high); look(&sides.low))
LATE(count_byte_of_low_late, AGAIN(sum += ((volatile char *)&sides.low)[3]))
LATE(byte_0_and_word_late, bytes[0]++; sum += *(volatile int *)(volatile void *)bytes)
DO(count_byte_0, AGAIN(bytes[0]++))
DO(count_byte_0_and_word, AGAIN(bytes[0]++); sum += *(volatile int *)(volatile void *)bytes)
LATE(count_byte_3_late, AGAIN(bytes[3]++))

/* A place that touches what is shared is told: also where it touches something else. */
static __attribute__((noinline)) void touch(char *at)
{
	(*at)++;
}

DO(touch_and_fill, touch(shared); touch(piece + 8); memset(piece, 3, none + 40))
LATE(touch_late, touch(shared); touch(piece + 8))

/* ---- blocks */

/* A block that another one follows at once. */
static char *pair(void)
{
	char *first = malloc(SIZE - 8), *next;

	while ((next = malloc(SIZE - 8)) != first + SIZE)
		first = next;
	return first;
}

DO(fill_over, char *volatile first = pair(); free(first + none + SIZE); memset(first, 7, none + SIZE + 32);
   sum += first[SIZE + 8])
DO(fill_before, memset(block, 7, none + SIZE + 32); sum += block[SIZE + 8])
DO(free_and_copy, char *volatile mine = malloc(SIZE); free(mine); copy(mine))
DO(free_twice, char *volatile mine = malloc(SIZE); free(mine); free(mine))
DO(fill_and_free, memset(block, 1, none + SIZE - 8); free(block))
DO(fill_block, memset(block, 1, none + SIZE - 8))
DO(copy_block, copy(block))
LATE(copy_block_late, copy(block))
LATE(free_late, free(block))

/* So many that the first ones are given out again. */
static void renew_many(void)
{
	for (int i = 0; i < MANY; i++) {
		char *volatile other = malloc(LARGE);

		free(other);
	}
}

DO(free_many, char *volatile mine = malloc(LARGE); memset(mine, 1, none + SIZE); free(mine); renew_many())
LATE(take_late, char *volatile mine = malloc(LARGE); memset(mine, 2, none + LARGE); sum += mine[5]; free(mine))

DO(touch_and_free_many, char *volatile mine = malloc(LARGE); touch(shared); sum += mine[8]; free(mine);
   renew_many())
LATE(touch_taken_late, char *volatile mine = malloc(LARGE); touch(shared); touch(mine + 8))

typedef void *start(void *);

static const struct row {
	const char *name;
	start *of[3];
} rows[] = {
	/* one range, of which another thread has a byte */
	{ "end", { fill_to_24, write_24_late } },
	{ "begin", { fill_from_7, write_7_late } },
	{ "middle", { fill_all, write_16_late } },
	{ "ranges", { fill_all, fill_middle_late } },
	{ "wide", { read_wide, write_16_late } },
	/* what is known of a range's cells */
	{ "filled", { copy_and_fill, read_9_late } },
	{ "copied", { fill_and_tell, copy_told, read_last_late } },
	{ "counted", { copy_and_tell, copy_it, fill_rest_told } },
	{ "refilled", { fill_and_tell, fill_told, read_9_late } },
	{ "twice", { copy_and_tell, fill_twice_told, read_9_late } },
	{ "beside", { touch_and_fill, touch_late } },
	/* two variables side by side */
	{ "sides", { count_low, count_high } },
	{ "bytes", { count_byte_2, count_byte_3, count_byte_7 } },
	{ "within", { count_low, count_in_low, count_high } },
	{ "both", { count_low, count_high, read_both_late } },
	{ "cleared", { count_low, count_high, clear_both_late } },
	{ "handed", { count_low, count_and_tell, count_told } },
	{ "steps", { step_low_and_freed, step_high } },
	{ "looked", { step_low_and_tell, look_low_told, count_byte_of_low_late } },
	{ "wider", { count_byte_3, byte_0_and_word_late } },
	{ "word", { count_byte_0, count_byte_0_and_word, count_byte_3_late } },
	/* what is freed: a range that reaches into it, of this thread's and from before there were threads, ... */
	{ "over", { fill_over, only_wait } },
	{ "before", { fill_before, only_wait } },
	{ "own", { free_and_copy, only_wait } },
	{ "double", { free_twice, only_wait } },
	{ "read", { fill_and_free, copy_block_late } },
	{ "write", { fill_block, free_late } },
	{ "look", { copy_block, free_late } },
	{ "again", { free_many, take_late } },
	{ "reused", { touch_and_free_many, touch_taken_late } },
};

static void run(start *const *of)
{
	pthread_t threads[3];
	int n = 0;

	sem_init(&told, 0, 0);
	for (; n < 3 && of[n]; n++)
		pthread_create(&threads[n], NULL, of[n], NULL);
	while (n--)
		pthread_join(threads[n], NULL);
	printf("%d\n", piece[17]);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	mallopt(M_ARENA_MAX, 1); /* blocks go from one thread to another */
	mallopt(M_TRIM_THRESHOLD, 1 << 28);
	block = pair();
	if (!strcmp(name, "before"))
		free(block + none + SIZE);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(name, rows[i].name)) {
			run(rows[i].of);
			return 0;
		}
	return 2;
}
