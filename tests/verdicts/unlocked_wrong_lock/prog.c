/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The total belongs to bank_lock; one function holds the account's lock instead. */
#include <pthread.h>

static pthread_mutex_t bank_lock = PTHREAD_MUTEX_INITIALIZER, account_lock = PTHREAD_MUTEX_INITIALIZER;
static long total, account;

static void open_account(void)
{
	pthread_mutex_lock(&bank_lock);
	total = total + 100;
	pthread_mutex_unlock(&bank_lock);
}

static void close_account(void)
{
	pthread_mutex_lock(&bank_lock);
	total = total - 100;
	pthread_mutex_unlock(&bank_lock);
}

static void deposit(void)
{
	pthread_mutex_lock(&account_lock);
	account += 5;
	if (total < 0)
		account = 0;
	pthread_mutex_unlock(&account_lock);
}

static void *bank(void *arg)
{
	open_account();
	close_account();
	return arg;
}

static void *customer(void *arg)
{
	deposit();
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, bank, NULL);
	pthread_create(&t2, NULL, customer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return total == 0 && account == 5 ? 0 : 1;
}
