/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session is closed while another thread is about to count a request in it. */
#include <pthread.h>
#include <stdlib.h>

struct session {
	int id;
	int requests;
};

static struct session *volatile current;

static void *serve(void *arg)
{
	struct session *session = current;

	(void)arg;
	if (session)
		session->requests++;
	return NULL;
}

static void *close_session(void *arg)
{
	struct session *session = current;

	(void)arg;
	current = NULL;
	free(session);
	return NULL;
}

int main(void)
{
	pthread_t server, closer;

	current = calloc(1, sizeof(*current));
	if (!current)
		return 77;
	pthread_create(&server, NULL, serve, NULL);
	pthread_create(&closer, NULL, close_session, NULL);
	pthread_join(server, NULL);
	pthread_join(closer, NULL);
	return 0;
}
