/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n threads increment one counter under a lock. */
#include "yardstick.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *run(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	run_all(number(argc, argv), run);
	return 0;
}
