/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring for one writer and one reader: the index is moved on before the slot is filled. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SLOTS 4u

struct sample {
	int id;
	int value;
};

struct ring {
	struct sample slots[SLOTS];
	atomic_uint head; /* next to be read */
	atomic_uint tail; /* next to be written */
};

static bool ring_put(struct ring *r, struct sample s)
{
	const unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SLOTS)
		return false;
#ifdef FIXED
	r->slots[tail % SLOTS] = s;
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
#else
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
	r->slots[tail % SLOTS] = s;
#endif
	return true;
}

static bool ring_get(struct ring *r, struct sample *ret)
{
	const unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
		return false;
	*ret = r->slots[head % SLOTS];
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

static struct ring ring;

static void *sensor(void *arg)
{
	(void)arg;
	for (int id = 1; id <= 2; id++)
		while (!ring_put(&ring, (struct sample){ .id = id, .value = 10 * id }))
			sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct sample s;
	int next = 1;

	memset(&ring, 0, sizeof(ring));
	pthread_create(&thread, NULL, sensor, NULL);
	while (next <= 2) {
		if (!ring_get(&ring, &s)) {
			sched_yield();
			continue;
		}
		assert(s.id == next && s.value == 10 * next);
		next++;
	}
	pthread_join(thread, NULL);
	return 0;
}
