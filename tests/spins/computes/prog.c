/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads compute: they read a table, rows and strings again and again, and wait for nobody.
 * Broken: the sum of what they came to is taken without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 10000
#define SIDE 20
#define LINES 8000

static uint32_t table[256], sums[2], sum;
static unsigned char bytes[2][BYTES];
static int left[SIDE][SIDE], right[SIDE][SIDE], product[2][SIDE][SIDE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t check_sum(const unsigned char *from)
{
	uint32_t crc = ~0u;

	for (int i = 0; i < BYTES; i++)
		crc = table[(crc ^ from[i]) & 255] ^ crc >> 8;
	return ~crc;
}

static void multiply(int (*to)[SIDE])
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			for (int k = 0; k < SIDE; k++)
				to[i][j] += left[i][k] * right[k][j];
}

/* It reads one string again each time, and another one that is never the same. */
static uint32_t print(void)
{
	char text[24];
	uint32_t all = 0;

	for (int i = 0; i < LINES; i++) {
		snprintf(text, sizeof(text), "%d.%d", i, i);
		all += (uint32_t)strtod(text, NULL);
	}
	return all;
}

static void *compute(void *arg)
{
	const size_t self = (size_t)arg;

	sums[self] = print(); /* first: who reads many words is believed for longer */
	sums[self] += check_sum(bytes[self]);
	multiply(product[self]);
#ifndef BROKEN
	pthread_mutex_lock(&lock);
#endif
	sum += sums[self];
#ifndef BROKEN
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (uint32_t i = 0; i < 256; i++)
		table[i] = i * 0x9e3779b9u;
	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, compute, (void *)i);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sum == sums[0] + sums[1]);
	return 0;
}
