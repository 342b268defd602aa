/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two deposits into one account, without a lock: one of them can get lost. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static struct {
	long number;
	long balance;
} account = { 4711, 0 };

static void deposit(long amount)
{
	long seen = account.balance;

	account.balance = seen + amount;
}

static void *pay_wages(void *arg)
{
	(void)arg;
	deposit(100);
	return NULL;
}

static void *pay_interest(void *arg)
{
	(void)arg;
	deposit(5);
	return NULL;
}

int main(void)
{
	pthread_t wages, interest;

	pthread_create(&wages, NULL, pay_wages, NULL);
	pthread_create(&interest, NULL, pay_interest, NULL);
	pthread_join(wages, NULL);
	pthread_join(interest, NULL);
	printf("account %ld: balance %ld\n", account.number, account.balance);
	assert(account.balance == 105);
	return 0;
}
