/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worker is started before the settings that it reads are in place. */
#include <pthread.h>
#include <stddef.h>

struct settings {
	int workers;
	int verbose;
};

static struct settings defaults = { 4, 0 };
static struct settings *volatile settings;
static int slots;

static void *worker(void *arg)
{
	(void)arg;
	slots = settings->workers;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	settings = &defaults;
	pthread_join(thread, NULL);
	return slots == 4 ? 0 : 1;
}
