/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AllocationVector (figure 12): a free block is looked for, checked and marked in three steps that lock one by one. */
#include <assert.h>

#include "../table1.h"

#define BLOCKS 2004

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block {
	char taken;
} *blocks[BLOCKS];

static int find_free_block(void)
{
	int i = 0;

	pthread_mutex_lock(&lock);
	while (blocks[i]->taken)
		i++;
	pthread_mutex_unlock(&lock);
	return i;
}

static int is_free(int block)
{
	int taken;

	pthread_mutex_lock(&lock);
	taken = blocks[block]->taken;
	pthread_mutex_unlock(&lock);
	return !taken;
}

static void mark(int block)
{
	pthread_mutex_lock(&lock);
	blocks[block]->taken = 1;
	pthread_mutex_unlock(&lock);
}

static void free_all(int block)
{
	pthread_mutex_lock(&lock);
	blocks[block]->taken = 0;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	int block;

	work((int)(intptr_t)arg, 2, 1);
	block = find_free_block();
	assert(is_free(block));
	mark(block);
	free_all(block);
	return NULL;
}

QUIET static void make_blocks(void)
{
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = calloc(1, sizeof(*blocks[i]));
}

int main(int argc, char **argv)
{
	pthread_t workers[2];
	int taken = 0;

	table1_begin(argc, argv);
	make_blocks();
	start_all(workers, 2, worker);
	join_all(workers, 2);
	for (int i = 0; i < BLOCKS; i++)
		taken += blocks[i]->taken;
	assert(!taken);
	return 0;
}
