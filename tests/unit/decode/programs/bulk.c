/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory in bulk: loops that compilers make vectors of, mmap, rep movs, copies of structs with pointers in them, atomics. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS 3
#define N 40

struct node {
	float values[N];
	int *indices;
	struct node *next;
	void *spare[5];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *first;
static atomic_long tickets;
static _Atomic(struct node *) published;
static long total;

static void copy_by_microcode(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static struct node *map_node(void)
{
	struct node *n = mmap(NULL, sizeof(*n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	n->indices = calloc(N, sizeof(int));
	return n;
}

static void fill(struct node *n, float f, int k)
{
	for (int i = 0; i < N; i++) {
		n->values[i] = n->values[i] * 0.5f + f;
		n->indices[i] += i * k;
	}
}

static float dot(const struct node *a, const struct node *b)
{
	float s = 0;

	for (int i = 0; i < N; i++)
		s += a->values[i] * b->values[i];
	return s;
}

static void *work(void *arg)
{
	const long me = (long)arg;
	struct node copy, other;

	for (int i = 0; i < 3; i++) {
		struct node *n, *expected = NULL;
		const long ticket = atomic_fetch_add(&tickets, 1);

		pthread_mutex_lock(&lock);
		n = map_node();
		fill(n, (float)me, (int)ticket);
		n->next = first;
		first = n;
		memcpy(&copy, n, sizeof(copy));
		copy_by_microcode(&other, &copy, sizeof(other));
		total += (long)dot(n, &other) + other.indices[3] + (other.next ? other.next->indices[1] : 0);
		memmove(copy.indices + 1, copy.indices, (N - 1) * sizeof(int));
		atomic_compare_exchange_strong(&published, &expected, n);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int r = 0; r < rounds; r++) {
		for (long i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, work, (void *)(i + 1));
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		while (first) {
			struct node *n = first;

			first = n->next;
			free(n->indices);
			munmap(n, sizeof(*n));
		}
		atomic_store(&published, NULL);
	}
	printf("%ld %d\n", atomic_load(&tickets), total != 0);
	return 0;
}
