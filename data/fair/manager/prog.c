/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manager: blocks of memory are handed out from one list and given back to it. The lists lock; how many have come back is counted beside them,
 * without the lock. */
#include "../fair.h"

#define WORKERS 5
#define BLOCKS 6

struct block {
	struct block *next;
	int owner; /* worker + 1, 0: free */
	int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block blocks[BLOCKS];
static struct block *free_list;
static int out, most_out, returned;

static void manager_init(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i].next = free_list;
		free_list = &blocks[i];
	}
}

static struct block *request(int worker)
{
	struct block *b;

	pthread_mutex_lock(&lock);
	b = free_list;
	if (b) {
		free_list = b->next;
		b->owner = worker + 1;
		b->uses++;
		out++;
		if (out > most_out)
			most_out = out;
	}
	pthread_mutex_unlock(&lock);
	return b;
}

static void release(struct block *b)
{
	pthread_mutex_lock(&lock);
	b->owner = 0;
	b->next = free_list;
	free_list = b;
	out--;
	pthread_mutex_unlock(&lock);
	returned++; /* here */
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;
	struct block *mine = request(me);

	if (!mine)
		return NULL;
	assert(mine->owner == me + 1);
	release(mine);
	return NULL;
}

static int count_free(void)
{
	int n = 0;

	for (const struct block *b = free_list; b; b = b->next)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	manager_init();
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	assert(count_free() == BLOCKS);
	assert(out == 0 && most_out <= WORKERS);
	assert(returned == WORKERS);
	return 0;
}
