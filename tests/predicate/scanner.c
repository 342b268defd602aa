/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parallel scanner: threads take files from a queue, look for a word in each, and count lines, bytes and matches.
 * Asserted are the queue's index and each file's own result. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 2
#define FILES_MAX 8

static const char *const texts[FILES_MAX] = { "one needle\n", "nothing\nhere\n", "needle needle\n", "\n",
	                                      "a\nneedle\n", "needl\n", "x\ny\nz\n", "the needle\n" };
static int n_files;
static atomic_int queue;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long bytes, lines, matches;
static int found[FILES_MAX];

static int count(const char *text, const char *word)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void *scan(void *arg)
{
	(void)arg;
	for (;;) {
		const int file = atomic_fetch_add(&queue, 1);
		int n;

		assert(file >= 0);
		if (file >= n_files)
			return NULL;
		n = count(texts[file], "needle");
		pthread_mutex_lock(&lock);
		bytes += (long)strlen(texts[file]);
		lines += count(texts[file], "\n");
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		matches += n;
		pthread_mutex_unlock(&lock);
		found[file] = n;
		assert(n <= 2);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	n_files = argc > 1 ? atoi(argv[1]) : 4;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, scan, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
