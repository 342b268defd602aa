/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session is closed while the other thread counts a reply to it: in the last bytes of its block. */
#include <pthread.h>
#include <stdlib.h>

struct session {
	char name[32];
	int replies; /* 40 bytes with what follows: malloc gives exactly those */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *open_session;

static struct session *find(void)
{
	struct session *s;

	pthread_mutex_lock(&lock);
	s = open_session;
	pthread_mutex_unlock(&lock);
	return s;
}

static void *reply(void *arg)
{
	struct session *s = find();

	if (s)
		s->replies++;
	return arg;
}

static void *close_it(void *arg)
{
	pthread_mutex_lock(&lock);
	free(open_session);
	open_session = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	open_session = calloc(1, sizeof(*open_session));
	if (!open_session)
		return 77;
	pthread_create(&threads[0], NULL, reply, NULL);
	pthread_create(&threads[1], NULL, close_it, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
