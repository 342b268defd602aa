/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MergeSort: each half of what is to be sorted goes to a thread of its own, as long as there are any. Whether there are is looked at and
 * noted without a lock. */
#include "../fair.h"

#define THREADS_MAX 98 /* that may be started, the first one besides */
#define LENGTH 256

struct part {
	int from, to; /* to: not included */
	int *values;
	pthread_t thread;
	bool forked;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int available = THREADS_MAX, started;
static int values[LENGTH];

static bool take_thread(void)
{
	if (available <= 0)
		return false;
	available--; /* here */
	pthread_mutex_lock(&lock);
	started++;
	pthread_mutex_unlock(&lock);
	return true;
}

static void give_back_unused(void)
{
	pthread_mutex_lock(&lock);
	started--;
	available++;
	pthread_mutex_unlock(&lock);
}

/* Both halves are sorted: put them together. */
static void merge(struct part *p, int middle)
{
	const int n = p->to - p->from;
	int *merged = malloc(sizeof(int) * (size_t)n);
	int left = p->from, right = middle;

	if (!merged)
		return;
	for (int i = 0; i < n; i++) {
		const bool from_left = right >= p->to || (left < middle && p->values[left] <= p->values[right]);

		merged[i] = p->values[from_left ? left++ : right++];
	}
	memcpy(p->values + p->from, merged, sizeof(int) * (size_t)n);
	free(merged);
}

static void sort(struct part *p);

static void *sort_part(void *arg)
{
	sort(arg);
	return NULL;
}

/* In a thread of its own, if one is left. */
static void sort_elsewhere(struct part *p)
{
	p->forked = take_thread();
	if (p->forked && pthread_create(&p->thread, NULL, sort_part, p) != 0) {
		give_back_unused();
		p->forked = false;
	}
}

static void sort(struct part *p)
{
	const int middle = p->from + (p->to - p->from) / 2;
	struct part left = { .from = p->from, .to = middle, .values = p->values };
	struct part right = { .from = middle, .to = p->to, .values = p->values };

	if (p->to - p->from < 2)
		return;
	sort_elsewhere(&left);
	sort(&right);
	if (left.forked)
		pthread_join(left.thread, NULL);
	else
		sort(&left);
	merge(p, middle);
}

/* Every number once, in some order. */
static void fill(void)
{
	for (int i = 0; i < LENGTH; i++)
		values[i] = (i * 37 + 11 + place(1, i, LENGTH)) % LENGTH;
}

static bool is_sorted(const int *v, int n)
{
	for (int i = 0; i + 1 < n; i++)
		if (v[i] > v[i + 1])
			return false;
	return true;
}

/* Of two arrays: does each number stand in both equally often? */
static bool is_same_set(const int *v, const int *w, int n)
{
	int counts[LENGTH] = { 0 };

	for (int i = 0; i < n; i++) {
		counts[v[i]]++;
		counts[w[i]]--;
	}
	for (int i = 0; i < n; i++)
		if (counts[i] != 0)
			return false;
	return true;
}

/* When all are done. */
static void check(const int *before)
{
	assert(is_sorted(values, LENGTH));
	assert(is_same_set(before, values, LENGTH));
	assert(available >= 0 && available + started == THREADS_MAX);
	assert(started > 0);
}

int main(int argc, char **argv)
{
	struct part all = { .from = 0, .to = LENGTH, .values = values };
	int before[LENGTH];
	pthread_t first;

	table1_begin(argc, argv);
	fill();
	memcpy(before, values, sizeof(before));
	pthread_create(&first, NULL, sort_part, &all);
	pthread_join(first, NULL);
	check(before);
	return 0;
}
