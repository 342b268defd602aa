/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue lock: each waits at a word of its own, on its stack. BUILTINS: by the compiler's atomic operations. BUG: who
 * gives it back and knows of nobody behind, takes it for free without looking again. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct waiter {
	struct waiter *next;
	int waits;
};
static struct waiter *last;
static int count;

#ifdef BUILTINS
#define LOAD(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
static struct waiter *swap(struct waiter **at, struct waiter *value)
{
	return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}
static int take_off(struct waiter **at, struct waiter *own)
{
	return __atomic_compare_exchange_n(at, &own, NULL, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#else
#define LOAD(at)                                                               \
	({                                                                     \
		__typeof__(*(at)) value;                                       \
		__asm__ volatile("mov %1, %0" : "=r"(value) : "m"(*(at)));      \
		value;                                                         \
	})
#define STORE(at, value) __asm__ volatile("mov %1, %0" : "=m"(*(at)) : "r"(value) : "memory")
static struct waiter *swap(struct waiter **at, struct waiter *value)
{
	__asm__ volatile("xchgq %0, %1" : "+r"(value), "+m"(*at) : : "memory");
	return value;
}
static int take_off(struct waiter **at, struct waiter *own)
{
	unsigned char done;

	__asm__ volatile("lock cmpxchgq %3, %1\n\tsete %2" : "+a"(own), "+m"(*at), "=q"(done) : "r"(NULL) : "memory");
	return done;
}
#endif

static void *work(void *arg)
{
	struct waiter own = { NULL, 1 }, *before = swap(&last, &own), *next;

	if (before) {
		STORE(&before->next, &own);
		while (LOAD(&own.waits))
			;
	}
	count++;
#ifdef BUG
	next = LOAD(&own.next);
	if (!next) {
		STORE(&last, (struct waiter *)NULL);
		return arg;
	}
#else
	next = LOAD(&own.next);
	if (!next) {
		if (take_off(&last, &own))
			return arg;
		while (!(next = LOAD(&own.next)))
			;
	}
#endif
	STORE(&next->waits, 0);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(count == 2);
	return 0;
}
