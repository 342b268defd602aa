/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table that is made when it is first asked for; the flag is raised before it is filled. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static uint32_t *table;
static int ready;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static void table_fill(uint32_t *t)
{
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 2; bit++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		t[i] = c;
	}
}

static const uint32_t *table_get(void)
{
	pthread_mutex_lock(&table_lock);
	if (!ready) {
#ifndef FIXED
		ready = 1;
		pthread_mutex_unlock(&table_lock);
		table = calloc(4, sizeof(*table));
		table_fill(table);
		return table;
#else
		table = calloc(4, sizeof(*table));
		table_fill(table);
		ready = 1;
#endif
	}
	pthread_mutex_unlock(&table_lock);
	return table;
}

static uint32_t checksum(const unsigned char *data, size_t size)
{
	const uint32_t *t = table_get();
	uint32_t sum = ~0u;

	for (size_t i = 0; i < size; i++)
		sum = t[(sum ^ data[i]) & 3] ^ (sum >> 2);
	return ~sum;
}

static void *worker(void *arg)
{
	*(uint32_t *)arg = checksum((const unsigned char *)"vtb", 3);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	uint32_t sums[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &sums[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(sums[0] == sums[1]);
	free(table);
	return 0;
}
