/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BubbleSort: each of eight threads makes passes over a list until one changes nothing; a pass takes the lock of each cell and of the next one,
 * hand over hand. Main takes it that they are ready after a while. */
#include "../fair.h"

#define WORKERS 8
#define CELLS 16

struct cell {
	pthread_mutex_t lock;
	int value;
	int swaps;
};

/* What became of the list, told at the end. */
struct result {
	int swaps, most_passes;
	int seen[CELLS]; /* how often each value is there */
};

static struct cell cells[CELLS];
static int passes[WORKERS];

static bool swap_if_needed(struct cell *a, struct cell *b)
{
	const int value = a->value;

	if (value <= b->value)
		return false;
	a->value = b->value;
	b->value = value;
	a->swaps++;
	return true;
}

static bool pass(void)
{
	bool changed = false;

	pthread_mutex_lock(&cells[0].lock);
	for (int i = 0; i + 1 < CELLS; i++) {
		pthread_mutex_lock(&cells[i + 1].lock);
		changed |= swap_if_needed(&cells[i], &cells[i + 1]);
		pthread_mutex_unlock(&cells[i].lock);
	}
	pthread_mutex_unlock(&cells[CELLS - 1].lock);
	return changed;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	do
		passes[me]++;
	while (pass());
	return NULL;
}

static void fill(void)
{
	for (int i = 0; i < CELLS; i++) {
		pthread_mutex_init(&cells[i].lock, NULL);
		cells[i].value = (CELLS - i) * 3 % CELLS;
	}
}

static bool is_sorted(void)
{
	bool sorted = true;

	for (int i = 0; i < CELLS; i++)
		pthread_mutex_lock(&cells[i].lock);
	for (int i = 0; i + 1 < CELLS; i++)
		sorted &= cells[i].value <= cells[i + 1].value;
	for (int i = CELLS; i-- > 0;)
		pthread_mutex_unlock(&cells[i].lock);
	return sorted;
}

/* Pairs in the wrong order: each swap of neighbours takes away one. */
static int inversions(void)
{
	int n = 0;

	for (int i = 0; i < CELLS; i++)
		for (int k = i + 1; k < CELLS; k++)
			n += cells[i].value > cells[k].value;
	return n;
}

/* When all are done. */
static struct result add_up(void)
{
	struct result r = { .swaps = 0 };

	for (int i = 0; i < CELLS; i++) {
		r.swaps += cells[i].swaps;
		r.seen[cells[i].value]++;
	}
	for (int i = 0; i < WORKERS; i++)
		r.most_passes = passes[i] > r.most_passes ? passes[i] : r.most_passes;
	return r;
}

static bool has_all(const struct result *r)
{
	for (int value = 0; value < CELLS; value++)
		if (r->seen[value] != 1)
			return false;
	return true;
}

static void check(const struct result *r, int wrong)
{
	assert(is_sorted());
	assert(r->swaps == wrong);
	assert(r->most_passes >= 1 && r->most_passes <= CELLS + 1);
	assert(has_all(r));
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];
	struct result result;
	int wrong;

	table1_begin(argc, argv);
	fill();
	wrong = inversions();
	start_all(workers, WORKERS, worker);
	linger(400); /* here: no join */
	assert(is_sorted());
	join_all(workers, WORKERS);
	result = add_up();
	check(&result, wrong);
	return 0;
}
