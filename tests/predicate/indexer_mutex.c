/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define SIZE 128
#define MAX 4

static int table[SIZE];
static pthread_mutex_t cas_mutex[SIZE];

static int cas(int *tab, int h, int val, int new_val)
{
	int ret = 0;

	pthread_mutex_lock(&cas_mutex[h]);
	if (tab[h] == val) {
		tab[h] = new_val;
		ret = 1;
	}
	pthread_mutex_unlock(&cas_mutex[h]);
	return ret;
}

static void *insert(void *arg)
{
	int tid = *(int *)arg, m = 0, w, h;

	for (;;) {
		if (m >= MAX)
			return NULL;
		w = ++m * 11 + tid;
		h = (w * 7) % SIZE;
		if (h < 0)
			assert(0);
		while (!cas(table, h, 0, w))
			h = (h + 1) % SIZE;
	}
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 11;
	pthread_t threads[64];
	int tids[64];

	for (int i = 0; i < SIZE; i++)
		pthread_mutex_init(&cas_mutex[i], NULL);
	for (int i = 0; i < n; i++) {
		tids[i] = i;
		pthread_create(&threads[i], NULL, insert, &tids[i]);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
