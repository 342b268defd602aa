/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels NAME PASSES: one of five loops, PASSES times; prints the ticks (of the processor's time stamp counter) of the
 * fastest pass and
 * where the variable `progress` lies, which each kernel counts up now and then: the one variable of "v = 1". `kernels
 * rate`: ticks a
 * microsecond. Ticks, because a controlled program is not told the system's time; the fastest of many short passes,
 * because nobody else
 * had the processor during that one. A second thread exists, so that nothing is skipped because the program has one
 * only.
 *
 * Shapes and sizes are those with which the budgets of the engine were set: a stream of doubles in blocks from malloc,
 * a matrix of 128 (256
 * where recording is measured), a chase through 64 KB, a table of chains under 64 locks. A pass is a few hundred
 * microseconds.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM 8192
#define STREAM_ROUNDS 8
#define DOUBLES 65536 /* in a block */
#define SMALL 128
#define LARGE 256
#define ROWS 4 /* of the product, a pass */
#define NODES 4096
#define STEPS 32768
#define BUCKETS 4096
#define STRIPES 64
#define KEYS (1 << 14)
#define LOOKUPS 8000
#define SORT 10000
#define OFTEN 1024 /* iterations of a tight loop between two of `progress` */

static long progress;
static double *blocks[3];
static struct node {
	struct node *next;
	long value;
} nodes[NODES];
static struct entry {
	uint64_t key, count;
	struct entry *next;
} entries[KEYS], *table[BUCKETS];
static uint32_t n_entries;
static pthread_mutex_t locks[STRIPES];
static int numbers[SORT], mixed[SORT];
static volatile long sink;
static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;

static inline void count(void)
{
	progress++;
	__asm__ volatile("" : : : "memory"); /* in memory each time, not once after the loop */
}

static void nothing(void)
{
}

static __attribute__((noinline)) void update(double *a, const double *b, long n)
{
	for (long i = 0; i < n; i++)
		a[i] = a[i] * 0.9999 + b[i];
	count();
}

static void stream(void)
{
	for (int round = 0; round < STREAM_ROUNDS; round++)
		update(blocks[0], blocks[1], STREAM);
}

/* Of a size known only at run time, as matrices are; the inner loop is a chain of additions. */
static __attribute__((noipa)) void multiply(const double *x, const double *y, double *z, int n, int rows)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += x[i * n + k] * y[k * n + j];
			z[i * n + j] = sum;
			count();
		}
}

static void matmul(void)
{
	multiply(blocks[0], blocks[1], blocks[2], SMALL, ROWS);
}

static void matmul256(void)
{
	multiply(blocks[0], blocks[1], blocks[2], LARGE, ROWS / 2);
}

static void chase(void)
{
	const struct node *n = nodes;
	long sum = 0;

	for (int part = 0; part < STEPS; part += OFTEN) {
		for (int i = 0; i < OFTEN; i++) {
			sum += n->value;
			n = n->next;
		}
		count();
	}
	sink = sum;
}

static void hash_table(void)
{
	uint64_t x = 1;

	for (int i = 0; i < LOOKUPS; i++) {
		uint64_t key;
		uint32_t at;
		struct entry *e;

		x = x * 6364136223846793005u + 1442695040888963407u;
		key = x >> 44 & (KEYS - 1);
		at = (uint32_t)(key * 2654435761u) >> 7 & (BUCKETS - 1);
		pthread_mutex_lock(&locks[at % STRIPES]);
		for (e = table[at]; e && e->key != key;)
			e = e->next;
		if (e) {
			e->count++;
		} else {
			e = &entries[n_entries++];
			*e = (struct entry){key, 1, table[at]};
			table[at] = e;
		}
		pthread_mutex_unlock(&locks[at % STRIPES]);
		if (i % 16 == 0)
			count();
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
		count();
		sort(lo, j + 1);
		lo = i;
	}
}

static void quicksort(void)
{
	sort(numbers, numbers + SORT);
}

static void mix(void)
{
	memcpy(numbers, mixed, sizeof(numbers));
}

/* ---- what each needs */

static void fill(void)
{
	for (int k = 0; k < 3; k++) {
		blocks[k] = malloc(DOUBLES * sizeof(double));
		for (int i = 0; i < DOUBLES; i++)
			blocks[k][i] = i;
	}
}

static void link_nodes(void) /* each once: 1237 is 1 modulo 4, 1 is odd */
{
	for (int i = 0; i < NODES; i++)
		nodes[i] = (struct node){&nodes[(i * 1237 + 1) % NODES], i};
}

static void make_locks(void)
{
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&locks[i], NULL);
}

static void draw(void)
{
	uint32_t x = 12345;

	for (int i = 0; i < SORT; i++)
		mixed[i] = (int)(x = x * 1664525u + 1013904223u) >> 8;
}

static const struct kernel {
	const char *name;
	void (*run)(void), (*prepare)(void), (*before)(void); /* a pass; once; before each pass */
} kernels[] = {
	{"nothing", nothing, nothing, nothing}, {"stream", stream, fill, nothing}, {"matmul", matmul, fill, nothing}, {"matmul256", matmul256, fill, nothing},
	{"chase", chase, link_nodes, nothing}, {"hash", hash_table, make_locks, nothing}, {"quicksort", quicksort, draw, mix},
};

static void *waits(void *arg)
{
	pthread_mutex_lock(&hold);
	pthread_mutex_unlock(&hold);
	return arg;
}

static uint64_t ticks(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rate(void)
{
	const double from = seconds();
	const uint64_t start = ticks();

	while (seconds() - from < 0.05)
		;
	printf("%.2f\n", (double)(ticks() - start) / (seconds() - from) / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	const struct kernel *k = kernels;
	uint64_t best = UINT64_MAX;
	pthread_t other;

	if (argc > 1 && !strcmp(argv[1], "rate"))
		return rate();
	for (size_t i = 0; argc > 1 && i < sizeof(kernels) / sizeof(*kernels); i++)
		if (!strcmp(argv[1], kernels[i].name))
			k = &kernels[i];
	k->prepare();
	pthread_mutex_lock(&hold);
	pthread_create(&other, NULL, waits, NULL);
	for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--) {
		uint64_t start, used;

		k->before();
		start = ticks();
		k->run();
		used = ticks() - start;
		best = used < best ? used : best;
	}
	pthread_mutex_unlock(&hold);
	pthread_join(other, NULL);
	printf("%lu %p\n", (unsigned long)best, (void *)&progress);
	return 0;
}
