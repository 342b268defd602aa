/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event loop: one thread calls what others post to it. When it stops, it calls what was posted before.
 * Bug: who posts asks whether the loop has been stopped before it takes the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef void (*loop_callback)(void *arg);

struct event {
	struct event *next;
	loop_callback call;
	void *arg;
};

struct loop {
	pthread_mutex_t mutex;
	pthread_cond_t posted;
	struct event *first, **last;
	bool stopping;
	pthread_t thread;
};

static struct event *loop_take(struct loop *l)
{
	struct event *e = l->first;

	if (!e)
		return NULL;
	l->first = e->next;
	if (!l->first)
		l->last = &l->first;
	return e;
}

static void *loop_run(void *arg)
{
	struct loop *l = arg;

	pthread_mutex_lock(&l->mutex);
	for (;;) {
		struct event *e;

		while (!l->first && !l->stopping)
			pthread_cond_wait(&l->posted, &l->mutex);
		e = loop_take(l);
		if (!e)
			break;
		pthread_mutex_unlock(&l->mutex);
		e->call(e->arg);
		free(e);
		pthread_mutex_lock(&l->mutex);
	}
	pthread_mutex_unlock(&l->mutex);
	return NULL;
}

static void loop_start(struct loop *l)
{
	pthread_mutex_init(&l->mutex, NULL);
	pthread_cond_init(&l->posted, NULL);
	l->first = NULL;
	l->last = &l->first;
	l->stopping = false;
	pthread_create(&l->thread, NULL, loop_run, l);
}

/* True: it will be called. False: the loop has been stopped. */
static bool loop_post(struct loop *l, loop_callback call, void *arg)
{
	struct event *e = malloc(sizeof(*e));

	assert(e);
	*e = (struct event){ NULL, call, arg };
#ifndef FIXED
	if (l->stopping) {
		free(e);
		return false;
	}
#endif
	pthread_mutex_lock(&l->mutex);
#ifdef FIXED
	if (l->stopping) {
		pthread_mutex_unlock(&l->mutex);
		free(e);
		return false;
	}
#endif
	*l->last = e;
	l->last = &e->next;
	pthread_cond_signal(&l->posted);
	pthread_mutex_unlock(&l->mutex);
	return true;
}

static void loop_stop(struct loop *l)
{
	pthread_mutex_lock(&l->mutex);
	l->stopping = true;
	pthread_cond_signal(&l->posted);
	pthread_mutex_unlock(&l->mutex);
	pthread_join(l->thread, NULL);
}

/* ---- who uses it */

struct upload {
	struct loop *loop;
	int accepted, sent;
};

static void send_part(void *arg)
{
	struct upload *u = arg;

	u->sent++;
}

static void *upload_run(void *arg)
{
	struct upload *u = arg;

	for (int i = 0; i < 2; i++)
		u->accepted += loop_post(u->loop, send_part, u);
	return NULL;
}

int main(void)
{
	struct loop loop;
	struct upload upload = { .loop = &loop };
	pthread_t uploader;

	loop_start(&loop);
	pthread_create(&uploader, NULL, upload_run, &upload);
	loop_stop(&loop);
	pthread_join(uploader, NULL);
	assert(upload.sent == upload.accepted);
	return 0;
}
