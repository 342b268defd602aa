/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A test-and-set lock behind a pointer. BUILTINS: by the compiler's atomic operations. BUG: it looks and takes in two
 * steps. */
#include <assert.h>
#include <pthread.h>

struct account {
	int lock, balance;
};
static struct account account;

#ifdef BUILTINS
static int load(int *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}
static void store(int *at, int value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}
static int swap(int *at, int value)
{
	return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}
#else
static int load(int *at)
{
	int value;

	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at));
	return value;
}
static void store(int *at, int value)
{
	__asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(value) : "memory");
}
static int swap(int *at, int value)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
	return value;
}
#endif

static void take(struct account *a)
{
#ifdef BUG
	while (load(&a->lock))
		;
	store(&a->lock, 1);
#else
	while (swap(&a->lock, 1))
		while (load(&a->lock))
			;
#endif
}

static void *deposit(void *arg)
{
	struct account *a = arg;

	take(a);
	a->balance++;
	store(&a->lock, 0);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	swap(&account.lock, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, deposit, &account);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(account.balance == 2);
	return 0;
}
