/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels NAME REPEAT: one of five loops, REPEAT times; prints the processor time of the fastest one in ns. A second thread exists, so
 * that nothing is skipped because the program has one only.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM 16384
#define MATRIX 40
#define NODES 20000
#define SLOTS 4096
#define KEYS 3000
#define SORT 6000

static float a[STREAM], b[STREAM], c[STREAM];
static double m[3][MATRIX * MATRIX];
static volatile int matrix = MATRIX;
static struct node {
	struct node *next;
	long value;
} nodes[NODES];
static struct {
	pthread_mutex_t lock;
	uint32_t keys[SLOTS / 64];
} stripes[64];
static int numbers[SORT];
static volatile long sink;
static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;

static void nothing(void)
{
}

static void stream(void)
{
	for (int i = 0; i < STREAM; i++)
		a[i] = b[i] + 3.0f * c[i];
	__asm__ volatile("" : : "r"(a) : "memory"); /* somebody reads it */
}

/* Of a size known only at run time, as matrices are; the inner loop is a chain of additions. */
static void multiply(const double *x, const double *y, double *z, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += x[i * n + k] * y[k * n + j];
			z[i * n + j] = sum;
		}
}

static void matmul(void)
{
	multiply(m[0], m[1], m[2], matrix);
}

static void chase(void)
{
	long sum = 0;

	for (const struct node *n = &nodes[0]; n; n = n->next)
		sum += n->value;
	sink = sum;
}

static void hash_table(void)
{
	for (uint32_t key = 1; key <= KEYS; key++) {
		const uint32_t hash = key * 2654435761u, stripe = hash >> 26, slot = hash >> 10 & 63;

		pthread_mutex_lock(&stripes[stripe].lock);
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t *at = &stripes[stripe].keys[(slot + i) % 64];

			if (!*at || *at == key) {
				*at = key;
				break;
			}
		}
		pthread_mutex_unlock(&stripes[stripe].lock);
	}
}

static void sort(int *lo, int *hi)
{
	while (hi - lo > 1) {
		const int pivot = lo[(hi - lo) / 2];
		int *i = lo, *j = hi - 1;

		while (i <= j) {
			while (*i < pivot)
				i++;
			while (*j > pivot)
				j--;
			if (i <= j) {
				const int t = *i;

				*i++ = *j;
				*j-- = t;
			}
		}
		sort(lo, j + 1);
		lo = i;
	}
}

static void quicksort(void)
{
	uint32_t x = 12345;

	for (int i = 0; i < SORT; i++)
		numbers[i] = (int)(x = x * 1664525u + 1013904223u) >> 8;
	sort(numbers, numbers + SORT);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&hold);
	pthread_mutex_unlock(&hold);
	return arg;
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {{"nothing", nothing}, {"stream", stream}, {"matmul", matmul}, {"chase", chase}, {"hash", hash_table}, {"quicksort", quicksort}};
	const char *name = argc > 1 ? argv[1] : "";
	long best = 1L << 60;
	pthread_t other;

	for (int i = 0; i < STREAM; i++) /* written, so that the compiler does not take them for zeros */
		b[i] = c[i] = (float)matrix;
	for (int i = 0; i < MATRIX * MATRIX; i++)
		m[0][i] = m[1][i] = matrix;
	for (int i = 0; i < NODES; i++)
		nodes[i] = (struct node){i + 1 < NODES ? &nodes[(i * 7919L + 7919) % NODES] : NULL, i};
	nodes[(NODES - 1) * 7919L % NODES].next = NULL;
	for (int i = 0; i < 64; i++)
		pthread_mutex_init(&stripes[i].lock, NULL);
	pthread_mutex_lock(&hold);
	pthread_create(&other, NULL, waits, NULL);
	for (size_t k = 0; k < sizeof(kernels) / sizeof(*kernels); k++)
		for (int i = argc > 2 && !strcmp(name, kernels[k].name) ? atoi(argv[2]) : 0; i > 0; i--) {
			const long start = now();

			kernels[k].run();
			best = now() - start < best ? now() - start : best;
		}
	pthread_mutex_unlock(&hold);
	pthread_join(other, NULL);
	printf("%ld\n", best);
	return 0;
}
