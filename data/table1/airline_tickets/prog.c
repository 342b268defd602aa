/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AirlineTickets: ten sellers. One of them closes the sale when it is done and takes for granted that it is the last. */
#include <assert.h>

#include "../table1.h"

#define SELLERS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sold, closed;

static void *seller(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, SELLERS, 2);
	if (me == SELLERS - 1)
		linger(5000);
	pthread_mutex_lock(&lock);
	if (me == SELLERS - 1)
		closed = 1;
	else
		assert(!closed);
	sold++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t sellers[SELLERS];

	table1_begin(argc, argv);
	start_all(sellers, SELLERS, seller);
	join_all(sellers, SELLERS);
	return 0;
}
