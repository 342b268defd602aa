// SPDX-License-Identifier: GPL-2.0-or-later
// Philosophers: one pair takes forks in order, the other takes one, tries the other, and puts the first back.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SEATS 3
#define MEALS 1

static pthread_mutex_t forks[SEATS] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};
static int in_use[SEATS], eaten[SEATS];

static void eat(int seat, int left, int right)
{
	assert(!in_use[left] && !in_use[right]);
	in_use[left] = in_use[right] = 1;
	eaten[seat]++;
	in_use[left] = in_use[right] = 0;
}

static void in_order(int seat, int left, int right)
{
	int low = left < right ? left : right, high = left < right ? right : left;

	pthread_mutex_lock(&forks[low]);
	pthread_mutex_lock(&forks[high]);
	eat(seat, left, right);
	pthread_mutex_unlock(&forks[high]);
	pthread_mutex_unlock(&forks[low]);
}

static void polite(int seat, int left, int right)
{
	for (;;) {
		pthread_mutex_lock(&forks[left]);
		if (pthread_mutex_trylock(&forks[right]) == 0)
			break;
		pthread_mutex_unlock(&forks[left]);
		usleep(100);
	}
	eat(seat, left, right);
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
}

static void *dine(void *arg)
{
	int seat = *(int *)arg;

	for (int i = 0; i < MEALS; i++)
		(seat == SEATS - 1 ? polite : in_order)(seat, seat, (seat + 1) % SEATS);
	return NULL;
}

int main(void)
{
	pthread_t threads[SEATS];
	int seats[SEATS];

	for (int i = 0; i < SEATS; i++) {
		seats[i] = i;
		assert(pthread_create(&threads[i], NULL, dine, &seats[i]) == 0);
	}
	for (int i = 0; i < SEATS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SEATS; i++)
		assert(eaten[i] == MEALS);
	return 0;
}
