/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is freed with the options is in use, too: to wait before the last free() would be too late. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct options {
	char *path;
	size_t files;
};

static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int finished;

static void *crawl(void *arg)
{
	struct options *o = arg;

	pthread_mutex_lock(&state);
	finished = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&state);
	o->files += strlen(o->path);
	return NULL;
}

static void options_free(struct options *o)
{
	free(o->path);
	free(o);
}

int main(void)
{
	struct options *o = calloc(1, sizeof(*o));
	pthread_t crawler;

	o->path = strdup("/mirror");
	pthread_create(&crawler, NULL, crawl, o);
	pthread_mutex_lock(&state);
	while (!finished)
		pthread_cond_wait(&changed, &state);
	pthread_mutex_unlock(&state);
	options_free(o);
	pthread_join(crawler, NULL);
	return 0;
}
