/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A balance is checked by a thread that waits for neither of those that change it. */
#include "../two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *deposit(void *arg)
{
	pthread_mutex_lock(&lock);
	balance += 50;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *withdraw(void *arg)
{
	pthread_mutex_lock(&lock);
	balance -= 20;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *check(void *arg)
{
	pthread_mutex_lock(&lock);
	assert(balance == 130);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	together(deposit, withdraw, check);
	return 0;
}
