/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AllocationVector (figure 12): a vector of blocks, of which two threads allocate some and give them back. Looking for a free block, checking
 * and marking it lock one by one. */
#include "../fair.h"

#define BLOCKS 1000
#define WORKERS 2
#define EACH 1 /* as in the figure */

struct block {
	int index;
	bool taken;
};

struct vector {
	pthread_mutex_t lock;
	struct block *blocks[BLOCKS];
	int free;
	int searched; /* blocks looked at */
};

static struct vector vector = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool fill(struct vector *v)
{
	for (int i = 0; i < BLOCKS; i++) {
		v->blocks[i] = malloc(sizeof(*v->blocks[i]));
		if (!v->blocks[i])
			return false;
		v->blocks[i]->index = i;
		v->blocks[i]->taken = false;
	}
	v->free = BLOCKS;
	return true;
}

/* Index of a free block, -1 if there is none. */
static int find_free_block(struct vector *v)
{
	int found = -1;

	pthread_mutex_lock(&v->lock);
	for (int i = 0; i < BLOCKS && found < 0; i++) {
		v->searched++;
		if (!v->blocks[i]->taken)
			found = i;
	}
	pthread_mutex_unlock(&v->lock);
	return found;
}

static bool is_free(struct vector *v, int block)
{
	bool taken;

	pthread_mutex_lock(&v->lock);
	taken = v->blocks[block]->taken;
	pthread_mutex_unlock(&v->lock);
	return !taken;
}

static void mark_allocated(struct vector *v, int block)
{
	pthread_mutex_lock(&v->lock);
	v->blocks[block]->taken = true;
	v->free--;
	pthread_mutex_unlock(&v->lock);
}

static void mark_free(struct vector *v, int block)
{
	pthread_mutex_lock(&v->lock);
	v->blocks[block]->taken = false;
	v->free++;
	pthread_mutex_unlock(&v->lock);
}

static int allocate(struct vector *v)
{
	const int block = find_free_block(v);

	if (block < 0)
		return -1;
	assert(is_free(v, block));
	mark_allocated(v, block);
	return block;
}

static void *worker(void *arg)
{
	int mine[EACH];

	(void)arg;
	for (int i = 0; i < EACH; i++)
		mine[i] = allocate(&vector);
	for (int i = 0; i < EACH; i++)
		if (mine[i] >= 0)
			mark_free(&vector, mine[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	if (!fill(&vector))
		return 0;
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	for (int i = 0; i < BLOCKS; i++)
		free(vector.blocks[i]);
	return 0;
}
