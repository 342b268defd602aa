// SPDX-License-Identifier: GPL-2.0-or-later
// A ring for one producer and one consumer in C11 atomics, with cached indices; bytes of messages of any length.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SIZE 16u /* a power of two */

struct ring {
	_Alignas(64) atomic_uint head; /* the producer's */
	unsigned cached_tail;
	_Alignas(64) atomic_uint tail; /* the consumer's */
	unsigned cached_head;
	_Alignas(64) unsigned char bytes[SIZE];
};

static struct ring ring;

static int put(struct ring *r, const void *data, unsigned len)
{
	unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
	const unsigned char *from = data;

	if (SIZE - (head - r->cached_tail) < len + 1) {
		r->cached_tail = atomic_load_explicit(&r->tail, memory_order_acquire);
		if (SIZE - (head - r->cached_tail) < len + 1)
			return 0;
	}
	r->bytes[head++ % SIZE] = (unsigned char)len;
	for (unsigned i = 0; i < len; i++)
		r->bytes[head++ % SIZE] = from[i];
	atomic_store_explicit(&r->head, head, memory_order_release);
	return 1;
}

static int take(struct ring *r, char *to)
{
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	unsigned len;

	if (r->cached_head == tail) {
		r->cached_head = atomic_load_explicit(&r->head, memory_order_acquire);
		if (r->cached_head == tail)
			return -1;
	}
	len = r->bytes[tail++ % SIZE];
	for (unsigned i = 0; i < len; i++)
		to[i] = (char)r->bytes[tail++ % SIZE];
	to[len] = 0;
	atomic_store_explicit(&r->tail, tail, memory_order_release);
	return (int)len;
}

static const char *const words[] = { "one", "two", "three", "four", "" };
#define WORDS (sizeof(words) / sizeof(words[0]))

static void *produce(void *arg)
{
	for (size_t i = 0; i < WORDS; i++)
		while (!put(arg, words[i], (unsigned)strlen(words[i])))
			sched_yield();
	return NULL;
}

static void *consume(void *arg)
{
	char word[SIZE];
	size_t n = 0;

	for (;;) {
		int len = take(arg, word);

		if (len < 0) {
			sched_yield();
			continue;
		}
		assert(strcmp(word, words[n]) == 0);
		n++;
		if (!len)
			return (void *)n;
	}
}

int main(void)
{
	pthread_t producer, consumer;
	void *seen;

	assert(pthread_create(&consumer, NULL, consume, &ring) == 0);
	assert(pthread_create(&producer, NULL, produce, &ring) == 0);
	pthread_join(producer, NULL);
	pthread_join(consumer, &seen);
	assert((size_t)seen == WORDS);
	return 0;
}
