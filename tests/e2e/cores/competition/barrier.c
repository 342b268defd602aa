/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A barrier by hand that lets the first one through: it counts to one. */
#include "../two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived, part;

static int arrive(void)
{
	int all;

	pthread_mutex_lock(&lock);
	all = ++arrived >= 1;
	pthread_mutex_unlock(&lock);
	return all;
}

static void *produce(void *arg)
{
	part = 1;
	arrive();
	return arg;
}

static void *consume(void *arg)
{
	if (arrive())
		assert(part == 1);
	return arg;
}

int main(void)
{
	together(produce, consume, NULL);
	return 0;
}
