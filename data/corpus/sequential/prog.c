/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread: there is nothing to schedule. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

int main(void)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	assert(counter == 1);
	return 0;
}
