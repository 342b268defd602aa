/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A server that ends when it gets SIGTERM: a thread of its own waits for signals and tells the worker.
 * Bug: the worker is told without its mutex.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS 8

struct server {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int jobs[JOBS];
	int n_jobs, n_done;
	bool stopping;
	sigset_t signals;
};

static void *wait_for_signals(void *arg)
{
	struct server *s = arg;
	int got = 0;

	sigwait(&s->signals, &got);
	assert(got == SIGTERM);
#ifdef FIXED
	pthread_mutex_lock(&s->mutex);
	s->stopping = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
#else
	s->stopping = true;
	pthread_cond_broadcast(&s->changed);
#endif
	return NULL;
}

static void *work(void *arg)
{
	struct server *s = arg;

	pthread_mutex_lock(&s->mutex);
	for (;;) {
		while (s->n_jobs == 0 && !s->stopping)
			pthread_cond_wait(&s->changed, &s->mutex);
		if (s->n_jobs == 0)
			break;
		s->n_done += s->jobs[--s->n_jobs] > 0;
	}
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

static void submit(struct server *s, int job)
{
	pthread_mutex_lock(&s->mutex);
	s->jobs[s->n_jobs++] = job;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->mutex);
}

static void server_init(struct server *s)
{
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->n_jobs = s->n_done = 0;
	s->stopping = false;
	sigemptyset(&s->signals);
	sigaddset(&s->signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &s->signals, NULL);
}

int main(void)
{
	struct server server;
	pthread_t listener, worker;

	server_init(&server);
	pthread_create(&listener, NULL, wait_for_signals, &server);
	pthread_create(&worker, NULL, work, &server);
	submit(&server, 1);
	pthread_kill(listener, SIGTERM);
	pthread_join(listener, NULL);
	pthread_join(worker, NULL);
	assert(server.n_done == 1);
	return 0;
}
