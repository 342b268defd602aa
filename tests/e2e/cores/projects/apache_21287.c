/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A count of references goes down in one step and is looked at in another. */
#include "../two.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int references = 2, freed;

static void *release(void *arg)
{
	pthread_mutex_lock(&lock);
	references--;
	pthread_mutex_unlock(&lock);
	if (references == 0)
		__atomic_add_fetch(&freed, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	together(release, release, NULL);
	assert(freed == 1);
	return 0;
}
