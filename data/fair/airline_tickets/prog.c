/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AirLineTickets: the office starts a seller for each ticket until the sale is stopped; whoever sells the last seat stops it. By then the
 * office may have started more sellers than there are seats. */
#include "../fair.h"

#define SELLERS 10
#define SEATS (SELLERS - 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sold, income, stop_sales;

static int price_of(int seat)
{
	return seat < SEATS / 3 ? 300 : 100;
}

static void *seller(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	income += price_of(sold);
	sold++;
	if (sold >= SEATS)
		stop_sales = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool stopped(void)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = stop_sales;
	pthread_mutex_unlock(&lock);
	return is;
}

int main(int argc, char **argv)
{
	pthread_t sellers[SELLERS];
	int n = 0, expected = 0;

	table1_begin(argc, argv);
	while (n < SELLERS && !stopped()) {
		pthread_create(&sellers[n], NULL, seller, number(place(0, n, SELLERS)));
		n++;
		linger(400);
	}
	join_all(sellers, n);
	for (int i = 0; i < sold; i++)
		expected += price_of(i);
	assert(income == expected);
	assert(sold <= SEATS);
	return 0;
}
