/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log tells changes of a table in another order than they were made: each is locked, both together are not. */
#include "../two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table, last_logged;

static void change(int to)
{
	pthread_mutex_lock(&lock);
	table = to;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	last_logged = to;
	pthread_mutex_unlock(&lock);
}

static void *insert(void *arg)
{
	change(1);
	return arg;
}

static void *delete(void *arg)
{
	change(2);
	return arg;
}

int main(void)
{
	together(insert, delete, NULL);
	assert(table == last_logged);
	return 0;
}
