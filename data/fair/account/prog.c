/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Account: a bank with accounts that lock, and two clerks who each manage some of them: deposits, withdrawals, interest, transfers to the
 * next account. A transfer locks the account that the money comes from, and not the one that it goes to. */
#include "../fair.h"

#define ACCOUNTS 6
#define CLERKS 2
#define PER_CLERK (ACCOUNTS / CLERKS)
#define START 100

struct account {
	pthread_mutex_t lock;
	long balance;
	int bookings;
	long largest;
};

static struct account accounts[ACCOUNTS];
static long deposited[CLERKS], withdrawn[CLERKS];

static void note(struct account *a, long amount)
{
	a->bookings++;
	if (amount > a->largest)
		a->largest = amount;
}

static void deposit(struct account *a, long amount)
{
	pthread_mutex_lock(&a->lock);
	a->balance += amount;
	note(a, amount);
	pthread_mutex_unlock(&a->lock);
}

static bool withdraw(struct account *a, long amount)
{
	bool covered;

	pthread_mutex_lock(&a->lock);
	covered = a->balance >= amount;
	if (covered) {
		a->balance -= amount;
		note(a, amount);
	}
	pthread_mutex_unlock(&a->lock);
	return covered;
}

static bool transfer(struct account *from, struct account *to, long amount)
{
	bool covered;

	pthread_mutex_lock(&from->lock);
	covered = from->balance >= amount;
	if (covered) {
		from->balance -= amount;
		note(from, amount);
		to->balance += amount; /* here: the other account's lock is not held */
	}
	pthread_mutex_unlock(&from->lock);
	return covered;
}

static long balance_of(struct account *a)
{
	long balance;

	pthread_mutex_lock(&a->lock);
	balance = a->balance;
	pthread_mutex_unlock(&a->lock);
	return balance;
}

static void *clerk(void *arg)
{
	const int me = (int)(intptr_t)arg, first = me * PER_CLERK;

	for (int i = 0; i < PER_CLERK; i++) {
		struct account *mine = &accounts[first + i];

		deposit(mine, 30);
		deposited[me] += 30;
		if (withdraw(mine, 10 + i))
			withdrawn[me] += 10 + i;
	}
	for (int i = 0; i < PER_CLERK; i++)
		transfer(&accounts[first + i], &accounts[(first + i + 1) % ACCOUNTS], 9);
	return NULL;
}

static void open_accounts(void)
{
	for (int i = 0; i < ACCOUNTS; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		accounts[i].balance = START;
	}
}

int main(int argc, char **argv)
{
	pthread_t clerks[CLERKS];
	long sum = 0, expected = ACCOUNTS * START;

	table1_begin(argc, argv);
	open_accounts();
	start_all(clerks, CLERKS, clerk);
	join_all(clerks, CLERKS);
	for (int i = 0; i < ACCOUNTS; i++)
		sum += balance_of(&accounts[i]);
	for (int i = 0; i < CLERKS; i++)
		expected += deposited[i] - withdrawn[i];
	assert(sum == expected);
	return 0;
}
