/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Account: two clerks book transfers. Money leaves an account under its lock, but is put in without the receiver's. */
#include <assert.h>

#include "../table1.h"

#define ACCOUNTS 10

static struct {
	pthread_mutex_t lock;
	long balance;
} accounts[ACCOUNTS];

static void transfer(int from, int to, long amount)
{
	pthread_mutex_lock(&accounts[from].lock);
	accounts[from].balance -= amount;
	pthread_mutex_unlock(&accounts[from].lock);
	accounts[to].balance += amount; /* here */
}

/* Each clerk books between four accounts of its own; both end with the common one. */
static void *clerk(void *arg)
{
	const int first = (int)(intptr_t)arg * 4;

	work((int)(intptr_t)arg, 2, 6);
	for (int i = 0; i < 4; i++)
		transfer(place(1, 1 + first + i, ACCOUNTS), place(1, 1 + first + (i + 1) % 4, ACCOUNTS), 10);
	transfer(place(1, 1 + first, ACCOUNTS), place(1, 0, ACCOUNTS), 5);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t clerks[2];
	long sum = 0;

	table1_begin(argc, argv);
	for (int i = 0; i < ACCOUNTS; i++)
		pthread_mutex_init(&accounts[i].lock, NULL);
	start_all(clerks, 2, clerk);
	join_all(clerks, 2);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += accounts[i].balance;
	assert(sum == 0);
	return 0;
}
